//! The declaration of a kernel family, and the interface of its evaluation.

use std::fmt::Debug;
use std::ops::Range;

use super::phrasing::Wording;
use super::values::Values;
use crate::param::Param;

/// The declaration of a family or a wrap: everything but its values.
#[derive(Debug)]
pub struct Spec {
    /// The name in the language.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// One sentence on the functions that it describes.
    pub summary: &'static str,
    /// The words for it in descriptions.
    pub wording: Wording,
    /// Plain text, in the letters of the parameters' short names.
    pub formula: &'static str,
    /// The formula in LaTeX.
    pub latex: &'static str,
    pub params: &'static [ParamSpec],
    /// A keyword that chooses between two variants of the family, and which of them this is.
    pub flag: Option<Flag>,
    /// Whether the value depends only on the difference of the inputs.
    pub stationary: bool,
    /// The number of mean-square derivatives of its draws: [`f64::INFINITY`] for smooth families, and for those that
    /// are not functions of a number (noise, levels of categories). The number for a kernel is the least of its parts.
    pub derivatives: f64,
    /// Whether it depends on inputs (`Const` and `WN` do not).
    pub reads_inputs: bool,
    /// Whether it is defined on several inputs at once.
    pub several_inputs: bool,
    /// Whether every positive power of it is a kernel, that is, log k is conditionally positive definite. Products over
    /// a group need this.
    pub infinitely_divisible: bool,
    /// An example in the language.
    pub example: &'static str,
    /// Reference values from independent computations: (parameters in order, x, x′, value).
    pub points: &'static [(&'static [f64], f64, f64, f64)],
}

impl Spec {
    /// A wrap with inputs of its own and no further known properties: not stationary, not infinitely divisible.
    pub(super) const fn wrap(
        name: &'static str,
        summary: &'static str,
        wording: Wording,
        formula: &'static str,
        latex: &'static str,
        params: &'static [ParamSpec],
        example: &'static str,
    ) -> Self {
        Self {
            name,
            aliases: &[],
            summary,
            wording,
            formula,
            latex,
            params,
            flag: None,
            stationary: false,
            derivatives: f64::INFINITY,
            reads_inputs: true,
            several_inputs: true,
            infinitely_divisible: false,
            example,
            points: &[],
        }
    }
}

/// A keyword such as `centred=true` that chooses between two variants of a family.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    pub name: &'static str,
    pub on: bool,
    /// The variant with the other value of the flag.
    pub other: fn() -> &'static dyn Family,
    pub help: &'static str,
}

/// One parameter of a family.
#[derive(Debug)]
pub struct ParamSpec {
    pub name: &'static str,
    pub short: &'static str,
    pub domain: Domains,
    pub role: Role,
    pub size: Size,
    /// Its value if none is written and there are no data.
    pub default: f64,
    pub help: &'static str,
}

impl ParamSpec {
    /// Whether it is a length or a location along the inputs, in their unit.
    pub fn is_along_input(&self) -> bool {
        self.role.is_place() || matches!(self.role, Role::LengthScale | Role::Period)
    }

    /// The parameter with no written value.
    pub fn unset(&self, ard: bool) -> Values {
        match self.size {
            Size::One => Values::One(Param::default()),
            Size::Each | Size::List(_) => Values::Each(Vec::new()),
            Size::EachIfArd if ard => Values::Each(Vec::new()),
            Size::EachIfArd => Values::One(Param::default()),
        }
    }
}

/// The domain of a parameter's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domains {
    Real,
    Positive,
    /// A whole number of at least 1, always fixed.
    Count,
}

/// The role of a parameter; it determines starting values, units and whether the parameter counts as free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// In units of the inputs.
    LengthScale,
    /// A dimensionless length-scale: that of a periodic kernel, in radians of half the phase.
    Roughness,
    /// In units of the inputs.
    Period,
    /// In units of the target, squared.
    Variance,
    /// Slope variance: target² / input².
    SlopeVariance,
    /// The rate at which the variance of a process grows: target² / inputⁿ, with this n.
    GrowthVariance(i32),
    /// A variance added inside the kernel: the offset of a linear or polynomial kernel.
    Bias,
    /// The variance of all terms of one order of an additive kernel. All are free, because their ratios determine the
    /// share of each order.
    OrderVariance,
    /// In units of the inputs; any real number.
    Location,
    /// Where a process starts, in units of the inputs: the least training row unless it is written. Never optimised
    /// unless it is written as free.
    Start,
    /// A shape without unit.
    Shape,
    /// A parameter of a user's function: any real number, without a known unit.
    Coefficient,
    Degree,
}

impl Role {
    /// Whether it multiplies its whole kernel, or the terms of one order.
    pub fn is_scale(self) -> bool {
        matches!(self, Role::Variance | Role::SlopeVariance | Role::GrowthVariance(_) | Role::OrderVariance)
    }

    /// Whether it is a place on the inputs.
    pub fn is_place(self) -> bool {
        matches!(self, Role::Location | Role::Start)
    }
}

/// The number of values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    One,
    /// One per input.
    Each,
    /// One, or one per input with `ARD`.
    EachIfArd,
    /// A list of this many, whatever the inputs: a parameter of a user's function.
    List(usize),
}

/// The values of one node's parameters, in the order of its spec.
#[derive(Debug, Clone, Copy)]
pub struct Theta<'a> {
    pub all: &'a [f64],
    pub ranges: &'a [Range<usize>],
}

impl<'a> Theta<'a> {
    /// The numbers of the i-th parameter.
    pub fn each(&self, i: usize) -> &'a [f64] {
        &self.all[self.ranges[i].clone()]
    }

    /// The first number of the i-th parameter.
    pub fn one(&self, i: usize) -> f64 {
        self.all[self.ranges[i].start]
    }

    /// The indices of the i-th parameter in `all`, for gradients.
    pub fn range(&self, i: usize) -> Range<usize> {
        self.ranges[i].clone()
    }
}

/// Numbers computed once per row, from which the values of pairs are computed: scaled coordinates, cosines, weights.
pub type Rows = Vec<Vec<f64>>;

/// The pairs to evaluate: rows `from ..` of `a` against row `j` of `b`, as many as the output slice is long.
#[derive(Debug, Clone, Copy)]
pub struct Pairs<'a> {
    pub a: &'a Rows,
    pub b: &'a Rows,
    pub from: usize,
    pub j: usize,
    /// Whether `a` and `b` are the same observations, so that row j of both is one observation.
    pub same: bool,
}

impl<'a> Pairs<'a> {
    /// The i-th number of the rows `from .. from + len` of `a`.
    pub fn left(&self, i: usize, len: usize) -> &'a [f64] {
        &self.a[i][self.from..self.from + len]
    }

    /// The i-th number of row j of `b`.
    pub fn right(&self, i: usize) -> f64 {
        self.b[i][self.j]
    }
}

/// The number of a pair of points on which a family depends, if it is a kernel of points in any number of dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The squared distance.
    Square,
    /// The inner product.
    Product,
}

/// The form of a family as a function of its inputs, where integrals over it have closed forms.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    Constant(f64),
    /// v·exp(−½ Σ (x − x′)²/l²), with one length-scale per input.
    SquaredExponential {
        v: f64,
        l: Vec<f64>,
    },
    /// Σₘ aₘ ((x − c)(x′ − c))ᵐ on one input.
    Polynomial {
        c: f64,
        a: Vec<f64>,
    },
    /// v·(Σₘ aₘ sᵐ)·e⁻ˢ with s = rate·|x − x′|, on one input.
    Matern {
        v: f64,
        rate: f64,
        a: &'static [f64],
    },
    /// 0 between different rows: white noise.
    Noise,
    /// Any other form.
    General,
}

/// A kernel family: its declaration, its values over one column of the Gram matrix, and their derivatives.
///
/// Implementations must be symmetric and positive semi-definite, finite with finite derivatives at equal inputs, and
/// must depend on no column but those passed to them.
pub trait Family: Debug + Send + Sync {
    fn spec(&self) -> &'static Spec;

    /// Constants computed once from the columns of the training data and used in every evaluation and prediction. By
    /// default the mid-range of each column: differences are taken from it so that large coordinates (years) lose no
    /// digits.
    fn learn(&self, x: &[&[f64]]) -> Vec<f64> {
        x.iter().map(|column| middle(column)).collect()
    }

    /// Whether it is defined for categories, that is, depends only on which values are equal.
    fn takes_categories(&self) -> bool {
        false
    }

    /// Whether `ARD` of it is defined for categories through indicator columns (0 or 1, one per level): it depends on a
    /// weighted distance.
    fn takes_indicators(&self) -> bool {
        false
    }

    /// Whether it is defined for categories that do not occur in the training rows.
    fn takes_new_categories(&self) -> bool {
        false
    }

    /// The number of values of a parameter of [`Size::Each`].
    fn elements(&self, inputs: usize, _learnt: &[f64]) -> usize {
        inputs
    }

    /// Numbers for each row. `x` holds one slice per input; `learnt` is the result of [`learn`](Self::learn).
    ///
    /// # Errors
    /// A sentence, if the family is not defined at the value of a row.
    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]], learnt: &[f64]) -> Result<Rows, String>;

    /// `out[i]` ← k(a\[from + i\], b\[j\]).
    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]);

    /// `out[i]` ← k(a\[i\], a\[i\]).
    fn diagonal(&self, theta: Theta<'_>, rows: &Rows, out: &mut [f64]);

    /// Adds Σᵢ wᵢ ∂k(a\[from + i\], b\[j\])/∂θ to `gradient`, which is laid out like `theta.all`. `k` holds the results
    /// of [`column`](Self::column); `w` may be overwritten.
    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &mut [f64],
        scratch: &mut Scratch,
        gradient: &mut [f64],
    );

    /// Whether the values have derivatives in the inputs, computed by [`pull_inputs`](Self::pull_inputs).
    fn has_input_gradient(&self) -> bool {
        !self.takes_categories()
    }

    /// Whether k(x, x) of one row differs from that of two rows with equal inputs: white noise.
    fn tells_rows_apart(&self) -> bool {
        false
    }

    /// The derivatives in the inputs: adds wᵢ ∂kᵢ/∂x to `left` (one slice per column, for the rows of `pairs`) and Σᵢ
    /// wᵢ ∂kᵢ/∂x′ to `right` (one number per column). Either is empty if not requested. Does nothing by default, for
    /// kernels without inputs or of categories only.
    fn pull_inputs(
        &self,
        _theta: Theta<'_>,
        _pairs: Pairs<'_>,
        _k: &[f64],
        _w: &[f64],
        _left: &mut [Vec<f64>],
        _right: &mut [f64],
    ) {
    }

    /// The number of a pair on which it depends, for kernels of features ([`compose`](super::wraps::compose)).
    fn argument(&self) -> Option<Argument> {
        None
    }

    /// For a family of the distance with one length-scale: `squares` ← dk/ds, given s = ‖x − x′‖² and the values k.
    fn slope_in_square(&self, _theta: Theta<'_>, _squares: &mut [f64], _k: &[f64]) {}

    /// Its form as a function of `inputs` inputs, for integrals over it.
    fn form(&self, _theta: Theta<'_>, _inputs: usize) -> Form {
        Form::General
    }

    /// k(x, x), and for each of `inputs` inputs the variance of the derivative of a draw in that input, ∂²k(x,
    /// x′)/∂x∂x′ at x = x′. `None` if these depend on x. Called only for families with a derivative.
    fn slope_variances(&self, _theta: Theta<'_>, _inputs: usize) -> Option<(f64, Vec<f64>)> {
        None
    }
}

/// Memory shared between calls.
#[derive(Debug, Default)]
pub struct Scratch {
    buffers: [Vec<f64>; 2],
}

impl Scratch {
    /// Two slices of length `len`, with unspecified contents.
    pub fn two(&mut self, len: usize) -> (&mut [f64], &mut [f64]) {
        for buffer in &mut self.buffers {
            if buffer.len() < len {
                buffer.resize(len, 0.0);
            }
        }
        let [one, two] = &mut self.buffers;
        (&mut one[..len], &mut two[..len])
    }
}

/// The mid-range: half-way between the least and the greatest value; 0 for an empty column.
fn middle(column: &[f64]) -> f64 {
    let (lo, hi) = column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &x| (lo.min(x), hi.max(x)));
    if lo <= hi { 0.5 * lo + 0.5 * hi } else { 0.0 }
}

pub(super) const L: ParamSpec = ParamSpec {
    name: "lengthscale",
    short: "l",
    domain: Domains::Positive,
    role: Role::LengthScale,
    size: Size::EachIfArd,
    default: 1.0,
    help: "the distance along the input over which the function changes",
};

pub(super) const V: ParamSpec = ParamSpec {
    name: "variance",
    short: "v",
    domain: Domains::Positive,
    role: Role::Variance,
    size: Size::One,
    default: 1.0,
    help: "the variance of the function's values",
};

pub(super) const P: ParamSpec = ParamSpec {
    name: "period",
    short: "p",
    domain: Domains::Positive,
    role: Role::Period,
    size: Size::One,
    default: 1.0,
    help: "the distance along the input after which the pattern repeats",
};

pub(super) const B: ParamSpec = ParamSpec {
    name: "bias",
    short: "b",
    domain: Domains::Positive,
    role: Role::Bias,
    size: Size::One,
    default: 1.0,
    help: "the variance of the offset",
};

pub(super) const C: ParamSpec = ParamSpec {
    name: "location",
    short: "c",
    domain: Domains::Real,
    role: Role::Location,
    size: Size::Each,
    default: 0.0,
    help: "the value of the input at which the functions equal their offset",
};

pub(super) const START: ParamSpec = ParamSpec {
    name: "start",
    short: "c",
    domain: Domains::Real,
    role: Role::Start,
    size: Size::One,
    default: 0.0,
    help: "the input at which the process is 0: the least training row, or 0 without data",
};
