//! What a construction around kernels has to declare, and the contract of its evaluation.

use std::borrow::Cow;
use std::fmt::Debug;

use super::bind::BindError;
use super::family::{Pairs, Rows, Spec, Theta};
use super::plan::Plan;
use super::{Kernel, Wrapped};

/// A construction around kernels: a changepoint, a warped input, a power.
pub trait Wrap: Debug + Send + Sync {
    fn spec(&self) -> &'static Spec;

    /// The phrase that it is described by, a template as [`Voice`](super::Voice) says: by default that of its spec. One
    /// that was given more than kernels, inputs and parameters (moves, a depth) writes these into it.
    fn phrase(&self) -> Cow<'static, str> {
        self.spec().voice.noun.into()
    }

    /// Whether two wraps are the same apart from children, inputs and parameters.
    fn same(&self, other: &dyn Wrap) -> bool {
        std::ptr::eq(self.spec(), other.spec())
            && self.exponent() == other.exponent()
            && self.function().map(RowFunction::source) == other.function().map(RowFunction::source)
            && self.extras() == other.extras()
    }

    /// Whether it looks at inputs itself, and not only through its children.
    fn reads_inputs(&self) -> bool {
        self.spec().reads_inputs
    }

    /// The exponent, for the one wrap that is written `k^n`.
    fn exponent(&self) -> Option<u32> {
        None
    }

    /// The function of the user that it was given; it is printed after the children.
    fn function(&self) -> Option<&dyn RowFunction> {
        None
    }

    /// Further arguments in source form, printed last.
    fn extras(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether the kernel is stationary, given that of its children.
    fn stationary(&self, children: &[bool]) -> bool {
        self.spec().stationary && children.iter().all(|&c| c)
    }

    /// Puts its evaluation into the plan, seen from a view, and gives the register that will hold it.
    ///
    /// # Errors
    /// Whatever does not fit the data set.
    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, view: usize) -> Result<usize, BindError>;
}

/// A function of the user over the rows of the inputs, as the language hands it down.
pub trait RowFunction: Debug + Send + Sync {
    /// How it is written, with captured values filled in: parses back to the same function.
    fn source(&self) -> String;

    /// Its value at one row.
    ///
    /// # Errors
    /// A sentence that says what went wrong.
    fn apply(&self, row: &[f64]) -> Result<Vec<f64>, String>;
}

/// How the values of a wrap are made of those of its children, element by element.
pub trait Combine: Debug + Send + Sync {
    /// Numbers for each row, from the columns of the wrap's own view.
    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]]) -> Rows;

    /// `out[i]` ← value of the pair, given those of the children in `args`.
    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]);

    /// `out[i]` ← value of row i with itself, given those of the children.
    fn diagonal(&self, theta: Theta<'_>, rows: &Rows, args: &[&[f64]], out: &mut [f64]);

    /// Adds Σ wᵢ ∂kᵢ/∂θ to `gradient`, and hands to each child its weights: `adjoints[c][i]` += wᵢ ∂kᵢ/∂`args[c][i]`.
    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        gradient: &mut [f64],
    );
}
