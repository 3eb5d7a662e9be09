//! Figures of the posterior correlations of the parts of a sum.

use super::figure_labels::{label_of, title};
use crate::figure::standard_figures::{Names, correlation_panel};
use crate::figure::{Figure, Panel};
use crate::model::ModelError;
use crate::results::{Correlation, Decomposition, PairsOfParts};

/// The largest number of pairs of parts in a figure, and of parts whose pairs are all in one figure.
const PAIRS: usize = 9;
const PARTS: usize = 8;
/// The number of points along each side of a map, and of points in a figure of many maps.
const SIDE: usize = 40;
const POINTS: usize = 16_000;

/// The posterior correlations of parts, for all values of their inputs. All pairs form a square with each part with
/// itself on the diagonal. `None` without a pair of parts with one input each.
///
/// # Errors
/// As [`decompose`](crate::results::decompose).
pub fn correlations(
    parts: &Decomposition,
    pairs: PairsOfParts,
    points: Option<usize>,
) -> Result<Option<Figure>, ModelError> {
    let of_one = parts.parts_of_one_input();
    let shown = of_one.len().min(PARTS);
    let side = match pairs {
        PairsOfParts::All => SIDE.min(((POINTS / (shown * shown).max(1)) as f64).sqrt() as usize),
        _ => SIDE,
    };
    let all = parts.correlations(points.unwrap_or(side), pairs)?;
    if all.is_empty() || (pairs == PairsOfParts::Different && of_one.len() < 2) {
        return Ok(None);
    }
    let whole = match pairs {
        PairsOfParts::All => {
            let kept: Vec<usize> = of_one.iter().take(shown).map(|(i, _)| *i).collect();
            let panels = kept.iter().flat_map(|up| kept.iter().filter_map(|across| find(parts, &all, *across, *up)));
            Figure::grid(title(parts.fit.problem().data()), kept.len(), panels.collect())
        }
        _ => {
            let panels: Vec<Panel> = all.iter().take(PAIRS).map(|pair| panel(parts, pair, false)).collect();
            let columns = panels.len().min(3);
            Figure::grid(title(parts.fit.problem().data()), columns, panels)
        }
    };
    let more = match pairs {
        PairsOfParts::Different if all.len() > PAIRS => format!(", the strongest {PAIRS} of {} pairs", all.len()),
        PairsOfParts::All if of_one.len() > PARTS => format!(", the first {PARTS} of {} parts", of_one.len()),
        _ => String::new(),
    };
    let note = format!(
        "Posterior correlation of the values of two parts{more}. Strongly negative: the data determine only their sum."
    );
    Ok(Some(whole.with_note(note)))
}

/// The map of two parts, one of them along each axis, out of those in one order only.
fn find(parts: &Decomposition, all: &[Correlation], across: usize, up: usize) -> Option<Panel> {
    let pair = all.iter().find(|c| (c.one, c.other) == (across.min(up), across.max(up)))?;
    Some(panel(parts, pair, across > up))
}

/// The map of a pair, the first part along the horizontal axis unless the axes are exchanged.
fn panel(parts: &Decomposition, pair: &Correlation, exchanged: bool) -> Panel {
    let data = parts.fit.problem().data();
    let label = |i: usize| parts.components[i].label.as_str();
    // if both have the same input, the axes also name the parts
    let alike = pair.inputs[0] == pair.inputs[1] && pair.one != pair.other;
    let name = |of: usize, input: &str| {
        let input = label_of(data, input);
        if alike { format!("{input}, for {}", label(of)) } else { input }
    };
    let title = match pair.one == pair.other {
        true => format!("{} and itself", label(pair.one)),
        false if exchanged => format!("{} and {}", label(pair.other), label(pair.one)),
        false => format!("{} and {}", label(pair.one), label(pair.other)),
    };
    let (one, other) = (name(pair.one, &pair.inputs[0]), name(pair.other, &pair.inputs[1]));
    // values of the second part are the rows of a map
    if exchanged {
        let values: Vec<f64> = pair.values.transpose().as_slice().to_vec();
        correlation_panel(Names { title: &title, x: &other, y: &one }, &pair.grid[1], &pair.grid[0], &values)
    } else {
        correlation_panel(
            Names { title: &title, x: &one, y: &other },
            &pair.grid[0],
            &pair.grid[1],
            pair.values.as_slice(),
        )
    }
}
