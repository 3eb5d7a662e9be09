//! The source text of a syntax tree, with values in place of the names that a function has captured.

use std::fmt::Write;
use std::sync::Arc;

use super::ast::{Arg, BinaryOp, Expr, ExprKind, Lambda, UnaryOp};
use super::display::{number, quoted};
use super::function::{Closure, Function};
use super::ops::symbol;
use super::value::Value;

/// How tightly a piece of text holds together: what stands around it needs brackets if it holds tighter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Functions and `if`.
    Loose,
    Pipe,
    Compose,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Minus,
    Power,
    Atom,
}

/// A function as one could write it: `x -> 2 * x`, or by its name where `fn` gave it one.
pub fn closure(closure: &Closure) -> String {
    let mut text = Text { out: String::new(), captured: &closure.captured, hidden: Vec::new() };
    if let Some(name) = &closure.name {
        let _ = write!(text.out, "fn {name}(");
        text.params(&closure.lambda, true);
        text.out.push_str(") = ");
        text.body(&closure.lambda);
    } else {
        text.lambda(&closure.lambda);
    }
    text.out
}

struct Text<'a> {
    out: String,
    captured: &'a [(Arc<str>, Value)],
    /// Names bound inside, which are not the captured ones.
    hidden: Vec<Arc<str>>,
}

impl Text<'_> {
    fn lambda(&mut self, lambda: &Lambda) {
        match lambda.params.as_slice() {
            [param] if param.default.is_none() => self.out.push_str(&param.name.node),
            _ => {
                self.out.push('(');
                self.params(lambda, false);
                self.out.push(')');
            }
        }
        self.out.push_str(" -> ");
        self.body(lambda);
    }

    fn params(&mut self, lambda: &Lambda, defaults: bool) {
        for (i, param) in lambda.params.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(&param.name.node);
            if let (true, Some(default)) = (defaults, &param.default) {
                self.out.push('=');
                self.expr(default, Level::Loose);
            }
        }
    }

    fn body(&mut self, lambda: &Lambda) {
        let mark = self.hidden.len();
        self.hidden.extend(lambda.params.iter().map(|p| p.name.node.clone()));
        self.expr(&lambda.body, Level::Loose);
        self.hidden.truncate(mark);
    }

    /// Writes an expression, in brackets if it holds together less tightly than `least`.
    fn expr(&mut self, expr: &Expr, least: Level) {
        let level = level(expr);
        let brackets = level < least;
        if brackets {
            self.out.push('(');
        }
        self.bare(expr, level, least);
        if brackets {
            self.out.push(')');
        }
    }

    fn bare(&mut self, expr: &Expr, level: Level, least: Level) {
        match &expr.node {
            ExprKind::Number(x) => self.out.push_str(&number(*x)),
            ExprKind::Str(text) => self.out.push_str(&quoted(text)),
            ExprKind::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            ExprKind::Name(name) => self.name(name, least),
            ExprKind::List(items) => {
                self.out.push('[');
                self.separated(items, |text, item| text.expr(item, Level::Loose));
                self.out.push(']');
            }
            ExprKind::Comprehension { body, vars, over, cond } => {
                let mark = self.hidden.len();
                self.out.push('[');
                self.hidden.extend(vars.iter().map(|v| v.node.clone()));
                self.expr(body, Level::Loose);
                let names: Vec<&str> = vars.iter().map(|v| &*v.node).collect();
                let _ = write!(self.out, " for {} in ", names.join(", "));
                let inner = self.hidden.split_off(mark);
                self.expr(over, Level::Pipe);
                self.hidden.extend(inner);
                if let Some(cond) = cond {
                    self.out.push_str(" if ");
                    self.expr(cond, Level::Pipe);
                }
                self.hidden.truncate(mark);
                self.out.push(']');
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::If { cond, then, otherwise } => {
                self.out.push_str("if ");
                self.expr(cond, Level::Pipe);
                self.out.push_str(" then ");
                self.expr(then, Level::Pipe);
                self.out.push_str(" else ");
                self.expr(otherwise, Level::Loose);
            }
            ExprKind::Chain { first, rest } => self.chain(first, rest, level),
            ExprKind::Unary { op, operand } => {
                self.out.push_str(if op.node == UnaryOp::Neg { "-" } else { "not " });
                self.expr(operand, level);
            }
            ExprKind::Range { start, end, inclusive } => {
                self.expr(start, Level::Sum);
                self.out.push_str(if *inclusive { "..=" } else { ".." });
                self.expr(end, Level::Sum);
            }
            ExprKind::Prior { value, prior } => {
                if let Some(value) = value {
                    self.expr(value, Level::Pipe);
                    self.out.push(' ');
                }
                self.out.push_str("~ ");
                self.expr(prior, Level::Pipe);
            }
            ExprKind::Call { callee, args } => {
                self.expr(callee, Level::Atom);
                self.out.push('(');
                self.separated(args, Self::argument);
                self.out.push(')');
            }
            ExprKind::Index { value, index } => {
                self.expr(value, Level::Atom);
                self.out.push('[');
                self.expr(index, Level::Loose);
                self.out.push(']');
            }
            ExprKind::Member { value, member } => {
                self.expr(value, Level::Atom);
                self.out.push('.');
                self.out.push_str(&member.node);
            }
        }
    }

    fn chain(&mut self, first: &Expr, rest: &[(super::span::Spanned<BinaryOp>, Expr)], level: Level) {
        // `^` groups to the right, everything else to the left.
        let tighter = next(level);
        let right = level == Level::Power;
        self.expr(first, if right { tighter } else { level_of_first(level) });
        for (op, operand) in rest {
            let _ = match op.node {
                BinaryOp::Pow => write!(self.out, "^"),
                node => write!(self.out, " {} ", symbol(node)),
            };
            self.expr(operand, if right { Level::Minus } else { tighter });
        }
    }

    fn argument(&mut self, arg: &Arg) {
        if let Some(name) = &arg.name {
            self.out.push_str(&name.node);
            let tilde = matches!(arg.value.node, ExprKind::Prior { value: None, .. });
            self.out.push_str(if tilde { " " } else { "=" });
        }
        self.expr(&arg.value, Level::Loose);
    }

    fn separated<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            write(self, item);
        }
    }

    /// A captured name becomes its value, where that has a source form.
    fn name(&mut self, name: &Arc<str>, least: Level) {
        let value = if self.hidden.contains(name) { None } else { self.captured.iter().find(|(n, _)| n == name) };
        let Some((_, value)) = value else {
            return self.out.push_str(name);
        };
        let (text, level) = match value {
            Value::Number(x) if x.is_nan() => (name.to_string(), Level::Atom),
            Value::Number(x) if x.is_sign_negative() => (number(*x), Level::Minus),
            Value::Number(_) | Value::Bool(_) | Value::Str(_) | Value::Dist(_) => (value.to_string(), Level::Atom),
            Value::List(list) if list.len() <= 60 => (value.to_string().replace('\n', ""), Level::Atom),
            Value::Range(_) => (value.to_string(), Level::Compare),
            Value::Function(Function::Known(_)) => (value.to_string(), Level::Atom),
            Value::Function(Function::Closure(inner)) if inner.name.is_none() => (value.to_string(), Level::Loose),
            _ => (name.to_string(), Level::Atom),
        };
        let brackets = level < least;
        let _ = if brackets { write!(self.out, "({text})") } else { write!(self.out, "{text}") };
    }
}

/// Left operands of the same level need no brackets, except where operators do not chain.
fn level_of_first(level: Level) -> Level {
    if level == Level::Compare { next(level) } else { level }
}

fn next(level: Level) -> Level {
    match level {
        Level::Loose => Level::Pipe,
        Level::Pipe => Level::Compose,
        Level::Compose => Level::Or,
        Level::Or => Level::And,
        Level::And => Level::Not,
        Level::Not => Level::Compare,
        Level::Compare => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Minus,
        Level::Minus => Level::Power,
        Level::Power | Level::Atom => Level::Atom,
    }
}

fn level(expr: &Expr) -> Level {
    match &expr.node {
        ExprKind::Lambda(_) | ExprKind::If { .. } => Level::Loose,
        ExprKind::Prior { .. } => Level::Loose,
        ExprKind::Range { .. } => Level::Compare,
        ExprKind::Unary { op, .. } if op.node == UnaryOp::Not => Level::Not,
        ExprKind::Unary { .. } => Level::Minus,
        ExprKind::Number(x) if x.is_sign_negative() => Level::Minus,
        ExprKind::Chain { rest, .. } => rest.first().map_or(Level::Atom, |(op, _)| match op.node {
            BinaryOp::Pipe => Level::Pipe,
            BinaryOp::Compose => Level::Compose,
            BinaryOp::Or => Level::Or,
            BinaryOp::And => Level::And,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Level::Compare,
            BinaryOp::Add | BinaryOp::Sub => Level::Sum,
            BinaryOp::Mul | BinaryOp::Div => Level::Product,
            BinaryOp::Pow => Level::Power,
        }),
        _ => Level::Atom,
    }
}
