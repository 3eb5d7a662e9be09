//! The columns of the data in which a kernel has derivatives.

use super::bind::Bound;
use super::input_view::ViewMap;
use super::program::Op;
use super::row_function::Results;

/// The derivative of a kernel in one input of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputSlope {
    /// The kernel does not depend on the input.
    Unused,
    Known,
    /// The kernel depends on it only through equality (`Indicator`, `onehot`), or through a user's function whose
    /// derivative is unknown.
    Unknown,
}

/// The inputs of the data from which a column of a view is computed, and whether the derivative in each is known.
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
                // all results of a function depend on the same inputs
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

    /// Whether k(x, x) of one row differs from that of two rows with equal inputs: white noise in the kernel.
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
        ViewMap::Function(map) => {
            let numbers = map.columns.iter().zip(&map.levels);
            let mut made: Made = numbers
                .flat_map(|(&c, levels)| {
                    parent[c].iter().map(move |&(input, known)| (input, known && levels.is_none()))
                })
                .map(|(input, known)| (input, known && map.differentiable))
                .collect();
            made.sort_unstable();
            made.dedup();
            match map.results {
                Results::Alone => shown = vec![made],
                Results::InPlace => map.columns.iter().for_each(|&c| shown[c].clone_from(&made)),
                Results::Behind => shown.extend(vec![made; map.width]),
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
