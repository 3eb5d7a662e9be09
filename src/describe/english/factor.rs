//! The factors of a product by their role in a sentence: noun or clause.

use super::data_context::{DataContext, Input, common_unit, overlap};
use super::quantity::{amount, cycle, date_place, place, short};
use crate::kernel::families::family;
use crate::kernel::phrasing::Wording;
use crate::kernel::{Head, InnerInputs, Inputs, Kernel, Leaf, Node, ParamSpec, Role, Values, Wrapped};
use crate::param::{Measure, Param};

/// One factor, or several of one kind that are described together.
#[derive(Debug, Clone)]
pub struct Factor<'k> {
    pub kernel: &'k Kernel,
    pub head: Head,
    pub inputs: Vec<Input>,
    /// Its families; none for a wrap or a sum.
    pub leaves: Vec<(&'k Leaf, Vec<Input>)>,
    /// The degree of a polynomial.
    pub degree: u32,
    /// The exponent of the covariance of a family.
    pub power: u32,
}

/// A product, ordered for its description.
#[derive(Debug)]
pub struct Product<'k> {
    /// The first is the noun. Constants are left out unless there is nothing else.
    pub factors: Vec<Factor<'k>>,
    /// The product of all variances, if all are known.
    pub variance: Option<f64>,
    /// The product of all numbers.
    pub number: f64,
}

impl<'k> Product<'k> {
    pub fn of(kernel: &'k Kernel, context: &DataContext) -> Self {
        let (mut factors, mut number, mut variance) = (Vec::new(), 1.0, Some(1.0));
        let mut first = true;
        for part in kernel.factors() {
            if let Some(value) = part.as_number() {
                number *= value;
                variance = variance.map(|v| v * value);
                continue;
            }
            let (base, power) = base_of(part);
            let own = leaf_of(base).and_then(|leaf| {
                let walk = random_walk(leaf, &context.inputs(&leaf.inputs, leaf.family.spec().several_inputs));
                walk.or_else(|| own_variance(leaf, first))
            });
            let own = own.map(|v| v.powi(power as i32));
            variance = variance.zip(own).map(|(v, own)| v * own);
            first = false;
            factors.push(Factor::of(part, base, power, context));
        }
        // a constant adds nothing to a description, and noise times a stationary kernel is noise
        if factors.iter().any(|f| f.head != Head::Constant) {
            factors.retain(|f| f.head != Head::Constant);
        }
        if factors.iter().any(|f| f.head == Head::Noise) {
            factors.retain(|f| f.head == Head::Noise || !(f.head == Head::Levels || f.kernel.stationary()));
            let mut seen = false;
            factors.retain(|f| f.head != Head::Noise || !std::mem::replace(&mut seen, true));
        }
        factors.sort_by(|a, b| a.head.rank().cmp(&b.head.rank()).then(a.derivatives().total_cmp(&b.derivatives())));
        Self { factors: merged(factors), variance, number }
    }
}

/// The family and the exponent of a power of a family.
fn base_of(kernel: &Kernel) -> (&Kernel, u32) {
    if let Node::Wrap(wrapped) = kernel.node()
        && let (Some(n), [base]) = (wrapped.wrap.exponent(), &wrapped.children[..])
        && let Node::Leaf(_) = base.node()
    {
        return (base, n);
    }
    (kernel, 1)
}

fn leaf_of(kernel: &Kernel) -> Option<&Leaf> {
    match kernel.node() {
        Node::Leaf(leaf) => Some(leaf),
        _ => None,
    }
}

/// The variance of a family. An unset variance is held at 1 in all factors but the first, where it is unknown.
fn own_variance(leaf: &Leaf, first: bool) -> Option<f64> {
    let mut own = leaf.family.spec().params.iter().zip(&leaf.params);
    let (_, values) = own.find(|(spec, _)| spec.is_variance())?;
    match values.as_slice() {
        [param] => param.value().or((!first).then_some(1.0)),
        [] if !first => Some(1.0),
        _ => None,
    }
}

impl<'k> Factor<'k> {
    fn of(kernel: &'k Kernel, base: &'k Kernel, power: u32, context: &DataContext) -> Self {
        match base.node() {
            Node::Leaf(leaf) => {
                let spec = leaf.family.spec();
                let inputs =
                    if spec.reads_inputs { context.inputs(&leaf.inputs, spec.several_inputs) } else { Vec::new() };
                let degree = spec.params.iter().zip(&leaf.params).find(|(p, _)| p.role == Role::Degree);
                let degree = degree.map_or(1.0, |(p, v)| first_value(v).unwrap_or(p.default)) as u32;
                Self {
                    kernel,
                    head: wording(leaf, &inputs).head,
                    inputs: inputs.clone(),
                    leaves: vec![(leaf, inputs)],
                    degree: degree.saturating_mul(power),
                    power,
                }
            }
            _ => Self {
                kernel,
                head: Head::Whole(InnerInputs::Same),
                inputs: context.inputs(&mentioned_inputs(kernel), true),
                leaves: Vec::new(),
                degree: 0,
                power: 1,
            },
        }
    }

    /// The span of the single input, if the length-scale is more than a thousand times as long: its value then tells
    /// only that it is beyond the data.
    pub fn span_far_below_scale(&self) -> Option<String> {
        const FAR: f64 = 1000.0;
        let [(leaf, inputs)] = &self.leaves[..] else { return None };
        let (_, values) = with_role(leaf, Role::LengthScale)?;
        let ([param], [input]) = (values.as_slice(), &inputs[..]) else { return None };
        let span = input.span().filter(|span| FAR * span < param.value().unwrap_or_default())?;
        Some(amount(span, input.unit.as_deref(), 2))
    }

    /// The number of mean-square derivatives of its functions; used only for smooth factors.
    fn derivatives(&self) -> f64 {
        self.leaves.first().map_or(f64::INFINITY, |(leaf, _)| leaf.family.spec().derivatives)
    }

    /// The value of the parameter with this short name, as text.
    pub fn value(&self, name: &str, context: &DataContext) -> Option<String> {
        let (leaf, inputs) = self.leaves.first()?;
        let (spec, values) = parameter(leaf, name)?;
        if self.leaves.len() == 1 {
            return parameter_text(spec, values, inputs, context);
        }
        // for a product of one family over several inputs: the values in turn, each with its input
        let each = self.leaves.iter().map(|(leaf, inputs)| {
            let (spec, values) = parameter(leaf, name)?;
            Some(format!("{} in {}", parameter_text(spec, values, inputs, context)?, context.names(inputs)))
        });
        Some(super::words::join_and(&each.collect::<Option<Vec<_>>>()?))
    }

    /// The name of its period, if it has one.
    pub fn cycle(&self) -> Option<&'static str> {
        let (leaf, inputs) = self.leaves.first()?;
        let (_, values) = with_role(leaf, Role::Period)?;
        cycle(first_value(values)?, common_unit(inputs))
    }

    /// The first parameter with a role, as a number.
    pub fn number(&self, role: Role) -> Option<f64> {
        let (leaf, _) = self.leaves.first()?;
        first_value(with_role(leaf, role)?.1)
    }

    /// Whether each input has its own length-scale with an unknown value.
    pub fn has_unknown_scales(&self) -> bool {
        let own = |(leaf, inputs): &(&Leaf, Vec<Input>)| {
            let unknown = with_role(leaf, Role::LengthScale).is_some_and(|(_, values)| values.is_unset());
            unknown && leaf.ard && inputs.iter().any(|i| i.all || inputs.len() > 1)
        };
        self.leaves.iter().any(own)
    }

    /// The location parameter, if it is the same for all its families.
    pub fn crossing(&self) -> Option<f64> {
        let mut all = self.leaves.iter().map(|(leaf, _)| first_value(with_role(leaf, Role::Location)?.1));
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }
}

/// The inputs of a wrap: its own, or those of its kernels.
pub fn mentioned_inputs(kernel: &Kernel) -> Inputs {
    if let Node::Wrap(Wrapped { wrap, inputs, .. }) = kernel.node()
        && wrap.reads_inputs()
    {
        return inputs.clone();
    }
    match kernel.mentioned() {
        (_, true) => Inputs::All,
        (inputs, false) if inputs.is_empty() => Inputs::All,
        (inputs, false) => Inputs::These(inputs),
    }
}

fn parameter<'k>(leaf: &'k Leaf, short: &str) -> Option<(&'static ParamSpec, &'k Values)> {
    leaf.family.spec().params.iter().zip(&leaf.params).find(|(spec, _)| [spec.short, spec.name].contains(&short))
}

fn with_role(leaf: &Leaf, role: Role) -> Option<(&'static ParamSpec, &Values)> {
    leaf.family.spec().params.iter().zip(&leaf.params).find(|(spec, _)| spec.role == role)
}

/// The variance of the random walk that a trend is between rows if it forgets its slope from one to the next: 2·v·l of a
/// `DampedTrend`.
fn random_walk(leaf: &Leaf, inputs: &[Input]) -> Option<f64> {
    const UNCORRELATED: f64 = 0.1;
    let [input] = inputs else { return None };
    let known = |role: Role| first_value(with_role(leaf, role)?.1);
    let Head::Process(_) = leaf.family.spec().wording.head else { return None };
    let (l, v) = (known(Role::LengthScale)?, known(Role::SlopeVariance)?);
    ((-input.gap()? / l).exp() < UNCORRELATED).then_some(2.0 * v * l)
}

/// The words for a leaf with its values: a mixture over scales that has one scale is told as a kernel with one, and a trend
/// that forgets its slope between rows as a random walk.
pub fn wording(leaf: &Leaf, inputs: &[Input]) -> &'static Wording {
    if let Some(walk) = random_walk(leaf, inputs).and_then(|_| family("Wiener")) {
        return &walk.spec().wording;
    }
    const ONE_SCALE: f64 = 100.0;
    let one = |(_, values): (_, &Values)| first_value(values).is_some_and(|shape| shape > ONE_SCALE);
    let scaled = with_role(leaf, Role::LengthScale).is_some();
    let limit = with_role(leaf, Role::Shape).is_some_and(one).then(|| family("SE")).flatten().filter(|_| scaled);
    &limit.map_or_else(|| leaf.family.spec(), |family| family.spec()).wording
}

pub fn first_value(values: &Values) -> Option<f64> {
    values.as_slice().first()?.value()
}

/// The unit in which a time was written, for inputs without a known unit.
fn written_unit(param: &Param) -> Option<&'static str> {
    param.time.map(|measure| measure.unit().name())
}

/// The value or values of a parameter as text, if they are known.
pub fn parameter_text(spec: &ParamSpec, values: &Values, inputs: &[Input], context: &DataContext) -> Option<String> {
    let digits = if spec.role == Role::Period { 3 } else { 2 };
    match (spec.role, values.as_slice()) {
        (Role::LengthScale | Role::Period, [one]) => {
            let value = one.value()?;
            let unit = common_unit(inputs).or_else(|| written_unit(one));
            let text = amount(value, unit, digits);
            let beyond = match inputs {
                [input] => input.span().filter(|span| *span < value).map(|span| amount(span, input.unit.as_deref(), 2)),
                _ => None,
            };
            Some(match beyond.filter(|_| spec.role == Role::LengthScale) {
                Some(span) => format!("{text} (the data span {span})"),
                None => text,
            })
        }
        (Role::LengthScale, many) if many.len() == inputs.len() => scales(many, inputs, context),
        (Role::Period, many) if many.len() == inputs.len() && !many.is_empty() => {
            let each = many.iter().zip(inputs).map(|(param, input)| {
                Some(format!(
                    "{} in {}",
                    amount(param.value()?, input.unit.as_deref().or_else(|| written_unit(param)), digits),
                    input.name
                ))
            });
            Some(super::words::join_and(&each.collect::<Option<Vec<_>>>()?))
        }
        (Role::Location | Role::Start, [one]) => {
            let value = one.value()?;
            Some(match (one.time, inputs.first()) {
                (Some(Measure::Date(unit)), None | Some(Input { time: None, .. })) => date_place(value, unit, None),
                (_, Some(input)) => input.place(value),
                _ => place(value, None),
            })
        }
        (_, [one]) => Some(short(one.value()?, 3)),
        _ => None,
    }
}

/// The length-scale of each input; those much longer than the range of the data are summarised.
fn scales(params: &[Param], inputs: &[Input], context: &DataContext) -> Option<String> {
    const FAR: f64 = 10.0;
    let values: Vec<f64> = params.iter().map(|param| param.value()).collect::<Option<_>>()?;
    let flat = |(input, value): &(&Input, f64)| input.span().is_some_and(|span| *value > FAR * span);
    let (none, some): (Vec<_>, Vec<_>) = inputs.iter().zip(values).partition(flat);
    let some: Vec<String> = some
        .into_iter()
        .map(|(input, value)| format!("{} in {}", amount(value, input.unit.as_deref(), 2), input.name))
        .collect();
    let none: Vec<Input> = none.into_iter().map(|(input, _)| input.clone()).collect();
    match (&some[..], &none[..]) {
        ([], _) => None,
        (_, []) => Some(super::words::join_and(&some)),
        _ => Some(format!("{}, and hardly at all with {}", super::words::join_and(&some), context.names(&none))),
    }
}

/// Merges polynomials of the same inputs to one of a higher degree, and smooth functions of one family over different
/// inputs to one of all of them.
fn merged(factors: Vec<Factor<'_>>) -> Vec<Factor<'_>> {
    let mut out: Vec<Factor<'_>> = Vec::new();
    for factor in factors {
        let same = |other: &&mut Factor<'_>| match (factor.head, other.head) {
            (Head::Polynomial, Head::Polynomial) => factor.inputs == other.inputs,
            (Head::Smooth, Head::Smooth) if factor.power == other.power => {
                let family = |f: &Factor<'_>| f.leaves.first().map(|(leaf, _)| leaf.family.spec().name);
                family(&factor) == family(other) && !overlap(&factor.inputs, &other.inputs)
            }
            _ => false,
        };
        match out.iter_mut().find(same) {
            Some(other) => {
                if matches!(factor.head, Head::Smooth) {
                    other.inputs.extend(factor.inputs);
                }
                other.leaves.extend(factor.leaves);
                other.degree = other.degree.saturating_add(factor.degree);
            }
            None => out.push(factor),
        }
    }
    out
}
