//! Starting values of the parameters of a new part; the others keep the parent's values.
//!
//! New periods are those of the parent, then the peaks of the periodogram of the parent's residuals, then those of the
//! data. New length-scales and locations are spread over the distances and the range of their input. New variances are
//! a share of the residual variance. One start leaves the parent unchanged as far as the edit allows, so that no child
//! is worse than its parent.

use std::f64::consts::PI;

use super::edits::Kind;
use super::product_variance::{MULTIPLIED, NEW};
use super::setup::Setup;
use crate::fit::periodogram::peaks;
use crate::fit::prior_variance::{contribution, mean_variance};
use crate::fit::{Fit, Starts, spread};
use crate::kernel::Role;
use crate::model::{Parameter, ParameterKind, Problem, ProductBound};
use crate::param::Domain;

/// Periods down to 2/`COMB` of the range are tried, in addition to peaks of a periodogram.
const COMB: usize = 24;
/// Periods are distinct if they differ by at least this share,
const APART: f64 = 0.05;
/// and this number of them enters the first round.
const PERIODS: usize = 3;

/// Length-scales over which a new pattern may drift, in periods.
const CYCLES: [f64; 3] = [1.0, 3.0, 10.0];

/// The index of the start of a new linear factor whose amplitude grows threefold along the input,
const GROWING: usize = 2;
/// of the start in which it shrinks to a third,
const SHRINKING: usize = 3;
/// and of the start in which a new factor almost equals the parent. Closer to it the gradient would almost vanish.
const NEARLY: usize = 4;

/// The quantities that a parent passes to its children.
pub struct Inheritance {
    /// For each input: periods to try, best first.
    periods: Vec<Vec<f64>>,
    /// Of these the strongest of the residuals and of the data. A parent that follows each single cycle leaves nothing over,
    /// and no period makes a difference at the start.
    strongest: Vec<Vec<f64>>,
    /// The mean of k(x, x) over the rows.
    size: f64,
    /// The variance of the residuals.
    left: f64,
}

impl Inheritance {
    /// The quantities of a fitted parent.
    pub fn of(parent: &Fit, setup: &Setup<'_>) -> Self {
        let problem = parent.problem();
        // rows at which the parent cannot be evaluated are not used
        let fitted = parent.posterior.fitted().unwrap_or_else(|_| vec![0.0; problem.n()]);
        // for classes, the label less its expectation
        let expected = |f: f64| match problem.model().bernoulli() {
            Some(how) => 2.0 * how.link().probability_at(f) - 1.0,
            None => f,
        };
        let residuals: Vec<f64> = problem.y().iter().zip(fitted).map(|(y, f)| y - expected(f)).collect();
        let of_parent = |d: usize| {
            let own = problem.parameters().iter().zip(parent.values());
            own.filter(move |(p, _)| p.role == Role::Period && p.columns == [d]).map(|(_, &v)| v)
        };
        let (mut periods, mut strongest) = (Vec::new(), Vec::new());
        for (d, x) in problem.x().iter().enumerate() {
            let of_residuals = if setup.periodic { peaks(x, &residuals, 3) } else { Vec::new() };
            let of_residuals: Vec<f64> = of_residuals.iter().map(|peak| peak.period).collect();
            let of_data: &[f64] = if setup.periodic { &setup.columns[d].periods } else { &[] };
            strongest.push(of_residuals.first().into_iter().chain(of_data.iter().take(2)).copied().collect());
            let mut known: Vec<f64> = Vec::new();
            let all = of_parent(d).chain(of_residuals.iter().copied()).chain(of_data.iter().copied());
            for period in all.filter(|_| setup.periodic) {
                if known.iter().all(|other| (other / period).ln().abs() > 0.02) {
                    known.push(period);
                }
            }
            known.truncate(8);
            periods.push(known);
        }
        let left = if problem.classes().is_some() {
            setup.variance
        } else {
            residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len().max(1) as f64
        };
        Self {
            periods,
            strongest,
            size: mean_variance(problem, parent.values()).unwrap_or(0.0),
            left: left.min(setup.variance),
        }
    }
}

/// The starting values of a base kernel: those of a fit.
pub fn base_seeds(problem: &Problem, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let starts = Starts::new(problem, seed);
    let confined = |values: Vec<f64>| problem.parameters().iter().zip(values).map(|(p, v)| within(p, v)).collect();
    (0..count).map(|i| confined(starts.start(i))).collect()
}

/// The starting values of all parameters of a child. The first is the best guess, the second equals the parent.
pub fn seeds(problem: &Problem, kind: Kind, from: &Inheritance, setup: &Setup<'_>, most: usize) -> Vec<Vec<f64>> {
    let open = open(problem);
    let count = (3 + 4 * open.len()).min(most);
    if open.is_empty() {
        let mut values = vec![written(problem)];
        size_new(problem, &mut values[0], kind, from, setup, 0.1);
        return values;
    }
    let mut out = Vec::with_capacity(count);
    for index in 0..count {
        let mut values = written(problem);
        let likeness = match index {
            1 => Some(1.0),
            NEARLY if kind == Kind::Multiplied => Some(0.1),
            _ => None,
        };
        for &at in &open {
            let p = &problem.parameters()[at];
            let u = spread(setup.settings.seed, at, index);
            values[at] = within(p, guess(p, u, index, likeness.map(|much| (kind, much)), from, setup));
        }
        let u = spread(setup.settings.seed, problem.parameters().len(), index);
        let share = match index {
            0 => 0.3,
            1 => 1e-3,
            _ => 10f64.powf(-2.5 + 2.5 * u),
        };
        size_new(problem, &mut values, kind, from, setup, share);
        out.push(values);
    }
    if let Some(at) = period(problem, &open)
        && let [column] = problem.parameters()[at].columns[..]
    {
        let new = NewPeriod { at, column, guess: &out[0], kind };
        let others = [drifting(problem, &new, from, setup), comb(problem, &new, from, setup)];
        out.extend(others.into_iter().flatten());
    }
    out
}

/// A new period of a child, on a column, with the best guess of all values.
struct NewPeriod<'g> {
    at: usize,
    column: usize,
    guess: &'g [f64],
    kind: Kind,
}

/// Patterns whose shape drifts over several periods. A part that is multiplied by a new pattern has followed each single
/// cycle so far, so that at its length-scale a period makes no difference.
fn drifting(problem: &Problem, new: &NewPeriod<'_>, from: &Inheritance, setup: &Setup<'_>) -> Vec<Vec<f64>> {
    let parameters = problem.parameters();
    let &NewPeriod { at, column, guess, kind } = new;
    if kind != Kind::Multiplied {
        return Vec::new();
    }
    let beside = |p: &Parameter| {
        p.role == Role::LengthScale && p.origin == Some(MULTIPLIED) && p.is_free() && p.columns == [column] && !p.warped
    };
    let beside: Vec<usize> = (0..parameters.len()).filter(|&i| beside(&parameters[i])).collect();
    if beside.is_empty() {
        return Vec::new();
    }
    let periods = from.periods[column].iter().take(PERIODS);
    let starts = periods.flat_map(|&period| CYCLES.map(|cycles| (period, cycles)));
    let start = |(period, cycles): (f64, f64)| {
        let mut values = guess.to_vec();
        values[at] = within(&parameters[at], period);
        beside.iter().for_each(|&i| values[i] = within(&parameters[i], cycles * period));
        size_new(problem, &mut values, kind, from, setup, 0.3);
        values
    };
    starts.map(start).collect()
}

/// A start in which an added pattern takes over what smooth parts have followed so far: they vary over several of its periods.
/// From the values of the parent it is a long way there, along which little is gained. `None` if there is no such part.
pub fn taking_over(problem: &Problem, kind: Kind, from: &Inheritance, setup: &Setup<'_>) -> Option<Vec<f64>> {
    if kind != Kind::Added {
        return None;
    }
    let parameters = problem.parameters();
    let new = |p: &Parameter| p.origin == Some(NEW) && !p.warped;
    let at = parameters.iter().position(|p| p.role == Role::Period && new(p))?;
    let [column] = parameters[at].columns[..] else { return None };
    let period = match parameters[at].is_free() {
        true => *from.strongest.get(column)?.last()?,
        false => parameters[at].value,
    };
    let follows = |p: &Parameter, value: f64| {
        p.role == Role::LengthScale && p.is_free() && p.columns == [column] && !p.warped && value < 2.0 * period
    };
    let mut values = written(problem);
    let smooth: Vec<usize> =
        (0..parameters.len()).filter(|&i| !new(&parameters[i]) && follows(&parameters[i], values[i])).collect();
    if smooth.is_empty() {
        return None;
    }
    for at in open(problem) {
        values[at] = within(&parameters[at], guess(&parameters[at], 0.5, 0, None, from, setup));
    }
    if parameters[at].is_free() {
        values[at] = within(&parameters[at], period);
    }
    smooth.iter().for_each(|&i| values[i] = within(&parameters[i], 3.0 * period));
    let share = 0.5 * setup.variance / from.left.max(0.1 * setup.variance);
    size_new(problem, &mut values, kind, from, setup, share);
    Some(values)
}

/// The best guess with other periods, evenly spaced in frequency. If the amplitude of a pattern changes its sign, its
/// periodogram has peaks next to its period rather than at it.
fn comb(problem: &Problem, new: &NewPeriod<'_>, from: &Inheritance, setup: &Setup<'_>) -> Vec<Vec<f64>> {
    let parameters = problem.parameters();
    let &NewPeriod { at, column, guess, kind } = new;
    let column = &setup.columns[column];
    let mut origins = vec![guess.to_vec()];
    if kind == Kind::Mended {
        origins.push(relocated(problem, guess, from, setup));
    }
    let periods = (4..=COMB).map(|k| 2.0 * column.span / k as f64).filter(|&period| period >= 2.2 * column.gap);
    let with = |period: f64, mut values: Vec<f64>| {
        values[at] = within(&parameters[at], period);
        size_new(problem, &mut values, kind, from, setup, 0.3);
        values
    };
    periods.flat_map(|period| origins.iter().map(move |values| with(period, values.clone()))).collect()
}

/// New locations for the linear kernels of a child: if a part is replaced, those next to it have values that suited the
/// old part.
fn relocated(problem: &Problem, values: &[f64], from: &Inheritance, setup: &Setup<'_>) -> Vec<f64> {
    let line = |p: &Parameter| {
        p.is_free() && matches!(p.kind, ParameterKind::Kernel(_)) && matches!(p.role, Role::Location | Role::Bias)
    };
    let new = |(p, &value): (&Parameter, &f64)| match line(p) {
        true => within(p, guess(p, 0.5, 0, None, from, setup)),
        false => value,
    };
    problem.parameters().iter().zip(values).map(new).collect()
}

/// The evaluated starts that are optimised further, best first: the best ones and, if a period is unknown, one for each
/// of the distinct best periods and of the strongest that are known.
pub fn promising(problem: &Problem, seen: &mut Vec<(f64, Vec<f64>)>, keep: usize, from: Option<&Inheritance>) {
    let Some(at) = period(problem, &open(problem)) else { return seen.truncate(keep) };
    let near = |one: f64, other: f64| (one / other).ln().abs() <= APART;
    let strongest = match problem.parameters()[at].columns[..] {
        [column] => from.and_then(|from| from.strongest.get(column)).map_or(&[][..], |strongest| strongest),
        _ => &[],
    };
    let mut missing: Vec<f64> = strongest.to_vec();
    let mut kept: Vec<(f64, Vec<f64>)> = Vec::new();
    for (value, start) in seen.drain(..) {
        let alike = kept.iter().filter(|other| near(other.1[at], start[at])).count();
        let sought = missing.iter().any(|period| near(*period, start[at]));
        if sought || (kept.len() < keep * PERIODS && alike < keep) {
            missing.retain(|period| !near(*period, start[at]));
            kept.push((value, start));
        }
    }
    *seen = kept;
}

/// The first open parameter that is a period in the units of an input.
fn period(problem: &Problem, open: &[usize]) -> Option<usize> {
    let sought = |p: &Parameter| p.role == Role::Period && !p.warped;
    open.iter().copied().find(|&i| sought(&problem.parameters()[i]))
}

/// The parameters that are free and have no written value.
fn open(problem: &Problem) -> Vec<usize> {
    let kernel = |p: &Parameter| matches!(p.kind, ParameterKind::Kernel(_)) || p.kind == ParameterKind::Noise;
    let parameters = problem.parameters();
    (0..parameters.len())
        .filter(|&i| parameters[i].is_free() && kernel(&parameters[i]) && parameters[i].param.value().is_none())
        .collect()
}

fn written(problem: &Problem) -> Vec<f64> {
    let value = |p: &Parameter| match p.param.value() {
        Some(value) if p.is_free() => within(p, value),
        _ => p.value,
    };
    problem.parameters().iter().map(value).collect()
}

fn guess(
    p: &Parameter,
    u: f64,
    index: usize,
    as_parent: Option<(Kind, f64)>,
    from: &Inheritance,
    setup: &Setup<'_>,
) -> f64 {
    if let Some(prior) = p.param.prior {
        return prior.centre();
    }
    let neutral = as_parent.is_some();
    let between = |lo: f64, hi: f64| lo * (hi / lo).powf(u);
    let column = if p.warped { None } else { p.columns.first().map(|&c| &setup.columns[c]) };
    let first = index == 0;
    match p.role {
        _ if p.kind == ParameterKind::Noise => setup.variance * if first { 0.05 } else { between(1e-3, 0.5) },
        Role::LengthScale => {
            let (distance, gap, span) = match (column, p.width) {
                (_, Some(width)) => (width, 0.1 * width, 3.0 * width),
                (Some(c), None) => (c.distance, c.gap, c.span),
                (None, None) => (1.0, 0.1, 3.0),
            };
            match (as_parent, first) {
                (Some((_, much)), _) => 45.0 * span * much.sqrt(),
                (None, true) => 0.5 * distance,
                _ => between((1.5 * gap).min(distance).max(0.01 * distance), 3.0 * distance),
            }
        }
        Role::Period => {
            let known = p.columns.first().filter(|_| !p.warped).map(|&c| &from.periods[c][..]).unwrap_or_default();
            match (known.len(), column) {
                (0, Some(c)) => between(2.0 * c.gap, c.span),
                (0, None) => 1.0,
                (n, _) => known[index.saturating_sub(usize::from(index > 1)) % n],
            }
        }
        Role::Roughness if neutral => 30.0,
        Role::Roughness if first => 1.0,
        Role::Roughness => between(0.3, 3.0),
        Role::Shape if first || neutral => 1.0,
        Role::Shape => between(0.05, 5.0),
        Role::Location => column.map_or(0.0, |c| match index {
            0 => c.middle,
            GROWING => c.least - 0.5 * c.span,
            SHRINKING => c.least + 1.5 * c.span,
            _ => c.least + c.span * (1.6 * u - 0.3),
        }),
        Role::Bias => {
            let spread = column.map_or(1.0, |c| c.variance);
            spread
                * match index {
                    GROWING | SHRINKING => 1e-3,
                    0 => 0.1,
                    _ => match as_parent {
                        Some((Kind::Multiplied, much)) => 3e4 * much * much,
                        _ => between(1e-3, 3.0),
                    },
                }
        }
        Role::Start | Role::Coefficient => p.value,
        Role::Variance | Role::SlopeVariance | Role::GrowthVariance(_) | Role::OrderVariance | Role::Degree => 1.0,
    }
}

/// The region in which a parameter is optimised. A length-scale below the spacing of the rows is noise, a period with
/// less than two cycles in the data is a smooth function, and a periodic pattern rougher than its sampling repeats
/// nothing.
pub fn region(p: &Parameter, setup: &Setup<'_>) -> Option<(f64, f64)> {
    if p.warped || !matches!(p.kind, ParameterKind::Kernel(_) | ParameterKind::Noise) {
        return None;
    }
    let column = match p.columns[..] {
        [column] => Some(&setup.columns[column]),
        _ => None,
    };
    match p.role {
        _ if p.kind == ParameterKind::Noise => {
            Some(((1e-7 * setup.variance).max(setup.least_noise), 10.0 * setup.variance))
        }
        Role::LengthScale => column.map(|c| ((1.5 * c.gap).min(0.05 * c.span), 50.0 * c.span)),
        Role::Period => column.map(|c| ((2.0 * c.gap).min(0.1 * c.span), 0.5 * c.span)),
        Role::Roughness => Some((0.1, 100.0)),
        Role::Shape => Some((1e-3, 1e3)),
        Role::Location => column.map(|c| (c.least - 2.0 * c.span, c.least + 3.0 * c.span)),
        _ => None,
    }
}

/// Bounds on products of parameters: a rational quadratic kernel with smallest scales l·√(2α) below the spacing of the
/// rows is noise, and a periodic pattern without correlation between neighbouring rows repeats nothing. The slots of a
/// node are adjacent, in the order of its family.
pub fn product_bounds(problem: &Problem, setup: &Setup<'_>) -> Vec<ProductBound> {
    let parameters = problem.parameters();
    let gap = |p: &Parameter| match p.columns[..] {
        [column] if !p.warped => Some(setup.columns[column].gap),
        _ => None,
    };
    let pair = |i: usize| -> Option<ProductBound> {
        let (one, two) = (&parameters[i], parameters.get(i + 1)?);
        let same = one.columns == two.columns && one.origin == two.origin;
        let (powers, least) = match (one.role, two.role) {
            (Role::LengthScale, Role::Shape) => (vec![(i, 1.0), (i + 1, 0.5)], gap(one)? * 0.5f64.sqrt()),
            // the phase of neighbours differs by 2π·gap/p; their correlation must be above e⁻⁴
            (Role::Period, Role::Roughness) => (vec![(i, 1.0), (i + 1, 1.0)], 0.5f64.sqrt() * PI * gap(one)?),
            _ => return None,
        };
        (same && least > 0.0).then_some(ProductBound { powers, least })
    };
    (0..parameters.len()).filter_map(pair).collect()
}

/// Sets new variances: a new term gets a share of the parent's residual variance, and a new factor preserves the
/// variance of its product.
fn size_new(problem: &Problem, values: &mut [f64], kind: Kind, from: &Inheritance, setup: &Setup<'_>, share: f64) {
    let parameters = problem.parameters();
    let variance = |p: &Parameter| p.role.is_scale();
    let of = |mark, p: &Parameter| p.origin == Some(mark) && matches!(p.kind, ParameterKind::Kernel(_));
    let open = |p: &Parameter| p.is_free() && p.param.value().is_none() && p.param.prior.is_none();
    if kind == Kind::Multiplied {
        let inside: Vec<usize> =
            (0..parameters.len()).filter(|&i| of(MULTIPLIED, &parameters[i]) && parameters[i].is_free()).collect();
        let sized: Vec<usize> = inside.into_iter().filter(|&i| scales(parameters, i)).collect();
        let first_open = (0..parameters.len())
            .find(|&i| of(NEW, &parameters[i]) && open(&parameters[i]) && variance(&parameters[i]));
        let sized = if sized.is_empty() { first_open.into_iter().collect() } else { sized };
        if let (Some(now), Some(part)) = (mean_variance(problem, values), contribution(problem, values, &sized)) {
            let rest = now - part.variance;
            let by = part.factor_for(from.size - rest);
            // next to far larger terms the difference is rounding
            if by.is_finite() && from.size - rest > 1e-12 * now {
                sized.iter().for_each(|&i| values[i] *= by);
            }
        }
        return;
    }
    let new: Vec<usize> = (0..parameters.len())
        .filter(|&i| {
            variance(&parameters[i]) && open(&parameters[i]) && matches!(parameters[i].kind, ParameterKind::Kernel(_))
        })
        .collect();
    if new.is_empty() {
        return;
    }
    // the residual variance less the noise would be almost 0: a share of the total variance is used if it is small
    let goal = match kind {
        Kind::Added => share * from.left.max(0.1 * setup.variance),
        _ => share * setup.variance,
    } / new.len() as f64;
    for &i in &new {
        let Some(found) = contribution(problem, values, &[i]) else { continue };
        let factor = found.factor_for(goal);
        values[i] *= factor;
        // the offset of a linear kernel is scaled with its slope
        if parameters[i].role == Role::SlopeVariance
            && let Some(b) =
                (0..i).rev().find(|&b| parameters[b].role == Role::Bias && parameters[b].origin == parameters[i].origin)
            && open(&parameters[b])
        {
            values[b] *= factor;
        }
    }
}

/// Whether a parameter scales its part: a variance, or an offset that is scaled with a slope.
fn scales(parameters: &[Parameter], i: usize) -> bool {
    match parameters[i].role {
        role if role.is_scale() => true,
        Role::Bias => parameters.get(i + 1).is_some_and(|next| next.role == Role::SlopeVariance),
        _ => false,
    }
}

/// The nearest value in the domain of the parameter, strictly inside its bounds.
fn within(p: &Parameter, value: f64) -> f64 {
    match p.domain {
        Domain::Interval { .. } if value.is_finite() => p.domain.from_real(p.domain.to_real(value).clamp(-7.0, 7.0)),
        _ if p.domain.contains(value) => value,
        _ => p.value,
    }
}
