//! The shape of a part along its inputs, from its posterior.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use crate::fit::Fit;
use crate::kernel::{InputRef, Kernel};
use crate::linalg::Matrix;
use crate::model::ModelError;

/// A part of one input over the range of the rows. Values are on the scale of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentShape {
    /// The index of the input among those of the kernel.
    pub input: usize,
    /// The range of the rows in this input.
    pub range: (f64, f64),
    pub shape: Shape,
    /// The posterior mean at the end less that at the start, and the standard deviation of this difference.
    pub change: (f64, f64),
    /// The shares of posterior draws that increase, and that decrease, over the whole range, on an even grid.
    pub throughout: (f64, f64),
    /// The standard deviation of the posterior mean over the range, and over its first and second half.
    pub spread: f64,
    pub halves: (f64, f64),
}

/// The shape of the posterior mean along an input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    Rises,
    Falls,
    /// Increases, then decreases; the position of the maximum.
    Peaks(f64),
    /// Decreases, then increases; the position of the minimum.
    Dips(f64),
    /// The number of turning points, if there are several.
    Turns(usize),
}

/// The effect of one of several inputs on a part, averaged over the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct MainEffect {
    pub input: usize,
    pub range: (f64, f64),
    pub shape: Shape,
    /// The range of the averaged effect.
    pub size: f64,
}

/// The oscillation of a periodic part.
#[derive(Debug, Clone, PartialEq)]
pub struct PeriodicShape {
    /// The range of the posterior mean within each period, earliest first, without its trend over the period; an even
    /// selection if there are many periods.
    pub sizes: Vec<f64>,
    /// The positions of the maximum and the minimum within `round`, as a fraction of it counted from its multiples;
    /// `None` if they vary between periods.
    pub highest: Option<f64>,
    pub lowest: Option<f64>,
}

/// The number of grid points along an input for the mean, and for draws.
const FINE: usize = 200;
const COARSE: usize = 41;
const DRAWS: usize = 400;
const SEED: u64 = 0;
/// A turn counts if its height is at least this share of the range.
const TURN: f64 = 0.05;
/// Effects are averaged over `ROWS` rows; for large data over fewer, so that at most `ENTRIES` covariances are
/// evaluated, but at least `FEW`. `PLACES` is the number of grid points along an input.
const ROWS: usize = 200;
const ENTRIES: usize = 4_000_000;
const FEW: usize = 10;
const PLACES: usize = 15;
/// The number of periods, and of points in each.
const PERIODS: usize = 60;
const PHASES: usize = 48;
/// The least agreement of the periods on the position of the maximum: the length of their mean direction.
const AGREE: f64 = 0.9;

/// The inputs on which a term of a fit depends, as indices among the inputs of the kernel.
pub fn inputs_of(fit: &Fit, term: &Kernel) -> Vec<usize> {
    let names = fit.problem().names();
    let (mentioned, all) = term.mentioned();
    if all {
        return (0..names.len()).collect();
    }
    let place = |input: &InputRef| match input {
        InputRef::Index(at) => (*at < names.len()).then_some(*at),
        InputRef::Name(name) => names.iter().position(|known| **known == **name),
    };
    let mut places: Vec<usize> = mentioned.iter().filter_map(place).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The shape of a term along its single input, in a range or over all rows. `None` if the range is empty, or the input
/// is categorical.
///
/// # Errors
/// Rows at which the term cannot be evaluated.
pub fn component_shape(
    fit: &Fit,
    term: &Kernel,
    input: usize,
    within: Option<(f64, f64)>,
) -> Result<Option<ComponentShape>, ModelError> {
    let Some(whole) = range(fit, input) else { return Ok(None) };
    let range = within.map_or(whole, |(lo, hi)| (lo.max(whole.0), hi.min(whole.1)));
    if range.0 >= range.1 {
        return Ok(None);
    }
    let fine = mean_at(fit, term, input, &even(range, FINE))?;
    let mut random = Pcg64::seed_from_u64(SEED);
    let x = columns(fit, &[0], input, &even(range, COARSE));
    let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
    let (_, draws) = fit.posterior.summand_draws(term, &x, DRAWS, &mut || StandardNormal.sample(&mut random))?;
    let half = fine.len() / 2;
    Ok(Some(ComponentShape {
        input,
        range,
        shape: shape(&fine, range),
        change: (fine[fine.len() - 1] - fine[0], change_sd(&draws)),
        throughout: (share(&draws, |step| step > 0.0), share(&draws, |step| step < 0.0)),
        spread: sd(&fine),
        halves: (sd(&fine[..half]), sd(&fine[half..])),
    }))
}

/// The effect of each of several inputs on a term, the largest first. Categorical inputs and those without variation
/// are left out.
///
/// # Errors
/// Rows at which the term cannot be evaluated.
pub fn main_effects(fit: &Fit, term: &Kernel, inputs: &[usize]) -> Result<Vec<MainEffect>, ModelError> {
    let n = fit.problem().n();
    let count = n.min((ENTRIES / (n * PLACES * inputs.len().max(1)).max(1)).clamp(FEW, ROWS));
    let rows: Vec<usize> = (0..count).map(|i| i * n / count).collect();
    let mut found = Vec::new();
    for &input in inputs {
        let Some(range) = range(fit, input) else { continue };
        let places = even(range, PLACES);
        let x = columns(fit, &rows, input, &places);
        let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
        let all = fit.posterior.summand_mean(term, &x)?;
        let means: Vec<f64> = all.chunks(rows.len()).map(|some| some.iter().sum::<f64>() / count as f64).collect();
        let (lo, hi) = ends(&means);
        found.push(MainEffect { input, range, shape: shape(&means, range), size: hi - lo });
    }
    found.sort_by(|a, b| b.size.total_cmp(&a.size));
    Ok(found)
}

/// The oscillation of a term with this period along its single input. Positions are relative to `round`, a length close
/// to the period (such as a calendar year). `None` if the rows cover less than one period.
///
/// # Errors
/// Rows at which the term cannot be evaluated.
pub fn periodic_shape(
    fit: &Fit,
    term: &Kernel,
    input: usize,
    period: f64,
    round: f64,
) -> Result<Option<PeriodicShape>, ModelError> {
    let Some((lo, hi)) = range(fit, input) else { return Ok(None) };
    let whole = ((hi - lo) / period).floor();
    if !(whole >= 1.0 && whole.is_finite()) {
        return Ok(None);
    }
    let count = PERIODS.min(whole as usize);
    let start = |i: usize| lo + (hi - period - lo) * i as f64 / (count - 1).max(1) as f64;
    let places: Vec<f64> =
        (0..count).flat_map(|i| (0..=PHASES).map(move |j| start(i) + period * j as f64 / PHASES as f64)).collect();
    let mean = mean_at(fit, term, input, &places)?;
    let (mut sizes, mut highest, mut lowest) = (Vec::new(), Vec::new(), Vec::new());
    for (mean, places) in mean.chunks(PHASES + 1).zip(places.chunks(PHASES + 1)) {
        // the trend over a period is not part of the oscillation
        let gained = (mean[PHASES] - mean[0]) / PHASES as f64;
        let mean: Vec<f64> = (0..PHASES).map(|j| mean[j] - gained * j as f64).collect();
        let at = |better: fn(f64, f64) -> bool| {
            (1..mean.len()).fold(0, |best, i| if better(mean[i], mean[best]) { i } else { best })
        };
        let (top, bottom) = (at(|a, b| a > b), at(|a, b| a < b));
        sizes.push(mean[top] - mean[bottom]);
        highest.push((places[top] / round).rem_euclid(1.0));
        lowest.push((places[bottom] / round).rem_euclid(1.0));
    }
    Ok(Some(PeriodicShape { sizes, highest: direction(&highest), lowest: direction(&lowest) }))
}

/// The mean of positions on a circle of length 1, if they agree.
fn direction(phases: &[f64]) -> Option<f64> {
    let turn = std::f64::consts::TAU;
    let n = phases.len().max(1) as f64;
    let x = phases.iter().map(|p| (turn * p).cos()).sum::<f64>() / n;
    let y = phases.iter().map(|p| (turn * p).sin()).sum::<f64>() / n;
    (x.hypot(y) >= AGREE).then(|| (y.atan2(x) / turn).rem_euclid(1.0))
}

/// The range of the rows in a numeric input, if it is not empty.
fn range(fit: &Fit, input: usize) -> Option<(f64, f64)> {
    let problem = fit.problem();
    let categories = problem.schema().columns.get(input)?.is_categories();
    let (lo, hi) = ends(problem.x().get(input)?);
    (!categories && hi > lo).then_some((lo, hi))
}

fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &v| (lo.min(v), hi.max(v)))
}

fn even((lo, hi): (f64, f64), count: usize) -> Vec<f64> {
    (0..count).map(|i| lo + (hi - lo) * i as f64 / (count - 1) as f64).collect()
}

/// Inputs with one of them at each grid point, and the others as in some rows; the index of the row changes fastest.
fn columns(fit: &Fit, rows: &[usize], input: usize, places: &[f64]) -> Vec<Vec<f64>> {
    let column = |(i, values): (usize, &&[f64])| -> Vec<f64> {
        let of_place = |&place: &f64| rows.iter().map(move |&row| if i == input { place } else { values[row] });
        places.iter().flat_map(of_place).collect()
    };
    fit.problem().x().iter().enumerate().map(column).collect()
}

fn mean_at(fit: &Fit, term: &Kernel, input: usize, places: &[f64]) -> Result<Vec<f64>, ModelError> {
    let x = columns(fit, &[0], input, places);
    let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
    fit.posterior.summand_mean(term, &x)
}

/// The shape of values on an even grid; turns that are small relative to the range are ignored.
fn shape(values: &[f64], (lo, hi): (f64, f64)) -> Shape {
    let (least, most) = ends(values);
    let small = TURN * (most - least);
    let (mut turns, mut extreme, mut up) = (Vec::new(), 0, None);
    for (i, &value) in values.iter().enumerate() {
        let step = value - values[extreme];
        match up {
            // the first direction is known after a sufficient change
            None => {
                let first = (value - values[0]).abs();
                if first > small {
                    up = Some(value > values[0]);
                    extreme = i;
                }
            }
            Some(true) if step >= 0.0 => extreme = i,
            Some(false) if step <= 0.0 => extreme = i,
            Some(way) if step.abs() > small => {
                turns.push(extreme);
                (up, extreme) = (Some(!way), i);
            }
            Some(_) => {}
        }
    }
    let place = |i: usize| lo + (hi - lo) * i as f64 / (values.len() - 1).max(1) as f64;
    match (&turns[..], up) {
        ([], Some(true)) => Shape::Rises,
        ([], Some(false)) => Shape::Falls,
        (&[one], Some(false)) => Shape::Peaks(place(one)),
        (&[one], Some(true)) => Shape::Dips(place(one)),
        (many, _) => Shape::Turns(many.len()),
    }
}

/// The share of draws of which every step satisfies `is`.
fn share(draws: &Matrix, is: impl Fn(f64) -> bool) -> f64 {
    let all = |draw: &[f64]| draw.windows(2).all(|pair| is(pair[1] - pair[0]));
    draws.column_iter().filter(|draw| all(&draw.iter().copied().collect::<Vec<_>>())).count() as f64
        / draws.ncols().max(1) as f64
}

/// The standard deviation among draws of the last value minus the first.
fn change_sd(draws: &Matrix) -> f64 {
    let changes: Vec<f64> = draws.column_iter().map(|draw| draw[draw.len() - 1] - draw[0]).collect();
    sd(&changes)
}

fn sd(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(f: impl Fn(f64) -> f64) -> Shape {
        let range = (0.0, 10.0);
        shape(&even(range, 201).iter().map(|&x| f(x)).collect::<Vec<_>>(), range)
    }

    #[test]
    fn shapes_are_told_apart() {
        assert_eq!(of(|x| x), Shape::Rises);
        assert_eq!(of(|x| -x), Shape::Falls);
        // small oscillations on a slope are ignored
        assert_eq!(of(|x| x + 0.1 * (5.0 * x).sin()), Shape::Rises);
        let Shape::Peaks(at) = of(|x| -(x - 4.0).powi(2)) else { panic!() };
        assert!((at - 4.0).abs() < 0.1);
        let Shape::Dips(at) = of(|x| (x - 7.0).powi(2)) else { panic!() };
        assert!((at - 7.0).abs() < 0.1);
        assert_eq!(of(|x| (x * std::f64::consts::PI / 5.0 * 2.0).sin()), Shape::Turns(4));
        assert_eq!(of(|_| 1.0), Shape::Turns(0));
    }

    #[test]
    fn directions_on_a_circle_agree_or_not() {
        let near = direction(&[0.98, 0.02, 0.0]).unwrap();
        assert!(!(0.01..=0.99).contains(&near));
        assert_eq!(direction(&[0.0, 0.25, 0.5, 0.75]), None);
    }
}
