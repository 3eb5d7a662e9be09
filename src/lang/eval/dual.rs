//! Arithmetic of numbers with derivatives (dual numbers): each operation follows the chain rule.

use crate::kernel::Slope;
use crate::syntax::ast::BinaryOp;

/// A number that depends on nothing.
pub fn constant(value: f64) -> Slope {
    Slope { value, by: Vec::new() }
}

/// The i-th of `n` variables.
pub fn variable(value: f64, i: usize, n: usize) -> Slope {
    let mut by = vec![0.0; n];
    by[i] = 1.0;
    Slope { value, by }
}

/// f(x), given its value and its derivative at x. A direction in which x does not change gives 0 even where the
/// derivative is infinite.
fn chain(value: f64, slope: f64, x: &Slope) -> Slope {
    Slope { value, by: x.by.iter().map(|&by| if by == 0.0 { 0.0 } else { slope * by }).collect() }
}

/// a·∂x + b·∂y.
fn both(value: f64, (a, x): (f64, &Slope), (b, y): (f64, &Slope)) -> Slope {
    let times = |slope: f64, by: f64| if by == 0.0 { 0.0 } else { slope * by };
    let at = |by: &[f64], i: usize| by.get(i).copied().unwrap_or(0.0);
    let n = x.by.len().max(y.by.len());
    Slope { value, by: (0..n).map(|i| times(a, at(&x.by, i)) + times(b, at(&y.by, i))).collect() }
}

/// `+ - * / ^`; `None` for other operators.
pub fn binary(op: BinaryOp, x: &Slope, y: &Slope) -> Option<Slope> {
    let (a, b) = (x.value, y.value);
    Some(match op {
        BinaryOp::Add => both(a + b, (1.0, x), (1.0, y)),
        BinaryOp::Sub => both(a - b, (1.0, x), (-1.0, y)),
        BinaryOp::Mul => both(a * b, (b, x), (a, y)),
        BinaryOp::Div => both(a / b, (1.0 / b, x), (-a / (b * b), y)),
        BinaryOp::Pow => {
            let value = a.powf(b);
            let by_base = if b == 0.0 { 0.0 } else { b * a.powf(b - 1.0) };
            // 0^b does not change with b > 0
            let by_exponent = if a == 0.0 { 0.0 } else { value * a.ln() };
            both(value, (by_base, x), (by_exponent, y))
        }
        _ => return None,
    })
}

/// A function of one number by its name in the language: its value and its derivative. `None` for other names.
pub fn function(name: &str) -> Option<fn(f64) -> (f64, f64)> {
    Some(match name {
        "abs" => |x| (x.abs(), if x == 0.0 { 0.0 } else { x.signum() }),
        "exp" => |x| (x.exp(), x.exp()),
        "log" => |x| (x.ln(), 1.0 / x),
        "log1p" => |x| (x.ln_1p(), 1.0 / (1.0 + x)),
        "logit" => |x| ((x / (1.0 - x)).ln(), 1.0 / (x * (1.0 - x))),
        "log10" => |x| (x.log10(), 1.0 / (x * std::f64::consts::LN_10)),
        "log2" => |x| (x.log2(), 1.0 / (x * std::f64::consts::LN_2)),
        "sqrt" => |x| (x.sqrt(), 0.5 / x.sqrt()),
        "sin" => |x| (x.sin(), x.cos()),
        "cos" => |x| (x.cos(), -x.sin()),
        "tan" => |x| (x.tan(), 1.0 + x.tan() * x.tan()),
        "tanh" => |x| (x.tanh(), 1.0 - x.tanh() * x.tanh()),
        "round" => |x| (x.round(), 0.0),
        "floor" => |x| (x.floor(), 0.0),
        "ceil" => |x| (x.ceil(), 0.0),
        _ => return None,
    })
}

/// A function of one number at a number with derivatives.
pub fn apply(function: fn(f64) -> (f64, f64), x: &Slope) -> Slope {
    let (value, slope) = function(x.value);
    chain(value, slope, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, what: &str) {
        assert!(
            (found - expected).abs() < 1e-8 * expected.abs().max(1.0),
            "{what}: {found}, by differences {expected}"
        );
    }

    fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        let h = 1e-4;
        (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)
    }

    #[test]
    fn functions_have_their_derivatives() {
        for name in ["abs", "exp", "log", "log1p", "logit", "log10", "log2", "sqrt", "sin", "cos", "tan", "tanh"] {
            let f = function(name).unwrap();
            for x in [0.31, 0.77] {
                close(f(x).1, difference(|x| f(x).0, x), name);
            }
        }
        assert!(function("sort").is_none());
    }

    #[test]
    fn operators_have_theirs() {
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Pow] {
            let at = |a: f64, b: f64| binary(op, &constant(a), &constant(b)).unwrap().value;
            let found = binary(op, &variable(1.3, 0, 2), &variable(0.7, 1, 2)).unwrap();
            close(found.by[0], difference(|a| at(a, 0.7), 1.3), op.sign());
            close(found.by[1], difference(|b| at(1.3, b), 0.7), op.sign());
        }
        // the square root of 0 has no derivative, and one that does not depend on the variable needs none
        assert_eq!(apply(function("sqrt").unwrap(), &Slope { value: 0.0, by: vec![0.0, 1.0] }).by[0], 0.0);
        assert_eq!(binary(BinaryOp::Pow, &variable(0.0, 0, 1), &constant(1.0)).unwrap().by, [1.0]);
    }
}
