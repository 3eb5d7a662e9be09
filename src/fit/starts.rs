//! Starting values of a fit: from the data, and random ones from a seed.
//!
//! Start 0 is the best guess from the data. Start i > 0 draws every parameter from its plausible range by a
//! low-discrepancy sequence, so that few starts cover the range evenly. It depends only on (seed, i).

use std::borrow::Cow;
use std::collections::HashMap;

use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use super::column::Column;
use super::prior_variance::{Contribution, contribution, mean_variance};
use super::spacing::{median_distance, moments, rounding, variance};
use crate::data::standard_quantile;
use crate::kernel::{Inputs, Kernel, Node, Role, SlotState};
use crate::model::{Link, Parameter, ParameterKind, Problem, ProductBound};
use crate::param::State;

/// With more variances than this, their contributions to the diagonal are not measured one by one.
const MANY_VARIANCES: usize = 500;

/// In a product over at least this number of inputs, rows that are close in one input are distant in others.
const MANY_FACTORS: usize = 3;

/// The index in the sequence for the factor that all length-scales of a start share.
const TOGETHER: usize = usize::MAX;

/// The maximum number of other points that are tried next to a maximum.
const MOST_BESIDE: usize = 16;
/// The distance from 0, in units of its coordinate, at which the first start has a coefficient whose prior has its centre there.
const FROM_ZERO: f64 = 0.3;

/// The written values of a problem. Unset parameters get the values of the first start of a fit.
pub fn given(problem: &Problem) -> Vec<f64> {
    let written: Vec<Option<f64>> =
        problem.parameters().iter().map(|p| if p.is_free() { p.param.value() } else { Some(p.value) }).collect();
    // starts look at the data, which takes time
    if let Some(all) = written.iter().copied().collect() {
        return all;
    }
    let start = Starts::new(problem, 0).start(0);
    written.into_iter().zip(start).map(|(written, start)| written.unwrap_or(start)).collect()
}

/// The quantities from which starts are computed, found from the data once.
pub struct Starts<'p> {
    problem: &'p Problem,
    seed: u64,
    columns: Cow<'p, [Column]>,
    mean: f64,
    variance: f64,
    /// The largest share of the variance that noise can have, estimated from neighbouring rows.
    most_noise: f64,
    /// The largest number of inputs in a product of the kernel.
    factors: usize,
    /// For each parameter, its index among those with its role and column, and their number.
    places: Vec<(usize, usize)>,
}

impl<'p> Starts<'p> {
    /// Computes the quantities from the data; `seed` determines all starts but the first.
    pub fn new(problem: &'p Problem, seed: u64) -> Self {
        Self::with(problem, seed, None)
    }

    /// The same with known quantities of the columns, as their periods take time to find.
    pub fn with(problem: &'p Problem, seed: u64, columns: Option<&'p [Column]>) -> Self {
        let y = problem.y();
        let (mean, variance) = match problem.model().bernoulli() {
            Some(how) => latent(how.link(), y),
            None => moments(y),
        };
        let parameters = problem.parameters();
        let unset = |p: &Parameter| p.role == Role::Period && p.param.value().is_none();
        let wants_period = |d: usize| parameters.iter().any(|p| unset(p) && p.columns.contains(&d));
        let columns = match columns {
            Some(known) => Cow::Borrowed(known),
            None => (0..problem.x().len()).map(|d| Column::new(problem, d, wants_period(d))).collect(),
        };
        let mut alike: HashMap<(Role, &[usize]), usize> = HashMap::new();
        let before: Vec<usize> = parameters
            .iter()
            .map(|p| {
                let count = alike.entry((p.role, &p.columns)).or_insert(0);
                *count += 1;
                *count - 1
            })
            .collect();
        let places =
            parameters.iter().zip(before).map(|(p, before)| (before, alike[&(p.role, &p.columns[..])])).collect();
        let most_noise = match &problem.x()[..] {
            [x] => (rough_variance(x, y) / variance).clamp(1e-4, 1.0),
            _ => 1.0,
        };
        let factors = factors(&problem.model_with(&problem.values()).kernel, problem.x().len());
        Self { problem, seed, columns, mean, variance, most_noise, factors, places }
    }

    /// The values of all parameters at the start with this index.
    pub fn start(&self, index: usize) -> Vec<f64> {
        let mut rng = Pcg64::seed_from_u64(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index as u64));
        let parameters = self.problem.parameters();
        let mut values: Vec<f64> = parameters
            .iter()
            .enumerate()
            .map(|(at, p)| {
                let guess = match p.state {
                    SlotState::Free => self.guess(at, p, index, &mut rng),
                    SlotState::Fixed | SlotState::Held => p.value,
                };
                within(p, guess)
            })
            .collect();
        self.share_variance(&mut values, index, &mut rng);
        for (p, value) in parameters.iter().zip(&mut values) {
            if p.is_free() && p.param.value().is_none() {
                *value = within(p, *value);
            }
        }
        values
    }

    /// Points near these values where another maximum may be: each period halved and doubled, each location mirrored
    /// about the middle of its column.
    pub fn other_maxima(&self, values: &[f64]) -> Vec<Vec<f64>> {
        let mut all = Vec::new();
        for (at, p) in self.problem.parameters().iter().enumerate() {
            let open =
                p.is_free() && !p.warped && !matches!(p.param.state, State::Bounded { .. }) && p.param.prior.is_none();
            let [column] = p.columns[..] else { continue };
            let column = &self.columns[column];
            let others = match p.role {
                Role::Period => vec![0.5 * values[at], 2.0 * values[at]],
                Role::Location => vec![2.0 * column.middle - values[at]],
                _ => continue,
            };
            let far = |v: &f64| p.role != Role::Period || (*v >= 2.0 * column.gap && *v <= column.span);
            if open {
                all.extend(others.into_iter().filter(far).map(|v| {
                    let mut other = values.to_vec();
                    other[at] = v;
                    other
                }));
            }
        }
        all.truncate(MOST_BESIDE);
        all
    }

    fn guess(&self, at: usize, p: &Parameter, index: usize, rng: &mut Pcg64) -> f64 {
        if let Some(written) = p.param.value() {
            // the first start uses a written value; later ones vary it
            let around = if index == 0 { 0.0 } else { 0.5 * normal(rng) };
            return p.domain.moved(written, around);
        }
        if let State::Bounded { .. } = p.param.state {
            let u = if index == 0 { 0.5 } else { spread(self.seed, at, index) };
            return p.domain.from_real((u / (1.0 - u)).ln());
        }
        if let Some(prior) = p.param.prior {
            let around = match index {
                // a coefficient of 0 often makes a function constant, where the gradient vanishes
                0 if p.role == Role::Coefficient && prior.centre() == 0.0 => FROM_ZERO,
                0 => 0.0,
                _ => 0.7 * normal(rng),
            };
            return p.domain.moved(within(p, prior.centre()), around);
        }
        let u = spread(self.seed, at, index);
        let between = |lo: f64, hi: f64| lo * (hi / lo).powf(u);
        let first = index == 0;
        // In a product of many inputs one short length-scale makes all rows distant. So in every other start the
        // length-scales are long enough for rows to be close along all inputs at once, vary together, and leave more
        // variance to noise.
        let together = self.factors >= MANY_FACTORS && index.is_multiple_of(2);
        let column = if p.warped { None } else { p.columns.first().map(|&c| &self.columns[c]) };
        let (place, count) = self.places[at];
        match (p.kind, p.role) {
            (ParameterKind::Mean(0), _) => self.mean,
            (ParameterKind::Mean(_), _) => 0.0,
            (ParameterKind::Noise, _) => {
                let (range, likely, most) = if together { (30.0, 0.2, 0.6) } else { (1e3, 0.05, 0.3) };
                let most = self.most_noise.min(most);
                self.variance * if first { most.min(likely) } else { between(most / range, most) }
            }
            (_, Role::LengthScale) => {
                if let Some(width) = p.width {
                    return within(p, width * if first { 1.0 } else { between(0.3, 3.0) });
                }
                let distance = self.distance(&p.columns).unwrap_or(1.0);
                if p.columns.len() == 1 && together {
                    let likely = (0.5 * self.factors as f64).sqrt();
                    let u = spread(self.seed, TOGETHER, index);
                    let scale =
                        if first { likely } else { 0.3 * (4.0 * likely / 0.3).powf(u) * (0.4 * normal(rng)).exp() };
                    let apart = 3f64.powi(place as i32);
                    return within(p, scale * distance / apart);
                }
                let least = column.map_or(0.05 * distance, |c| (1.5 * c.gap).min(distance).max(0.01 * distance));
                if first {
                    let share = (place as f64 + 1.0) / (count as f64 + 1.0);
                    least * (1.5 * distance / least).powf(share)
                } else {
                    between(least, 3.0 * distance)
                }
            }
            (_, Role::Period) => {
                let Some(column) = column else { return 1.0 };
                let wiggle = if first { 1.0 } else { (0.005 * normal(rng)).exp() };
                let known = &column.periods;
                if known.is_empty() {
                    return between(2.0 * column.gap, column.span);
                }
                let pick = if first || index % 2 == 1 { place } else { rng.random_range(0..known.len()) };
                known[pick.min(known.len() - 1)] * wiggle
            }
            (_, Role::Roughness) => {
                if first {
                    1.0
                } else {
                    between(0.3, 3.0)
                }
            }
            (_, Role::Shape) => {
                if first {
                    1.0
                } else {
                    between(0.1, 5.0)
                }
            }
            (_, Role::Start) => p.value,
            (_, Role::Location) => {
                column.map_or(0.0, |c| if first { c.middle } else { c.least - 0.5 * c.span + 1.5 * c.span * u })
            }
            (_, Role::Bias) => {
                let spread: f64 = p.columns.iter().map(|&c| self.columns[c].variance).sum();
                let spread = if p.warped || spread <= 0.0 { 1.0 } else { spread };
                spread * if first { 0.1 } else { between(1e-3, 1.0) }
            }
            // 1 until all shapes are known: see `share_variance`
            (_, Role::Variance | Role::SlopeVariance | Role::GrowthVariance(_) | Role::OrderVariance) => 1.0,
            (_, Role::Coefficient) => p.domain.moved(p.value, if first { 0.0 } else { normal(rng) }),
            (_, Role::Degree) => p.value,
        }
    }

    /// Gives every free unset variance a share of the target's variance, according to its contribution to the mean
    /// diagonal of the kernel. The offset of a linear kernel is scaled with its slope.
    fn share_variance(&self, values: &mut [f64], index: usize, rng: &mut Pcg64) {
        let problem = self.problem;
        let parameters = problem.parameters();
        let open = |p: &Parameter| {
            p.is_free() && matches!(p.kind, ParameterKind::Kernel(_)) && p.role.is_scale() && p.param.is_unset()
        };
        let variances: Vec<usize> = (0..parameters.len()).filter(|&i| open(&parameters[i])).collect();
        let mut set = values.to_vec();
        let all_alike = (variances.len() > MANY_VARIANCES).then(|| {
            let whole = mean_variance(problem, values).filter(|t| *t > 0.0);
            let variance = whole.map_or(1.0, |t| t / variances.len() as f64);
            Some(Contribution { variance, degree: 1.0 })
        });
        let contributes = |v: usize| contribution(problem, values, &[v]);
        let found: Vec<_> = variances.iter().map(|&v| all_alike.unwrap_or_else(|| contributes(v))).collect();
        // a variance without a contribution scales something else: the features of a deep kernel
        let sharing = found.iter().flatten().count();
        for (&v, found) in variances.iter().zip(&found) {
            let share = if index == 0 { 1.0 } else { (0.8 * normal(rng)).exp() };
            let with_offset = parameters[v].role == Role::SlopeVariance;
            let offset = (0..v).rev().find(|&b| {
                with_offset && parameters[b].role == Role::Bias && parameters[b].origin == parameters[v].origin
            });
            let offset = offset.filter(|&b| parameters[b].is_free() && parameters[b].param.is_unset());
            let factor = found.map_or(share, |found| found.factor_for(self.variance * share / sharing as f64));
            set[v] *= factor;
            if let Some(b) = offset {
                set[b] *= factor;
            }
        }
        // the offset of a linear kernel with a written slope gets the size of that kernel
        for (b, bias) in parameters.iter().enumerate() {
            let slope = parameters.get(b + 1).is_some_and(|next| next.role == Role::SlopeVariance);
            let unset = bias.role == Role::Bias && bias.is_free() && bias.param.is_unset();
            if unset && slope && !variances.contains(&(b + 1)) {
                set[b] *= set[b + 1];
            }
        }
        values.copy_from_slice(&set);
    }

    fn distance(&self, columns: &[usize]) -> Option<f64> {
        match columns {
            [one] => Some(self.columns[*one].distance),
            several => {
                let x = self.problem.x();
                median_distance(&several.iter().map(|&c| x[c]).collect::<Vec<_>>())
            }
        }
    }
}

/// The largest number of inputs in a term of the kernel, out of `inputs`.
fn factors(kernel: &Kernel, inputs: usize) -> usize {
    let children = || kernel.children().iter().map(|child| factors(child, inputs));
    let found = match kernel.node() {
        Node::Leaf(leaf) => match &leaf.inputs {
            Inputs::All => inputs,
            Inputs::These(these) => these.len(),
        },
        Node::Sum(_) => children().max().unwrap_or(0),
        Node::Product(_) => children().sum(),
        Node::Wrap(wrapped) => match wrapped.wrap.additive_orders(wrapped) {
            Some(orders) => orders,
            None if wrapped.wrap.is_one_kernel_per_input() => inputs,
            None => children().max().unwrap_or(0),
        },
    };
    found.min(inputs)
}

/// The index-th point of an additive sequence in (0, 1), different for each parameter.
pub(crate) fn spread(seed: u64, at: usize, index: usize) -> f64 {
    let mut rng = Pcg64::seed_from_u64(seed.wrapping_mul(31).wrapping_add(at as u64));
    let offset: f64 = rng.random();
    // powers of the inverse of the root of x^(d+1) = x + 1: the R_d sequence (Roberts 2018), for d = 8
    let step = 0.925_874_3_f64.powi((at % 8) as i32 + 1);
    (offset + index as f64 * step).fract().clamp(0.01, 0.99)
}

/// The initial mean and variance of the latent function of labels ±1: some rows are certain and others are not, and the
/// mean probability is the share of the positive class. The variance does not decrease for a rare class.
fn latent(link: Link, y: &[f64]) -> (f64, f64) {
    const VARIANCE: f64 = 2.0;
    let share = (y.iter().filter(|y| **y > 0.0).count() as f64 + 0.5) / (y.len() as f64 + 1.0);
    let scale = match link {
        Link::Probit => 1.0,
        // the logistic function is approximately Φ(f/1.7)
        Link::Logistic => 1.7,
    };
    (scale * (1.0 + VARIANCE).sqrt() * standard_quantile(share), scale * scale * VARIANCE)
}

/// At this multiple of their initial values, variances of a latent function make probabilities 0 or 1 to rounding.
const CERTAIN: f64 = 5e3;

/// Bounds on the variances of a classifier, which would increase without limit if classes are separated without errors;
/// none for other models.
pub(crate) fn latent_bounds(problem: &Problem) -> Vec<ProductBound> {
    if problem.classes().is_none() {
        return Vec::new();
    }
    let start = Starts::new(problem, 0).start(0);
    let size = |p: &Parameter| {
        let role = p.role.is_scale() || p.role == Role::Bias;
        role && p.is_free() && p.param.prior.is_none() && !matches!(p.param.state, State::Bounded { .. })
    };
    let all = problem.parameters().iter().zip(start).enumerate().filter(|(_, (p, _))| size(p));
    all.map(|(i, (_, start))| ProductBound { powers: vec![(i, -1.0)], least: 1.0 / (CERTAIN * start) }).collect()
}

/// Noise below this share of the target's variance counts as none: its effect on the log marginal likelihood is
/// rounding.
const LEAST_NOISE: f64 = 1e-10;

/// The lower bound of free noise in a fit, if nothing is written of it; at least `least`.
pub(super) fn noise_bound(problem: &Problem, least: f64) -> Option<ProductBound> {
    let least = least.max(LEAST_NOISE * problem.target_variance());
    let free = |p: &Parameter| p.kind == ParameterKind::Noise && p.is_free() && p.param.prior.is_none();
    let at = problem.parameters().iter().position(|p| free(p) && !matches!(p.param.state, State::Bounded { .. }))?;
    least.is_normal().then(|| ProductBound { powers: vec![(at, 1.0)], least })
}

/// The largest share of the variance of the target that its rounding counts as noise.
const MOST_ROUNDING: f64 = 0.1;

/// The noise variance due to the rounding of the target, step²/12, on the scale of the model; 0 if it is not rounded.
pub fn rounding_variance(problem: &Problem) -> f64 {
    let raw = match (problem.classes(), problem.data().y()) {
        (None, Some(raw)) => raw,
        _ => return 0.0,
    };
    let Some(step) = rounding(raw) else { return 0.0 };
    let map = problem.pipeline().target();
    let slopes: f64 = raw.iter().map(|y| (2.0 * map.log_slope(*y)).exp()).sum::<f64>() / raw.len() as f64;
    let found = Some(step * step / 12.0 * slopes).filter(|v| v.is_finite()).unwrap_or(0.0);
    found.min(MOST_ROUNDING * variance(problem.y()))
}

/// Half the mean square of the differences between neighbours along x: the noise variance, plus the change of the
/// function from one row to the next (von Neumann).
fn rough_variance(x: &[f64], y: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    let squares = order.windows(2).map(|pair| (y[pair[1]] - y[pair[0]]).powi(2));
    squares.sum::<f64>() / (2 * order.len().saturating_sub(1)).max(1) as f64
}

/// The nearest value in the domain of the parameter.
fn within(p: &Parameter, value: f64) -> f64 {
    match p.param.state {
        State::Bounded { lo, hi, .. } => {
            let (low, high) = (p.domain.from_real(-6.0), p.domain.from_real(6.0));
            if value.is_finite() { value.clamp(low.max(lo), high.min(hi)) } else { 0.5 * (lo + hi) }
        }
        _ if p.domain.contains(value) => value,
        _ => p.value,
    }
}

fn normal<R: Rng>(rng: &mut R) -> f64 {
    StandardNormal.sample(rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::InputRef;
    use crate::kernel::families::family;

    #[test]
    fn factors_are_counted_by_the_longest_term() {
        let on = |name: &str| {
            let inputs = Inputs::These(vec![InputRef::Name(name.into())]);
            Kernel::leaf(family("SE").unwrap(), inputs)
        };
        let product = Kernel::product([on("a"), on("b"), on("c")]).unwrap();
        assert_eq!(factors(&product, 5), 3);
        assert_eq!(factors(&Kernel::sum([on("a"), product.clone(), on("b")]).unwrap(), 5), 3);
        assert_eq!(factors(&Kernel::sum([on("a"), on("b"), on("c")]).unwrap(), 5), 1);
        // an input that occurs twice counts once
        assert_eq!(factors(&product, 2), 2);
        assert_eq!(factors(&Kernel::family(family("SE").unwrap()), 4), 4);
    }
}
