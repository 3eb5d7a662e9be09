//! Deep kernels: the kernel after many layers of feature mappings.
//!
//! k₁ = k, k_{L+1} = exp(−½[k_L(x, x) − 2k_L(x, x′) + k_L(x′, x′)]): the squared exponential of the distance in the
//! feature space of the layer before. With connections to the inputs, the exponent also contains −½‖x − x′‖²/l².
//! Duvenaud (1.19 of the deep chapter, B.23 of the appendix) prints that term with the other sign, which would grow
//! with the distance.
//!
//! Without connections k_L tends to 1 everywhere (1 − k_L decreases like 2/L). With connections the limit solves k −
//! log k = 1 + ½‖x − x′‖²/l², in the branch (0, 1]. It depends on k only through its inputs.

use std::borrow::Cow;
use std::sync::Arc;

use super::combinations::self_pair;
use super::warp::inputs_of;
use crate::kernel::bind_error::BindError;
use crate::kernel::elementwise::Elementwise;
use crate::kernel::family::{L, Pairs, ParamSpec, Rows, Size, Spec, Theta, V};
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::{InputRef, Inputs};
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::tree::Wrap;
use crate::kernel::tree::{Kernel, Node, Wrapped};
use crate::kernel::unit_variance::is_unit_variance;
use crate::kernel::values::Values;
use crate::linalg::vector;
use crate::param::Param;

const CONNECTION: ParamSpec =
    ParamSpec { size: Size::One, help: "the length-scale of the connection to the inputs", ..L };

pub(super) static DEEP: Spec = Spec {
    stationary: true,
    reads_inputs: false,
    infinitely_divisible: true,
    ..Spec::wrap(
        "deep",
        "a deep kernel: the feature map of a kernel composed with itself, one layer for each",
        Wording::wrap("a function of the features of {k}, layer upon layer"),
        "v k_n, k_{L+1} = exp(-(k_L(x, x) - 2 k_L(x, x') + k_L(x', x'))/2)",
        r"v\, k_n,\ k_{L+1} = \exp\left(-\tfrac{1}{2}[k_L(x, x) - 2 k_L(x, x') + k_L(x', x')]\right)",
        &[V],
        "deep(3, SE)",
    )
};

pub(super) static CONNECTED: Spec = Spec {
    stationary: true,
    reads_inputs: false,
    infinitely_divisible: true,
    ..Spec::wrap(
        "deep",
        "features of features and of the inputs themselves",
        Wording::wrap("a function of the inputs and of the features of {k}, layer upon layer"),
        "v k_n, k_{L+1} = exp(-(k_L(x, x) - 2 k_L(x, x') + k_L(x', x') + |x - x'|^2/l^2)/2)",
        r"v\, k_n,\ k_{L+1} = \exp\left(-\tfrac{1}{2}[k_L(x, x) - 2 k_L(x, x') + k_L(x', x') + |x - x'|^2/l^2]\right)",
        &[CONNECTION, V],
        "deep(3, SE(0), connected=true)",
    )
};

/// The number of layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    Layers(u32),
    Infinite,
}

/// Why a deep kernel is not valid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeepError {
    #[error("a deep kernel has at least one layer")]
    NoLayer,
    #[error("without a connection to the inputs the limit of many layers is the constant 1 for every kernel")]
    Limit,
}

/// `kernel` followed by `depth` − 1 further layers. `params`: the length-scale of the connection, if there is one, then
/// the variance. One layer is the kernel itself.
///
/// # Errors
/// No layers, or infinitely many without connections.
pub fn deep(depth: Depth, kernel: Kernel, connected: bool, params: Vec<Values>) -> Result<Kernel, DeepError> {
    match depth {
        Depth::Layers(0) => return Err(DeepError::NoLayer),
        Depth::Infinite if !connected => return Err(DeepError::Limit),
        _ => {}
    }
    if depth == Depth::Layers(1) && params.iter().all(Values::is_unset) {
        return Ok(kernel);
    }
    Ok(Kernel::wrap(Arc::new(Deep { depth, connected, alike: false }), vec![kernel], Inputs::All, params))
}

#[derive(Debug, Clone, Copy)]
struct Deep {
    depth: Depth,
    connected: bool,
    /// Whether both arguments have the same view, so that a row is at distance exactly 0 from itself.
    alike: bool,
}

impl Wrap for Deep {
    fn spec(&self) -> &'static Spec {
        if self.connected { &CONNECTED } else { &DEEP }
    }

    fn layers(&self) -> Option<u32> {
        match self.depth {
            Depth::Layers(n) if !self.connected => Some(n),
            _ => None,
        }
    }

    /// Layers upon layers, where the variance between them is 1: a constant factor inside would be another kernel.
    fn reduced(&self, wrapped: &Wrapped, strict: bool) -> Option<Kernel> {
        let (n, [child]) = (self.layers()?, &wrapped.children[..]) else { return None };
        let Node::Wrap(inner) = child.node() else { return None };
        let (m, [Values::One(v)]) = (inner.wrap.layers()?, &inner.params[..]) else { return None };
        let free_one = !strict && v.prior.is_none() && v.tie.is_none() && v.value().unwrap_or(1.0) == 1.0;
        if child.label().is_some() || !(is_unit_variance(v) || *v == Param::fixed(1.0) || free_one) {
            return None;
        }
        let depth = Depth::Layers((n + m).checked_sub(1)?);
        let wrap = Arc::new(Deep { depth, ..*self });
        Some(Node::Wrap(Wrapped { wrap, children: inner.children.clone(), ..wrapped.clone() }).into())
    }

    fn latex_sum(&self, wrapped: &Wrapped, children: &[String]) -> Option<String> {
        const MOST: u32 = 6;
        let (Depth::Layers(layers @ 1..=MOST), [child]) = (self.depth, children) else { return None };
        let connection = if self.connected { r" - \tfrac{|x - x'|^2}{2 l_{\mathrm{deep}}^2}" } else { "" };
        let mut formula = child.clone();
        for layer in 2..=layers {
            // from the second layer on a kernel has variance 1
            let own = match layer {
                2 => format!(
                    r"{formula} - \tfrac{{1}}{{2}} \left.{child}\right|_{{x' = x}} - \tfrac{{1}}{{2}} \left.{child}\right|_{{x = x'}}"
                ),
                _ => format!("{formula} - 1"),
            };
            formula = format!(r"\exp\left({own}{connection}\right)");
        }
        let held = matches!(wrapped.params.last(), Some(Values::One(v)) if is_unit_variance(v));
        Some(if held { formula } else { format!(r"v_{{\mathrm{{deep}}}} \times {formula}") })
    }

    fn phrase(&self) -> Cow<'static, str> {
        let through = match self.depth {
            Depth::Infinite => {
                return "the limit of infinitely many layers of features, each connected to the \
                                       inputs[ on a scale of {l}], starting from {k}"
                    .into();
            }
            Depth::Layers(n) => format!("{} layers of features", n),
        };
        match self.connected {
            true => format!("a function of {through}, each connected to the inputs[ on a scale of {{l}}], from {{k}}")
                .into(),
            false => format!("a function of {through}, from {{k}}").into(),
        }
    }

    fn options(&self) -> String {
        format!("{:?}", self.depth)
    }

    /// The limit decreases like 1 − d near 0.
    fn derivatives(&self, inside: f64) -> Option<f64> {
        Some(if self.depth == Depth::Infinite { 0.0 } else { inside })
    }

    fn leading(&self) -> Option<String> {
        Some(match self.depth {
            Depth::Layers(n) => n.to_string(),
            Depth::Infinite => "inf".into(),
        })
    }

    fn extras(&self, _inputs: &[InputRef]) -> Vec<String> {
        if self.connected { vec!["connected=true".into()] } else { Vec::new() }
    }

    fn reads_inputs_through_children(&self) -> bool {
        true
    }

    /// The variance of the first layer is the scale of its features, so it is free whatever the context.
    fn unit_variance_inside(&self, _held: bool) -> bool {
        false
    }

    fn is_sum(&self, _wrapped: &Wrapped) -> bool {
        false
    }

    /// Every power of e^{−D/2} with D a squared distance is a kernel, whatever kernel defines the distance.
    fn infinitely_divisible(&self, _children: &[bool]) -> bool {
        self.depth != Depth::Layers(1)
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError> {
        let child = &wrapped.children[0];
        let mut columns = Vec::new();
        let mut inputs = Vec::new();
        if self.connected {
            inputs = inputs_of(plan, child)?;
            plan.numbers(node.origin(), &inputs, "have no distance, and the connection is by distance")?;
            let looked = Inputs::These(inputs.iter().map(|&i| InputRef::Index(i)).collect());
            columns = plan.input_columns(node.origin(), &looked, views.left)?.columns;
        }
        if self.depth == Depth::Infinite {
            plan.only_parameters(wrapped, 0, views)?;
            let params = plan.own_params(node, wrapped, &inputs, 1)?;
            return Ok(
                plan.elementwise(Box::new(*self), Parts { columns, ..Parts::of(Vec::new(), views).params(params) })
            );
        }
        let (args, diagonals) = if views.left == views.right {
            let own = plan.child(wrapped, 0, views)?;
            (vec![own], [own, own])
        } else {
            let all = plan.copies(wrapped, 0, &[views, ViewPair::both(views.left), ViewPair::both(views.right)])?;
            (vec![all[0]], [all[1], all[2]])
        };
        let params = plan.own_params(node, wrapped, &inputs, 1)?;
        let parts = Parts { diagonals: Some(diagonals), columns, ..Parts::of(args, views).params(params) };
        Ok(plan.elementwise(Box::new(Deep { alike: views.left == views.right, ..*self }), parts))
    }
}

impl Deep {
    fn variance(theta: Theta<'_>) -> f64 {
        theta.one(theta.ranges.len() - 1)
    }

    /// The number of prepared values per row, one per connected column, before those of k(x, x).
    fn own(&self, pairs: Pairs<'_>) -> usize {
        match self.depth {
            Depth::Infinite => pairs.a.len(),
            Depth::Layers(_) => pairs.a.len() - 1,
        }
    }

    /// ‖x − x′‖²/l² for the rows of a pair.
    fn distances(&self, pairs: Pairs<'_>, len: usize) -> Vec<f64> {
        let mut out = vec![0.0; len];
        for d in 0..self.own(pairs) {
            vector::add_distance(pairs.left(d, len), pairs.right(d), &mut out);
        }
        out
    }

    /// The last layer of one pair, without its variance, and its derivatives by a backward pass over the layers.
    fn layer(&self, k: f64, diagonals: f64, connection: f64) -> Layer {
        let Depth::Layers(n) = self.depth else {
            let k = log_limit(connection).exp();
            // (1 − 1/k) dk = d(½r²)
            return Layer { k, by_connection: if k < 1.0 { k / (k - 1.0) } else { 0.0 }, by_first: 0.0 };
        };
        // log k_{L+1} = k_L − 1 − ½r² for L ≥ 2, where k_L(x, x) = 1
        let (mut by_first, mut by_connection) = (1.0, -1.0);
        let mut log = k - diagonals - connection;
        for _ in 2..n {
            let layer = log.exp();
            by_first *= layer;
            by_connection = by_connection * layer - 1.0;
            log = layer - 1.0 - connection;
        }
        let k = log.exp();
        Layer { k, by_connection: k * by_connection, by_first: k * by_first }
    }
}

/// The last layer at one pair.
struct Layer {
    k: f64,
    /// Its derivative with respect to ½‖x − x′‖²/l².
    by_connection: f64,
    /// Its derivative with respect to k₁(x, x′).
    by_first: f64,
}

/// log k of the limit, for c = ½‖x − x′‖²/l²: the root of k − log k = 1 + c in (0, 1], to a relative error of 1e-12.
///
/// The equation for s = −log k is e^{−s} − 1 + s = c. Near 0, where 1 − k is about √(2c), expm1 loses no digits.
pub fn log_limit(c: f64) -> f64 {
    if c <= 0.0 {
        return 0.0;
    }
    // f(s) = s + expm1(−s) is convex: from the right, Newton's method decreases to the root without passing it
    let f = |s: f64| if s < 1e-2 { small(s) } else { s + (-s).exp_m1() };
    let mut s = if c < 1.0 { (2.0 * c).sqrt() * (1.0 + (2.0 * c).sqrt() / 3.0) } else { c + 1.0 };
    for _ in 0..60 {
        let step = (f(s) - c) / -(-s).exp_m1();
        s -= step;
        if step.abs() <= 1e-15 * s {
            break;
        }
    }
    -s
}

/// s + expm1(−s) for small s: s²/2 − s³/6 + …, where the difference would lose digits.
fn small(s: f64) -> f64 {
    s * s / 2.0 * (1.0 - s / 3.0 * (1.0 - s / 4.0 * (1.0 - s / 5.0 * (1.0 - s / 6.0 * (1.0 - s / 7.0)))))
}

impl Elementwise for Deep {
    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]]) -> Rows {
        let l = theta.one(0);
        x.iter().map(|column| column.iter().map(|x| x / l).collect()).collect()
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]) {
        let v = Self::variance(theta);
        let len = out.len();
        let distances = self.distances(pairs, len);
        match self.depth {
            Depth::Infinite => {
                for (out, r) in out.iter_mut().zip(&distances) {
                    *out = v * log_limit(0.5 * r).exp();
                }
            }
            Depth::Layers(1) => {
                for (out, k) in out.iter_mut().zip(args[0]) {
                    *out = v * k;
                }
            }
            Depth::Layers(n) => {
                let (left, right) = (pairs.left(self.own(pairs), len), pairs.right(self.own(pairs)));
                for i in 0..len {
                    out[i] = args[0][i] - 0.5 * (left[i] + right) - 0.5 * distances[i];
                }
                for _ in 2..n {
                    vector::exp_scaled(out, 1.0, 1.0);
                    for (out, r) in out.iter_mut().zip(&distances) {
                        *out -= 1.0 + 0.5 * r;
                    }
                }
                vector::exp_scaled(out, 1.0, v);
                if let Some(own) = self_pair(pairs, len).filter(|_| self.alike) {
                    out[own] = v;
                }
            }
        }
    }

    fn diagonal(&self, theta: Theta<'_>, _rows: &Rows, args: &[&[f64]], out: &mut [f64]) {
        match self.depth {
            Depth::Layers(1) => {
                for (out, k) in out.iter_mut().zip(args[0]) {
                    *out = Self::variance(theta) * k;
                }
            }
            _ => out.fill(Self::variance(theta)),
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
        let (v, last) = (Self::variance(theta), theta.range(theta.ranges.len() - 1).start);
        if self.depth == Depth::Layers(1) {
            gradient[last] += vector::dot(w, args[0]);
            vector::axpy(&mut adjoints[0], v, w);
            return;
        }
        let mut by_connection = 0.0;
        self.each(pairs, args, w.len(), |i, r, layer| {
            gradient[last] += w[i] * layer.k;
            if let Some(adjoint) = adjoints.first_mut() {
                adjoint[i] += w[i] * v * layer.by_first;
            }
            by_connection += w[i] * v * layer.by_connection * r;
        });
        if self.connected {
            // d(½r²/l²)/dl = −r²/l³
            gradient[theta.range(0).start] -= by_connection / theta.one(0);
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
        if self.depth == Depth::Layers(1) {
            return;
        }
        let v = Self::variance(theta);
        self.each(pairs, args, w.len(), |i, _, layer| {
            let by = -0.5 * w[i] * v * layer.by_first;
            left[i] += by;
            *right += by;
        });
    }

    fn pull_inputs(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        left: &mut [Vec<f64>],
        right: &mut [f64],
    ) {
        if !self.connected || self.depth == Depth::Layers(1) {
            return;
        }
        let (v, l, own) = (Self::variance(theta), theta.one(0), self.own(pairs));
        self.each(pairs, args, w.len(), |i, _, layer| {
            for d in 0..own {
                let apart = pairs.left(d, w.len())[i] - pairs.right(d);
                let moved = w[i] * v * layer.by_connection * apart / l;
                if let Some(left) = left.get_mut(d) {
                    left[i] += moved;
                }
                if let Some(right) = right.get_mut(d) {
                    *right -= moved;
                }
            }
        });
    }
}

impl Deep {
    /// For each pair: ‖x − x′‖²/l², and the last layer.
    fn each(&self, pairs: Pairs<'_>, args: &[&[f64]], len: usize, mut f: impl FnMut(usize, f64, Layer)) {
        for (i, &r) in self.distances(pairs, len).iter().enumerate() {
            let (first, diagonals) = match self.depth {
                Depth::Infinite => (0.0, 0.0),
                Depth::Layers(_) => {
                    let own = self.own(pairs);
                    (args[0][i], 0.5 * (pairs.left(own, len)[i] + pairs.right(own)))
                }
            };
            f(i, r, self.layer(first, diagonals, 0.5 * r));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_solves_its_equation() {
        for i in 0..4000 {
            let r = 1e-9 * 10f64.powf(12.0 * f64::from(i) / 4000.0);
            let s = -log_limit(0.5 * r * r);
            let f = if s < 0.1 { small_long(s) } else { s + (-s).exp_m1() };
            assert!((f - 0.5 * r * r).abs() <= 1e-12 * 0.5 * r * r, "{r}: {s}");
        }
        assert_eq!(log_limit(0.0), 0.0);
        assert!((log_limit(5e5) + 500_001.0).abs() < 1e-6);
    }

    fn small_long(s: f64) -> f64 {
        let (mut term, mut sum) = (s * s / 2.0, 0.0);
        for n in 3..40 {
            sum += term;
            term *= -s / f64::from(n);
        }
        sum
    }
}
