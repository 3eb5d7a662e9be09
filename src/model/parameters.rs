//! The parameters of a problem: their names, units and states.

use std::collections::HashMap;
use std::sync::Arc;

use super::mean_terms::mean_terms;
use super::spread::{power_of_two, spread};
use super::{Mean, MeanFunction, Model, ModelError, Noise, has_white_noise};
use crate::calendar::TimeUnit;
use crate::kernel::wraps::parameter_specs;
use crate::kernel::{Bound, Domains, Origin, ParamError, ParamSpec, Role, Size, Slot, SlotState, Values};
use crate::param::{Domain, Param, State};

/// One number on which the log marginal likelihood depends.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Stable and unique: `SE(year).l`, `season.p`, `noise`, `mean`.
    pub name: String,
    pub kind: ParameterKind,
    pub role: Role,
    pub state: SlotState,
    pub domain: Domain,
    pub param: Param,
    /// The written value, or a default that does not depend on the data.
    pub value: f64,
    /// The indices of its inputs.
    pub columns: Vec<usize>,
    /// Whether its node receives transformed inputs, so that it has no unit.
    pub warped: bool,
    /// If `warped`: the spread of the rows in the transformed inputs of its node.
    pub width: Option<f64>,
    /// Whether its node is one of several factors of a product.
    pub beside: bool,
    pub origin: Option<Origin>,
    pub uses: usize,
    /// The unit, such as `years` or `ppm^2`, if the data have units.
    pub unit: Option<String>,
    /// The unit, if it is a duration or a date.
    pub time: Option<TimeUnit>,
}

/// The part of the model to which a parameter belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// This slot of the bound kernel.
    Kernel(usize),
    Noise,
    /// The offset (0) or a slope of the mean function.
    Mean(usize),
    /// A parameter of a function that is the mean.
    MeanFunction(usize),
}

impl ParameterKind {
    /// Whether it is a parameter of the mean function.
    pub fn is_mean(self) -> bool {
        matches!(self, Self::Mean(_) | Self::MeanFunction(_))
    }
}

impl Parameter {
    /// Whether a fit optimises it.
    pub fn is_free(&self) -> bool {
        self.state == SlotState::Free
    }

    /// Whether its gradient is reported with respect to its logarithm.
    pub fn in_log(&self) -> bool {
        !matches!(self.domain, Domain::Real { .. }) && self.role != Role::Location
    }
}

/// The noise as a parameter, for checks and help.
pub const NOISE: ParamSpec = ParamSpec {
    name: "noise",
    short: "noise",
    domain: Domains::Positive,
    role: Role::Variance,
    size: Size::One,
    default: 1.0,
    help: "the variance of the noise of an observation",
};

/// The mean as a parameter, for checks and help.
pub const MEAN: ParamSpec = ParamSpec {
    name: "mean",
    short: "mean",
    domain: Domains::Real,
    role: Role::Location,
    size: Size::One,
    default: 0.0,
    help: "the mean of the process",
};

pub(super) struct Units<'a> {
    pub target: Option<String>,
    pub inputs: Vec<Option<String>>,
    pub levels: Vec<Option<&'a [Arc<str>]>>,
    pub names: &'a [String],
}

impl Units<'_> {
    fn of(&self, role: Role, columns: &[usize], warped: bool) -> Option<String> {
        let input = || match columns {
            [first, rest @ ..] if !warped => {
                let unit = self.inputs.get(*first)?.clone()?;
                rest.iter().all(|&c| self.inputs.get(c).is_some_and(|u| u.as_ref() == Some(&unit))).then_some(unit)
            }
            _ => None,
        };
        let squared = |unit: &str| if unit.contains([' ', '/']) { format!("({unit})^2") } else { format!("{unit}^2") };
        match role {
            Role::LengthScale | Role::Period | Role::Location | Role::Start => input(),
            Role::Variance | Role::Bias | Role::OrderVariance => self.target.as_deref().map(squared),
            Role::SlopeVariance => Some(format!("({}/{})^2", self.target.as_deref()?, input()?)),
            Role::GrowthVariance(n) => {
                let (above, below) = (squared(self.target.as_deref()?), input()?);
                let below = if below.contains([' ', '/']) { format!("({below})") } else { below };
                Some(if n == 1 { format!("{above}/{below}") } else { format!("{above}/{below}^{n}") })
            }
            Role::Roughness | Role::Shape | Role::Coefficient | Role::Degree => None,
        }
    }
}

pub(super) fn parameters(
    model: &Model,
    bound: &Bound,
    units: &Units<'_>,
    x: &[Vec<f64>],
    y: &[f64],
) -> Result<Vec<Parameter>, ModelError> {
    let mut all = Vec::new();
    let names = NodeNames::new(bound.slots(), units.names);
    for (i, slot) in bound.slots().iter().enumerate() {
        let node = names.of(slot);
        // a variance in a product with other factors has no unit of its own
        let alone = !slot.in_product || slot.spec.is_along_input();
        let role = slot.spec.role;
        let unit = if alone { units.of(role, &slot.columns, slot.warped) } else { None };
        all.push(Parameter {
            name: match slot.element {
                Some(e) if slot.columns.is_empty() => format!("{node}.{}[{e}]", slot.spec.short),
                _ => format!("{node}.{}", slot.spec.short),
            },
            kind: ParameterKind::Kernel(i),
            role,
            state: slot.state,
            domain: slot.domain,
            param: slot.param.clone(),
            value: slot.value,
            columns: slot.columns.clone(),
            warped: slot.warped,
            width: slot.width,
            beside: slot.in_product,
            origin: slot.origin,
            uses: slot.uses,
            unit,
            time: slot.time,
        });
    }
    if let Some(Noise::Variance(param)) = model.noise() {
        all.push(noise_parameter(model, param, units)?);
    }
    let of_mean = |name: String,
                   i: usize,
                   columns: Vec<usize>,
                   param: &Param,
                   unit: f64,
                   shown_unit: Option<String>|
     -> Result<_, ModelError> {
        if let Err(crate::kernel::ParamError::NotFinite { value, .. }) = MEAN.check("gp", param) {
            return Err(ModelError::OutOfDomain { what: "mean", expected: "a finite number", value });
        }
        Ok(Parameter {
            name,
            kind: ParameterKind::Mean(i),
            role: Role::Location,
            state: if param.is_fixed() { SlotState::Fixed } else { SlotState::Free },
            domain: match param.state {
                State::Bounded { lo, hi, .. } => Domain::Interval { lo, hi },
                _ => Domain::Real { unit },
            },
            param: param.clone(),
            value: param.value().unwrap_or(0.0),
            columns,
            warped: false,
            width: None,
            beside: false,
            origin: None,
            uses: 1,
            unit: shown_unit,
            time: None,
        })
    };
    match &model.mean {
        Mean::Zero | Mean::Function(_) => {}
        Mean::Constant(param) => {
            all.push(of_mean("mean".into(), 0, Vec::new(), param, spread(y), units.target.clone())?);
        }
        Mean::Linear(params) => {
            let terms = mean_terms(units.levels.iter().copied());
            if !params.is_empty() && params.len() != terms.len() + 1 {
                let coefficients = terms.iter().map(|term| term.name(units.names)).collect();
                return Err(ModelError::MeanLength { found: params.len(), coefficients });
            }
            let unset = Param::default();
            let param = |i: usize| params.get(i).unwrap_or(&unset);
            all.push(of_mean("mean".into(), 0, Vec::new(), param(0), spread(y), units.target.clone())?);
            for (i, term) in terms.iter().enumerate() {
                let unit = match &units.inputs[term.input] {
                    _ if term.level.is_some() => units.target.clone(),
                    unit => units.target.as_ref().zip(unit.as_ref()).map(|(target, unit)| format!("{target}/{unit}")),
                };
                let size = spread(y) / spread(&term.column(x));
                all.push(of_mean(term.name(units.names), i + 1, vec![term.input], param(i + 1), size, unit)?);
            }
        }
    }
    if let Mean::Function(function) = &model.mean {
        all.extend(of_mean_function(function)?);
    }
    make_unique(&mut all);
    set_units(&mut all, x, y, model.bernoulli().is_some());
    Ok(all)
}

/// The parameters of a function that is the mean.
///
/// # Errors
/// A value that is not finite.
fn of_mean_function(mean: &MeanFunction) -> Result<Vec<Parameter>, ModelError> {
    let mut all = Vec::new();
    for (spec, values) in parameter_specs(&*mean.function).iter().zip(&mean.params) {
        for (e, param) in values.as_slice().iter().enumerate() {
            if let Err(ParamError::NotFinite { value, .. }) = spec.check("gp", param) {
                let what = "parameter of the mean";
                return Err(ModelError::OutOfDomain { what, expected: "a finite number", value });
            }
            let value = param.value().unwrap_or(spec.default);
            let name = match values {
                Values::One(_) => format!("mean.{}", spec.short),
                Values::Each(_) => format!("mean.{}[{e}]", spec.short),
            };
            all.push(Parameter {
                name,
                kind: ParameterKind::MeanFunction(all.len()),
                role: Role::Coefficient,
                state: if param.is_fixed() { SlotState::Fixed } else { SlotState::Free },
                domain: match param.state {
                    State::Bounded { lo, hi, .. } => Domain::Interval { lo, hi },
                    _ => Domain::Real { unit: if value == 0.0 { 1.0 } else { power_of_two(value.abs()) } },
                },
                param: param.clone(),
                value,
                columns: Vec::new(),
                warped: false,
                width: None,
                beside: false,
                origin: None,
                uses: 1,
                unit: None,
                time: None,
            });
        }
    }
    Ok(all)
}

/// Sets the units in which the logarithms of positive parameters are taken, from the spreads of the target and the
/// inputs. If these are multiplied by a power of two, all coordinates of a fit stay the same, to the last bit.
fn set_units(all: &mut [Parameter], x: &[Vec<f64>], y: &[f64], latent: bool) {
    let target = if latent { 1.0 } else { power_of_two(spread(y)) };
    let inputs: Vec<f64> = x.iter().map(|column| power_of_two(spread(column))).collect();
    // a polynomial scales with a power of its input; its degree is the last of its parameters
    let power = |i: usize, square: f64| {
        let degree = all[i..].iter().take(4).find(|p| p.role == Role::Degree && p.origin == all[i].origin);
        degree.map_or(1.0, |degree| square.powi(degree.value as i32))
    };
    let unit = |(i, p): (usize, &Parameter)| {
        // the slope of a linear kernel follows its offset
        let line = all.get(i + 1).is_some_and(|next| next.role == Role::SlopeVariance && next.state != SlotState::Held);
        let input = p.columns.first().filter(|_| !p.warped).map_or(1.0, |&c| inputs[c]);
        let held = p.state == SlotState::Held;
        match p.role {
            Role::LengthScale | Role::Period => input,
            Role::Variance | Role::OrderVariance if !held => target * target / power(i, input * input),
            Role::SlopeVariance if !held => (target / input) * (target / input),
            Role::GrowthVariance(n) if !held => target * target / input.powi(n),
            Role::Bias if line => target * target,
            Role::Bias => input * input,
            _ => 1.0,
        }
    };
    let units: Vec<f64> = all.iter().enumerate().map(unit).collect();
    for (parameter, found) in all.iter_mut().zip(units) {
        if let Domain::Positive { unit } = &mut parameter.domain {
            *unit = Some(found).filter(|found| found.is_normal()).unwrap_or(1.0);
        }
    }
}

/// The names of nodes: the user's label, or else the family, with its inputs if other nodes have other inputs. A label
/// of several nodes is a prefix of the family; a label of the whole kernel is not used.
struct NodeNames<'s> {
    slots: &'s [Slot],
    columns: &'s [String],
    /// For every sequence of labels: the number of slots inside, and the node if it is the only one.
    below: HashMap<&'s [Arc<str>], (usize, Option<Node>)>,
}

type Node = (Option<Origin>, &'static str);

impl<'s> NodeNames<'s> {
    fn new(slots: &'s [Slot], columns: &'s [String]) -> Self {
        let mut below: HashMap<&[Arc<str>], (usize, Option<Node>)> = HashMap::new();
        for slot in slots {
            let node = (slot.origin, slot.family);
            for depth in 1..=slot.labels.len() {
                let (count, single) = below.entry(&slot.labels[..depth]).or_insert((0, Some(node)));
                *count += 1;
                *single = single.filter(|single| *single == node);
            }
        }
        Self { slots, columns, below }
    }

    fn of(&self, slot: &Slot) -> String {
        let family = match (&slot.columns[..], &slot.level) {
            ([input], Some(level)) => format!("{}({}[{level}])", slot.family, self.columns[*input]),
            ([], _) => slot.family.to_string(),
            _ if !reads(slot.family) || self.columns.len() == 1 => slot.family.to_string(),
            (all, _) if all.len() == self.columns.len() && slot.element.is_none() => slot.family.to_string(),
            (some, _) => {
                let columns: Vec<&str> = some.iter().map(|&c| &*self.columns[c]).collect();
                format!("{}({})", slot.family, columns.join(", "))
            }
        };
        match (slot.labels.last(), self.below.get(&slot.labels[..])) {
            (Some(label), Some((_, Some(_)))) => match (&slot.columns[..], &slot.level) {
                ([input], Some(level)) => format!("{label}({}[{level}])", self.columns[*input]),
                _ => label.to_string(),
            },
            (Some(label), Some((count, None))) if *count < self.slots.len() => format!("{label}.{family}"),
            _ => family,
        }
    }
}

fn noise_parameter(model: &Model, param: &Param, units: &Units<'_>) -> Result<Parameter, ModelError> {
    let zero = param.state == State::Fixed(0.0);
    if !zero && let Err(error) = NOISE.check("gp", param) {
        let value = match error {
            crate::kernel::ParamError::NotPositive { value, .. }
            | crate::kernel::ParamError::NotFinite { value, .. } => value,
            crate::kernel::ParamError::Bounds { lo, .. } => lo,
            crate::kernel::ParamError::Outside { value, .. } | crate::kernel::ParamError::Prior { value, .. } => value,
            _ => f64::NAN,
        };
        let expected = "a positive variance with bounds, if any, in order around it (or 0 for none)";
        return Err(ModelError::OutOfDomain { what: "noise", expected, value });
    }
    // white noise as a term of the kernel is the noise; a second noise would not be identifiable
    let unset_beside_white = param.is_unset() && has_white_noise(&model.kernel);
    let fixed = zero || unset_beside_white || param.is_fixed();
    Ok(Parameter {
        name: "noise".into(),
        kind: ParameterKind::Noise,
        role: Role::Variance,
        state: if fixed { SlotState::Fixed } else { SlotState::Free },
        domain: match param.state {
            State::Bounded { lo, hi, .. } => Domain::Interval { lo, hi },
            _ => match param.prior.map(|prior| prior.density) {
                Some(crate::param::Density::Uniform { lo, hi }) => Domain::Interval { lo: lo.max(0.0), hi },
                _ => Domain::POSITIVE,
            },
        },
        param: param.clone(),
        value: if unset_beside_white { 0.0 } else { param.value().unwrap_or(1.0) },
        columns: Vec::new(),
        warped: false,
        width: None,
        beside: false,
        origin: None,
        uses: 1,
        unit: units.of(Role::Variance, &[], false),
        time: None,
    })
}

fn reads(family: &str) -> bool {
    crate::kernel::families::family(family).is_none_or(|f| f.spec().reads_inputs)
}

/// Numbers repeated names: `SE.l`, `SE(2).l`.
fn make_unique(parameters: &mut [Parameter]) {
    let mut count: HashMap<String, usize> = HashMap::new();
    for parameter in parameters {
        let seen = count.entry(parameter.name.clone()).or_insert(0);
        *seen += 1;
        if *seen > 1 {
            let (node, short) = parameter.name.rsplit_once('.').unwrap_or((&parameter.name, ""));
            parameter.name = format!("{node} ({seen}).{short}");
        }
    }
}
