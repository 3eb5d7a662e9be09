//! Draws from a posterior, behind its mean and band.

use super::figure_labels::sorted;
use super::result_figures::along_input;
use crate::figure::{Figure, Mark, Panel, Role};
use crate::linalg::Matrix;
use crate::model::ModelError;
use crate::results::Prediction;

/// The number of draws with distinct colours.
const COLOURED: usize = 5;

/// Draws as lines over ascending `x`, one per column: the first few in colour, the others pale behind them. The colours
/// are different from that of the mean.
pub(super) fn draw_lines(x: &[f64], draws: &Matrix) -> Vec<Mark> {
    let line = |i: usize, role: Role, label: &str| Mark::Line {
        x: x.to_vec(),
        y: draws.column(i).as_slice().to_vec(),
        label: label.into(),
        role,
        dashed: false,
    };
    let pale = (COLOURED..draws.ncols()).map(|i| line(i, Role::Cloud, if i == COLOURED { "more draws" } else { "" }));
    let coloured =
        (0..draws.ncols().min(COLOURED)).map(|i| line(i, Role::Draw(i + 1), if i == 0 { "draws" } else { "" }));
    pale.chain(coloured).collect()
}

/// The panel of a prediction of numbers along one input, and the values of this input.
fn curve<'a>(figure: &'a mut Figure, prediction: &'a Prediction) -> Result<(&'a mut Panel, &'a [f64]), ModelError> {
    let problem = prediction.fit.problem();
    let input = along_input(prediction).filter(|_| problem.classes().is_none());
    let maps = figure.panels.iter().flat_map(|panel| &panel.marks).any(|mark| matches!(mark, Mark::Heat { .. }));
    let (Some(input), Some(panel), false) = (input, figure.panels.first_mut(), maps) else {
        return Err(ModelError::NoCurve { inputs: problem.names().to_vec() });
    };
    Ok((panel, prediction.at.find(&input)?.values()))
}

/// Adds draws of f at the rows of a prediction along one input to its figure; `normals` returns standard normal numbers.
///
/// # Errors
/// [`ModelError::NoCurve`] without an input for the axis, and for predictions of classes; rows at which the kernel cannot be evaluated.
pub fn add_draws(
    figure: &mut Figure,
    prediction: &Prediction,
    count: usize,
    normals: &mut dyn FnMut() -> f64,
) -> Result<(), ModelError> {
    let problem = prediction.fit.problem();
    let (panel, along) = curve(figure, prediction)?;
    let order = sorted(along);
    let x = problem.inputs_of(&prediction.at)?;
    let x: Vec<&[f64]> = x.iter().map(|column| &column[..]).collect();
    let map = problem.pipeline().target();
    let drawn = prediction.fit.posterior.draws(&x, count, normals)?;
    let drawn = Matrix::from_fn(order.len(), count, |i, draw| map.inverse(drawn[(order[i], draw)]));
    let along: Vec<f64> = order.iter().map(|&i| along[i]).collect();
    panel.marks.splice(0..0, draw_lines(&along, &drawn));
    Ok(())
}

/// Adds the bands between the deciles of a new observation to the figure of a prediction along one input, in place of its
/// band: 10 % to 90 %, 20 % to 80 % and so on, darker towards the median.
///
/// # Errors
/// As [`add_draws`].
pub fn add_deciles(figure: &mut Figure, prediction: &Prediction) -> Result<(), ModelError> {
    const TAILS: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
    let (panel, along) = curve(figure, prediction)?;
    let order = sorted(along);
    let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&i| values[i]).collect() };
    let levels: Vec<f64> = TAILS.into_iter().flat_map(|tail| [tail, 1.0 - tail]).collect();
    let levels = prediction.clone().with_levels(&levels)?.levels;
    panel.marks.retain(|mark| !matches!(mark, Mark::Band { .. }));
    for (i, pair) in levels.chunks_exact(2).enumerate() {
        let label = if i == 0 { "bands: between deciles of y".into() } else { String::new() };
        let (lo, hi) = (pick(&pair[0].1), pick(&pair[1].1));
        panel.marks.insert(0, Mark::Band { x: pick(along), lo, hi, label, role: Role::Band });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_draws_are_coloured_and_lie_in_front() {
        let draws = Matrix::from_fn(3, 8, |i, j| (i * j) as f64);
        let roles: Vec<Role> = draw_lines(&[0.0, 1.0, 2.0], &draws)
            .iter()
            .filter_map(|mark| if let Mark::Line { role, .. } = mark { Some(*role) } else { None })
            .collect();
        assert_eq!(roles[..3], [Role::Cloud; 3]);
        assert_eq!(roles[3..], [1, 2, 3, 4, 5].map(Role::Draw));
        assert_eq!(draw_lines(&[0.0, 1.0, 2.0], &draws.columns(0, 2).into_owned()).len(), 2);
    }
}
