//! Kernels of functions that are invariant under a group.
//!
//! For the group G that the moves generate: the sum Σ_g Σ_h k(gx, hx′); the product Π_g Π_h k(gx, hx′), a kernel only
//! if every power of k is one; the fold k(A(x), A(x′)), where A(x) is the representative of the orbit of x. Sources:
//! Duvenaud, "Expressing Structure with Kernels", 1.20–1.27; Ginsbourger et al. (2012). Below 1.24 that text drops
//! k(−x, ·). This is valid only if k(−x, −x′) = k(x, x′), and the full sum is then twice the remaining one. Here terms
//! are merged only in this case, with their multiplicity.

use std::borrow::Cow;
use std::sync::Arc;

use super::combinations::{Powers, Weighted};
use super::power::power;
use crate::kernel::bind_error::{BindError, Cause, Place};
use crate::kernel::family::Spec;
use crate::kernel::group::{Coordinate, Move, MoveError, MoveKind, Placement, group, largest_shift, order};
use crate::kernel::input_view::ViewMap;
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::{InputRef, Inputs};
use crate::kernel::latex::input as latex_input;
use crate::kernel::names::number;
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::tree::{InputsShown, Wrap};
use crate::kernel::tree::{Kernel, Node, Wrapped};

pub(super) static INVARIANT: Spec = Spec {
    name: "invariant",
    aliases: &[],
    summary: "functions that are invariant under transformations of their inputs",
    wording: Wording::wrap("{k}, invariant to transformations of its inputs"),
    formula: "sum over all g, h of the group of k(g x, h x'); by product: their product; by fold: k(A x, A x'), A \
              x one representative of all points that x is moved to",
    latex: r"\sum_{g \in G} \sum_{h \in G} k(g x, h x')",
    params: &[],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: false,
    example: "invariant(SE, swap(0, 1), flip(0))",
    points: &[],
};

pub(super) static REFLECT: Spec = Spec {
    name: "reflect",
    aliases: &[],
    summary: "functions with a mirror: f(-x) = f(x) for one input, f(x, y) = f(y, x) for two",
    wording: Wording::wrap("{k}, invariant to a reflection of its inputs"),
    formula: "k(x, x') + k(x, -x') + k(-x, x') + k(-x, -x')",
    latex: r"k(x, x') + k(x, -x') + k(-x, x') + k(-x, -x')",
    params: &[],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: false,
    example: "reflect(SE, 0, 1)",
    points: &[],
};

/// How a kernel is made invariant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    #[default]
    Sum,
    Product,
    Fold,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 3] = [Method::Sum, Method::Product, Method::Fold];

    /// The name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Method::Sum => "sum",
            Method::Product => "product",
            Method::Fold => "fold",
        }
    }
}

/// Why a kernel cannot be made invariant.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvariantError {
    #[error("at least one transformation is needed")]
    NoMove,
    #[error(
        "a product over a group is a kernel only where every power of the kernel is one, unlike those of `{factor}`"
    )]
    NoProduct { factor: String },
    #[error("`normalize` applies only to the method `sum`")]
    Normalize,
    #[error("{0}")]
    Move(#[from] MoveError),
}

/// `kernel` made invariant under the group that the moves generate. With `normalize` the sum is divided by its number
/// of terms, |G|².
///
/// # Errors
/// No moves, a group that is infinite or too large, or a product of a kernel that is not infinitely divisible.
pub fn invariant(kernel: Kernel, moves: Vec<Move>, method: Method, normalize: bool) -> Result<Kernel, InvariantError> {
    if moves.is_empty() {
        return Err(InvariantError::NoMove);
    }
    order(&moves)?;
    if method == Method::Product
        && let Some(factor) = kernel.not_infinitely_divisible()
    {
        return Err(InvariantError::NoProduct { factor: factor.heading() });
    }
    if normalize && method != Method::Sum {
        return Err(InvariantError::Normalize);
    }
    let mut inputs: Vec<InputRef> = Vec::new();
    for input in moves.iter().flat_map(|m| &m.inputs) {
        if !inputs.contains(input) {
            inputs.push(input.clone());
        }
    }
    let short = matches!(&moves[..], [one] if matches!(one.kind, MoveKind::Swap | MoveKind::Flip));
    let spec = if short && method == Method::Sum && !normalize { &REFLECT } else { &INVARIANT };
    Ok(Kernel::wrap(
        Arc::new(Invariant { spec, moves, method, normalize }),
        vec![kernel],
        Inputs::These(inputs),
        Vec::new(),
    ))
}

#[derive(Debug)]
struct Invariant {
    spec: &'static Spec,
    moves: Vec<Move>,
    method: Method,
    normalize: bool,
}

/// The moves without those that the others generate.
fn generators(moves: &[Move]) -> Option<Vec<Move>> {
    let whole = order(moves).ok()?;
    let mut few = moves.to_vec();
    for i in (0..moves.len()).rev() {
        if few.len() == 1 {
            break;
        }
        let removed = few.remove(i);
        if order(&few).ok()? != whole {
            few.insert(i, removed);
        }
    }
    Some(few)
}

/// The elements of a group as sorted texts, equal for the same group whatever generates it; `None` for a large one.
fn elements(moves: &[Move]) -> Option<Vec<String>> {
    const LARGE: usize = 48;
    if order(moves).ok()? > LARGE {
        return None;
    }
    let mut inputs: Vec<&InputRef> = moves.iter().flat_map(|m| &m.inputs).collect();
    inputs.sort_by_key(|input| input.to_string());
    inputs.dedup();
    let place = |input| inputs.iter().position(|known| *known == input);
    let at: Vec<Vec<usize>> = moves.iter().map(|m| m.inputs.iter().filter_map(place).collect()).collect();
    let coordinate = |(to, c): (usize, &Coordinate)| {
        format!("{}={}{}{:+.9e}", inputs[to], if c.sign < 0.0 { "-" } else { "" }, inputs[c.from], 0.0 + c.add)
    };
    let text = |element: &Placement| element.0.iter().enumerate().map(coordinate).collect::<Vec<_>>().join(" ");
    let mut all: Vec<String> = group(moves, &at, inputs.len()).ok()?.iter().map(text).collect();
    all.sort();
    Some(all)
}

/// The number of elements that are in both groups.
fn common_elements(one: &[Move], other: &[Move]) -> Option<usize> {
    let (one, other) = elements_of_both(one, other)?;
    let size = largest_shift(&one).max(largest_shift(&other)).max(1.0);
    Some(one.iter().filter(|element| other.iter().any(|same| same.same(element, size))).count())
}

/// The elements of two groups on the inputs of both.
fn elements_of_both(one: &[Move], other: &[Move]) -> Option<(Vec<Placement>, Vec<Placement>)> {
    let mut inputs: Vec<&InputRef> = Vec::new();
    for input in one.iter().chain(other).flat_map(|m| &m.inputs) {
        if !inputs.contains(&input) {
            inputs.push(input);
        }
    }
    // a name and an index may be the same input
    let names = inputs.iter().filter(|input| matches!(input, InputRef::Name(_))).count();
    if names != 0 && names != inputs.len() {
        return None;
    }
    let elements = |moves: &[Move]| {
        let place = |input| inputs.iter().position(|known| *known == input);
        let at: Vec<Vec<usize>> = moves.iter().map(|m| m.inputs.iter().filter_map(place).collect()).collect();
        group(moves, &at, inputs.len()).ok()
    };
    Some((elements(one)?, elements(other)?))
}

impl Wrap for Invariant {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn phrase(&self) -> Cow<'static, str> {
        let moves: Vec<String> = self.moves.iter().map(Move::phrase).collect();
        let how = match self.method {
            Method::Sum => "",
            Method::Product => ", by a product over the group",
            Method::Fold => ", by folding the inputs",
        };
        format!("{{k}}, invariant to {}{how}", moves.join(" and to ")).into()
    }

    fn options(&self) -> String {
        let moves = elements(&self.moves).unwrap_or_else(|| {
            let mut moves: Vec<String> = self.moves.iter().map(Move::canonical).collect();
            moves.sort();
            moves.dedup();
            moves
        });
        format!("{} {} {}", moves.join(", "), self.method.name(), self.normalize)
    }

    /// Folding makes a crease along the mirror, so there is no derivative.
    fn derivatives(&self, inside: f64) -> Option<f64> {
        (self.method != Method::Fold).then_some(inside)
    }

    fn inputs_shown(&self) -> InputsShown {
        InputsShown::Extras
    }

    fn extras(&self, _inputs: &[InputRef]) -> Vec<String> {
        if std::ptr::eq(self.spec, &REFLECT) {
            let [one] = &self.moves[..] else { return Vec::new() };
            let inputs = crate::kernel::names::input_list(&one.inputs);
            let about = one.about.iter().filter(|c| **c != 0.0).map(|c| format!("about={}", number(*c)));
            return std::iter::once(inputs).chain(about).collect();
        }
        let mut all: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        if self.method != Method::Sum {
            all.push(format!("method=\"{}\"", self.method.name()));
        }
        if self.normalize {
            all.push("normalize=true".into());
        }
        all
    }

    fn symmetry(&self) -> Option<(&[Move], String)> {
        Some((&self.moves, format!("{} {}", self.method.name(), self.normalize)))
    }

    /// Without the moves that the others generate, and with the symmetries of the kernel inside taken into one group.
    fn reduced(&self, wrapped: &Wrapped, _strict: bool) -> Option<Kernel> {
        let [child] = &wrapped.children[..] else { return None };
        let made = |kernel: &Kernel, moves| invariant(kernel.clone(), moves, self.method, self.normalize).ok();
        let few = generators(&self.moves)?;
        if few.len() < self.moves.len() {
            return made(child, few);
        }
        let Node::Wrap(inner) = child.node() else { return None };
        let (moves, how) = inner.wrap.symmetry()?;
        let [kernel] = &inner.children[..] else { return None };
        let all: Vec<Move> = moves.iter().chain(&few).cloned().collect();
        let (own, inside, both) = (order(&few).ok()?, order(moves).ok()?, order(&all).ok()?);
        if child.label().is_some() {
            return None;
        }
        if both == inside && self.sum_over_group().is_some() && inner.wrap.sum_over_group().is_some() {
            // the kernel inside is invariant already: all terms of the sum are equal
            let times = if self.normalize { 1.0 } else { (own * own) as f64 };
            return if times == 1.0 {
                Some(child.clone())
            } else {
                Kernel::product([Kernel::number(times), child.clone()])
            };
        }
        if self.symmetry()?.1 != how {
            return None;
        }
        if self.method == Method::Fold {
            // the representative of an orbit is that of its part of a smaller orbit
            return if both == inside { Some(child.clone()) } else { None };
        }
        // every element of the common group is a product of one of each, in this number of ways
        let common = common_elements(moves, &few)?;
        if own * inside != both * common {
            return None;
        }
        let whole = made(kernel, generators(&all)?)?;
        let times = u32::try_from(common * common).ok()?;
        match self.method {
            _ if times == 1 || self.normalize => Some(whole),
            Method::Product => Some(power(whole, times)),
            _ => Kernel::product([Kernel::number(f64::from(times)), whole]),
        }
    }

    fn latex_sum(&self, _wrapped: &Wrapped, children: &[String]) -> Option<String> {
        let [child] = children else { return None };
        let moves = self.moves.iter().map(|m| {
            let inputs: Vec<String> = m.inputs.iter().map(latex_input).collect();
            let about = m.about.iter().any(|c| *c != 0.0);
            let about =
                if about { m.about.iter().map(|c| number(*c)).collect::<Vec<_>>().join(",") } else { String::new() };
            let about = if about.is_empty() { about } else { format!("^{{{about}}}") };
            format!(r"\mathrm{{{}}}_{{{}}}{about}", m.kind.name(), inputs.join(","))
        });
        let group = moves.collect::<Vec<_>>().join(r",\ ");
        let sign = match self.method {
            Method::Sum => r"\sum",
            Method::Product => r"\prod",
            Method::Fold => return None,
        };
        let scale = match self.normalize {
            true => format!(r"\tfrac{{1}}{{{}}} ", order(&self.moves).ok()?.pow(2)),
            false => String::new(),
        };
        Some(format!(
            r"{scale}{sign}_{{g, h \in \left\langle {group} \right\rangle}} \left.{child}\right|_{{x \to g x,\ x' \to h x'}}"
        ))
    }

    fn moves_arguments_separately(&self) -> bool {
        self.method != Method::Fold
    }

    fn is_linear(&self) -> bool {
        self.method != Method::Product
    }

    fn sum_over_group(&self) -> Option<(&[Move], bool)> {
        (self.method == Method::Sum).then_some((&self.moves, self.normalize))
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError> {
        let moved = plan.inputs(node.origin(), &wrapped.inputs)?;
        plan.numbers(node.origin(), &moved, "cannot be transformed")?;
        plan.not_embedded(node.origin(), &moved, views.left, self.spec.name)?;
        let at = self.moves.iter().map(|m| plan.inputs(node.origin(), &Inputs::These(m.inputs.clone())));
        let at = at.collect::<Result<Vec<_>, _>>()?;
        let error = |cause| BindError { origin: node.origin(), place: Place::Node, cause };
        if let Some(m) = at.iter().find(|m| (1..m.len()).any(|i| m[..i].contains(&m[i]))) {
            return Err(error(Cause::Move(MoveError::Twice(plan.name(m[0]).to_string()))));
        }
        let group = group(&self.moves, &at, plan.width()).map_err(|e| error(Cause::Move(e)))?;
        if self.method == Method::Fold {
            let mirrored: Vec<bool> = (0..plan.width())
                .map(|c| group.iter().any(|element| element.0[c].from == c && element.0[c].sign < 0.0))
                .collect();
            let map = || ViewMap::Folded { group: group.clone(), mirrored: mirrored.clone() };
            let folded = plan.mapped_views(node.origin(), views, &[], 0, map)?;
            let register = plan.child(wrapped, 0, folded)?;
            plan.no_params();
            return Ok(register);
        }
        let pairs = pairs(plan, &wrapped.children[0], &group, true);
        let moved_views: Vec<ViewPair> = pairs.iter().map(|(g, h, _)| moved_pair(plan, views, g, h)).collect();
        let registers = plan.copies(wrapped, 0, &moved_views)?;
        plan.no_params();
        let (args, counts) = with_multiplicity(&registers, pairs.iter().map(|p| p.2));
        let parts = Parts::of(args, views);
        let terms = (group.len() * group.len()) as f64;
        Ok(match self.method {
            Method::Product => plan.elementwise(Box::new(Powers(counts.iter().map(|&n| n as i32).collect())), parts),
            _ => {
                let scale = if self.normalize { 1.0 / terms } else { 1.0 };
                plan.elementwise(Box::new(Weighted(counts.iter().map(|&n| n as f64 * scale).collect())), parts)
            }
        })
    }
}

/// The views of a pair after two elements of the group.
pub(super) fn moved_pair(plan: &mut Plan<'_>, views: ViewPair, g: &Placement, h: &Placement) -> ViewPair {
    ViewPair { left: plan.moved_view(views.left, g.clone()), right: plan.moved_view(views.right, h.clone()) }
}

/// The distinct pairs (g, h) in a double sum over some placements, with their multiplicities. If the kernel is
/// invariant when both arguments move together, k(gx, hx′) = k(x, g⁻¹hx′), and a group needs only |G| pairs.
pub(super) fn pairs(
    plan: &Plan<'_>,
    kernel: &Kernel,
    all: &[Placement],
    is_group: bool,
) -> Vec<(Placement, Placement, usize)> {
    let identity = Placement::identity(plan.width());
    let back: Vec<Option<Placement>> =
        all.iter().map(|g| g.inverse().filter(|_| is_unchanged_by(plan, kernel, g))).collect();
    if is_group && back.iter().all(Option::is_some) {
        return all.iter().map(|h| (identity.clone(), h.clone(), all.len())).collect();
    }
    let size = largest_shift(all);
    let mut out: Vec<(Placement, Placement, usize)> = Vec::new();
    // indices in `out` of pairs whose first element is the identity
    let mut reduced: Vec<usize> = Vec::new();
    for (g, back) in all.iter().zip(&back) {
        for h in all {
            let Some(back) = back else {
                out.push((g.clone(), h.clone(), 1));
                continue;
            };
            let moved = back.after(h);
            // an equal known placement has no rounding error
            let moved = all.iter().find(|known| known.same(&moved, size)).cloned().unwrap_or(moved);
            match reduced.iter().find(|&&at| out[at].1.same(&moved, size)) {
                Some(&known) => out[known].2 += 1,
                None => {
                    reduced.push(out.len());
                    out.push((identity.clone(), moved, 1));
                }
            }
        }
    }
    out
}

/// Each register once, with the number of terms that it represents.
pub(super) fn with_multiplicity(registers: &[usize], counts: impl Iterator<Item = usize>) -> (Vec<usize>, Vec<usize>) {
    let (mut args, mut sums): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for (&register, count) in registers.iter().zip(counts) {
        match args.iter().position(|&a| a == register) {
            Some(at) => sums[at] += count,
            None => {
                args.push(register);
                sums.push(count);
            }
        }
    }
    (args, sums)
}

/// Whether the form of the kernel implies k(gx, gx′) = k(x, x′).
fn is_unchanged_by(plan: &Plan<'_>, kernel: &Kernel, g: &Placement) -> bool {
    let kept = |inputs: &[usize]| inputs.iter().all(|&c| g.keeps(c));
    match kernel.node() {
        Node::Leaf(leaf) => {
            let spec = leaf.family.spec();
            let Ok(inputs) = plan.inputs(kernel.origin(), &leaf.inputs) else { return false };
            // a distance is invariant to permutations and mirrors of its coordinates
            let within = inputs.iter().all(|&c| inputs.contains(&g.0[c].from) && g.0[c].sign != 0.0);
            !spec.reads_inputs
                || kept(&inputs)
                || (spec.stationary && within && (!leaf.ard || inputs.iter().all(|&c| g.0[c].from == c)))
        }
        Node::Sum(children) | Node::Product(children) => children.iter().all(|c| is_unchanged_by(plan, c, g)),
        Node::Wrap(wrapped) if wrapped.wrap.reads_inputs_through_children() => {
            wrapped.children.iter().all(|c| is_unchanged_by(plan, c, g))
        }
        Node::Wrap(_) => {
            let (mentioned, all) = kernel.mentioned();
            let inputs = if all { Inputs::All } else { Inputs::These(mentioned) };
            plan.inputs(kernel.origin(), &inputs).is_ok_and(|inputs| kept(&inputs))
        }
    }
}
