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
    /// Whether the mean has turns within `shape` that are too small to be counted, but larger than a tenth of that.
    pub uneven: bool,
    /// How many posterior draws are monotonic; `None` if there are too many rows to tell.
    pub monotonic: Option<Monotonic>,
    /// The standard deviation of the posterior mean over the range, and over its first and second half.
    pub spread: f64,
    pub halves: (f64, f64),
}

/// The shares of posterior draws that increase and that decrease.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Monotonic {
    pub increase: f64,
    pub decrease: f64,
    pub over: Over,
}

/// Where draws are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// At each place of the range: a grid of half as many places gives the same shares.
    Range,
    /// Only from each row to the next. Between rows, a draw of a kernel without slopes, or with the slope 0 at its start,
    /// turns infinitely often.
    Rows,
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
    /// Several turning points.
    Turns {
        count: usize,
        /// Whether there may be more than the grid can show.
        at_least: bool,
    },
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
    /// Whether all rows are at the starts of quarters of `round`, and some at each of them.
    pub quarters: bool,
}

/// The number of grid points along an input for the mean: for each distinct row, and its limits.
const FINE: usize = 4;
const FINE_LIMITS: (usize, usize) = (200, 2000);
/// A grid with fewer points for each turn of the mean can miss turns.
const RESOLVED: usize = 8;
/// The number of grid points for draws; it is odd, so that every second point is a grid of the same range.
const GRID: usize = 161;
/// The largest number of distinct rows at which draws are compared.
const MOST_ROWS: usize = 201;
/// The largest difference of the shares of monotonic draws on two grids that are called equal.
const SAME: f64 = 0.02;
const DRAWS: usize = 1000;
const SEED: u64 = 0;
/// A turn counts if its height is at least this share of the range.
pub const TURN: f64 = 0.05;
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
    let mut rows: Vec<f64> = fit.problem().x()[input].to_vec();
    rows.retain(|x| (range.0..=range.1).contains(x));
    rows.sort_unstable_by(f64::total_cmp);
    rows.dedup();
    let fine = mean_at(fit, term, input, &even(range, (FINE * rows.len()).clamp(FINE_LIMITS.0, FINE_LIMITS.1)))?;
    let ends = draws_at(fit, term, input, &[range.0, range.1])?;
    let half = fine.len() / 2;
    let found = shape(&fine, range, TURN);
    Ok(Some(ComponentShape {
        input,
        range,
        shape: found,
        uneven: found != shape(&fine, range, 0.1 * TURN),
        change: (fine[fine.len() - 1] - fine[0], change_sd(&ends)),
        monotonic: monotonic(fit, term, input, range, &rows)?,
        spread: sd(&fine),
        halves: (sd(&fine[..half]), sd(&fine[half..])),
    }))
}

/// The shares of monotonic draws over a range if the kernel has slopes there and a grid suffices, or else from row to
/// row.
fn monotonic(
    fit: &Fit,
    term: &Kernel,
    input: usize,
    range: (f64, f64),
    rows: &[f64],
) -> Result<Option<Monotonic>, ModelError> {
    if term.has_slopes() {
        let draws = draws_at(fit, term, input, &even(range, GRID))?;
        let every = |step| (share(&draws, step, |by| by > 0.0), share(&draws, step, |by| by < 0.0));
        let ((increase, decrease), half) = (every(1), every(2));
        if (increase - half.0).abs() <= SAME && (decrease - half.1).abs() <= SAME {
            return Ok(Some(Monotonic { increase, decrease, over: Over::Range }));
        }
    }
    if !(2..=MOST_ROWS).contains(&rows.len()) {
        return Ok(None);
    }
    let draws = draws_at(fit, term, input, rows)?;
    let (increase, decrease) = (share(&draws, 1, |by| by > 0.0), share(&draws, 1, |by| by < 0.0));
    Ok(Some(Monotonic { increase, decrease, over: Over::Rows }))
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
        found.push(MainEffect { input, range, shape: shape(&means, range, TURN), size: hi - lo });
    }
    found.sort_by(|a, b| b.size.total_cmp(&a.size));
    Ok(found)
}

/// The oscillation of a term with this period along its single input. Positions are relative to `round`, a length close
/// to the period (such as a calendar year). The maximum and the minimum are those near phases that rows have: with rows
/// of quarters, the curve may be higher between two of them. `None` if the rows cover less than one period.
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
    let seen = Phases::of(fit.problem().x()[input].iter().map(|x| (x / round).rem_euclid(1.0)));
    let (mut sizes, mut highest, mut lowest) = (Vec::new(), Vec::new(), Vec::new());
    for (mean, places) in mean.chunks(PHASES + 1).zip(places.chunks(PHASES + 1)) {
        // the trend over a period is not part of the oscillation
        let gained = (mean[PHASES] - mean[0]) / PHASES as f64;
        let mean: Vec<f64> = (0..PHASES).map(|j| mean[j] - gained * j as f64).collect();
        let (bottom, top) = ends(&mean);
        sizes.push(top - bottom);
        let phases: Vec<f64> = places[..PHASES].iter().map(|place| (place / round).rem_euclid(1.0)).collect();
        let of_rows = || (0..PHASES).filter(|&j| seen.has_near(phases[j]));
        highest.extend(of_rows().max_by(|&a, &b| mean[a].total_cmp(&mean[b])).map(|j| phases[j]));
        lowest.extend(of_rows().min_by(|&a, &b| mean[a].total_cmp(&mean[b])).map(|j| phases[j]));
    }
    let quarters = seen.are_quarters();
    Ok(Some(PeriodicShape { sizes, highest: direction(&highest), lowest: direction(&lowest), quarters }))
}

/// The distinct phases of rows within a period of length 1, ascending.
struct Phases(Vec<f64>);

impl Phases {
    fn of(phases: impl Iterator<Item = f64>) -> Self {
        let mut all: Vec<f64> = phases.collect();
        all.sort_unstable_by(f64::total_cmp);
        all.dedup();
        Self(all)
    }

    /// Whether a row is within half a step of the grid.
    fn has_near(&self, phase: f64) -> bool {
        let (first, last) = (self.0.first().map(|first| first + 1.0), self.0.last().map(|last| last - 1.0));
        let at = self.0.partition_point(|known| *known < phase);
        let around = [at.checked_sub(1).map_or(last, |before| Some(self.0[before])), self.0.get(at).copied().or(first)];
        // a little more, so that a row between two points of the grid is near one of them
        around.into_iter().flatten().any(|known| (known - phase).abs() <= 0.51 / PHASES as f64)
    }

    /// Whether these are the starts of quarters. Those of calendar years are up to four days from quarters of a year.
    fn are_quarters(&self) -> bool {
        let quarter = |phase: &f64| (4.0 * phase).round();
        let at_starts = self.0.iter().all(|phase| (phase - 0.25 * quarter(phase)).abs() < 0.012);
        let mut seen: Vec<usize> = self.0.iter().map(|phase| quarter(phase) as usize % 4).collect();
        seen.sort_unstable();
        seen.dedup();
        at_starts && seen.len() == 4
    }
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

/// Posterior draws of a term at places on an input, one column each.
fn draws_at(fit: &Fit, term: &Kernel, input: usize, places: &[f64]) -> Result<Matrix, ModelError> {
    let mut random = Pcg64::seed_from_u64(SEED);
    let x = columns(fit, &[0], input, places);
    let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
    Ok(fit.posterior.summand_draws(term, &x, DRAWS, &mut || StandardNormal.sample(&mut random))?.1)
}

/// The shape of values on an even grid; turns below this share of the range are ignored.
fn shape(values: &[f64], (lo, hi): (f64, f64), turn: f64) -> Shape {
    let (least, most) = ends(values);
    let small = turn * (most - least);
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
        (many, _) => Shape::Turns { count: many.len(), at_least: many.len() * RESOLVED > values.len() },
    }
}

/// The share of draws whose change from each place to the one `step` places on satisfies `is`.
fn share(draws: &Matrix, step: usize, is: impl Fn(f64) -> bool) -> f64 {
    let all = |draw: &[f64]| (step..draw.len()).step_by(step).all(|i| is(draw[i] - draw[i - step]));
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
        shape(&even(range, 201).iter().map(|&x| f(x)).collect::<Vec<_>>(), range, TURN)
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
        assert_eq!(of(|x| (x * std::f64::consts::PI / 5.0 * 2.0).sin()), Shape::Turns { count: 4, at_least: false });
        assert_eq!(of(|_| 1.0), Shape::Turns { count: 0, at_least: false });
    }

    #[test]
    fn phases_of_rows_are_near_or_quarters() {
        let quarters = Phases::of((0..8).map(|i| (f64::from(i) / 4.0 + 0.003).rem_euclid(1.0)));
        assert!(quarters.are_quarters() && quarters.has_near(0.999) && quarters.has_near(0.26));
        assert!(!quarters.has_near(0.1) && !quarters.has_near(0.9));
        let months = Phases::of((0..12).map(|i| f64::from(i) / 12.0));
        assert!(!months.are_quarters() && months.has_near(1.0 - 1e-9));
        assert!(!Phases::of([0.0, 0.5].into_iter()).are_quarters());
    }

    #[test]
    fn directions_on_a_circle_agree_or_not() {
        let near = direction(&[0.98, 0.02, 0.0]).unwrap();
        assert!(!(0.01..=0.99).contains(&near));
        assert_eq!(direction(&[0.0, 0.25, 0.5, 0.75]), None);
    }
}
