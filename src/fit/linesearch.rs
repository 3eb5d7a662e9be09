//! A line search for the weak Wolfe conditions in which a missing value means that the step is too long.
//!
//! Lewis & Overton, "Nonsmooth optimization via quasi-Newton methods" (2013), algorithm 2.6: a bracket that is changed
//! only by bisection and expansion, so that the search ends for any function. Where possible, cubic interpolation
//! proposes the step, because an evaluation is expensive. Near the minimum, where differences of values are lost in
//! rounding, the derivative decides (the approximate Wolfe conditions of Hager & Zhang, 2005).

/// A point with a finite value and gradient.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub at: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
}

/// The result of one evaluation.
pub(super) enum Trial {
    Finite(Point),
    /// The value or a component of the gradient is not finite.
    Wall,
    /// There was no evaluation: the user stopped the work, or the limit was reached.
    Halt,
}

/// The result of a search.
pub(super) enum Found {
    Lower(Point),
    Nothing,
    Halted,
}

/// Sufficient decrease, as a share of that predicted by the derivative.
const DECREASE: f64 = 1e-4;
/// A step is long enough if the derivative has fallen to this share.
const FLATTER: f64 = 0.9;
/// The relative rounding error of a value.
pub(super) const ROUNDING: f64 = 1e-12;
const MOST_TRIALS: usize = 24;
/// Steps shorter than this in every coordinate are not evaluated.
const SHORTEST_MOVE: f64 = 1e-9;

/// A point on the line: its step, value and derivative.
#[derive(Clone, Copy)]
struct Mark {
    step: f64,
    value: f64,
    slope: f64,
}

/// The upper end of the bracket.
#[derive(Clone, Copy)]
enum High {
    Open,
    Wall(f64),
    Mark(Mark),
}

/// Searches from a point along a descent direction. `first` is the first step to try, `longest` the longest; `evaluate`
/// is called once per trial.
pub(super) fn search(
    from: &Point,
    direction: &[f64],
    first: f64,
    longest: f64,
    mut evaluate: impl FnMut(Vec<f64>) -> Trial,
) -> Found {
    let start = Mark { step: 0.0, value: from.value, slope: dot(&from.gradient, direction) };
    let size = largest(direction);
    let (mut low, mut before, mut high) = (start, start, High::Open);
    let mut kept = None;
    let mut step = first.min(longest);
    for trial in 0..MOST_TRIALS {
        let at = from.at.iter().zip(direction).map(|(x, d)| x + step * d).collect();
        match evaluate(at) {
            Trial::Halt => return kept.map_or(Found::Halted, Found::Lower),
            Trial::Wall => high = High::Wall(step),
            Trial::Finite(point) => {
                let mark = Mark { step, value: point.value, slope: dot(&point.gradient, direction) };
                if !lower_enough(start, mark) {
                    high = High::Mark(mark);
                } else if mark.slope < FLATTER * start.slope && step < longest {
                    (before, low, kept) = (low, mark, Some(point));
                } else {
                    return Found::Lower(point);
                }
            }
        }
        let next = propose(before, low, high, longest, trial);
        if next.is_nan() || (next - low.step) * size <= SHORTEST_MOVE {
            break;
        }
        step = next;
    }
    kept.map_or(Found::Nothing, Found::Lower)
}

fn lower_enough(start: Mark, mark: Mark) -> bool {
    mark.value <= start.value + DECREASE * mark.step * start.slope
        || (mark.value <= start.value + ROUNDING * start.value.abs().max(1.0)
            && mark.slope <= (2.0 * DECREASE - 1.0) * start.slope)
}

/// The next step to try, inside the bracket or beyond its open end.
fn propose(before: Mark, low: Mark, high: High, longest: f64, trial: usize) -> f64 {
    match high {
        High::Open => {
            let turn = low.step - low.slope * (low.step - before.step) / (low.slope - before.slope);
            let beyond =
                if low.slope > before.slope { turn.clamp(2.0 * low.step, 5.0 * low.step) } else { 4.0 * low.step };
            beyond.min(longest)
        }
        // A point without a finite value only shows that the minimum is closer.
        High::Wall(wall) => low.step + 0.3 * (wall - low.step),
        High::Mark(high) => {
            let width = high.step - low.step;
            let middle = low.step + 0.5 * width;
            // Every third trial bisects, so that the bracket shrinks.
            match cubic_minimum(low, high) {
                Some(minimum) if trial % 3 != 2 => minimum.clamp(low.step + 0.1 * width, high.step - 0.1 * width),
                _ => middle,
            }
        }
    }
}

/// The minimum of the cubic with the values and derivatives of two points (Nocedal & Wright, 3.59).
fn cubic_minimum(a: Mark, b: Mark) -> Option<f64> {
    let d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.step - b.step);
    let d2 = (d1 * d1 - a.slope * b.slope).sqrt();
    let minimum = b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
    minimum.is_finite().then_some(minimum)
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The largest absolute value; NaN if a value is NaN.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, v| if v.is_nan() || v.abs() > most { v.abs() } else { most })
}

#[cfg(test)]
mod tests {
    use super::{Found, Point, Trial, search};

    /// Searches f from 0 upwards; returns the step found and the number of evaluations.
    fn along(f: impl Fn(f64) -> (f64, f64), first: f64, longest: f64) -> (Option<f64>, usize) {
        let (value, slope) = f(0.0);
        let from = Point { at: vec![0.0], value, gradient: vec![slope] };
        let mut count = 0;
        let found = search(&from, &[1.0], first, longest, |at| {
            count += 1;
            let (value, slope) = f(at[0]);
            if value.is_finite() && slope.is_finite() {
                Trial::Finite(Point { at, value, gradient: vec![slope] })
            } else {
                Trial::Wall
            }
        });
        match found {
            Found::Lower(point) => (Some(point.at[0]), count),
            _ => (None, count),
        }
    }

    #[test]
    fn takes_the_first_step_if_it_will_do() {
        assert_eq!(along(|x| ((x - 1.2).powi(2), 2.0 * (x - 1.2)), 1.0, 10.0), (Some(1.0), 1));
    }

    #[test]
    fn interpolates_and_expands() {
        let (step, count) = along(|x| ((x - 0.01).powi(2), 2.0 * (x - 0.01)), 1.0, 10.0);
        assert!(step.is_some_and(|s| s < 0.02) && count <= 4, "{step:?} {count}");
        let (step, count) = along(|x| ((x - 50.0).powi(2), 2.0 * (x - 50.0)), 0.01, 1e3);
        assert!(step.is_some_and(|s| s > 2.5 && s < 100.0) && count <= 8, "{step:?} {count}");
    }

    #[test]
    fn stays_within_the_longest_step() {
        assert_eq!(along(|x| (-x, -1.0), 1.0, 3.0).0, Some(3.0));
    }

    #[test]
    fn a_wall_is_too_far() {
        let walled = |x: f64| if x < 0.3 { (-x, -1.0) } else { (f64::NAN, f64::NAN) };
        let (step, count) = along(walled, 1.0, 3.0);
        assert!(step.is_some_and(|s| s > 0.0 && s < 0.3) && count <= 24, "{step:?} {count}");
    }

    #[test]
    fn a_false_slope_finds_nothing() {
        let (step, count) = along(|x| (x, -1.0), 1.0, 3.0);
        assert!(step.is_none() && count <= 24);
    }
}
