//! The contribution of variance parameters to the prior variance of the function.

use crate::model::Problem;

/// The part of the mean prior variance that scales with some variance parameters if all are multiplied by one factor:
/// `variance`·factor^`degree`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contribution {
    pub variance: f64,
    /// Usually 1; 2 for a variance inside a squared kernel.
    pub degree: f64,
}

impl Contribution {
    /// The factor of the parameters at which their contribution is `variance`.
    pub fn factor_for(&self, variance: f64) -> f64 {
        let ratio = variance / self.variance;
        if self.degree == 1.0 { ratio } else { ratio.powf(1.0 / self.degree) }
    }
}

/// Parameters are multiplied by this factor, and again by another to find how their contribution scales: terms that do
/// not depend on them then vanish next to those that do, however large they are. A difference of two sums at the values
/// themselves would round to 0 if inputs have large units.
const RAISE: f64 = (1u128 << 100) as f64 * (1u128 << 100) as f64;
const STEP: f64 = (1u64 << 20) as f64;

/// The contribution of some variance parameters at these values. `None` if the prior variance does not increase with
/// them (as in a normalised kernel), or cannot be evaluated.
pub fn contribution(problem: &Problem, values: &[f64], which: &[usize]) -> Option<Contribution> {
    let raised = |factor: f64| {
        let mut values = values.to_vec();
        which.iter().for_each(|&i| values[i] *= factor);
        mean_variance(problem, &values).filter(|found| found.is_finite())
    };
    let rest = mean_variance(problem, values).filter(|found| found.is_finite())?;
    let (low, high) = (raised(RAISE)?, raised(RAISE * STEP)?);
    if low - rest <= 1e-9 * rest {
        return None;
    }
    let degree = ((high - rest) / (low - rest)).log2() / STEP.log2();
    let degree = if (degree - degree.round()).abs() < 1e-6 { degree.round() } else { degree };
    let variance = (low - rest) / RAISE.powf(degree);
    (degree > 0.01 && variance.is_finite() && variance > 0.0).then_some(Contribution { variance, degree })
}

/// The mean of k(x, x) over the training rows.
pub fn mean_variance(problem: &Problem, values: &[f64]) -> Option<f64> {
    let diagonal = problem.bound().diagonal(problem.kernel_values(values), problem.points()).ok()?;
    Some(diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Dataset};
    use crate::kernel::{Kernel, families::family, wraps::power};
    use crate::model::Model;

    fn problem(kernel: Kernel, scale: f64) -> Problem {
        let x: Vec<f64> = (0..9).map(|i| scale * (i as f64 - 3.0)).collect();
        let y = (0..9).map(|i| (i as f64).sin()).collect();
        let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap();
        Problem::new(&Model::new(kernel), &data, true).unwrap()
    }

    fn leaf(name: &str) -> Kernel {
        Kernel::family(family(name).unwrap())
    }

    #[test]
    fn a_small_term_beside_a_large_one_keeps_its_contribution() {
        let squares = (0..9).map(|i| (i as f64 - 3.0).powi(2)).sum::<f64>() / 9.0;
        for scale in [1e-12, 1.0, 1e6, 1e12] {
            let problem = problem(Kernel::sum([leaf("Lin"), leaf("Matern12")]).unwrap(), scale);
            let values = problem.values();
            for (i, parameter) in problem.parameters().iter().enumerate() {
                let expected = match &*parameter.name {
                    "Lin.v" => squares * scale * scale,
                    "Matern12.v" | "Lin.b" => 1.0,
                    _ => continue,
                };
                let found = contribution(&problem, &values, &[i]).unwrap();
                assert_eq!(found.degree, 1.0, "{}", parameter.name);
                assert!((found.variance / expected - 1.0).abs() < 1e-12, "{}: {found:?} at {scale}", parameter.name);
            }
        }
    }

    #[test]
    fn a_variance_inside_a_square_counts_twice() {
        let problem = problem(power(leaf("SE"), 2), 1.0);
        let at = problem.parameters().iter().position(|p| p.name == "SE.v").unwrap();
        let found = contribution(&problem, &problem.values(), &[at]).unwrap();
        assert_eq!(found, Contribution { variance: 1.0, degree: 2.0 });
        assert_eq!(found.factor_for(9.0), 3.0);
    }
}
