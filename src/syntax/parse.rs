//! Text to syntax tree.
//!
//! The grammar gives each expression as a flat list of operands and operators; precedence is applied here. An error in
//! a statement does not hide the next: [`parse_all`] returns the statements without errors and all errors.

mod escape;
mod infix;
mod operand;

use std::iter::Peekable;
use std::ops::Range;
use std::sync::Arc;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::{Pair, Pairs};

use self::infix::{Infix, infix};
use super::advice;
use super::ast::{BinaryOp, Expr, ExprKind, FnParam, Lambda, Name, Program, Statement, StatementKind, UnaryOp};
use super::diagnostic::Diagnostic;
use super::grammar::{Grammar, Rule};
use super::layout::{Layout, Piece, lay_out, too_deep};
use super::precedence::Level;
use super::span::{SourceId, Span, Spanned};

/// The largest depth of a tree. Walks over a tree may recurse to this depth.
pub const MAX_DEPTH: usize = 256;

/// The number of statements with errors after which parsing stops.
const MOST_FAULTS: usize = 100;

/// Brackets up to this depth are parsed on the caller's stack, deeper ones on a separate stack.
const SHALLOW: usize = 24;
const DEEP_STACK: usize = 64 << 20;

/// The parsed statements of a text, and the errors of the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub program: Program,
    /// One for each statement with an error, in the order of the text, up to a hundred.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a program; the first error is returned.
pub fn parse(text: &str, source: SourceId) -> Result<Program, Diagnostic> {
    let parsed = parse_all(text, source);
    match parsed.diagnostics.into_iter().next() {
        None => Ok(parsed.program),
        Some(diagnostic) => Err(diagnostic),
    }
}

/// Parses all statements without errors.
pub fn parse_all(text: &str, source: SourceId) -> Parsed {
    parse_layout(&lay_out(text, source), source)
}

pub(super) fn parse_layout(layout: &Layout, source: SourceId) -> Parsed {
    let mut parsed = Parsed { program: Program { statements: Vec::new() }, diagnostics: Vec::new() };
    for piece in &layout.pieces {
        match parse_piece(layout, piece, source) {
            Ok(statement) => parsed.program.statements.push(statement),
            Err(diagnostic) => parsed.diagnostics.push(diagnostic),
        }
        if parsed.diagnostics.len() >= MOST_FAULTS {
            break;
        }
    }
    parsed
}

fn parse_piece(layout: &Layout, piece: &Piece, source: SourceId) -> Result<Statement, Diagnostic> {
    if let Some(fault) = &piece.fault {
        return Err(fault.clone());
    }
    if piece.depth <= SHALLOW {
        return parse_statement(layout, piece, source);
    }
    let refused = || too_deep(Span::new(source, piece.bytes.start, piece.bytes.end));
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(DEEP_STACK)
            .spawn_scoped(scope, || parse_statement(layout, piece, source))
            .map_err(|_| refused())?
            .join()
            .map_err(|_| refused())?
    })
}

fn parse_statement(layout: &Layout, piece: &Piece, source: SourceId) -> Result<Statement, Diagnostic> {
    let builder = Builder { source, base: piece.bytes.start };
    let mut pairs = Grammar::parse(Rule::line, &layout.text[piece.bytes.clone()]).map_err(|error| {
        let at = piece.bytes.start
            + match error.location {
                InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
            };
        match error.variant {
            ErrorVariant::ParsingError { positives, .. } => advice::unexpected(layout, piece, source, at, &positives),
            ErrorVariant::CustomError { .. } => too_deep(Span::new(source, piece.bytes.start, piece.bytes.end)),
        }
    })?;
    let statement = pairs.next().ok_or_else(|| builder.broken(piece.bytes.clone()))?;
    builder.statement(statement, piece.bytes.clone())
}

/// An expression and its depth.
struct Built {
    expr: Expr,
    depth: usize,
}

/// A prefix operator before its operand.
type Prefix = Spanned<UnaryOp>;

enum Head {
    Lambda(Vec<FnParam>, Span),
    If { cond: Built, then: Built, span: Span },
}

type Items<'a> = Peekable<Pairs<'a, Rule>>;
type Result<T, E = Diagnostic> = std::result::Result<T, E>;

/// Builds the tree of one statement, whose text starts at `base`.
struct Builder {
    source: SourceId,
    base: usize,
}

impl Builder {
    fn span(&self, pair: &Pair<Rule>) -> Span {
        // A rule with lookahead includes the blanks after it.
        let start = self.base + pair.as_span().start();
        Span::new(self.source, start, start + pair.as_str().trim_end().len())
    }

    /// The error if the grammar and this file disagree: an internal error that must not end the session.
    fn broken(&self, bytes: Range<usize>) -> Diagnostic {
        Diagnostic::error("the parser failed here; this is a bug in Mercer")
            .label(Span::new(self.source, bytes.start, bytes.end), "while reading this")
    }

    fn lost(&self, span: Span) -> Diagnostic {
        self.broken(span.start..span.end)
    }

    fn statement(&self, pair: Pair<Rule>, bytes: Range<usize>) -> Result<Statement> {
        let span = Span::new(self.source, bytes.start, bytes.end);
        let node = match pair.as_rule() {
            Rule::let_statement => {
                let (mut names, mut values) = (Vec::new(), Vec::new());
                for inner in pair.into_inner() {
                    match inner.as_rule() {
                        Rule::name => names.push(self.name(&inner)),
                        Rule::expr => values.push(self.expr(inner)?.expr),
                        _ => {}
                    }
                }
                StatementKind::Let { names, values }
            }
            Rule::fn_statement => self.function(pair, span)?,
            Rule::import_statement => {
                let file = pair.into_inner().find(|inner| inner.as_rule() == Rule::string);
                let file = file.ok_or_else(|| self.lost(span))?;
                let at = self.span(&file);
                StatementKind::Import(Spanned::new(self.string(&file)?, at))
            }
            Rule::expr => StatementKind::Expr(self.expr(pair)?.expr),
            _ => return Err(self.lost(span)),
        };
        Ok(Statement { node, span })
    }

    fn function(&self, pair: Pair<Rule>, span: Span) -> Result<StatementKind> {
        let (mut name, mut params, mut body) = (None, Vec::new(), None);
        for inner in pair.into_inner() {
            match inner.as_rule() {
                Rule::name => name = Some(self.name(&inner)),
                Rule::param => params.push(self.param(inner)?),
                Rule::expr => body = Some(self.expr(inner)?.expr),
                _ => {}
            }
        }
        match (name, body) {
            (Some(name), Some(body)) => Ok(StatementKind::Fn { name, function: Arc::new(Lambda { params, body }) }),
            _ => Err(self.lost(span)),
        }
    }

    fn param(&self, pair: Pair<Rule>) -> Result<FnParam> {
        let span = self.span(&pair);
        let (mut name, mut default) = (None, None);
        for inner in pair.into_inner() {
            match inner.as_rule() {
                Rule::name => name = Some(self.name(&inner)),
                Rule::expr => default = Some(self.expr(inner)?.expr),
                _ => {}
            }
        }
        Ok(FnParam { name: name.ok_or_else(|| self.lost(span))?, default })
    }

    fn name(&self, pair: &Pair<Rule>) -> Name {
        Spanned::new(Arc::from(pair.as_str()), self.span(pair))
    }

    /// A node whose parts have the given depth.
    fn node(&self, node: ExprKind, span: Span, parts: usize) -> Result<Built> {
        if parts >= MAX_DEPTH {
            return Err(too_deep(span));
        }
        Ok(Built { expr: Expr { node, span }, depth: parts + 1 })
    }

    fn expr(&self, pair: Pair<Rule>) -> Result<Built> {
        let mut items = pair.into_inner().peekable();
        let mut heads = Vec::new();
        while let Some(head) = items.next_if(|item| matches!(item.as_rule(), Rule::lambda_head | Rule::if_head)) {
            if heads.len() >= MAX_DEPTH {
                return Err(too_deep(self.span(&head)));
            }
            heads.push(self.head(head)?);
        }
        let mut built = self.binary(&mut items, Level::Pipe)?;
        for head in heads.into_iter().rev() {
            built = match head {
                Head::Lambda(params, start) => {
                    let (span, depth) = (start.to(built.expr.span), built.depth);
                    self.node(ExprKind::Lambda(Arc::new(Lambda { params, body: built.expr })), span, depth)?
                }
                Head::If { cond, then, span } => {
                    let span = span.to(built.expr.span);
                    let depth = cond.depth.max(then.depth).max(built.depth);
                    let (cond, then, otherwise) = (Box::new(cond.expr), Box::new(then.expr), Box::new(built.expr));
                    self.node(ExprKind::If { cond, then, otherwise }, span, depth)?
                }
            };
        }
        Ok(built)
    }

    fn head(&self, pair: Pair<Rule>) -> Result<Head> {
        let span = self.span(&pair);
        if pair.as_rule() == Rule::lambda_head {
            let names = pair.into_inner().filter(|inner| inner.as_rule() == Rule::name);
            let params = names.map(|name| FnParam { name: self.name(&name), default: None }).collect();
            return Ok(Head::Lambda(params, span));
        }
        let mut parts = pair.into_inner().filter(|inner| inner.as_rule() == Rule::expr);
        let mut part = || self.expr(parts.next().ok_or_else(|| self.lost(span))?);
        Ok(Head::If { cond: part()?, then: part()?, span })
    }

    /// The next operator, if its precedence is at least `min`.
    fn next_infix(&self, items: &mut Items, min: Level) -> Option<Spanned<Infix>> {
        let pair = items.peek().filter(|item| item.as_rule() == Rule::infix)?;
        let span = self.span(pair);
        let op = infix(pair.clone().into_inner().next()?.as_rule())?;
        if op.level() < min {
            return None;
        }
        items.next();
        Some(Spanned::new(op, span))
    }

    fn binary(&self, items: &mut Items, min: Level) -> Result<Built> {
        let mut left = self.operand(items, min)?;
        while let Some(op) = self.next_infix(items, min) {
            left = self.chain(items, left, op)?;
        }
        Ok(left)
    }

    /// The operators and operands after `first` with the precedence of `op`.
    fn chain(&self, items: &mut Items, first: Built, op: Spanned<Infix>) -> Result<Built> {
        let level = op.node.level();
        let right = self.binary(items, level.tighter())?;
        let mut span = first.expr.span.to(right.expr.span);
        let mut depth = first.depth.max(right.depth);
        if level == Level::Compare
            && let Some(second) = self.next_infix(items, level)
        {
            return Err(advice::comparisons_chain(op.span, second.span));
        }
        let binary = match op.node {
            Infix::Binary(binary) => binary,
            Infix::Range { inclusive } => {
                let (start, end) = (Box::new(first.expr), Box::new(right.expr));
                return self.node(ExprKind::Range { start, end, inclusive }, span, depth);
            }
        };
        let mut rest = vec![(Spanned::new(binary, op.span), right.expr)];
        while let Some(op) = self.next_infix(items, level) {
            let Infix::Binary(binary) = op.node else { return Err(self.lost(op.span)) };
            let right = self.binary(items, level.tighter())?;
            span = span.to(right.expr.span);
            depth = depth.max(right.depth);
            rest.push((Spanned::new(binary, op.span), right.expr));
        }
        self.node(ExprKind::Chain { first: Box::new(first.expr), rest }, span, depth)
    }

    /// An operand with its prefix operators. `not` has a lower precedence than comparisons, so it cannot be inside one.
    fn operand(&self, items: &mut Items, min: Level) -> Result<Built> {
        let nots = self.prefixes(items, Rule::kw_not, UnaryOp::Not)?;
        if let Some(first) = nots.first() {
            if min > Level::Not {
                return Err(advice::misplaced_not(first.span));
            }
            let operand = self.binary(items, Level::Compare)?;
            return self.wrap(nots, operand);
        }
        let negs = self.prefixes(items, Rule::neg, UnaryOp::Neg)?;
        let operand = self.power(items)?;
        self.wrap(negs, operand)
    }

    fn prefixes(&self, items: &mut Items, rule: Rule, op: UnaryOp) -> Result<Vec<Prefix>> {
        let mut list: Vec<Prefix> = Vec::new();
        while let Some(pair) = items.next_if(|item| item.as_rule() == rule) {
            let span = self.span(&pair);
            if list.len() >= MAX_DEPTH {
                return Err(too_deep(span));
            }
            list.push(Spanned::new(op, span));
        }
        Ok(list)
    }

    fn wrap(&self, prefixes: Vec<Prefix>, mut built: Built) -> Result<Built> {
        for op in prefixes.into_iter().rev() {
            let span = op.span.to(built.expr.span);
            let depth = built.depth;
            built = self.node(ExprKind::Unary { op, operand: Box::new(built.expr) }, span, depth)?;
        }
        Ok(built)
    }

    /// `base ^ exponent ^ …`, right-associative; an exponent may have its own minus signs.
    fn power(&self, items: &mut Items) -> Result<Built> {
        let base = self.postfix(items)?;
        let mut exponents = Vec::new();
        while let Some(op) = self.next_infix(items, Level::Pow) {
            if exponents.len() >= MAX_DEPTH {
                return Err(too_deep(op.span));
            }
            let negs = self.prefixes(items, Rule::neg, UnaryOp::Neg)?;
            exponents.push((op.span, negs, self.postfix(items)?));
        }
        let Some((mut op, negs, last)) = exponents.pop() else { return Ok(base) };
        let mut right = self.wrap(negs, last)?;
        while let Some((before, negs, left)) = exponents.pop() {
            right = self.pow(left, op, right)?;
            right = self.wrap(negs, right)?;
            op = before;
        }
        self.pow(base, op, right)
    }

    fn pow(&self, base: Built, op: Span, exponent: Built) -> Result<Built> {
        let span = base.expr.span.to(exponent.expr.span);
        let depth = base.depth.max(exponent.depth);
        let rest = vec![(Spanned::new(BinaryOp::Pow, op), exponent.expr)];
        self.node(ExprKind::Chain { first: Box::new(base.expr), rest }, span, depth)
    }

    fn postfix(&self, items: &mut Items) -> Result<Built> {
        let Some(pair) = items.next() else { return Err(self.broken(self.base..self.base)) };
        if pair.as_rule() == Rule::kw_not {
            return Err(advice::misplaced_not(self.span(&pair)));
        }
        let mut built = self.primary(pair)?;
        while let Some(pair) = items.next_if(|item| matches!(item.as_rule(), Rule::call | Rule::index | Rule::member)) {
            let span = built.expr.span.to(self.span(&pair));
            let value = Box::new(built.expr);
            built = match pair.as_rule() {
                Rule::call => {
                    let (args, depth) = self.arguments(pair)?;
                    self.node(ExprKind::Call { callee: value, args }, span, depth.max(built.depth))?
                }
                Rule::index => {
                    let index = self.inner_expr(pair, span)?;
                    let depth = index.depth.max(built.depth);
                    self.node(ExprKind::Index { value, index: Box::new(index.expr) }, span, depth)?
                }
                _ => {
                    let name = pair.into_inner().find(|inner| inner.as_rule() == Rule::name);
                    let member = self.name(&name.ok_or_else(|| self.lost(span))?);
                    self.node(ExprKind::Member { value, member }, span, built.depth)?
                }
            };
        }
        Ok(built)
    }
}

#[cfg(test)]
mod tests;
