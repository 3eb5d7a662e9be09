//! Priors over parameters, in the units of the data.

use std::fmt;

use statrs::function::gamma::ln_gamma;

/// A density over one parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Prior {
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

/// Names, arguments and meaning of every prior, for whoever parses, prints or explains one.
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

impl Prior {
    /// The prior of a name (as in [`PRIORS`]) with its arguments. `None` for an unknown name, a wrong number of
    /// arguments, or arguments outside their range.
    pub fn new(name: &str, args: &[f64]) -> Option<Self> {
        if args.iter().any(|a| !a.is_finite()) {
            return None;
        }
        match (name, args) {
            ("Normal", &[mean, sd]) if sd > 0.0 => Some(Prior::Normal { mean, sd }),
            ("LogNormal", &[mean, sd]) if sd > 0.0 => Some(Prior::LogNormal { mean, sd }),
            ("Gamma", &[shape, rate]) if shape > 0.0 && rate > 0.0 => Some(Prior::Gamma { shape, rate }),
            ("HalfNormal", &[sd]) if sd > 0.0 => Some(Prior::HalfNormal { sd }),
            ("Uniform", &[lo, hi]) if lo < hi => Some(Prior::Uniform { lo, hi }),
            _ => None,
        }
    }

    /// The log density at a value, and its derivative there. Outside the support: −∞ and 0.
    pub fn log_density(&self, x: f64) -> (f64, f64) {
        let outside = (f64::NEG_INFINITY, 0.0);
        match *self {
            Prior::Normal { mean, sd } => {
                let z = (x - mean) / sd;
                (-0.5 * z * z - sd.ln() - LOG_SQRT_2PI, -z / sd)
            }
            Prior::LogNormal { mean, sd } => {
                if x <= 0.0 {
                    return outside;
                }
                let z = (x.ln() - mean) / sd;
                (-0.5 * z * z - sd.ln() - LOG_SQRT_2PI - x.ln(), -(z / sd + 1.0) / x)
            }
            Prior::Gamma { shape, rate } => {
                if x <= 0.0 {
                    return outside;
                }
                let log = shape * rate.ln() - ln_gamma(shape) + (shape - 1.0) * x.ln() - rate * x;
                (log, (shape - 1.0) / x - rate)
            }
            Prior::HalfNormal { sd } => {
                if x < 0.0 {
                    return outside;
                }
                let z = x / sd;
                (-0.5 * z * z - sd.ln() - LOG_SQRT_2PI + std::f64::consts::LN_2, -z / sd)
            }
            Prior::Uniform { lo, hi } => {
                if x < lo || x > hi {
                    return outside;
                }
                (-(hi - lo).ln(), 0.0)
            }
        }
    }

    /// A value well inside: the median or near it. Where a fit may start when nothing else is known.
    pub fn centre(&self) -> f64 {
        match *self {
            Prior::Normal { mean, .. } => mean,
            Prior::LogNormal { mean, .. } => mean.exp(),
            Prior::Gamma { shape, rate } => shape / rate,
            Prior::HalfNormal { sd } => 0.674 * sd,
            Prior::Uniform { lo, hi } => 0.5 * (lo + hi),
        }
    }

    /// The same belief about a parameter that is `factor` times as large (another unit).
    pub fn scaled(&self, factor: f64) -> Self {
        match *self {
            Prior::Normal { mean, sd } => Prior::Normal { mean: mean * factor, sd: sd * factor },
            Prior::LogNormal { mean, sd } => Prior::LogNormal { mean: mean + factor.ln(), sd },
            Prior::Gamma { shape, rate } => Prior::Gamma { shape, rate: rate / factor },
            Prior::HalfNormal { sd } => Prior::HalfNormal { sd: sd * factor },
            Prior::Uniform { lo, hi } => Prior::Uniform { lo: lo * factor, hi: hi * factor },
        }
    }
}

/// Source form: what is printed parses back to the same prior.
impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Prior::Normal { mean, sd } => write!(f, "Normal({mean}, {sd})"),
            Prior::LogNormal { mean, sd } => write!(f, "LogNormal({mean}, {sd})"),
            Prior::Gamma { shape, rate } => write!(f, "Gamma({shape}, {rate})"),
            Prior::HalfNormal { sd } => write!(f, "HalfNormal({sd})"),
            Prior::Uniform { lo, hi } => write!(f, "Uniform({lo}, {hi})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Prior;

    const ALL: [Prior; 5] = [
        Prior::Normal { mean: 1.0, sd: 2.0 },
        Prior::LogNormal { mean: 0.5, sd: 0.7 },
        Prior::Gamma { shape: 2.0, rate: 1.5 },
        Prior::HalfNormal { sd: 1.3 },
        Prior::Uniform { lo: 0.1, hi: 4.0 },
    ];

    #[test]
    fn densities_integrate_to_one() {
        for prior in ALL {
            let (n, lo, hi) = (400_000, -20.0, 60.0);
            let h = (hi - lo) / n as f64;
            let mass: f64 = (0..n).map(|i| prior.log_density(lo + (i as f64 + 0.5) * h).0.exp() * h).sum();
            assert!((mass - 1.0).abs() < 2e-3, "{prior} {mass}");
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        for prior in ALL {
            for x in [0.3, 1.0, 2.5] {
                let h = 1e-6;
                let d = (prior.log_density(x + h).0 - prior.log_density(x - h).0) / (2.0 * h);
                assert!((d - prior.log_density(x).1).abs() < 1e-7, "{prior} at {x}");
            }
        }
    }

    #[test]
    fn arguments_are_checked() {
        assert!(Prior::new("Normal", &[0.0, -1.0]).is_none());
        assert!(Prior::new("Uniform", &[2.0, 1.0]).is_none());
        assert!(Prior::new("Cauchy", &[0.0, 1.0]).is_none());
        assert_eq!(Prior::new("Gamma", &[2.0, 1.5]), Some(ALL[2]));
    }
}
