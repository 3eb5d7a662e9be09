//! Priors of deep Gaussian processes: draws, derivatives, and maps of the plane.

use std::sync::Arc;

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use crate::deep::{
    Columns, DeepModel, EXACT, Jacobian, JacobianError, MapError, PICTURE, PlaneMap, Preimage, PriorError, shown_layers,
};
use crate::describe::deep_prior;
use crate::figure::Figure;
use crate::kernel::{BindError, SlopeError};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::eval::kernel_rows::Rows;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Kind, List, Value, check_length};

/// The number of draws in the figure of a prior with one input.
const DRAWN: usize = 4;
/// The number of points along its axis.
const ALONG: usize = 401;
/// Half the length of its axis.
const REACH: f64 = 4.0;
/// The largest number of depths in a figure by default.
const SHOWN: usize = 4;
/// The largest number of points along a side of a grid; more cannot be distinguished.
const MOST_SIDE: usize = 120;
/// The largest number of points of a density or a curve.
const MOST_POINTS: usize = 20_000;

/// Draws of a prior at the rows of a call of `sample`: for one unit a list of numbers per draw, for several a list of
/// rows; by layer a list of these.
pub fn draws(call: &mut Call<'_, '_>, model: &DeepModel) -> Res<Value> {
    let by_layer = call.or("layers", false)?;
    let n: usize = call.or("n", 1)?;
    let rows = match call.maybe::<Value>("at")? {
        None => {
            let error = LangError::new("draws of a deep GP prior need rows, and there are none");
            return Err(error.help("give numbers or rows: `sample(prior, -3..=3)`"));
        }
        Some(Value::Data(data)) => Rows::of_data(&data),
        Some(list) => Rows::from_list(list).map_err(|t| t.argument("at"))?,
    };
    let units = model.prior_units();
    let kept = if by_layer { units.iter().sum() } else { units.last().copied().unwrap_or(1) };
    check_length(rows.n.saturating_mul(n).saturating_mul(kept)).map_err(|t| t.argument("n"))?;
    let mut normal = super::random_numbers::normals(call)?;
    let mut all = Vec::new();
    for _ in 0..n {
        let drawn = drawn(call, model, &rows.columns, EXACT, &mut normal)?;
        all.push(if by_layer {
            Value::checked_list(drawn.iter().map(columns))?
        } else {
            drawn.last().map_or_else(|| Value::numbers([]), columns)?
        });
    }
    List::collect(all.into_iter().map(Ok)).map(Value::List)
}

/// Rejects `layers=` for a value without layers.
pub fn refuse_layers(call: &Call<'_, '_>, of: &Value) -> Res<()> {
    if call.value("layers").is_none() || matches!(of, Value::DeepModel(_)) {
        return Ok(());
    }
    let error = LangError::new(format!("`layers=` does not apply to draws of {}", of.kind().noun()));
    Err(error.argument("layers").help("it is for a deep GP, as in `sample(deepgp(layers=2), xs, layers=true)`"))
}

fn drawn(
    call: &mut Call<'_, '_>,
    model: &DeepModel,
    xs: &[Vec<f64>],
    tolerance: f64,
    normal: &mut dyn FnMut() -> f64,
) -> Res<Vec<Columns>> {
    let made = model.draw(xs, tolerance, normal, call.eval.progress);
    made.map_err(|error| prior_error(call, &error))
}

/// The outputs of a layer: numbers for one unit, rows for several.
fn columns(layer: &Columns) -> Res<Value> {
    match &layer[..] {
        [only] => Value::numbers(only.iter().copied()),
        several => {
            let rows = several.first().map_or(0, Vec::len);
            Value::checked_list((0..rows).map(|row| Value::numbers(several.iter().map(|unit| unit[row]))))
        }
    }
}

fn prior_error(call: &Call<'_, '_>, error: &PriorError) -> LangError {
    let origins = &call.eval.host.origins;
    match error {
        PriorError::Stopped => LangError::stopped(),
        PriorError::Bind { layer, inputs, error } => bind_error(call, *layer, *inputs, error),
        PriorError::Eval { error, .. } => origins.eval_error(error),
        PriorError::Slope { error: slope, .. } => LangError::new(error.to_string()).help(match slope {
            SlopeError::Rough { .. } => "SE, RQ, Per, Cos, Matern32 and Matern52 have derivatives",
            _ => "sums and products of SE, RQ, Per, Cos, Matern32, Matern52 and Const have them",
        }),
        PriorError::Steep { .. } => {
            LangError::new(error.to_string()).help("give its kernel a longer length-scale or a smaller variance")
        }
        PriorError::Rough { .. } => {
            LangError::new(error.to_string()).help("give fewer rows, or a kernel with a longer length-scale")
        }
    }
}

fn bind_error(call: &Call<'_, '_>, layer: usize, inputs: usize, error: &BindError) -> LangError {
    let many = if inputs == 1 { "1 input".to_string() } else { format!("{inputs} inputs") };
    let error = call.eval.host.origins.bind_error(error);
    error.or_help(|| {
        format!("layer {layer} has {many}: write its kernel without inputs, as `SE`, or with their places, as `SE(0)`")
    })
}

fn jacobian(call: &mut Call<'_, '_>) -> Res<Value> {
    let prior: Arc<DeepModel> = call.arg("prior")?;
    let at: Vec<f64> = match call.maybe("at")? {
        Some(at) => at,
        None => vec![0.0; prior.prior_units().first().copied().unwrap_or(1)],
    };
    if at.is_empty() || at.iter().any(|x| !x.is_finite()) {
        let error = LangError::new("a point needs one finite number for each input").argument("at");
        return Err(error.help("`at=[0, 0]` is a point of two inputs"));
    }
    let draws: usize = call.or("draws", 1000)?;
    let seed = call.or("seed", call.eval.host.seed as usize)? as u64;
    match Jacobian::draw((*prior).clone(), at, draws, seed, call.eval.progress) {
        Ok(jacobian) => Ok(Value::Jacobian(Arc::new(jacobian))),
        Err(JacobianError::Prior(error)) => Err(prior_error(call, &error).argument("prior")),
        Err(error) => {
            let (place, help) = match &error {
                JacobianError::Draws { .. } | JacobianError::Few { .. } => ("draws", "the default is `draws=1000`"),
                JacobianError::Layers { .. } => {
                    ("prior", "fewer layers are sufficient: singular values decay at a constant rate")
                }
                _ => ("prior", "give fewer `units`, or fewer inputs by `at=`"),
            };
            Err(LangError::new(error.to_string()).argument(place).help(help))
        }
    }
}

/// The layers in a map.
fn wanted_layers(call: &mut Call<'_, '_>, prior: &DeepModel) -> Res<Vec<usize>> {
    let Some(wanted) = call.maybe::<Value>("layers")? else { return Ok(shown_layers(prior.layers, SHOWN)) };
    let layers = match wanted.items() {
        Some(several) => several.map(usize::from_value).collect(),
        None => usize::from_value(wanted).map(|one| vec![one]),
    };
    let layers: Vec<usize> = layers.map_err(|t: LangError| t.argument("layers"))?;
    match layers.is_empty() {
        true => Err(LangError::new("the list of layers is empty")
            .argument("layers")
            .help("leave out `layers` for the default")),
        false => Ok(layers),
    }
}

/// A count with a default and limits.
fn count(call: &mut Call<'_, '_>, name: &'static str, usual: usize, least: usize, most: usize) -> Res<usize> {
    match call.or(name, usual)? {
        n if (least..=most).contains(&n) => Ok(n),
        n => {
            let error = LangError::new(format!("`{name}` is from {least} to {most}, found {n}")).argument(name);
            Err(error.help(format!("leave it out for {usual}")))
        }
    }
}

fn map(call: &mut Call<'_, '_>, preimage: Preimage) -> Res<Value> {
    let prior: Arc<DeepModel> = call.arg("prior")?;
    let shown = wanted_layers(call, &prior)?;
    let seed = call.or("seed", call.eval.host.seed as usize)? as u64;
    let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
    let mut normal = || StandardNormal.sample(&mut random);
    match PlaneMap::draw((*prior).clone(), preimage, &shown, seed, &mut normal, call.eval.progress) {
        Ok(map) => Ok(Value::PlaneMap(Arc::new(map))),
        Err(MapError::Prior(error)) => Err(prior_error(call, &error).argument("prior")),
        Err(error @ MapError::Units { .. }) => {
            let help = "give the prior `units=2`; `jacobian` and `sample` work for other widths";
            Err(LangError::new(error.to_string()).argument("prior").help(help))
        }
        Err(error @ MapError::NoLayer { .. }) => {
            let help = format!("layers are counted from 1: `layers=[1, {}]`", prior.layers);
            Err(LangError::new(error.to_string()).argument("layers").help(help))
        }
    }
}

fn density(call: &mut Call<'_, '_>) -> Res<Value> {
    let points = count(call, "n", 3000, 1, MOST_POINTS)?;
    map(call, Preimage::Density { points })
}

fn feature_map(call: &mut Call<'_, '_>) -> Res<Value> {
    let side = count(call, "res", 60, 2, MOST_SIDE)?;
    map(call, Preimage::Grid { side })
}

fn manifold(call: &mut Call<'_, '_>) -> Res<Value> {
    let side = count(call, "res", 40, 2, MOST_SIDE)?;
    let points = count(call, "n", 400, 2, MOST_POINTS)?;
    let closed = call.maybe::<Arc<str>>("shape")?.as_deref() != Some("line");
    map(call, Preimage::Curve { points, closed, side })
}

/// Functions of one input drawn from a prior, by depth.
pub fn picture(call: &mut Call<'_, '_>, model: &DeepModel, range: Option<(f64, f64)>) -> Res<Figure> {
    let (lo, hi) = range.unwrap_or((-REACH, REACH));
    let x: Vec<f64> = (0..ALONG).map(|i| lo + (hi - lo) * i as f64 / (ALONG - 1) as f64).collect();
    let mut normal = super::random_numbers::normals(call)?;
    let mut all = Vec::with_capacity(DRAWN);
    for _ in 0..DRAWN {
        all.push(drawn(call, model, std::slice::from_ref(&x), PICTURE, &mut normal)?);
    }
    Ok(deep_prior::prior_figure(model, &x, &all, &shown_layers(model.layers, SHOWN)))
}

const PRIOR: Place = Place::required("prior", Want::Kind(Kind::DeepModel), "a deep GP");
const LAYERS: Place = Place::keyword(
    "layers",
    Want::Either(&[Want::Count, Want::Items]),
    "up to four, in equal ratios",
    "the layers to show, from 1",
);
const SEED: Place = Place::keyword("seed", Want::Count, "that of the session", "the seed of the draws");
const RES: &str = "the number of points along each side of the grid";

pub static DEEP_PRIORS: &[Builtin] = &[
    Builtin {
        name: "jacobian",
        aliases: &[],
        group: Group::Models,
        places: &[
            PRIOR,
            Place::keyword(
                "at",
                Want::Numbers,
                "the origin, with as many inputs as the first layer has units",
                "the point",
            ),
            Place::keyword("draws", Want::Count, "1000", "the number of Jacobians drawn"),
            SEED,
        ],
        result: Some(Kind::Jacobian),
        summary: "the singular values of the Jacobian of a deep GP prior, by depth",
        help: "The Jacobian is the product of those of the layers, J_L … J_1, or J_L [J; I] where every layer is \
               connected to the input. Their \
               entries are independent and normal, with variance ∂²k/∂x∂x′ of the kernel, which must be stationary; \
               only the number of inputs of the point matters. Singular values are divided by the largest of their \
               draw. In one dimension the mean and variance of log|f′| are shown with their limits, log(σ/w) − (log 2 \
               + γ)/2 and π²/8 for each layer.",
        examples: &[
            "jacobian(deepgp(layers=10, units=5), draws=200)",
            "jacobian(deepgp(layers=6, units=1), draws=500).log_limit",
        ],
        touches: Touches::Nothing,
        run: jacobian,
    },
    Builtin {
        name: "density",
        aliases: &[],
        group: Group::Models,
        places: &[PRIOR, LAYERS, Place::keyword("n", Want::Count, "3000", "the number of points"), SEED],
        result: Some(Kind::PlaneMap),
        summary: "a Gaussian density in the plane, transformed by a draw of a deep GP",
        help: "Points \
               of a standard normal density are mapped by one function drawn for each layer. The layers shown have two \
               units. `plot` shows the points after each layer.",
        examples: &["density(deepgp(layers=4, units=2), n=500) |> plot"],
        touches: Touches::Nothing,
        run: density,
    },
    Builtin {
        name: "feature_map",
        aliases: &[],
        group: Group::Models,
        places: &[PRIOR, LAYERS, Place::keyword("res", Want::Count, "60", RES), SEED],
        result: Some(Kind::PlaneMap),
        summary: "the plane, coloured by the values of a draw of a deep GP",
        help: "The layers shown have two units; the hue of a point is the first output there and its lightness the \
               second. Directions in which the colour changes are those that the representation keeps.",
        examples: &["feature_map(deepgp(layers=4, units=2), res=20) |> plot"],
        touches: Touches::Nothing,
        run: feature_map,
    },
    Builtin {
        name: "manifold",
        aliases: &[],
        group: Group::Models,
        places: &[
            PRIOR,
            LAYERS,
            Place::keyword("shape", Want::Choice(&["circle", "line"]), "\"circle\"", "the curve"),
            Place::keyword("n", Want::Count, "400", "the number of points along the curve"),
            Place::keyword("res", Want::Count, "40", RES),
            SEED,
        ],
        result: Some(Kind::PlaneMap),
        summary: "a curve in the plane and its image under a draw of a deep GP",
        help: "`plot` \
               shows the curve on the plane, which is coloured by the values of the last layer, and then the image of \
               the curve after each of the layers shown, which have two units. The colour of the curve varies along \
               it.",
        examples: &["manifold(deepgp(layers=3, units=2), n=100, res=15) |> plot"],
        touches: Touches::Nothing,
        run: manifold,
    },
];
