//! The inducing inputs of a sparse fit in figures.

use crate::figure::{Mark, Panel, Role};
use crate::fit::Fit;

const LABEL: &str = "inducing inputs";

/// Marks the inducing inputs of a sparse fit below the axis of an input.
pub(super) fn mark_inducing(panel: &mut Panel, fit: &Fit, input: &str) {
    if let Some(x) = along(fit, input) {
        panel.marks.push(Mark::Rug { x, label: LABEL.into(), role: Role::Inducing });
    }
}

/// The inducing inputs of a sparse fit in the plane of two inputs.
pub(super) fn inducing_points(fit: &Fit, inputs: [&str; 2]) -> Option<Mark> {
    let (x, y) = (along(fit, inputs[0])?, along(fit, inputs[1])?);
    Some(Mark::Points { x, y, label: LABEL.into(), role: Role::Inducing })
}

/// The values of the inducing inputs in one column, in the unit of the data: the steps of the model are inverted.
fn along(fit: &Fit, input: &str) -> Option<Vec<f64>> {
    let problem = fit.problem();
    let column = problem.names().iter().position(|name| name == input)?;
    let values = problem.inducing()?.x.get(column)?;
    let steps = problem.pipeline().of(input);
    Some(values.iter().map(|&z| steps.iter().rev().fold(z, |value, step| step.inverse(value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Dataset, Step, Which};
    use crate::fit::condition;
    use crate::kernel::{Kernel, families};
    use crate::model::{Entry, Inducing, Model, Sparse, SparseMethod};

    /// The inducing inputs of a model of a standardized input are marked in the units of the data.
    #[test]
    fn steps_are_undone() {
        let x: Vec<f64> = (0..20).map(|i| 100.0 + 10.0 * f64::from(i)).collect();
        let y = x.iter().map(|x| (x / 30.0).sin()).collect();
        let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap();
        let (mean, sd) = crate::data::mean_sd(data.column("x").unwrap().values()).unwrap();
        let rows = [-1.0, 0.5].map(|z| vec![Entry::Number(z)]).to_vec();
        let sparse = Some(Sparse { method: SparseMethod::Vfe, inducing: Inducing::Rows { rows, fixed: true } });
        let steps = vec![Step::Standardize { columns: Which::Inputs }];
        let model = Model { sparse, steps, ..Model::new(Kernel::family(families::family("SE").unwrap())) };
        let fit = condition(&model, &data).unwrap();
        let found = along(&fit, "x").unwrap();
        assert!((found[0] - (mean - sd)).abs() < 1e-9 && (found[1] - (mean + 0.5 * sd)).abs() < 1e-9, "{found:?}");
        let mut panel = Panel::default();
        mark_inducing(&mut panel, &fit, "x");
        assert!(matches!(&panel.marks[..], [Mark::Rug { x, .. }] if *x == found));
        // an exact fit has no inducing inputs
        let exact = condition(&Model { sparse: None, ..model }, &data).unwrap();
        assert!(along(&exact, "x").is_none() && inducing_points(&exact, ["x", "x"]).is_none());
    }
}
