//! The spans of kernel nodes, so that an error in a long fit still underlines `Per(2)`.

use std::collections::HashMap;

use crate::kernel::families::family;
use crate::kernel::{BindError, Cause, EvalError, Origin, Place};
use crate::lang::error::LangError;
use crate::lang::wording::{did_you_mean, nearest_column};
use crate::syntax::span::Span;

/// The spans of one node.
#[derive(Debug, Clone, Default)]
pub struct Mark {
    /// The whole call, or the bare name.
    pub whole: Span,
    /// One per written input, in order.
    pub inputs: Vec<Span>,
    /// One per parameter of the spec; `None` if it was not written.
    pub params: Vec<Option<Span>>,
    pub function: Option<Span>,
}

impl Mark {
    pub fn new(whole: Span) -> Self {
        Self { whole, ..Self::default() }
    }

    fn at(&self, place: Place) -> Span {
        let found = match place {
            Place::Node => None,
            Place::Input(i) => self.inputs.get(i).copied(),
            Place::Param(i) => self.params.get(i).copied().flatten(),
            Place::Function => self.function,
        };
        found.unwrap_or(self.whole)
    }
}

/// The marks of a session. A span that builds many kernels has one mark.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    marks: Vec<Mark>,
    known: HashMap<Span, u32>,
}

impl Origins {
    pub fn mark(&mut self, mark: Mark) -> Option<Origin> {
        if let Some(&at) = self.known.get(&mark.whole) {
            self.marks[at as usize] = mark;
            return Some(Origin(at));
        }
        let at = u32::try_from(self.marks.len()).ok()?;
        self.known.insert(mark.whole, at);
        self.marks.push(mark);
        Some(Origin(at))
    }

    /// The span of a node, if known.
    pub fn find(&self, origin: Option<Origin>, place: Place) -> Option<Span> {
        origin.and_then(|origin| self.marks.get(origin.0 as usize)).map(|mark| mark.at(place))
    }

    /// The error for a kernel that cannot be bound to data, with its span if known.
    pub fn bind_error(&self, error: &BindError) -> LangError {
        if error.cause == Cause::Stopped {
            return LangError::stopped();
        }
        let mut lang_error = LangError::new(error.cause.to_string());
        if let Cause::UnknownInput { input, known } = &error.cause
            && let Some(near) = nearest_column(input.trim_matches('`'), known.iter().map(String::as_str))
        {
            lang_error = lang_error.help(did_you_mean(near));
        }
        if let Cause::SeveralInputs { family, inputs } = &error.cause
            && let Some(first) = inputs.first()
        {
            lang_error = lang_error.help(match is_family(family) {
                true => format!("name the input of the kernel: `{family}({first})`"),
                false => "name the input of the kernel".into(),
            });
        }
        if let Cause::Embedded { family, .. } = &error.cause
            && is_family(family.trim_matches('`'))
        {
            let others = "SE, RQ, Matern and Lin can; other families go outside";
            lang_error = lang_error.help(format!("{others}: `periodic(SE(t), t) * {}(t)`", family.trim_matches('`')));
        }
        self.place(lang_error, error.origin, error.place)
    }

    pub fn eval_error(&self, error: &EvalError) -> LangError {
        let lang_error = LangError::new(error.to_string());
        match error {
            EvalError::Stopped => LangError::stopped(),
            EvalError::Rows { origin, place, .. } => self.place(lang_error, *origin, *place),
            EvalError::Columns { .. } | EvalError::Function { .. } => lang_error,
        }
    }

    /// Sets the span of an error to that of a node.
    pub fn place(&self, error: LangError, origin: Option<Origin>, place: Place) -> LangError {
        match self.find(origin, place) {
            Some(span) => error.at(span),
            None => error,
        }
    }
}

fn is_family(name: &str) -> bool {
    family(name).is_some()
}
