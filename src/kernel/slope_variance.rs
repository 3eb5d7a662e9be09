//! The derivative of a function drawn from a kernel: its variance in each input, ∂²k(x, x′)/∂x∂x′ at x = x′
//! (Duvenaud, "Characterizing Deep Gaussian Process Models", B.13 and B.14).
//!
//! For a stationary kernel it is the same everywhere. The derivatives in different inputs are independent, and
//! independent of the value of the function at the same point, because the kernel has its maximum at distance 0.

use super::bind::Bound;
use super::family::Theta;
use super::input_view::ViewMap;
use super::program::Op;

/// Why the derivative of a kernel has no variance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlopeError {
    #[error("functions drawn from {family} have no derivative")]
    Rough { family: &'static str },
    #[error("{family} is not stationary, so the distribution of the derivative of a draw depends on the point")]
    NotStationary { family: &'static str },
    #[error("derivatives of draws are available only for sums and products of stationary families")]
    Construction,
}

impl Bound {
    /// The variance of the derivative in each input column of a function drawn from this kernel, at these parameters.
    ///
    /// # Errors
    /// [`SlopeError`]: a part that is not stationary, or whose functions have no derivative.
    pub fn slope_variances(&self, values: &[f64]) -> Result<Vec<f64>, SlopeError> {
        let columns = self.program.columns;
        // For each instruction: k(x, x) and the variances of the derivative.
        let mut found: Vec<(f64, Vec<f64>)> = Vec::with_capacity(self.program.instructions.len());
        for (instruction, theta) in self.program.instructions.iter().zip(self.gather(values)) {
            let args = || instruction.args.iter().map(|&arg| &found[arg]);
            let both = match &instruction.op {
                Op::Leaf(leaf) => {
                    let plain = |view: usize| matches!(self.program.views[view].map, ViewMap::Identity);
                    if leaf.views.left != leaf.views.right || !plain(leaf.views.left) {
                        return Err(SlopeError::Construction);
                    }
                    let spec = leaf.family.spec();
                    let rough = SlopeError::Rough { family: spec.name };
                    if spec.derivatives < 1.0 {
                        return Err(rough);
                    }
                    let theta = Theta { all: &theta, ranges: &leaf.ranges };
                    let found = leaf.family.slope_variances(theta, leaf.columns.len());
                    // A stationary part without a curvature at distance 0 is noise or a category.
                    let (value, slopes) = found.ok_or(match spec.stationary {
                        true => rough,
                        false => SlopeError::NotStationary { family: spec.name },
                    })?;
                    let mut all = vec![0.0; columns];
                    for (&column, slope) in leaf.columns.iter().zip(slopes) {
                        all[column] += slope;
                    }
                    (value, all)
                }
                Op::Sum => {
                    let value = args().map(|(value, _)| value).sum();
                    (value, (0..columns).map(|c| args().map(|(_, slopes)| slopes[c]).sum()).collect())
                }
                // The first derivatives at distance 0 vanish, and with them the products of first derivatives.
                Op::Product => {
                    let value = args().map(|(value, _)| value).product();
                    let others = |at: usize| -> f64 {
                        args().enumerate().filter(|(i, _)| *i != at).map(|(_, (value, _))| value).product()
                    };
                    let slope = |c: usize| args().enumerate().map(|(i, (_, slopes))| slopes[c] * others(i)).sum();
                    (value, (0..columns).map(slope).collect())
                }
                Op::Elementwise { .. } => return Err(SlopeError::Construction),
            };
            found.push(both);
        }
        Ok(found.pop().map(|(_, slopes)| slopes).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::families::family;
    use crate::kernel::{Inputs, Kernel, Schema};

    const X: [f64; 2] = [0.0, 1.0];

    fn bound(kernel: &Kernel) -> Bound {
        let names = ["x0".to_string(), "x1".to_string()];
        kernel.bind(&Schema::unnamed(&names, &[&X, &X])).expect("a kernel of two inputs")
    }

    fn leaf(name: &str, input: Option<usize>) -> Kernel {
        let family = family(name).expect("a family");
        match input {
            Some(at) => Kernel::leaf(family, Inputs::These(vec![crate::kernel::InputRef::Index(at)])),
            None => Kernel::family(family),
        }
    }

    /// −∂²k/∂τ² at 0 by a central difference, for a stationary kernel.
    fn by_difference(bound: &Bound, values: &[f64], input: usize) -> f64 {
        let h = 1e-3;
        let mut moved = [vec![0.0], vec![0.0]];
        let origin = bound.points(&[&[0.0], &[0.0]]).expect("points");
        let at = |moved: &[Vec<f64>; 2]| {
            let points = bound.points(&[&moved[0], &moved[1]]).expect("points");
            bound.cross(values, &origin, &points).expect("values")[(0, 0)]
        };
        let here = at(&moved);
        moved[input][0] = h;
        2.0 * (here - at(&moved)) / (h * h)
    }

    #[test]
    fn the_curvature_of_the_kernel_at_distance_zero() {
        let se = |at| leaf("SE", Some(at));
        let kernels = [
            leaf("SE", None),
            leaf("RQ", None),
            leaf("Matern52", None),
            leaf("Per", Some(0)),
            leaf("Cos", Some(1)),
            Kernel::sum([se(0), leaf("Const", None), leaf("Per", Some(1))]).expect("a sum"),
            Kernel::product([Kernel::sum([se(0), leaf("RQ", Some(1))]).expect("a sum"), leaf("Per", Some(1))])
                .expect("a product"),
        ];
        for kernel in kernels {
            let bound = bound(&kernel);
            let values: Vec<f64> = bound.values().iter().enumerate().map(|(i, v)| v * (1.3 + 0.2 * i as f64)).collect();
            let found = bound.slope_variances(&values).expect("smooth and stationary");
            for (input, variance) in found.iter().enumerate() {
                let expected = by_difference(&bound, &values, input);
                assert!((variance - expected).abs() <= 1e-3 * expected.max(1e-6), "{kernel}: {variance} {expected}");
            }
        }
    }

    #[test]
    fn closed_forms() {
        let bound_se = bound(&leaf("SE", None));
        assert_eq!(bound_se.slope_variances(&[0.5, 3.0]), Ok(vec![12.0, 12.0]));
        let matern = bound(&leaf("Matern32", None)).slope_variances(&[0.5, 2.0]).expect("once differentiable");
        assert!((matern[0] - 24.0).abs() < 1e-12);
    }

    #[test]
    fn refusals_name_the_family() {
        let error = |name: &str| {
            let bound = bound(&leaf(name, None));
            bound.slope_variances(&bound.values()).expect_err("no variance")
        };
        assert_eq!(error("Matern12"), SlopeError::Rough { family: "Matern12" });
        assert_eq!(error("WN"), SlopeError::Rough { family: "WN" });
        assert_eq!(error("Poly"), SlopeError::NotStationary { family: "Poly" });
    }
}
