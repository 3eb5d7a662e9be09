//! The evidence of models with a discrete structure as a function of their parameters.

use crate::data::write::Table;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::numerals::number;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Kind, Value};
use crate::linalg::{Matrix, Vector};
use crate::quadrature::{
    AtomPrior, BinaryMatrix, BuffetMeans, BuffetModel, ComponentDensity, FeatureNoise, MixtureModel, PartitionModel,
    QuadratureError, StructureEvidence, Structured, SummedEvidence, structure_evidence, summed_evidence,
};

use super::structures::{ALPHA, MOST, X, binary, concentration, matrix, mixture_model, positive, rows_of, same_rows};

/// The number of weighted draws for one pair of parameters, and the largest that can be asked for.
const DRAWS: usize = 4000;
const MOST_DRAWS: usize = 1_000_000;

/// One or several positive numbers.
fn grid(call: &mut Call<'_, '_>, place: &'static str, default: f64) -> Res<Vec<f64>> {
    let values = match call.maybe::<Value>(place)? {
        None => vec![default],
        Some(Value::Number(value)) => vec![value],
        Some(list) => Vec::<f64>::from_value(list).map_err(|t| t.argument(place))?,
    };
    if values.is_empty() {
        return Err(LangError::new(format!("`{place}` lists no values")).argument(place).help("give at least one"));
    }
    match values.iter().find(|value| value.is_nan() || **value <= 0.0) {
        Some(value) => Err(LangError::new(format!("`{place}` is positive, found {}", number(*value))).argument(place)),
        None => Ok(values),
    }
}

/// How the evidence is computed.
enum Method {
    /// A sum over structures, from at most so many draws with this seed.
    Sum { draws: usize, seed: u64 },
    /// Bayesian quadrature with the kernel between structures.
    Quadrature,
}

impl Method {
    fn of(call: &mut Call<'_, '_>) -> Res<Self> {
        let method: std::sync::Arc<str> = call.or("method", "sum".into())?;
        if &*method == "bq" {
            refuse(call, &["n", "seed"], "`method=\"sum\"`")?;
            return Ok(Self::Quadrature);
        }
        refuse(call, &["l"], "`method=\"bq\"`")?;
        let seed = call.or("seed", call.eval.host.seed as usize)? as u64;
        let draws = call.or("n", DRAWS)?;
        if draws > MOST_DRAWS {
            let text = format!("`n` is at most {MOST_DRAWS}, found {draws}");
            return Err(LangError::new(text).argument("n"));
        }
        Ok(Self::Sum { draws, seed })
    }
}

/// The evidence at a pair of parameters.
struct Row {
    at: [f64; 2],
    log: f64,
    relative_sd: f64,
    /// The share that the samples hold, or the share of the variance that the kernel does not explain.
    share: f64,
}

/// One row for each pair of two parameters.
fn table(names: [&str; 2], method: &Method, rows: &[Row]) -> Value {
    let of = |part: &dyn Fn(&Row) -> f64| rows.iter().map(part).collect::<Vec<f64>>();
    let share = if matches!(method, Method::Quadrature) { "unexplained" } else { "found" };
    let table = Table::new()
        .numbers(names[0], &of(&|row| row.at[0]))
        .numbers(names[1], &of(&|row| row.at[1]))
        .numbers("log_evidence", &of(&|row| row.log))
        .numbers("relative_sd", &of(&|row| row.relative_sd))
        .numbers(share, &of(&|row| row.share));
    Value::table(table)
}

fn sensitivity(call: &mut Call<'_, '_>) -> Res<Value> {
    let samples: Value = call.arg("samples")?;
    let count = samples.items().map_or(0, |items| items.len());
    if count == 0 || count > MOST {
        return Err(LangError::new(format!("there are from 1 to {MOST} samples, found {count}")).argument("samples"));
    }
    let samples: Vec<Value> = samples.items().into_iter().flatten().collect();
    let x = matrix(&rows_of(&call.arg::<Value>("x")?).map_err(|t| t.argument("x"))?);
    let method = Method::of(call)?;
    match samples[0] {
        Value::Record(_) => {
            refuse(call, &["noise_sd", "feature_sd"], "binary matrices, and these samples are mixtures")?;
            of_mixtures(call, &method, &samples, &x)
        }
        _ => {
            let places = ["mean", "degrees", "sd", "scale", "l"];
            refuse(call, &places, "mixtures, and these samples are binary matrices")?;
            of_matrices(call, &method, &samples, &x)
        }
    }
}

/// Rejects arguments that would have no effect.
fn refuse(call: &mut Call<'_, '_>, places: &[&'static str], of: &str) -> Res<()> {
    for place in places {
        if call.maybe::<Value>(place)?.is_some() {
            let error = LangError::new(format!("`{place}` is for {of}")).argument(place);
            return Err(error.help(format!("leave `{place}` out")));
        }
    }
    Ok(())
}

fn of_matrices(call: &mut Call<'_, '_>, method: &Method, samples: &[Value], x: &Matrix) -> Res<Value> {
    let mut columns: Vec<Vec<Vec<bool>>> = Vec::new();
    for sample in samples {
        let z = binary(sample).map_err(|t| t.argument("samples"))?.without_empty_columns();
        same_rows(z.rows(), x.nrows()).map_err(|t| t.argument("samples"))?;
        // a repeated sample adds no information
        let sorted = z.sorted_columns();
        if !columns.contains(&sorted) {
            columns.push(sorted);
        }
    }
    let alpha = concentration(call)?;
    let (noise, features) = (grid(call, "noise_sd", 1.0)?, grid(call, "feature_sd", 1.0)?);
    let matrices: Vec<BinaryMatrix> = columns.iter().map(|c| BinaryMatrix::new(x.nrows(), c.clone())).collect();
    let means = BuffetMeans { alpha, columns: None };
    let n = matrices.len();
    let mut rows = Vec::new();
    for &noise in &noise {
        for &features in &features {
            let sd = FeatureNoise { noise, features };
            let row = match method {
                Method::Sum { draws, seed } => summed(call, &BuffetModel { x, alpha, sd }, &columns, (*draws, *seed))?,
                Method::Quadrature => {
                    let logs: Vec<f64> = matrices.iter().map(|z| z.log_likelihood(x, sd)).collect();
                    let k = Matrix::from_fn(n, n, |i, j| matrices[i].overlap(&matrices[j]));
                    let z = Vector::from_iterator(n, matrices.iter().map(|z| means.kernel_mean(z)));
                    by_quadrature(call, &k, &z, means.prior_variance(x.nrows()), &logs)?
                }
            };
            rows.push(Row { at: [noise, features], ..row });
        }
    }
    Ok(table(["noise_sd", "feature_sd"], method, &rows))
}

fn of_mixtures(call: &mut Call<'_, '_>, method: &Method, samples: &[Value], x: &Matrix) -> Res<Value> {
    let mixtures = samples.iter().map(mixture_model).collect::<Res<Vec<_>>>().map_err(|t| t.argument("samples"))?;
    if mixtures.iter().any(|mixture| mixture.atoms[0].len() != x.ncols()) {
        return Err(LangError::new("the atoms have other dimensions than the observations").argument("samples"));
    }
    let alpha = concentration(call)?;
    let (l, sd, scale) = (positive(call, "l", 1.0)?, positive(call, "sd", 1.0)?, positive(call, "scale", 1.0)?);
    let means = match call.maybe::<Value>("mean")? {
        None => vec![0.0],
        Some(Value::Number(mean)) => vec![mean],
        Some(list) => Vec::<f64>::from_value(list).map_err(|t| t.argument("mean"))?,
    };
    if let Some(mean) = means.iter().find(|mean| !mean.is_finite()) {
        let text = format!("a prior mean is a finite number, found {}", number(*mean));
        return Err(LangError::new(text).argument("mean"));
    }
    let degrees = grid(call, "degrees", f64::INFINITY)?;
    let n = mixtures.len();
    let mut rows = Vec::new();
    for &degree in &degrees {
        let density = ComponentDensity { scale, degrees: Some(degree).filter(|d| d.is_finite()) };
        for &mean in &means {
            let prior = AtomPrior { mean: vec![mean; x.ncols()], sd };
            let row = match method {
                Method::Sum { draws, seed } => {
                    let model = PartitionModel::new(x, alpha, prior, density);
                    let given: Vec<Vec<usize>> = mixtures.iter().map(|one| model.most_probable(one)).collect();
                    summed(call, &model, &given, (*draws, *seed))?
                }
                Method::Quadrature => {
                    let logs: Vec<f64> = mixtures.iter().map(|one| one.log_likelihood(x, density)).collect();
                    let k = Matrix::from_fn(n, n, |i, j| mixtures[i].similarity(&mixtures[j], l));
                    let z = Vector::from_iterator(n, mixtures.iter().map(|one| one.kernel_mean(l, &prior)));
                    by_quadrature(call, &k, &z, MixtureModel::prior_variance(l, &prior), &logs)?
                }
            };
            rows.push(Row { at: [mean, degree], ..row });
        }
    }
    Ok(table(["mean", "degrees"], method, &rows))
}

/// The evidence as a sum over structures.
fn summed<M: Structured>(
    call: &mut Call<'_, '_>,
    model: &M,
    given: &[M::Structure],
    (draws, seed): (usize, u64),
) -> Res<Row> {
    let progress = call.eval.progress;
    let found = summed_evidence(model, given, draws, seed, &|| progress.stop());
    let SummedEvidence { log, relative_sd, found, .. } = found.map_err(refused)?;
    Ok(Row { at: [0.0; 2], log, relative_sd, share: found.unwrap_or(f64::NAN) })
}

/// The evidence by Bayesian quadrature from the log likelihoods of the samples.
fn by_quadrature(call: &mut Call<'_, '_>, k: &Matrix, z: &Vector, v: f64, logs: &[f64]) -> Res<Row> {
    call.eval.poll()?;
    if !logs.iter().any(|log| log.is_finite()) {
        return Err(refused(QuadratureError::NoPoints));
    }
    let StructureEvidence { log, relative_sd, unexplained, .. } = structure_evidence(k, z, v, logs).map_err(refused)?;
    Ok(Row { at: [0.0; 2], log, relative_sd, share: unexplained })
}

fn refused(error: QuadratureError) -> LangError {
    match error {
        error if error.is_stop() => LangError::stopped(),
        QuadratureError::NoPoints => LangError::new("the likelihood is 0 or not finite for all structures")
            .argument("x")
            .help("divide the observations by their standard deviation, or take larger standard deviations"),
        error => LangError::new(error.to_string())
            .argument("samples")
            .help("take more samples, from parameters nearer to these"),
    }
}

pub static SENSITIVITY: &[Builtin] = &[Builtin {
    name: "sensitivity",
    aliases: &[],
    group: Group::Results,
    places: &[
        Place::required("samples", Want::Items, "binary matrices, or records of `weights` and `atoms`"),
        X,
        ALPHA,
        Place::keyword("noise_sd", Want::Numbers, "1", "standard deviations of the noise, of binary matrices"),
        Place::keyword("feature_sd", Want::Numbers, "1", "standard deviations of features, of binary matrices"),
        Place::keyword("mean", Want::Numbers, "0", "prior means of the atoms, of mixtures"),
        Place::keyword("degrees", Want::Numbers, "normal", "degrees of freedom of the components, of mixtures"),
        Place::keyword("sd", Want::NUMBER, "1", "the prior standard deviation of the atoms, of mixtures"),
        Place::keyword("scale", Want::NUMBER, "1", "the scale of the components, of mixtures"),
        Place::keyword(
            "method",
            Want::Choice(&["sum", "bq"]),
            "\"sum\"",
            "a sum over structures, or Bayesian quadrature with the kernel between them",
        ),
        Place::keyword("n", Want::Positive, "4000", "the most weighted draws at each pair of parameters, of \"sum\""),
        Place::keyword("seed", Want::Count, "that of the session", "the seed of these draws"),
        Place::keyword("l", Want::NUMBER, "1", "the length-scale of the kernel between atoms, of \"bq\""),
    ],
    result: Some(Kind::Table),
    summary: "the evidence as a function of parameters, from one set of samples",
    help: "The evidence is the sum of prior times likelihood over all structures. The terms of the samples are added exactly \
           (of a mixture: those of the partition of the rows into its components), and the rest is estimated by sequential \
           importance sampling. `relative_sd` is the standard deviation of the evidence over its mean, which is about that of \
           the log evidence; `found` is the share that the samples hold. With `method=\"bq\"` the likelihoods of the samples \
           are integrated by Bayesian quadrature as in appendix A of Duvenaud (2014): `relative_sd` is then what the kernel \
           leaves uncertain, which is right only as far as the likelihood is a draw of its process, and a mean that is not \
           positive is left out.",
    examples: &["sensitivity([[[1], [1]], [[1], [0]]], [[0.2], [1.9]], noise_sd=[0.5, 1])"],
    touches: Touches::Nothing,
    run: sensitivity,
}];
