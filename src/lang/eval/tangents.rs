//! Derivatives of users' functions by forward differentiation.
//!
//! A second evaluator, for functions of numbers: the variables are numbers with derivatives ([`super::dual`]), and what
//! does not depend on them is left to the ordinary evaluator. It knows arithmetic, `if`, lists, comprehensions, users'
//! functions and the functions of numbers; another function of a variable is an error that names it.

use std::sync::Arc;

use super::arguments::{ArgShape, match_parameters};
use super::dual;
use super::evaluator::Evaluator;
use super::operators;
use crate::kernel::Slope;
use crate::lang::error::{LangError, Res};
use crate::lang::values::value::{Closure, Function, List, Value};
use crate::syntax::ast::{Arg, BinaryOp, Clause, Expr, ExprKind, Lambda, UnaryOp};
use crate::syntax::free_names::free_names;
use crate::syntax::span::Span;

/// A value that may depend on the variables.
#[derive(Clone)]
pub enum Term {
    Plain(Value),
    Number(Slope),
    List(Arc<Vec<Term>>),
    /// A function written inside the function, with the names around it.
    Function(Arc<Inner>),
}

pub struct Inner {
    lambda: Arc<Lambda>,
    scope: Scope,
}

/// The names that a body can use beside those of the session.
#[derive(Clone, Default)]
struct Scope {
    names: Vec<(Arc<str>, Term)>,
    closure: Option<Arc<Closure>>,
}

impl Term {
    /// Whether it depends on no variable.
    fn is_plain(&self) -> bool {
        match self {
            Term::Plain(_) => true,
            Term::Number(slope) => slope.by.is_empty(),
            Term::List(items) => items.iter().all(Term::is_plain),
            Term::Function(inner) => inner.scope.names.iter().all(|(_, term)| term.is_plain()),
        }
    }

    fn number(&self) -> Option<Slope> {
        match self {
            Term::Plain(Value::Number(x)) => Some(dual::constant(*x)),
            Term::Number(slope) => Some(slope.clone()),
            _ => None,
        }
    }

    fn items(&self) -> Option<Vec<Term>> {
        match self {
            Term::Plain(value) => value.items().map(|items| items.map(Term::Plain).collect()),
            Term::List(items) => Some(items.to_vec()),
            Term::Number(_) | Term::Function(_) => None,
        }
    }

    /// Its value without derivatives; `None` for a function inside the function.
    fn value(&self) -> Option<Value> {
        match self {
            Term::Plain(value) => Some(value.clone()),
            Term::Number(slope) => Some(Value::Number(slope.value)),
            Term::List(items) => {
                let items = items.iter().map(|item| item.value().ok_or_else(|| LangError::new("a function")));
                List::collect(items).ok().map(Value::List)
            }
            Term::Function(_) => None,
        }
    }

    /// The numbers of a result: one, or a list.
    pub fn numbers(&self) -> Res<Vec<Slope>> {
        let one = |term: &Term| {
            term.number().ok_or_else(|| LangError::new("the function must return a number or a list of numbers"))
        };
        match self.items() {
            Some(items) => items.iter().map(one).collect(),
            None => one(self).map(|number| vec![number]),
        }
    }
}

/// The value of a function at arguments that may be variables, where some of the names of its body are given.
///
/// # Errors
/// As for a call; a part of the function that has no derivative.
pub fn call(eval: &mut Evaluator<'_>, function: &Function, given: Vec<(Arc<str>, Term)>, args: Vec<Term>) -> Res<Term> {
    let mut tangents = Tangents { eval, scope: Scope::default() };
    tangents.apply(function, given, args, Span::default())
}

struct Tangents<'d, 'a> {
    eval: &'d mut Evaluator<'a>,
    scope: Scope,
}

impl Tangents<'_, '_> {
    fn term(&mut self, expr: &Expr) -> Res<Term> {
        self.eval.poll()?;
        if crate::syntax::is_low() {
            return Err(LangError::new("this is nested too deep"));
        }
        match &expr.node {
            ExprKind::Number(x) => Ok(Term::Plain(Value::Number(*x))),
            ExprKind::Name(name) => match self.name(name) {
                Some(term) => Ok(term),
                None => self.plain(expr),
            },
            ExprKind::List(items) => self.all(items).map(|items| Term::List(Arc::new(items))),
            ExprKind::Lambda(lambda) => {
                Ok(Term::Function(Arc::new(Inner { lambda: lambda.clone(), scope: self.scope.clone() })))
            }
            ExprKind::If { cond, then, otherwise } => match self.truth(cond)? {
                true => self.term(then),
                false => self.term(otherwise),
            },
            ExprKind::Chain { first, rest } => {
                let mut term = self.term(first)?;
                for (op, operand) in rest {
                    term = self.operator(op.node, term, operand)?;
                }
                Ok(term)
            }
            ExprKind::Unary { op, operand } => {
                let operand = self.term(operand)?;
                match (op.node, operand) {
                    (op, Term::Plain(value)) => operators::unary(op, value).map(Term::Plain),
                    (UnaryOp::Neg, term) => binary(BinaryOp::Mul, &Term::Plain(Value::Number(-1.0)), &term),
                    (UnaryOp::Not, _) => Err(LangError::new("expected true or false after `not`")),
                }
            }
            ExprKind::Comprehension { body, clauses } => {
                let mut out = Vec::new();
                self.gather(&mut out, body, clauses)?;
                Ok(Term::List(Arc::new(out)))
            }
            ExprKind::Call { callee, args } => self.call(callee, None, args, expr),
            ExprKind::Index { value, index } => {
                let (list, at) = (self.term(value)?, self.term(index)?);
                match (list.items(), at.value()) {
                    (Some(items), Some(Value::Number(at))) if at.fract() == 0.0 => {
                        let place = if at < 0.0 { at + items.len() as f64 } else { at };
                        let range = (0.0..items.len() as f64).contains(&place);
                        let error = || LangError::new(format!("index {at} is out of range: there are {}", items.len()));
                        range.then(|| items[place as usize].clone()).ok_or_else(error)
                    }
                    _ => self.plain(expr),
                }
            }
            ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Range { .. }
            | ExprKind::Prior { .. }
            | ExprKind::Member { .. } => self.plain(expr),
        }
    }

    fn all(&mut self, exprs: &[Expr]) -> Res<Vec<Term>> {
        exprs.iter().map(|expr| self.term(expr)).collect()
    }

    fn name(&self, name: &Arc<str>) -> Option<Term> {
        if let Some((_, term)) = self.scope.names.iter().rev().find(|(n, _)| n == name) {
            return Some(term.clone());
        }
        let closure = self.scope.closure.as_ref();
        if let Some(value) = closure.and_then(|closure| closure.captured(name)) {
            return Some(Term::Plain(value.clone()));
        }
        if let Some(closure) = closure.filter(|closure| closure.name.as_ref() == Some(name)) {
            return Some(Term::Plain(Value::Function(Function::Closure(closure.clone()))));
        }
        let global = self.eval.globals().get(name).cloned();
        global.or_else(|| self.eval.library.find(name).map(|entry| entry.as_value())).map(Term::Plain)
    }

    /// Whether an expression mentions a variable.
    fn depends(&self, expr: &Expr) -> bool {
        let whole = Lambda { params: Vec::new(), body: expr.clone() };
        free_names(&whole).iter().any(|name| self.name(name).is_some_and(|term| !term.is_plain()))
    }

    /// The value of an expression that depends on no variable, by the ordinary evaluator.
    fn plain(&mut self, expr: &Expr) -> Res<Term> {
        if self.depends(expr) {
            return Err(no_derivative("this part of it"));
        }
        let names = self.scope.names.iter().filter_map(|(name, term)| Some((name.clone(), term.value()?)));
        let names: Vec<_> = names.collect();
        let eval = &mut *self.eval;
        let base = std::mem::replace(&mut eval.base, eval.locals.len());
        let running = std::mem::replace(&mut eval.running, self.scope.closure.clone());
        eval.locals.extend(names);
        let value = eval.eval(expr);
        eval.locals.truncate(eval.base);
        eval.base = base;
        eval.running = running;
        value.map(Term::Plain)
    }

    fn truth(&mut self, expr: &Expr) -> Res<bool> {
        match self.term(expr)?.value() {
            Some(Value::Bool(truth)) => Ok(truth),
            _ => Err(LangError::new("expected true or false")),
        }
    }

    fn operator(&mut self, op: BinaryOp, left: Term, operand: &Expr) -> Res<Term> {
        match op {
            BinaryOp::Pipe => match &operand.node {
                ExprKind::Call { callee, args } => self.call(callee, Some(left), args, operand),
                _ => self.call(operand, Some(left), &[], operand),
            },
            BinaryOp::Or | BinaryOp::And => match left.value() {
                Some(Value::Bool(truth)) if truth == (op == BinaryOp::Or) => Ok(left),
                Some(Value::Bool(_)) => self.truth(operand).map(|truth| Term::Plain(Value::Bool(truth))),
                _ => Err(LangError::new("expected true or false")),
            },
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let right = self.term(operand)?;
                match (left.value(), right.value()) {
                    (Some(left), Some(right)) => {
                        operators::compare(op, &left, &right).map(|truth| Term::Plain(Value::Bool(truth)))
                    }
                    _ => Err(LangError::new("functions cannot be compared here")),
                }
            }
            BinaryOp::Compose => Err(no_derivative("`>>`")),
            _ => {
                let right = self.term(operand)?;
                binary(op, &left, &right)
            }
        }
    }

    /// Adds the values of the body in all rounds of the clauses, the last clause innermost.
    fn gather(&mut self, out: &mut Vec<Term>, body: &Expr, clauses: &[Clause]) -> Res<()> {
        let Some((Clause { vars, over, cond }, inner)) = clauses.split_first() else {
            out.push(self.term(body)?);
            return Ok(());
        };
        let items = self.term(over)?.items().ok_or_else(|| LangError::new("expected a list after `in`"))?;
        let mark = self.scope.names.len();
        for item in items {
            self.scope.names.truncate(mark);
            let parts = match vars.as_slice() {
                [_] => vec![item],
                _ => item.items().filter(|parts| parts.len() == vars.len()).ok_or_else(|| {
                    LangError::new(format!("{} names cannot be bound to an item of the list", vars.len()))
                })?,
            };
            self.scope.names.extend(vars.iter().map(|v| v.node.clone()).zip(parts));
            let kept = match cond {
                Some(cond) => self.truth(cond)?,
                None => true,
            };
            if kept {
                self.gather(out, body, inner)?;
            }
        }
        self.scope.names.truncate(mark);
        Ok(())
    }

    fn call(&mut self, callee: &Expr, piped: Option<Term>, args: &[Arg], whole: &Expr) -> Res<Term> {
        let target = match &callee.node {
            ExprKind::Name(name) => match self.name(name) {
                Some(Term::Plain(value)) if !value.is_callable() => {
                    self.eval.library.find(name).map_or(Term::Plain(value), |entry| Term::Plain(entry.as_value()))
                }
                Some(term) => term,
                None => return self.plain(whole),
            },
            _ => self.term(callee)?,
        };
        let named = args.iter().any(|arg| arg.name.is_some());
        let of_user = matches!(target, Term::Function(_) | Term::Plain(Value::Function(Function::Closure(_))));
        if named && !of_user {
            return if piped.is_none() { self.plain(whole) } else { Err(no_derivative("a call with named arguments")) };
        }
        let piped_count = usize::from(piped.is_some());
        let mut terms: Vec<Term> = piped.into_iter().collect();
        for arg in args {
            terms.push(self.term(&arg.value)?);
        }
        match target {
            Term::Function(inner) => {
                let terms = in_order(&inner.lambda, "this function", terms, piped_count, args)?;
                self.enter(&inner.lambda, inner.scope.clone(), terms)
            }
            Term::Plain(Value::Function(Function::Closure(closure))) => {
                let terms = in_order(&closure.lambda, closure.shown_name(), terms, piped_count, args)?;
                let lambda = closure.lambda.clone();
                self.enter(&lambda, Scope { names: Vec::new(), closure: Some(closure) }, terms)
            }
            Term::Plain(Value::Function(function)) => self.apply(&function, Vec::new(), terms, callee.span),
            _ if piped_count == 0 => self.plain(whole),
            _ => Err(no_derivative("this call")),
        }
    }

    /// Calls a function with terms, with some names of its body given.
    fn apply(&mut self, function: &Function, given: Vec<(Arc<str>, Term)>, args: Vec<Term>, span: Span) -> Res<Term> {
        match function {
            Function::Closure(closure) => {
                let args = in_order(&closure.lambda, closure.shown_name(), args, 0, &[])?;
                self.enter(&closure.lambda, Scope { names: given, closure: Some(closure.clone()) }, args)
            }
            Function::Steps(steps) => {
                let mut args = args;
                for step in steps.iter() {
                    args = vec![self.apply(step, Vec::new(), args, span)?];
                }
                args.pop().ok_or_else(|| LangError::new("a chain of functions without a function"))
            }
            Function::Known(known) => {
                if let Some(known) = self.known(known.name(), &args)? {
                    return Ok(known);
                }
                if !args.iter().all(Term::is_plain) {
                    return Err(no_derivative(&format!("`{}`", known.name())));
                }
                let values: Option<Vec<Value>> = args.iter().map(Term::value).collect();
                let values = values.ok_or_else(|| no_derivative(&format!("`{}`", known.name())))?;
                self.eval.apply(function, values, span).map(Term::Plain)
            }
        }
    }

    /// The result of a function of the language that has a derivative; `None` for others.
    fn known(&mut self, name: &str, args: &[Term]) -> Res<Option<Term>> {
        if let (Some(function), [x]) = (dual::function(name), args) {
            return if x.is_plain() { Ok(None) } else { each(function, x).map(Some) };
        }
        match (name, args) {
            ("map", [list, function]) => {
                let Some(items) = list.items() else { return Ok(None) };
                let mapped = items.into_iter().map(|item| self.of_term(function, vec![item]));
                Ok(Some(Term::List(Arc::new(mapped.collect::<Res<_>>()?))))
            }
            ("reduce", [list, function, start @ ..]) => {
                let Some(items) = list.items() else { return Ok(None) };
                let mut items = start.iter().cloned().chain(items);
                let Some(mut term) = items.next() else { return Ok(None) };
                for item in items {
                    term = self.of_term(function, vec![term, item])?;
                }
                Ok(Some(term))
            }
            ("len", [list]) => Ok(list.items().map(|items| Term::Plain(Value::Number(items.len() as f64)))),
            _ if args.iter().all(Term::is_plain) => Ok(None),
            ("sum" | "prod" | "mean", [list]) => {
                let Some(items) = list.items() else { return Ok(None) };
                let op = if name == "prod" { BinaryOp::Mul } else { BinaryOp::Add };
                let n = items.len() as f64;
                let mut items = items.into_iter();
                let Some(mut total) = items.next() else { return Ok(None) };
                for item in items {
                    total = binary(op, &total, &item)?;
                }
                match name {
                    "mean" => binary(BinaryOp::Div, &total, &Term::Plain(Value::Number(n))).map(Some),
                    _ => Ok(Some(total)),
                }
            }
            ("min" | "max", args) => {
                let all = args.iter().flat_map(|arg| arg.items().unwrap_or_else(|| vec![arg.clone()]));
                let numbers: Option<Vec<Slope>> = all.map(|term| term.number()).collect();
                let order = |a: &Slope, b: &Slope| a.value.total_cmp(&b.value);
                Ok(numbers.and_then(|numbers| match name {
                    "min" => numbers.into_iter().min_by(order).map(Term::Number),
                    _ => numbers.into_iter().max_by(order).map(Term::Number),
                }))
            }
            ("concat", args) => {
                let lists: Option<Vec<Vec<Term>>> = args.iter().map(Term::items).collect();
                Ok(lists.map(|lists| Term::List(Arc::new(lists.concat()))))
            }
            _ => Ok(None),
        }
    }

    /// Calls a function that is a term.
    fn of_term(&mut self, function: &Term, args: Vec<Term>) -> Res<Term> {
        match function {
            Term::Function(inner) => {
                let args = in_order(&inner.lambda, "this function", args, 0, &[])?;
                self.enter(&inner.lambda, inner.scope.clone(), args)
            }
            Term::Plain(Value::Function(function)) => self.apply(function, Vec::new(), args, Span::default()),
            _ => Err(LangError::new("expected a function")),
        }
    }

    /// The body of a function in a scope, with its parameters bound.
    fn enter(&mut self, lambda: &Lambda, scope: Scope, args: Vec<Option<Term>>) -> Res<Term> {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = self.body(lambda, args);
        self.scope = outer;
        result
    }

    fn body(&mut self, lambda: &Lambda, args: Vec<Option<Term>>) -> Res<Term> {
        for (param, arg) in lambda.params.iter().zip(args) {
            let term = match (arg, &param.default) {
                (Some(term), _) => term,
                (None, Some(default)) => self.term(default)?,
                (None, None) => return Err(LangError::new(format!("`{}` has no value", param.name.node))),
            };
            self.scope.names.push((param.name.node.clone(), term));
        }
        self.term(&lambda.body)
    }
}

/// The arguments of a call of a user's function in the order of its parameters.
fn in_order(lambda: &Lambda, name: &str, terms: Vec<Term>, piped: usize, args: &[Arg]) -> Res<Vec<Option<Term>>> {
    let params: Vec<(Arc<str>, bool)> =
        lambda.params.iter().map(|p| (p.name.node.clone(), p.default.is_none())).collect();
    let named = |i: usize| i.checked_sub(piped).and_then(|i| args.get(i)).and_then(|arg| arg.name.as_ref());
    let shapes: Vec<ArgShape<'_>> =
        (0..terms.len()).map(|i| ArgShape { name: named(i), span: Span::default() }).collect();
    let places = match_parameters(name, &params, &shapes, Span::default())?;
    let mut ordered: Vec<Option<Term>> = vec![None; params.len()];
    for (term, place) in terms.into_iter().zip(places) {
        ordered[place] = Some(term);
    }
    Ok(ordered)
}

/// A function of one number, for each number of a list.
fn each(function: fn(f64) -> (f64, f64), term: &Term) -> Res<Term> {
    match (term.number(), term.items()) {
        (Some(x), _) => Ok(Term::Number(dual::apply(function, &x))),
        (None, Some(items)) => {
            let items = items.iter().map(|item| each(function, item)).collect::<Res<_>>()?;
            Ok(Term::List(Arc::new(items)))
        }
        (None, None) => Err(LangError::new("expected a number or a list of numbers")),
    }
}

/// An operation of numbers; item by item for lists.
fn binary(op: BinaryOp, left: &Term, right: &Term) -> Res<Term> {
    if let (Term::Plain(left), Term::Plain(right)) = (left, right) {
        return operators::binary(op, left.clone(), right.clone()).map(Term::Plain);
    }
    if let (Some(left), Some(right)) = (left.number(), right.number())
        && let Some(made) = dual::binary(op, &left, &right)
    {
        return Ok(Term::Number(made));
    }
    let list = |items: Res<Vec<Term>>| items.map(|items| Term::List(Arc::new(items)));
    match (left.items(), right.items()) {
        (Some(a), Some(b)) if a.len() == b.len() => list(a.iter().zip(&b).map(|(a, b)| binary(op, a, b)).collect()),
        (Some(a), Some(b)) => {
            let (sign, a, b) = (op.sign(), a.len(), b.len());
            Err(LangError::new(format!("`{sign}` of lists needs as many items on both sides, found {a} and {b}")))
        }
        (Some(a), None) => list(a.iter().map(|a| binary(op, a, right)).collect()),
        (None, Some(b)) => list(b.iter().map(|b| binary(op, left, b)).collect()),
        (None, None) => Err(no_derivative(&format!("`{}`", op.sign()))),
    }
}

fn no_derivative(what: &str) -> LangError {
    LangError::new(format!("the function cannot be differentiated: {what} has no derivative here"))
        .help("arithmetic, `if`, lists, `sum`, `map` and functions of numbers such as `exp` and `sin` have one")
}
