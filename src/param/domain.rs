//! The domain of a parameter, and its map to the real line.

/// The set of values that a parameter may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Domain {
    /// All real numbers, with coordinates in units of `unit` (the spread of a column).
    Real { unit: f64 },
    /// Positive numbers. The coordinate is the logarithm of the ratio to `unit`, a power of two of the size of the
    /// data, so that coordinates do not depend on the units of the data.
    Positive { unit: f64 },
    /// An interval. The coordinate is the logit of the relative position between the bounds, or between their
    /// logarithms if both are positive, so that a wide interval is covered evenly.
    Interval { lo: f64, hi: f64 },
}

impl Domain {
    /// Whether a value is finite and in the domain. Bounds are in the domain.
    pub fn contains(&self, value: f64) -> bool {
        value.is_finite()
            && match *self {
                Domain::Real { .. } => true,
                Domain::Positive { .. } => value > 0.0,
                Domain::Interval { lo, hi } => lo <= value && value <= hi,
            }
    }

    /// The coordinate of a value on the real line. A value on a bound counts as slightly inside.
    pub fn to_real(&self, value: f64) -> f64 {
        match *self {
            Domain::Real { unit } => value / unit,
            Domain::Positive { unit } => (value / unit).ln(),
            Domain::Interval { lo, hi } => {
                let share = if lo > 0.0 { (value / lo).ln() / (hi / lo).ln() } else { (value - lo) / (hi - lo) };
                let share = share.clamp(1e-9, 1.0 - 1e-9);
                (share / (1.0 - share)).ln()
            }
        }
    }

    /// The value at a coordinate: the inverse of [`to_real`](Self::to_real).
    pub fn from_real(&self, at: f64) -> f64 {
        match *self {
            Domain::Real { unit } => at * unit,
            Domain::Positive { unit } => at.exp() * unit,
            Domain::Interval { lo, hi } => {
                let share = 1.0 / (1.0 + (-at).exp());
                let value = if lo > 0.0 { lo * (share * (hi / lo).ln()).exp() } else { lo + share * (hi - lo) };
                value.clamp(lo, hi)
            }
        }
    }

    /// Positive numbers, with unit 1.
    pub const POSITIVE: Self = Domain::Positive { unit: 1.0 };

    /// The value whose coordinate is larger by `by`. For positive values the ratio of the two is the same at any scale.
    pub fn moved(&self, value: f64, by: f64) -> f64 {
        match *self {
            Domain::Positive { .. } => value * by.exp(),
            Domain::Real { unit } => value + by * unit,
            Domain::Interval { .. } => self.from_real(self.to_real(value) + by),
        }
    }

    /// d value / d coordinate, at a value.
    pub fn slope(&self, value: f64) -> f64 {
        match *self {
            Domain::Real { unit } => unit,
            Domain::Positive { .. } => value,
            Domain::Interval { lo, hi } => {
                let at = self.to_real(value);
                let share = 1.0 / (1.0 + (-at).exp());
                let within = share * (1.0 - share);
                if lo > 0.0 { value * (hi / lo).ln() * within } else { (hi - lo) * within }
            }
        }
    }

    /// d log(slope) / d coordinate, at a value: the contribution of the Jacobian of the map to the gradient of a log
    /// prior.
    pub fn log_slope_slope(&self, value: f64) -> f64 {
        match *self {
            Domain::Real { .. } => 0.0,
            Domain::Positive { .. } => 1.0,
            Domain::Interval { lo, hi } => {
                let at = self.to_real(value);
                let share = 1.0 / (1.0 + (-at).exp());
                let logit = 1.0 - 2.0 * share;
                if lo > 0.0 { logit + (hi / lo).ln() * share * (1.0 - share) } else { logit }
            }
        }
    }

    /// Whether a value is so close to a bound that a fit has reached the bound.
    pub fn on_bound(&self, value: f64) -> bool {
        matches!(self, Domain::Interval { .. }) && self.to_real(value).abs() > 9.0
    }
}

#[cfg(test)]
mod tests {
    use super::Domain;

    const DOMAINS: [Domain; 5] = [
        Domain::Real { unit: 3.0 },
        Domain::Positive { unit: 1.0 },
        Domain::Positive { unit: 0.25 },
        Domain::Interval { lo: 0.5, hi: 200.0 },
        Domain::Interval { lo: -2.0, hi: 4.0 },
    ];

    #[test]
    fn maps_invert() {
        for domain in DOMAINS {
            for value in [0.6, 1.0, 3.9] {
                let back = domain.from_real(domain.to_real(value));
                assert!((back - value).abs() < 1e-12, "{domain:?} {value} {back}");
                let moved = domain.moved(value, 0.3);
                assert!((domain.to_real(moved) - domain.to_real(value) - 0.3).abs() < 1e-12, "{domain:?} {value}");
            }
        }
    }

    #[test]
    fn slopes_agree_with_differences() {
        let h = 1e-5;
        for domain in DOMAINS {
            for value in [0.6, 1.0, 3.9] {
                let at = domain.to_real(value);
                let (up, down) = (domain.from_real(at + h), domain.from_real(at - h));
                let slope = (up - down) / (2.0 * h);
                assert!((slope - domain.slope(value)).abs() < 1e-7 * slope.abs().max(1.0), "{domain:?} {value}");
                let second = (domain.slope(up).ln() - domain.slope(down).ln()) / (2.0 * h);
                assert!((second - domain.log_slope_slope(value)).abs() < 1e-6, "{domain:?} {value}");
            }
        }
    }

    #[test]
    fn bounds_are_inside_and_finite() {
        let domain = Domain::Interval { lo: 0.5, hi: 2.0 };
        assert!(domain.contains(0.5) && domain.contains(2.0) && !domain.contains(2.1));
        assert!(domain.to_real(0.5).is_finite() && domain.on_bound(0.5) && !domain.on_bound(1.0));
    }
}
