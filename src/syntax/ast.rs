//! The syntax tree: what the user wrote, with the span of every node, without meaning.
//!
//! Chains of operators of one precedence (`a + b - c`, `x |> f |> g`) are flat lists rather than left-leaning trees: a
//! sum of 100,000 terms is one node, so no walk over the tree recurses deeper than the brackets.

use std::sync::Arc;

use super::span::{Span, Spanned};

pub type Name = Spanned<Arc<str>>;

#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    pub statements: Vec<Statement>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub node: StatementKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `let a = e`, `let a, b = e, f`, `let a, b = list`.
    Let { names: Vec<Name>, values: Vec<Expr> },
    /// `fn name(params) = body`.
    Fn { name: Name, function: Arc<Lambda> },
    /// `import "file.mer"`.
    Import(Spanned<Arc<str>>),
    /// A bare expression, whose value is shown.
    Expr(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub node: ExprKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    Number(f64),
    Str(Arc<str>),
    Bool(bool),
    Name(Arc<str>),
    List(Vec<Expr>),
    /// `[body for x in xs if cond for y in ys]`. There is at least one clause; a later one runs inside those before it.
    Comprehension {
        body: Box<Expr>,
        clauses: Vec<Clause>,
    },
    /// `x -> e`, `(x, y) -> e`.
    Lambda(Arc<Lambda>),
    If {
        cond: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// Left-associative operators of one precedence: `first op expr op expr …`. `rest` is never empty. Comparisons do
    /// not chain, so they have one entry. `^` is right-associative and has one entry, whose operand may be another
    /// chain.
    Chain {
        first: Box<Expr>,
        rest: Vec<(Spanned<BinaryOp>, Expr)>,
    },
    Unary {
        op: Spanned<UnaryOp>,
        operand: Box<Expr>,
    },
    /// `a..b` or `a..=b`.
    Range {
        start: Box<Expr>,
        end: Box<Expr>,
        inclusive: bool,
    },
    /// `e ~ prior` or `~ prior`: only as the value of an argument or an item of a list.
    Prior {
        value: Option<Box<Expr>>,
        prior: Box<Expr>,
    },
    /// `callee(args)`.
    Call {
        callee: Box<Expr>,
        args: Vec<Arg>,
    },
    Index {
        value: Box<Expr>,
        index: Box<Expr>,
    },
    Member {
        value: Box<Expr>,
        member: Name,
    },
}

impl Expr {
    /// The expressions directly in it, in the order of the text: those of a comprehension are in its scope, except the first
    /// list, and the body of a function is in the scope of its parameters.
    pub fn parts(&self) -> Vec<&Expr> {
        match &self.node {
            ExprKind::Number(_) | ExprKind::Str(_) | ExprKind::Bool(_) | ExprKind::Name(_) => Vec::new(),
            ExprKind::List(items) => items.iter().collect(),
            ExprKind::Comprehension { body, clauses } => {
                let clauses = clauses.iter().flat_map(|clause| std::iter::once(&clause.over).chain(&clause.cond));
                std::iter::once(&**body).chain(clauses).collect()
            }
            ExprKind::Lambda(lambda) => {
                let defaults = lambda.params.iter().filter_map(|param| param.default.as_ref());
                defaults.chain([&lambda.body]).collect()
            }
            ExprKind::If { cond, then, otherwise } => vec![cond, then, otherwise],
            ExprKind::Chain { first, rest } => {
                std::iter::once(&**first).chain(rest.iter().map(|(_, operand)| operand)).collect()
            }
            ExprKind::Unary { operand, .. } => vec![operand],
            ExprKind::Range { start, end, .. } => vec![start, end],
            ExprKind::Prior { value, prior } => value.iter().chain([prior]).map(|part| &**part).collect(),
            ExprKind::Call { callee, args } => {
                std::iter::once(&**callee).chain(args.iter().map(|arg| &arg.value)).collect()
            }
            ExprKind::Index { value, index } => vec![value, index],
            ExprKind::Member { value, .. } => vec![value],
        }
    }
}

/// One loop of a comprehension: `for vars in over if cond`. Several names take apart a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    pub vars: Vec<Name>,
    pub over: Expr,
    pub cond: Option<Expr>,
}

/// The function of a `->` or a `fn`. Only `fn` has defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Lambda {
    pub params: Vec<FnParam>,
    pub body: Expr,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FnParam {
    pub name: Name,
    pub default: Option<Expr>,
}

/// One argument: `e`, `name=e`. `name ~ prior` and `name=e ~ prior` have an [`ExprKind::Prior`] as value.
#[derive(Debug, Clone, PartialEq)]
pub struct Arg {
    pub name: Option<Name>,
    pub value: Expr,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Pipe,
    Compose,
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Neg,
    Not,
}
