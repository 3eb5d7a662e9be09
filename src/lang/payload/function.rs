//! Functions as values: written by the user, built in, or a chain of steps.

use std::sync::Arc;

use super::list::Nested;
use crate::syntax::ast::Lambda;

/// A function of the language as a value. The evaluator finds its definition by name.
pub trait Callable: Send + Sync {
    fn name(&self) -> &'static str;

    /// The names of its arguments.
    fn params(&self) -> Vec<&'static str>;
}

#[derive(Clone)]
pub enum Function<V> {
    Closure(Arc<Closure<V>>),
    Known(&'static dyn Callable),
    /// `f >> g`: at least two functions, none of them a chain.
    Steps(Arc<[Function<V>]>),
}

/// A user's function with the values of the free names of its body, as they were when it was made.
pub struct Closure<V> {
    pub lambda: Arc<Lambda>,
    /// The name from `fn`, by which the body can call the function itself.
    pub name: Option<Arc<str>>,
    pub captured: Vec<(Arc<str>, V)>,
    depth: usize,
}

impl<V: Nested> Closure<V> {
    pub fn new(lambda: Arc<Lambda>, name: Option<Arc<str>>, captured: Vec<(Arc<str>, V)>) -> Self {
        let depth = 1 + captured.iter().map(|(_, value)| value.depth()).max().unwrap_or(0);
        Self { lambda, name, captured, depth }
    }
}

impl<V> Closure<V> {
    /// The depth of nested functions and lists in its captured values.
    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn captured(&self, name: &str) -> Option<&V> {
        self.captured.iter().find(|(n, _)| &**n == name).map(|(_, value)| value)
    }

    /// The names of its parameters, and whether each must be given.
    pub fn signature(&self) -> Vec<(Arc<str>, bool)> {
        self.lambda.params.iter().map(|p| (p.name.node.clone(), p.default.is_none())).collect()
    }

    /// Its name in messages.
    pub fn shown_name(&self) -> &str {
        self.name.as_deref().unwrap_or("this function")
    }
}

impl<V> Function<V> {
    /// The depth of nested functions and lists in it.
    pub fn depth(&self) -> usize {
        match self {
            Function::Closure(closure) => closure.depth,
            Function::Known(_) => 0,
            Function::Steps(steps) => 1 + steps.iter().map(Function::depth).max().unwrap_or(0),
        }
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Function::Closure(closure) => closure.name.as_deref(),
            Function::Known(entry) => Some(entry.name()),
            Function::Steps(_) => None,
        }
    }
}

/// Two functions are equal if they are identical; their results are not compared.
impl<V> PartialEq for Function<V> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Function::Closure(a), Function::Closure(b)) => Arc::ptr_eq(a, b),
            (Function::Known(a), Function::Known(b)) => std::ptr::addr_eq(*a, *b),
            (Function::Steps(a), Function::Steps(b)) => a == b,
            _ => false,
        }
    }
}
