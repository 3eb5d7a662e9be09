//! The declaration of a kernel family, and the interface of its evaluation.

use std::fmt::Debug;
use std::ops::Range;

use super::phrasing::Wording;
use super::values::Values;
use crate::param::Param;

/// The declaration of a family or a wrap: everything but its values.
#[derive(Debug)]
pub struct Spec {
    /// As it is written in the language.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// One sentence on what its functions look like.
    pub summary: &'static str,
    /// The words for it in descriptions.
    pub wording: Wording,
    /// Plain text, in the letters of the parameters' short names.
    pub formula: &'static str,
    /// The same for LaTeX.
    pub latex: &'static str,
    pub params: &'static [ParamSpec],
    /// A keyword that chooses a variant of the family: its name, and whether this one is the variant.
    pub flag: Option<Flag>,
    /// The value depends on the difference of its inputs alone.
    pub stationary: bool,
    /// How often its draws can be differentiated in mean square: [`f64::INFINITY`] where as often as one likes, and for
    /// what is no function of a number (noise, levels of categories). The least of the parts of a kernel is that of the
    /// whole.
    pub derivatives: f64,
    /// Whether it depends on inputs at all (`Const` and `WN` do not).
    pub reads_inputs: bool,
    /// Whether it is defined on several inputs at once.
    pub several_inputs: bool,
    /// Every positive power of it is a kernel: what products over a group need (log k is conditionally positive
    /// definite).
    pub infinitely_divisible: bool,
    /// An expression of the language that shows it.
    pub example: &'static str,
    /// Values computed elsewhere: (parameters in order, x, x′, value).
    pub points: &'static [(&'static [f64], f64, f64, f64)],
}

impl Spec {
    /// A wrap that depends on inputs of its own, of which nothing more is known: no stationarity, no powers.
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
    /// The variant with the flag the other way.
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
    /// Its value where nothing is written and there are no data.
    pub default: f64,
    pub help: &'static str,
}

impl ParamSpec {
    /// Whether it is a length or a place along the inputs, in their unit.
    pub fn is_along_input(&self) -> bool {
        matches!(self.role, Role::LengthScale | Role::Period | Role::Location)
    }

    /// The parameter as it stands when nothing was written.
    pub fn unset(&self, ard: bool) -> Values {
        match self.size {
            Size::One => Values::One(Param::default()),
            Size::Each => Values::Each(Vec::new()),
            Size::EachIfArd if ard => Values::Each(Vec::new()),
            Size::EachIfArd => Values::One(Param::default()),
        }
    }
}

/// Where the values of a parameter lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domains {
    Real,
    Positive,
    /// A whole number of at least 1, always fixed.
    Count,
}

/// What a parameter does, for starting values, units, and the counting of free parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// In units of the inputs.
    LengthScale,
    /// A length-scale without a unit: that of a periodic kernel, in radians of half the angle.
    Roughness,
    /// In units of the inputs.
    Period,
    /// In units of the target, squared.
    Variance,
    /// Slope variance: target² / input².
    SlopeVariance,
    /// A variance added inside: the offset of a linear or polynomial kernel.
    Bias,
    /// The variance of all terms of one order of an additive kernel. Each is free, as their ratios say what the order
    /// is.
    OrderVariance,
    /// In units of the inputs; any real number.
    Location,
    /// A shape without unit.
    Shape,
    Degree,
}

/// How many numbers a parameter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    One,
    /// One for each input.
    Each,
    /// One, or with `ARD` one for each input.
    EachIfArd,
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

    /// Where the i-th parameter's numbers stand, for gradients.
    pub fn range(&self, i: usize) -> Range<usize> {
        self.ranges[i].clone()
    }
}

/// Numbers computed once for each row, of which the pairs are then made: scaled coordinates, cosines, weights.
pub type Rows = Vec<Vec<f64>>;

/// Which pairs are evaluated: rows `from ..` of `a` against row `j` of `b`, as many as the slice is long.
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

/// A family of kernels: a declaration, values over a column of the Gram matrix, and their derivatives.
///
/// An implementer promises that values are symmetric and positive semi-definite, finite with finite derivatives for
/// equal inputs, and that nothing depends on columns that were not handed over.
pub trait Family: Debug + Send + Sync {
    fn spec(&self) -> &'static Spec;

    /// What is learnt once from the columns of a data set and then kept for every evaluation and prediction: by
    /// default a value amid each column, from which differences are taken so that large coordinates (years) lose no
    /// digits.
    fn learn(&self, x: &[&[f64]]) -> Vec<f64> {
        x.iter().map(|column| middle(column)).collect()
    }

    /// Whether it is defined for categories: it depends only on which values are equal.
    fn takes_categories(&self) -> bool {
        false
    }

    /// Whether `ARD` of it is defined for categories, by columns of 0 and 1 for their levels: it depends on a weighted
    /// distance.
    fn takes_indicators(&self) -> bool {
        false
    }

    /// Whether it is defined for categories that were not among the training rows.
    fn takes_new_categories(&self) -> bool {
        false
    }

    /// How many numbers a parameter of one-for-each has.
    fn elements(&self, inputs: usize, _learnt: &[f64]) -> usize {
        inputs
    }

    /// Numbers for each row. `x` holds one slice for each input, `learnt` what [`learn`](Self::learn) gave.
    ///
    /// # Errors
    /// A sentence, when the family is not defined for a value in a row.
    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]], learnt: &[f64]) -> Result<Rows, String>;

    /// `out[i]` ← k(a\[from + i\], b\[j\]).
    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]);

    /// `out[i]` ← k(a\[i\], a\[i\]).
    fn diagonal(&self, theta: Theta<'_>, rows: &Rows, out: &mut [f64]);

    /// Adds Σᵢ wᵢ ∂k(a\[from + i\], b\[j\])/∂θ to `gradient`, which is laid out like `theta.all`. `k` is what
    /// [`column`](Self::column) gave; `w` may be overwritten.
    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &mut [f64],
        scratch: &mut Scratch,
        gradient: &mut [f64],
    );

    /// Whether the values have derivatives in the inputs, which [`pull_inputs`](Self::pull_inputs) gives.
    fn has_input_gradient(&self) -> bool {
        !self.takes_categories()
    }

    /// Whether a row with itself differs from a row with another one of equal inputs: noise.
    fn tells_rows_apart(&self) -> bool {
        false
    }

    /// The derivative in the inputs: adds wᵢ ∂kᵢ/∂x to `left` (one slice a column, of the rows of `pairs`) and
    /// Σᵢ wᵢ ∂kᵢ/∂x′ to `right` (one number a column). Either is empty where it is not asked for. By default nothing,
    /// for kernels of no inputs or of categories only.
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

    /// k(x, x), and for each of `inputs` inputs the variance of the derivative there of a function drawn from it,
    /// ∂²k(x, x′)/∂x∂x′ at x = x′. `None` where these depend on x. Asked only of families with a derivative.
    fn slope_variances(&self, _theta: Theta<'_>, _inputs: usize) -> Option<(f64, Vec<f64>)> {
        None
    }
}

/// Memory that calls hand on to each other.
#[derive(Debug, Default)]
pub struct Scratch {
    buffers: [Vec<f64>; 2],
}

impl Scratch {
    /// Two slices of a length, with unspecified contents.
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

/// Half-way between the least and the greatest value; 0 of nothing.
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
