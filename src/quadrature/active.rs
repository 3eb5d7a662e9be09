//! Evaluations that are chosen one by one.

use super::embedding::Embedding;
use super::error::QuadratureError;
use super::estimate::Estimate;
use super::evaluations::Evaluations;
use super::integral::{Course, Ended, Integral, Integrand, MOST_EVALUATIONS, Settings, WeightedIntegrand};
use super::parameters::Fitted;
use super::process::{Moments, Process};
use super::rules::sobol;
use super::sampled::Sampled;
use crate::kernel::Kernel;
use crate::progress::{Progress, StopHandle};

/// Points among which the next evaluation is chosen.
const CANDIDATES: usize = 400;
/// One evaluation is chosen at a time for each so many that are known, and one before.
const BATCH_SHARE: usize = 50;

/// Estimates an integral from the evaluations that there are and `n` further ones of a function, each where it lowers the
/// variance of the integral most; on a warped scale where the integrand, weighted by the density, is least certain. Ends
/// early where half the 95 % interval is at most `tolerance`, or when asked to stop, with what is known then.
///
/// # Errors
/// [`QuadratureError`]; [`QuadratureError::Stopped`] when it was stopped before two evaluations.
pub fn integrate(
    evaluations: Evaluations,
    function: &mut Integrand<'_>,
    n: usize,
    tolerance: Option<f64>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Integral, QuadratureError> {
    let mut both = |row: &[f64]| function(row).map(|value| (value, 1.0));
    evaluate(Sampled::new(evaluations, None)?, &mut both, (n, tolerance), settings, progress)
}

/// Estimates the expectation of a function under the density of the settings times a factor, in the same way: ∫ f ℓ p / ∫ ℓ p
/// for the function f and the factor ℓ, which are evaluated at the same points.
///
/// # Errors
/// As [`integrate`]; [`QuadratureError::NoMass`] and [`QuadratureError::NoNormaliser`] where the factor has no integral.
pub fn expectation(
    (evaluations, factor): (Evaluations, Vec<f64>),
    function: &mut WeightedIntegrand<'_>,
    n: usize,
    tolerance: Option<f64>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Integral, QuadratureError> {
    evaluate(Sampled::new(evaluations, Some(factor))?, function, (n, tolerance), settings, progress)
}

fn evaluate(
    mut sampled: Sampled,
    function: &mut WeightedIntegrand<'_>,
    (n, tolerance): (usize, Option<f64>),
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Integral, QuadratureError> {
    let d = settings.density.inputs();
    let total = sampled.evaluations.n() + n;
    if total > MOST_EVALUATIONS {
        return Err(QuadratureError::TooMany { asked: total, most: MOST_EVALUATIONS });
    }
    let first = (2 * d + 1).max(3).min(total);
    // a scramble for every seed
    let seed = settings.seed as u32 ^ (settings.seed >> 32) as u32;
    let mut spread = (sampled.evaluations.n()..total).map(|i| settings.density.place(&sobol(i, d + 1, seed)));
    let mut stopped = false;
    let mut ended = Ended::AllMade;
    // values that are all the same say nothing of the kernel
    while sampled.evaluations.n() < first || (sampled.evaluations.n() < total && sampled.are_constant()) {
        let Some(row) = spread.next() else { break };
        stopped = !evaluated(&mut sampled, &row, function, progress)?;
        if stopped {
            break;
        }
    }
    if sampled.evaluations.n() < 2.min(total) {
        return Err(QuadratureError::Stopped);
    }
    let candidates = candidates(&settings, seed);
    let mut current: Option<Current> = None;
    let mut refit_at = 0;
    while sampled.evaluations.n() < total && !stopped {
        let known = sampled.evaluations.n();
        if known >= refit_at {
            refit_at = (known * 5).div_ceil(4).max(known + 1);
            current = None;
        }
        let now = match &mut current {
            Some(now) => now,
            None => match Current::new(&settings, &mut sampled, progress) {
                Err(error) if error.is_stop() => {
                    stopped = true;
                    break;
                }
                now => current.insert(now?),
            },
        };
        if tolerance.is_some_and(|tolerance| settings.is_known_to(tolerance, &now.fits, &sampled)) {
            ended = Ended::Precise;
            break;
        }
        let kernel = &now.kernel;
        sampled.settle(kernel, &now.embedding, settings.prior_mean())?;
        let modelled = sampled.modelled(settings.warp)?;
        // the choice does not depend on values, and with many evaluations several are chosen at once
        let count = (known / BATCH_SHARE).clamp(1, total - known);
        let best = match settings.conditioned(kernel, &now.embedding, &modelled)? {
            Some(conditioned) => conditioned.chosen(&candidates, now.at_candidates(&candidates)?, count)?,
            None => {
                let process = settings.process(kernel, &modelled)?;
                let gains = uncertainties(&settings, &process, &candidates, &sampled.evaluations)?;
                let best = gains.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
                best.filter(|(_, gain)| **gain > 0.0 && gain.is_finite()).map(|(i, _)| i).into_iter().collect()
            }
        };
        let row = |i: &usize| candidates.iter().map(|column| column[*i]).collect();
        let rows: Vec<Vec<f64>> = match best.is_empty() {
            false => best.iter().map(row).collect(),
            // nothing to learn if the kernel is right, which further points can show to be wrong
            true => spread.by_ref().take(count).collect(),
        };
        if rows.is_empty() {
            ended = Ended::NothingToGain;
            break;
        }
        for row in rows {
            stopped = !evaluated(&mut sampled, &row, function, progress)?;
            if stopped {
                break;
            }
            let made = sampled.evaluations.n() + n - total;
            progress.report(made as f64 / n as f64, &format!("{} evaluations", sampled.evaluations.n()));
        }
    }
    let fits = match current {
        Some(now) if stopped || now.fitted_to == sampled.evaluations.n() => now.fits,
        // after a stop this is the last short work, and it runs to its end
        _ if stopped => settings.fitted(&mut sampled, &StopHandle::default())?,
        _ => settings.fitted(&mut sampled, progress)?,
    };
    let ended = if stopped { Ended::Stopped } else { ended };
    settings.concluded(sampled, fits, Course { asked: total, ended })
}

/// What stays the same from one evaluation to the next, until the parameters are fitted anew. Points are chosen under the
/// kernel of the greatest evidence.
struct Current {
    fits: Vec<(f64, Fitted)>,
    /// How many evaluations they were fitted to.
    fitted_to: usize,
    kernel: Kernel,
    embedding: Embedding,
    /// The integrals of the kernel at the candidates, once they are wanted.
    at_candidates: Option<Vec<Estimate>>,
}

impl Current {
    fn new(settings: &Settings, sampled: &mut Sampled, progress: &dyn Progress) -> Result<Self, QuadratureError> {
        let fits = settings.fitted(sampled, progress)?;
        let kernel = fits[0].1.kernel();
        let embedding = Embedding::new(&kernel, sampled.evaluations.names(), &settings.density)?;
        Ok(Self { fits, fitted_to: sampled.evaluations.n(), kernel, embedding, at_candidates: None })
    }

    fn at_candidates(&mut self, candidates: &[Vec<f64>]) -> Result<&[Estimate], QuadratureError> {
        match &mut self.at_candidates {
            Some(known) => Ok(known),
            unknown => Ok(unknown.insert(self.embedding.means(candidates)?)),
        }
    }
}

/// Adds the values of a function at a point; false when asked to stop before they are known.
fn evaluated(
    sampled: &mut Sampled,
    row: &[f64],
    function: &mut WeightedIntegrand<'_>,
    progress: &dyn Progress,
) -> Result<bool, QuadratureError> {
    if progress.stop() {
        return Ok(false);
    }
    match function(row) {
        Ok((value, factor)) => sampled.push(row, value, factor).map(|()| true),
        Err(QuadratureError::Stopped) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Points by column: half as the density has them, half wider, as evaluations in the tails hold the function there.
fn candidates(settings: &Settings, seed: u32) -> Vec<Vec<f64>> {
    let d = settings.density.inputs();
    let mut columns = vec![Vec::with_capacity(CANDIDATES); d];
    for i in 0..CANDIDATES {
        let mut row = settings.density.place(&sobol(i, d + 1, seed.wrapping_add(1)));
        if i % 2 == 1 {
            for (j, x) in row.iter_mut().enumerate() {
                let (mean, _) = settings.density.moments(j);
                let (lo, hi) = settings.density.range(j);
                *x = (mean + 1.5 * (*x - mean)).clamp(lo, hi);
            }
        }
        columns.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
    }
    columns
}

/// How uncertain the integrand is at each candidate: its variance times the squared density.
fn uncertainties(
    settings: &Settings,
    process: &Process,
    candidates: &[Vec<f64>],
    evaluations: &Evaluations,
) -> Result<Vec<f64>, QuadratureError> {
    let moments = process.predict(candidates)?;
    let one = |(i, g): (usize, &Moments)| {
        let row: Vec<f64> = candidates.iter().map(|column| column[i]).collect();
        let p = settings.density.at(&row);
        settings.warp.moments(*g, evaluations).variance * p * p
    };
    Ok(moments.iter().enumerate().map(one).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::super::density::{Density, Marginal};
    use super::super::parameters::default_kernels;
    use super::super::process::PriorMean;
    use super::super::warp::Warp;
    use super::*;
    use crate::progress::Silent;

    fn settings(marginals: Vec<Marginal>, seed: u64) -> (Evaluations, Settings) {
        let density = Density::product(marginals).unwrap();
        let names: Vec<String> = (0..density.inputs()).map(|i| format!("x{i}")).collect();
        let kernels = default_kernels(&names, &density);
        let mean = PriorMean::Given(0.0);
        let settings = Settings { density, kernels, noise: 0.0, mean, warp: Warp::None, integrated: false, seed };
        (Evaluations::none(names), settings)
    }

    /// Expectations under the posterior N(m, v) of a normal prior and a normal likelihood, whose size does not matter.
    #[test]
    fn expectations_under_a_posterior_are_covered() {
        let mut random = Pcg64::seed_from_u64(8);
        let (mut inside, mut errors) = (0, Vec::new());
        for seed in 0..100 {
            let (y, s) = (random.random_range(-1.5..1.5), random.random_range(0.4..1.2f64));
            let size = 10f64.powf(random.random_range(-20.0..20.0));
            let v = 1.0 / (1.0 + s.powi(-2));
            let m = v * y / (s * s);
            let kind = seed % 3;
            let f = |x: f64| [x, x * x, x.sin()][kind as usize];
            let right = [m, m * m + v, (-0.5 * v).exp() * m.sin()][kind as usize];
            let (none, settings) = settings(vec![Marginal::normal(0.0, 1.0).unwrap()], seed);
            let mut both = |x: &[f64]| Ok((f(x[0]), size * (-0.5 * ((y - x[0]) / s).powi(2)).exp()));
            let found = expectation((none, Vec::new()), &mut both, 10, None, settings, &Silent).unwrap();
            let (lo, hi) = found.posterior.interval(0.95);
            errors.push((found.posterior.mean() - right).abs());
            inside += u32::from(lo <= right && right <= hi);
        }
        errors.sort_by(f64::total_cmp);
        assert!(inside >= 90 && errors[50] < 0.02, "{inside} of 100, median error {}", errors[50]);
    }

    #[test]
    fn an_expectation_in_two_inputs_and_of_a_constant() {
        let marginal = Marginal::normal(0.0, 1.0).unwrap();
        let factor = |x: &[f64]| (-0.5 * (x[0] - 1.0).powi(2) - 0.5 * (x[1] + 1.0).powi(2)).exp();
        let (none, of_two) = settings(vec![marginal, marginal], 1);
        // the posterior is N(1/2, 1/2) in the first and N(−1/2, 1/2) in the second
        let mut both = |x: &[f64]| Ok((x[0] * x[1], factor(x)));
        let found = expectation((none.clone(), Vec::new()), &mut both, 40, None, of_two.clone(), &Silent).unwrap();
        assert!((found.posterior.mean() + 0.25).abs() < 0.01, "{:?}", found.posterior);
        let mut constant = |x: &[f64]| Ok((3.0, factor(x)));
        let found = expectation((none, Vec::new()), &mut constant, 10, None, of_two, &Silent).unwrap();
        assert!((found.posterior.mean() - 3.0).abs() < 1e-12 && found.posterior.sd() < 1e-12, "{:?}", found.posterior);
    }

    #[test]
    fn a_stop_gives_what_is_known() {
        for asked_after in [2, 3, 7, 12] {
            let made = Arc::new(AtomicUsize::new(0));
            let seen = made.clone();
            let stop = StopHandle::new(move || seen.load(Ordering::SeqCst) >= asked_after);
            let mut count = |x: &[f64]| {
                made.fetch_add(1, Ordering::SeqCst);
                Ok(x[0].exp())
            };
            let (none, one) = settings(vec![Marginal::uniform(0.0, 1.0).unwrap()], 3);
            let found = integrate(none, &mut count, 30, None, one, &stop).unwrap();
            assert!(
                found.course == Course { asked: 30, ended: Ended::Stopped } && found.evaluations.n() == asked_after,
                "{asked_after}: {found:?}"
            );
        }
        let (none, one) = settings(vec![Marginal::uniform(0.0, 1.0).unwrap()], 3);
        let found = integrate(none, &mut |_| Ok(1.0), 30, None, one, &StopHandle::new(|| true));
        assert_eq!(found, Err(QuadratureError::Stopped));
    }

    #[test]
    fn values_that_are_all_the_same() {
        let uniform = Marginal::uniform(0.0, 1.0).unwrap();
        let (none, one) = settings(vec![uniform], 2);
        // a step that the first points miss
        let mut step = |x: &[f64]| Ok(f64::from(u8::from(x[0] > 0.9)));
        let found = integrate(none.clone(), &mut step, 40, None, one.clone(), &Silent).unwrap();
        assert!((found.posterior.mean() - 0.1).abs() < 0.05, "{:?}", found.posterior);
        let found = integrate(none.clone(), &mut |_| Ok(2.0), 10, None, one.clone(), &Silent).unwrap();
        let (lo, hi) = found.posterior.interval(0.95);
        assert!(lo <= 2.0 && 2.0 <= hi && hi - lo < 0.2, "{:?}", found.posterior);
        let zero = integrate(none.clone(), &mut |_| Ok(0.0), 10, Some(1e-3), one.clone(), &Silent).unwrap();
        assert_eq!((zero.posterior.mean(), zero.evaluations.n(), zero.has_no_scale()), (0.0, 10, true));
        let tiny = integrate(none, &mut |x| Ok(1e-300 * x[0]), 10, None, one, &Silent);
        assert!(matches!(tiny, Err(QuadratureError::Size(_))), "{tiny:?}");
    }

    #[test]
    fn a_constant_is_the_mean_and_inside_its_interval() {
        let normal = Marginal::normal(0.0, 1.0).unwrap();
        for (inputs, value) in [(1, 1.0), (2, 7.0), (1, -3e5)] {
            for n in [1, 5, 21, 40] {
                let (none, one) = settings(vec![normal; inputs], 1);
                let found = integrate(none, &mut |_| Ok(value), n, None, one, &Silent).unwrap();
                let (lo, hi) = found.posterior.interval(0.95);
                assert!(found.posterior.mean() == value && lo < value && value < hi, "{n}: {:?}", found.posterior);
                assert_eq!(found.constant(), Some(value));
            }
        }
        // a step that is seen from one side
        let (none, one) = settings(vec![Marginal::normal(1.0, 0.2).unwrap()], 1);
        let mut step = |x: &[f64]| Ok(f64::from(u8::from(x[0] > 0.0)));
        let found = integrate(none, &mut step, 30, None, one, &Silent).unwrap();
        let (lo, hi) = found.posterior.interval(0.95);
        assert!(lo < 1.0 - 2.9e-7 && 1.0 - 2.9e-7 < hi, "{:?}", found.posterior);
    }

    #[test]
    fn many_inputs_leave_the_integral_open() {
        // with points that are independent under the prior the integral would be 0 for certain
        for (d, seed) in [(12, 1), (12, 2), (20, 1), (20, 2)] {
            let (none, one) = settings(vec![Marginal::normal(0.0, 1.0).unwrap(); d], seed);
            let mut square = |x: &[f64]| Ok(x.iter().sum::<f64>().powi(2));
            let found = integrate(none, &mut square, 40, None, one, &Silent).unwrap();
            let (mean, sd, right) = (found.posterior.mean(), found.posterior.sd(), d as f64);
            assert!((mean - right).abs() < 6.0 * sd && mean > 0.4 * right, "{d} inputs: {mean} ± {sd}");
            assert!(found.share_left.unwrap() < 0.5, "{d} inputs: {:?}", found.share_left);
        }
    }

    /// Expectations under factors that are much narrower than the density, so that few points see them.
    #[test]
    fn expectations_under_narrow_factors_are_covered() {
        for n in [6, 10, 20, 40] {
            let (mut inside, mut all) = (0, 0);
            for width in [0.05, 0.1, 0.2f64] {
                for centre in [-1.6, -1.1, -0.7, -0.2, 0.3, 0.8, 1.2, 1.7] {
                    let right = centre / (1.0 + width * width);
                    let (none, one) = settings(vec![Marginal::normal(0.0, 1.0).unwrap()], 0);
                    let factor = |x: f64| (-0.5 * ((x - centre) / width).powi(2)).exp();
                    let mut both = |x: &[f64]| Ok((x[0], factor(x[0])));
                    let found = expectation((none, Vec::new()), &mut both, n, None, one, &Silent);
                    all += 1;
                    inside += match found {
                        Ok(found) => {
                            let (lo, hi) = found.posterior.interval(0.95);
                            u32::from(lo <= right && right <= hi)
                        }
                        // no statement is not a wrong one
                        Err(QuadratureError::NoNormaliser { .. } | QuadratureError::NoMass(_)) => 1,
                        Err(error) => panic!("{error}"),
                    };
                }
            }
            assert!(inside >= all * 9 / 10, "{n} evaluations: {inside} of {all}");
        }
    }

    #[test]
    fn the_size_of_a_factor_has_no_meaning() {
        let of = |size: f64| {
            let (none, one) = settings(vec![Marginal::normal(0.0, 1.0).unwrap()], 1);
            let mut both = |x: &[f64]| Ok((x[0], size * (-x[0]).exp()));
            expectation((none, Vec::new()), &mut both, 8, None, one, &Silent).unwrap()
        };
        let (usual, small) = (of(1.0), of(2f64.powi(-660)));
        assert_eq!(usual.posterior, small.posterior);
        let normaliser = |z: &Integral| z.ratio.as_ref().unwrap().normaliser;
        assert!((normaliser(&small) / 2f64.powi(-660) / normaliser(&usual) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn integrals_on_warped_scales_are_positive_and_covered() {
        let normal = Marginal::normal(0.0, 1.0).unwrap();
        // exp(−a (x − c)²) has the integral exp(−a c²/(1 + 2a))/√(1 + 2a)
        for (warp, least) in [(Warp::SquareRoot, 85), (Warp::Log, 85)] {
            let (mut inside, mut all) = (0, 0);
            for (a, c) in [(1.0f64, 0.0f64), (4.0, 0.0), (10.0, 1.0), (0.3, -1.0)] {
                let right = (-a * c * c / (1.0 + 2.0 * a)).exp() / (1.0 + 2.0 * a).sqrt();
                for n in [6, 9, 12, 20] {
                    for seed in 0..5 {
                        let (none, one) = settings(vec![normal], seed);
                        let mut bump = |x: &[f64]| Ok((-a * (x[0] - c).powi(2)).exp());
                        let found = integrate(none, &mut bump, n, None, Settings { warp, ..one }, &Silent).unwrap();
                        let (lo, hi) = found.posterior.interval(0.95);
                        assert!(lo >= 0.0 && hi < 1e3, "{warp:?}, {a}, {c}, {n}: {lo} to {hi}");
                        all += 1;
                        inside += u32::from(lo <= right && right <= hi);
                    }
                }
            }
            assert!(inside * 100 >= all * least, "{warp:?}: {inside} of {all}");
        }
        // a ridge in two inputs
        let (none, one) = settings(vec![normal; 2], 0);
        let mut ridge = |x: &[f64]| Ok((-5.0 * (x[0] - 1.0).powi(2) - 5.0 * (x[1] + x[0]).powi(2)).exp());
        let found = integrate(none, &mut ridge, 30, None, Settings { warp: Warp::SquareRoot, ..one }, &Silent).unwrap();
        let (lo, hi) = found.posterior.interval(0.95);
        assert!(lo < 0.0392 && 0.0392 < hi, "{:?}", found.posterior);
        let band = found.band(&[vec![-3.0, 0.0, 3.0], vec![3.0, 0.0, -3.0]], 2.0).unwrap();
        assert!(band.iter().all(|[lo, middle, hi]| *lo >= 0.0 && lo <= middle && middle <= hi), "{band:?}");
    }
}
