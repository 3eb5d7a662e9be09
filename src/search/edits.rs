//! Edits of an expression, applied to every subexpression.
//!
//! Duvenaud, structure-search chapter, "Searching over structures": any subexpression S becomes S + B or S × B, any
//! base kernel B becomes another one, B′. The other edits are optional: removal of parts, changepoints, additive
//! kernels, symmetries, and user-written functions of a kernel.

use std::sync::Arc;

use super::product_variance::{MULTIPLIED, NEW, marked, variance_of, with_one_variance, with_written_variances};
use super::user_edits::UserEdit;
use crate::kernel::wraps::{self, AdditiveForm, Bases, Method, PeriodicEmbedding};
use crate::kernel::{InputRef, Inputs, Kernel, Leaf, Move, MoveKind, Node, Values, Wrapped};
use crate::param::Param;

/// One way to change an expression.
#[derive(Clone)]
pub enum Edit {
    /// S → S + B.
    Add,
    /// S → S × B.
    Multiply,
    /// B → B′ on the same inputs.
    Replace,
    /// A term or a factor is removed; F × (T + R) also becomes T + F × R.
    Drop,
    /// S → a changepoint from S to another S, or to or from a base kernel B.
    Changepoint,
    /// S → S + A or S × A, where A is an additive kernel of a base kernel, of orders up to 2.
    Additive,
    /// S → S made symmetric about the middle of an input.
    Mirror,
    /// S → S made symmetric under exchange of two inputs.
    Swap,
    /// S → S periodic in one input.
    Periodic,
    /// S → f(S), with a user's function f.
    Own(Arc<UserEdit>),
}

impl std::fmt::Debug for Edit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Edit {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Edit::Own(one), Edit::Own(other)) => one.name == other.name && one.source == other.source,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }
}

/// All named edits, the default ones first: name and effect.
pub static EDITS: [(Edit, &str, &str); 9] = [
    (Edit::Add, "add", "S becomes S + B"),
    (Edit::Multiply, "multiply", "S becomes S * B"),
    (Edit::Replace, "replace", "a base kernel becomes another one"),
    (Edit::Drop, "drop", "a term or a factor is removed; F * (T + R) also becomes T + F * R"),
    (Edit::Changepoint, "changepoint", "S becomes another S, or B, after a point of an input"),
    (Edit::Additive, "additive", "an additive kernel over all inputs, of orders 1 and 2, is added or multiplied"),
    (Edit::Mirror, "mirror", "S is made symmetric about the middle of an input"),
    (Edit::Swap, "swap", "S is made symmetric in two inputs"),
    (Edit::Periodic, "periodic", "S is made periodic in one input"),
];

/// The names of [`EDITS`], in order.
pub const EDIT_NAMES: [&str; EDITS.len()] = {
    let mut names = [""; EDITS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = EDITS[i].1;
        i += 1;
    }
    names
};

impl Edit {
    /// The edits of the thesis, and removal of parts.
    pub fn defaults() -> Vec<Edit> {
        EDITS[..4].iter().map(|(edit, ..)| edit.clone()).collect()
    }

    /// The edit with this name.
    pub fn named(name: &str) -> Option<Edit> {
        EDITS.iter().find(|(_, known, _)| *known == name).map(|(edit, ..)| edit.clone())
    }

    /// The name in the language; for a user's function its own.
    pub fn name(&self) -> &str {
        match self {
            Edit::Own(own) => &own.name,
            edit => EDITS
                .iter()
                .find(|(known, ..)| std::mem::discriminant(known) == std::mem::discriminant(edit))
                .map_or("", |(_, name, _)| name),
        }
    }
}

/// The materials of edits.
pub struct Means<'a> {
    /// Base kernels, each with named inputs.
    pub bases: &'a [Kernel],
    /// Numeric inputs, each with the middle of its range.
    pub inputs: &'a [(Arc<str>, f64)],
}

/// An expression made by an edit. It has the parent's values, and new nodes are marked.
#[derive(Debug, Clone)]
pub struct Child {
    pub kernel: Kernel,
    pub edit: String,
    pub kind: Kind,
}

/// The relation of a child to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The child equals the parent if the new part has variance 0.
    Added,
    /// The child equals the parent if the new factor is constant.
    Multiplied,
    /// The child is not larger: a part was replaced or removed.
    Mended,
    /// It has no parent, and is written with the values at which it starts.
    Written,
    Other,
}

/// The node that contains a subexpression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    Root,
    Sum,
    Product,
    Wrap,
}

/// The largest number of pairs of an input and a base kernel that are combined in changepoints.
const MOST_CROSSED: usize = 1000;

/// All children of an expression with its values, in a fixed order; some may be the same kernel. If it is stopped,
/// those found so far.
pub fn children(parent: &Kernel, edits: &[Edit], means: &Means<'_>, stop: &dyn Fn() -> bool) -> Vec<Child> {
    let parent = with_written_variances(&parent.bare());
    let mut places = Vec::new();
    paths(&parent, Under::Root, &mut Vec::new(), &mut places);
    let mut out = Vec::new();
    // with many inputs, a base kernel is used only in changepoints along its own input
    let wide = means.bases.len() * means.inputs.len() > MOST_CROSSED;
    let numbers_stand_alone = has_number_as_term(&parent);
    for edit in edits {
        for (path, under) in &places {
            if stop() {
                return out;
            }
            let part = at(&parent, path);
            let mut put = |new: Kernel, edit: String, kind: Kind| {
                if let Some(kernel) = with(&parent, path, Some(new)) {
                    out.push(Child { kernel: with_one_variance(&kernel), edit, kind });
                }
            };
            match edit {
                // a term of a sum is not extended: the sum is a subexpression itself
                Edit::Add if *under != Under::Sum => {
                    for base in means.bases {
                        put_sum(&mut put, part, base);
                    }
                }
                Edit::Multiply if *under != Under::Product => {
                    for base in means.bases {
                        put_product(&mut put, part, base);
                    }
                }
                Edit::Replace => {
                    for (new, name) in replacements(part, means.bases) {
                        put(new, name, Kind::Mended);
                    }
                }
                Edit::Changepoint => {
                    for (input, _) in means.inputs {
                        let point = |before: Kernel, after: Kernel| changepoint(before, after, input);
                        put(point(part.clone(), part.clone()), format!("changepoint({input})"), Kind::Other);
                        for base in means.bases.iter().filter(|base| !wide || sees(base, input)) {
                            let new = marked(base, NEW);
                            let edit = format!("changepoint to {}", base.heading());
                            put(point(part.clone(), new.clone()), edit, Kind::Other);
                            let edit = format!("changepoint from {}", base.heading());
                            put(point(new, part.clone()), edit, Kind::Other);
                        }
                    }
                }
                Edit::Additive if means.inputs.len() > 1 => {
                    for kernel in additives(means) {
                        if *under != Under::Sum {
                            put_sum(&mut put, part, &kernel);
                        }
                        if *under != Under::Product {
                            put_product(&mut put, part, &kernel);
                        }
                    }
                }
                Edit::Mirror => {
                    for (input, middle) in means.inputs.iter().filter(|(input, _)| sees(part, input)) {
                        let moved = symmetric(part, MoveKind::Flip, &[input], vec![*middle]);
                        moved.into_iter().for_each(|new| put(new, format!("mirror({input})"), Kind::Other));
                    }
                }
                Edit::Swap => {
                    for (i, (one, _)) in means.inputs.iter().enumerate() {
                        for (other, _) in &means.inputs[i + 1..] {
                            if sees(part, one) || sees(part, other) {
                                let moved = symmetric(part, MoveKind::Swap, &[one, other], Vec::new());
                                moved
                                    .into_iter()
                                    .for_each(|new| put(new, format!("swap({one}, {other})"), Kind::Other));
                            }
                        }
                    }
                }
                Edit::Periodic => {
                    for (input, _) in means.inputs.iter().filter(|(input, _)| sees(part, input)) {
                        let these = Inputs::These(vec![InputRef::Name(input.clone())]);
                        let new = wraps::periodic_embedding(
                            PeriodicEmbedding::Periodic,
                            part.clone(),
                            these,
                            vec![Values::Each(Vec::new())],
                        );
                        put(new.with_origin(Some(NEW)), format!("periodic({input})"), Kind::Other);
                    }
                }
                Edit::Own(own) => {
                    if let Some(new) = own.apply(part) {
                        put(new.bare(), own.name.to_string(), Kind::Other);
                    }
                }
                Edit::Add | Edit::Multiply | Edit::Additive | Edit::Drop => {}
            }
            if *edit != Edit::Drop {
                continue;
            }
            let mut put = |new: Option<Kernel>, edit: String| {
                let is_left =
                    |kernel: &Kernel| !is_number(kernel) && (numbers_stand_alone || !has_number_as_term(kernel));
                if let Some(kernel) = with(&parent, path, new).filter(is_left) {
                    out.push(Child { kernel: with_one_variance(&kernel), edit, kind: Kind::Mended });
                }
            };
            if !matches!(under, Under::Root | Under::Wrap) {
                // the variance of a removed factor stays in the product
                put((*under == Under::Product).then(|| variance_of(part)), format!("without {}", part.heading()));
            }
            for (new, edit) in without_a_factor_of_one_term(part) {
                put(Some(new), edit);
            }
        }
    }
    out
}

/// F × (T + R) → T + F × R, for each factor F of a product that is no sum, and each term T of a sum that is another factor.
/// T keeps the variance of F, which is its size in the product where F is stationary.
///
/// That is the product multiplied out, without the factor in one of its terms. A part that belongs beside a product is
/// often found first as a part inside of it, from where no other edit takes it out.
fn without_a_factor_of_one_term(product: &Kernel) -> Vec<(Kernel, String)> {
    let Node::Product(factors) = product.node() else { return Vec::new() };
    let plain = |factor: &Kernel| !factor.is_sum_like() && factor.as_number().is_none();
    let taken = |at_sum: usize, at: usize, at_term: usize| {
        let (sum, factor) = (&factors[at_sum], &factors[at]);
        let alone = Kernel::product([variance_of(factor), sum.children()[at_term].clone()])?;
        let together = Kernel::product([factor.clone(), with(sum, &[at_term], None)?])?;
        let others = factors.iter().enumerate().filter(|(other, _)| ![at_sum, at].contains(other));
        let inner = Kernel::sum([alone, together])?;
        Kernel::product(others.map(|(_, other)| other.clone()).chain([inner]))
    };
    let mut out = Vec::new();
    for (at_sum, sum) in factors.iter().enumerate() {
        let Node::Sum(terms) = sum.node() else { continue };
        for (at, factor) in factors.iter().enumerate().filter(|(_, factor)| plain(factor)) {
            for (at_term, term) in terms.iter().enumerate() {
                let edit = format!("without {} beside {}", factor.heading(), term.heading());
                out.extend(taken(at_sum, at, at_term).map(|kernel| (kernel, edit)));
            }
        }
    }
    out
}

fn put_sum(put: &mut impl FnMut(Kernel, String, Kind), part: &Kernel, base: &Kernel) {
    if let Some(sum) = Kernel::sum([part.clone(), marked(base, NEW)]) {
        put(sum, format!("+ {}", base.heading()), Kind::Added);
    }
}

fn put_product(put: &mut impl FnMut(Kernel, String, Kind), part: &Kernel, base: &Kernel) {
    if let Some(product) = Kernel::product([marked(part, MULTIPLIED), marked(base, NEW)]) {
        put(product, format!("* {}", base.heading()), Kind::Multiplied);
    }
}

/// Whether nothing is left but numbers.
fn is_number(kernel: &Kernel) -> bool {
    match kernel.node() {
        Node::Leaf(_) => kernel.as_number().is_some(),
        Node::Sum(parts) | Node::Product(parts) => parts.iter().all(is_number),
        Node::Wrap(_) => false,
    }
}

/// Whether a term of a sum in it is a number: without its last factor a term is removed as a whole.
fn has_number_as_term(kernel: &Kernel) -> bool {
    let of_sum = matches!(kernel.node(), Node::Sum(terms) if terms.iter().any(is_number));
    of_sum || kernel.children().iter().any(has_number_as_term)
}

/// Every subexpression: its path and the node that contains it.
fn paths(kernel: &Kernel, under: Under, path: &mut Vec<usize>, out: &mut Vec<(Vec<usize>, Under)>) {
    out.push((path.clone(), under));
    let below = match kernel.node() {
        Node::Leaf(_) => return,
        Node::Sum(_) => Under::Sum,
        Node::Product(_) => Under::Product,
        // the kernel inside a wrap that repeats it for each input is not edited
        Node::Wrap(wrapped) if wrapped.wrap.is_one_kernel_per_input() => return,
        Node::Wrap(_) => Under::Wrap,
    };
    for (i, child) in kernel.children().iter().enumerate() {
        path.push(i);
        paths(child, below, path, out);
        path.pop();
    }
}

fn at<'k>(kernel: &'k Kernel, path: &[usize]) -> &'k Kernel {
    path.iter().fold(kernel, |kernel, &i| &kernel.children()[i])
}

/// The kernel with the part at a path replaced or removed. `None` if nothing is left.
fn with(kernel: &Kernel, path: &[usize], part: Option<Kernel>) -> Option<Kernel> {
    let Some((&first, rest)) = path.split_first() else { return part };
    let children = kernel
        .children()
        .iter()
        .enumerate()
        .filter_map(|(i, child)| if i == first { with(child, rest, part.clone()) } else { Some(child.clone()) });
    match kernel.node() {
        Node::Leaf(_) => None,
        Node::Sum(_) => Kernel::sum(children),
        Node::Product(_) => Kernel::product(children),
        Node::Wrap(wrapped) => {
            let children: Vec<Kernel> = children.collect();
            let whole = children.len() == wrapped.children.len();
            whole.then(|| kernel.with_node(Node::Wrap(Wrapped { children, ..wrapped.clone() })))
        }
    }
}

/// Other base kernels on the inputs of a leaf, with the values that have the same meaning there.
fn replacements(part: &Kernel, bases: &[Kernel]) -> Vec<(Kernel, String)> {
    let Node::Leaf(old) = part.node() else { return Vec::new() };
    let other = |base: &&Kernel| match base.node() {
        Node::Leaf(new) => {
            let (one, two) = (old.family.spec(), new.family.spec());
            let same_inputs = new.inputs == old.inputs || !one.reads_inputs || !two.reads_inputs;
            !std::ptr::eq(one, two) && same_inputs
        }
        _ => false,
    };
    let handed = |base: &Kernel| {
        let Node::Leaf(new) = base.node() else { return base.clone() };
        let mut new: Leaf = new.clone();
        for (spec, values) in new.family.spec().params.iter().zip(&mut new.params) {
            let from = old.family.spec().params.iter().position(|p| p.role == spec.role && p.size == spec.size);
            if let Some(from) = from.filter(|_| values.is_unset()) {
                *values = old.params[from].map(|param| param.value().map_or_else(Param::default, Param::free));
            }
        }
        base.with_node(Node::Leaf(new)).with_origin(Some(NEW))
    };
    bases
        .iter()
        .filter(other)
        .map(|base| (handed(base), format!("{} for {}", base.heading(), part.heading())))
        .collect()
}

fn changepoint(before: Kernel, after: Kernel, input: &Arc<str>) -> Kernel {
    let these = Inputs::These(vec![InputRef::Name(input.clone())]);
    let unset = || Values::One(Param::default());
    wraps::changepoint(before, after, these, vec![unset(), unset()]).with_origin(Some(NEW))
}

/// Additive kernels of each base kernel over all inputs.
fn additives(means: &Means<'_>) -> Vec<Kernel> {
    let mut out: Vec<Kernel> = Vec::new();
    for base in means.bases {
        let Node::Leaf(leaf) = base.node() else { continue };
        if !leaf.family.spec().reads_inputs {
            continue;
        }
        let base = base.with_node(Node::Leaf(Leaf { inputs: Inputs::All, ..leaf.clone() }));
        let names = means.inputs.iter().map(|(name, _)| InputRef::Name(name.clone())).collect();
        let orders = AdditiveForm::Additive(Some(2));
        let made = wraps::additive(orders, Bases::Like(base), Inputs::These(names), vec![Values::Each(Vec::new())]);
        if let Ok(kernel) = made
            && !out.contains(&kernel)
        {
            out.push(kernel);
        }
    }
    out
}

fn symmetric(part: &Kernel, kind: MoveKind, inputs: &[&Arc<str>], about: Vec<f64>) -> Option<Kernel> {
    let inputs = inputs.iter().map(|&name| InputRef::Name(name.clone())).collect();
    let moved = Move::new(kind, inputs, about).ok()?;
    wraps::invariant(part.clone(), vec![moved], Method::Sum, false).ok()
}

fn sees(part: &Kernel, input: &str) -> bool {
    let (mentioned, all) = part.mentioned();
    all || mentioned.iter().any(|seen| matches!(seen, InputRef::Name(name) if **name == *input))
}
