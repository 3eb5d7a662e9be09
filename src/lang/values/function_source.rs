//! The source text of a function, with captured values instead of their names, so that the text is self-contained.

use std::cell::Cell;
use std::sync::Arc;

use crate::lang::values::value::{Closure, Function, Value};
use crate::syntax::ast::{Arg, Clause, Expr, ExprKind, FnParam, Lambda};
use crate::syntax::free_names::free_names;
use crate::syntax::parse::parse;
use crate::syntax::print::print_lambda;
use crate::syntax::span::SourceId;

/// The source form of a user's function; for one made by `fn`, with its name.
pub fn shown(closure: &Closure) -> String {
    let lambda = with_values(closure);
    match &closure.name {
        None => print_lambda(&lambda),
        Some(name) => {
            let statement = crate::syntax::ast::StatementKind::Fn {
                name: crate::syntax::span::Spanned::new(name.clone(), lambda.body.span),
                function: Arc::new(lambda),
            };
            let span = closure.lambda.body.span;
            crate::syntax::print::print_statement(&crate::syntax::ast::Statement { node: statement, span })
        }
    }
}

/// A function as an expression. A recursive function can only be named.
pub fn expression(function: &Function) -> String {
    match function {
        Function::Known(known) => known.name().into(),
        Function::Steps(steps) => steps.iter().map(operand).collect::<Vec<_>>().join(" >> "),
        Function::Closure(closure) => match &closure.name {
            Some(name) if free_names(&closure.lambda).contains(name) => name.to_string(),
            _ => print_lambda(&without_defaults(with_values(closure))),
        },
    }
}

/// A function of the parameters without defaults. Functions written with `->` have no defaults, so each default is an
/// argument of an inner function: `fn f(x, a=2) = x * a` becomes `x -> (a -> x * a)(2)`.
fn without_defaults(lambda: Lambda) -> Lambda {
    let (required, optional): (Vec<FnParam>, Vec<FnParam>) =
        lambda.params.into_iter().partition(|param| param.default.is_none());
    let body = optional.into_iter().rev().fold(lambda.body, |body, FnParam { name, default }| {
        let span = body.span;
        let args = default.map(|value| Arg { name: None, value, span }).into_iter().collect();
        let inner = Lambda { params: vec![FnParam { name, default: None }], body };
        let callee = Box::new(Expr { node: ExprKind::Lambda(Arc::new(inner)), span });
        Expr { node: ExprKind::Call { callee, args }, span }
    });
    Lambda { params: required, body }
}

/// As [`expression`], in brackets if an adjacent `>>` needs them.
fn operand(function: &Function) -> String {
    let text = expression(function);
    if text.contains("->") { format!("({text})") } else { text }
}

/// Its text with literals instead of captured names, for values with a source form.
pub fn with_values(closure: &Closure) -> Lambda {
    substitute(closure, &Limits { nodes: &Cell::new(MAX_NODES), level: 0 })
}

/// The largest number of nodes, and the largest depth of functions in functions; captured values beyond the limits keep
/// their names.
const MAX_NODES: usize = 20_000;
const MAX_DEPTH: usize = 8;

/// The remaining limits.
struct Limits<'r> {
    nodes: &'r Cell<usize>,
    level: usize,
}

fn substitute(closure: &Closure, limits: &Limits<'_>) -> Lambda {
    Substitution { captured: &closure.captured, hidden: Vec::new(), limits }.lambda(&closure.lambda)
}

struct Substitution<'c> {
    captured: &'c [(Arc<str>, Value)],
    limits: &'c Limits<'c>,
    /// Names that are bound inside.
    hidden: Vec<Arc<str>>,
}

impl Substitution<'_> {
    fn lambda(&mut self, lambda: &Lambda) -> Lambda {
        let mark = self.hidden.len();
        let mut params = Vec::with_capacity(lambda.params.len());
        for param in &lambda.params {
            let default = param.default.as_ref().map(|default| self.expr(default));
            params.push(FnParam { name: param.name.clone(), default });
            self.hidden.push(param.name.node.clone());
        }
        let body = self.expr(&lambda.body);
        self.hidden.truncate(mark);
        Lambda { params, body }
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn all(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn expr(&mut self, expr: &Expr) -> Expr {
        self.limits.nodes.set(self.limits.nodes.get().saturating_sub(1));
        let node = match &expr.node {
            ExprKind::Number(_) | ExprKind::Str(_) | ExprKind::Bool(_) => expr.node.clone(),
            ExprKind::Name(name) => self.name(name),
            ExprKind::List(items) => ExprKind::List(self.all(items)),
            ExprKind::Comprehension { body, clauses } => {
                let mark = self.hidden.len();
                let mut walked = Vec::with_capacity(clauses.len());
                for Clause { vars, over, cond } in clauses {
                    let over = self.expr(over);
                    self.hidden.extend(vars.iter().map(|var| var.node.clone()));
                    let cond = cond.as_ref().map(|cond| self.expr(cond));
                    walked.push(Clause { vars: vars.clone(), over, cond });
                }
                let body = self.boxed(body);
                self.hidden.truncate(mark);
                ExprKind::Comprehension { body, clauses: walked }
            }
            ExprKind::Lambda(lambda) => ExprKind::Lambda(Arc::new(self.lambda(lambda))),
            ExprKind::If { cond, then, otherwise } => {
                ExprKind::If { cond: self.boxed(cond), then: self.boxed(then), otherwise: self.boxed(otherwise) }
            }
            ExprKind::Chain { first, rest } => ExprKind::Chain {
                first: self.boxed(first),
                rest: rest.iter().map(|(op, operand)| (op.clone(), self.expr(operand))).collect(),
            },
            ExprKind::Unary { op, operand } => ExprKind::Unary { op: op.clone(), operand: self.boxed(operand) },
            ExprKind::Range { start, end, inclusive } => {
                ExprKind::Range { start: self.boxed(start), end: self.boxed(end), inclusive: *inclusive }
            }
            ExprKind::Prior { value, prior } => {
                ExprKind::Prior { value: value.as_ref().map(|value| self.boxed(value)), prior: self.boxed(prior) }
            }
            ExprKind::Call { callee, args } => ExprKind::Call {
                callee: self.boxed(callee),
                args: args.iter().map(|arg| Arg { value: self.expr(&arg.value), ..arg.clone() }).collect(),
            },
            ExprKind::Index { value, index } => ExprKind::Index { value: self.boxed(value), index: self.boxed(index) },
            ExprKind::Member { value, member } => ExprKind::Member { value: self.boxed(value), member: member.clone() },
        };
        Expr { node, span: expr.span }
    }

    fn name(&self, name: &Arc<str>) -> ExprKind {
        let kept = || ExprKind::Name(name.clone());
        if self.hidden.contains(name) {
            return kept();
        }
        match self.captured.iter().find(|(captured, _)| captured == name) {
            Some((_, value)) => literal(value, self.limits).unwrap_or_else(kept),
            None => kept(),
        }
    }
}

/// The expression of a value, if there is one of moderate size.
fn literal(value: &Value, limits: &Limits<'_>) -> Option<ExprKind> {
    if limits.nodes.get() == 0 || limits.level >= MAX_DEPTH {
        return None;
    }
    match value {
        Value::Number(x) => Some(ExprKind::Number(*x)),
        Value::Bool(b) => Some(ExprKind::Bool(*b)),
        Value::Str(text) => Some(ExprKind::Str(text.clone())),
        Value::Function(Function::Known(known)) => Some(ExprKind::Name(known.name().into())),
        Value::Function(Function::Closure(inner)) if inner.name.is_none() => {
            let deeper = Limits { nodes: limits.nodes, level: limits.level + 1 };
            Some(ExprKind::Lambda(Arc::new(substitute(inner, &deeper))))
        }
        Value::List(list) if list.size() <= 1000 => {
            let span = Default::default();
            let items = list.items().iter().map(|item| literal(item, limits).map(|node| Expr { node, span }));
            items.collect::<Option<Vec<_>>>().map(ExprKind::List)
        }
        Value::Range(_) | Value::Dist(_) | Value::Move(_) | Value::Kernel(_) | Value::Model(_) => {
            read(&value.to_string())
        }
        _ => None,
    }
}

/// The expression that results from parsing the printed form of a value.
fn read(text: &str) -> Option<ExprKind> {
    let program = parse(text, SourceId::default()).ok()?;
    match program.statements.into_iter().next()?.node {
        crate::syntax::ast::StatementKind::Expr(expr) => Some(expr.node),
        _ => None,
    }
}
