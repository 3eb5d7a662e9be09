//! Figures of lists of numbers.

use crate::figure::standard_figures::{Names, heat_panel, map_panel};
use crate::figure::{Axis, Figure, Mark, Panel, Role};

/// How numbers are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marked {
    Line,
    Points,
    Bars,
    /// Points in a row for each list.
    Strip,
    Histogram,
    /// The rows of a matrix as a map, the first at the bottom.
    Map,
}

/// A list of numbers with its name in the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    pub name: String,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

/// The rows of a matrix of at least two columns as a map, the first at the bottom; `positions` is whether the columns have
/// positions instead of indices, between which there are no contours, `y` the positions of the rows. Rows without positions have those of the columns if the
/// matrix is symmetric, as a matrix of covariances.
pub fn map(rows: &[Numbers], positions: bool, y: Option<&[f64]>) -> Figure {
    let x = rows.first().map_or_else(Vec::new, |row| row.x.clone());
    let symmetric = rows.len() == x.len() && {
        let same = |i: usize, j: usize| rows[i].y[j] == rows[j].y[i] || rows[i].y[j].is_nan();
        (0..x.len()).all(|i| (0..i).all(|j| same(i, j)))
    };
    let (y, up) = match y {
        Some(y) => (y.to_vec(), "y"),
        None if symmetric && positions => (x.clone(), "x"),
        None => ((0..rows.len()).map(|i| i as f64).collect(), "row"),
    };
    let z: Vec<f64> = rows.iter().flat_map(|row| row.y.iter().copied()).collect();
    let across = if positions { "x" } else { "column" };
    let panel = if positions { map_panel } else { heat_panel };
    let mut panel = panel(Names { title: "", x: across, y: up }, &x, &y, &z, "value", None);
    panel.square = rows.len() == x.len();
    (panel.x.whole, panel.y.whole) = (!positions, up == "row");
    Figure::single("", panel).with_note(left_out(rows))
}

/// Which values cannot be drawn; empty if all can.
fn left_out(lists: &[Numbers]) -> String {
    let (mut all, mut unknown) = (0, 0);
    for (x, y) in lists.iter().flat_map(|list| list.x.iter().zip(&list.y)) {
        all += 1;
        unknown += usize::from(!x.is_finite() || !y.is_finite());
    }
    match unknown {
        0 => String::new(),
        1 => format!("1 of {all} values is not finite and is left out."),
        many => format!("{many} of {all} values are not finite and are left out."),
    }
}

/// Lists of numbers with shared axes; `across` names the horizontal axis.
pub fn numbers(lists: Vec<Numbers>, marked: Marked, across: &str) -> Figure {
    let note = left_out(&lists);
    let several = lists.len() > 1;
    let count = lists.len();
    let role = |i: usize| match (several, marked) {
        (false, _) => Role::Mean,
        (true, Marked::Line) => Role::Draw(i),
        _ => Role::Component(i),
    };
    let rows: Vec<(f64, String)> = lists.iter().enumerate().map(|(i, list)| (i as f64, list.name.clone())).collect();
    let mark = |(i, list): (usize, Numbers)| {
        let Numbers { name: label, x, y } = list;
        let role = role(i);
        match marked {
            Marked::Line | Marked::Map => Mark::Line { x, y, label, role, dashed: false },
            Marked::Points => Mark::Points { x, y, label, role },
            Marked::Histogram => Mark::Histogram { values: y, bins: None, label, role },
            Marked::Strip => Mark::Points { y: vec![i as f64; y.len()], x: y, label: String::new(), role },
            Marked::Bars => {
                // bars of several lists stand beside one another
                let step = x.windows(2).map(|pair| (pair[1] - pair[0]).abs()).filter(|step| *step > 0.0);
                let room = 0.8 * step.fold(f64::INFINITY, f64::min);
                let room = if room.is_finite() { room } else { 0.8 };
                let width = room / count as f64;
                let x = x.iter().map(|x| x + width * (i as f64 + 0.5) - room / 2.0).collect();
                Mark::Bars { x, height: y, width, label, role }
            }
        }
    };
    let marks = lists.into_iter().enumerate().map(mark).collect();
    let mut panel = match marked {
        Marked::Histogram => Panel::new("value", "count", marks),
        Marked::Strip => Panel::new("value", "", marks),
        _ => Panel::new(across, "value", marks),
    };
    if marked == Marked::Strip {
        let named = rows.iter().any(|(_, name)| !name.is_empty());
        panel.y = Axis {
            names: if named { rows } else { vec![(0.0, String::new())] },
            range: Some((-0.5, count as f64 - 0.5)),
            reversed: true,
            ..panel.y
        };
    }
    panel.x.whole |= across == "index" && matches!(marked, Marked::Line | Marked::Points | Marked::Bars);
    panel.y.whole |= marked == Marked::Histogram;
    Figure::single("", panel).with_note(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<Numbers> {
        let list = |name: &str, y: [f64; 2]| Numbers { name: name.into(), x: vec![0.0, 1.0], y: y.to_vec() };
        vec![list("a", [1.0, 2.0]), list("b", [3.0, 4.0])]
    }

    #[test]
    fn bars_stand_beside_one_another() {
        let figure = numbers(two(), Marked::Bars, "x");
        let [Mark::Bars { x: one, width, .. }, Mark::Bars { x: other, .. }] = &figure.panels[0].marks[..] else {
            panic!("bars")
        };
        assert!((width - 0.4).abs() < 1e-12);
        assert!((other[0] - one[0] - 0.4).abs() < 1e-12 && (one[0] + other[0]).abs() < 1e-12);
    }

    #[test]
    fn rows_of_a_map_have_positions() {
        let y = |figure: &Figure| match &figure.panels[0].marks[0] {
            Mark::Heat { y, .. } => y.clone(),
            _ => Vec::new(),
        };
        let at = |rows: Vec<Numbers>| rows.into_iter().map(|row| Numbers { x: vec![10.0, 20.0], ..row }).collect();
        let rows: Vec<Numbers> = at(two());
        let plain = map(&rows, true, None);
        assert_eq!((y(&plain), &*plain.panels[0].y.label), (vec![0.0, 1.0], "row"));
        assert_eq!(y(&map(&rows, true, Some(&[5.0, 6.0]))), [5.0, 6.0]);
        let mut symmetric = rows;
        symmetric[1].y = vec![2.0, 1.0];
        let same = map(&symmetric, true, None);
        assert_eq!((y(&same), &*same.panels[0].y.label), (vec![10.0, 20.0], "x"));
    }

    #[test]
    fn values_left_out_are_counted() {
        let mut lists = two();
        assert_eq!(left_out(&lists), "");
        lists[0].y[1] = f64::NAN;
        lists[1].x[0] = f64::INFINITY;
        assert_eq!(left_out(&lists), "2 of 4 values are not finite and are left out.");
    }

    #[test]
    fn a_strip_has_a_row_for_each_list() {
        let figure = numbers(two(), Marked::Strip, "x");
        let panel = &figure.panels[0];
        assert_eq!(panel.y.names, [(0.0, "a".to_string()), (1.0, "b".to_string())]);
        let Mark::Points { x, y, .. } = &panel.marks[1] else { panic!("points") };
        assert_eq!((&x[..], &y[..]), (&[3.0, 4.0][..], &[1.0, 1.0][..]));
    }
}
