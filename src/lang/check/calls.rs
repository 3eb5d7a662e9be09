//! Checks of calls: their arguments, the kinds of their results, and calls that can be evaluated in advance.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::{Checker, Known};
use crate::lang::error::LangError;
use crate::lang::eval::arguments::{
    ArgShape, match_arguments, match_parameters, misfit, misfit_item, misspelt, piped_misfit,
};
use crate::lang::eval::combinators::PARAMETERS;
use crate::lang::eval::evaluator::{Entry, Evaluator, Globals};
use crate::lang::eval::host::Host;
use crate::lang::eval::unknown;
use crate::lang::registry;
use crate::lang::signature::{Group, Need, Signature, Want};
use crate::lang::values::value::{Kind, List, Value};
use crate::progress::Silent;
use crate::syntax::ast::{Arg, Expr, ExprKind, Lambda, UnaryOp};
use crate::syntax::free_names::free_names;
use crate::syntax::span::Span;

/// The free names of an expression.
fn mentioned(expr: &Expr) -> Vec<Arc<str>> {
    free_names(&Lambda { params: Vec::new(), body: expr.clone() })
}

impl Checker<'_> {
    pub(super) fn call(&mut self, callee: &Expr, piped: Option<(Known, Span)>, args: &[Arg], span: Span) -> Known {
        let before = self.found.len();
        let target = match &callee.node {
            ExprKind::Name(name) => self.target(name, callee.span),
            _ => self.expr(callee),
        };
        if self.found.len() > before {
            self.doubtful(args);
            return Known::Nothing;
        }
        let first = piped.iter().map(|(_, span)| ArgShape { name: None, span: *span });
        let shapes: Vec<ArgShape> =
            first.chain(args.iter().map(|arg| ArgShape { name: arg.name.as_ref(), span: arg.span })).collect();
        match target {
            Known::Entry(entry) => self.call_entry(entry, piped, args, &shapes, span),
            Known::Closure { name, params } => {
                if let Err(error) = match_parameters(&name, &params, &shapes, span) {
                    self.report(error, span);
                }
                for arg in args {
                    match &arg.value.node {
                        ExprKind::Name(word) if self.user(word).is_none() && registry::find(word).is_none() => {
                            let user = self.user_names();
                            let error = unknown::name(registry::library(), word, user.iter().map(|n| &**n));
                            let error = self.remark_on_order(word, error);
                            self.report(unknown::bare_argument(error, word, &name), arg.value.span);
                        }
                        _ => self.arguments(std::slice::from_ref(arg)),
                    }
                }
                Known::Nothing
            }
            Known::Columns(kind, _) | Known::Kind(kind) => {
                self.arguments(args);
                // Steps of a model can be called, a complete model cannot.
                if !kind.info().callable && kind != Kind::Model {
                    let error = LangError::new(format!("{} cannot be called", kind.noun()));
                    self.report(error.label(format!("this is {}", kind.noun())), callee.span);
                }
                Known::Nothing
            }
            Known::Nothing | Known::Data { .. } => {
                self.arguments(args);
                Known::Nothing
            }
        }
    }

    fn arguments(&mut self, args: &[Arg]) {
        for arg in args {
            self.expr(&arg.value);
        }
    }

    /// Whether an argument is read as an expression of columns.
    fn is_column_expression(&self, want: Want, expr: &Expr) -> bool {
        let literal = matches!(expr.node, ExprKind::Lambda(_) | ExprKind::Str(_) | ExprKind::Number(_));
        if want == Want::Row {
            return !literal;
        }
        let unknown = |name: &Arc<str>| self.user(name).is_none() && registry::find(name).is_none();
        let named = !literal && !matches!(expr.node, ExprKind::Name(_) | ExprKind::List(_));
        named && mentioned(expr).iter().any(unknown)
    }

    /// Any name in it may be a column, which is known only with the data.
    fn column_expression(&mut self, expr: &Expr) {
        let mark = self.locals.len();
        self.locals.extend(mentioned(expr).into_iter().map(|name| (name, Known::Nothing)));
        self.expr(expr);
        self.locals.truncate(mark);
    }

    /// The arguments of an invalid call: a bare word may have been meant as a column.
    fn doubtful(&mut self, args: &[Arg]) {
        for arg in args.iter().filter(|arg| !may_be_column(&arg.value)) {
            self.expr(&arg.value);
        }
    }

    /// What is known of a name before `(`.
    fn target(&mut self, name: &Arc<str>, span: Span) -> Known {
        let user = self.user(name);
        match (user, registry::find(name)) {
            (Some(known), _) if known.is_callable() => known,
            // Steps of a model hide a builtin, a complete model does not.
            (Some(known), _) if known.is_model() => Known::Nothing,
            (_, Some(entry)) => Known::Entry(entry),
            (Some(known), None) => {
                let noun = known.kind().map_or("a value", Kind::noun);
                self.report(LangError::new(format!("`{name}` is {noun}, which cannot be called")), span);
                Known::Nothing
            }
            (None, None) => {
                let user = self.user_names();
                let error = unknown::callee(registry::library(), name, user.iter().map(|n| &**n));
                self.report(self.remark_on_order(name, error), span);
                Known::Nothing
            }
        }
    }

    fn call_entry(
        &mut self,
        entry: &'static Entry,
        piped: Option<(Known, Span)>,
        args: &[Arg],
        shapes: &[ArgShape<'_>],
        span: Span,
    ) -> Known {
        let signature = &entry.signature;
        let places = match match_arguments(signature, shapes, span) {
            Ok(places) => places,
            Err(error) => {
                let wrong =
                    piped.as_ref().and_then(|(known, span)| Some((piped_misfit(signature, known.kind()?)?, *span)));
                let (error, span) = match wrong {
                    Some(wrong) => wrong,
                    None => (self.shifted(entry, args, piped.is_some(), span).unwrap_or(error), span),
                };
                self.report(error, span);
                self.doubtful(args);
                return signature.result.map_or(Known::Nothing, Known::Kind);
            }
        };
        let before = self.found.len();
        let constant = piped.is_none() && self.is_constant(entry, args, &places);
        let skip = usize::from(piped.is_some());
        // For each place, what is known of the last argument for it.
        let mut given: Vec<Known> = signature.places.iter().map(|_| Known::Nothing).collect();
        let mut columns = Vec::new();
        // the parameters of a function are names in it
        let given_names = args.iter().zip(&places[skip..]).filter(|&(_, &at)| {
            signature.places[at].name == PARAMETERS.name && signature.places[at].want == PARAMETERS.want
        });
        let parameters: Vec<Arc<str>> =
            given_names.filter_map(|(arg, _)| Some(arg.name.as_ref()?.node.clone())).collect();
        if let (Some((known, span)), Some(&place)) = (piped, places.first()) {
            if let Some(kind) = known.kind().filter(|kind| !signature.places[place].want.allows(*kind)) {
                self.report(misfit(signature, place, kind, None), span);
            }
            columns.extend_from_slice(known.columns());
            given[place] = known;
        }
        for (arg, &at) in args.iter().zip(&places[skip..]) {
            let want = signature.places[at].want;
            let is_word = want == Want::Word && matches!(arg.value.node, ExprKind::Name(_));
            if want.is_row() && self.is_column_expression(want, &arg.value) {
                self.column_expression(&arg.value);
                continue;
            }
            if is_word || (want.is_input() && self.column(&arg.value, &mut columns)) {
                continue;
            }
            if let (Want::Each(want), ExprKind::List(items)) = (want, &arg.value.node) {
                columns.extend(self.items(signature, at, *want, items, arg.value.span));
                continue;
            }
            let mark = self.locals.len();
            if matches!(arg.value.node, ExprKind::Lambda(_)) {
                self.locals.extend(parameters.iter().map(|name| (name.clone(), Known::Nothing)));
            }
            let known = self.expr(&arg.value);
            self.locals.truncate(mark);
            let literal = literal(&arg.value);
            let wrong = match (&literal, known.kind()) {
                (Some(value), _) => !want.admits(value),
                (None, Some(kind)) => !want.allows(kind),
                (None, None) => false,
            };
            if let (true, Some(kind)) = (wrong, literal.as_ref().map(Value::kind).or(known.kind())) {
                let error = misfit(signature, at, kind, literal.as_ref());
                self.report(misspelt(error, signature, at, arg.name.as_ref()), arg.value.span);
            }
            columns.extend_from_slice(known.columns());
            given[at] = known;
        }
        if constant && self.found.len() == before {
            self.try_out(entry, args, span);
        }
        self.result(entry, args, given, columns)
    }

    /// Checks a list whose items are checked one by one. Returns the columns that they name.
    fn items(
        &mut self,
        signature: &Signature,
        place: usize,
        want: Want,
        items: &[Expr],
        span: Span,
    ) -> Vec<(Arc<str>, Span)> {
        let mut columns = Vec::new();
        if items.is_empty() {
            let empty = Value::List(List::default());
            self.report(misfit(signature, place, Kind::List, Some(&empty)), span);
        }
        for item in items {
            let known = self.expr(item);
            columns.extend_from_slice(known.columns());
            let (known, literal) = (known.kind(), literal(item));
            let wrong = match (&literal, known) {
                (Some(value), _) => !want.admits(value),
                (None, Some(kind)) => !want.allows(kind),
                (None, None) => false,
            };
            if let (true, Some(kind)) = (wrong, literal.as_ref().map(Value::kind).or(known)) {
                self.report(misfit_item(signature, place, want, kind, literal.as_ref()), item.span);
            }
        }
        columns
    }

    /// If an argument is missing, checks whether it is an earlier one: the first argument does not fit its place but
    /// fits the next. `fit(SE)` lacks the data and not the model.
    fn shifted(&mut self, entry: &'static Entry, args: &[Arg], piped: bool, span: Span) -> Option<LangError> {
        let signature = &entry.signature;
        let [Arg { name: None, value, .. }] = args else { return None };
        let [first, second, ..] = signature.places.as_slice() else { return None };
        if piped || first.need != Need::Required || second.need != Need::Required || may_be_column(value) {
            return None;
        }
        let kind = match literal(value) {
            Some(value) => value.kind(),
            None => self.expr(value).kind()?,
        };
        let shifted = !first.want.allows(kind) && second.want.allows(kind);
        shifted.then(|| {
            LangError::new(format!("`{}` needs `{}`, found {} alone", signature.name, first.name, kind.noun()))
                .label(format!("{} is missing here", first.want.noun()))
                .help(format!("write `{}`", signature.shown()))
                .at(span)
        })
    }

    /// What is known of the result of a call, given its arguments.
    fn result(
        &mut self,
        entry: &'static Entry,
        args: &[Arg],
        given: Vec<Known>,
        columns: Vec<(Arc<str>, Span)>,
    ) -> Known {
        let signature = &entry.signature;
        let place = |name: &str| signature.place(name).and_then(|i| given.get(i));
        if let (Some(Known::Data { inputs, target }), Some(model)) = (place("data"), place("model")) {
            self.unknown_columns(model.columns(), inputs, target.as_deref());
        }
        // base kernels and inputs name columns of the searched data
        if let ("search", Some(Known::Data { inputs, target })) = (signature.name, place("data")) {
            self.unknown_columns(&columns, inputs, target.as_deref());
        }
        match (signature.result, signature.name) {
            // results of a deep GP have other kinds
            (_, "fit") if place("model").and_then(Known::kind) == Some(Kind::DeepModel) => Known::Kind(Kind::DeepFit),
            // a file has a fit of either kind
            (_, "load_fit") => Known::Nothing,
            (_, "predict") if place("fit").and_then(Known::kind) == Some(Kind::DeepFit) => Known::Kind(Kind::Table),
            (Some(kind @ (Kind::Kernel | Kind::Model)), _) => Known::Columns(kind, Arc::new(columns)),
            (Some(Kind::Data), "load") => shipped(args).unwrap_or(Known::Kind(Kind::Data)),
            // These do not change the columns.
            (Some(Kind::Data), "head" | "where" | "dropna") => {
                place("data").cloned().unwrap_or(Known::Kind(Kind::Data))
            }
            (result, _) => result.map_or(Known::Nothing, Known::Kind),
        }
    }

    fn unknown_columns(&mut self, columns: &[(Arc<str>, Span)], inputs: &[String], target: Option<&str>) {
        for (column, span) in columns {
            if !inputs.iter().any(|input| **input == **column) {
                self.report(unknown::input(column, inputs, target), *span);
            }
        }
    }

    /// Whether a call depends on nothing that is known only at run time, so that it can be evaluated in advance.
    fn is_constant(&self, entry: &Entry, args: &[Arg], places: &[usize]) -> bool {
        let pure = entry.is_family() || entry.signature.group == Group::Parameters && entry.signature.name != "param";
        let constant = |(arg, &place): (&Arg, &usize)| {
            let input = entry.signature.places[place].want.is_input();
            self.constant(&arg.value, input)
        };
        pure && args.iter().zip(places).all(constant)
    }

    fn constant(&self, expr: &Expr, input: bool) -> bool {
        match &expr.node {
            ExprKind::Number(_) | ExprKind::Str(_) | ExprKind::Bool(_) => true,
            ExprKind::Name(name) => input && self.user(name).is_none(),
            ExprKind::Unary { op, operand } => op.node == UnaryOp::Neg && self.constant(operand, false),
            ExprKind::List(items) => items.iter().all(|item| self.constant(item, input)),
            ExprKind::Prior { value, prior } => {
                value.as_ref().is_none_or(|value| self.constant(value, false)) && self.constant(prior, false)
            }
            ExprKind::Call { callee, args } => match &callee.node {
                ExprKind::Name(name) if self.user(name).is_none() => match registry::find(name) {
                    Some(entry) if entry.signature.group == Group::Parameters && entry.signature.name != "param" => {
                        args.iter().all(|arg| self.constant(&arg.value, false))
                    }
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    /// Evaluates a call that depends on nothing else; an error now would also occur at run time.
    fn try_out(&mut self, entry: &'static Entry, args: &[Arg], span: Span) {
        let (globals, mut host, mut out) = (Globals::new(), Host::default(), |_| {});
        let mut eval = Evaluator::new(registry::library(), &mut host, &globals, &Silent, &mut out);
        if let Err(error) = eval.call_entry(entry, None, args, span) {
            self.report(error, span);
        }
    }

    /// Whether an argument for a place of kind Input is a bare word, or a list that contains one; its other parts are
    /// checked. Collects names of columns.
    fn column(&mut self, expr: &Expr, columns: &mut Vec<(Arc<str>, Span)>) -> bool {
        match &expr.node {
            ExprKind::Name(name) => {
                let kind = self.user(name).map(|known| known.kind());
                let may_be_input = |kind| matches!(kind, Kind::Number | Kind::String | Kind::List | Kind::Range);
                if kind.is_none_or(|kind| kind.is_some_and(|kind| !may_be_input(kind))) {
                    columns.push((name.clone(), expr.span));
                }
                true
            }
            ExprKind::Str(name) => {
                columns.push((name.clone(), expr.span));
                true
            }
            ExprKind::List(items) => {
                for item in items {
                    if !self.column(item, columns) {
                        self.expr(item);
                    }
                }
                true
            }
            _ => false,
        }
    }
}

/// The inputs of a shipped data set that is loaded by its name only.
fn shipped(args: &[Arg]) -> Option<Known> {
    let [Arg { name: None, value, .. }] = args else {
        return None;
    };
    let ExprKind::Str(name) = &value.node else {
        return None;
    };
    crate::data::sets::find(name)?;
    // An editor checks a script after every change: each set is read once.
    static READ: LazyLock<Mutex<HashMap<Arc<str>, Known>>> = LazyLock::new(Mutex::default);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = read.get(name) {
        return Some(known.clone());
    }
    let data = crate::data::load(name, &[], &crate::data::Options::default()).ok()?;
    let known = Known::of(&Value::Data(Arc::new(data)));
    read.insert(name.clone(), known.clone());
    Some(known)
}

fn may_be_column(expr: &Expr) -> bool {
    matches!(expr.node, ExprKind::Name(_) | ExprKind::List(_))
}

/// The value of a literal.
fn literal(expr: &Expr) -> Option<Value> {
    match &expr.node {
        ExprKind::Number(x) => Some(Value::Number(*x)),
        ExprKind::Str(text) => Some(Value::Str(text.clone())),
        ExprKind::Bool(b) => Some(Value::Bool(*b)),
        ExprKind::Unary { op, operand } if op.node == UnaryOp::Neg => match operand.node {
            ExprKind::Number(x) => Some(Value::Number(-x)),
            _ => None,
        },
        _ => None,
    }
}
