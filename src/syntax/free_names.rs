//! The free names of a function.

use std::sync::Arc;

use super::ast::{Clause, Expr, ExprKind, Lambda};

/// The names that a function mentions and does not bind itself, each once, in order of first mention.
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
            ExprKind::Name(name) => {
                if !self.bound.contains(name) && !self.found.contains(name) {
                    self.found.push(name.clone());
                }
            }
            ExprKind::Comprehension { body, clauses } => {
                let mark = self.bound.len();
                for Clause { vars, over, cond } in clauses {
                    self.expr(over);
                    self.bound.extend(vars.iter().map(|v| v.node.clone()));
                    if let Some(cond) = cond {
                        self.expr(cond);
                    }
                }
                self.expr(body);
                self.bound.truncate(mark);
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            _ => expr.parts().into_iter().for_each(|part| self.expr(part)),
        }
    }
}
