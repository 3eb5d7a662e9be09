//! Functions as values: written by the user, built in, or a chain of steps.

use std::sync::Arc;

use crate::lang::builtin::Entry;
use crate::lang::values::value::Value;
use crate::syntax::ast::{Expr, ExprKind, Lambda};

#[derive(Clone)]
pub enum Function {
    Closure(Arc<Closure>),
    Known(&'static Entry),
    /// `f >> g`: at least two, none of them a chain.
    Steps(Arc<[Function]>),
}

/// A function of the user's with the values that its body mentions, as they were when it was made.
pub struct Closure {
    pub lambda: Arc<Lambda>,
    /// The name that `fn` gave; under it the body calls the function itself.
    pub name: Option<Arc<str>>,
    pub captured: Vec<(Arc<str>, Value)>,
    depth: usize,
}

impl Closure {
    pub fn new(lambda: Arc<Lambda>, name: Option<Arc<str>>, captured: Vec<(Arc<str>, Value)>) -> Self {
        let depth = 1 + captured.iter().map(|(_, value)| value.depth()).max().unwrap_or(0);
        Self { lambda, name, captured, depth }
    }

    /// How deep functions and lists are nested in what it captured.
    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn captured(&self, name: &str) -> Option<&Value> {
        self.captured.iter().find(|(n, _)| &**n == name).map(|(_, value)| value)
    }

    /// The names of its parameters, and whether each must be given.
    pub fn signature(&self) -> Vec<(Arc<str>, bool)> {
        self.lambda.params.iter().map(|p| (p.name.node.clone(), p.default.is_none())).collect()
    }

    /// How messages call it.
    pub fn shown_name(&self) -> &str {
        self.name.as_deref().unwrap_or("this function")
    }
}

impl Function {
    /// How deep functions and lists are nested in it.
    pub fn depth(&self) -> usize {
        match self {
            Function::Closure(closure) => closure.depth,
            Function::Known(_) => 0,
            Function::Steps(steps) => 1 + steps.iter().map(Function::depth).max().unwrap_or(0),
        }
    }

    /// The name that it goes by, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Function::Closure(closure) => closure.name.as_deref(),
            Function::Known(entry) => Some(entry.signature.name),
            Function::Steps(_) => None,
        }
    }
}

/// Two functions are equal if they are one and the same; what they compute is not compared.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Function::Closure(a), Function::Closure(b)) => Arc::ptr_eq(a, b),
            (Function::Known(a), Function::Known(b)) => std::ptr::eq(*a, *b),
            (Function::Steps(a), Function::Steps(b)) => a == b,
            _ => false,
        }
    }
}

/// The names that a function's text mentions and does not itself bind, each once, in order of first mention.
pub fn free_names(lambda: &Lambda) -> Vec<Arc<str>> {
    let mut walk = Free { bound: Vec::new(), found: Vec::new() };
    walk.lambda(lambda);
    walk.found
}

struct Free {
    bound: Vec<Arc<str>>,
    found: Vec<Arc<str>>,
}

impl Free {
    fn lambda(&mut self, lambda: &Lambda) {
        let mark = self.bound.len();
        for param in &lambda.params {
            if let Some(default) = &param.default {
                self.expr(default);
            }
            self.bound.push(param.name.node.clone());
        }
        self.expr(&lambda.body);
        self.bound.truncate(mark);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.node {
            ExprKind::Number(_) | ExprKind::Str(_) | ExprKind::Bool(_) => {}
            ExprKind::Name(name) => {
                if !self.bound.contains(name) && !self.found.contains(name) {
                    self.found.push(name.clone());
                }
            }
            ExprKind::List(items) => items.iter().for_each(|item| self.expr(item)),
            ExprKind::Comprehension { body, vars, over, cond } => {
                self.expr(over);
                let mark = self.bound.len();
                self.bound.extend(vars.iter().map(|v| v.node.clone()));
                self.expr(body);
                if let Some(cond) = cond {
                    self.expr(cond);
                }
                self.bound.truncate(mark);
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::If { cond, then, otherwise } => {
                self.expr(cond);
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Chain { first, rest } => {
                self.expr(first);
                rest.iter().for_each(|(_, operand)| self.expr(operand));
            }
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Range { start, end, .. } => {
                self.expr(start);
                self.expr(end);
            }
            ExprKind::Prior { value, prior } => {
                if let Some(value) = value {
                    self.expr(value);
                }
                self.expr(prior);
            }
            ExprKind::Call { callee, args } => {
                self.expr(callee);
                args.iter().for_each(|arg| self.expr(&arg.value));
            }
            ExprKind::Index { value, index } => {
                self.expr(value);
                self.expr(index);
            }
            ExprKind::Member { value, .. } => self.expr(value),
        }
    }
}
