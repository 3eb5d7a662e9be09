//! A matrix as cells, averaged in blocks if there are too many to draw.

use super::palette::{self, Rgb};
use super::shapes::edges;

/// A coloured cell in data units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub x: (f64, f64),
    pub y: (f64, f64),
    pub value: f64,
}

/// The cells of a matrix (`z` row by row, rows at `y`), at most `most` in each direction; a block has the mean of its
/// finite values. Values beyond the end of `z` are missing. `logs` are whether the axes are logarithmic.
pub(super) fn cells(x: &[f64], y: &[f64], z: &[f64], most: usize, logs: [bool; 2]) -> Vec<Cell> {
    let (ex, ey) = (edges(x, logs[0]), edges(y, logs[1]));
    let (bx, by) = (x.len().div_ceil(most.max(1)).max(1), y.len().div_ceil(most.max(1)).max(1));
    let mut out = Vec::new();
    for r in (0..y.len()).step_by(by) {
        let rows = r..(r + by).min(y.len());
        for c in (0..x.len()).step_by(bx) {
            let columns = c..(c + bx).min(x.len());
            let at = |row: usize, column: usize| z.get(row * x.len() + column).copied().filter(|v| v.is_finite());
            let values = rows.clone().flat_map(|row| columns.clone().filter_map(move |column| at(row, column)));
            let (mut sum, mut n) = (0.0, 0.0);
            for v in values {
                sum += v;
                n += 1.0;
            }
            let value = if n > 0.0 { sum / n } else { f64::NAN };
            out.push(Cell { x: (ex[c], ex[columns.end]), y: (ey[r], ey[rows.end]), value });
        }
    }
    out
}

/// The same for cells coloured by a position in a plane, with their colours; cells without a position are left out.
pub(super) fn plane_cells(x: &[f64], y: &[f64], places: &[[f64; 2]], most: usize, logs: [bool; 2]) -> Vec<(Cell, Rgb)> {
    let part = |axis: usize| cells(x, y, &places.iter().map(|place| place[axis]).collect::<Vec<_>>(), most, logs);
    let (first, second) = (part(0), part(1));
    let both = first.into_iter().zip(second).filter(|(u, v)| u.value.is_finite() && v.value.is_finite());
    both.map(|(u, v)| {
        let colour = palette::plane(u.value, v.value);
        (u, colour)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_average_what_is_there() {
        let z = [1.0, 3.0, f64::NAN, 5.0];
        let small = cells(&[0.0, 1.0], &[0.0, 1.0], &z, 10, [false; 2]);
        assert_eq!(small.len(), 4);
        assert!(small[2].value.is_nan());
        let one = cells(&[0.0, 1.0], &[0.0, 1.0], &z, 1, [false; 2]);
        assert_eq!(one, [Cell { x: (-0.5, 1.5), y: (-0.5, 1.5), value: 3.0 }]);
        assert!(cells(&[0.0, 1.0], &[0.0], &[1.0], 10, [false; 2])[1].value.is_nan());
        assert!(cells(&[], &[], &[], 10, [false; 2]).is_empty());
    }
}
