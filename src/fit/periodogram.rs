//! The peaks of the periodogram of a series, as starting values of periods.
//!
//! The generalised Lomb–Scargle periodogram with a floating mean (Zechmeister & Kürster 2009, equations 4 to 15) of the
//! residual of a smooth trend. Peaks are extracted one at a time, the strongest first, and each is subtracted before
//! the next is searched, so that side lobes of a strong peak do not hide a weaker one.

use std::f64::consts::TAU;

use rayon::prelude::*;

use super::spacing::{OF_MEDIAN, distinct, median, recurring_gap, sample};

/// A period in the units of t, and the share (0 to 1) of the variance about the trend that its sine explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    pub period: f64,
    pub power: f64,
}

/// The number of grid points per resolution, 1 / span.
const OVERSAMPLING: f64 = 10.0;
/// The same for long series, where the full grid would be too large.
const LEAST_OVERSAMPLING: f64 = 5.0;
const MOST_FREQUENCIES: usize = 20_000;
/// Above this number of rows the periodogram uses an uneven sample, which still resolves short periods.
const MOST_ROWS: usize = 2000;
/// With fewer distinct times, a trend and a sinusoid together interpolate all of them.
const LEAST_PLACES: usize = 8;
/// A sinusoid with fewer cycles in the span cannot be distinguished from a trend.
const FEWEST_CYCLES: f64 = 2.0;
/// Peaks nearer than this number of resolutions (1 / span) are merged.
const APART: f64 = 1.5;
/// The number of frequencies after which phases are recomputed, because the recurrence accumulates rounding.
const RENEW: usize = 128;
/// The maximum number of rounds of shrinking outliers; one outlier of a million deviations needs about ten.
const MOST_DRAWS: usize = 20;

/// The `most` strongest peaks of y over t, strongest first. Rows may be in any order, with repeated t; rows with a
/// value that is not finite are ignored. Periods are between twice the recurring gap of t and half its span. Empty if
/// there are too few distinct times, or if y is constant or smooth.
pub fn peaks(t: &[f64], y: &[f64], most: usize) -> Vec<Peak> {
    let Some((series, grid)) = prepare(t, y) else {
        return Vec::new();
    };
    let Series { t, mut y } = series;
    let whole = mean_square(&y);
    let mut found: Vec<(f64, Peak)> = Vec::new();
    let mut power = Vec::with_capacity(grid.count);
    while found.len() < most && mean_square(&y) > 1e-10 * whole {
        scan(&t, &y, &grid, &mut power);
        let allowed =
            |f: f64| f >= grid.least && found.iter().all(|(other, _)| (f - other).abs() > APART * grid.resolution);
        let Some(top) = highest(&power, |at| allowed(grid.frequency(at))) else {
            break;
        };
        let frequency = grid.refine(&t, &y, top);
        if !allowed(frequency) {
            break;
        }
        let explained = subtract(&t, &mut y, frequency);
        if explained <= 0.0 {
            break;
        }
        found.push((frequency, Peak { period: 1.0 / frequency, power: (explained / whole).min(1.0) }));
    }
    let mut peaks: Vec<Peak> = found.into_iter().map(|(_, peak)| peak).collect();
    peaks.sort_by(|a, b| b.power.total_cmp(&a.power));
    peaks
}

/// Times relative to the middle of their span, and the residual of y after the trend.
struct Series {
    t: Vec<f64>,
    y: Vec<f64>,
}

/// The frequencies of the periodogram: evenly spaced, from slightly below the least that is reported to the highest.
struct Grid {
    first: f64,
    step: f64,
    count: usize,
    least: f64,
    resolution: f64,
}

/// Selects the rows, subtracts the trend and builds the grid. `None` if there are too few rows.
fn prepare(t: &[f64], y: &[f64]) -> Option<(Series, Grid)> {
    let rows: Vec<(f64, f64)> =
        t.iter().copied().zip(y.iter().copied()).filter(|(t, y)| t.is_finite() && y.is_finite()).collect();
    let times: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let places = distinct(&times);
    if places.len() < LEAST_PLACES {
        return None;
    }
    let (first, last) = (places[0], places[places.len() - 1]);
    let grid = Grid::new(last - first, recurring_gap(&places)?)?;

    let middle = first + 0.5 * (last - first);
    let mut sorted = rows;
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut t: Vec<f64> = sorted.iter().map(|row| row.0 - middle).collect();
    let values: Vec<f64> = sorted.iter().map(|row| row.1).collect();
    let size = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    if size == 0.0 {
        return None;
    }
    let scaled: Vec<f64> = values.iter().map(|value| value / size).collect();
    let mut y = about_trend(&t, &scaled);
    if mean_square(&y) < 1e-20 {
        return None;
    }
    if t.len() > MOST_ROWS {
        let chosen = sample(t.len(), MOST_ROWS);
        t = chosen.iter().map(|&row| t[row]).collect();
        y = chosen.iter().map(|&row| y[row]).collect();
    }
    centre(&mut y);
    Some((Series { t, y }, grid))
}

impl Grid {
    fn new(span: f64, gap: f64) -> Option<Grid> {
        let resolution = 1.0 / span;
        let (first, least) = ((FEWEST_CYCLES - 0.5) * resolution, FEWEST_CYCLES * resolution);
        let highest = 0.5 / gap;
        // In units of the resolution, so that no span is too small or too large.
        let width = (highest - first) * span;
        if !(highest > least && width.is_finite()) {
            return None;
        }
        let oversampling = (MOST_FREQUENCIES as f64 / width).clamp(LEAST_OVERSAMPLING, OVERSAMPLING);
        let count = ((width * oversampling).ceil() as usize).clamp(2, MOST_FREQUENCIES - 1);
        // The last point is the highest frequency itself, at which alternating series have their peak.
        let step =
            if count < MOST_FREQUENCIES - 1 { (highest - first) / count as f64 } else { resolution / oversampling };
        Some(Grid { first, step, count: count + 1, least, resolution })
    }

    fn frequency(&self, at: usize) -> f64 {
        self.first + at as f64 * self.step
    }

    /// The maximum near a point of the grid, by golden-section search.
    fn refine(&self, t: &[f64], y: &[f64], at: usize) -> f64 {
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let highest = self.frequency(self.count - 1);
        let (mut lo, mut hi) = (self.frequency(at) - self.step, (self.frequency(at) + self.step).min(highest));
        if at + 1 == self.count {
            return highest;
        }
        let (mut a, mut b) = (hi - golden * (hi - lo), lo + golden * (hi - lo));
        let (mut at_a, mut at_b) = (Sums::at(t, y, a).power(), Sums::at(t, y, b).power());
        for _ in 0..24 {
            if at_a > at_b {
                (hi, b, at_b) = (b, a, at_a);
                a = hi - golden * (hi - lo);
                at_a = Sums::at(t, y, a).power();
            } else {
                (lo, a, at_a) = (a, b, at_b);
                b = lo + golden * (hi - lo);
                at_b = Sums::at(t, y, b).power();
            }
        }
        0.5 * (lo + hi)
    }
}

/// Means over the rows at one frequency: of cosine and sine, of their products with y and with each other.
#[derive(Default)]
struct Sums {
    c: f64,
    s: f64,
    yc: f64,
    ys: f64,
    cc: f64,
    cs: f64,
}

/// The number of partial sums, which the compiler can hold in one register.
const LANES: usize = 4;

impl Sums {
    fn at(t: &[f64], y: &[f64], frequency: f64) -> Sums {
        let (s, c): (Vec<f64>, Vec<f64>) = t.iter().map(|t| (TAU * frequency * t).sin_cos()).unzip();
        Sums::of(&c, &s, y)
    }

    fn of(c: &[f64], s: &[f64], y: &[f64]) -> Sums {
        let mut sums = [[0.0; LANES]; 6];
        let rows = c.chunks(LANES).zip(s.chunks(LANES)).zip(y.chunks(LANES));
        for ((c, s), y) in rows {
            for (lane, ((&c, &s), &y)) in c.iter().zip(s).zip(y).enumerate() {
                sums[0][lane] += c;
                sums[1][lane] += s;
                sums[2][lane] += y * c;
                sums[3][lane] += y * s;
                sums[4][lane] += c * c;
                sums[5][lane] += c * s;
            }
        }
        let [c, s, yc, ys, cc, cs] = sums.map(|lanes| lanes.iter().sum::<f64>() / y.len() as f64);
        Sums { c, s, yc, ys, cc, cs }
    }

    /// Amplitudes of cosine and sine about a floating mean, for y whose own mean is 0 (equations 5 and A5).
    fn amplitudes(&self) -> (f64, f64) {
        let cc = self.cc - self.c * self.c;
        let ss = 1.0 - self.cc - self.s * self.s;
        let cs = self.cs - self.c * self.s;
        let determinant = cc * ss - cs * cs;
        if determinant > 1e-12 {
            ((self.yc * ss - self.ys * cs) / determinant, (self.ys * cc - self.yc * cs) / determinant)
        } else if cc >= ss {
            // At the highest frequency of even points, sine and cosine are collinear, or one of them is 0.
            (if cc > 1e-6 { self.yc / cc } else { 0.0 }, 0.0)
        } else {
            (0.0, if ss > 1e-6 { self.ys / ss } else { 0.0 })
        }
    }

    /// The reduction of the mean square of y by the sinusoid.
    fn power(&self) -> f64 {
        let (a, b) = self.amplitudes();
        a * self.yc + b * self.ys
    }
}

/// The power at each frequency of the grid. Stretches of it are computed in parallel, each with phases of its own.
fn scan(t: &[f64], y: &[f64], grid: &Grid, power: &mut Vec<f64>) {
    let (turn_s, turn_c): (Vec<f64>, Vec<f64>) = t.iter().map(|t| (TAU * grid.step * t).sin_cos()).unzip();
    power.resize(grid.count, 0.0);
    power.par_chunks_mut(RENEW).enumerate().for_each(|(at, stretch)| {
        let first = grid.frequency(at * RENEW);
        let (mut s, mut c): (Vec<f64>, Vec<f64>) = t.iter().map(|t| (TAU * first * t).sin_cos()).unzip();
        for power in stretch {
            *power = Sums::of(&c, &s, y).power();
            for (((c, s), tc), ts) in c.iter_mut().zip(&mut s).zip(&turn_c).zip(&turn_s) {
                (*c, *s) = (*c * tc - *s * ts, *s * tc + *c * ts);
            }
        }
    });
}

/// The highest local maximum among the allowed indices; the last index may be one, the first not.
fn highest(power: &[f64], allowed: impl Fn(usize) -> bool) -> Option<usize> {
    (1..power.len())
        .filter(|&at| power[at] > power[at - 1] && power.get(at + 1).is_none_or(|next| power[at] >= *next))
        .filter(|&at| allowed(at))
        .max_by(|&a, &b| power[a].total_cmp(&power[b]))
}

/// Subtracts the best sinusoid of a frequency from y, and returns the reduction of the mean square.
fn subtract(t: &[f64], y: &mut [f64], frequency: f64) -> f64 {
    let before = mean_square(y);
    let (a, b) = Sums::at(t, y, frequency).amplitudes();
    for (t, y) in t.iter().zip(y.iter_mut()) {
        let (s, c) = (TAU * frequency * t).sin_cos();
        *y -= a * c + b * s;
    }
    centre(y);
    before - mean_square(y)
}

/// The residual of y after a cubic in t. Outliers (beyond six robust deviations) are shrunk until none remains, so that
/// a single one distorts neither the trend nor the spectrum.
fn about_trend(t: &[f64], y: &[f64]) -> Vec<f64> {
    let mut drawn = y.to_vec();
    for _ in 0..MOST_DRAWS {
        let rest = about_cubic(t, &drawn);
        let mut sizes: Vec<f64> = rest.iter().map(|rest| rest.abs()).collect();
        let limit = 6.0 * OF_MEDIAN * median(&mut sizes).unwrap_or(0.0);
        // If most values lie on the trend exactly, the others are not outliers but the signal.
        if !(limit > 0.0 && rest.iter().any(|rest| rest.abs() > limit)) {
            return rest;
        }
        for (drawn, rest) in drawn.iter_mut().zip(&rest) {
            *drawn += rest.clamp(-limit, limit) - rest;
        }
    }
    about_cubic(t, &drawn)
}

/// The residual of y after projection on 1, t, t² and t³, orthogonalised in turn.
fn about_cubic(t: &[f64], y: &[f64]) -> Vec<f64> {
    let reach = t.iter().fold(0.0, |most: f64, t| most.max(t.abs()));
    let mut rest = y.to_vec();
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(4);
    for degree in 0..4 {
        let mut column: Vec<f64> = t.iter().map(|t| (t / reach).powi(degree)).collect();
        // Twice is enough (Kahan, Parlett).
        for _ in 0..2 {
            basis.iter().for_each(|earlier| project_off(&mut column, earlier));
        }
        let length = column.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length > 1e-9 * (t.len() as f64).sqrt() {
            column.iter_mut().for_each(|v| *v /= length);
            project_off(&mut rest, &column);
            basis.push(column);
        }
    }
    rest
}

/// Subtracts the projection of a vector on a unit vector.
fn project_off(vector: &mut [f64], along: &[f64]) {
    let share: f64 = vector.iter().zip(along).map(|(v, a)| v * a).sum();
    vector.iter_mut().zip(along).for_each(|(v, a)| *v -= share * a);
}

fn centre(y: &mut [f64]) {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    y.iter_mut().for_each(|y| *y -= mean);
}

fn mean_square(y: &[f64]) -> f64 {
    y.iter().map(|y| y * y).sum::<f64>() / y.len() as f64
}

#[cfg(test)]
mod tests;
