//! Symmetries of data: the log marginal likelihood of a kernel with each symmetry, compared with that without.
//!
//! Under a true symmetry every row is informative about its orbit, and the log marginal likelihood rises. Under a false
//! symmetry rows contradict each other, and it falls. Duvenaud, "Expressing Structure with Kernels", on checking for
//! symmetries.

use std::sync::Arc;

use crate::data::Dataset;
use crate::fit::spacing::span;
use crate::fit::{Fit, Options, fit, given};
use crate::kernel::wraps::{self, Method, PeriodicEmbedding};
use crate::kernel::{InputRef, Inputs, Kernel, Move, MoveKind, Values, number};
use crate::model::{Evidencer, Likelihood, Model, ModelError, Noise, Problem};
use crate::param::{Param, State};
use crate::progress::{Progress, Quiet};

/// A model with a symmetry, compared with the one without.
#[derive(Debug, Clone)]
pub struct Symmetry {
    /// The symmetry; empty for the model without one.
    pub name: String,
    pub fit: Arc<Fit>,
    /// The difference of its log marginal likelihood from that of the model without, both maximised over the
    /// parameters.
    pub delta_lml: f64,
}

/// The number of centres that are tried for a mirror.
const CENTRES: usize = 41;
/// A symmetry is combined with others if it raises the log marginal likelihood by at least this much.
const WORTH_COMBINING: f64 = 1.0;
/// The largest number of symmetries in combinations; the best are used.
const COMBINED: usize = 4;

/// A periodic input must span at least this number of periods.
const TURNS: f64 = 1.5;

/// A candidate symmetry.
#[derive(Debug, Clone, PartialEq)]
struct Candidate {
    moves: Vec<Move>,
    /// Periodic inputs, each with its period if known.
    periods: Vec<(InputRef, Param)>,
}

impl Candidate {
    fn moves(moves: Vec<Move>) -> Self {
        Self { moves, periods: Vec::new() }
    }

    fn period(input: InputRef, known: Option<f64>) -> Self {
        Self { moves: Vec::new(), periods: vec![(input, known.map_or_else(Param::default, Param::fixed))] }
    }

    fn with(&self, other: &Candidate) -> Candidate {
        Candidate {
            moves: [&self.moves[..], &other.moves].concat(),
            periods: [&self.periods[..], &other.periods].concat(),
        }
    }

    /// The same with fitted periods, the first parameters of the fit, as starting values.
    fn found(mut self, fitted: &Fit) -> Self {
        for ((_, period), &value) in self.periods.iter_mut().zip(fitted.values()).filter(|((_, p), _)| !p.is_fixed()) {
            *period = Param::free(value);
        }
        self
    }

    fn kernel(&self, kernel: &Kernel) -> Option<Kernel> {
        let mut kernel = kernel.clone();
        if !self.periods.is_empty() {
            let (inputs, periods): (Vec<InputRef>, Vec<Param>) = self.periods.iter().cloned().unzip();
            let periods = if periods.iter().any(Param::is_unset) { Vec::new() } else { periods };
            kernel = wraps::periodic_embedding(
                PeriodicEmbedding::Periodic,
                kernel,
                Inputs::These(inputs),
                vec![Values::Each(periods)],
            );
        }
        if !self.moves.is_empty() {
            kernel = wraps::invariant(kernel, self.moves.clone(), Method::Sum, true).ok()?;
        }
        Some(kernel)
    }

    fn name(&self) -> String {
        let plain = |input: &InputRef| input.to_string().replace('`', "");
        let periods = self.periods.iter().map(|(input, period)| match period.state {
            State::Fixed(known) => format!("period {} in {}", number(known), plain(input)),
            _ => format!("period in {}", plain(input)),
        });
        let moves = self.moves.iter().map(Move::to_string);
        periods.chain(moves).collect::<Vec<_>>().join(", ")
    }
}

/// The symmetries that were compared.
#[derive(Debug, Clone)]
pub struct Symmetries {
    /// Best first, including the model without a symmetry.
    pub compared: Vec<Symmetry>,
    /// Those whose model could not be fitted, with the reason.
    pub failed: Vec<(String, String)>,
}

/// What is known of the symmetries to try.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The inputs; all if `None`.
    pub inputs: Option<Vec<String>>,
    /// Symmetries in place of the mirrors and exchanges of the inputs, each with its moves.
    pub moves: Option<Vec<Vec<Move>>>,
    /// The known period of each of `inputs`, in order.
    pub periods: Option<Vec<f64>>,
}

/// Fits a model without a symmetry and with each candidate over some inputs: a mirror of each input about its best
/// centre, an exchange of each pair, a period of each, and combinations of those that raise the log marginal
/// likelihood. Moves of the caller replace mirrors and exchanges, and then a period is tried only if it is known. Best
/// first, including the model without a symmetry.
///
/// # Errors
/// [`ModelError::NotOfSparse`], moves that do not fit the inputs, and the errors of fitting the model without a
/// symmetry.
pub fn symmetries(
    model: &Model,
    data: &Dataset,
    wanted: &Wanted,
    options: Options,
    progress: &dyn Progress,
) -> Result<Symmetries, ModelError> {
    if model.sparse.is_some() {
        return Err(ModelError::NotOfSparse(
            "symmetries are compared by log marginal likelihood, which inducing inputs give a bound or an approximation of: \
             leave out `inference=`, and take fewer rows where there are too many",
        ));
    }
    let base = Arc::new(fit(model, data, options, progress)?);
    let problem = base.problem();
    let numeric = |name: &&String| problem.data().column(name).is_some_and(|c| !c.is_categories());
    let names: Vec<String> = problem.names().iter().filter(numeric).cloned().collect();
    let names: Vec<String> = match &wanted.inputs {
        Some(wanted) => names.into_iter().filter(|name| wanted.contains(name)).collect(),
        None => names,
    };
    let mut singles = Vec::new();
    for moves in wanted.moves.iter().flatten() {
        let candidate = Candidate::moves(moves.clone());
        let kernel = candidate.kernel(&model.kernel).ok_or(ModelError::NotOfSparse(
            "these moves have no invariant kernel: they generate too many transformations, or move an input to itself",
        ))?;
        kernel.bind(&problem.schema())?;
        if !singles.contains(&candidate) {
            singles.push(candidate);
        }
    }
    let known = |name: &String| {
        let at = wanted.inputs.as_ref()?.iter().position(|input| input == name)?;
        wanted.periods.as_ref()?.get(at).copied()
    };
    for (i, name) in names.iter().enumerate() {
        if wanted.moves.is_some() {
            let input = InputRef::Name(name.as_str().into());
            singles.extend(known(name).map(|period| Candidate::period(input, Some(period))));
            continue;
        }
        singles.extend(mirror(&base, name, progress));
        let input = |name: &String| InputRef::Name(name.as_str().into());
        for other in &names[i + 1..] {
            singles.extend(
                Move::new(MoveKind::Swap, vec![input(name), input(other)], Vec::new())
                    .ok()
                    .map(|swap| Candidate::moves(vec![swap])),
            );
        }
        singles.push(Candidate::period(input(name), known(name)));
    }
    let mut found: Vec<(Candidate, Symmetry)> = Vec::new();
    let mut failed: Vec<(String, String)> = Vec::new();
    let mut done = 0;
    let mut fits =
        |candidates: Vec<Candidate>, found: &mut Vec<(Candidate, Symmetry)>, done: &mut usize, total: usize| {
            for candidate in candidates {
                if progress.stop() {
                    return;
                }
                *done += 1;
                progress.report(*done as f64 / total as f64, &candidate.name());
                match with_symmetry(&base, &candidate, options, progress) {
                    Ok(Some(symmetry)) => found.push((candidate.found(&symmetry.fit), symmetry)),
                    Ok(None) | Err(ModelError::Stopped) => {}
                    Err(error) => failed.push((candidate.name(), error.to_string())),
                }
            }
        };
    let (alone, pairs) = (singles.len(), COMBINED * (COMBINED - 1) / 2 + 1);
    fits(singles, &mut found, &mut done, alone + pairs);
    found.sort_by(|a, b| b.1.delta_lml.total_cmp(&a.1.delta_lml));
    let best: Vec<Candidate> =
        found.iter().filter(|(_, s)| s.delta_lml > WORTH_COMBINING).take(COMBINED).map(|(c, _)| c.clone()).collect();
    let mut combined = Vec::new();
    for (i, one) in best.iter().enumerate() {
        combined.extend(best[i + 1..].iter().map(|other| one.with(other)));
    }
    if best.len() > 2 {
        combined.extend(best[1..].iter().cloned().reduce(|a, b| a.with(&b)).map(|rest| best[0].with(&rest)));
    }
    fits(combined, &mut found, &mut done, alone + pairs);
    let mut all: Vec<Symmetry> = found.into_iter().map(|(_, symmetry)| symmetry).collect();
    all.push(Symmetry { name: String::new(), fit: base, delta_lml: 0.0 });
    all.sort_by(|a, b| b.delta_lml.total_cmp(&a.delta_lml));
    Ok(Symmetries { compared: all, failed })
}

/// The model with a symmetry, started at the noise of the fit without one; where that is too little for rows that have
/// become one, at the usual values.
///
/// `None` if a period is not seen again, or if the user stopped it early.
///
/// # Errors
/// Those of a fit.
fn with_symmetry(
    base: &Arc<Fit>,
    candidate: &Candidate,
    options: Options,
    progress: &dyn Progress,
) -> Result<Option<Symmetry>, ModelError> {
    let Some(kernel) = candidate.kernel(&base.model.kernel) else { return Ok(None) };
    let model = Model { kernel, likelihood: started(base), ..base.asked.clone() };
    let few = Options { restarts: options.restarts.clamp(1, 3), ..options };
    let fitted = match fit(&model, base.problem().data(), few, &Quiet(progress)) {
        Err(ModelError::NotPositiveDefinite(_)) => {
            let model = Model { likelihood: base.asked.likelihood.clone(), ..model };
            fit(&model, base.problem().data(), few, &Quiet(progress))?
        }
        fitted => fitted?,
    };
    if progress.stop() || !seen_again(&fitted, &candidate.periods) {
        return Ok(None);
    }
    let delta_lml = fitted.lml() - base.lml();
    Ok(delta_lml.is_finite().then(|| Symmetry { name: candidate.name(), fit: Arc::new(fitted), delta_lml }))
}

/// Whether each periodic input spans some periods, so that the data can show repetition. A longer period is not tested
/// by the rows, whatever its log marginal likelihood. The periods are the first parameters of the kernel.
fn seen_again(fitted: &Fit, periods: &[(InputRef, Param)]) -> bool {
    let data = fitted.problem().data();
    periods.iter().zip(fitted.values()).filter(|((_, known), _)| !known.is_fixed()).all(|((input, _), period)| {
        let InputRef::Name(name) = input else { return true };
        let Some(column) = data.column(name) else { return true };
        span(column.values()).is_some_and(|span| TURNS * period <= span)
    })
}

/// The likelihood of a fit with its noise as starting value, if it is a free variance.
fn started(base: &Fit) -> Likelihood {
    match (base.asked.noise(), base.noise()) {
        (Some(Noise::Variance(param)), Some(value)) if param.is_unset() && value > 0.0 => {
            Likelihood::Gaussian(Noise::Variance(Param::free(value)))
        }
        _ => base.asked.likelihood.clone(),
    }
}

/// A number rounded to a power of 10, computed so that it prints as short as possible.
fn rounded_to(x: f64, power: i32) -> f64 {
    let unit = 10f64.powi(power.abs());
    // 0 without a sign
    0.0 + if power < 0 { (x * unit).round() / unit } else { (x / unit).round() * unit }
}

/// The mirror of an input about the centre with the highest log marginal likelihood; other parameters are as fitted.
fn mirror(base: &Arc<Fit>, name: &str, progress: &dyn Progress) -> Option<Candidate> {
    let values = base.problem().data().column(name)?.values();
    let span = span(values).filter(|span| span.is_finite())?;
    let lo = values.iter().copied().fold(f64::INFINITY, f64::min);
    let evidence = |centre: f64| -> Option<(f64, Candidate)> {
        if progress.stop() {
            return None;
        }
        let flip = Move::new(MoveKind::Flip, vec![InputRef::Name(name.into())], vec![centre]).ok()?;
        let candidate = Candidate::moves(vec![flip]);
        let model = Model { kernel: candidate.kernel(&base.model.kernel)?, ..base.model.clone() };
        let problem = Problem::new(&model, base.problem().data(), true).ok()?;
        let found = Evidencer::new(&problem).evaluate(&given(&problem), false, true).ok()?;
        Some((found.lml, candidate))
    };
    // round numbers, for readable centres
    let step = span / (CENTRES - 1) as f64;
    let round = |x: f64| rounded_to(x, step.log10().floor() as i32);
    let mut tried: Vec<f64> = (CENTRES / 4..=3 * CENTRES / 4).map(|i| round(lo + i as f64 * step)).collect();
    if lo < 0.0 && lo + span > 0.0 {
        tried.push(0.0);
    }
    tried.into_iter().filter_map(evidence).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_numbers_are_written_as_such() {
        let text = |x, power| rounded_to(x, power).to_string();
        assert_eq!(text(2.8000000000000003, -1), "2.8");
        assert_eq!((1..100).map(|i| text(0.1 * f64::from(i), -1).len()).max(), Some(3));
        assert_eq!((text(1234.0, 2), text(-0.01, -1)), ("1200".to_string(), "0".to_string()));
    }
}
