//! The arguments of a combinator of kernels, read from its call.

use std::sync::Arc;

use super::evaluator::Call;
use super::family_calls::{input_refs, written};
use super::kernel_spans::Mark;
use super::user_rows::UserRows;
use crate::kernel::wraps::WRAPS;
use crate::kernel::{InputRef, Inputs, Kernel, RowFunction, Spec, Values};
use crate::lang::error::{LangError, Res};
use crate::lang::values::value::{Function, Value};
use crate::syntax::span::Span;

/// A combinator under construction.
pub(super) struct Making<'m, 'e, 'a> {
    pub call: &'m mut Call<'e, 'a>,
    pub name: &'static str,
    pub mark: Mark,
}

impl Making<'_, '_, '_> {
    pub fn kernel(&mut self, place: &'static str) -> Res<Kernel> {
        self.call.arg(place)
    }

    /// The function, and the parameters of the combinator: `own` ones, then those of the function.
    pub fn function(&mut self, own: Vec<Values>) -> Res<(Arc<dyn RowFunction>, Vec<Values>)> {
        self.mark.function = Some(self.call.span_of("function"));
        let function: Function = self.call.arg("function")?;
        let given = self.call.keywords();
        let (function, parameters) = UserRows::with_parameters(function, given, self.call.eval)?;
        let mut all = own;
        for (values, span) in parameters {
            all.push(values);
            self.mark.params.push(Some(span));
        }
        Ok((function, all))
    }

    /// The inputs in an optional place; all inputs if it is left out.
    pub fn inputs(&mut self, place: &'static str) -> Res<Inputs> {
        let (inputs, spans) = self.call.inputs(place)?;
        self.mark.inputs = spans;
        Ok(inputs)
    }

    /// The inputs in required places.
    pub fn all_inputs(&mut self, places: &[&'static str]) -> Res<Inputs> {
        let mut all = Vec::new();
        for &place in places {
            let span = self.call.span_of(place);
            let value: Value = self.call.arg(place)?;
            self.take(&value, span, &mut all)?;
        }
        Ok(Inputs::These(all))
    }

    /// The inputs in an argument; none may be repeated.
    pub fn take(&mut self, value: &Value, span: Span, all: &mut Vec<InputRef>) -> Res<()> {
        for input in input_refs(value).map_err(|t| t.at(span))? {
            if all.contains(&input) {
                return Err(LangError::new(format!("input {input} is named twice")).at(span));
            }
            all.push(input);
            self.mark.inputs.push(span);
        }
        Ok(())
    }

    /// The parameters of one of its specs.
    pub fn params(&mut self, spec: &'static Spec) -> Res<Vec<Values>> {
        let (params, spans) = written(self.call, spec)?;
        self.mark.params = spans;
        Ok(params)
    }

    /// The parameters of its only spec.
    pub fn own_params(&mut self) -> Res<Vec<Values>> {
        match WRAPS.iter().copied().find(|spec| spec.name == self.name) {
            Some(spec) => self.params(spec),
            None => Err(LangError::new(format!("there is no combinator `{}`", self.name))),
        }
    }
}
