//! Checks of written parameters.

use super::family::{Domains, ParamSpec, Role};
use crate::param::{Density, Measure, Param, Prior, State, number};

/// Why a written parameter is not valid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    #[error("the {param} of `{family}` must be positive, found {}", number(*.value))]
    NotPositive { family: &'static str, param: &'static str, value: f64 },
    #[error("the {param} of `{family}` must be a finite number, found {}", number(*.value))]
    NotFinite { family: &'static str, param: &'static str, value: f64 },
    #[error("the {param} of `{family}` must be a whole number from 1 to 64, found {}", number(*.value))]
    NotCount { family: &'static str, param: &'static str, value: f64 },
    #[error("the {param} of `{family}` is not a free parameter: give a whole number")]
    AlwaysFixed { family: &'static str, param: &'static str },
    #[error("the bounds of the {param} of `{family}` are the wrong way round: {} is not below {}", number(*.lo), number(*.hi))]
    Bounds { family: &'static str, param: &'static str, lo: f64, hi: f64 },
    #[error("the {param} of `{family}` starts at {}, outside its bounds {} and {}", number(*.value), number(*.lo), number(*.hi))]
    Outside { family: &'static str, param: &'static str, value: f64, lo: f64, hi: f64 },
    #[error("the {param} of `{family}` is not a time, found \"{value}\": give a number")]
    NotTime { family: &'static str, param: &'static str, value: String },
    #[error("the {param} of `{family}` is a date, found the length \"{value}\": write it as \"2020-03-15\"")]
    NotDate { family: &'static str, param: &'static str, value: String },
    #[error("the {param} of `{family}` is a length of time, found the date \"{value}\": write it as \"10 days\"")]
    NotLength { family: &'static str, param: &'static str, value: String },
    #[error("the prior {prior} of the {param} of `{family}` has density zero at {}", number(*.value))]
    Prior { family: &'static str, param: &'static str, prior: String, value: f64 },
    #[error("the prior {prior} of the {param} of `{family}` has no probability between its bounds {} and {}", number(*.lo), number(*.hi))]
    Apart { family: &'static str, param: &'static str, prior: String, lo: f64, hi: f64 },
}

impl ParamSpec {
    /// Checks that a time of this kind can be a value of the parameter; `value` is its text.
    fn check_time(&self, family: &'static str, measure: Measure, value: String) -> Result<(), ParamError> {
        let param = self.name;
        match (measure, self.role) {
            (Measure::Date(_), Role::Location | Role::Start)
            | (Measure::Length(_), Role::LengthScale | Role::Period) => Ok(()),
            (Measure::Length(_), Role::Location | Role::Start) => Err(ParamError::NotDate { family, param, value }),
            (Measure::Date(_), Role::LengthScale | Role::Period) => Err(ParamError::NotLength { family, param, value }),
            _ => Err(ParamError::NotTime { family, param, value }),
        }
    }

    /// Checks a written parameter.
    ///
    /// # Errors
    /// [`ParamError`]: a value outside the domain, bounds in the wrong order, or a starting value outside the bounds or
    /// the prior.
    pub fn check(&self, family: &'static str, written: &Param) -> Result<(), ParamError> {
        let param = self.name;
        let one = |value: f64| match self.domain {
            _ if !value.is_finite() => Err(ParamError::NotFinite { family, param, value }),
            // an additive kernel without this order, a linear one without an offset
            Domains::Positive
                if value == 0.0 && matches!(self.role, Role::OrderVariance | Role::Bias) && written.is_fixed() =>
            {
                Ok(())
            }
            Domains::Positive if value <= 0.0 => Err(ParamError::NotPositive { family, param, value }),
            Domains::Count if value < 1.0 || value.fract() != 0.0 || value > 64.0 => {
                Err(ParamError::NotCount { family, param, value })
            }
            _ => Ok(()),
        };
        if let Some(measure) = written.time {
            let value = match written.state {
                State::Bounded { lo, .. } => lo,
                _ => written.value().unwrap_or(0.0),
            };
            self.check_time(family, measure, measure.text(value).unwrap_or_else(|| number(value)))?;
        }
        if let Some((prior, measure)) = written.prior.and_then(|prior| Some((prior, prior.time?))) {
            // the spread of a location in time is a length
            let spread = self.role.is_place() && matches!(prior.density, Density::HalfNormal { .. });
            let number = match prior.density {
                Density::Normal { mean: x, .. } | Density::Uniform { lo: x, .. } | Density::HalfNormal { sd: x } => x,
                Density::LogNormal { mean, .. } => mean.exp(),
                Density::Gamma { shape, rate } => shape / rate,
            };
            if !spread {
                self.check_time(family, measure, measure.text(number).unwrap_or_else(|| prior.to_string()))?;
            }
        }
        if let Some(value) = written.value() {
            one(value)?;
            let unit = |time: Option<Measure>| time.map(Measure::unit);
            let same_unit = |prior: &Prior| unit(prior.time) == unit(written.time);
            if let Some(prior) = written.prior.filter(same_unit).filter(|p| p.log_density(value).0 == f64::NEG_INFINITY)
            {
                return Err(ParamError::Prior { family, param, prior: prior.to_string(), value });
            }
        }
        if let (State::Bounded { lo, hi, .. }, Some(prior)) = (written.state, written.prior)
            && let Density::Uniform { lo: least, hi: most } = prior.density
            && prior.time.map(Measure::unit) == written.time.map(Measure::unit)
            && lo.max(least) >= hi.min(most)
        {
            return Err(ParamError::Apart { family, param, prior: prior.to_string(), lo, hi });
        }
        match written.state {
            State::Bounded { lo, hi, value } => {
                if self.domain == Domains::Count {
                    return Err(ParamError::AlwaysFixed { family, param });
                }
                if self.domain == Domains::Positive && lo < 0.0 {
                    return Err(ParamError::NotPositive { family, param, value: lo });
                }
                for bound in [lo, hi] {
                    if !bound.is_finite() {
                        return Err(ParamError::NotFinite { family, param, value: bound });
                    }
                }
                if lo >= hi {
                    return Err(ParamError::Bounds { family, param, lo, hi });
                }
                match value {
                    Some(value) if value < lo || value > hi => {
                        Err(ParamError::Outside { family, param, value, lo, hi })
                    }
                    _ => Ok(()),
                }
            }
            _ if self.domain == Domains::Count && (written.prior.is_some() || written.tie.is_some()) => {
                Err(ParamError::AlwaysFixed { family, param })
            }
            _ => Ok(()),
        }
    }
}
