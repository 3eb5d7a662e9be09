//! The precedence of operators, for the parser and the printer.

use super::ast::BinaryOp;

/// The precedence of operators, the lowest first. `not` is between `and` and the comparisons, unary minus between `*`
/// and `^`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Head,
    Pipe,
    Compose,
    Or,
    And,
    Not,
    Compare,
    Add,
    Mul,
    Neg,
    Pow,
    Postfix,
}

impl Level {
    /// The next higher precedence.
    pub(super) fn tighter(self) -> Level {
        match self {
            Level::Head => Level::Pipe,
            Level::Pipe => Level::Compose,
            Level::Compose => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Not => Level::Compare,
            Level::Compare => Level::Add,
            Level::Add => Level::Mul,
            Level::Mul => Level::Neg,
            Level::Neg => Level::Pow,
            Level::Pow | Level::Postfix => Level::Postfix,
        }
    }
}

impl BinaryOp {
    pub(super) fn level(self) -> Level {
        match self {
            BinaryOp::Pipe => Level::Pipe,
            BinaryOp::Compose => Level::Compose,
            BinaryOp::Or => Level::Or,
            BinaryOp::And => Level::And,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Level::Compare,
            BinaryOp::Add | BinaryOp::Sub => Level::Add,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Level::Mul,
            BinaryOp::Pow => Level::Pow,
        }
    }

    /// The operator as it is written.
    pub fn sign(self) -> &'static str {
        match self {
            BinaryOp::Pipe => "|>",
            BinaryOp::Compose => ">>",
            BinaryOp::Or => "or",
            BinaryOp::And => "and",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Pow => "^",
        }
    }
}
