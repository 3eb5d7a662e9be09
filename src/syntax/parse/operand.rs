//! Operands: literals, names, lists, calls with their arguments.

use std::sync::Arc;

use pest::iterators::Pair;

use super::super::advice;
use super::super::ast::{Arg, Clause, Expr, ExprKind};
use super::super::diagnostic::Diagnostic;
use super::super::grammar::Rule;
use super::super::span::{Span, Spanned};
use super::escape::unescape;
use super::{Builder, Built, Items, Result};

impl Builder {
    pub(super) fn inner_expr(&self, pair: Pair<Rule>, span: Span) -> Result<Built> {
        let inner = pair.into_inner().find(|inner| inner.as_rule() == Rule::expr);
        self.expr(inner.ok_or_else(|| self.lost(span))?)
    }

    pub(super) fn arguments(&self, call: Pair<Rule>) -> Result<(Vec<Arg>, usize)> {
        let (mut args, mut deepest) = (Vec::new(), 0);
        for pair in call.into_inner().filter(|inner| inner.as_rule() == Rule::argument) {
            let (arg, depth) = self.argument(pair)?;
            deepest = deepest.max(depth);
            args.push(arg);
        }
        Ok((args, deepest))
    }

    /// `name ~ prior` gives the parameter `name` a prior, like `name=value ~ prior`; elsewhere the name is a value.
    fn argument(&self, pair: Pair<Rule>) -> Result<(Arg, usize)> {
        let mut inner = pair.into_inner().peekable();
        let keyword = inner.next_if(|item| item.as_rule() == Rule::keyword);
        let mut name = keyword.and_then(|keyword| keyword.into_inner().next()).map(|name| self.name(&name));
        let Built { expr: mut value, depth } = self.value(&mut inner)?;
        if name.is_none()
            && let ExprKind::Prior { value: given, .. } = &mut value.node
            && let Some(expr) = given.take()
        {
            match *expr {
                // A name in brackets is a value: its span is longer than the word.
                Expr { node: ExprKind::Name(word), span } if span.end - span.start == word.len() => {
                    name = Some(Spanned::new(word, span));
                }
                other => *given = Some(Box::new(other)),
            }
        }
        let span = name.as_ref().map_or(value.span, |name| name.span.to(value.span));
        Ok((Arg { name, value, span }, depth))
    }

    /// `e`, `e ~ prior` or `~ prior`.
    fn value(&self, inner: &mut Items) -> Result<Built> {
        let value = match inner.next_if(|item| item.as_rule() == Rule::expr) {
            Some(expr) => Some(self.expr(expr)?),
            None => None,
        };
        let Some(tilde) = inner.next() else {
            return value.ok_or_else(|| self.broken(self.base..self.base));
        };
        let span = self.span(&tilde);
        let prior = self.expr(inner.next().ok_or_else(|| self.lost(span))?)?;
        let start = value.as_ref().map_or(span, |value| value.expr.span);
        let depth = value.as_ref().map_or(0, |value| value.depth).max(prior.depth);
        let value = value.map(|value| Box::new(value.expr));
        let whole = start.to(prior.expr.span);
        self.node(ExprKind::Prior { value, prior: Box::new(prior.expr) }, whole, depth)
    }

    pub(super) fn primary(&self, pair: Pair<Rule>) -> Result<Built> {
        let span = self.span(&pair);
        let node = match pair.as_rule() {
            Rule::number => ExprKind::Number(self.number(&pair)?),
            Rule::string => ExprKind::Str(self.string(&pair)?),
            Rule::name => ExprKind::Name(Arc::from(pair.as_str())),
            Rule::constant => match pair.as_str() {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "inf" => ExprKind::Number(f64::INFINITY),
                _ => ExprKind::Number(std::f64::consts::PI),
            },
            Rule::group => {
                let mut inner = self.inner_expr(pair, span)?;
                inner.expr.span = span;
                return Ok(inner);
            }
            Rule::list => return self.list(pair, span),
            _ => return Err(self.lost(span)),
        };
        self.node(node, span, 0)
    }

    fn list(&self, pair: Pair<Rule>, span: Span) -> Result<Built> {
        let (mut items, mut clauses, mut deepest) = (Vec::new(), Vec::new(), 0);
        for inner in pair.into_inner() {
            match inner.as_rule() {
                Rule::item => {
                    let built = self.value(&mut inner.into_inner().peekable())?;
                    deepest = deepest.max(built.depth);
                    items.push(built.expr);
                }
                Rule::clause => {
                    let (clause, depth) = self.clause(inner)?;
                    deepest = deepest.max(depth);
                    clauses.push(clause);
                }
                _ => {}
            }
        }
        if clauses.is_empty() {
            return self.node(ExprKind::List(items), span, deepest);
        }
        let body = Box::new(items.pop().ok_or_else(|| self.lost(span))?);
        // Each clause runs inside the one before it.
        let depth = deepest + clauses.len() - 1;
        self.node(ExprKind::Comprehension { body, clauses }, span, depth)
    }

    fn clause(&self, pair: Pair<Rule>) -> Result<(Clause, usize)> {
        let span = self.span(&pair);
        let (mut vars, mut parts, mut depth) = (Vec::new(), Vec::new(), 0);
        for inner in pair.into_inner() {
            match inner.as_rule() {
                Rule::name => vars.push(self.name(&inner)),
                Rule::expr => {
                    let built = self.expr(inner)?;
                    depth = depth.max(built.depth);
                    parts.push(built.expr);
                }
                _ => {}
            }
        }
        let mut parts = parts.into_iter();
        let over = parts.next().ok_or_else(|| self.lost(span))?;
        Ok((Clause { vars, over, cond: parts.next() }, depth))
    }

    fn number(&self, pair: &Pair<Rule>) -> Result<f64> {
        match pair.as_str().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(Diagnostic::error("this number is too large")
                .label(self.span(pair), format!("the largest is {:e}", f64::MAX))
                .help("infinity is written `inf`")),
        }
    }

    pub(super) fn string(&self, pair: &Pair<Rule>) -> Result<Arc<str>> {
        let start = self.base + pair.as_span().start() + 1;
        let quoted = pair.as_str();
        let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("");
        unescape(inner).map(Arc::from).map_err(|(at, len)| {
            let span = Span::new(self.source, start + at, start + at + len);
            advice::unknown_escape(&inner[at..at + len], span)
        })
    }
}
