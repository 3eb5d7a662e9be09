//! What a construction around kernels has to declare, and the contract of its evaluation.

use std::borrow::Cow;
use std::fmt::Debug;

use super::bind::BindError;
use super::family::{Pairs, Rows, Spec, Theta};
use super::plan::{Plan, Seen};
use super::{InputRef, Kernel, Wrapped};

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
            && self.options() == other.options()
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

    /// What it was given beside kernels, inputs and parameters, in a form in which two are the same or not.
    fn options(&self) -> String {
        String::new()
    }

    /// An argument before the kernels, in source form: the layers of a deep kernel.
    fn leading(&self) -> Option<String> {
        None
    }

    /// Further arguments in source form, printed last.
    fn extras(&self, _inputs: &[InputRef]) -> Vec<String> {
        Vec::new()
    }

    /// How the inputs of its own are written.
    fn inputs_shown(&self) -> InputsShown {
        InputsShown::Place
    }

    /// Whether the kernels in it are written as a list.
    fn lists_children(&self) -> bool {
        false
    }

    /// Whether the kernel is stationary, given that of its children.
    fn stationary(&self, children: &[bool]) -> bool {
        self.spec().stationary && children.iter().all(|&c| c)
    }

    /// How many derivatives its draws have, given how many those of its roughest kernel have ([`u8::MAX`]: all). `None`
    /// where a function of the user or a fold decides.
    fn derivatives(&self, inside: u8) -> Option<u8> {
        self.function().is_none().then_some(inside)
    }

    /// Whether a kernel inside is the one that stands where none is written, so that it is not printed.
    fn hides_child(&self, _child: &Kernel) -> bool {
        false
    }

    /// Whether the kernel inside stands for one kernel for each input.
    fn stands_for_each(&self) -> bool {
        false
    }

    /// How many orders an additive kernel has whose kernels are written one by one, each with a variance of its own.
    fn additive_orders(&self, _wrapped: &Wrapped) -> Option<usize> {
        None
    }

    /// Whether every positive power of it is a kernel (see [`Spec::divisible`]), given that of its children.
    fn divisible(&self, children: &[bool]) -> bool {
        self.spec().divisible && children.iter().all(|&c| c)
    }

    /// Whether a constant factor of all its children is a factor of it.
    fn is_linear(&self) -> bool {
        false
    }

    /// Whether it looks at inputs through its children alone, so that a move that changes nothing of them changes
    /// nothing of it.
    fn looks_through(&self) -> bool {
        false
    }

    /// Whether its children are seen with their two arguments moved differently, so that a row with itself is not at
    /// distance 0.
    fn moves_apart(&self) -> bool {
        false
    }

    /// Whether unset variances inside are held at 1, given whether those of the wrap itself would be.
    fn holds(&self, held: bool) -> bool {
        held
    }

    /// Whether its parts have variances of their own, as those of a sum have. By default with several kernels inside.
    fn is_sum(&self, wrapped: &Wrapped) -> bool {
        wrapped.children.len() > 1 || wrapped.children.iter().any(Kernel::is_sum_like)
    }

    /// Where it stands for one kernel for each input, those kernels: it is replaced by itself around them before it is
    /// set beside data. `inputs` are the names of all columns.
    ///
    /// # Errors
    /// Whatever does not fit the data set.
    fn spread(&self, _node: &Kernel, _wrapped: &Wrapped, _inputs: &[&str]) -> Result<Option<Wrapped>, BindError> {
        Ok(None)
    }

    /// Puts its evaluation into the plan, as it is seen, and gives the register that will hold it.
    ///
    /// # Errors
    /// Whatever does not fit the data set.
    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, seen: Seen) -> Result<usize, BindError>;
}

/// How a wrap's own inputs are written in source form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputsShown {
    /// After the kernels, as an argument without a name.
    Place,
    /// The same, each input for itself.
    Each,
    /// Under a keyword.
    Keyword(&'static str),
    /// Among the further arguments.
    Extras,
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
///
/// One that was planned with the kernels around a pair, k(x, x) and k(x′, x′), finds their values for each row behind
/// the numbers that it has prepared: `pairs.left(i, len)` and `pairs.right(i)` with i the number of those prepared.
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

    /// The same for the values around a pair: adds wᵢ ∂kᵢ/∂k(xᵢ, xᵢ) to `left`, and Σ wᵢ ∂kᵢ/∂k(x′, x′) to `right`.
    fn pull_around(
        &self,
        _theta: Theta<'_>,
        _pairs: Pairs<'_>,
        _args: &[&[f64]],
        _w: &[f64],
        _left: &mut [f64],
        _right: &mut f64,
    ) {
    }

    /// The derivative in the columns it looks at itself, where these depend on parameters: as
    /// [`Family::pull_inputs`](super::Family::pull_inputs).
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
