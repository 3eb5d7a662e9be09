//! Discrete structures of models: binary matrices with the Indian buffet process, and Dirichlet-process mixtures.

use std::sync::Arc;

use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::numerals::number;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Kind, Record, Value};
use crate::linalg::Matrix;
use crate::quadrature::{AtomPrior, BinaryMatrix, FeatureNoise, MixtureModel, posterior_mixtures};

use super::random_numbers::random;

/// The largest number of rows, sweeps and samples; with more, a sweep takes minutes.
pub(super) const MOST: usize = 1000;
/// The largest concentration: a draw then has hundreds of features or components.
const LARGEST_ALPHA: f64 = 100.0;

/// Rejects too many items, including an infinite range, before they are listed.
fn few_enough(items: usize) -> Res<()> {
    match items <= MOST {
        true => Ok(()),
        false => Err(LangError::new(format!("there are at most {MOST} rows, found {items}"))),
    }
}

/// Rows of numbers: a list of lists, a list of numbers for one column, or the numeric columns of data.
pub(super) fn rows_of(value: &Value) -> Res<Vec<Vec<f64>>> {
    if let Value::Data(data) = value {
        data.check_finite().map_err(|error| LangError::new(error.to_string()))?;
        let columns = data.columns().iter().filter(|column| column.levels().is_none());
        let columns: Vec<&[f64]> = columns.map(|column| column.values()).collect();
        return Ok((0..data.n()).map(|i| columns.iter().map(|column| column[i]).collect()).collect());
    }
    let Some(items) = value.items() else {
        let text = format!("rows of numbers are a list of lists or data, and not {}", value.kind().noun());
        return Err(LangError::new(text).help("`[[0.1, 2], [0.3, -1]]` has two rows"));
    };
    few_enough(items.len())?;
    let row = |item: Value| match item {
        Value::Number(x) => Ok(vec![x]),
        other => Vec::<f64>::from_value(other),
    };
    let rows = items.map(row).collect::<Res<Vec<_>>>()?;
    let width = rows.first().map_or(0, Vec::len);
    if rows.len() > MOST || width > MOST {
        let text = format!("there are at most {MOST} rows of at most {MOST} numbers, found {} of {width}", rows.len());
        return Err(LangError::new(text));
    }
    match rows.iter().position(|row| row.len() != width || row.iter().any(|x| !x.is_finite())) {
        Some(at) => Err(LangError::new(format!("row {} has not {width} finite numbers, as row 0 has", at))),
        None if width == 0 => Err(LangError::new("there are no numbers")),
        None => Ok(rows),
    }
}

pub(super) fn matrix(rows: &[Vec<f64>]) -> Matrix {
    Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// A binary matrix from rows of zeros and ones; a row may have no features.
pub(super) fn binary(value: &Value) -> Res<BinaryMatrix> {
    let Some(items) = value.items() else {
        let text = format!("a binary matrix is a list of rows of zeros and ones, and not {}", value.kind().noun());
        return Err(LangError::new(text).help("`[[1, 0], [1, 1]]` has two objects and two features"));
    };
    few_enough(items.len())?;
    let rows = items.map(Vec::<f64>::from_value).collect::<Res<Vec<_>>>()?;
    let width = rows.first().map_or(0, Vec::len);
    for (n, row) in rows.iter().enumerate() {
        if row.len() != width {
            let text = format!("row {n} of the binary matrix has {} numbers, and row 0 has {width}", row.len());
            return Err(LangError::new(text));
        }
        if let Some(k) = row.iter().position(|x| *x != 0.0 && *x != 1.0) {
            return Err(LangError::new(format!(
                "a binary matrix has zeros and ones, and row {n}, column {k} has {}",
                row[k]
            )));
        }
    }
    let column = |k: usize| rows.iter().map(|row| row[k] == 1.0).collect();
    Ok(BinaryMatrix::new(rows.len(), (0..width).map(column).collect()))
}

fn binary_value(z: &BinaryMatrix) -> Res<Value> {
    let row = |n: usize| Value::numbers(z.columns().iter().map(move |column| f64::from(u8::from(column[n]))));
    Value::checked_list((0..z.rows()).map(row))
}

/// A mixture from a record of weights and atoms.
pub(super) fn mixture_model(value: &Value) -> Res<MixtureModel> {
    let wrong = || {
        LangError::new("a mixture is a record of `weights` that sum to 1 and as many `atoms`")
            .help("`record(weights=[0.3, 0.7], atoms=[[0], [2]])`")
    };
    let Value::Record(record) = value else { return Err(wrong()) };
    let (Some(weights), Some(atoms)) = (record.get("weights"), record.get("atoms")) else { return Err(wrong()) };
    let weights = Vec::<f64>::from_value(weights.clone())?;
    let atoms = rows_of(atoms)?;
    let total: f64 = weights.iter().sum();
    if weights.len() != atoms.len() || weights.iter().any(|w| w.is_nan() || *w < 0.0) || (total - 1.0).abs() > 1e-6 {
        return Err(wrong());
    }
    Ok(MixtureModel { weights, atoms })
}

fn mixture_value(mixture: &MixtureModel) -> Res<Value> {
    let weights = Value::numbers(mixture.weights.iter().copied())?;
    let atoms = Value::checked_list(mixture.atoms.iter().map(|atom| Value::numbers(atom.iter().copied())))?;
    Ok(Value::Record(Arc::new(Record::default().with("weights", weights).with("atoms", atoms))))
}

/// One positive number.
pub(super) fn positive(call: &mut Call<'_, '_>, place: &'static str, default: f64) -> Res<f64> {
    let value: f64 = call.or(place, default)?;
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => {
            Err(LangError::new(format!("`{place}` is a positive number, found {}", number(value))).argument(place))
        }
    }
}

/// The concentration of a prior of structures, with which their size grows.
pub(super) fn concentration(call: &mut Call<'_, '_>) -> Res<f64> {
    let alpha = positive(call, "alpha", 1.0)?;
    match alpha <= LARGEST_ALPHA {
        true => Ok(alpha),
        false => {
            Err(LangError::new(format!("`alpha` is at most {LARGEST_ALPHA}, found {}", number(alpha)))
                .argument("alpha"))
        }
    }
}

fn count(call: &mut Call<'_, '_>, place: &'static str, default: usize) -> Res<usize> {
    let value: usize = call.or(place, default)?;
    match value <= MOST {
        true => Ok(value),
        false => Err(LangError::new(format!("`{place}` is at most {MOST}, found {value}")).argument(place)),
    }
}

fn draw_buffet(call: &mut Call<'_, '_>) -> Res<Value> {
    let rows = count(call, "rows", 1)?;
    let alpha = concentration(call)?;
    binary_value(&BinaryMatrix::draw(rows, alpha, &mut random(call)?))
}

fn buffet_prior(call: &mut Call<'_, '_>) -> Res<Value> {
    let z = binary(&call.arg::<Value>("z")?).map_err(|t| t.argument("z"))?;
    let alpha = concentration(call)?;
    let finite = call.or("finite", false)?;
    Ok(Value::Number(if finite { z.log_prior_finite(alpha) } else { z.log_prior(alpha) }))
}

fn buffet_likelihood(call: &mut Call<'_, '_>) -> Res<Value> {
    let x = rows_of(&call.arg::<Value>("x")?).map_err(|t| t.argument("x"))?;
    let z = binary(&call.arg::<Value>("z")?).map_err(|t| t.argument("z"))?;
    let sd = FeatureNoise { noise: positive(call, "noise_sd", 1.0)?, features: positive(call, "feature_sd", 1.0)? };
    same_rows(z.rows(), x.len()).map_err(|t| t.argument("z"))?;
    let log = z.log_likelihood(&matrix(&x), sd);
    if !log.is_finite() {
        let text = format!("the log likelihood is {}: the observations are too far from 0 for these", number(log));
        return Err(LangError::new(text).argument("x").help(
            "divide the observations by their standard deviation, and give `noise_sd` and `feature_sd` on that scale",
        ));
    }
    Ok(Value::Number(log))
}

/// Rejects observations whose squares, in units of a standard deviation, are not finite: all likelihoods would be 0.
fn within_range(x: &Matrix, sd: f64) -> Res<()> {
    match (x.norm_squared() / (sd * sd)).is_finite() {
        true => Ok(()),
        false => Err(LangError::new(format!(
            "the observations reach {}, which is too far from 0 for a standard deviation of {}",
            number(x.amax()),
            number(sd)
        ))
        .argument("x")
        .help("divide the observations by their standard deviation")),
    }
}

pub(super) fn same_rows(found: usize, expected: usize) -> Res<()> {
    match found == expected {
        true => Ok(()),
        false => {
            Err(LangError::new(format!("the binary matrix has {found} rows, and the observations have {expected}")))
        }
    }
}

fn buffet_samples(call: &mut Call<'_, '_>) -> Res<Value> {
    let x = matrix(&rows_of(&call.arg::<Value>("x")?).map_err(|t| t.argument("x"))?);
    let sweeps = count(call, "n", 100)?;
    let alpha = concentration(call)?;
    let sd = FeatureNoise { noise: positive(call, "noise_sd", 1.0)?, features: positive(call, "feature_sd", 1.0)? };
    within_range(&x, sd.noise)?;
    let mut random = random(call)?;
    let progress = call.eval.progress;
    let mut z = BinaryMatrix::empty(x.nrows());
    let mut samples = Vec::with_capacity(sweeps);
    for done in 0..sweeps {
        progress.report(done as f64 / sweeps as f64, &format!("{done} of {sweeps} samples"));
        if progress.stop() || !z.sweep(&x, alpha, sd, &mut random, &|| progress.stop()) {
            stopped_after(call, done, sweeps)?;
            break;
        }
        samples.push(binary_value(&z)?);
    }
    Value::checked_list(samples.into_iter().map(Ok))
}

fn mixture_samples(call: &mut Call<'_, '_>) -> Res<Value> {
    let x = matrix(&rows_of(&call.arg::<Value>("x")?).map_err(|t| t.argument("x"))?);
    let sweeps = count(call, "n", 100)?;
    let alpha = concentration(call)?;
    let prior = atom_prior(call, x.ncols())?;
    let scale = positive(call, "scale", 1.0)?;
    within_range(&x, scale.min(prior.sd))?;
    let mut random = random(call)?;
    let progress = call.eval.progress;
    let samples = posterior_mixtures(&x, (alpha, &prior, scale), sweeps, &mut random, &|| progress.stop());
    if samples.len() < sweeps {
        stopped_after(call, samples.len(), sweeps)?;
    }
    Value::checked_list(samples.iter().map(mixture_value))
}

/// A sampler that the user stopped has the samples until then, if there are any.
fn stopped_after(call: &mut Call<'_, '_>, done: usize, asked: usize) -> Res<()> {
    if done == 0 {
        return Err(LangError::stopped());
    }
    call.warn(format!("the sampler was stopped after {done} of {asked} samples: these are kept"));
    Ok(())
}

fn atom_prior(call: &mut Call<'_, '_>, dimensions: usize) -> Res<AtomPrior> {
    let mean = match call.maybe::<Value>("mean")? {
        None => vec![0.0; dimensions],
        Some(Value::Number(mean)) => vec![mean; dimensions],
        Some(list) => Vec::<f64>::from_value(list).map_err(|t| t.argument("mean"))?,
    };
    if mean.len() != dimensions {
        let text = format!("the prior mean has {} numbers, and the observations have {dimensions}", mean.len());
        return Err(LangError::new(text).argument("mean"));
    }
    Ok(AtomPrior { mean, sd: positive(call, "sd", 1.0)? })
}

fn overlap(call: &mut Call<'_, '_>) -> Res<Value> {
    let (a, b) = (call.arg::<Value>("a")?, call.arg::<Value>("b")?);
    if matches!(a, Value::Record(_)) {
        let (a, b) = (mixture_model(&a).map_err(|t| t.argument("a"))?, mixture_model(&b).map_err(|t| t.argument("b"))?);
        if a.atoms[0].len() != b.atoms[0].len() {
            return Err(LangError::new("the atoms of the two mixtures have other dimensions").argument("b"));
        }
        return Ok(Value::Number(a.similarity(&b, positive(call, "l", 1.0)?)));
    }
    let (a, b) = (binary(&a).map_err(|t| t.argument("a"))?, binary(&b).map_err(|t| t.argument("b"))?);
    same_rows(b.rows(), a.rows()).map_err(|t| t.argument("b"))?;
    Ok(Value::Number(a.overlap(&b)))
}

pub(super) const X: Place = Place::required(
    "x",
    Want::Either(&[Want::Items, Want::Kind(Kind::Data)]),
    "the observations: a list of rows of numbers, or data",
);
const Z: Place = Place::required("z", Want::Items, "a binary matrix: a list of rows of zeros and ones");
pub(super) const ALPHA: Place = Place::keyword("alpha", Want::NUMBER, "1", "the concentration, positive");
const SEED: Place = Place::keyword("seed", Want::Count, "the session's stream", "the seed of the draws");
const NOISE_SD: Place = Place::keyword("noise_sd", Want::NUMBER, "1", "the standard deviation of the noise");
const FEATURE_SD: Place = Place::keyword("feature_sd", Want::NUMBER, "1", "the standard deviation of feature values");
const SWEEPS: Place = Place::keyword("n", Want::Positive, "100", "the number of samples, one per sweep");

pub static STRUCTURES: &[Builtin] = &[
    Builtin {
        name: "buffet",
        aliases: &[],
        group: Group::Results,
        places: &[Place::required("rows", Want::Positive, "the number of objects"), ALPHA, SEED],
        result: Some(Kind::List),
        summary: "a binary matrix drawn from the Indian buffet process",
        help: "Objects are rows and features columns. Each row has a Poisson number of features with mean `alpha`.",
        examples: &["buffet(4, alpha=2, seed=1)"],
        touches: Touches::Nothing,
        run: draw_buffet,
    },
    Builtin {
        name: "buffet_prior",
        aliases: &[],
        group: Group::Results,
        places: &[
            Z,
            ALPHA,
            Place::keyword("finite", Want::BOOL, "false", "the prior with as many columns as are written"),
        ],
        result: Some(Kind::Number),
        summary: "the log probability of a binary matrix under the Indian buffet process",
        help: "It is that of all matrices that differ in the order of columns and in columns of zeros; with `finite=true` \
               that of the matrix as it is written, among those with as many columns.",
        examples: &["buffet_prior([[1, 0], [1, 1]], alpha=2)"],
        touches: Touches::Nothing,
        run: buffet_prior,
    },
    Builtin {
        name: "buffet_likelihood",
        aliases: &[],
        group: Group::Results,
        places: &[X, Z, NOISE_SD, FEATURE_SD],
        result: Some(Kind::Number),
        summary: "the log likelihood of observations X = ZA + noise given a binary matrix Z",
        help: "The entries of A are normal with standard deviation `feature_sd` and are integrated out.",
        examples: &["buffet_likelihood([[0.2], [1.9]], [[1, 0], [1, 1]], noise_sd=0.5)"],
        touches: Touches::Nothing,
        run: buffet_likelihood,
    },
    Builtin {
        name: "buffet_samples",
        aliases: &[],
        group: Group::Results,
        places: &[X, SWEEPS, ALPHA, NOISE_SD, FEATURE_SD, SEED],
        result: Some(Kind::List),
        summary: "binary matrices from the posterior of X = ZA + noise, by collapsed Gibbs sampling",
        help: "The first samples still depend on the start, a matrix without features.",
        examples: &["buffet_samples([[0.2], [1.9]], n=2, noise_sd=0.5, seed=1)"],
        touches: Touches::Nothing,
        run: buffet_samples,
    },
    Builtin {
        name: "mixture_samples",
        aliases: &[],
        group: Group::Results,
        places: &[
            X,
            SWEEPS,
            ALPHA,
            Place::keyword(
                "mean",
                Want::Numbers,
                "0",
                "the prior mean of the atoms: a number, or one for each dimension",
            ),
            Place::keyword("sd", Want::NUMBER, "1", "the prior standard deviation of the atoms"),
            Place::keyword("scale", Want::NUMBER, "1", "the standard deviation of each component"),
            SEED,
        ],
        result: Some(Kind::List),
        summary: "mixtures from the posterior of a Dirichlet-process mixture of normal densities, by Gibbs sampling",
        help: "Each sample is a record of `weights` and `atoms`, the means of the components.",
        examples: &["len(mixture_samples([[0.2], [1.9]], n=2, seed=1))"],
        touches: Touches::Nothing,
        run: mixture_samples,
    },
    Builtin {
        name: "overlap",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::required("a", Want::Any, "a binary matrix, or a record of `weights` and `atoms`"),
            Place::required("b", Want::Any, "another one"),
            Place::keyword("l", Want::NUMBER, "1", "the length-scale of the kernel between atoms"),
        ],
        result: Some(Kind::Number),
        summary: "the kernel between two structures",
        help: "Between binary matrices it does not depend on the order of the columns; between mixtures it depends neither on \
               the order of the components nor on whether a component is split.",
        examples: &["overlap([[1, 0], [1, 1]], [[0, 1], [1, 1]])"],
        touches: Touches::Nothing,
        run: overlap,
    },
];
