//! Users' functions of the rows, as the kernel room calls them: for one row, on any thread, with derivatives.

use std::fmt;
use std::sync::Arc;

use super::dual::variable;
use super::evaluator::{Evaluator, Globals, Library};
use super::host::Host;
use super::tangents::{self, Term};
use crate::kernel::{Cell, FunctionError, FunctionParameter, RowFunction, Slope, Values};
use crate::lang::error::{LangError, Res};
use crate::lang::numerals::number;
use crate::lang::values::cast::FromValue;
use crate::lang::values::function_source;
use crate::lang::values::value::{Closure, Function, List, Value};
use crate::lang::wording::nearest;
use crate::param::Param;
use crate::progress::{Progress, StopHandle};
use crate::syntax;
use crate::syntax::ast::Name;
use crate::syntax::free_names::free_names;
use crate::syntax::span::{Span, Spanned};

/// A function of rows, and the values of its parameters with their spans.
type WithValues = (Arc<dyn RowFunction>, Vec<(Values, Span)>);

/// A user's function of one row. Names in its body may be parameters.
pub struct UserRows {
    function: Function,
    parameters: Vec<FunctionParameter>,
    globals: Arc<Globals>,
    library: &'static dyn Library,
    stop: StopHandle,
}

impl UserRows {
    /// Captures the session's bindings, for functions that mention names bound after them. Such a function has no
    /// access to files, because it may run any number of times on any thread.
    pub fn shared(function: Function, eval: &Evaluator<'_>) -> Arc<dyn RowFunction> {
        Arc::new(Self::new(function, Vec::new(), eval))
    }

    fn new(function: Function, parameters: Vec<FunctionParameter>, eval: &Evaluator<'_>) -> Self {
        Self {
            function,
            parameters,
            globals: Arc::new(eval.globals().clone()),
            library: eval.library.pure(),
            stop: eval.progress.stop_handle(),
        }
    }

    /// The same for a function with parameters: those given by name, and names that the user has bound to a parameter
    /// with `param`. Returns their values too, with their spans.
    ///
    /// # Errors
    /// A name that the function does not mention, or a value that is no parameter.
    pub fn with_parameters(
        function: Function,
        given: Vec<(Name, Spanned<Value>)>,
        eval: &Evaluator<'_>,
    ) -> Res<WithValues> {
        let Function::Closure(closure) = &function else {
            return match given.first() {
                None => Ok((Self::shared(function, eval), Vec::new())),
                Some((name, _)) => Err(LangError::new(format!("`{}` is not a name in the function", name.node))
                    .help("a function with parameters is written with its argument: `x -> cos(a * x)`")
                    .at(name.span)),
            };
        };
        let free = free_names(&closure.lambda);
        let mut parameters: Vec<FunctionParameter> = Vec::new();
        let mut values = Vec::new();
        for (name, value) in given {
            if parameters.iter().any(|p| p.name == name.node) {
                return Err(LangError::new(format!("`{}` is given twice", name.node)).at(name.span));
            }
            if !free.contains(&name.node) {
                return Err(unmentioned(&name, closure, &free));
            }
            let written = written(value.node).map_err(|t| t.at(value.span))?;
            parameters.push(FunctionParameter { name: name.node, length: length(&written) });
            values.push((written, value.span));
        }
        for (name, value) in &closure.captured {
            if let (Value::Param(_), false) = (value, parameters.iter().any(|p| p.name == *name)) {
                parameters.push(FunctionParameter { name: name.clone(), length: None });
                values.push((written(value.clone())?, closure.lambda.body.span));
            }
        }
        if parameters.is_empty() {
            return Ok((Self::shared(function, eval), Vec::new()));
        }
        let others = closure.captured.iter().filter(|(name, _)| parameters.iter().all(|p| p.name != *name));
        let closure = Closure::new(closure.lambda.clone(), closure.name.clone(), others.cloned().collect());
        let rows = Self::new(Function::Closure(Arc::new(closure)), parameters, eval);
        Ok((Arc::new(rows), values))
    }
}

/// A parameter of a function as written: a number, or a list.
fn written(value: Value) -> Res<Values> {
    match value {
        Value::List(list) if list.is_empty() => {
            Err(LangError::new("a parameter that is a list needs at least one number"))
        }
        Value::List(list) => {
            list.items().iter().map(|item| Param::from_value(item.clone())).collect::<Res<_>>().map(Values::Each)
        }
        value => Param::from_value(value).map(Values::One),
    }
}

fn length(values: &Values) -> Option<usize> {
    match values {
        Values::One(_) => None,
        Values::Each(all) => Some(all.len()),
    }
}

fn unmentioned(name: &Name, closure: &Closure, free: &[Arc<str>]) -> LangError {
    if closure.lambda.params.iter().any(|p| p.name.node == name.node) {
        let text = format!("`{}` is the argument of the function, so it cannot be a parameter too", name.node);
        return LangError::new(text).at(name.span).help("give the parameter another name");
    }
    let error = LangError::new(format!("the function does not mention `{}`", name.node)).at(name.span);
    match nearest(&name.node, free.iter().map(|name| &**name)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("a parameter of a function is given by its name in it: `warp(SE, x -> cos(a * x), a=1)`"),
    }
}

impl fmt::Debug for UserRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source())
    }
}

impl RowFunction for UserRows {
    fn source(&self) -> String {
        function_source::expression(&self.function)
    }

    fn parameters(&self) -> &[FunctionParameter] {
        &self.parameters
    }

    fn apply(&self, row: &[Cell<'_>], theta: &[f64]) -> Result<Vec<f64>, FunctionError> {
        if self.stop.stop() {
            return Err(FunctionError::Stopped);
        }
        self.apply_row(row, theta).map_err(failure)
    }

    fn slopes(&self, row: &[Cell<'_>], theta: &[f64]) -> Result<Vec<Slope>, FunctionError> {
        if self.stop.stop() {
            return Err(FunctionError::Stopped);
        }
        self.slopes_of_row(row, theta).map_err(failure)
    }
}

fn failure(error: LangError) -> FunctionError {
    match error.is_stop() {
        true => FunctionError::Stopped,
        false => FunctionError::Failed(error.message().to_owned()),
    }
}

impl UserRows {
    /// Whether the entries of a row are arguments of their own: a single parameter receives the entry or the list of
    /// the row; several receive one entry each.
    fn takes_entries(&self, row: &[Cell<'_>]) -> bool {
        row.len() == 1 || matches!(&self.function, Function::Closure(closure) if closure.lambda.params.len() > 1)
    }

    /// Rejects another number of values than the parameters have.
    fn check(&self, theta: &[f64]) -> Res<()> {
        let expected: usize = self.parameters.iter().map(FunctionParameter::count).sum();
        match theta.len() == expected {
            true => Ok(()),
            false => Err(LangError::new(format!("the function has {expected} parameters, found {}", theta.len()))),
        }
    }

    /// Each parameter with its place among the numbers.
    fn places(&self) -> impl Iterator<Item = (&FunctionParameter, std::ops::Range<usize>)> {
        let mut start = 0;
        self.parameters.iter().map(move |parameter| {
            start += parameter.count();
            (parameter, start - parameter.count()..start)
        })
    }

    /// The function with these values of its parameters.
    fn at(&self, theta: &[f64]) -> Res<Function> {
        let (Function::Closure(closure), false) = (&self.function, self.parameters.is_empty()) else {
            return Ok(self.function.clone());
        };
        self.check(theta)?;
        let mut captured = closure.captured.clone();
        for (parameter, place) in self.places() {
            let value = match parameter.length {
                None => Value::Number(theta[place.start]),
                Some(_) => Value::List(List::collect(theta[place].iter().map(|x| Ok(Value::Number(*x))))?),
            };
            captured.push((parameter.name.clone(), value));
        }
        Ok(Function::Closure(Arc::new(Closure::new(closure.lambda.clone(), closure.name.clone(), captured))))
    }

    fn apply_row(&self, row: &[Cell<'_>], theta: &[f64]) -> Res<Vec<f64>> {
        let values = row.iter().map(|cell| match cell {
            Cell::Number(x) => Value::Number(*x),
            Cell::Category(text) => Value::str(*text),
        });
        let args = match self.takes_entries(row) {
            true => values.collect(),
            false => vec![Value::List(List::collect(values.map(Ok))?)],
        };
        let function = self.at(theta)?;
        let (mut host, mut out) = (Host::default(), |_| {});
        let value = syntax::shallow(|| {
            Evaluator::new(self.library, &mut host, &self.globals, &self.stop, &mut out).apply(
                &function,
                args,
                Span::default(),
            )
        })?;
        let found = match &value {
            Value::List(list) => match list.items().iter().find(|item| !matches!(item, Value::Number(_))) {
                Some(item) => format!("a list with {}", item.kind().noun()),
                None => value.kind().noun().to_string(),
            },
            _ => value.kind().noun().to_string(),
        };
        let numbers = Vec::<f64>::from_value(value).map_err(|_| {
            LangError::new(format!("the function must return a number or a list of numbers, and returns {found}"))
        })?;
        match numbers.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(LangError::new(format!("the function gives {}", number(*x)))),
            None => Ok(numbers),
        }
    }

    fn slopes_of_row(&self, row: &[Cell<'_>], theta: &[f64]) -> Res<Vec<Slope>> {
        self.check(theta)?;
        let n = theta.len() + row.len();
        let parameter = |(parameter, place): (&FunctionParameter, std::ops::Range<usize>)| {
            let one = |i: usize| Term::Number(variable(theta[i], i, n));
            let term = match parameter.length {
                None => one(place.start),
                Some(_) => Term::List(Arc::new(place.map(one).collect())),
            };
            (parameter.name.clone(), term)
        };
        let given = self.places().map(parameter).collect();
        let entry = |(i, cell): (usize, &Cell<'_>)| match cell {
            Cell::Number(x) => Term::Number(variable(*x, theta.len() + i, n)),
            Cell::Category(text) => Term::Plain(Value::str(*text)),
        };
        let entries: Vec<Term> = row.iter().enumerate().map(entry).collect();
        let args = if self.takes_entries(row) { entries } else { vec![Term::List(Arc::new(entries))] };
        let (mut host, mut out) = (Host::default(), |_| {});
        syntax::shallow(|| {
            let mut eval = Evaluator::new(self.library, &mut host, &self.globals, &self.stop, &mut out);
            tangents::call(&mut eval, &self.function, given, args)?.numbers()
        })
    }
}
