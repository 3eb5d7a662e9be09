//! Calls: the callee, arguments evaluated according to their places, pipes and chains.

use std::sync::Arc;

use super::arguments::{ArgShape, match_arguments, match_parameters, misfit, misfit_item, misspelt, piped_misfit};
use super::evaluator::{Call, Entry, Evaluator};
use super::host::Item;
use super::unknown;
use crate::lang::error::{LangError, Res};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::signature::{Need, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::function_source;
use crate::lang::values::value::{Closure, Function, ListBuilder, Value};
use crate::syntax::ast::{Arg, BinaryOp, Expr, ExprKind, Name};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::{Span, Spanned};

/// The callee of a call.
enum Target {
    Entry(&'static Entry),
    Value(Value),
}

impl Evaluator<'_> {
    /// `callee(args)`, with a piped value as the first argument.
    pub fn call(&mut self, callee: &Expr, piped: Option<Spanned<Value>>, args: &[Arg], span: Span) -> Res<Value> {
        match self.target(callee)? {
            Target::Entry(entry) => self.call_entry(entry, piped, args, span),
            Target::Value(Value::Function(function)) => match function {
                Function::Known(known) => self.call_entry(self.entry(known)?, piped, args, span),
                Function::Closure(closure) => self.call_closure(&closure, piped, args, span),
                Function::Steps(_) => {
                    let values = self.positional(piped, args, "a chain of functions")?;
                    self.apply(&function, values, span)
                }
            },
            Target::Value(Value::Kernel(kernel)) => {
                let values = self.positional(piped, args, "a kernel")?;
                self.kernel_at(&kernel, values).map_err(|t| t.at(span))
            }
            Target::Value(Value::Model(pipeline)) => {
                let data = match self.positional(piped, args, "a pipeline")?.as_slice() {
                    [Value::Data(data)] => data.clone(),
                    _ => return Err(LangError::new("a pipeline is applied to one data set").at(span)),
                };
                if pipeline.gp.is_some() {
                    return Err(LangError::new("a model is fitted with `fit`")
                        .label("this is a model")
                        .help("write `data |> fit(model)`")
                        .at(callee.span));
                }
                pipeline.applied(&data).map(|made| Value::Data(Arc::new(made))).map_err(|t| t.at(span))
            }
            Target::Value(other) => Err(LangError::new(format!("{} cannot be called", other.kind().noun()))
                .label(format!("this is {}", other.kind().noun()))
                .at(callee.span)),
        }
    }

    /// In call position, a builtin is found even if the user has bound its name to a value that cannot be called.
    fn target(&mut self, callee: &Expr) -> Res<Target> {
        let ExprKind::Name(name) = &callee.node else {
            return self.eval(callee).map(Target::Value);
        };
        let user = self.bound_value(name);
        match (user, self.library.find(name)) {
            (Some(value), _) if value.is_callable() => Ok(Target::Value(value)),
            (_, Some(entry)) => Ok(Target::Entry(entry)),
            (Some(value @ Value::Model(_)), None) => Ok(Target::Value(value)),
            (Some(value), None) => {
                Err(LangError::new(format!("`{name}` is {}, which cannot be called", value.kind().noun()))
                    .at(callee.span))
            }
            (None, None) => {
                Err(unknown::callee(self.library, name, self.globals().keys().map(|n| &**n)).at(callee.span))
            }
        }
    }

    fn positional(&mut self, piped: Option<Spanned<Value>>, args: &[Arg], what: &str) -> Res<Vec<Value>> {
        let mut values: Vec<Value> = piped.into_iter().map(|p| p.node).collect();
        for arg in args {
            if let Some(name) = &arg.name {
                return Err(LangError::new(format!("{what} takes no arguments by name")).at(name.span));
            }
            values.push(self.eval(&arg.value)?);
        }
        Ok(values)
    }

    /// A call of an entry of the language.
    pub fn call_entry(
        &mut self,
        entry: &'static Entry,
        piped: Option<Spanned<Value>>,
        args: &[Arg],
        span: Span,
    ) -> Res<Value> {
        let signature = &entry.signature;
        let places = match_arguments(signature, &shapes(&piped, args), span).map_err(|error| match &piped {
            Some(piped) => match piped_misfit(signature, piped.node.kind()) {
                Some(misfit) => misfit.at(piped.span),
                None => error,
            },
            None => error,
        })?;
        let mut values = Vec::with_capacity(places.len());
        let mut parts = Vec::new();
        values.extend(piped.map(|value| (None, value)));
        for (arg, &place) in args.iter().zip(&places[values.len()..]) {
            if let ExprKind::List(items) = &arg.value.node {
                parts.push((place, items.iter().map(|item| item.span).collect()));
            }
            let value = if let (Want::Word, ExprKind::Name(name)) = (signature.places[place].want, &arg.value.node) {
                Value::Str(name.clone())
            } else if signature.places[place].want == Want::Row {
                let data = values.iter().find_map(|(_, value): &(_, Spanned<Value>)| match &value.node {
                    Value::Data(data) => Some(data.clone()),
                    _ => None,
                });
                self.column_expression(&arg.value, data.as_deref())?
            } else if signature.places[place].want.is_row()
                && !matches!(arg.value.node, ExprKind::Name(_))
                && self.names_columns(&arg.value)
            {
                self.column_expression(&arg.value, None)?
            } else if signature.places[place].want.is_input() {
                self.input(&arg.value, signature.places[place].want)?
            } else {
                self.eval(&arg.value)?
            };
            values.push((arg.name.as_ref(), Spanned::new(value, arg.value.span)));
        }
        self.run(entry, values, &places, parts, span)
    }

    fn run(
        &mut self,
        entry: &'static Entry,
        values: Vec<(Option<&Name>, Spanned<Value>)>,
        places: &[usize],
        parts: Vec<(usize, Vec<Span>)>,
        span: Span,
    ) -> Res<Value> {
        let signature = &entry.signature;
        let mut call = Call {
            eval: self,
            entry,
            signature,
            span,
            args: (0..signature.places.len()).map(|_| None).collect(),
            taken: Vec::new(),
            many: Vec::new(),
            parts,
            keywords: Vec::new(),
        };
        for ((name, value), &at) in values.into_iter().zip(places) {
            let place = &signature.places[at];
            if !place.want.admits(&value.node) {
                if let (Want::Each(want), Value::List(list)) = (place.want, &value.node)
                    && let Some(bad) = list.items().iter().position(|item| !want.admits(item))
                {
                    let item = &list.items()[bad];
                    let spans = call.parts.iter().find(|(place, _)| *place == at).map(|(_, spans)| spans);
                    let span = spans.and_then(|spans| spans.get(bad)).copied().unwrap_or(value.span);
                    return Err(misfit_item(signature, at, *want, item.kind(), Some(item)).at(span));
                }
                let error = misfit(signature, at, value.node.kind(), Some(&value.node));
                return Err(misspelt(error, signature, at, name).at(value.span));
            }
            let value = match value.node {
                Value::Search(search) if place.want.takes_best() => {
                    Spanned::new(Value::Fit(search.best.clone()), value.span)
                }
                node => Spanned::new(node, value.span),
            };
            match (place.need, name) {
                (Need::Many, _) => call.many.push(value),
                (Need::Keywords(_), Some(name)) => call.keywords.push((name.clone(), value)),
                _ => call.args[at] = Some(value),
            }
        }
        let spans: Vec<Span> = signature.places.iter().map(|place| call.span_of(place.name)).collect();
        (entry.run)(&mut call).map_err(|error| {
            let at_argument =
                error.argument_name().and_then(|name| signature.places.iter().position(|p| p.name == name));
            error.at(at_argument.map_or(span, |i| spans[i]))
        })
    }

    fn call_closure(
        &mut self,
        closure: &Arc<Closure>,
        piped: Option<Spanned<Value>>,
        args: &[Arg],
        span: Span,
    ) -> Res<Value> {
        let params = closure.signature();
        let places = match_parameters(closure.shown_name(), &params, &shapes(&piped, args), span)
            .map_err(|t| t.or_help(|| format!("it is `{}`", function_source::shown(closure))))?;
        let mut values: Vec<Option<Value>> = (0..params.len()).map(|_| None).collect();
        let mut places = places.into_iter();
        if let (Some(piped), Some(place)) = (piped, if args.len() < places.len() { places.next() } else { None }) {
            values[place] = Some(piped.node);
        }
        for (arg, place) in args.iter().zip(places) {
            let value = self.eval(&arg.value).map_err(|error| match &arg.value.node {
                ExprKind::Name(word) if self.bound_value(word).is_none() && self.library.find(word).is_none() => {
                    unknown::bare_argument(error, word, closure.shown_name())
                }
                _ => error,
            })?;
            values[place] = Some(value);
        }
        self.enter(closure, values, span).map_err(|t| t.called(span, "called here"))
    }

    /// Calls a function value with values.
    pub fn apply(&mut self, function: &Function, args: Vec<Value>, span: Span) -> Res<Value> {
        let shapes: Vec<ArgShape> = args.iter().map(|_| ArgShape { name: None, span }).collect();
        match function {
            Function::Closure(closure) => {
                let params = closure.signature();
                match_parameters(closure.shown_name(), &params, &shapes, span)
                    .map_err(|t| t.or_help(|| format!("it is `{}`", function_source::shown(closure))))?;
                let mut values: Vec<Option<Value>> = args.into_iter().map(Some).collect();
                values.resize_with(params.len(), || None);
                self.enter(closure, values, span).map_err(|t| t.called(span, "called here"))
            }
            Function::Known(known) => {
                let entry = self.entry(*known)?;
                let places = match_arguments(&entry.signature, &shapes, span)?;
                let values = args.into_iter().map(|value| (None, Spanned::new(value, span))).collect();
                self.run(entry, values, &places, Vec::new(), span)
            }
            Function::Steps(steps) => {
                let mut args = args;
                for step in steps.iter() {
                    args = vec![self.apply(step, args, span)?];
                }
                args.pop().ok_or_else(|| LangError::new("a chain of functions without a function"))
            }
        }
    }

    /// `a |> f |> g(x)`.
    pub fn pipes(&mut self, first: &Expr, rest: &[(Spanned<BinaryOp>, Expr)]) -> Res<Value> {
        let mut value = self.eval(first)?;
        let mut span = first.span;
        for (_, step) in rest {
            let piped = Some(Spanned::new(value, span));
            let whole = span.to(step.span);
            value = match &step.node {
                ExprKind::Call { callee, args } => self.call(callee, piped, args, step.span)?,
                _ => self.call(step, piped, &[], step.span)?,
            };
            span = whole;
        }
        Ok(value)
    }

    /// `f >> g`.
    pub fn steps(&mut self, first: &Expr, rest: &[(Spanned<BinaryOp>, Expr)]) -> Res<Value> {
        let mut parts = Vec::new();
        for part in std::iter::once(first).chain(rest.iter().map(|(_, part)| part)) {
            parts.push((self.step(part)?, part.span));
        }
        if parts.iter().any(|(value, _)| is_model(value)) {
            return self.model_steps(parts);
        }
        let mut steps = Vec::new();
        for (value, span) in parts {
            match value {
                Value::Function(Function::Steps(inner)) => steps.extend(inner.iter().cloned()),
                Value::Function(function) => steps.push(function),
                other => return Err(expected("a function or a step of a model beside `>>`", &other).at(span)),
            }
        }
        Ok(Value::Function(Function::Steps(steps.into())))
    }

    /// Steps, and possibly a process: `standardize >> gp(SE)`. The bare name of a data operation is the step without
    /// arguments.
    fn model_steps(&mut self, mut parts: Vec<(Value, Span)>) -> Res<Value> {
        let mut made = Pipeline::default();
        let deep = parts.pop_if(|(value, _)| matches!(value, Value::DeepModel(_)));
        for (value, span) in parts {
            let value = match value {
                Value::Function(function @ Function::Known(_)) => self.apply(&function, Vec::new(), span)?,
                Value::Function(Function::Steps(steps)) => {
                    let parts = steps.iter().map(|step| (Value::Function(step.clone()), span)).collect();
                    self.model_steps(parts)?
                }
                other => other,
            };
            made = made.then(Pipeline::from_value(value).map_err(|t| t.at(span))?).map_err(|t| t.at(span))?;
        }
        let Some((Value::DeepModel(model), span)) = deep else { return Ok(Value::Model(Arc::new(made))) };
        if made.gp.is_some() {
            let error = LangError::new("a model has one process: `gp` or `deepgp` comes last, after the steps");
            return Err(error.at(span));
        }
        let mut model = (*model).clone();
        model.steps.splice(0..0, made.steps);
        Ok(Value::DeepModel(Arc::new(model)))
    }

    /// An operand of `>>`, resolved as a callee.
    fn step(&mut self, part: &Expr) -> Res<Value> {
        match &part.node {
            ExprKind::Name(_) => match self.target(part) {
                Ok(Target::Entry(entry)) => Ok(entry.as_value()),
                Ok(Target::Value(value)) => Ok(value),
                Err(_) => self.eval(part),
            },
            _ => self.eval(part),
        }
    }

    /// A value for a place of kind Input: a bare word is the name of a column, unless the user has bound it to a
    /// number, a string or a list of these.
    pub fn input(&mut self, expr: &Expr, want: Want) -> Res<Value> {
        match &expr.node {
            ExprKind::Name(name) => {
                if let Some((value @ (Value::Param(_) | Value::Dist(_)), _)) = self.user(name)
                    && want.admits(value)
                {
                    return Ok(value.clone());
                }
                let found = self.user(name).filter(|(value, _)| is_input(value)).map(|(v, g)| (v.clone(), g));
                match found {
                    Some((value, global)) => {
                        if global && self.host.noted.insert(name.clone()) {
                            let text = format!(
                                "`{name}` is read as the value that you gave it, {}",
                                excerpt(value.to_string())
                            );
                            let note = Diagnostic::remark(text).label(expr.span, "here");
                            self.emit(Item::Diagnostic(
                                note.help(format!("write \"{name}\" for a column of that name")),
                            ));
                        }
                        Ok(value)
                    }
                    None => Ok(Value::Str(name.clone())),
                }
            }
            ExprKind::List(items) => {
                let mut list = ListBuilder::default();
                for item in items {
                    list.push(self.input(item, Want::Input)?)?;
                }
                Ok(Value::List(list.finish()))
            }
            _ => self.eval(expr),
        }
    }
}

/// Whether a value acts as a model in a chain of steps.
fn is_model(value: &Value) -> bool {
    matches!(value, Value::Model(_) | Value::Kernel(_) | Value::Fit(_) | Value::Search(_) | Value::DeepModel(_))
}

/// The beginning of a text, for a message of one line.
fn excerpt(text: String) -> String {
    const LONG: usize = 40;
    if text.chars().count() <= LONG { text } else { text.chars().take(LONG).chain(" …".chars()).collect() }
}

/// Whether a value can select inputs.
fn is_input(value: &Value) -> bool {
    match value {
        Value::Number(_) | Value::Str(_) | Value::Range(_) => true,
        Value::List(list) => list.items().iter().all(|v| matches!(v, Value::Number(_) | Value::Str(_))),
        _ => false,
    }
}

fn shapes<'s>(piped: &Option<Spanned<Value>>, args: &'s [Arg]) -> Vec<ArgShape<'s>> {
    let first = piped.iter().map(|p| ArgShape { name: None, span: p.span });
    first.chain(args.iter().map(|arg| ArgShape { name: arg.name.as_ref(), span: arg.span })).collect()
}
