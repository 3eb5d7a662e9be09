//! Combinators: constructions of kernels, from the specs of the kernel room.

use std::sync::Arc;

use crate::kernel::wraps::{
    self, AdditiveError, AdditiveForm, DeepError, Depth, Edges, InvariantError, Method, PeriodicEmbedding, Shifts,
    WRAPS,
};
use crate::kernel::{InputRef, Inputs, Kernel, Move, MoveError, MoveKind, RowFunction, Spec, Values, families};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::additive_bases;
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::family_calls::{input_refs, written};
use crate::lang::eval::kernel_rows::UserRows;
use crate::lang::eval::kernel_spans::Mark;
use crate::lang::eval::move_errors::move_error;
use crate::lang::signature::{Place, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Function, Kind, Value};
use crate::syntax::span::Span;

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

/// A combinator under construction.
struct Making<'m, 'e, 'a> {
    call: &'m mut Call<'e, 'a>,
    name: &'static str,
    mark: Mark,
}

impl Making<'_, '_, '_> {
    fn kernel(&mut self, place: &'static str) -> Res<Kernel> {
        self.call.arg(place)
    }

    fn function(&mut self) -> Res<Arc<dyn RowFunction>> {
        self.mark.function = Some(self.call.span_of("function"));
        let function: Function = self.call.arg("function")?;
        Ok(UserRows::shared(function, self.call.eval))
    }

    /// The inputs in an optional place; all inputs if it is left out.
    fn inputs(&mut self, place: &'static str) -> Res<Inputs> {
        let (inputs, spans) = self.call.inputs(place)?;
        self.mark.inputs = spans;
        Ok(inputs)
    }

    /// The inputs in required places.
    fn all_inputs(&mut self, places: &[&'static str]) -> Res<Inputs> {
        let mut all = Vec::new();
        for &place in places {
            let span = self.call.span_of(place);
            let value: Value = self.call.arg(place)?;
            self.take(&value, span, &mut all)?;
        }
        Ok(Inputs::These(all))
    }

    /// The inputs in an argument; none may be repeated.
    fn take(&mut self, value: &Value, span: Span, all: &mut Vec<InputRef>) -> Res<()> {
        for input in input_refs(value).map_err(|t| t.at(span))? {
            if all.contains(&input) {
                return Err(LangError::new(format!("input {input} is named twice")).at(span));
            }
            all.push(input);
            self.mark.inputs.push(span);
        }
        Ok(())
    }

    /// The parameters of one of its specs.
    fn params(&mut self, spec: &'static Spec) -> Res<Vec<Values>> {
        let (params, spans) = written(self.call, spec)?;
        self.mark.params = spans;
        Ok(params)
    }

    /// The parameters of its only spec.
    fn own_params(&mut self) -> Res<Vec<Values>> {
        match WRAPS.iter().copied().find(|spec| spec.name == self.name) {
            Some(spec) => self.params(spec),
            None => Err(LangError::new(format!("there is no combinator `{}`", self.name))),
        }
    }
}

const KERNEL: Place = Place::required("kernel", Want::Kind(Kind::Kernel), "a kernel");
const FUNCTION: Place = Place::required("function", Want::FUNCTION, "a function of the inputs of the kernel");
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

fn embed(making: &mut Making<'_, '_, '_>, embedding: PeriodicEmbedding, places: &[&'static str]) -> Res<Kernel> {
    let kernel = making.kernel("kernel")?;
    let inputs = making.all_inputs(places)?;
    if let Some(wanted) = embedding.inputs().filter(|&wanted| wanted != inputs.written().len()) {
        let found = inputs.written().len();
        return Err(LangError::new(format!("`{}` takes {wanted} inputs, found {found}", making.name)));
    }
    let params = if embedding == PeriodicEmbedding::Sphere { Vec::new() } else { making.own_params()? };
    Ok(wraps::periodic_embedding(embedding, kernel, inputs, params))
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
        places: &[KERNEL, FUNCTION],
        make: |making| Ok(wraps::warp(making.kernel("kernel")?, making.function()?)),
    },
    Combinator {
        name: "scale",
        places: &[KERNEL, FUNCTION],
        make: |making| Ok(wraps::scale(making.kernel("kernel")?, making.function()?)),
    },
    Combinator {
        name: "basis",
        places: &[
            Place::required("function", Want::FUNCTION, "gives the values of the basis functions, a list"),
            Place::optional("input", Want::Input, "", "the argument of the function; all inputs if left out"),
        ],
        make: |making| {
            let function = making.function()?;
            let inputs = making.inputs("input")?;
            Ok(wraps::basis(function, inputs, making.own_params()?))
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

fn invariant(making: &mut Making<'_, '_, '_>) -> Res<Kernel> {
    let kernel = making.kernel("kernel")?;
    let mut moves: Vec<Move> = Vec::new();
    for value in making.call.many() {
        let given = match value.node {
            Value::List(list) => list.items().to_vec(),
            one => vec![one],
        };
        for one in given {
            let one = Arc::<Move>::from_value(one).map_err(|t| t.at(value.span))?;
            for input in &one.inputs {
                if !moves.iter().any(|m| m.inputs.contains(input)) {
                    making.mark.inputs.push(value.span);
                }
            }
            moves.push(Arc::unwrap_or_clone(one));
        }
    }
    let method: Option<Arc<str>> = making.call.maybe("method")?;
    let method = Method::ALL.into_iter().find(|m| method.as_deref() == Some(m.name())).unwrap_or_default();
    let normalize = making.call.or("normalize", false)?;
    wraps::invariant(kernel, moves, method, normalize).map_err(|error| invariant_error(making, &error))
}

fn reflect(making: &mut Making<'_, '_, '_>) -> Res<Kernel> {
    let kernel = making.kernel("kernel")?;
    let mut inputs = Vec::new();
    for value in making.call.many() {
        making.take(&value.node, value.span, &mut inputs)?;
    }
    let span = making.call.span_of("about");
    let about: Option<f64> = making.call.maybe("about")?;
    let (kind, about) = match (inputs.len(), about) {
        (1, about) => (MoveKind::Flip, about.into_iter().collect()),
        (2, None) => (MoveKind::Swap, Vec::new()),
        (2, Some(_)) => {
            let lang_error = LangError::new("`about` does not apply to the exchange of two inputs").at(span);
            return Err(lang_error.help("`reflect(reflect(k, a, about=…), b, about=…)` mirrors both"));
        }
        (found, _) => {
            let lang_error =
                LangError::new(format!("`reflect` takes one input to mirror or two to exchange, found {found}"));
            return Err(lang_error.help(match found {
                0 => "such as `reflect(k, 0)` or `reflect(k, 0, 1)`",
                _ => "`invariant(k, permute([…]))` is for more",
            }));
        }
    };
    let one = Move::new(kind, inputs, about).map_err(|error| match error {
        MoveError::NotFinite => move_error(&error).at(span),
        _ => move_error(&error),
    })?;
    wraps::invariant(kernel, vec![one], Method::Sum, false).map_err(|error| invariant_error(making, &error))
}

fn invariant_error(making: &Making<'_, '_, '_>, error: &InvariantError) -> LangError {
    let lang_error = LangError::new(error.to_string());
    match error {
        InvariantError::NoMove => {
            lang_error.help("such as `invariant(k, swap(0, 1))`; the moves are swap, flip, rotate, permute, shift")
        }
        InvariantError::NoProduct { .. } => {
            let families = families::FAMILIES.iter().map(|family| family.spec());
            let divisible: Vec<&str> =
                families.filter(|spec| spec.infinitely_divisible).map(|spec| spec.name).collect();
            lang_error
                .at(making.call.span_of("kernel"))
                .note(format!("it holds for {} and products of these", divisible.join(", ")))
                .help("`method=\"sum\"` and `method=\"fold\"` take every kernel")
        }
        InvariantError::Normalize => lang_error.at(making.call.span_of("normalize")),
        InvariantError::Move(error) => move_error(error),
    }
}

fn additive(making: &mut Making<'_, '_, '_>, mixture: AdditiveForm) -> Res<Kernel> {
    let span = making.call.span_of("base");
    let mixture = match mixture {
        AdditiveForm::Additive(_) => AdditiveForm::Additive(making.call.maybe("order")?),
        AdditiveForm::Dropout(keep) => AdditiveForm::Dropout(making.call.or("keep", keep)?),
        AdditiveForm::Anova => AdditiveForm::Anova,
    };
    let inputs = making.inputs("dims")?;
    let bases = additive_bases::bases(making.call, making.name, &inputs)?;
    let params = making.own_params()?;
    wraps::additive(mixture, bases, inputs, params).map_err(|error| {
        let mut lang_error = LangError::new(error.to_string());
        if let AdditiveError::Weights { orders, found } = error
            && found < orders
        {
            lang_error =
                lang_error.help(format!("`order={found}` stops at order {found}; a weight of 0 leaves an order out"));
        }
        let place = match error {
            AdditiveError::NoOrder | AdditiveError::Order { .. } => "order",
            AdditiveError::NoKernel => return lang_error.at(span),
            AdditiveError::Weights { .. } | AdditiveError::NothingLeft => "weights",
            AdditiveError::Keep(_) => "keep",
        };
        lang_error.at(making.call.span_of(place))
    })
}

/// The largest number of layers; the effect of the last thousands is negligible.
const MOST_LAYERS: f64 = 10_000.0;

fn deep(making: &mut Making<'_, '_, '_>) -> Res<Kernel> {
    let spans = [making.call.span_of("n"), making.call.span_of("kernel")];
    let (one, two): (Value, Value) = (making.call.arg("n")?, making.call.arg("kernel")?);
    let (layers, span, kernel) = match (one, two) {
        (Value::Number(n), Value::Kernel(kernel)) => (n, spans[0], kernel),
        (Value::Kernel(kernel), Value::Number(n)) => (n, spans[1], kernel),
        (Value::Number(_), other) => return Err(expected("a kernel", &other).at(spans[1])),
        (_, other) => return Err(expected("a number of layers", &other).at(spans[1])),
    };
    let depth = match layers {
        n if n == f64::INFINITY => Depth::Infinite,
        n if n >= 1.0 && n.fract() == 0.0 && n <= MOST_LAYERS => Depth::Layers(n as u32),
        n if n > MOST_LAYERS => {
            let number = crate::lang::numerals::number(n);
            let lang_error =
                LangError::new(format!("a kernel has at most {MOST_LAYERS} layers, found {number}")).at(span);
            return Err(lang_error.help("`deep(inf, k, connected=true)` is the limit"));
        }
        n => {
            let number = crate::lang::numerals::number(n);
            let lang_error =
                LangError::new(format!("the number of layers is whole and at least 1, found {number}")).at(span);
            return Err(lang_error.help("`deep(1, k)` is k; `deep(inf, k, connected=true)` is the limit"));
        }
    };
    let connected = making.call.or("connected", false)?;
    let spec = WRAPS.iter().copied().filter(|s| s.name == making.name).find(|s| (s.params.len() == 2) == connected);
    let params = match spec {
        Some(spec) => making.params(spec)?,
        None => Vec::new(),
    };
    if !connected && making.call.value("lengthscale").is_some() {
        let lang_error = LangError::new("the length-scale is that of the connection to the inputs, and there is none");
        let help = "write `connected=true`, or give it to the kernel of the first layer: `deep(3, SE(l=2))`";
        return Err(lang_error.at(making.call.span_of("lengthscale")).help(help));
    }
    wraps::deep(depth, kernel, connected, params).map_err(|error| {
        let lang_error = LangError::new(error.to_string()).at(span);
        match error {
            DeepError::NoLayer => lang_error,
            DeepError::Limit => {
                lang_error.help("`deep(inf, k, connected=true)` has a limit that depends on the inputs")
            }
        }
    })
}

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
