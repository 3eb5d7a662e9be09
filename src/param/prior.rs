//! Priors of parameters, in the units of the data.

use std::fmt;

use statrs::function::gamma::ln_gamma;

use super::measure::Measure;
use crate::calendar::TimeUnit;

/// A prior of a parameter: a density, and the meaning of its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    pub density: Density,
    /// The meaning of its numbers, if they were written as durations or dates; otherwise they are in the unit of the
    /// parameter.
    pub time: Option<Measure>,
}

impl From<Density> for Prior {
    fn from(density: Density) -> Self {
        Self { density, time: None }
    }
}

/// A density of one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Density {
    Normal {
        mean: f64,
        sd: f64,
    },
    /// `mean` and `sd` are those of the logarithm.
    LogNormal {
        mean: f64,
        sd: f64,
    },
    Gamma {
        shape: f64,
        rate: f64,
    },
    HalfNormal {
        sd: f64,
    },
    Uniform {
        lo: f64,
        hi: f64,
    },
}

/// Names, arguments and meaning of all priors, for parsing, printing and help.
pub const PRIORS: [(&str, [&str; 2], usize, &str); 5] = [
    ("Normal", ["mean", "sd"], 2, "the normal distribution"),
    (
        "LogNormal",
        ["mean", "sd"],
        2,
        "the log-normal distribution, by the mean and standard deviation of the logarithm",
    ),
    ("Gamma", ["shape", "rate"], 2, "the gamma distribution, with mean shape/rate"),
    ("HalfNormal", ["sd", ""], 1, "the half-normal distribution: positive values, most likely near 0"),
    ("Uniform", ["lo", "hi"], 2, "the uniform distribution from `lo` to `hi`"),
];

const LOG_SQRT_2PI: f64 = 0.918_938_533_204_672_7;

impl Density {
    /// The density with this name (as in [`PRIORS`]) and arguments. `None` for an unknown name, a wrong number of
    /// arguments, or arguments outside their range.
    pub fn new(name: &str, args: &[f64]) -> Option<Self> {
        if args.iter().any(|a| !a.is_finite()) {
            return None;
        }
        match (name, args) {
            ("Normal", &[mean, sd]) if sd > 0.0 => Some(Density::Normal { mean, sd }),
            ("LogNormal", &[mean, sd]) if sd > 0.0 => Some(Density::LogNormal { mean, sd }),
            ("Gamma", &[shape, rate]) if shape > 0.0 && rate > 0.0 => Some(Density::Gamma { shape, rate }),
            ("HalfNormal", &[sd]) if sd > 0.0 => Some(Density::HalfNormal { sd }),
            ("Uniform", &[lo, hi]) if lo < hi => Some(Density::Uniform { lo, hi }),
            _ => None,
        }
    }

    /// The log density at a value, and its derivative there. Outside the support: −∞ and 0.
    pub fn log_density(&self, x: f64) -> (f64, f64) {
        let outside = (f64::NEG_INFINITY, 0.0);
        match *self {
            Density::Normal { mean, sd } => {
                let z = (x - mean) / sd;
                (-0.5 * z * z - sd.ln() - LOG_SQRT_2PI, -z / sd)
            }
            Density::LogNormal { mean, sd } => {
                if x <= 0.0 {
                    return outside;
                }
                let z = (x.ln() - mean) / sd;
                (-0.5 * z * z - sd.ln() - LOG_SQRT_2PI - x.ln(), -(z / sd + 1.0) / x)
            }
            Density::Gamma { shape, rate } => {
                if x <= 0.0 {
                    return outside;
                }
                let log = shape * rate.ln() - ln_gamma(shape) + (shape - 1.0) * x.ln() - rate * x;
                (log, (shape - 1.0) / x - rate)
            }
            Density::HalfNormal { sd } => {
                if x < 0.0 {
                    return outside;
                }
                let z = x / sd;
                (-0.5 * z * z - sd.ln() - LOG_SQRT_2PI + std::f64::consts::LN_2, -z / sd)
            }
            Density::Uniform { lo, hi } => {
                if x < lo || x > hi {
                    return outside;
                }
                (-(hi - lo).ln(), 0.0)
            }
        }
    }

    /// A central value (the median, the mean, or near these), where a fit may start without other information.
    pub fn centre(&self) -> f64 {
        match *self {
            Density::Normal { mean, .. } => mean,
            Density::LogNormal { mean, .. } => mean.exp(),
            Density::Gamma { shape, rate } => shape / rate,
            Density::HalfNormal { sd } => 0.674 * sd,
            Density::Uniform { lo, hi } => 0.5 * (lo + hi),
        }
    }
}

impl Prior {
    /// The log density at a value, and its derivative there. Outside the support: −∞ and 0.
    pub fn log_density(&self, x: f64) -> (f64, f64) {
        self.density.log_density(x)
    }

    /// A central value (the median, the mean, or near these), where a fit may start without other information.
    pub fn centre(&self) -> f64 {
        self.density.centre()
    }

    /// The same prior with its numbers in this unit, if they are times.
    pub fn in_unit(self, to: TimeUnit) -> Self {
        let Some(measure) = self.time else { return self };
        if measure.unit() == to {
            return self;
        }
        let (at, length) = (|x| measure.convert(x, to), |x| measure.unit().convert(x, to));
        let density = match self.density {
            Density::Normal { mean, sd } => Density::Normal { mean: at(mean), sd: length(sd) },
            Density::LogNormal { mean, sd } => Density::LogNormal { mean: length(mean.exp()).ln(), sd },
            Density::Gamma { shape, rate } => Density::Gamma { shape, rate: to.convert(rate, measure.unit()) },
            Density::HalfNormal { sd } => Density::HalfNormal { sd: length(sd) },
            Density::Uniform { lo, hi } => Density::Uniform { lo: at(lo), hi: at(hi) },
        };
        Self { density, time: Some(measure.in_unit(to)) }
    }

    /// The arguments as texts of times, if these parse to the same numbers.
    fn timed(&self) -> Option<String> {
        let measure = self.time?;
        let length = Measure::Length(measure.unit());
        let at = |x: f64| Some(format!("\"{}\"", measure.text(x)?));
        let amount = |x: f64| Some(format!("\"{}\"", length.text(x)?));
        Some(match self.density {
            Density::Normal { mean, sd } => format!("Normal({}, {})", at(mean)?, amount(sd)?),
            Density::LogNormal { mean, sd } => format!("LogNormal({}, {sd})", amount(exponential(mean)?)?),
            Density::Gamma { .. } => return None,
            Density::HalfNormal { sd } => format!("HalfNormal({})", amount(sd)?),
            Density::Uniform { lo, hi } => format!("Uniform({}, {})", at(lo)?, at(hi)?),
        })
    }
}

/// The number with the fewest digits whose logarithm is `log`, to the last bit.
fn exponential(log: f64) -> Option<f64> {
    let middle = log.exp();
    let near = (-8i64..=8).map(|by| f64::from_bits(middle.to_bits().wrapping_add_signed(by)));
    near.filter(|x| x.ln().to_bits() == log.to_bits()).min_by_key(|x| x.to_string().len())
}

/// The source form. It parses back to the same prior.
impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(timed) = self.timed() {
            return f.write_str(&timed);
        }
        match self.density {
            Density::Normal { mean, sd } => write!(f, "Normal({mean}, {sd})"),
            Density::LogNormal { mean, sd } => write!(f, "LogNormal({mean}, {sd})"),
            Density::Gamma { shape, rate } => write!(f, "Gamma({shape}, {rate})"),
            Density::HalfNormal { sd } => write!(f, "HalfNormal({sd})"),
            Density::Uniform { lo, hi } => write!(f, "Uniform({lo}, {hi})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Density, Measure, Prior};
    use crate::calendar::TimeUnit;

    const ALL: [Density; 5] = [
        Density::Normal { mean: 1.0, sd: 2.0 },
        Density::LogNormal { mean: 0.5, sd: 0.7 },
        Density::Gamma { shape: 2.0, rate: 1.5 },
        Density::HalfNormal { sd: 1.3 },
        Density::Uniform { lo: 0.1, hi: 4.0 },
    ];

    #[test]
    fn densities_integrate_to_one() {
        for prior in ALL {
            let (n, lo, hi) = (400_000, -20.0, 60.0);
            let h = (hi - lo) / n as f64;
            let mass: f64 = (0..n).map(|i| prior.log_density(lo + (i as f64 + 0.5) * h).0.exp() * h).sum();
            assert!((mass - 1.0).abs() < 2e-3, "{prior:?} {mass}");
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        for prior in ALL {
            for x in [0.3, 1.0, 2.5] {
                let h = 1e-6;
                let d = (prior.log_density(x + h).0 - prior.log_density(x - h).0) / (2.0 * h);
                assert!((d - prior.log_density(x).1).abs() < 1e-7, "{prior:?} at {x}");
            }
        }
    }

    #[test]
    fn arguments_are_checked() {
        assert!(Density::new("Normal", &[0.0, -1.0]).is_none());
        assert!(Density::new("Uniform", &[2.0, 1.0]).is_none());
        assert!(Density::new("Cauchy", &[0.0, 1.0]).is_none());
        assert_eq!(Density::new("Gamma", &[2.0, 1.5]), Some(ALL[2]));
    }

    #[test]
    fn priors_over_times_change_their_unit_and_print_as_times() {
        let months = Some(Measure::Length(TimeUnit::Month));
        let of = |density: Density| Prior { density, time: months };
        let log = of(Density::LogNormal { mean: 3f64.ln(), sd: 1.0 });
        assert_eq!(log.to_string(), "LogNormal(\"3 months\", 1)");
        let days = log.in_unit(TimeUnit::Day);
        let Density::LogNormal { mean, sd } = days.density else { panic!("another density") };
        // a month is a twelfth of 365.25 days
        assert!((mean - 91.3125f64.ln()).abs() < 1e-12 && sd == 1.0);
        // the same prior: densities differ by the length of the unit
        for density in [ALL[0], ALL[1], ALL[3], ALL[4]] {
            let (one, other) = (of(density), of(density).in_unit(TimeUnit::Day));
            let per = 365.25 / 12.0;
            assert!((one.log_density(1.5).0 - other.log_density(1.5 * per).0 - f64::ln(per)).abs() < 1e-9, "{one}");
        }
        assert_eq!(of(Density::HalfNormal { sd: 2.0 }).to_string(), "HalfNormal(\"2 months\")");
        assert_eq!(of(Density::Uniform { lo: 1.0, hi: 2.0 }).to_string(), "Uniform(\"1 month\", \"2 months\")");
    }
}
