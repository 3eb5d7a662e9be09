//! Baseline models without a given kernel: a mean, linear regression, ridge regression, logistic regression.
//!
//! Each is also a Gaussian process, so all results of one are available for it. With a zero kernel, only the mean
//! function and the noise remain; maximum likelihood is then least squares. A linear kernel over all inputs is a normal
//! prior on slopes, whose posterior mean is ridge regression (Rasmussen & Williams, 2.1 and exercise 2.9.1).

use super::{Bernoulli, Likelihood, Link, Mean, Model};
use crate::kernel::{Inputs, Kernel, Leaf, Node, Values, families};
use crate::param::{Param, State};

/// The variance of the zero kernel.
const NOTHING: f64 = 1e-300;

/// A model without a user's kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// A constant and noise.
    MeanOnly,
    /// A linear function of the inputs by least squares, and noise.
    Linear,
    /// A linear function whose slopes share one prior variance, and noise.
    Ridge,
    /// Two classes, with log odds that are a linear function of the inputs.
    Logistic,
}

impl Baseline {
    /// The name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Self::MeanOnly => "mean_only",
            Self::Linear => "linear",
            Self::Ridge => "ridge",
            Self::Logistic => "logistic",
        }
    }

    /// A short description.
    pub fn description(self) -> &'static str {
        match self {
            Self::MeanOnly => "a constant and noise",
            Self::Linear => "a linear function of all inputs by least squares, and noise",
            Self::Ridge => "a linear function of all inputs whose slopes have one prior variance, and noise",
            Self::Logistic => {
                "a logistic regression: the log odds are a linear function of all inputs, by the greatest likelihood"
            }
        }
    }
}

/// The zero kernel.
pub fn zero_kernel() -> Kernel {
    Kernel::number(NOTHING)
}

/// Whether a kernel is the zero kernel.
pub fn is_zero_kernel(kernel: &Kernel) -> bool {
    *kernel == zero_kernel()
}

/// Linear functions through 0 along every input, with this prior variance of the slopes.
fn slopes(variance: Param) -> Option<Kernel> {
    let family = families::family("Lin")?;
    let params = vec![Values::One(Param::fixed(NOTHING)), Values::One(variance), Values::One(Param::fixed(0.0))];
    Some(Node::Leaf(Leaf { family, inputs: Inputs::All, ard: false, params }).into())
}

impl Model {
    /// A constant and noise.
    pub fn mean_only() -> Self {
        Self::new(zero_kernel())
    }

    /// Least squares: a free offset, a free slope for each input, and noise.
    pub fn linear() -> Self {
        Self { mean: Mean::Linear(Vec::new()), ..Self::new(zero_kernel()) }
    }

    /// Ridge regression: slopes with one prior variance, a free constant, and noise. The weight of the penalty is the
    /// noise variance divided by the prior variance.
    pub fn ridge(variance: Param) -> Self {
        Self::new(slopes(variance).unwrap_or_else(zero_kernel))
    }

    /// Logistic regression: a free offset and a free slope for each input. With the zero kernel, Laplace's method is
    /// exact and the log marginal likelihood is the log likelihood.
    pub fn logistic() -> Self {
        let how = Bernoulli::Laplace(Link::Logistic);
        Self { likelihood: Likelihood::Bernoulli { how, positive: None }, ..Self::linear() }
    }

    /// The baseline model that this is, without regard to its steps; `None` for other models.
    pub fn baseline(&self) -> Option<Baseline> {
        if let Some(how) = self.bernoulli() {
            let plain = self.positive().is_none() && is_zero_kernel(&self.kernel);
            let logistic = plain && how == Bernoulli::Laplace(Link::Logistic);
            return (logistic && matches!(self.mean, Mean::Linear(_))).then_some(Baseline::Logistic);
        }
        match (&self.mean, is_zero_kernel(&self.kernel), self.slope_variance()) {
            (Mean::Constant(_), true, _) => Some(Baseline::MeanOnly),
            (Mean::Linear(_), true, _) => Some(Baseline::Linear),
            (Mean::Constant(_), _, Some(_)) => Some(Baseline::Ridge),
            _ => None,
        }
    }

    /// The prior variance of the slopes of a ridge regression.
    pub fn slope_variance(&self) -> Option<&Param> {
        let Node::Leaf(leaf) = self.kernel.node() else { return None };
        let [bias, Values::One(variance), centre] = &leaf.params[..] else { return None };
        let all = |values: &Values, value: f64| values.as_slice().iter().all(|p| *p == Param::fixed(value));
        let bare = leaf.family.spec().name == "Lin" && leaf.inputs == Inputs::All && !leaf.ard;
        // a fitted model has written locations for all inputs
        (bare && all(bias, NOTHING) && all(centre, 0.0) && variance.state != State::Fixed(NOTHING)).then_some(variance)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::{Column, Dataset};
    use crate::fit::{Fit, Options, condition, fit};
    use crate::linalg::{Matrix, Vector};
    use crate::progress::Silent;
    use crate::results::{At, predict};

    const N: usize = 25;

    fn columns() -> [Vec<f64>; 3] {
        let a: Vec<f64> = (0..N).map(|i| (i as f64 * 1.7).sin()).collect();
        let b: Vec<f64> = (0..N).map(|i| ((i * 7) % 11) as f64).collect();
        let y = (0..N).map(|i| 3.0 + 2.0 * a[i] - 0.5 * b[i] + (i as f64 * 40.0).cos()).collect();
        [a, b, y]
    }

    fn data() -> Dataset {
        let [a, b, y] = columns();
        let columns = vec![Column::numeric("a", a), Column::numeric("b", b), Column::numeric("y", y)];
        Dataset::new(columns, Some("y"), None).unwrap()
    }

    fn fitted(model: &Model) -> Arc<Fit> {
        Arc::new(fit(model, &data(), Options { restarts: 2, ..Options::default() }, &Silent).unwrap())
    }

    #[test]
    fn each_row_is_told_by_a_line_through_the_others() {
        let (all, model) = (data(), Model::linear());
        let whole = fitted(&model);
        let left_out = whole.posterior.leave_one_out().unwrap();
        for (i, (mean, var)) in left_out.iter().enumerate() {
            let others: Vec<usize> = (0..N).filter(|&j| j != i).collect();
            let options = Options { restarts: 1, ..Options::default() };
            let other = Arc::new(fit(&model, &all.take(&others), options, &Silent).unwrap());
            let predicted = predict(&other, At::Rows(all.take(&[i]))).unwrap().mean[0];
            assert!((predicted - mean).abs() < 1e-6, "{i}: {mean} is not {predicted}");
            assert!((var / whole.noise().unwrap() - 1.0).abs() < 1e-9);
        }
        // also at values that are not those of a fit
        let elsewhere = Model { mean: Mean::Linear([9.0, -3.0, 1.0].map(Param::free).to_vec()), ..whole.model.clone() };
        let moved = condition(&elsewhere, &all).unwrap().posterior.leave_one_out().unwrap();
        assert!(moved.iter().zip(&left_out).all(|(a, b)| (a.0 - b.0).abs() < 1e-6));
        let y = &columns()[2];
        let others = (y.iter().sum::<f64>() - y[4]) / (N - 1) as f64;
        assert!((fitted(&Model::mean_only()).posterior.leave_one_out().unwrap()[4].0 - others).abs() < 1e-9);
    }

    /// Without a row, the slope that only this row determines is unknown: the minimum-norm least-squares solution sets
    /// it to 0.
    #[test]
    fn a_row_that_stands_alone_is_told_by_the_others() {
        let only: Vec<f64> = (0..8).map(|i| if i == 4 { 7.0 } else { 0.0 }).collect();
        let y = vec![1.0, 2.0, 1.5, 0.5, 9.0, 1.0, 2.5, 1.5];
        let others = (y.iter().sum::<f64>() - 9.0) / 7.0;
        let columns = vec![Column::numeric("only", only.clone()), Column::numeric("y", y)];
        let data = Dataset::new(columns, Some("y"), None).unwrap();
        let options = Options { restarts: 1, ..Options::default() };
        let left_out = fit(&Model::linear(), &data, options, &Silent).unwrap().posterior.leave_one_out().unwrap();
        assert!((left_out[4].0 - others).abs() < 1e-9, "{:?}", left_out[4]);
        let labels = vec![0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
        let columns = vec![Column::numeric("only", only), Column::numeric("label", labels)];
        let data = Dataset::new(columns, Some("label"), None).unwrap();
        let left_out = fit(&Model::logistic(), &data, options, &Silent).unwrap().posterior.leave_one_out().unwrap();
        // three of seven
        assert!((left_out[4].0 - (3.0f64 / 4.0).ln()).abs() < 1e-6, "{:?}", left_out[4]);
    }

    /// Constant or redundant columns do not change the fit.
    #[test]
    fn idle_columns_leave_least_squares() {
        let [a, b, y] = columns();
        let columns =
            [("a", &a), ("b", &b), ("none", &vec![0.0; N]), ("five", &vec![5.0; N]), ("again", &b), ("y", &y)];
        let columns = columns.map(|(name, values)| Column::numeric(name, values.clone()));
        let data = Dataset::new(columns.to_vec(), Some("y"), None).unwrap();
        let options = Options { restarts: 2, ..Options::default() };
        let with = fit(&Model::linear(), &data, options, &Silent).unwrap();
        let without = fitted(&Model::linear());
        assert!((with.lml() - without.lml()).abs() < 1e-6, "{} is not {}", with.lml(), without.lml());
        let means = with.problem().mean_values(with.values());
        assert!(with.converged() && means.iter().all(|m| m.abs() < 10.0) && means[3] == 0.0, "{means:?}");
    }

    /// Offset and slopes by penalised least squares, from the normal equations.
    fn solved(penalty: f64) -> (Vector, f64) {
        let [a, b, y] = columns();
        let x = Matrix::from_fn(N, 3, |i, j| [1.0, a[i], b[i]][j]);
        let y = Vector::from_vec(y);
        let weights = Matrix::from_fn(3, 3, |i, j| if i == j && i > 0 { penalty } else { 0.0 });
        let found = (x.transpose() * &x + weights).lu().solve(&(x.transpose() * &y)).unwrap();
        let left = &y - &x * &found;
        (found, left.dot(&left))
    }

    #[test]
    fn a_line_is_that_of_least_squares() {
        let fit = fitted(&Model::linear());
        let (found, squares) = solved(0.0);
        let means = fit.problem().mean_values(fit.values());
        for (mean, found) in means.iter().zip(found.iter()) {
            assert!((mean - found).abs() < 1e-6, "{mean} is not {found}");
        }
        let noise = squares / N as f64;
        assert!((fit.noise().unwrap() / noise - 1.0).abs() < 1e-4);
        // the log marginal likelihood is the likelihood of least squares
        let likelihood = -0.5 * N as f64 * ((std::f64::consts::TAU * noise).ln() + 1.0);
        assert!((fit.lml() - likelihood).abs() < 1e-6, "{} is not {likelihood}", fit.lml());
        assert_eq!(fit.free, 4);
        assert_eq!((fit.model.baseline(), fit.asked.to_string()), (Some(Baseline::Linear), "linear()".to_string()));
    }

    #[test]
    fn a_mean_is_the_mean() {
        let fit = fitted(&Model::mean_only());
        let y = &columns()[2];
        let mean = y.iter().sum::<f64>() / N as f64;
        assert!((fit.problem().mean_values(fit.values())[0] - mean).abs() < 1e-6);
        assert_eq!((fit.free, fit.model.baseline()), (2, Some(Baseline::MeanOnly)));
    }

    #[test]
    fn a_ridge_has_the_penalty_noise_over_variance() {
        let fit = fitted(&Model::ridge(Param::default()));
        let variance = fit.model.slope_variance().unwrap().value().unwrap();
        let (found, _) = solved(fit.noise().unwrap() / variance);
        let [a, b, _] = columns();
        let predicted = predict(&fit, At::Training).unwrap().mean;
        for i in 0..N {
            let by_hand = found[0] + found[1] * a[i] + found[2] * b[i];
            assert!((predicted[i] - by_hand).abs() < 1e-6, "{} is not {by_hand}", predicted[i]);
        }
        assert_eq!((fit.free, fit.model.baseline()), (3, Some(Baseline::Ridge)));
        assert!(fit.model.to_string().starts_with("ridge(v="), "{}", fit.model);
    }

    /// At the maximum of the likelihood, the residuals (class less probability) are orthogonal to every input.
    #[test]
    fn a_logistic_model_has_the_greatest_likelihood() {
        let [a, b, y] = columns();
        let labels: Vec<f64> = y.iter().map(|y| f64::from(u8::from(*y > 0.5))).collect();
        let columns = vec![
            Column::numeric("a", a.clone()),
            Column::numeric("b", b.clone()),
            Column::numeric("label", labels.clone()),
        ];
        let data = Dataset::new(columns, Some("label"), None).unwrap();
        let options = Options { restarts: 2, ..Options::default() };
        let fit = fit(&Model::logistic(), &data, options, &Silent).unwrap();
        let w = fit.problem().mean_values(fit.values());
        let p = |i: usize| 1.0 / (1.0 + (-(w[0] + w[1] * a[i] + w[2] * b[i])).exp());
        let along = |x: &dyn Fn(usize) -> f64| (0..N).map(|i| (labels[i] - p(i)) * x(i)).sum::<f64>();
        for left in [along(&|_| 1.0), along(&|i| a[i]), along(&|i| b[i])] {
            assert!(left.abs() < 1e-3, "{left}");
        }
        let likelihood: f64 = (0..N).map(|i| if labels[i] > 0.5 { p(i).ln() } else { (1.0 - p(i)).ln() }).sum();
        assert!((fit.lml() - likelihood).abs() < 1e-6, "{} is not {likelihood}", fit.lml());
        assert_eq!((fit.asked.to_string(), fit.model.baseline()), ("logistic()".into(), Some(Baseline::Logistic)));
    }

    /// Leave-one-out by one step of Newton's method, and by a fit to the other rows.
    #[test]
    fn each_class_is_told_by_the_others() {
        let [a, _, y] = columns();
        let labels: Vec<f64> = (0..N).map(|i| f64::from(u8::from(y[i] + a[(i * 3) % N] > 0.5))).collect();
        let columns = vec![Column::numeric("a", a), Column::numeric("label", labels)];
        let all = Dataset::new(columns, Some("label"), None).unwrap();
        let options = Options { restarts: 1, ..Options::default() };
        let whole = fit(&Model::logistic(), &all, options, &Silent).unwrap();
        let (inside, left_out) = (whole.posterior.fitted().unwrap(), whole.posterior.leave_one_out().unwrap());
        for i in 0..N {
            let others: Vec<usize> = (0..N).filter(|&j| j != i).collect();
            let other = fit(&Model::logistic(), &all.take(&others), options, &Silent).unwrap();
            let w = other.problem().mean_values(other.values());
            let predicted = w[0] + w[1] * all.x()[0][i];
            let (near, far) = ((left_out[i].0 - predicted).abs(), (inside[i] - predicted).abs());
            assert!(near < 0.3 * far + 1e-3, "{i}: {} and {} are not {predicted}", left_out[i].0, inside[i]);
        }
    }

    #[test]
    fn other_models_are_none_of_these() {
        assert_eq!(Model::new(Kernel::number(1.0)).baseline(), None);
        assert_eq!(Model { mean: Mean::Zero, ..Model::linear() }.baseline(), None);
        assert_eq!(Model::new(Kernel::family(families::family("Lin").unwrap())).baseline(), None);
    }
}
