//! The sliders of parameters: their ranges, which do not move with the values.

use mercer::calendar::{Resolution, TimeScale, TimeUnit};
use mercer::describe::significant;
use mercer::model::Parameter;
use mercer::param::Domain;
use serde::Serialize;

use super::scene::Scene;

/// The number of values of a curve of the evidence.
const POINTS: usize = 25;
/// A positive parameter ranges over this factor below and above its start.
const FACTOR: f64 = 100.0;
/// Any other ranges over this number of units below and above its start.
const UNITS: f64 = 3.0;
/// The number of digits of a shown value.
const DIGITS: usize = 4;

/// A parameter with its slider.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slider {
    pub name: String,
    pub value: f64,
    /// The value with few digits.
    pub shown: String,
    pub unit: Option<String>,
    /// The seconds of the unit, if the value is a date.
    pub date: Option<f64>,
    /// Whether it can be moved; others are fixed, or held because another parameter has the same effect.
    pub free: bool,
    /// The ends of the slider.
    pub ends: (f64, f64),
    /// Whether equal steps are equal ratios.
    pub log: bool,
}

impl Slider {
    fn new(parameter: &Parameter, start: f64, value: f64) -> Self {
        let (lo, hi, log) = match parameter.domain {
            Domain::Positive { .. } => (start / FACTOR, start * FACTOR, true),
            Domain::Real { unit } => (start - UNITS * unit, start + UNITS * unit, false),
            Domain::Interval { lo, hi } => (lo, hi, lo > 0.0),
        };
        // a fit may lead further; whole steps outward, so that the ends seldom change
        let (mut lo, mut hi) = (lo, hi);
        while log && value > 0.0 && value < lo && !matches!(parameter.domain, Domain::Interval { .. }) {
            lo /= 10.0;
        }
        while log && value.is_finite() && value > hi && !matches!(parameter.domain, Domain::Interval { .. }) {
            hi *= 10.0;
        }
        if !log {
            let step = (hi - lo).abs().max(f64::MIN_POSITIVE) / 2.0;
            lo -= step * ((lo - value) / step).ceil().max(0.0);
            hi += step * ((value - hi) / step).ceil().max(0.0);
        }
        let free = parameter.is_free() && lo < hi && lo.is_finite() && hi.is_finite();
        let (name, unit) = (parameter.name.clone(), parameter.unit.clone());
        let date = parameter.time.filter(|_| parameter.role.is_place());
        let shown = match date {
            Some(unit) => TimeScale { unit, resolution: Resolution::Day }.text(value),
            None => significant(value, DIGITS),
        };
        let (unit, date) = (unit.filter(|_| date.is_none()), date.map(TimeUnit::seconds));
        Self { name, value, shown, unit, date, free, ends: (lo, hi), log }
    }

    /// Values along the slider, its own among them.
    pub fn along(&self) -> Vec<f64> {
        let (lo, hi) = self.ends;
        let share = |i: usize| i as f64 / (POINTS - 1) as f64;
        let at = |t: f64| if self.log { lo * (hi / lo).powf(t) } else { lo + t * (hi - lo) };
        let mut values: Vec<f64> = (0..POINTS).map(|i| at(share(i)).clamp(lo, hi)).collect();
        let place = values.partition_point(|v| *v < self.value);
        if values.get(place) != Some(&self.value) {
            values.insert(place, self.value);
        }
        values
    }
}

/// The sliders of all parameters, in their order.
pub fn sliders(scene: &Scene) -> Vec<Slider> {
    let values = scene.starts.iter().zip(&scene.values);
    let parameters = scene.problem.parameters().iter().zip(values);
    parameters.map(|(parameter, (start, value))| Slider::new(parameter, *start, *value)).collect()
}
