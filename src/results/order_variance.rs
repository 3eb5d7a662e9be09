//! The share of the variance of each order of interaction (Duvenaud, chapter on additive GPs, Table 1.1).

use crate::fit::Fit;
use crate::kernel::Kernel;
use crate::kernel::wraps::Orders;
use crate::model::ModelError;

/// One order of an additive kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderVariance {
    /// From 0, the constant part, where there is one; otherwise from 1.
    pub order: usize,
    /// The number of its terms: C(D, d).
    pub terms: f64,
    /// The prior variance of one of its terms, in squared units of the target; the mean if they differ.
    pub variance: f64,
    /// The variance of all its terms as a share of that of all orders.
    pub share: f64,
}

/// The orders of the additive kernels of a fit, each kernel with its name. Variances are prior variances, averaged over
/// the training rows if they vary.
///
/// # Errors
/// Rows at which a kernel cannot be evaluated.
pub fn order_variance(fit: &Fit) -> Result<Vec<(String, Vec<OrderVariance>)>, ModelError> {
    let mut found = Vec::new();
    walk(fit, &fit.model.kernel, &mut found)?;
    Ok(found)
}

fn walk(fit: &Fit, kernel: &Kernel, found: &mut Vec<(String, Vec<OrderVariance>)>) -> Result<(), ModelError> {
    if let Some(orders) = Orders::of(kernel) {
        let name = kernel.part_name().unwrap_or_else(|| orders.construction().into());
        let (schema, x) = (fit.problem().schema(), fit.problem().x());
        let diagonal = |base: &Kernel| -> Result<Vec<f64>, ModelError> {
            // unset variances inside are held at 1
            let bound = base.bind(&schema)?.started();
            Ok(bound.diagonal(&bound.values(), &bound.points(&x)?)?)
        };
        let diagonals = orders.kernels().iter().map(diagonal).collect::<Result<Vec<_>, _>>()?;
        let variances = orders.variances(&diagonals);
        let total = orders.constant + variances.iter().sum::<f64>();
        let row = |(order, all): (usize, f64)| {
            let terms = orders.terms(order);
            let share = if total > 0.0 { all / total } else { 0.0 };
            OrderVariance { order, terms, variance: all / terms, share }
        };
        let zero = (orders.constant > 0.0).then_some((0, orders.constant));
        let others = variances.iter().enumerate().map(|(i, &all)| (i + 1, all));
        found.push((name, zero.into_iter().chain(others).map(row).collect()));
    }
    kernel.children().iter().try_for_each(|child| walk(fit, child, found))
}
