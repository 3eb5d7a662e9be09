//! Combinators: constructions of kernels, from the specs of the kernel room.

use std::sync::Arc;

use super::constructions::{additive, compose, deep, embed, invariant, reflect};
use super::making::Making;
use crate::kernel::wraps::{self, AdditiveForm, Edges, PeriodicEmbedding, Shifts, WRAPS};
use crate::kernel::{Kernel, Spec};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::kernel_spans::Mark;
use crate::lang::signature::{Place, Want};
use crate::lang::values::value::{Kind, Value};

/// The arguments of a combinator in addition to the parameters of its spec, and its construction.
pub struct Combinator {
    pub name: &'static str,
    /// Places before its parameters.
    pub places: &'static [Place],
    make: fn(&mut Making<'_, '_, '_>) -> Res<Kernel>,
}

impl Combinator {
    /// The specs of its name: one, or one for each of its variants.
    pub fn specs(&self) -> impl Iterator<Item = &'static Spec> + use<> {
        let name = self.name;
        WRAPS.iter().copied().filter(move |spec| spec.name == name)
    }
}

const KERNEL: Place = Place::required("kernel", Want::Kind(Kind::Kernel), "a kernel");
const FUNCTION: Place = Place::required("function", Want::FUNCTION, "a function of the inputs of the kernel");
pub const PARAMETERS: Place = Place::keywords(
    "parameter",
    Want::Param,
    "a parameter of the function, by its name in it: where the fit starts, a number or a list of numbers",
);
const BASE: Place = Place::optional(
    "base",
    Want::Either(&[Want::Kind(Kind::Kernel), Want::Kind(Kind::List)]),
    "SE",
    "the kernel of each input, or a list with one kernel for each",
);
const DIMS: Place = Place::keyword("dims", Want::Input, "", "the inputs; all if left out");
const NORMALIZE: Place =
    Place::keyword("normalize", Want::BOOL, "false", "divide by the root of k(x, x) k(x', x'), for a variance of 1");
const FIRST: Place = Place::required("first", Want::Input, "an input");
const SECOND: Place = Place::required("second", Want::Input, "another input");

const fn embedded(
    name: &'static str,
    places: &'static [Place],
    make: fn(&mut Making<'_, '_, '_>) -> Res<Kernel>,
) -> Combinator {
    Combinator { name, places, make }
}

pub static COMBINATORS: &[Combinator] = &[
    Combinator {
        name: "changepoint",
        places: &[
            Place::required("before", Want::Kind(Kind::Kernel), "the kernel before the change"),
            Place::required("after", Want::Kind(Kind::Kernel), "the kernel after it"),
            Place::optional("input", Want::Input, "", "the input along which the kernel changes"),
        ],
        make: |making| {
            let (before, after) = (making.kernel("before")?, making.kernel("after")?);
            let inputs = making.inputs("input")?;
            Ok(wraps::changepoint(before, after, inputs, making.own_params()?))
        },
    },
    Combinator {
        name: "warp",
        places: &[KERNEL, FUNCTION, PARAMETERS],
        make: |making| {
            let kernel = making.kernel("kernel")?;
            let (function, params) = making.function(Vec::new())?;
            Ok(wraps::warp(kernel, function, params))
        },
    },
    Combinator {
        name: "scale",
        places: &[KERNEL, FUNCTION, PARAMETERS],
        make: |making| {
            let kernel = making.kernel("kernel")?;
            let (function, params) = making.function(Vec::new())?;
            Ok(wraps::scale(kernel, function, params))
        },
    },
    Combinator {
        name: "basis",
        places: &[
            Place::required("function", Want::FUNCTION, "gives the values of the basis functions, a list"),
            Place::optional("input", Want::Input, "", "the argument of the function; all inputs if left out"),
            PARAMETERS,
        ],
        make: |making| {
            let inputs = making.inputs("input")?;
            let own = making.own_params()?;
            let (function, params) = making.function(own)?;
            Ok(wraps::basis(function, inputs, params))
        },
    },
    Combinator {
        name: "invariant",
        places: &[
            KERNEL,
            Place::many(
                "moves",
                Want::Either(&[Want::Kind(Kind::Move), Want::Kind(Kind::List)]),
                "transformations of the inputs, such as `swap(0, 1)` or `flip(0)`, or a list of them",
            ),
            Place::keyword(
                "method",
                Want::Choice(&["sum", "product", "fold"]),
                "\"sum\"",
                "how the kernel is made invariant",
            ),
            Place::keyword("normalize", Want::BOOL, "false", "divide the sum by the number of its terms"),
        ],
        make: invariant,
    },
    Combinator {
        name: "reflect",
        places: &[
            KERNEL,
            Place::many("inputs", Want::Input, "the input that is mirrored, or the two that are exchanged"),
            Place::keyword("about", Want::NUMBER, "0", "the location of the mirror of one input"),
        ],
        make: reflect,
    },
    embedded(
        "periodic",
        &[KERNEL, Place::required("input", Want::Input, "the periodic input, or a list of them")],
        |making| embed(making, PeriodicEmbedding::Periodic, &["input"]),
    ),
    embedded("torus", &[KERNEL, FIRST, SECOND], |making| embed(making, PeriodicEmbedding::Torus, &["first", "second"])),
    embedded("cylinder", &[KERNEL, FIRST, SECOND], |making| {
        embed(making, PeriodicEmbedding::Cylinder, &["first", "second"])
    }),
    embedded("mobius", &[KERNEL, FIRST, SECOND], |making| {
        embed(making, PeriodicEmbedding::Mobius, &["first", "second"])
    }),
    embedded(
        "sphere",
        &[
            KERNEL,
            Place::required("lat", Want::Input, "the latitude, in degrees"),
            Place::required("lon", Want::Input, "the longitude, in degrees"),
        ],
        |making| embed(making, PeriodicEmbedding::Sphere, &["lat", "lon"]),
    ),
    Combinator {
        name: "translate",
        places: &[KERNEL, NORMALIZE],
        make: |making| Ok(wraps::translate(making.kernel("kernel")?, making.call.or("normalize", false)?)),
    },
    Combinator {
        name: "conv",
        places: &[
            KERNEL,
            Place::required("rows", Want::Count, "the number of rows of pixels"),
            Place::required(
                "cols",
                Want::Count,
                "the number of pixels in a row; the inputs, in the order in which the kernel mentions them, are the image row by row",
            ),
            Place::keyword("radius", Want::Count, "", "the largest shift in pixels; all shifts if left out"),
            Place::keyword(
                "edges",
                Want::Choice(&["wrap", "zero"]),
                "\"wrap\"",
                "how pixels beyond an edge are filled",
            ),
            NORMALIZE,
        ],
        make: |making| {
            let kernel = making.kernel("kernel")?;
            let (rows, cols): (usize, usize) = (making.call.arg("rows")?, making.call.arg("cols")?);
            if rows == 0 || cols == 0 {
                let place = if rows == 0 { "rows" } else { "cols" };
                return Err(
                    LangError::new("an image has at least one row and one column").at(making.call.span_of(place))
                );
            }
            let radius = making.call.maybe("radius")?;
            let edges: Option<Arc<str>> = making.call.maybe("edges")?;
            let edges = Edges::ALL.into_iter().find(|e| edges.as_deref() == Some(e.name())).unwrap_or_default();
            let normalize = making.call.or("normalize", false)?;
            Ok(wraps::conv(kernel, Shifts { rows, cols, radius, edges }, normalize))
        },
    },
    Combinator {
        name: "additive",
        places: &[
            BASE,
            Place::keyword("order", Want::Count, "", "the highest order; all orders if left out"),
            DIMS,
            Place::keyword("constant", Want::BOOL, "false", "whether order 0 is added: a constant kernel"),
        ],
        make: |making| {
            let kernel = additive(making, AdditiveForm::Additive(None))?;
            let constant = making.call.or("constant", false)?.then(wraps::constant);
            Ok(Kernel::sum(constant.into_iter().chain([kernel.clone()])).unwrap_or(kernel))
        },
    },
    Combinator { name: "anova", places: &[BASE, DIMS], make: |making| additive(making, AdditiveForm::Anova) },
    Combinator {
        name: "dropout",
        places: &[
            BASE,
            Place::keyword("keep", Want::NUMBER, "0.5", "the probability that an input is kept, within [0, 1]"),
            DIMS,
        ],
        make: |making| additive(making, AdditiveForm::Dropout(0.5)),
    },
    Combinator {
        name: "compose",
        places: &[
            Place::required(
                "outer",
                Want::Kind(Kind::Kernel),
                "a family of the distance (SE, RQ, Matern), Lin or Poly: the kernel of the features",
            ),
            Place::required("inner", Want::Kind(Kind::Kernel), "the kernel whose features these are"),
            Place::keywords(
                "parameter",
                Want::Param,
                "a parameter of the outer kernel, which may also be written in it",
            ),
        ],
        make: compose,
    },
    Combinator {
        name: "deep",
        places: &[
            Place::required(
                "n",
                Want::Either(&[Want::NUMBER, Want::Kind(Kind::Kernel)]),
                "the number of layers, or inf",
            ),
            Place::required(
                "kernel",
                Want::Either(&[Want::Kind(Kind::Kernel), Want::NUMBER]),
                "the kernel of the first layer",
            ),
            Place::keyword("connected", Want::BOOL, "false", "connect every layer to the inputs"),
        ],
        make: deep,
    },
];

/// The kernel of a call of a combinator.
pub fn build_combinator(call: &mut Call<'_, '_>) -> Res<Value> {
    let name = call.signature.name;
    let Some(combinator) = COMBINATORS.iter().find(|combinator| combinator.name == name) else {
        return Err(LangError::new(format!("`{name}` is not a combinator of kernels")));
    };
    let mark = Mark::new(call.span);
    let mut making = Making { name, mark, call };
    let kernel = (combinator.make)(&mut making)?;
    let Making { call, mark, .. } = making;
    let origin = call.eval.host.origins.mark(mark);
    crate::lang::eval::operators::kernel(kernel.with_origin(origin))
}
