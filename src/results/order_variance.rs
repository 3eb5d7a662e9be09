//! What share of the variance each order of interaction has (Duvenaud, chapter on additive GPs, Table 1.1).

use crate::fit::Fit;
use crate::kernel::Kernel;
use crate::kernel::wraps::Orders;

/// One order of an additive kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderVariance {
    /// From 1.
    pub order: usize,
    /// How many terms it has: C(D, d).
    pub terms: f64,
    /// The variance of each of them, in the target's unit squared.
    pub variance: f64,
    /// All its terms over those of all orders.
    pub share: f64,
}

/// The orders of the additive kernels of a fit, each with what it stands for in the source.
pub fn order_variance(fit: &Fit) -> Vec<(String, Vec<OrderVariance>)> {
    let mut found = Vec::new();
    walk(&fit.model.kernel, &mut found);
    found
}

fn walk(kernel: &Kernel, found: &mut Vec<(String, Vec<OrderVariance>)>) {
    if let Some(orders) = Orders::of(kernel) {
        let name = kernel.part_name().unwrap_or_else(|| "additive".into());
        let rows = orders.shares().into_iter().zip(&orders.weights).enumerate();
        let row = |(i, (share, &variance))| OrderVariance { order: i + 1, terms: orders.terms(i + 1), variance, share };
        found.push((name, rows.map(row).collect()));
    }
    kernel.children().iter().for_each(|child| walk(child, found));
}
