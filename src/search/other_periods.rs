//! Other values of a new period at a maximum of the likelihood, to which no gradient leads.

use crate::fit::optimize::{Options, Run};
use crate::fit::{Likelihood, best_after};
use crate::kernel::Role;
use crate::model::Parameter;
use crate::progress::{Progress, Quiet};

/// Steps after which another period is judged,
const FEW_STEPS: usize = 8;
/// and those in which the best is followed.
const STEPS: usize = 300;
/// It is given up where its log likelihood after so many further steps is lower than at the present period by more than this.
const APPROACH: [(usize, f64); 3] = [(20, NEAR), (20, 1.0), (40, 0.2)];
/// Multiples of a period that are tried, and the shape within a period at which they have the present one as a harmonic.
const OTHER_PERIODS: [(f64, Option<f64>); 5] =
    [(0.5, None), (2.0, None), (2.0, Some(0.75)), (3.0, Some(0.5)), (4.0, Some(0.4))];
/// The number of times a finalist changes to another maximum,
const HOPS: usize = 2;
/// if its log likelihood after the first steps is at most this much lower,
const NEAR: f64 = 5.0;
/// and finally higher by this.
const WORTH_A_HOP: f64 = 1e-3;
/// A better period that gains less than this is taken, and no others beside it are tried.
const WORTH_ANOTHER: f64 = 0.1;

/// A period of whole steps of a grid may have a log likelihood that is this much lower than a share of it,
const FUNDAMENTAL: f64 = 3.0;
/// up to so many times it,
const MOST_TURNS: u32 = 7;
/// if it has fewer steps than this.
const LONGEST_ON_GRID: f64 = 60.0;

/// Tries half each new period of a maximum and its multiples, to which no gradient leads: a pattern with a shape of its own
/// has harmonics, each of which alone is a maximum. They are compared by some of the rows, if these are given; the best is
/// followed on all. Returns the number of evaluations.
pub fn try_other_periods(
    objective: &Likelihood<'_>,
    some: Option<&Likelihood<'_>>,
    run: &mut Run,
    limits: &Options,
    progress: &dyn Progress,
) -> usize {
    let trial = |starts: &[Vec<f64>]| match some {
        Some(some) => best_after(FEW_STEPS, some, starts, limits, progress),
        None => best_after(FEW_STEPS, objective, starts, limits, progress),
    };
    let mut spent = 0;
    for _ in 0..HOPS {
        let values = objective.to_values(&run.outcome().at);
        let others = others(objective.problem().parameters(), &values);
        if others.is_empty() || progress.stop() {
            break;
        }
        let here = || if some.is_some() { trial(&[values]) } else { (None, 0) };
        let ((best, tried), (here, again)) = rayon::join(|| trial(&others), here);
        spent += tried + again;
        let here = here.as_ref().map_or(run.value(), Run::value);
        let Some(best) = best.filter(|best| best.value() < here + NEAR) else { break };
        let mut there = match some {
            Some(_) => Run::new(&best.outcome().at, limits),
            None => best,
        };
        let before = there.outcome().evaluations;
        let near = |(steps, near): &(usize, f64)| {
            there.advance(objective, *steps, &Quiet(progress));
            there.value() < run.value() + near
        };
        if APPROACH.iter().all(near) {
            there.advance(objective, STEPS, &Quiet(progress));
        }
        spent += there.outcome().evaluations - before;
        let gained = run.value() - there.value();
        if gained.is_nan() || gained < WORTH_A_HOP {
            break;
        }
        *run = there;
        if gained < WORTH_ANOTHER {
            break;
        }
    }
    spent
}

/// The values of a maximum with another value of one new period.
fn others(parameters: &[Parameter], values: &[f64]) -> Vec<Vec<f64>> {
    let new = |p: &Parameter| p.role == Role::Period && p.is_free() && p.param.value().is_none();
    let mut all = Vec::new();
    for (i, p) in parameters.iter().enumerate().filter(|(_, p)| new(p)) {
        let shape = parameters.get(i + 1).filter(|p| p.role == Role::Roughness && p.is_free());
        for (times, rough) in OTHER_PERIODS {
            let other = times * values[i];
            if !p.domain.contains(other) || p.domain.on_bound(other) {
                continue;
            }
            let mut beside = values.to_vec();
            beside[i] = other;
            match (rough, shape) {
                (Some(rough), Some(_)) if values[i + 1] > rough => beside[i + 1] = rough,
                (Some(_), _) => continue,
                (None, _) => {}
            }
            all.push(beside);
        }
    }
    all
}

/// On a grid of days, a period of 3.5 days orders the days of the week in another way around the circle: it is a week as
/// well, and fits about as well. Of such periods the one of whole steps is taken, as neighbouring days are alike rather
/// than those half a week apart, if its log likelihood is not lower by more than [`FUNDAMENTAL`]. Returns the number of
/// evaluations.
pub fn prefer_fundamental_periods(
    objective: &Likelihood<'_>,
    run: &mut Run,
    step: f64,
    limits: &Options,
    progress: &dyn Progress,
) -> usize {
    let whole = |period: f64| {
        let steps = period / step;
        steps < LONGEST_ON_GRID && (steps - steps.round()).abs() < 0.01
    };
    let mut spent = 0;
    let parameters = objective.problem().parameters();
    for (i, p) in parameters.iter().enumerate().filter(|(_, p)| p.role == Role::Period && p.is_free()) {
        let mut values = objective.to_values(&run.outcome().at);
        let Some(longer) = (2..=MOST_TURNS).map(|times| f64::from(times) * values[i]).find(|longer| whole(*longer))
        else {
            continue;
        };
        if whole(values[i]) || !p.domain.contains(longer) || progress.stop() {
            continue;
        }
        values[i] = longer;
        let mut there = Run::new(&objective.to_coordinates(&values), limits);
        there.advance(objective, STEPS, &Quiet(progress));
        spent += there.outcome().evaluations;
        if there.value() < run.value() + FUNDAMENTAL {
            *run = there;
        }
    }
    spent
}
