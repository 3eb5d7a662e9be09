//! The construction of kernels by combinators with several arguments.

use std::sync::Arc;

use super::additive_bases;
use super::family_calls::values;
use super::making::Making;
use super::move_errors::move_error;
use crate::kernel::wraps::{
    self, AdditiveError, AdditiveForm, ComposeError, DeepError, Depth, InvariantError, Method, PeriodicEmbedding, WRAPS,
};
use crate::kernel::{Kernel, Move, MoveError, MoveKind, Node, families};
use crate::lang::error::{LangError, Res};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::Value;

pub(super) fn embed(
    making: &mut Making<'_, '_, '_>,
    embedding: PeriodicEmbedding,
    places: &[&'static str],
) -> Res<Kernel> {
    let kernel = making.kernel("kernel")?;
    let inputs = making.all_inputs(places)?;
    if let Some(wanted) = embedding.inputs().filter(|&wanted| wanted != inputs.written().len()) {
        let found = inputs.written().len();
        return Err(LangError::new(format!("`{}` takes {wanted} inputs, found {found}", making.name)));
    }
    let params = if embedding == PeriodicEmbedding::Sphere { Vec::new() } else { making.own_params()? };
    Ok(wraps::periodic_embedding(embedding, kernel, inputs, params))
}

pub(super) fn invariant(making: &mut Making<'_, '_, '_>) -> Res<Kernel> {
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

pub(super) fn reflect(making: &mut Making<'_, '_, '_>) -> Res<Kernel> {
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

pub(super) fn additive(making: &mut Making<'_, '_, '_>, mixture: AdditiveForm) -> Res<Kernel> {
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

pub(super) fn compose(making: &mut Making<'_, '_, '_>) -> Res<Kernel> {
    let span = making.call.span_of("outer");
    let (outer, inner) = (making.kernel("outer")?, making.kernel("inner")?);
    let given = making.call.keywords();
    let outer = match outer.node() {
        Node::Leaf(leaf) => {
            let (spec, mut leaf) = (leaf.family.spec(), leaf.clone());
            for (name, value) in given {
                let known = spec.params.iter().position(|p| [p.name, p.short].contains(&&*name.node));
                let Some(at) = known else {
                    let error = LangError::new(format!("`{}` has no parameter `{}`", spec.name, name.node));
                    let names: Vec<&str> = spec.params.iter().map(|p| p.name).collect();
                    return Err(error.at(name.span).help(format!("it has {}", names.join(", "))));
                };
                if !leaf.params[at].is_unset() {
                    let text = format!("the {} of the outer kernel is given twice", spec.params[at].name);
                    return Err(LangError::new(text).at(name.span));
                }
                leaf.params[at] =
                    values(spec, &spec.params[at], value.node, false, &[]).map_err(|t| t.at(value.span))?;
            }
            outer.with_node(Node::Leaf(leaf))
        }
        _ => outer,
    };
    wraps::compose(&outer, inner).map_err(|error| {
        let lang_error = LangError::new(error.to_string()).at(span);
        match error {
            ComposeError::NoFamily { .. } => lang_error.help(
                "sums and products outside are those of compositions: `compose(SE, k) + compose(Lin, k)`; ties share \
                 parameters",
            ),
            ComposeError::NoArgument { .. } => lang_error.help("SE, RQ, the Matern families, Lin and Poly are"),
            ComposeError::NamesInputs => lang_error.help("leave the input out: `compose(SE, Lin(0))`"),
            ComposeError::Location { .. } => lang_error.help("leave the location out"),
        }
    })
}

/// The largest number of layers; the effect of the last thousands is negligible.
const MOST_LAYERS: f64 = 10_000.0;

pub(super) fn deep(making: &mut Making<'_, '_, '_>) -> Res<Kernel> {
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
