//! A kernel of the features of another: k₂ ∘ k₁ (x, x′) = k₂(h₁(x), h₁(x′)), where k₁(x, x′) = h₁(x)ᵀh₁(x′).
//!
//! A family of the distance depends on the features through ‖h₁(x) − h₁(x′)‖² = k₁(x, x) − 2k₁(x, x′) + k₁(x′, x′), and
//! a linear or polynomial kernel through their inner product k₁(x, x′), so that the features themselves are not needed.
//! Source: Duvenaud, "Automatic Model Construction with Gaussian Processes", B.18 to B.21. The variance of the inner
//! kernel and the length-scale of the outer one are one scale of the features, so an unset variance inside is held at 1.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::combinations::self_pair;
use crate::kernel::bind_error::BindError;
use crate::kernel::elementwise::Elementwise;
use crate::kernel::family::{Argument, Family, Pairs, ParamSpec, Role, Rows, Scratch, Spec, Theta};
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::Inputs;
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::tree::{Kernel, Leaf, Node, Wrap, Wrapped};
use crate::linalg::vector;

pub(super) static SPEC: Spec = Spec {
    stationary: true,
    reads_inputs: false,
    ..Spec::wrap(
        "compose",
        "a kernel of the features of another kernel",
        Wording::wrap("a function of the features of {k}"),
        "outer(h(x), h(x')) for inner(x, x') = h(x)·h(x')",
        r"k_2(h_1(x), h_1(x')),\ k_1(x, x') = h_1(x)^\top h_1(x')",
        &[],
        "compose(SE, Lin(0))",
    )
};

/// Why kernels cannot be composed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ComposeError {
    #[error("the outer kernel of a composition is one family, found `{found}`")]
    NoFamily { found: String },
    #[error("`{family}` is not a function of a distance or of an inner product in any number of dimensions")]
    NoArgument { family: &'static str },
    #[error("the outer kernel sees the features of the inner one, so it names no input")]
    NamesInputs,
    #[error("the location of `{family}` has no meaning among features")]
    Location { family: &'static str },
}

/// The composition of `outer`, a family of the distance, linear or polynomial, with `inner`.
///
/// # Errors
/// [`ComposeError`]: another outer kernel.
pub fn compose(outer: &Kernel, inner: Kernel) -> Result<Kernel, ComposeError> {
    let Node::Leaf(leaf) = outer.node() else {
        return Err(ComposeError::NoFamily { found: outer.to_string() });
    };
    let Leaf { family, inputs, ard, params } = leaf;
    let spec = family.spec();
    if family.argument().is_none() {
        return Err(ComposeError::NoArgument { family: spec.name });
    }
    if *inputs != Inputs::All || *ard {
        return Err(ComposeError::NamesInputs);
    }
    let location = |param: &ParamSpec| param.role == Role::Location;
    if spec.params.iter().zip(params).any(|(param, values)| location(param) && !values.is_unset()) {
        return Err(ComposeError::Location { family: spec.name });
    }
    let params = spec.params.iter().zip(params).filter(|(param, _)| !location(param));
    let params = params.map(|(_, values)| values.clone()).collect();
    let wrap = Compose { family: *family, spec: declared(*family), alike: false };
    Ok(Kernel::wrap(Arc::new(wrap), vec![inner], Inputs::All, params))
}

/// The declaration of compositions with an outer family, whose parameters are those of the family.
fn declared(family: &'static dyn Family) -> &'static Spec {
    static DECLARED: LazyLock<Mutex<HashMap<&'static str, &'static Spec>>> = LazyLock::new(Mutex::default);
    let outer = family.spec();
    let mut declared = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    declared.entry(outer.name).or_insert_with(|| {
        let params = outer.params.iter().filter(|param| param.role != Role::Location);
        let params: Vec<ParamSpec> = params.map(|param| ParamSpec { ..*param }).collect();
        let infinitely_divisible = outer.infinitely_divisible;
        Box::leak(Box::new(Spec { params: params.leak(), infinitely_divisible, ..SPEC }))
    })
}

#[derive(Debug, Clone, Copy)]
struct Compose {
    family: &'static dyn Family,
    spec: &'static Spec,
    /// Whether both arguments have the same view, so that a row is at distance exactly 0 from itself.
    alike: bool,
}

impl Wrap for Compose {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn phrase(&self) -> Cow<'static, str> {
        let name = self.family.spec().name;
        match self.family.argument() {
            Some(Argument::Square) => {
                format!("a function of the features of {{k}}, with covariance {name} of their distance[ over {{l}}]")
                    .into()
            }
            _ => format!("a function of the features of {{k}}, with covariance {name} of their inner product").into(),
        }
    }

    fn leading(&self) -> Option<String> {
        Some(self.family.spec().name.into())
    }

    fn derivatives(&self, inside: f64) -> Option<f64> {
        Some(inside.min(self.family.spec().derivatives))
    }

    fn reads_inputs_through_children(&self) -> bool {
        true
    }

    fn infinitely_divisible(&self, _children: &[bool]) -> bool {
        self.spec.infinitely_divisible
    }

    fn unit_variance_inside(&self, _held: bool) -> bool {
        true
    }

    fn is_sum(&self, _wrapped: &Wrapped) -> bool {
        false
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError> {
        let alike = views.left == views.right;
        let by_distance = self.family.argument() == Some(Argument::Square);
        let (args, diagonals) = match (alike, by_distance) {
            (true, _) => {
                let own = plan.child(wrapped, 0, views)?;
                (vec![own], [own, own])
            }
            (false, true) => {
                let all = [views, ViewPair::both(views.left), ViewPair::both(views.right)];
                let all = plan.copies(wrapped, 0, &all)?;
                (vec![all[0]], [all[1], all[2]])
            }
            (false, false) => (vec![plan.child(wrapped, 0, views)?], [0, 0]),
        };
        let params = plan.feature_params(node, wrapped)?;
        let parts = Parts { diagonals: by_distance.then_some(diagonals), ..Parts::of(args, views).params(params) };
        Ok(plan.elementwise(Box::new(Compose { alike, ..*self }), parts))
    }
}

/// The parameters of the family: those of the composition, and a location of 0.
struct Outer {
    all: Vec<f64>,
    ranges: Vec<Range<usize>>,
    /// The index among the parameters of the composition; `None` for the location.
    of: Vec<Option<usize>>,
}

impl Compose {
    fn outer(&self, theta: Theta<'_>) -> Outer {
        let mut outer = Outer { all: Vec::new(), ranges: Vec::new(), of: Vec::new() };
        let mut next = 0;
        for (i, param) in self.family.spec().params.iter().enumerate() {
            let location = param.role == Role::Location;
            outer.all.push(if location { 0.0 } else { theta.one(next) });
            outer.of.push((!location).then_some(next));
            outer.ranges.push(i..i + 1);
            next += usize::from(!location);
        }
        outer
    }

    /// The number of each pair on which the family depends: the squared distance, or the inner product.
    fn arguments(&self, pairs: Pairs<'_>, args: &[&[f64]]) -> Vec<f64> {
        if self.family.argument() != Some(Argument::Square) {
            return args[0].to_vec();
        }
        let own = pairs.right(0);
        let mut squares: Vec<f64> = pairs.left(0, args[0].len()).iter().map(|left| left + own).collect();
        for (square, k) in squares.iter_mut().zip(args[0]) {
            *square = (*square - 2.0 * k).max(0.0);
        }
        if let Some(own) = self_pair(pairs, squares.len()).filter(|_| self.alike) {
            squares[own] = 0.0;
        }
        squares
    }

    /// One column of numbers, and one row beside it, at which the family has the values of these arguments.
    fn rows(&self, theta: Theta<'_>, arguments: &[f64]) -> [Rows; 2] {
        match self.family.argument() {
            Some(Argument::Square) => {
                let l = theta.one(0);
                [vec![arguments.iter().map(|square| square.sqrt() / l).collect()], vec![vec![0.0]]]
            }
            _ => [vec![arguments.to_vec()], vec![vec![1.0]]],
        }
    }

    fn values(&self, theta: Theta<'_>, arguments: &[f64], out: &mut [f64]) {
        let [a, b] = self.rows(theta, arguments);
        self.family.column(theta, Pairs { a: &a, b: &b, from: 0, j: 0, same: false }, out);
    }

    /// wᵢ ∂kᵢ/∂ the argument of the pair.
    fn slopes(&self, theta: Theta<'_>, arguments: &[f64], w: &[f64]) -> Vec<f64> {
        let mut k = vec![0.0; w.len()];
        self.values(theta, arguments, &mut k);
        if self.family.argument() == Some(Argument::Square) {
            let mut slopes = arguments.to_vec();
            self.family.slope_in_square(theta, &mut slopes, &k);
            vector::multiply(&mut slopes, w);
            return slopes;
        }
        let [a, b] = self.rows(theta, arguments);
        let mut left = [vec![0.0; w.len()]];
        let pairs = Pairs { a: &a, b: &b, from: 0, j: 0, same: false };
        self.family.pull_inputs(theta, pairs, &k, w, &mut left, &mut []);
        let [left] = left;
        left
    }
}

impl Elementwise for Compose {
    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]) {
        let outer = self.outer(theta);
        self.values(outer.theta(), &self.arguments(pairs, args), out);
    }

    fn diagonal(&self, theta: Theta<'_>, _rows: &Rows, args: &[&[f64]], out: &mut [f64]) {
        let outer = self.outer(theta);
        match self.family.argument() {
            Some(Argument::Square) => self.values(outer.theta(), &vec![0.0; out.len()], out),
            _ => self.values(outer.theta(), args[0], out),
        }
    }

    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        gradient: &mut [f64],
    ) {
        let outer = self.outer(theta);
        let arguments = self.arguments(pairs, args);
        let by_inner = if self.family.argument() == Some(Argument::Square) { -2.0 } else { 1.0 };
        vector::axpy(&mut adjoints[0], by_inner, &self.slopes(outer.theta(), &arguments, w));
        let [a, b] = self.rows(outer.theta(), &arguments);
        let mut k = vec![0.0; w.len()];
        self.values(outer.theta(), &arguments, &mut k);
        let mut by_outer = vec![0.0; outer.all.len()];
        let pairs = Pairs { a: &a, b: &b, from: 0, j: 0, same: false };
        self.family.pull(outer.theta(), pairs, &k, &mut w.to_vec(), &mut Scratch::default(), &mut by_outer);
        for (of, by) in outer.of.iter().zip(by_outer) {
            if let Some(of) = of {
                gradient[theta.range(*of).start] += by;
            }
        }
    }

    fn pull_diagonals(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        left: &mut [f64],
        right: &mut f64,
    ) {
        let outer = self.outer(theta);
        let slopes = self.slopes(outer.theta(), &self.arguments(pairs, args), w);
        vector::add(left, &slopes);
        *right += slopes.iter().sum::<f64>();
    }
}

impl Outer {
    fn theta(&self) -> Theta<'_> {
        Theta { all: &self.all, ranges: &self.ranges }
    }
}
