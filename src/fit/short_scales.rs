//! Parameters shorter than the spacing of the rows: jumps between two rows, and parts that are like noise.

use super::spacing::{distinct, median_gap};
use crate::kernel::{Gram, Head, Kernel, Node, Role, families};
use crate::linalg::Matrix;
use crate::model::{Parameter, ParameterKind, Problem};

/// A change within this share of the gap between two rows is complete at both of them, wherever in most of the gap it is.
const WITHIN: f64 = 0.2;
/// Neighbouring rows with a smaller correlation cannot be told from independent ones.
const UNCORRELATED: f64 = 0.1;

/// The neighbouring rows between which a change is a jump, if this parameter is its place: the likelihood hardly depends
/// on the place between them.
pub fn jump(problem: &Problem, values: &[f64], place: usize) -> Option<(f64, f64)> {
    let parameter = problem.parameters().get(place)?;
    let width = format!("{}.width", parameter.name.strip_suffix(".at").filter(|_| parameter.role == Role::Location)?);
    let width = values[problem.parameters().iter().position(|other| other.name == width)?];
    let [column] = parameter.columns[..] else { return None };
    if parameter.warped {
        return None;
    }
    gap_of_jump(&distinct(problem.x()[column]), values[place], width)
}

/// The ascending distinct rows next to the place of a change, if its width makes it a jump between them.
pub fn gap_of_jump(rows: &[f64], place: f64, width: f64) -> Option<(f64, f64)> {
    let after = rows.partition_point(|row| *row <= place);
    let (lo, hi) = (*rows.get(after.checked_sub(1)?)?, *rows.get(after)?);
    (width < WITHIN * (hi - lo)).then_some((lo, hi))
}

/// What a part is whose length-scale is below the spacing of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// Neighbouring rows are independent.
    Noise,
    /// A process whose increments are independent.
    RandomWalk,
    /// Neighbouring rows are correlated all the same.
    Correlated,
}

/// What the part of a length-scale along one column is, if the length-scale is below the spacing.
pub fn short(problem: &Problem, kernel: &Kernel, parameter: &Parameter, value: f64) -> Short {
    let ParameterKind::Kernel(slot) = parameter.kind else { return Short::Noise };
    let family = problem.bound().slots()[slot].family;
    if families::family(family).is_some_and(|family| matches!(family.spec().wording.head, Head::Process(_))) {
        return Short::RandomWalk;
    }
    let [column] = parameter.columns[..] else { return Short::Noise };
    match neighbours(problem, kernel, family, column, value) {
        Some(correlation) if correlation > UNCORRELATED => Short::Correlated,
        _ => Short::Noise,
    }
}

/// The correlation of two rows that are neighbours along this column, by the family with this value.
fn neighbours(problem: &Problem, kernel: &Kernel, family: &str, column: usize, value: f64) -> Option<f64> {
    let leaf = leaf_with(kernel, family, value)?;
    let bound = leaf.bind(&problem.schema()).ok()?.started();
    let values = bound.values();
    let x = problem.x();
    let mut rows: Vec<[f64; 2]> = x.iter().map(|values| [values[0]; 2]).collect();
    rows[column][1] += median_gap(x[column])?;
    let points = bound.points(&rows.iter().map(|pair| &pair[..]).collect::<Vec<_>>()).ok()?;
    let mut k = Matrix::zeros(2, 2);
    Gram::new(&bound, &points).evaluate(&values, &mut k).ok()?;
    Some(k[(1, 0)] / (k[(0, 0)] * k[(1, 1)]).sqrt()).filter(|correlation| correlation.is_finite())
}

/// The first leaf of a family with this value among its parameters.
fn leaf_with(kernel: &Kernel, family: &str, value: f64) -> Option<Kernel> {
    match kernel.node() {
        Node::Leaf(leaf) => {
            let mut all = leaf.params.iter().flat_map(|values| values.as_slice());
            let found = leaf.family.spec().name == family && all.any(|param| param.value() == Some(value));
            found.then(|| kernel.clone())
        }
        _ => kernel.children().iter().find_map(|child| leaf_with(child, family, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Dataset};
    use crate::fit::{condition, judged};
    use crate::kernel::wraps::changepoint;
    use crate::kernel::{Inputs, Values};
    use crate::model::Model;
    use crate::param::Param;

    fn rows() -> Dataset {
        let x: Vec<f64> = (0..30).map(f64::from).collect();
        let y = x.iter().map(|x| (0.7 * x).sin()).collect();
        Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap()
    }

    fn hints(family: &str, values: &[f64]) -> Vec<Short> {
        let mut values = values.iter();
        let kernel = Kernel::leaf(families::family(family).unwrap(), Inputs::All)
            .map_params(&mut |param| values.next().map_or(param.clone(), |v| Param::free(*v)));
        let fit = condition(&Model::new(kernel), &rows()).unwrap();
        let of = |(p, v): (&Parameter, &f64)| {
            (p.role == Role::LengthScale).then(|| short(fit.problem(), &fit.model.kernel, p, *v))
        };
        fit.parameters().iter().zip(fit.values()).filter_map(of).collect()
    }

    /// A change whose width is far below the spacing has no standard error for its place: the rows around it are known.
    #[test]
    fn a_change_within_a_gap_is_between_its_rows() {
        let level = || Kernel::leaf(families::family("Const").unwrap(), Inputs::All);
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let y = x.iter().map(|x| if *x < 13.0 { 1.0 } else { 9.0 } + (7.0 * x * x).sin()).collect();
        let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap();
        let between = |at: f64, width: f64| {
            let params = [at, width].map(|value| Values::One(Param::free(value))).to_vec();
            let kernel = changepoint(level(), level(), Inputs::All, params);
            let fit = judged(&Model::new(kernel), &data).unwrap();
            let place = fit.parameters().iter().position(|p| p.name == "changepoint.at").unwrap();
            (jump(fit.problem(), fit.values(), place), fit.standard_errors[place].is_some())
        };
        assert_eq!(between(12.0005, 3e-4), (Some((12.0, 13.0)), false));
        assert_eq!(between(12.4, 0.5).0, None);
        // not between rows
        assert_eq!(between(-3.0, 1e-3).0, None);
    }

    #[test]
    fn a_short_length_scale_is_not_always_noise() {
        assert_eq!(hints("SE", &[0.1]), [Short::Noise]);
        assert_eq!(hints("DampedTrend", &[1e-6]), [Short::RandomWalk]);
        // the tails of a rational quadratic are long
        assert_eq!(hints("RQ", &[0.3, 0.1]), [Short::Correlated]);
    }
}
