//! Expressions with bare names of columns, evaluated as functions of a row: `where(price > 3)`, `mutate(y2 = log(y))`.

use std::sync::Arc;

use crate::data::Dataset;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Evaluator;
use crate::lang::eval::host::Item;
use crate::lang::values::value::{Function, ListBuilder, Value};
use crate::lang::wording::{did_you_mean, nearest_column};
use crate::syntax::ast::{Arg, Clause, Expr, ExprKind, FnParam, Lambda, Name};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::{Span, Spanned};

impl Evaluator<'_> {
    /// The value of an argument that may be an expression of columns: a function whose parameters are the columns that
    /// it names, or a value if it names none. Columns take precedence over bound names, with a note. Without data,
    /// unbound names are columns.
    pub fn column_expression(&mut self, expr: &Expr, data: Option<&Dataset>) -> Res<Value> {
        match &expr.node {
            ExprKind::Lambda(_) => return self.eval(expr),
            ExprKind::List(items) => {
                let mut list = ListBuilder::default();
                for item in items {
                    list.push(self.column_expression(item, data)?)?;
                }
                return Ok(Value::List(list.finish()));
            }
            _ => {}
        }
        let mut walk = Walk { bound: Vec::new(), mentioned: Vec::new() };
        let body = walk.expr(expr);
        let mut columns: Vec<Name> = Vec::new();
        for Mention { name, by_col } in walk.mentioned {
            let user = self.bound_value(&name.node);
            let known = user.is_some() || self.library.find(&name.node).is_some();
            let is_column = match data {
                Some(data) => data.column(&name.node).is_some(),
                None => by_col || !known,
            };
            if !is_column {
                if by_col || !known {
                    return Err(self.no_column(&name, data));
                }
                continue;
            }
            // a user's function may be meant itself
            if let (ExprKind::Name(_), Some(function @ Value::Function(_)), None) = (&expr.node, &user, data) {
                return Ok(function.clone());
            }
            if user.is_some() && !by_col && self.host.noted.insert(name.node.clone()) {
                let text = format!("`{}` is the column here, not the bound value", name.node);
                self.emit(Item::Diagnostic(Diagnostic::remark(text).label(name.span, "here")));
            }
            columns.push(name);
        }
        if columns.is_empty() {
            return self.eval(&body);
        }
        let params = columns.into_iter().map(|name| FnParam { name, default: None }).collect();
        let lambda = Arc::new(Lambda { params, body });
        Ok(Value::Function(Function::Closure(self.closure(&lambda, None)?)))
    }

    /// Whether an expression, given without data, names something unbound, which is then a column.
    pub fn names_columns(&self, expr: &Expr) -> bool {
        let mut walk = Walk { bound: Vec::new(), mentioned: Vec::new() };
        walk.expr(expr);
        let unknown = |name: &str| self.bound_value(name).is_none() && self.library.find(name).is_none();
        walk.mentioned.iter().any(|mention| mention.by_col || unknown(&mention.name.node))
    }

    fn no_column(&self, name: &Name, data: Option<&Dataset>) -> LangError {
        let Some(data) = data else {
            return LangError::new(format!("unknown name `{}`", name.node)).at(name.span);
        };
        let known = data.names();
        let shown: Vec<String> = known.iter().take(12).map(|name| format!("`{name}`")).collect();
        let more = if known.len() > shown.len() { ", …" } else { "" };
        let text = format!("no column is called `{}`, the columns are {}{more}", name.node, shown.join(", "));
        let error = LangError::new(text).at(name.span);
        match nearest_column(&name.node, known.iter().copied()) {
            Some(near) => error.help(did_you_mean(near)),
            None => error,
        }
    }
}

/// A name at a position where a column is possible.
struct Mention {
    name: Name,
    /// Whether it is written `col("…")`.
    by_col: bool,
}

/// Copies an expression with `col("…")` replaced by a name, and collects its free names, each once.
struct Walk {
    bound: Vec<Arc<str>>,
    mentioned: Vec<Mention>,
}

impl Walk {
    fn mention(&mut self, name: &Arc<str>, span: Span, by_col: bool) {
        if !self.bound.contains(name) && !self.mentioned.iter().any(|known| known.name.node == *name) {
            self.mentioned.push(Mention { name: Spanned::new(name.clone(), span), by_col });
        }
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn all(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn expr(&mut self, expr: &Expr) -> Expr {
        let node = match &expr.node {
            ExprKind::Number(_) | ExprKind::Str(_) | ExprKind::Bool(_) => expr.node.clone(),
            ExprKind::Name(name) => {
                self.mention(name, expr.span, false);
                expr.node.clone()
            }
            ExprKind::List(items) => ExprKind::List(self.all(items)),
            ExprKind::Comprehension { body, clauses } => {
                let mark = self.bound.len();
                let mut walked = Vec::with_capacity(clauses.len());
                for Clause { vars, over, cond } in clauses {
                    let over = self.expr(over);
                    self.bound.extend(vars.iter().map(|var| var.node.clone()));
                    let cond = cond.as_ref().map(|cond| self.expr(cond));
                    walked.push(Clause { vars: vars.clone(), over, cond });
                }
                let body = self.boxed(body);
                self.bound.truncate(mark);
                ExprKind::Comprehension { body, clauses: walked }
            }
            ExprKind::Lambda(lambda) => {
                let mark = self.bound.len();
                self.bound.extend(lambda.params.iter().map(|param| param.name.node.clone()));
                let body = self.expr(&lambda.body);
                self.bound.truncate(mark);
                ExprKind::Lambda(Arc::new(Lambda { params: lambda.params.clone(), body }))
            }
            ExprKind::If { cond, then, otherwise } => {
                ExprKind::If { cond: self.boxed(cond), then: self.boxed(then), otherwise: self.boxed(otherwise) }
            }
            ExprKind::Chain { first, rest } => {
                let first = self.boxed(first);
                let rest = rest.iter().map(|(op, operand)| (op.clone(), self.expr(operand))).collect();
                ExprKind::Chain { first, rest }
            }
            ExprKind::Unary { op, operand } => ExprKind::Unary { op: op.clone(), operand: self.boxed(operand) },
            ExprKind::Range { start, end, inclusive } => {
                ExprKind::Range { start: self.boxed(start), end: self.boxed(end), inclusive: *inclusive }
            }
            ExprKind::Prior { value, prior } => {
                let value = value.as_ref().map(|value| self.boxed(value));
                ExprKind::Prior { value, prior: self.boxed(prior) }
            }
            ExprKind::Call { callee, args } => {
                if let Some(name) = column_named(callee, args) {
                    self.mention(name, expr.span, true);
                    ExprKind::Name(name.clone())
                } else {
                    // a callee is a function, whatever the names of columns
                    let callee = match &callee.node {
                        ExprKind::Name(_) => callee.clone(),
                        _ => self.boxed(callee),
                    };
                    let arg = |arg: &Arg| Arg { name: arg.name.clone(), value: self.expr(&arg.value), span: arg.span };
                    let args = args.iter().map(arg).collect();
                    ExprKind::Call { callee, args }
                }
            }
            ExprKind::Index { value, index } => ExprKind::Index { value: self.boxed(value), index: self.boxed(index) },
            ExprKind::Member { value, member } => ExprKind::Member { value: self.boxed(value), member: member.clone() },
        };
        Expr { node, span: expr.span }
    }
}

/// The column in `col("…")`.
fn column_named<'e>(callee: &Expr, args: &'e [Arg]) -> Option<&'e Arc<str>> {
    match (&callee.node, args) {
        (ExprKind::Name(name), [Arg { name: None, value: Expr { node: ExprKind::Str(column), .. }, .. }])
            if &**name == "col" =>
        {
            Some(column)
        }
        _ => None,
    }
}
