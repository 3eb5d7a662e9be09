//! Trees without spans, so that two texts can be compared by their meaning.

use std::sync::Arc;

use mercer::syntax::ast::{Clause, Expr, ExprKind, FnParam, Lambda, Name, Program, StatementKind};
use mercer::syntax::span::Span;

/// The program with every span empty.
pub fn without_places(mut program: Program) -> Program {
    for statement in &mut program.statements {
        statement.span = Span::default();
        match &mut statement.node {
            StatementKind::Let { names, values } => {
                names.iter_mut().for_each(name);
                values.iter_mut().for_each(expr);
            }
            StatementKind::Fn { name: of, function } => {
                name(of);
                lambda(function);
            }
            StatementKind::Import(file) => file.span = Span::default(),
            StatementKind::Expr(value) => expr(value),
        }
    }
    program
}

fn name(name: &mut Name) {
    name.span = Span::default();
}

fn lambda(function: &mut Arc<Lambda>) {
    let Lambda { mut params, mut body } = Lambda::clone(function);
    for FnParam { name: of, default } in &mut params {
        name(of);
        default.iter_mut().for_each(expr);
    }
    expr(&mut body);
    *function = Arc::new(Lambda { params, body });
}

fn expr(value: &mut Expr) {
    value.span = Span::default();
    match &mut value.node {
        ExprKind::Number(_) | ExprKind::Str(_) | ExprKind::Bool(_) | ExprKind::Name(_) => {}
        ExprKind::List(items) => items.iter_mut().for_each(expr),
        ExprKind::Comprehension { body, clauses } => {
            expr(body);
            for Clause { vars, over, cond } in clauses {
                vars.iter_mut().for_each(name);
                expr(over);
                cond.iter_mut().for_each(expr);
            }
        }
        ExprKind::Lambda(function) => lambda(function),
        ExprKind::If { cond, then, otherwise } => [cond, then, otherwise].into_iter().for_each(|part| expr(part)),
        ExprKind::Chain { first, rest } => {
            expr(first);
            for (op, operand) in rest {
                op.span = Span::default();
                expr(operand);
            }
        }
        ExprKind::Unary { op, operand } => {
            op.span = Span::default();
            expr(operand);
        }
        ExprKind::Range { start, end, .. } => {
            expr(start);
            expr(end);
        }
        ExprKind::Prior { value, prior } => {
            value.iter_mut().for_each(|value| expr(value));
            expr(prior);
        }
        ExprKind::Call { callee, args } => {
            expr(callee);
            for arg in args {
                arg.span = Span::default();
                arg.name.iter_mut().for_each(name);
                expr(&mut arg.value);
            }
        }
        ExprKind::Index { value, index } => {
            expr(value);
            expr(index);
        }
        ExprKind::Member { value, member } => {
            expr(value);
            name(member);
        }
    }
}
