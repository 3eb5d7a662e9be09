//! Binary operators, as named by the grammar.

use super::super::ast::BinaryOp;
use super::super::grammar::Rule;
use super::super::precedence::Level;

/// A binary operator.
#[derive(Clone, Copy)]
pub(super) enum Infix {
    Binary(BinaryOp),
    Range { inclusive: bool },
}

impl Infix {
    pub(super) fn level(self) -> Level {
        match self {
            Infix::Binary(op) => op.level(),
            Infix::Range { .. } => Level::Compare,
        }
    }
}

/// The operator of a rule; `None` if it is not an operator.
pub(super) fn infix(rule: Rule) -> Option<Infix> {
    Some(Infix::Binary(match rule {
        Rule::pipe => BinaryOp::Pipe,
        Rule::compose => BinaryOp::Compose,
        Rule::kw_or => BinaryOp::Or,
        Rule::kw_and => BinaryOp::And,
        Rule::eq => BinaryOp::Eq,
        Rule::ne => BinaryOp::Ne,
        Rule::lt => BinaryOp::Lt,
        Rule::le => BinaryOp::Le,
        Rule::gt => BinaryOp::Gt,
        Rule::ge => BinaryOp::Ge,
        Rule::add => BinaryOp::Add,
        Rule::sub => BinaryOp::Sub,
        Rule::mul => BinaryOp::Mul,
        Rule::div => BinaryOp::Div,
        Rule::rem => BinaryOp::Rem,
        Rule::pow => BinaryOp::Pow,
        Rule::range => return Some(Infix::Range { inclusive: false }),
        Rule::range_to => return Some(Infix::Range { inclusive: true }),
        _ => return None,
    }))
}
