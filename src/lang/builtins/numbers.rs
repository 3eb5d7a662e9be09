//! Functions of numbers. Each also applies to lists, item by item.

use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::numerals::number;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{List, Value, check_length};

/// Applies a function of one number to a number or to every number of a list.
fn each(call: &mut Call<'_, '_>, f: fn(f64) -> f64) -> Res<Value> {
    let name = call.signature.name;
    let value: Value = call.arg("x")?;
    walk(value, name, f).map_err(|t| t.argument("x"))
}

fn walk(value: Value, name: &str, f: fn(f64) -> f64) -> Res<Value> {
    let Some(items) = value.items() else {
        let x = f64::from_value(value)?;
        let y = f(x);
        if y.is_nan() && !x.is_nan() {
            return Err(LangError::new(format!("`{name}` is not defined at {}", number(x))));
        }
        return Ok(Value::Number(y));
    };
    check_length(items.len())?;
    List::collect(items.map(|item| walk(item, name, f))).map(Value::List)
}

macro_rules! functions {
    ($($run:ident = $name:literal, $f:expr, $summary:literal, $example:literal;)*) => {
        $(fn $run(call: &mut Call<'_, '_>) -> Res<Value> {
            each(call, $f)
        })*

        pub static NUMBERS: &[Builtin] = &[$(Builtin {
            name: $name,
            aliases: &[],
            group: Group::Numbers,
            places: &[Place::required("x", Want::Numbers, "a number, or a list of them")],
            result: None,
            summary: $summary,
            help: "",
            examples: &[$example],
            touches: Touches::Nothing,
            run: $run,
        }),*];
    };
}

functions! {
    abs = "abs", f64::abs, "the absolute value of a number", "abs(-2)";
    exp = "exp", f64::exp, "the exponential function", "exp(1)";
    log = "log", f64::ln, "the natural logarithm", "log(10)";
    log1p = "log1p", f64::ln_1p, "the natural logarithm of 1 + x, exact for small x", "log1p(0.5)";
    logit = "logit", |x| (x / (1.0 - x)).ln(), "the log odds of a probability: log(x / (1 − x))", "logit(0.8)";
    log10 = "log10", f64::log10, "the logarithm to base 10", "log10(1000)";
    log2 = "log2", f64::log2, "the logarithm to base 2", "log2(8)";
    sqrt = "sqrt", f64::sqrt, "the square root", "sqrt(2)";
    sin = "sin", f64::sin, "the sine of an angle in radians", "sin(pi / 2)";
    cos = "cos", f64::cos, "the cosine of an angle in radians", "cos(0)";
    tan = "tan", f64::tan, "the tangent of an angle in radians", "tan(0)";
    tanh = "tanh", f64::tanh, "the hyperbolic tangent", "tanh(0.5)";
    round = "round", f64::round, "the nearest whole number", "round(2.6)";
    floor = "floor", f64::floor, "the greatest whole number that is not greater", "floor(2.6)";
    ceil = "ceil", f64::ceil, "the least whole number that is not less", "ceil(2.1)";
}
