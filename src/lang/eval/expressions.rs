//! Expressions: evaluation of the syntax tree. Calls are in [`super::call`].

use std::sync::Arc;

use super::evaluator::Evaluator;
use super::kernel_spans::Mark;
use super::operators::{self, Fold};
use super::unknown;
use crate::calendar::{self, TimeUnit};
use crate::lang::error::{LangError, Res};
use crate::lang::numerals::{grouped, number};
use crate::lang::payload::range::Range;
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Closure, Function, List, ListBuilder, Record, Value, check_length};
use crate::param::Param;
use crate::syntax::ast::{BinaryOp, Clause, Expr, ExprKind};
use crate::syntax::span::{Span, Spanned};

/// The largest depth of nested calls of users' functions.
const MAX_CALLS: usize = 10_000;

impl Evaluator<'_> {
    pub fn eval(&mut self, expr: &Expr) -> Res<Value> {
        self.poll()?;
        if crate::syntax::is_low() {
            return Err(LangError::new("this is nested too deep").at(expr.span));
        }
        match &expr.node {
            ExprKind::Number(x) => Ok(Value::Number(*x)),
            ExprKind::Str(text) => Ok(Value::Str(text.clone())),
            ExprKind::Bool(b) => Ok(Value::Bool(*b)),
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::List(items) => self.list(items),
            ExprKind::Comprehension { body, clauses } => self.comprehension(body, clauses),
            ExprKind::Lambda(lambda) => Ok(Value::Function(Function::Closure(self.closure(lambda, None)?))),
            ExprKind::If { cond, then, otherwise } => {
                if self.truth(cond)? {
                    self.eval(then)
                } else {
                    self.eval(otherwise)
                }
            }
            ExprKind::Chain { first, rest } => self.chain(first, rest),
            ExprKind::Unary { op, operand } => {
                let operand = self.eval(operand)?;
                operators::unary(op.node, operand).map_err(|t| t.at(expr.span))
            }
            ExprKind::Range { start, end, inclusive } => {
                let (start, one) = self.bound(start)?;
                let (other_end, other) = self.bound(end)?;
                if one != other {
                    let found = LangError::new("a range goes from a number to a number or from a date to a date");
                    return Err(found.at(end.span));
                }
                Ok(Value::Range(Range { start, end: other_end, inclusive: *inclusive, dates: one }))
            }
            ExprKind::Prior { value, prior } => self.prior(value.as_deref(), prior),
            ExprKind::Call { callee, args } => self.call(callee, None, args, expr.span),
            ExprKind::Index { value, index } => self.index(value, index),
            ExprKind::Member { value, member } => {
                let inner = self.eval(value)?;
                match inner.member(&member.node) {
                    Some(value) => value.map_err(|t| t.at(member.span)),
                    None => Err(unknown::member(self.library, inner.kind(), &member.node, &inner.open_members())
                        .at(member.span)),
                }
            }
        }
    }

    fn name(&mut self, name: &Arc<str>, span: Span) -> Res<Value> {
        if let Some(value) = self.bound_value(name) {
            return Ok(value);
        }
        match self.library.find(name) {
            Some(entry) => Ok(match entry.as_value() {
                Value::Kernel(kernel) => {
                    let origin = self.host.origins.mark(Mark::new(span));
                    Value::Kernel(kernel.with_origin(origin))
                }
                other => other,
            }),
            None => Err(unknown::name(self.library, name, self.globals.keys().map(|n| &**n)).at(span)),
        }
    }

    fn list(&mut self, items: &[Expr]) -> Res<Value> {
        let mut list = ListBuilder::default();
        for item in items {
            let value = self.eval(item)?;
            list.push(value).map_err(|t| t.at(item.span))?;
        }
        Ok(Value::List(list.finish()))
    }

    fn comprehension(&mut self, body: &Expr, clauses: &[Clause]) -> Res<Value> {
        let mark = self.locals.len();
        let mut list = ListBuilder::default();
        let result = self.gather(&mut list, body, clauses);
        self.locals.truncate(mark);
        result?;
        Ok(Value::List(list.finish()))
    }

    /// Adds the values of the body in all rounds of the clauses, the last clause innermost.
    fn gather(&mut self, list: &mut ListBuilder, body: &Expr, clauses: &[Clause]) -> Res<()> {
        let Some((Clause { vars, over, cond }, inner)) = clauses.split_first() else {
            let value = self.eval(body)?;
            return list.push(value).map_err(|t| t.at(body.span));
        };
        let items = self.eval(over)?;
        let items = items.items().ok_or_else(|| expected("a list after `in`", &items).at(over.span))?;
        if cond.is_none() && inner.is_empty() {
            check_length(items.len()).map_err(|t| t.at(over.span))?;
        }
        let mark = self.locals.len();
        for item in items {
            self.locals.truncate(mark);
            match vars.as_slice() {
                [var] => self.locals.push((var.node.clone(), item)),
                _ => {
                    let parts = take_apart(&item, vars.len()).map_err(|t| t.at(over.span))?;
                    self.locals.extend(vars.iter().map(|v| v.node.clone()).zip(parts));
                }
            }
            let kept = match cond {
                Some(cond) => self.truth(cond)?,
                None => true,
            };
            if kept {
                self.gather(list, body, inner)?;
            }
        }
        Ok(())
    }

    fn truth(&mut self, expr: &Expr) -> Res<bool> {
        match self.eval(expr)? {
            Value::Bool(b) => Ok(b),
            other => Err(expected("true or false", &other).at(expr.span)),
        }
    }

    /// A bound of a range, and whether it is a date.
    fn bound(&mut self, expr: &Expr) -> Res<(f64, bool)> {
        match self.eval(expr)? {
            Value::Number(x) if !x.is_nan() => Ok((x, false)),
            Value::Str(text) => match calendar::date(&text) {
                Some(at) => Ok((at.to(TimeUnit::Day), true)),
                None => Err(expected("a number or a date such as \"2024-01-31\"", &Value::Str(text)).at(expr.span)),
            },
            other => Err(expected("a number", &other).at(expr.span)),
        }
    }

    fn prior(&mut self, value: Option<&Expr>, prior: &Expr) -> Res<Value> {
        let start = match value {
            Some(value) => {
                let found = self.eval(value)?;
                Param::from_value(found).map_err(|t| t.at(value.span))?
            }
            None => Param::default(),
        };
        if let ExprKind::Call { callee, .. } = &prior.node
            && let ExprKind::Name(name) = &callee.node
            && self.bound_value(name).is_none()
            && self.library.find(name).is_none()
        {
            let user = self.globals.keys().map(|n| &**n);
            return Err(unknown::prior(self.library, name, user).at(callee.span));
        }
        match self.eval(prior)? {
            Value::Dist(prior) => Ok(Value::Param(Arc::new(Param { prior: Some(prior), ..start }))),
            other => Err(expected("a prior after `~`, such as `LogNormal(0, 1)`", &other).at(prior.span)),
        }
    }

    fn chain(&mut self, first: &Expr, rest: &[(Spanned<BinaryOp>, Expr)]) -> Res<Value> {
        let Some((op, _)) = rest.first() else {
            return self.eval(first);
        };
        match op.node {
            BinaryOp::Pipe => self.pipes(first, rest),
            BinaryOp::Compose => self.steps(first, rest),
            BinaryOp::Or | BinaryOp::And => {
                let mut truth = self.truth(first)?;
                for (op, operand) in rest {
                    if truth != (op.node == BinaryOp::Or) {
                        truth = self.truth(operand)?;
                    }
                }
                Ok(Value::Bool(truth))
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let left = self.eval(first)?;
                let (op, second) = &rest[0];
                let right = self.eval(second)?;
                operators::compare(op.node, &left, &right).map(Value::Bool).map_err(|t| t.at(op.span))
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow => {
                let value = self.eval(first)?;
                let mut fold = Fold::new(value, first.span);
                for (op, operand) in rest {
                    let value = self.eval(operand)?;
                    fold.apply(op.clone(), value, operand.span)?;
                }
                fold.finish()
            }
        }
    }

    fn index(&mut self, value: &Expr, index: &Expr) -> Res<Value> {
        let list = self.eval(value)?;
        let at = self.eval(index)?;
        if !matches!(list, Value::List(_) | Value::Range(_) | Value::Str(_) | Value::Table(_)) {
            return Err(expected("a list before `[`", &list).at(value.span));
        }
        match at {
            Value::Number(at) => one(&list, at).map_err(|t| t.at(index.span)),
            Value::List(_) | Value::Range(_) => {
                let places = Vec::<f64>::from_value(at).map_err(|t| t.at(index.span))?;
                let picked = places.into_iter().map(|at| one(&list, at));
                List::collect(picked).map(Value::List).map_err(|t| t.at(index.span))
            }
            other => Err(expected("a whole number or a list of these between `[` and `]`", &other).at(index.span)),
        }
    }

    /// Runs a user's function with its parameters bound to values, and defaults where values are missing.
    pub fn enter(&mut self, closure: &Arc<Closure>, args: Vec<Option<Value>>, span: Span) -> Res<Value> {
        if self.calls >= MAX_CALLS || crate::syntax::is_low() {
            let name = closure.name.as_deref().unwrap_or("this function");
            return Err(LangError::new(format!("infinite recursion in `{name}`"))
                .label(format!("{} calls deep here", grouped(self.calls)))
                .at(span)
                .help("a function that calls itself needs an `if` that ends it"));
        }
        let base = std::mem::replace(&mut self.base, self.locals.len());
        let running = self.running.replace(closure.clone());
        self.calls += 1;
        let result = self.body(closure, args);
        self.calls -= 1;
        self.locals.truncate(self.base);
        self.base = base;
        self.running = running;
        result
    }

    fn body(&mut self, closure: &Arc<Closure>, args: Vec<Option<Value>>) -> Res<Value> {
        for (param, arg) in closure.lambda.params.iter().zip(args) {
            let value = match (arg, &param.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default)?,
                (None, None) => return Err(LangError::new(format!("`{}` has no value", param.name.node))),
            };
            self.locals.push((param.name.node.clone(), value));
        }
        self.eval(&closure.lambda.body)
    }
}

/// One item; a negative index counts from the end.
fn one(list: &Value, at: f64) -> Res<Value> {
    let n = match list {
        Value::Str(text) => text.chars().count(),
        Value::Table(sheet) => sheet.table.rows(),
        other => other.items().map_or(0, |items| items.len()),
    };
    let place = if at < 0.0 { at + n as f64 } else { at };
    let shown = number(at);
    if at.fract() != 0.0 {
        return Err(LangError::new(format!("an index is a whole number, found {shown}")));
    }
    if !(0.0..n as f64).contains(&place) {
        let items = if n == 1 { "is 1 item".into() } else { format!("are {n} items") };
        let error = LangError::new(format!("index {shown} is out of range: there {items}"));
        return Err(if n > 0 { error.help(format!("indexes run from 0 to {}", n - 1)) } else { error });
    }
    let place = place as usize;
    Ok(match list {
        Value::List(list) => list.items()[place].clone(),
        Value::Range(range) => range.value(range.at(place)),
        Value::Str(text) => Value::str(text.chars().nth(place).map(String::from).unwrap_or_default()),
        Value::Table(sheet) => {
            Record::row(&sheet.table, place).map_or(Value::Nothing, |row| Value::Record(Arc::new(row)))
        }
        _ => Value::Nothing,
    })
}

/// The items of a list with exactly `n` items.
pub fn take_apart(value: &Value, n: usize) -> Res<Vec<Value>> {
    match value.items() {
        Some(items) if items.len() == n => Ok(items.collect()),
        Some(items) => Err(LangError::new(format!("{n} names cannot be bound to a list of {}", items.len()))),
        None => Err(expected(&format!("a list of {n}"), value)),
    }
}
