//! Evenly spaced rows, where a stationary kernel has one value for each lag and not one for each pair of rows.
//!
//! Places of the grid may be empty, as days without a value are. What depends on the lag only, that is sums and products of
//! stationary families of one input, is evaluated once for each lag and copied to the columns; for the gradient the
//! derivatives of the pairs with one lag are added first.

use super::bind::Bound;
use super::column_values::ColumnValues;
use super::evaluate::{At, Prepared};
use super::family::{Rows, Theta};
use super::points::{EvalError, Points, ROUNDINGS};
use super::program::{Op, lag_of};
use crate::linalg::vector;

/// A grid is of use if its rows form runs without a gap that are at least so long on average.
const LEAST_RUN: usize = 3;
/// The number of lags may be this share of the square of the number of rows.
const SHARE_OF_PAIRS: usize = 8;

/// The lags between the rows, and the values of the instructions that depend on nothing else.
pub(super) struct Lags {
    grid: Grid,
    /// The distance of each lag.
    distances: Vec<f64>,
    /// What each instruction is.
    roles: Vec<Role>,
    /// Values of the instructions by lag.
    pub values: Vec<Vec<f64>>,
    /// Derivatives with respect to the values that others read, by lag.
    pub adjoints: Vec<Vec<f64>>,
    prepared: Prepared,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    /// Its values depend on both rows.
    OfPairs,
    /// Its values depend on the lag, and are read only by others of this kind.
    Inner,
    /// Its values depend on the lag, and are needed for each pair.
    Outer,
}

impl Lags {
    /// The lags between these rows; `None` if no part of the kernel depends on the lag, or if the rows are on no grid.
    pub fn new(bound: &Bound, points: &Points) -> Option<Self> {
        let program = &bound.program;
        if program.needs_diagonals {
            return None;
        }
        let lag_of = |i: usize| lag_of(&program.instructions, &program.views, i);
        let leaves = program.instructions.iter().enumerate().filter(|(_, one)| matches!(one.op, Op::Leaf(_)));
        let leaves = leaves.filter_map(|(i, _)| lag_of(i));
        let mut seen: Vec<(usize, usize)> = Vec::new();
        let (input, grid) = leaves
            .filter(|input| {
                let new = !seen.contains(input);
                seen.push(*input);
                new
            })
            .find_map(|(view, column)| Some(((view, column), Grid::of(points.views.get(view)?.get(column)?)?)))?;
        let role = |i| if lag_of(i) == Some(input) { Role::Inner } else { Role::OfPairs };
        let mut roles: Vec<Role> = (0..program.instructions.len()).map(role).collect();
        for (i, instruction) in program.instructions.iter().enumerate() {
            if roles[i] == Role::OfPairs {
                for &a in &instruction.args {
                    if roles[a] == Role::Inner {
                        roles[a] = Role::Outer;
                    }
                }
            }
        }
        if let Some(last) = roles.last_mut().filter(|role| **role == Role::Inner) {
            *last = Role::Outer;
        }
        let count = grid.count;
        let of = |wanted: &dyn Fn(Role) -> bool| -> Vec<Vec<f64>> {
            roles.iter().map(|&role| if wanted(role) { vec![0.0; count] } else { Vec::new() }).collect()
        };
        Some(Self {
            distances: (0..count).map(|lag| lag as f64 * grid.step).collect(),
            values: of(&|role| role != Role::OfPairs),
            adjoints: of(&|role| role == Role::Outer),
            prepared: Prepared { left: Vec::new(), right: vec![None; roles.len()], moving: Vec::new() },
            grid,
            roles,
        })
    }

    /// The number of lags.
    pub fn count(&self) -> usize {
        self.grid.count
    }

    pub fn role(&self, i: usize) -> Role {
        self.roles[i]
    }

    /// The numbers that the instructions prepare for the lags, as rows at these distances from the first.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// All lags as one column.
    pub fn at(&self) -> At {
        At { from: 0, j: 0, same: false, len: self.grid.count }
    }

    /// Evaluates the instructions by lag at these parameters, and sets the derivatives to 0.
    pub fn evaluate(&mut self, bound: &Bound, theta: &[Vec<f64>]) -> Result<(), EvalError> {
        let instructions = &bound.program.instructions;
        let rows = |i: usize| match &instructions[i].op {
            Op::Leaf(leaf) if self.roles[i] != Role::OfPairs => {
                let theta = Theta { all: &theta[i], ranges: &leaf.ranges };
                // distances have no place that a family could have learnt
                leaf.family.prepare(theta, &[&self.distances], &[0.0]).map_err(|message| leaf.refused(message))
            }
            _ => Ok(Rows::new()),
        };
        self.prepared.left = (0..instructions.len()).map(rows).collect::<Result<Vec<_>, _>>()?;
        let at = self.at();
        for i in (0..instructions.len()).filter(|&i| self.roles[i] != Role::OfPairs) {
            let (earlier, later) = self.values.split_at_mut(i);
            let values = ColumnValues::of_registers(earlier, at.len);
            bound.instruction(i, &theta[i], (&self.prepared, &self.prepared), at, values, &mut later[0]);
        }
        self.adjoints.iter_mut().for_each(|sums| sums.fill(0.0));
        Ok(())
    }

    /// Copies the values of instruction `i` to a part of a column.
    pub fn copy(&self, i: usize, at: At, out: &mut [f64]) {
        self.grid.each_run(at, |rows, lags| out[rows].copy_from_slice(&self.values[i][lags]));
    }

    /// Adds the derivatives with respect to the values of instruction `i` in a part of a column.
    pub fn add(&mut self, i: usize, at: At, w: &[f64]) {
        let sums = &mut self.adjoints[i];
        self.grid.each_run(at, |rows, lags| vector::add(&mut sums[lags], &w[rows]));
    }
}

/// Rows on a grid, in ascending order.
struct Grid {
    step: f64,
    /// The number of places from the first row to the last.
    count: usize,
    /// The place of each row.
    places: Vec<usize>,
    /// The first row of each run without a gap, and the number of rows.
    runs: Vec<usize>,
}

impl Grid {
    /// The grid of a column; `None` if its values are not in order, not at whole steps, or if too few are neighbours.
    fn of(column: &[f64]) -> Option<Self> {
        let n = column.len();
        let (&first, &last) = column.first().zip(column.last())?;
        let gaps = || column.windows(2).map(|pair| pair[1] - pair[0]);
        if !gaps().all(|gap| gap >= 0.0) {
            return None;
        }
        let least = gaps().filter(|gap| *gap > 0.0).fold(f64::INFINITY, f64::min);
        let steps = ((last - first) / least).round();
        if !(steps >= 1.0 && steps < (n * n / SHARE_OF_PAIRS) as f64) {
            return None;
        }
        // of a long distance the rounding of the values matters least
        let step = (last - first) / steps;
        let near = ROUNDINGS * f64::EPSILON * first.abs().max(last.abs());
        let mut places: Vec<usize> = Vec::with_capacity(n);
        let mut runs = Vec::new();
        for (row, x) in column.iter().enumerate() {
            let place = ((x - first) / step).round();
            if (first + place * step - x).abs() > near {
                return None;
            }
            let place = place as usize;
            if places.last().is_none_or(|before| place != before + 1) {
                runs.push(row);
            }
            places.push(place);
        }
        (runs.len() * LEAST_RUN <= n).then(|| {
            runs.push(n);
            Self { step, count: steps as usize + 1, places, runs }
        })
    }

    /// Calls a function with each run of rows of a part of a column, counted from its start, and the lags between them and
    /// the row of the column, which is not after them.
    fn each_run(&self, at: At, mut f: impl FnMut(std::ops::Range<usize>, std::ops::Range<usize>)) {
        let end = at.from + at.len;
        let from = self.runs.partition_point(|&first| first <= at.from).saturating_sub(1);
        for pair in self.runs[from..].windows(2) {
            let (first, next) = (pair[0].max(at.from), pair[1].min(end));
            if first >= next {
                break;
            }
            let lag = self.places[first] - self.places[at.j];
            f(first - at.from..next - at.from, lag..lag + next - first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::families::{FAMILIES, family};
    use crate::kernel::inputs::{InputRef, Inputs};
    use crate::kernel::schema::Schema;
    use crate::kernel::tree::Kernel;
    use crate::kernel::{Gram, wraps};
    use crate::linalg::Matrix;

    /// Days with gaps, in units of a year: 1990 and some 365ths.
    fn days() -> Vec<f64> {
        (0..60).filter(|day| ![7, 8, 30, 41].contains(day)).map(|day| 1990.0 + f64::from(day) / 365.0).collect()
    }

    fn leaf(name: &str) -> Kernel {
        Kernel::leaf(family(name).expect("a family"), Inputs::These(vec![InputRef::Index(0)]))
    }

    /// The matrix and a gradient with and without the lags.
    fn both(kernel: &Kernel, column: &[f64]) -> [(Matrix, Vec<f64>); 2] {
        let (names, x) = (["t".to_string()], [column]);
        let bound = kernel.bind(&Schema::unnamed(&names, &x)).expect("bound");
        let points = bound.points(&x).expect("points");
        let theta: Vec<f64> = (0..bound.values().len()).map(|i| 0.03 + 0.11 * i as f64).collect();
        let n = points.n();
        [true, false].map(|by_lag| {
            let mut gram = Gram::new(&bound, &points);
            if !by_lag {
                gram = gram.of_pairs();
            }
            let mut k = Matrix::zeros(n, n);
            gram.evaluate(&theta, &mut k).expect("a matrix");
            let mut gradient = vec![0.0; theta.len()];
            let weights = |j: usize, w: &mut [f64]| {
                w.iter_mut().enumerate().for_each(|(i, w)| *w = ((3 * (i + j) + 5 * j) as f64).sin());
            };
            gram.pull(weights, &mut gradient).expect("a gradient");
            (k, gradient)
        })
    }

    fn agree(kernel: &Kernel, column: &[f64]) {
        let [(k, gradient), (pairs, of_pairs)] = both(kernel, column);
        for j in 0..k.ncols() {
            for i in j..k.nrows() {
                let size = pairs[(i, j)].abs().max(1.0);
                assert!((k[(i, j)] - pairs[(i, j)]).abs() < 1e-10 * size, "{kernel:?} at {i}, {j}");
            }
        }
        let size = of_pairs.iter().fold(1.0, |most: f64, g| most.max(g.abs()));
        for (one, other) in gradient.iter().zip(&of_pairs) {
            assert!((one - other).abs() < 1e-8 * size, "{kernel:?}: {gradient:?}, {of_pairs:?}");
        }
    }

    #[test]
    fn values_by_lag_are_those_of_the_pairs() {
        let days = days();
        let mut count = 0;
        for family in FAMILIES.iter().filter(|f| f.spec().stationary && f.spec().reads_inputs) {
            agree(&Kernel::leaf(*family, Inputs::These(vec![InputRef::Index(0)])), &days);
            count += 1;
        }
        assert!(count >= 7, "{count}");
        let sum = |kernels: &[Kernel]| Kernel::sum(kernels.to_vec()).expect("a sum");
        let product = |kernels: &[Kernel]| Kernel::product(kernels.to_vec()).expect("a product");
        let season = product(&[leaf("SE"), leaf("Per")]);
        let (both, power) = (product(&[season.clone(), leaf("Lin")]), wraps::power(leaf("RQ"), 2));
        agree(&sum(&[season.clone(), both.clone(), leaf("WN")]), &days);
        agree(&product(&[sum(&[leaf("RQ"), leaf("Wiener")]), power]), &days);
        agree(&sum(&[season, leaf("Matern32")]), &[days.clone(), vec![days[days.len() - 1]]].concat());
    }

    #[test]
    fn grids_are_found() {
        let found = |column: &[f64]| Grid::of(column).map(|grid| (grid.count, grid.runs.len() - 1));
        assert_eq!(found(&days()), Some((60, 4)));
        let months: Vec<f64> = (0..120).map(|i| 1949.0 + f64::from(i) / 12.0).collect();
        assert_eq!(found(&months), Some((120, 1)));
        // a row twice begins a run of its own
        assert_eq!(found(&[0.0, 1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Some((7, 2)));
        let rounded: Vec<f64> = months.iter().map(|x| (x * 100.0).round() / 100.0).collect();
        let backwards: Vec<f64> = months.iter().rev().copied().collect();
        let scattered: Vec<f64> = (0..30).map(|i| f64::from(i * i)).collect();
        for column in [&rounded[..], &backwards, &scattered, &[1.0; 5], &[1.0], &[], &[0.0, f64::NAN, 2.0]] {
            assert_eq!(found(column), None, "{column:?}");
        }
    }
}
