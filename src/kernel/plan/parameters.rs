//! The parameters of nodes: their slots, ties, and fixed or held states.

use super::{DeferredParams, Element, InputColumns, OwnParams, Plan};
use crate::calendar::TimeUnit;
use crate::kernel::bind_error::{BindError, Cause, Origin, Place};
use crate::kernel::family::{Domains, ParamSpec, Role, Size};
use crate::kernel::input_view::{Period, ViewMap};
use crate::kernel::parameter_slot::{Slot, SlotState};
use crate::kernel::values::Values;
use crate::param::{Density, Domain, Param, State, Tie};

impl Plan<'_> {
    /// Inserts the parameters of a wrap, created before those of its children, after them.
    pub(in crate::kernel) fn insert_params(&mut self, deferred: DeferredParams) {
        match (&mut self.reused_place, deferred.0) {
            (Some(place), _) => *place += 1,
            (None, place) => self.places.extend(place),
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(in crate::kernel) fn params(
        &mut self,
        origin: Option<Origin>,
        family: &'static str,
        specs: &'static [ParamSpec],
        written: &[Values],
        elements: &[Element],
        ard: bool,
        looks: &InputColumns,
        view: Option<usize>,
    ) -> Result<OwnParams, BindError> {
        if let Some(place) = self.reused_place {
            self.reused_place = Some(place + 1);
            let (mut slots, mut ranges) = (Vec::new(), Vec::new());
            for param in &self.places[place] {
                ranges.push(slots.len()..slots.len() + param.len());
                slots.extend_from_slice(param);
            }
            return Ok((slots, ranges));
        }
        let inputs = &looks.inputs;
        let (mut slots, mut ranges, mut place) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (spec, values)) in specs.iter().zip(written).enumerate() {
            let error = |cause| BindError { origin, place: Place::Param(i), cause };
            let each = spec.size == Size::Each || (spec.size == Size::EachIfArd && ard);
            let of_function = spec.role == Role::Coefficient;
            let (each, wanted) = match spec.size {
                Size::List(n) => (true, n),
                _ if each => (true, elements.len()),
                _ => (false, 1),
            };
            let params: Vec<Param> = match values.as_slice() {
                [] => vec![Param::default(); wanted],
                [one] if wanted != 1 && matches!(values, Values::One(_)) => {
                    let element = |e| Param { tie: one.tie.as_ref().map(|tie| tie.element(e)), ..one.clone() };
                    (0..wanted).map(element).collect()
                }
                given => given.to_vec(),
            };
            let of = match spec.role {
                Role::OrderVariance => "orders",
                _ if elements.iter().all(|e| e.level.is_some()) => "categories",
                _ if elements.iter().any(|e| e.level.is_some()) => "inputs and categories",
                _ if wanted != inputs.len() => "categories",
                _ => "inputs",
            };
            if params.len() != wanted {
                return Err(error(Cause::Length { param: spec.name, expected: wanted, found: params.len(), of }));
            }
            let start = slots.len();
            for (e, param) in params.iter().enumerate() {
                spec.check(family, param).map_err(|e| error(e.into()))?;
                let element = (each && (wanted > 1 || ard)).then_some(e);
                let Element { input, level } = elements.get(e).filter(|_| each).cloned().unwrap_or_default();
                let column = if each { input.as_ref() } else { inputs.first() }.filter(|_| !of_function);
                let warped = level.is_some() || view.is_some_and(|view| self.changes_units(view));
                let measured = if each { column.map(std::slice::from_ref).unwrap_or_default() } else { inputs };
                let time = if warped || !spec.is_along_input() { None } else { self.time_unit(measured) };
                let (written, param) = (param, &time.map_or_else(|| param.clone(), |unit| param.in_unit(unit)));
                let timed = written.time.or(written.prior.and_then(|prior| prior.time));
                if timed.is_some() && time.is_none() {
                    let inputs = measured.iter().map(|&c| self.schema.columns[c].name.to_string()).collect();
                    return Err(error(Cause::NoTime { family, param: spec.name, inputs, warped }));
                }
                let plain = param.prior.map(|prior| prior.density.into());
                let plain = Param { time: None, prior: plain, ..param.clone() };
                spec.check(family, &plain).map_err(|e| error(e.into()))?;
                let slot = Slot {
                    family,
                    spec,
                    element,
                    param: param.clone(),
                    state: self.state(spec, param),
                    domain: self.domain(spec, param, column.map(|&c| self.schema.columns[c].values)),
                    value: param.value().unwrap_or_else(|| default_value(spec, param)),
                    start: (spec.role == Role::Start && param.state == State::Unset)
                        .then(|| self.least(view, looks))
                        .flatten(),
                    columns: match each || of_function {
                        true => column.into_iter().copied().collect(),
                        false => inputs.to_vec(),
                    },
                    warped,
                    time,
                    // indicators of two rows differ by 0 or 1
                    width: if level.is_some() { Some(1.0) } else { self.view_width(view, looks) },
                    level,
                    labels: self.labels.clone(),
                    origin,
                    uses: 1,
                    in_product: self.in_product,
                };
                slots.push(self.slot(slot).map_err(error)?);
            }
            ranges.push(start..slots.len());
            place.push(slots[start..].to_vec());
        }
        self.places.push(place);
        Ok((slots, ranges))
    }

    /// The common unit of inputs that are times; `None` if they are not.
    fn time_unit(&self, inputs: &[usize]) -> Option<TimeUnit> {
        let mut units = inputs.iter().map(|&c| self.schema.columns[c].time);
        let first = units.next().flatten()?;
        units.all(|unit| unit == Some(first)).then_some(first)
    }

    /// Whether the inputs in a view have units other than those of the data.
    pub(in crate::kernel) fn changes_units(&self, view: usize) -> bool {
        match self.views[view].map {
            ViewMap::Identity => false,
            ViewMap::Placed(_) | ViewMap::Folded { .. } | ViewMap::Indicators(_) => {
                self.changes_units(self.views[view].parent)
            }
            _ => true,
        }
    }

    /// The spread of the rows in a view that transforms the inputs: the root of the summed variances of the columns.
    pub(in crate::kernel) fn view_width(&self, view: Option<usize>, looks: &InputColumns) -> Option<f64> {
        let view = view.filter(|&view| self.changes_units(view))?;
        let squares = looks.columns.iter().map(|&c| standard_deviation(&self.columns[view][c]).powi(2));
        Some(squares.sum::<f64>().sqrt()).filter(|width| width.is_finite() && *width > 0.0)
    }

    /// The least finite value of the first column that a node reads.
    fn least(&self, view: Option<usize>, looks: &InputColumns) -> Option<f64> {
        let column = self.columns.get(view.unwrap_or(0))?.get(*looks.columns.first()?)?;
        column.iter().copied().filter(|x| x.is_finite()).min_by(f64::total_cmp)
    }

    pub(in crate::kernel) fn state(&self, spec: &ParamSpec, param: &Param) -> SlotState {
        match param.state {
            State::Fixed(_) => SlotState::Fixed,
            _ if spec.domain == Domains::Count => SlotState::Fixed,
            State::Unset if spec.role == Role::Start && param.prior.is_none() => SlotState::Fixed,
            State::Unset
                if spec.is_variance() && self.unit_variance && param.prior.is_none() && param.tie.is_none() =>
            {
                SlotState::Held
            }
            _ => SlotState::Free,
        }
    }

    pub(in crate::kernel) fn domain(&self, spec: &ParamSpec, param: &Param, column: Option<&[f64]>) -> Domain {
        // a prior with bounded support bounds the parameter
        let support = match param.prior.map(|prior| prior.density) {
            Some(Density::Uniform { lo, hi }) if spec.domain == Domains::Positive => Some((lo.max(0.0), hi)),
            Some(Density::Uniform { lo, hi }) => Some((lo, hi)),
            _ => None,
        };
        match (param.state, spec.domain) {
            (State::Bounded { lo, hi, .. }, _) => {
                let (least, most) = support.unwrap_or((lo, hi));
                Domain::Interval { lo: lo.max(least), hi: hi.min(most) }
            }
            _ if support.is_some_and(|(lo, hi)| lo < hi) => {
                let (lo, hi) = support.unwrap_or((0.0, 1.0));
                Domain::Interval { lo, hi }
            }
            (_, Domains::Real) => Domain::Real { unit: column.map_or(1.0, standard_deviation) },
            _ => Domain::POSITIVE,
        }
    }

    /// The index of the slot: a new one, or that of its tie.
    pub(in crate::kernel) fn slot(&mut self, slot: Slot) -> Result<usize, Cause> {
        if let Some(tie) = &slot.param.tie
            && let Some(at) = self.slots.iter().position(|s| s.param.tie.as_ref() == Some(tie))
        {
            let first = &mut self.slots[at];
            if first.param != slot.param || first.spec.domain != slot.spec.domain {
                let same = first.param == slot.param;
                let say = |s: &Slot| {
                    let what = match (same, s.spec.domain) {
                        (true, Domains::Real) => "which may have either sign".to_string(),
                        (true, Domains::Count) => "which is a whole number".to_string(),
                        (true, _) => "which is positive".to_string(),
                        (false, _) => s.param.state.to_string(),
                    };
                    format!("the {} of `{}`, {what}", s.spec.name, s.family)
                };
                return Err(Cause::Tie { tie: tie.name.to_string(), one: say(first), other: say(&slot) });
            }
            first.uses += 1;
            return Ok(at);
        }
        if let Some(tie) = &slot.param.tie
            && let Some(first) = self.slots.iter().find(|s| {
                s.param.tie.as_ref().is_some_and(|t| t.id() == tie.id() && t.is_element() != tie.is_element())
            })
        {
            let say = |s: &Slot| {
                let each = s.param.tie.as_ref().is_some_and(Tie::is_element);
                let size = if each { "one for each input" } else { "one number" };
                format!("the {} of `{}`, {size}", s.spec.name, s.family)
            };
            return Err(Cause::Tie { tie: tie.name.to_string(), one: say(first), other: say(&slot) });
        }
        self.slots.push(slot);
        Ok(self.slots.len() - 1)
    }

    /// The parameters of the periods of circles: slots that are not optimised become
    /// numbers.
    pub(in crate::kernel) fn periods(&self, slots: &[usize]) -> Vec<Period> {
        let period = |&s: &usize| match self.slots[s].state {
            SlotState::Free => Period::Slot(s),
            SlotState::Fixed | SlotState::Held => Period::Number(self.slots[s].value),
        };
        slots.iter().map(period).collect()
    }

    /// Records that a wrap has no parameters of its own.
    pub fn no_params(&mut self) {
        match &mut self.reused_place {
            Some(place) => *place += 1,
            None => self.places.push(Vec::new()),
        }
    }
}

fn default_value(spec: &ParamSpec, param: &Param) -> f64 {
    match (param.state, param.prior) {
        (State::Bounded { lo, hi, .. }, _) if spec.default < lo || spec.default > hi => {
            if lo > 0.0 {
                (lo * hi).sqrt()
            } else {
                0.5 * (lo + hi)
            }
        }
        (_, Some(prior)) if prior.log_density(spec.default).0 == f64::NEG_INFINITY => prior.centre(),
        _ => spec.default,
    }
}

/// The standard deviation of a column; 1 where it does not vary.
pub(in crate::kernel) fn standard_deviation(column: &[f64]) -> f64 {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let sd = (column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
    if sd.is_finite() && sd > 0.0 { sd } else { 1.0 }
}
