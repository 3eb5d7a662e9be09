//! The interface of a combination of kernels that is evaluated element by element.

use std::fmt::Debug;

use super::family::{Pairs, Rows, Theta};

/// How the values of a wrap follow from those of its children, element by element.
///
/// A wrap that is planned with the values k(x, x) and k(x′, x′) finds them after its own prepared numbers:
/// `pairs.left(i, len)` and `pairs.right(i)`, where i is the number of prepared numbers.
pub trait Elementwise: Debug + Send + Sync {
    /// Numbers for each row, computed from the columns of the wrap's own inputs. None by default.
    fn prepare(&self, _theta: Theta<'_>, _x: &[&[f64]]) -> Rows {
        Vec::new()
    }

    /// `out[i]` ← value of the pair, given those of the children in `args`.
    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]);

    /// `out[i]` ← value of row i with itself, given those of the children. The default calls [`column`](Self::column),
    /// which is right for wraps that depend on the values of their children alone.
    fn diagonal(&self, theta: Theta<'_>, rows: &Rows, args: &[&[f64]], out: &mut [f64]) {
        self.column(theta, Pairs { a: rows, b: rows, from: 0, j: 0, same: true }, args, out);
    }

    /// Adds Σ wᵢ ∂kᵢ/∂θ to `gradient`, and passes to each child its weights: `adjoints[c][i]` += wᵢ ∂kᵢ/∂`args[c][i]`.
    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        gradient: &mut [f64],
    );

    /// The derivatives in k(x, x) and k(x′, x′): adds wᵢ ∂kᵢ/∂k(xᵢ, xᵢ) to `left`, and Σ wᵢ ∂kᵢ/∂k(x′, x′) to `right`.
    fn pull_diagonals(
        &self,
        _theta: Theta<'_>,
        _pairs: Pairs<'_>,
        _args: &[&[f64]],
        _w: &[f64],
        _left: &mut [f64],
        _right: &mut f64,
    ) {
    }

    /// The derivative in the wrap's own inputs, as [`Family::pull_inputs`](super::Family::pull_inputs).
    fn pull_inputs(
        &self,
        _theta: Theta<'_>,
        _pairs: Pairs<'_>,
        _args: &[&[f64]],
        _w: &[f64],
        _left: &mut [Vec<f64>],
        _right: &mut [f64],
    ) {
    }
}
