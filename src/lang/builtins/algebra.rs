//! Kernel algebra: sums of products, simpler forms, equality, and properties of kernels.

use crate::data::write::Table;
use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::operators::kernel as value;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::fit;
use crate::lang::values::value::{Kind, List, Value};

fn expand(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    kernel.expand_all().map_err(|error| LangError::new(error.to_string()).argument("kernel")).and_then(value)
}

fn simplify(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    value(kernel.simplify())
}

fn equal(call: &mut Call<'_, '_>) -> Res<Value> {
    let (one, other): (Kernel, Kernel) = (call.arg("one")?, call.arg("other")?);
    one.equal(&other).map(Value::Bool).map_err(|error| LangError::new(error.to_string()))
}

fn stationary(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    Ok(Value::Bool(kernel.stationary()))
}

fn latex(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    let formula: bool = call.or("formula", false)?;
    Ok(Value::str(if formula { kernel.latex_formula() } else { kernel.latex() }))
}

fn terms(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    let terms = kernel.all_terms().map_err(|error| LangError::new(error.to_string()).argument("kernel"))?;
    List::new(terms.into_iter().map(Value::Kernel).collect()).map(Value::List)
}

/// The parameters of a kernel as written, or those of a fit.
fn params(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel = match call.arg::<Value>("of")? {
        Value::Kernel(kernel) => kernel,
        Value::Fit(fit) => return Ok(fit::parameters(&fit)),
        other => return Err(expected("a kernel or a fit", &other).argument("of")),
    };
    let params = kernel.params();
    let text = |of: &dyn Fn(&crate::kernel::ParamInfo) -> Option<String>| params.iter().map(of).collect::<Vec<_>>();
    let number = |of: &dyn Fn(&crate::kernel::ParamInfo) -> f64| params.iter().map(of).collect::<Vec<_>>();
    let table = Table::new()
        .texts("parameter", text(&|p| Some(p.name.clone())))
        .numbers("value", &number(&|p| p.value))
        .texts("state", text(&|p| Some(if p.unset { format!("{}, unset", p.state) } else { p.state.into() })))
        .numbers("lo", &number(&|p| p.bounds.map_or(f64::NAN, |(lo, _)| lo)))
        .numbers("hi", &number(&|p| p.bounds.map_or(f64::NAN, |(_, hi)| hi)))
        .texts("prior", text(&|p| p.prior.map(|prior| prior.to_string())))
        .texts("tie", text(&|p| p.tie.as_ref().map(|tie| tie.to_string())));
    Ok(Value::table(table))
}

const KERNEL: Place = Place::required("kernel", Want::Kind(Kind::Kernel), "a kernel");

pub static ALGEBRA: &[Builtin] = &[
    Builtin {
        name: "expand",
        aliases: &[],
        group: Group::Kernels,
        places: &[KERNEL],
        result: Some(Kind::Kernel),
        summary: "the same kernel as a sum of products",
        help: "Parameters of a part that occurs in several terms are tied. Additive kernels whose inputs are named are \
               written out, and so is `ARD(SE([0, 1]))`, which is `SE(0) * SE(1)`.",
        examples: &["expand((SE(0) + Per(0)) * Lin(0))", "expand(additive([SE(0), SE(1)], order=2))"],
        touches: Touches::Nothing,
        run: expand,
    },
    Builtin {
        name: "simplify",
        aliases: &[],
        group: Group::Kernels,
        places: &[KERNEL],
        result: Some(Kind::Kernel),
        summary: "the same kernel in fewer parts, in a fixed order",
        help: "Fixed, bounded, tied and labelled parameters, and those with priors, are never merged.",
        examples: &["simplify(SE(0, l=1) * SE(0, l=1) + WN * SE(0))"],
        touches: Touches::Nothing,
        run: simplify,
    },
    Builtin {
        name: "equal",
        aliases: &[],
        group: Group::Kernels,
        places: &[
            Place::required("one", Want::Kind(Kind::Kernel), "a kernel"),
            Place::required("other", Want::Kind(Kind::Kernel), "another"),
        ],
        result: Some(Kind::Bool),
        summary: "whether two kernels are the same after expand and simplify",
        help: "Values agree to 1e-12; labels and ties are ignored, as a tie matters to a fit and not to the values. `SE(year)` and `SE(0)` are not equal until bound to data.",
        examples: &["equal(SE(0) * (Per(0) + Lin(0)), Lin(0) * SE(0) + SE(0) * Per(0))"],
        touches: Touches::Nothing,
        run: equal,
    },
    Builtin {
        name: "stationary",
        aliases: &[],
        group: Group::Kernels,
        places: &[KERNEL],
        result: Some(Kind::Bool),
        summary: "whether a kernel depends only on the difference of its inputs",
        help: "",
        examples: &["[stationary(k) for k in [SE(0) * Per(0), SE(0) + Lin(0)]]"],
        touches: Touches::Nothing,
        run: stationary,
    },
    Builtin {
        name: "latex",
        aliases: &[],
        group: Group::Kernels,
        places: &[
            KERNEL,
            Place::keyword("formula", Want::BOOL, "false", "the formula of its values instead of its names"),
        ],
        result: Some(Kind::String),
        summary: "a kernel in LaTeX",
        help: "In a formula, r is the distance between x and x' along the inputs below it, and parameters have the number of \
               their kernel in reading order. `help(SE)` explains the letters of a kernel.",
        examples: &["latex(SE(0) * Per(0) + Lin(0))", "latex(2 * SE(0), formula=true)"],
        touches: Touches::Nothing,
        run: latex,
    },
    Builtin {
        name: "terms",
        aliases: &[],
        group: Group::Kernels,
        places: &[KERNEL],
        result: Some(Kind::List),
        summary: "the parts of a kernel that are added",
        help: "An additive kernel whose inputs are named has the terms of all its orders.",
        examples: &["terms(SE(0) + Per(0) * Lin(0))"],
        touches: Touches::Nothing,
        run: terms,
    },
    Builtin {
        name: "params",
        aliases: &[],
        group: Group::Kernels,
        places: &[Place::required(
            "of",
            Want::Either(&[Want::Kind(Kind::Kernel), Want::Kind(Kind::Fit)]),
            "a kernel or a fit",
        )],
        result: Some(Kind::Table),
        summary: "the parameters of a kernel or of a fit, as a table",
        help: "Parameters of a kernel are shown as written, depth first, in the order in which a fit lists them.",
        examples: &["params(SE(0, l=2) * Per(0, p=fixed(1)))"],
        touches: Touches::Nothing,
        run: params,
    },
];
