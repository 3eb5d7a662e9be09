//! Operators: `+ - * / ^`, comparisons and `-x` for each kind of value.
//!
//! Arithmetic on lists is item by item. Chains are folded flat, so a sum of 100,000 terms takes linear time.

use std::sync::Arc;

use crate::calendar;
use crate::kernel::wraps::power;
use crate::kernel::{Kernel, LARGEST_KERNEL};
use crate::lang::error::{LangError, Res};
use crate::lang::values::value::{Kind, List, Value, check_length};
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::syntax::span::{Span, Spanned};

/// Folds a chain of `+ -`, `* / %` or `^` from the left. Text that grows by appending is copied only once.
pub struct Fold {
    acc: Acc,
    span: Span,
}

enum Acc {
    Value(Value),
    Text(String),
    /// Terms of a sum of kernels.
    Sum(Vec<Kernel>),
    /// Factors of a product of kernels.
    Product(Vec<Kernel>),
}

impl Fold {
    pub fn new(first: Value, span: Span) -> Self {
        Self { acc: Acc::Value(first), span }
    }

    pub fn apply(&mut self, op: Spanned<BinaryOp>, value: Value, span: Span) -> Res<()> {
        let acc = std::mem::replace(&mut self.acc, Acc::Value(Value::Nothing));
        self.acc = match (acc, op.node, value) {
            (Acc::Text(mut text), BinaryOp::Add, Value::Str(more)) => {
                check_text(text.len() + more.len()).map_err(|t| t.at(op.span))?;
                text.push_str(&more);
                Acc::Text(text)
            }
            (Acc::Text(text), BinaryOp::Add, Value::Number(x)) => {
                let joined = with_number(&text, x, true).map_err(|t| t.at(op.span))?;
                Acc::Text(joined)
            }
            (Acc::Value(Value::Str(text)), BinaryOp::Add, more @ Value::Str(_)) => {
                self.acc = Acc::Text(text.to_string());
                return self.apply(op, more, span);
            }
            (Acc::Sum(mut terms), BinaryOp::Add, Value::Kernel(kernel)) => {
                terms.push(kernel);
                Acc::Sum(terms)
            }
            (Acc::Product(mut factors), BinaryOp::Mul, Value::Kernel(kernel)) => {
                factors.push(kernel);
                Acc::Product(factors)
            }
            (Acc::Value(Value::Kernel(first)), BinaryOp::Add, Value::Kernel(second)) => Acc::Sum(vec![first, second]),
            (Acc::Value(Value::Kernel(first)), BinaryOp::Mul, Value::Kernel(second)) => {
                Acc::Product(vec![first, second])
            }
            (acc, node, value) => {
                let left = acc.close().map_err(|t| t.at(op.span))?;
                Acc::Value(binary(node, left, value).map_err(|t| place(t, op.span, self.span, span))?)
            }
        };
        self.span = self.span.to(span);
        Ok(())
    }

    pub fn finish(self) -> Res<Value> {
        let span = self.span;
        self.acc.close().map_err(|t| t.at(span))
    }
}

impl Acc {
    fn close(self) -> Res<Value> {
        match self {
            Acc::Value(value) => Ok(value),
            Acc::Text(text) => Ok(Value::str(text)),
            // Both have at least two parts.
            Acc::Sum(terms) => {
                check_size(&terms)?;
                Kernel::sum(terms).map_or(Ok(Value::Nothing), kernel)
            }
            Acc::Product(factors) => {
                check_size(&factors)?;
                Kernel::product(factors).map_or(Ok(Value::Nothing), kernel)
            }
        }
    }
}

/// A kernel as a value, unless it is nested too deeply to be parsed from its printed form.
pub fn kernel(kernel: Kernel) -> Res<Value> {
    const MOST: usize = 100;
    if kernel.depth() > MOST {
        return Err(LangError::new(format!("kernels are nested more than {MOST} deep")));
    }
    check_size(std::slice::from_ref(&kernel))?;
    Ok(Value::Kernel(kernel))
}

/// Rejects kernels that have too many parts together.
fn check_size(kernels: &[Kernel]) -> Res<()> {
    let size = kernels.iter().fold(0usize, |size, kernel| size.saturating_add(kernel.size()));
    if size <= LARGEST_KERNEL {
        return Ok(());
    }
    let grouped = crate::lang::numerals::grouped;
    let text = format!("a kernel of {} parts is too large: the limit is {}", grouped(size), grouped(LARGEST_KERNEL));
    Err(LangError::new(text).help("a kernel that is used twice counts twice; a number scales one, as in `2 * k`"))
}

/// The names of operands in errors.
const LEFT: &str = "left";
const RIGHT: &str = "right";

/// Sets the span of an error to that of the operand that caused it, or else of the operator.
fn place(error: LangError, op: Span, left: Span, right: Span) -> LangError {
    let span = match error.argument_name() {
        Some(LEFT) => left,
        Some(RIGHT) => right,
        _ => op,
    };
    error.at(span)
}

fn check_text(n: usize) -> Res<()> {
    if n > List::MAX {
        return Err(LangError::new(format!("a string of {} bytes does not fit", crate::lang::numerals::grouped(n))));
    }
    Ok(())
}

/// A string joined with a number, which is written as it is shown. A date is refused: what looks like a later date
/// would be a longer text.
fn with_number(text: &str, x: f64, text_first: bool) -> Res<String> {
    if calendar::date_like(text) && calendar::date(text).is_some() {
        return Err(LangError::new(format!("a number is not added to the date \"{text}\"")).help(
            "in `where`, `mutate` and `sort` a column of dates is a number in its unit; `str(number)` joins the texts",
        ));
    }
    let number = crate::lang::numerals::number(x);
    check_text(text.len() + number.len())?;
    Ok(if text_first { format!("{text}{number}") } else { format!("{number}{text}") })
}

/// One arithmetic operation.
pub fn binary(op: BinaryOp, left: Value, right: Value) -> Res<Value> {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Ok(Value::Number(arithmetic(op, a, b))),
        (Value::Str(a), Value::Str(b)) if op == BinaryOp::Add => {
            check_text(a.len() + b.len())?;
            Ok(Value::Str(Arc::from(format!("{a}{b}"))))
        }
        (Value::Str(text), Value::Number(x)) if op == BinaryOp::Add => with_number(&text, x, true).map(Value::str),
        (Value::Number(x), Value::Str(text)) if op == BinaryOp::Add => with_number(&text, x, false).map(Value::str),
        (Value::Kernel(left), Value::Kernel(right)) => kernels(op, left, right),
        (Value::Kernel(kernel), Value::Number(x)) => kernel_number(op, kernel, x, true),
        (Value::Number(x), Value::Kernel(kernel)) => kernel_number(op, kernel, x, false),
        (left, right) => each(op, left, right),
    }
}

fn kernels(op: BinaryOp, left: Kernel, right: Kernel) -> Res<Value> {
    check_size(&[left.clone(), right.clone()])?;
    let made = match op {
        BinaryOp::Add => Kernel::sum([left, right]),
        BinaryOp::Mul => Kernel::product([left, right]),
        _ => None,
    };
    made.map_or_else(|| Err(unfit(op, Kind::Kernel, Kind::Kernel)), kernel)
}

/// A kernel and a number: the number is a fixed constant kernel, a fixed factor, or an exponent.
fn kernel_number(op: BinaryOp, base: Kernel, x: f64, kernel_first: bool) -> Res<Value> {
    let shown = crate::lang::numerals::number(x);
    let side = if kernel_first { RIGHT } else { LEFT };
    let number = |x: f64| {
        if x > 0.0 && x.is_finite() {
            return Ok(Kernel::number(x));
        }
        let what = if op == BinaryOp::Add { "is added to" } else { "scales" };
        let text = format!("a number that {what} a kernel is a variance and must be positive, found {shown}");
        Err(LangError::new(text).argument(side))
    };
    let pair = |number: Kernel| if kernel_first { [base.clone(), number] } else { [number, base.clone()] };
    let made = match op {
        BinaryOp::Add if x == 0.0 => Some(base),
        BinaryOp::Add => Kernel::sum(pair(number(x)?)),
        BinaryOp::Mul => Kernel::product(pair(number(x)?)),
        BinaryOp::Div if kernel_first => Kernel::product(pair(number(1.0 / x)?)),
        BinaryOp::Pow if kernel_first => {
            if !(1.0..=64.0).contains(&x) || x.fract() != 0.0 {
                let text = format!("the power of a kernel is a whole number from 1 to 64, found {shown}");
                return Err(LangError::new(text).argument(side));
            }
            Some(power(base, x as u32))
        }
        _ if kernel_first => return Err(unfit(op, Kind::Kernel, Kind::Number)),
        _ => return Err(unfit(op, Kind::Number, Kind::Kernel)),
    };
    made.map_or(Ok(Value::Nothing), kernel)
}

/// Item by item, if one operand is a list.
fn each(op: BinaryOp, left: Value, right: Value) -> Res<Value> {
    match (left.items(), right.items()) {
        (Some(a), Some(b)) => {
            if a.len() != b.len() {
                return Err(LangError::new(format!(
                    "`{}` of lists needs as many items on both sides, found {} and {}",
                    op.sign(),
                    a.len(),
                    b.len()
                )));
            }
            check_length(a.len())?;
            List::collect(a.zip(b).map(|(a, b)| binary(op, a, b))).map(Value::List)
        }
        (Some(a), None) => {
            check_length(a.len())?;
            List::collect(a.map(|a| binary(op, a, right.clone()))).map(Value::List)
        }
        (None, Some(b)) => {
            check_length(b.len())?;
            List::collect(b.map(|b| binary(op, left.clone(), b))).map(Value::List)
        }
        (None, None) => Err(unfit(op, left.kind(), right.kind())),
    }
}

fn arithmetic(op: BinaryOp, a: f64, b: f64) -> f64 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Rem => remainder(a, b),
        BinaryOp::Pow => a.powf(b),
        _ => f64::NAN,
    }
}

/// The remainder a − b⌊a / b⌋, with the sign of b as in Python. It is exact, except where b is added to a remainder of
/// the other sign.
fn remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        0.0_f64.copysign(b)
    } else if (rest < 0.0) != (b < 0.0) {
        rest + b
    } else {
        rest
    }
}

/// The kind of the result of an operator, if it follows from the kinds of its operands; an error if they never fit.
pub fn kinds(op: BinaryOp, left: Kind, right: Kind) -> Res<Option<Kind>> {
    let list = |kind| matches!(kind, Kind::List | Kind::Range);
    match (left, right) {
        (Kind::Number, Kind::Number) => Ok(Some(Kind::Number)),
        (Kind::String | Kind::Number, Kind::String) | (Kind::String, Kind::Number) if op == BinaryOp::Add => {
            Ok(Some(Kind::String))
        }
        (Kind::Kernel | Kind::Number, Kind::Kernel) if matches!(op, BinaryOp::Add | BinaryOp::Mul) => {
            Ok(Some(Kind::Kernel))
        }
        (Kind::Kernel, Kind::Number) if !matches!(op, BinaryOp::Sub | BinaryOp::Rem) => Ok(Some(Kind::Kernel)),
        (a, b) if list(a) || list(b) => Ok(Some(Kind::List)),
        (a, b) => Err(unfit(op, a, b)),
    }
}

fn unfit(op: BinaryOp, left: Kind, right: Kind) -> LangError {
    let (a, b) = (left.noun(), right.noun());
    if op == BinaryOp::Sub && (left, right) == (Kind::Kernel, Kind::Number) {
        return LangError::new("a number cannot be subtracted from a kernel: a variance cannot be negative")
            .help("an offset of the function belongs in its mean: `gp(k, mean=…)`");
    }
    if op == BinaryOp::Sub && right == Kind::Kernel && matches!(left, Kind::Kernel | Kind::Number) {
        return LangError::new("kernels cannot be subtracted: a difference of covariances need not be a covariance")
            .help("for interactions of pairs of inputs write `additive(order=2)`");
    }
    let error = match op {
        BinaryOp::Add => LangError::new(format!("cannot add {a} and {b}")),
        BinaryOp::Sub => LangError::new(format!("cannot subtract {b} from {a}")),
        BinaryOp::Mul => LangError::new(format!("cannot multiply {a} by {b}")),
        BinaryOp::Div => LangError::new(format!("cannot divide {a} by {b}")),
        BinaryOp::Rem => LangError::new(format!("cannot take the remainder of {a} by {b}")),
        BinaryOp::Pow => LangError::new(format!("cannot raise {a} to {b}")),
        _ => LangError::new(format!("`{}` does not apply to {a} and {b}", op.sign())),
    };
    match (left, right) {
        (Kind::Function, _) | (_, Kind::Function) => error.help("call the function first: `f(x)`"),
        (Kind::Kernel, Kind::Kernel | Kind::Number) => {
            error.help("kernels are combined by `+`, by `*`, and by `^` with a whole number")
        }
        (Kind::String, _) | (_, Kind::String) if op == BinaryOp::Add => {
            error.help("`str(value)` makes a string of a value")
        }
        _ => error,
    }
}

/// `== != < <= > >=`.
pub fn compare(op: BinaryOp, left: &Value, right: &Value) -> Res<bool> {
    let order = match (op, left, right) {
        (BinaryOp::Eq, ..) => return equal(op, left, right),
        (BinaryOp::Ne, ..) => return Ok(!equal(op, left, right)?),
        (_, Value::Number(a), Value::Number(b)) => a.partial_cmp(b),
        // dates of different precision: 2020-02 is before 2020-02-01T12:00
        (_, Value::Str(a), Value::Str(b)) => match (calendar::date(a), calendar::date(b)) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            (Some(_), None) => return Err(not_a_date(b)),
            (None, Some(_)) => return Err(not_a_date(a)),
            (None, None) => Some(a.cmp(b)),
        },
        _ => {
            return Err(incomparable(op, left.kind(), right.kind()));
        }
    };
    Ok(order.is_some_and(|order| match op {
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }))
}

/// Whether two values are equal. Values of different kinds are never equal, so comparing them is an error; only nothing
/// can be compared with everything. Lists are compared item by item.
fn equal(op: BinaryOp, left: &Value, right: &Value) -> Res<bool> {
    if matches!((left, right), (Value::Range(_), Value::Range(_))) {
        return Ok(left.same(right));
    }
    if let (Some(a), Some(b)) = (left.items(), right.items()) {
        if a.len() != b.len() {
            return Ok(false);
        }
        for (a, b) in a.zip(b) {
            if !equal(op, &a, &b)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    check_equality(op, left.kind(), right.kind())?;
    match (left, right) {
        (Value::Str(a), Value::Str(b)) if a != b => same_date(a, b),
        _ => Ok(left.same(right)),
    }
}

/// Whether two different texts are the same date. A text that looks like a date and is none is an error beside a date.
fn same_date(a: &str, b: &str) -> Res<bool> {
    match (calendar::date(a), calendar::date(b)) {
        (Some(a), Some(b)) => Ok(a == b),
        (Some(_), None) if calendar::date_like(b) => Err(not_a_date(b)),
        (None, Some(_)) if calendar::date_like(a) => Err(not_a_date(a)),
        _ => Ok(false),
    }
}

fn not_a_date(text: &str) -> LangError {
    LangError::new(format!("`{text}` is compared with a date, and is not a date that can be read"))
        .help("dates are written such as 2024-01-31, with a time 2024-01-31 12:30")
}

/// Rejects `==` and `!=` between kinds of values that are never equal.
pub fn check_equality(op: BinaryOp, left: Kind, right: Kind) -> Res<()> {
    let list = |kind| matches!(kind, Kind::List | Kind::Range);
    if left == right || left == Kind::Nothing || right == Kind::Nothing || (list(left) && list(right)) {
        return Ok(());
    }
    let always = if op == BinaryOp::Eq { "false" } else { "true" };
    Err(LangError::new(format!(
        "{} and {} are never equal: `{}` would always be {always}",
        left.noun(),
        right.noun(),
        op.sign()
    )))
}

/// The error for values without an order.
pub fn incomparable(op: BinaryOp, left: Kind, right: Kind) -> LangError {
    LangError::new(format!("cannot compare {} and {} by `{}`", left.noun(), right.noun(), op.sign()))
}

pub fn unary(op: UnaryOp, operand: Value) -> Res<Value> {
    match (op, operand) {
        (UnaryOp::Neg, Value::Number(x)) => Ok(Value::Number(-x)),
        (UnaryOp::Neg, list @ (Value::List(_) | Value::Range(_))) => binary(BinaryOp::Mul, Value::Number(-1.0), list),
        (UnaryOp::Not, Value::Bool(b)) => Ok(Value::Bool(!b)),
        (UnaryOp::Neg, other) => Err(cannot_negate(other.kind())),
        (UnaryOp::Not, other) => Err(crate::lang::values::cast::expected("true or false after `not`", &other)),
    }
}

pub fn cannot_negate(kind: Kind) -> LangError {
    if kind == Kind::Kernel {
        return LangError::new("a kernel cannot be negative: the negative of a covariance is not a covariance");
    }
    LangError::new(format!("cannot negate {}", kind.noun()))
}
