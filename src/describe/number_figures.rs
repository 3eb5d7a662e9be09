//! Figures of lists of numbers.

use crate::figure::standard_figures::{Names, map_panel};
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

/// Lists of numbers with shared axes; `across` names the horizontal axis.
pub fn numbers(lists: Vec<Numbers>, marked: Marked, across: &str) -> Figure {
    if marked == Marked::Map {
        let x = lists.first().map_or_else(Vec::new, |list| list.x.clone());
        // a square matrix has the same positions along both sides
        let square = x.len() == lists.len();
        let y = if square { x.clone() } else { (0..lists.len()).map(|i| i as f64).collect() };
        let z: Vec<f64> = lists.iter().flat_map(|list| list.y.iter().copied()).collect();
        let up = if square && across != "index" { across } else { "row" };
        let mut panel = map_panel(Names { title: "", x: across, y: up }, &x, &y, &z, "value", None);
        panel.square = square;
        return Figure::single("", panel);
    }
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
    Figure::single("", panel)
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
    fn a_strip_has_a_row_for_each_list() {
        let figure = numbers(two(), Marked::Strip, "x");
        let panel = &figure.panels[0];
        assert_eq!(panel.y.names, [(0.0, "a".to_string()), (1.0, "b".to_string())]);
        let Mark::Points { x, y, .. } = &panel.marks[1] else { panic!("points") };
        assert_eq!((&x[..], &y[..]), (&[3.0, 4.0][..], &[1.0, 1.0][..]));
    }
}
