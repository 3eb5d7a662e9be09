//! Additive kernels: functions that are sums of functions of few inputs each.
//!
//! With zᵢ = kᵢ(xᵢ, x′ᵢ), one kernel per input: `additive` is Σ_d v_d·e_d(z), where e_d is the sum of all products of d
//! of them (Duvenaud, chapter on additive GPs, 1.4–1.13); `anova` is v·Π(1 + αzᵢ), the weights of hierarchical kernel
//! learning; `dropout` is v·Π(1 − q + q·zᵢ), the covariance when each input is kept with probability q (1.21–1.23), in
//! which one term of order d has the weight q^d(1 − q)^(D−d). That text gives binomial coefficients as the weights of
//! orders: they are the numbers of terms, not their weights.
//!
//! e_d is computed by the recursion e_d(z₁…zᵢ) = e_d(z₁…zᵢ₋₁) + zᵢ·e_{d−1}(z₁…zᵢ₋₁), which costs O(D·R) per pair for R
//! orders and subtracts nothing. The Newton–Girard formulae (1.14) alternate in sign and lose all digits at high
//! orders. The text gives O(2ⁿ) terms up to order n; the number is Σ_{d≤n} C(D, d).

use std::borrow::Cow;
use std::sync::Arc;

use crate::kernel::bind_error::{BindError, Cause, Place};
use crate::kernel::families;
use crate::kernel::family::{Domains, ParamSpec, Role, Size, Spec, V};
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::{InputRef, Inputs};
use crate::kernel::names::number;
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::tree::{InputsShown, Wrap};
use crate::kernel::tree::{Kernel, Leaf, Node, Wrapped};
use crate::kernel::values::Values;
use crate::param::{Param, State};

const WEIGHTS: ParamSpec = ParamSpec {
    name: "weights",
    short: "weights",
    domain: Domains::Positive,
    role: Role::OrderVariance,
    size: Size::Each,
    default: 1.0,
    help: "the variance of each order, from the first; 0 leaves an order out",
};

const ALPHA: ParamSpec = ParamSpec {
    name: "alpha",
    short: "alpha",
    domain: Domains::Positive,
    role: Role::Shape,
    size: Size::One,
    default: 1.0,
    help: "the factor by which each further input in a term is weighted",
};

pub(super) static ADDITIVE: Spec = Spec {
    stationary: true,
    ..Spec::wrap(
        "additive",
        "sums of functions of one input, of two inputs, and so on up to an order",
        Wording::each("a sum of functions of a few inputs each, in which each input acts through {k}"),
        "sum over orders d of weights_d e_d(z), e_d the sum of all products of d of the z_i = k_i(x_i, x_i')",
        r"\sum_{d} v_d \sum_{i_1 < \dots < i_d} \prod_j k_{i_j}(x_{i_j}, x_{i_j}')",
        &[WEIGHTS],
        "additive(order=2)",
    )
};

pub(super) static ANOVA: Spec = Spec {
    stationary: true,
    ..Spec::wrap(
        "anova",
        "sums over all subsets of the inputs of products of their kernels, weighted by the size of the subset",
        Wording::each("a sum over all sets of inputs, each further input with weight[ {alpha}], where each has {k}"),
        "v prod_i (1 + alpha k_i(x_i, x_i'))",
        r"v \prod_i (1 + \alpha k_i(x_i, x_i'))",
        &[ALPHA, V],
        "anova(alpha=0.5)",
    )
};

pub(super) static DROPOUT: Spec = Spec {
    stationary: true,
    ..Spec::wrap(
        "dropout",
        "the covariance of a function some of whose inputs are dropped at random",
        Wording::each("a function some of whose inputs are dropped at random, where each has {k}"),
        "v prod_i (1 - q + q k_i(x_i, x_i')), q the probability to keep an input",
        r"v \prod_i (1 - q + q k_i(x_i, x_i'))",
        &[V],
        "dropout(keep=0.8)",
    )
};

/// How the kernels of the inputs are combined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AdditiveForm {
    /// Orders from 1 to this number; `None` for the number of kernels.
    Additive(Option<usize>),
    Anova,
    /// The probability of keeping an input, in \[0, 1\].
    Dropout(f64),
}

/// The kernels of the inputs: a list, or one kernel that is repeated.
#[derive(Debug, Clone)]
pub enum Bases {
    /// One such kernel for each of `inputs`.
    Like(Kernel),
    Each(Vec<Kernel>),
}

/// Why an additive kernel is not valid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AdditiveError {
    #[error("the order of an additive kernel is at least 1")]
    NoOrder,
    #[error("order {order} needs at least as many kernels, and the list has {kernels}")]
    Order { order: usize, kernels: usize },
    #[error("the list has no kernels")]
    NoKernel,
    #[error("one weight is needed for each order: found {found} for {orders}")]
    Weights { orders: usize, found: usize },
    #[error("every order has weight 0")]
    NothingLeft,
    #[error("the probability of keeping an input must be within [0, 1], found {0}")]
    Keep(f64),
}

/// An additive, ANOVA or dropout kernel. `inputs` are those on which one base is repeated.
///
/// # Errors
/// An order of 0 or above the number of kernels, an empty list, a number of weights that differs from the number of
/// orders, weights that are all 0, or a probability outside \[0, 1\].
pub fn additive(
    form: AdditiveForm,
    bases: Bases,
    inputs: Inputs,
    params: Vec<Values>,
) -> Result<Kernel, AdditiveError> {
    let known = match (&bases, &inputs) {
        (Bases::Each(kernels), _) if kernels.is_empty() => return Err(AdditiveError::NoKernel),
        (Bases::Each(kernels), _) => Some(kernels.len()),
        (Bases::Like(_), Inputs::These(these)) => Some(these.len()),
        (Bases::Like(_), Inputs::All) => None,
    };
    match form {
        AdditiveForm::Additive(Some(0)) => return Err(AdditiveError::NoOrder),
        AdditiveForm::Additive(Some(order)) if known.is_some_and(|kernels| order > kernels) => {
            return Err(AdditiveError::Order { order, kernels: known.unwrap_or_default() });
        }
        AdditiveForm::Dropout(keep) if !(0.0..=1.0).contains(&keep) => return Err(AdditiveError::Keep(keep)),
        _ => {}
    }
    // fewer weights than kernels are those of the first orders
    let form = match (form, params.first()) {
        (AdditiveForm::Additive(None), Some(Values::Each(weights)))
            if !weights.is_empty() && known.is_some_and(|kernels| weights.len() < kernels) =>
        {
            AdditiveForm::Additive(Some(weights.len()))
        }
        _ => form,
    };
    if let (AdditiveForm::Additive(order), Some(Values::Each(weights))) = (form, params.first())
        && let Some(orders) = order.or(known)
        && !weights.is_empty()
        && weights.len() != orders
    {
        return Err(AdditiveError::Weights { orders, found: weights.len() });
    }
    let left_out = |weight: &Param| weight.state == State::Fixed(0.0);
    let nothing = match params.first() {
        Some(Values::Each(weights)) => !weights.is_empty() && weights.iter().all(left_out),
        Some(Values::One(weight)) => left_out(weight),
        None => false,
    };
    if nothing && matches!(form, AdditiveForm::Additive(_)) {
        return Err(AdditiveError::NothingLeft);
    }
    let (children, listed, inputs) = match bases {
        Bases::Each(kernels) => (kernels, true, Inputs::All),
        Bases::Like(base) => (vec![base], false, inputs),
    };
    Ok(Kernel::wrap(Arc::new(Additive { form, listed }), children, inputs, params))
}

/// The base if none is written.
pub fn default_base() -> Kernel {
    Kernel::family(families::FAMILIES[0])
}

/// Order 0: a constant kernel.
pub fn constant() -> Kernel {
    Kernel::family(families::CONST)
}

#[derive(Debug, Clone, Copy)]
struct Additive {
    form: AdditiveForm,
    /// Whether the kernels of the inputs are listed one by one.
    listed: bool,
}

impl Wrap for Additive {
    fn spec(&self) -> &'static Spec {
        match self.form {
            AdditiveForm::Additive(_) => &ADDITIVE,
            AdditiveForm::Anova => &ANOVA,
            AdditiveForm::Dropout(_) => &DROPOUT,
        }
    }

    fn phrase(&self) -> Cow<'static, str> {
        let each = if self.listed { "made of {all}" } else { "in which each input acts through {k}" };
        match self.form {
            AdditiveForm::Additive(Some(1)) => format!("a sum of functions of one input each, {each}").into(),
            AdditiveForm::Additive(Some(order)) => {
                format!("a sum of functions of one input each, and of up to {order} together, {each}").into()
            }
            AdditiveForm::Additive(None) => format!("a sum of functions of any number of inputs, {each}").into(),
            AdditiveForm::Anova => {
                format!("a sum of functions of any number of inputs, each further one weighted[ by {{alpha}}], {each}")
                    .into()
            }
            AdditiveForm::Dropout(keep) => {
                let percent = (keep * 1e4).round() / 1e2;
                format!("a function whose inputs are each kept with a probability of {percent} %, {each}").into()
            }
        }
    }

    fn options(&self) -> String {
        format!("{self:?}")
    }

    fn reads_inputs(&self) -> bool {
        // kernels in a list name their own inputs
        !self.listed
    }

    fn inputs_shown(&self) -> InputsShown {
        InputsShown::Keyword("dims")
    }

    fn lists_children(&self) -> bool {
        self.listed
    }

    fn is_one_kernel_per_input(&self) -> bool {
        !self.listed
    }

    fn hides_child(&self, child: &Kernel) -> bool {
        !self.listed && *child == default_base()
    }

    fn extras(&self, _inputs: &[InputRef]) -> Vec<String> {
        match self.form {
            AdditiveForm::Additive(Some(order)) => vec![format!("order={order}")],
            AdditiveForm::Dropout(keep) => vec![format!("keep={}", number(keep))],
            AdditiveForm::Additive(None) | AdditiveForm::Anova => Vec::new(),
        }
    }

    fn reads_inputs_through_children(&self) -> bool {
        true
    }

    /// The variances are those of the orders, so the kernels inside have variance 1.
    fn unit_variance_inside(&self, _held: bool) -> bool {
        true
    }

    fn is_sum(&self, _wrapped: &Wrapped) -> bool {
        matches!(self.form, AdditiveForm::Additive(_))
    }

    fn additive_orders(&self, wrapped: &Wrapped) -> Option<usize> {
        match self.form {
            AdditiveForm::Additive(order) if self.listed => Some(order.unwrap_or(wrapped.children.len())),
            _ => None,
        }
    }

    fn order_weights(&self, wrapped: &Wrapped) -> Option<(f64, Vec<f64>)> {
        if self.listed { self.form.order_weights(wrapped) } else { None }
    }

    fn listed(&self, wrapped: &Wrapped) -> Option<Wrapped> {
        let mut out = wrapped.clone();
        if let (false, [base], Inputs::These(dims)) = (self.listed, &wrapped.children[..], &wrapped.inputs)
            && !dims.is_empty()
            && base.mentioned().0.is_empty()
        {
            let child = |(i, input)| on_input(base, input, i, dims.len()).ok();
            out.children = dims.iter().enumerate().map(child).collect::<Option<_>>()?;
            out.wrap = Arc::new(Additive { listed: true, ..*self });
            out.inputs = Inputs::All;
        } else if !self.listed {
            return None;
        }
        out.params = self.form.listed_params(&out);
        Some(out)
    }

    fn written_out(&self, wrapped: &Wrapped) -> Option<Kernel> {
        if self.listed { self.form.terms(wrapped) } else { None }
    }

    fn term_count(&self, wrapped: &Wrapped, inside: &[f64]) -> Option<f64> {
        if self.listed { self.form.term_count(wrapped, inside) } else { None }
    }

    fn latex_sum(&self, wrapped: &Wrapped, children: &[String]) -> Option<String> {
        if self.listed { self.form.latex_sum(wrapped, children) } else { None }
    }

    fn reduced(&self, wrapped: &Wrapped, _strict: bool) -> Option<Kernel> {
        if self.listed { self.form.one_order(wrapped) } else { None }
    }

    fn spread(&self, node: &Kernel, wrapped: &Wrapped, inputs: &[&str]) -> Result<Option<Wrapped>, BindError> {
        let error = |place, cause| BindError { origin: node.origin(), place, cause };
        if self.listed {
            return Ok(None);
        }
        let base = &wrapped.children[0];
        if !base.mentioned().0.is_empty() {
            return Err(error(Place::Node, Cause::NamesInputs { base: base.to_string() }));
        }
        let dims = wrapped.inputs.places(inputs, node.origin())?;
        if dims.is_empty() {
            return Err(error(Place::Node, Cause::NoInputs { family: self.spec().name }));
        }
        if let AdditiveForm::Additive(Some(order)) = self.form
            && order > dims.len()
        {
            return Err(error(Place::Node, Cause::Order { order, inputs: dims.len() }));
        }
        let children = dims.iter().enumerate().map(|(i, &d)| {
            let input = InputRef::Name(inputs[d].into());
            on_input(base, &input, i, dims.len()).map_err(|(param, found)| {
                let cause = Cause::Length { param, expected: dims.len(), found, of: "inputs" };
                error(Place::Node, cause)
            })
        });
        let children = children.collect::<Result<Vec<_>, _>>()?;
        let wrap = Arc::new(Additive { listed: true, ..*self });
        Ok(Some(Wrapped { wrap, children, inputs: Inputs::All, params: wrapped.params.clone() }))
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError> {
        let count = wrapped.children.len();
        let args = (0..count).map(|i| plan.child(wrapped, i, views)).collect::<Result<Vec<_>, _>>()?;
        let orders = match self.form {
            AdditiveForm::Additive(order) => order.unwrap_or(count),
            _ => 1,
        };
        let params = plan.own_params(node, wrapped, &[], orders)?;
        Ok(plan.elementwise(Box::new(self.form), Parts::of(args, views).params(params)))
    }
}

/// A sum over sets of kernels, additive, ANOVA or dropout, with the variances of its orders.
#[derive(Debug, Clone)]
pub struct Orders<'k> {
    whole: &'k Kernel,
    wrapped: &'k Wrapped,
    /// The variance of the constant part, order 0; 0 for an additive kernel.
    pub constant: f64,
    /// The variance of each order, from the first.
    pub weights: Vec<f64>,
}

impl<'k> Orders<'k> {
    /// The orders of `whole`, if it is such a kernel with a list of kernels and all variances have values.
    pub fn of(whole: &'k Kernel) -> Option<Self> {
        let Node::Wrap(wrapped) = whole.node() else { return None };
        let (constant, weights) = wrapped.wrap.order_weights(wrapped)?;
        Some(Self { whole, wrapped, constant, weights })
    }

    /// The kernels of the inputs.
    pub fn kernels(&self) -> &'k [Kernel] {
        &self.wrapped.children
    }

    /// The name of the construction.
    pub fn construction(&self) -> &'static str {
        self.wrapped.wrap.spec().name
    }

    /// The number of terms of an order: C(D, d).
    pub fn terms(&self, order: usize) -> f64 {
        let count = self.kernels().len();
        (0..order).fold(1.0, |ways, i| ways * (count - i) as f64 / (i + 1) as f64)
    }

    /// The prior variance of each order, from the first, averaged over rows: w_d·e_d(k₁(x, x), …, k_D(x, x)).
    /// `diagonals` has one list per kernel, with its values k(x, x) at the rows. With kernels of variance 1 the result
    /// is w_d·C(D, d) (Duvenaud, Table 1.1).
    pub fn variances(&self, diagonals: &[Vec<f64>]) -> Vec<f64> {
        let orders = self.weights.len();
        let rows = diagonals.first().map_or(0, Vec::len);
        let mut totals = vec![0.0; orders];
        for row in 0..rows {
            let mut symmetric = vec![0.0; orders + 1];
            symmetric[0] = 1.0;
            for diagonal in diagonals {
                for d in (1..=orders).rev() {
                    symmetric[d] += diagonal[row] * symmetric[d - 1];
                }
            }
            for ((total, weight), e) in totals.iter_mut().zip(&self.weights).zip(&symmetric[1..]) {
                *total += weight * e / rows as f64;
            }
        }
        totals
    }

    /// The same kernel with some of its orders only, counted from 1.
    pub fn only(&self, keep: impl Fn(usize) -> bool) -> Kernel {
        let weight = |(i, &v): (usize, &f64)| if keep(i + 1) { Param::free(v) } else { Param::fixed(0.0) };
        let weights = self.weights.iter().enumerate().map(weight).collect();
        let params = vec![Values::Each(weights)];
        let wrap = match self.wrapped.wrap.additive_orders(self.wrapped) {
            Some(_) => self.wrapped.wrap.clone(),
            None => Arc::new(Additive { form: AdditiveForm::Additive(Some(self.weights.len())), listed: true }),
        };
        self.whole.with_node(Node::Wrap(Wrapped { wrap, params, ..self.wrapped.clone() })).unlabelled()
    }

    /// The constant part, if there is one.
    pub fn order_zero(&self) -> Option<Kernel> {
        (self.constant > 0.0).then(|| Kernel::number(self.constant))
    }

    /// The first-order function of the i-th kernel: v₁·kᵢ.
    pub fn alone(&self, i: usize) -> Option<Kernel> {
        let v = self.weights.first().filter(|v| **v > 0.0)?;
        Kernel::product([Kernel::number(*v), self.kernels().get(i)?.clone()])
    }

    /// The interaction of the i-th and the j-th kernel: v₂·kᵢ·kⱼ.
    pub fn pair(&self, i: usize, j: usize) -> Option<Kernel> {
        let v = self.weights.get(1).filter(|v| **v > 0.0)?;
        Kernel::product([Kernel::number(*v), self.kernels().get(i)?.clone(), self.kernels().get(j)?.clone()])
    }
}

/// The base on the i-th of `of` inputs. Where it has a number per input it gets the i-th.
///
/// # Errors
/// The parameter with another number of values, and that number.
fn on_input(base: &Kernel, input: &InputRef, i: usize, of: usize) -> Result<Kernel, (&'static str, usize)> {
    let all = |children: &[Kernel]| children.iter().map(|c| on_input(c, input, i, of)).collect::<Result<Vec<_>, _>>();
    Ok(match base.node() {
        Node::Leaf(leaf) => {
            let inputs = if leaf.family.spec().reads_inputs { Inputs::These(vec![input.clone()]) } else { Inputs::All };
            let mut params = Vec::with_capacity(leaf.params.len());
            for (spec, values) in leaf.family.spec().params.iter().zip(&leaf.params) {
                params.push(match values {
                    Values::Each(each) if each.is_empty() => spec.unset(false),
                    Values::Each(each) if each.len() == of => match spec.size {
                        Size::Each => Values::Each(vec![each[i].clone()]),
                        _ => Values::One(each[i].clone()),
                    },
                    Values::Each(each) => return Err((spec.name, each.len())),
                    one => one.clone(),
                });
            }
            base.with_node(Node::Leaf(Leaf { inputs, ard: false, params, ..leaf.clone() }))
        }
        Node::Sum(children) => base.with_node(Node::Sum(all(children)?)),
        Node::Product(children) => base.with_node(Node::Product(all(children)?)),
        Node::Wrap(wrapped) => {
            // a base inside is repeated on the inputs of its own wrap
            let children = match wrapped.wrap.is_one_kernel_per_input() {
                true => wrapped.children.clone(),
                false => all(&wrapped.children)?,
            };
            let inputs = match wrapped.wrap.reads_inputs() {
                true => Inputs::These(vec![input.clone()]),
                false => wrapped.inputs.clone(),
            };
            base.with_node(Node::Wrap(Wrapped { children, inputs, ..wrapped.clone() }))
        }
    })
}
