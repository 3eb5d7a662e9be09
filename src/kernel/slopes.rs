//! In which columns of the data a kernel has derivatives.

use super::bind::Bound;
use super::input_view::ViewMap;
use super::program::Op;

/// What is known of the slope of a kernel along one input of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputSlope {
    /// The kernel does not depend on it.
    Unused,
    Known,
    /// The kernel depends on it by equality only (`Indicator`, `onehot`), or through a function of the user.
    Unknown,
}

/// What a column of a view is made of: inputs of the data, and whether each comes with its slope.
type Made = Vec<(usize, bool)>;

impl Bound {
    /// For each input of the data, whether the kernel has derivatives along it.
    pub fn input_slopes(&self) -> Vec<InputSlope> {
        let mut views: Vec<Vec<Made>> = Vec::with_capacity(self.program.views.len());
        for view in &self.program.views {
            let shown = match views.get(view.parent) {
                None => (0..self.program.columns).map(|c| vec![(c, true)]).collect(),
                Some(parent) => through(&view.map, parent),
            };
            views.push(shown);
        }
        let mut slopes = vec![InputSlope::Unused; self.program.columns];
        let mut look = |view: usize, columns: &[usize], known: bool| {
            let Some(shown) = views.get(view) else { return };
            for &column in columns {
                // a function's results are all made of the same
                for &(input, with_slope) in shown.get(column).or(shown.last()).into_iter().flatten() {
                    let slope = if known && with_slope { InputSlope::Known } else { InputSlope::Unknown };
                    slopes[input] = slopes[input].max(slope);
                }
            }
        };
        for instruction in &self.program.instructions {
            let (views, columns, known) = match &instruction.op {
                Op::Leaf(leaf) => (leaf.views, &leaf.columns, leaf.family.has_input_gradient()),
                Op::Elementwise { views, columns, .. } => (*views, columns, true),
                Op::Sum | Op::Product => continue,
            };
            look(views.left, columns, known);
            look(views.right, columns, known);
        }
        slopes
    }

    /// Whether a row with itself differs from a row with another one of equal inputs: noise inside the kernel.
    pub fn tells_rows_apart(&self) -> bool {
        let mut instructions = self.program.instructions.iter();
        instructions.any(|i| matches!(&i.op, Op::Leaf(leaf) if leaf.family.tells_rows_apart()))
    }
}

fn through(map: &ViewMap, parent: &[Made]) -> Vec<Made> {
    let together = |columns: &mut dyn Iterator<Item = usize>, known: bool| -> Made {
        let mut made: Made = columns.flat_map(|c| &parent[c]).map(|&(input, slope)| (input, slope && known)).collect();
        made.sort_unstable();
        made.dedup();
        made
    };
    let mut shown = parent.to_vec();
    match map {
        ViewMap::Identity => {}
        ViewMap::Function { columns, replace: false, .. } => {
            shown = vec![together(&mut columns.iter().copied(), false)];
        }
        ViewMap::Function { columns, .. } => {
            for &c in columns {
                shown[c] = together(&mut columns.iter().copied(), false);
            }
        }
        ViewMap::Placed(placement) => {
            for (c, place) in placement.0.iter().enumerate() {
                shown[c] = if place.sign == 0.0 { Vec::new() } else { parent[place.from].clone() };
            }
        }
        ViewMap::Folded { group, mirrored } => {
            for (c, shown) in shown.iter_mut().enumerate().take(mirrored.len()) {
                *shown = together(&mut group.iter().map(|element| element.0[c].from), true);
            }
        }
        ViewMap::Circle { columns, .. } => {
            for &c in columns {
                shown.extend([parent[c].clone(), parent[c].clone()]);
            }
        }
        ViewMap::Indicators(all) => {
            for indicators in all {
                let made = together(&mut std::iter::once(indicators.column), false);
                shown.extend(indicators.shown().iter().map(|_| made.clone()));
            }
        }
        ViewMap::Sphere { lat, lon } => {
            let place = together(&mut [*lat, *lon].into_iter(), true);
            shown.extend(vec![place; 3]);
        }
    }
    shown
}
