//! Errors that are detected before a program runs.
//!
//! The checker walks over the program and knows at most the kind of each name. It reports an error only if running
//! would fail too; what it does not know is assumed to be correct.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::error::LangError;
use super::registry;
use crate::lang::eval::evaluator::{Entry, Globals};
use crate::lang::eval::statement::LAST;
use crate::lang::eval::{operators, unknown};
use crate::lang::values::cast::expected_kind;
use crate::lang::values::value::{Function, Kind, Value};
use crate::syntax::ast::{BinaryOp, Clause, Expr, ExprKind, Lambda, Name, Program, Statement, StatementKind, UnaryOp};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::{Span, Spanned};

mod calls;

/// Finds the programs of `import` statements.
pub trait Loader {
    /// The program in a file; it is entered, so that paths in it are relative to its folder until
    /// [`leave`](Self::leave).
    fn enter(&mut self, path: &Spanned<Arc<str>>) -> Result<Arc<Program>, Vec<Diagnostic>>;
    fn leave(&mut self);
}

/// What is known of a value before evaluation.
#[derive(Clone)]
enum Known {
    Nothing,
    Kind(Kind),
    Entry(&'static Entry),
    /// A kernel or a model, with the columns that it names and their places in the text.
    Columns(Kind, Arc<Vec<(Arc<str>, Span)>>),
    /// Data with the names of the inputs and the target.
    Data {
        inputs: Arc<Vec<String>>,
        target: Option<Arc<str>>,
    },
    /// A user's function: its name and its parameters.
    Closure {
        name: Arc<str>,
        params: Arc<Vec<(Arc<str>, bool)>>,
    },
}

impl Known {
    fn kind(&self) -> Option<Kind> {
        match self {
            Known::Nothing => None,
            Known::Kind(kind) | Known::Columns(kind, _) => Some(*kind),
            Known::Data { .. } => Some(Kind::Data),
            Known::Entry(entry) => Some(entry.as_value().kind()),
            Known::Closure { .. } => Some(Kind::Function),
        }
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Function(Function::Known(known)) => {
                registry::find(known.name()).map_or(Known::Kind(Kind::Function), Known::Entry)
            }
            Value::Function(Function::Closure(closure)) => {
                Known::Closure { name: closure.shown_name().into(), params: Arc::new(closure.signature()) }
            }
            Value::Data(data) => Known::Data {
                inputs: Arc::new(data.input_names().into_iter().map(str::to_owned).collect()),
                target: data.target().map(|column| column.name().into()),
            },
            other => Known::Kind(other.kind()),
        }
    }

    fn is_callable(&self) -> bool {
        match self {
            Known::Nothing | Known::Entry(_) | Known::Closure { .. } => true,
            Known::Kind(kind) | Known::Columns(kind, _) => kind.info().callable,
            Known::Data { .. } => false,
        }
    }

    fn is_model(&self) -> bool {
        self.kind() == Some(Kind::Model)
    }

    /// The columns that it names, if it is a kernel or a model for which they are known.
    fn columns(&self) -> &[(Arc<str>, Span)] {
        match self {
            Known::Columns(_, columns) => columns,
            _ => &[],
        }
    }
}

/// The errors of a program in a session with these bindings, in the order of the text.
pub fn check(program: &Program, globals: &Globals, loader: &mut dyn Loader) -> Vec<Diagnostic> {
    survey(program, globals, loader).0
}

/// The same, with the kinds of the names that are bound at the end, where they are known.
pub fn survey(
    program: &Program,
    globals: &Globals,
    loader: &mut dyn Loader,
) -> (Vec<Diagnostic>, HashMap<Arc<str>, Kind>) {
    let globals = globals.iter().map(|(name, value)| (name.clone(), Known::of(value))).collect();
    let mut checker = Checker {
        globals,
        locals: Vec::new(),
        later: HashSet::new(),
        imports: 0,
        functions: 0,
        found: Vec::new(),
        seen: HashSet::new(),
        loader,
    };
    checker.program(program);
    let kinds = checker.globals.into_iter().filter_map(|(name, known)| Some((name, known.kind()?)));
    (checker.found, kinds.collect())
}

struct Checker<'l> {
    globals: HashMap<Arc<str>, Known>,
    locals: Vec<(Arc<str>, Known)>,
    /// The names that the program binds further down: functions may mention them, because they run later.
    later: HashSet<Arc<str>>,
    /// The number of imports further down, which may bind any name.
    imports: usize,
    /// The number of functions around the current expression.
    functions: usize,
    found: Vec<Diagnostic>,
    seen: HashSet<(Span, String)>,
    loader: &'l mut dyn Loader,
}

impl Checker<'_> {
    fn report(&mut self, error: LangError, span: Span) {
        let diagnostic = Diagnostic::from(error.at(span));
        if self.seen.insert((diagnostic.span().unwrap_or(span), diagnostic.message.clone())) {
            self.found.push(diagnostic);
        }
    }

    fn program(&mut self, program: &Program) {
        // An imported file may mention names that the importing one binds later.
        let before = (self.later.clone(), self.imports);
        let is_import = |statement: &&Statement| matches!(statement.node, StatementKind::Import(_));
        self.imports += program.statements.iter().filter(is_import).count();
        for statement in &program.statements {
            match &statement.node {
                StatementKind::Let { names, .. } => self.later.extend(names.iter().map(|n| n.node.clone())),
                StatementKind::Fn { name, .. } => {
                    self.later.insert(name.node.clone());
                }
                StatementKind::Import(_) | StatementKind::Expr(_) => {}
            }
        }
        for statement in &program.statements {
            self.statement(statement);
        }
        (self.later, self.imports) = before;
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.node {
            StatementKind::Let { names, values } => {
                let known: Vec<Known> = values.iter().map(|value| self.expr(value)).collect();
                if names.len() != values.len() && values.len() != 1 {
                    let error = LangError::new(format!("{} names cannot hold {} values", names.len(), values.len()));
                    self.report(error, names[0].span.to(names[names.len() - 1].span));
                }
                for (i, name) in names.iter().enumerate() {
                    self.free(name);
                    let known = if names.len() == values.len() { known[i].clone() } else { Known::Nothing };
                    self.globals.insert(name.node.clone(), known);
                }
            }
            StatementKind::Fn { name, function } => {
                self.free(name);
                let known = self.closure(&name.node, function);
                self.globals.insert(name.node.clone(), known);
                self.lambda(function);
            }
            StatementKind::Import(path) => match self.loader.enter(path) {
                Ok(program) => {
                    self.imports -= 1;
                    self.program(&program);
                    self.loader.leave();
                }
                Err(diagnostics) => self.found.extend(diagnostics),
            },
            StatementKind::Expr(expr) => {
                let known = self.expr(expr);
                if known.kind() != Some(Kind::Nothing) {
                    self.globals.insert(LAST.into(), known);
                }
            }
        }
    }

    /// Checks that a name to be bound is not reserved.
    fn free(&mut self, name: &Name) {
        if registry::find(&name.node).is_some_and(Entry::is_family) {
            let error = LangError::new(format!("`{}` is the name of a kernel family and cannot be bound", name.node));
            self.report(error.label("choose another name"), name.span);
        }
    }

    fn closure(&self, name: &str, lambda: &Lambda) -> Known {
        let params = lambda.params.iter().map(|p| (p.name.node.clone(), p.default.is_none())).collect();
        Known::Closure { name: name.into(), params: Arc::new(params) }
    }

    fn lambda(&mut self, lambda: &Lambda) {
        let mark = self.locals.len();
        self.functions += 1;
        for param in &lambda.params {
            self.free(&param.name);
            if let Some(default) = &param.default {
                self.expr(default);
            }
            self.locals.push((param.name.node.clone(), Known::Nothing));
        }
        self.expr(&lambda.body);
        self.functions -= 1;
        self.locals.truncate(mark);
    }

    /// What is known of the user's binding of a name.
    fn user(&self, name: &str) -> Option<Known> {
        let local = self.locals.iter().rev().find(|(n, _)| &**n == name).map(|(_, known)| known.clone());
        let later = || {
            let later = self.later.contains(name) || (self.imports > 0 && registry::find(name).is_none());
            (self.functions > 0 && later).then_some(Known::Nothing)
        };
        local.or_else(|| match self.globals.get(name) {
            // Bound again further down: when a function runs it may have either value.
            Some(known) => Some(known.clone()),
            None => later(),
        })
    }

    /// The error with a remark, if the name is bound further down.
    fn remark_on_order(&self, name: &str, error: LangError) -> LangError {
        if self.later.contains(name) {
            return error.help("it is bound further down: put that statement before this one");
        }
        error
    }

    fn user_names(&self) -> Vec<Arc<str>> {
        self.locals.iter().map(|(name, _)| name.clone()).chain(self.globals.keys().cloned()).collect()
    }

    fn expr(&mut self, expr: &Expr) -> Known {
        match &expr.node {
            ExprKind::Number(_) => Known::Kind(Kind::Number),
            ExprKind::Str(_) => Known::Kind(Kind::String),
            ExprKind::Bool(_) => Known::Kind(Kind::Bool),
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::List(items) => {
                items.iter().for_each(|item| {
                    self.expr(item);
                });
                Known::Kind(Kind::List)
            }
            ExprKind::Comprehension { body, clauses } => {
                let mark = self.locals.len();
                for Clause { vars, over, cond } in clauses {
                    self.wants(over, "a list after `in`", |kind| matches!(kind, Kind::List | Kind::Range));
                    for var in vars {
                        self.free(var);
                        self.locals.push((var.node.clone(), Known::Nothing));
                    }
                    if let Some(cond) = cond {
                        self.wants(cond, "true or false", |kind| kind == Kind::Bool);
                    }
                }
                self.expr(body);
                self.locals.truncate(mark);
                Known::Kind(Kind::List)
            }
            ExprKind::Lambda(lambda) => {
                self.lambda(lambda);
                self.closure("this function", lambda)
            }
            ExprKind::If { cond, then, otherwise } => {
                self.wants(cond, "true or false", |kind| kind == Kind::Bool);
                let (then, otherwise) = (self.expr(then).kind(), self.expr(otherwise).kind());
                match then {
                    Some(kind) if Some(kind) == otherwise && kind != Kind::Function => Known::Kind(kind),
                    _ => Known::Nothing,
                }
            }
            ExprKind::Chain { first, rest } => self.chain(first, rest),
            ExprKind::Unary { op, operand } => self.unary(op.node, operand, expr.span),
            ExprKind::Range { start, end, .. } => {
                for bound in [start, end] {
                    self.wants(bound, "a number or a date", |kind| matches!(kind, Kind::Number | Kind::String));
                }
                Known::Kind(Kind::Range)
            }
            ExprKind::Prior { value, prior } => {
                if let Some(value) = value {
                    self.expr(value);
                }
                if let ExprKind::Call { callee, .. } = &prior.node
                    && let ExprKind::Name(name) = &callee.node
                    && self.user(name).is_none()
                    && registry::find(name).is_none()
                {
                    let user = self.user_names();
                    let error = unknown::prior(registry::library(), name, user.iter().map(|n| &**n));
                    self.report(error, callee.span);
                    return Known::Kind(Kind::Param);
                }
                self.wants(prior, "a prior after `~`, such as `LogNormal(0, 1)`", |kind| kind == Kind::Dist);
                Known::Kind(Kind::Param)
            }
            ExprKind::Call { callee, args } => self.call(callee, None, args, expr.span),
            ExprKind::Index { value, index } => {
                let listed = |kind| matches!(kind, Kind::List | Kind::Range | Kind::String);
                self.wants(value, "a list before `[`", listed);
                self.expr(index);
                Known::Nothing
            }
            ExprKind::Member { value, member } => {
                if let Some(kind) = self.expr(value).kind()
                    && !kind.info().open_members
                    && !kind.members().iter().any(|(name, _)| *name == &*member.node)
                {
                    self.report(unknown::member(registry::library(), kind, &member.node, &[]), member.span);
                }
                Known::Nothing
            }
        }
    }

    /// Checks that the kind of an expression, if known, is an accepted one.
    fn wants(&mut self, expr: &Expr, what: &str, fits: impl Fn(Kind) -> bool) {
        if let Some(kind) = self.expr(expr).kind().filter(|kind| !fits(*kind)) {
            self.report(expected_kind(what, kind), expr.span);
        }
    }

    fn name(&mut self, name: &Arc<str>, span: Span) -> Known {
        if let Some(known) = self.user(name) {
            return known;
        }
        if let Some(entry) = registry::find(name) {
            return match entry.as_value() {
                Value::Function(_) => Known::Entry(entry),
                Value::Kernel(_) => Known::Columns(Kind::Kernel, Arc::default()),
                other => Known::Kind(other.kind()),
            };
        }
        let user = self.user_names();
        let error = unknown::name(registry::library(), name, user.iter().map(|n| &**n));
        self.report(self.remark_on_order(name, error), span);
        Known::Nothing
    }

    fn chain(&mut self, first: &Expr, rest: &[(Spanned<BinaryOp>, Expr)]) -> Known {
        let Some((op, _)) = rest.first() else {
            return self.expr(first);
        };
        match op.node {
            BinaryOp::Pipe => {
                let mut known = self.expr(first);
                let mut span = first.span;
                for (_, step) in rest {
                    let piped = Some((known, span));
                    known = match &step.node {
                        ExprKind::Call { callee, args } => self.call(callee, piped, args, step.span),
                        _ => self.call(step, piped, &[], step.span),
                    };
                    span = span.to(step.span);
                }
                known
            }
            BinaryOp::Compose => {
                let (mut columns, mut model, mut deep) = (Vec::new(), false, false);
                for part in std::iter::once(first).chain(rest.iter().map(|(_, part)| part)) {
                    let is_builtin = matches!(&part.node, ExprKind::Name(name) if registry::find(name).is_some());
                    if !is_builtin || is_family(part) {
                        let known = self.expr(part);
                        columns.extend_from_slice(known.columns());
                        model |= matches!(known.kind(), Some(Kind::Model | Kind::Kernel));
                        deep |= known.kind() == Some(Kind::DeepModel);
                    }
                }
                if deep {
                    return Known::Kind(Kind::DeepModel);
                }
                if model { Known::Columns(Kind::Model, Arc::new(columns)) } else { Known::Nothing }
            }
            BinaryOp::Or | BinaryOp::And => {
                for part in std::iter::once(first).chain(rest.iter().map(|(_, part)| part)) {
                    self.wants(part, "true or false", |kind| kind == Kind::Bool);
                }
                Known::Kind(Kind::Bool)
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let left = self.expr(first).kind();
                for (op, operand) in rest {
                    let right = self.expr(operand).kind();
                    let ordered = !matches!(op.node, BinaryOp::Eq | BinaryOp::Ne);
                    if let (true, Some(a), Some(b)) = (ordered, left, right)
                        && !(a == b && matches!(a, Kind::Number | Kind::String))
                    {
                        self.report(operators::incomparable(op.node, a, b), op.span);
                    }
                    if let (false, Some(a), Some(b)) = (ordered, left, right)
                        && let Err(error) = operators::check_equality(op.node, a, b)
                    {
                        self.report(error, op.span);
                    }
                }
                Known::Kind(Kind::Bool)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow => {
                let known = self.expr(first);
                let mut columns = known.columns().to_vec();
                let mut kind = known.kind();
                for (op, operand) in rest {
                    let right = self.expr(operand);
                    columns.extend_from_slice(right.columns());
                    let right = right.kind();
                    kind = match (kind, right) {
                        (Some(a), Some(b)) => match operators::kinds(op.node, a, b) {
                            Ok(kind) => kind,
                            Err(error) => {
                                self.report(error, op.span);
                                None
                            }
                        },
                        _ => None,
                    };
                }
                match kind {
                    Some(Kind::Kernel) => Known::Columns(Kind::Kernel, Arc::new(columns)),
                    kind => kind.map_or(Known::Nothing, Known::Kind),
                }
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, span: Span) -> Known {
        if op == UnaryOp::Not {
            self.wants(operand, "true or false after `not`", |kind| kind == Kind::Bool);
            return Known::Kind(Kind::Bool);
        }
        match self.expr(operand).kind() {
            None => Known::Nothing,
            Some(Kind::Number) => Known::Kind(Kind::Number),
            Some(Kind::List | Kind::Range) => Known::Kind(Kind::List),
            Some(other) => {
                self.report(operators::cannot_negate(other), span);
                Known::Nothing
            }
        }
    }
}

fn is_family(expr: &Expr) -> bool {
    matches!(&expr.node, ExprKind::Name(name) if registry::find(name).is_some_and(Entry::is_family))
}
