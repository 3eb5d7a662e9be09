//! The posterior of an integral: a normal, Student-t or log-normal distribution, or a mixture of these.

use statrs::distribution::{Continuous, ContinuousCDF, Normal, StudentsT};

/// The family of a component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    Normal,
    StudentT {
        degrees: f64,
    },
    /// For an integral that is positive.
    LogNormal,
}

/// One component of a posterior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PosteriorComponent {
    pub weight: f64,
    pub mean: f64,
    /// The standard deviation, or the scale of a Student-t.
    pub scale: f64,
    pub shape: Shape,
}

/// The distribution of an integral given the evaluations.
#[derive(Debug, Clone, PartialEq)]
pub struct IntegralPosterior {
    components: Vec<PosteriorComponent>,
}

impl PosteriorComponent {
    fn degrees(&self) -> Option<f64> {
        match self.shape {
            Shape::StudentT { degrees } => Some(degrees),
            Shape::Normal | Shape::LogNormal => None,
        }
    }

    fn variance(&self) -> f64 {
        match self.degrees() {
            None => self.scale * self.scale,
            Some(n) if n > 2.0 => self.scale * self.scale * n / (n - 2.0),
            Some(_) => f64::INFINITY,
        }
    }

    /// Mean and standard deviation of the logarithm, of a log-normal distribution.
    fn of_log(&self) -> Option<(f64, f64)> {
        if self.shape != Shape::LogNormal || self.mean <= 0.0 {
            return None;
        }
        let variance = (self.scale / self.mean).powi(2).ln_1p();
        Some((self.mean.ln() - 0.5 * variance, variance.sqrt()))
    }

    fn cdf(&self, x: f64) -> f64 {
        if let Some((mean, sd)) = self.of_log() {
            return if x > 0.0 { Normal::standard().cdf((x.ln() - mean) / sd) } else { 0.0 };
        }
        let z = (x - self.mean) / self.scale;
        match self.degrees().and_then(|n| StudentsT::new(0.0, 1.0, n).ok()) {
            Some(t) => t.cdf(z),
            None => Normal::standard().cdf(z),
        }
    }

    fn pdf(&self, x: f64) -> f64 {
        if let Some((mean, sd)) = self.of_log() {
            return if x > 0.0 { Normal::standard().pdf((x.ln() - mean) / sd) / (x * sd) } else { 0.0 };
        }
        let z = (x - self.mean) / self.scale;
        let unit = match self.degrees().and_then(|n| StudentsT::new(0.0, 1.0, n).ok()) {
            Some(t) => t.pdf(z),
            None => Normal::standard().pdf(z),
        };
        unit / self.scale
    }

    /// The quantile at `p` for mean 0 and scale 1, of a normal or Student-t distribution.
    pub fn unit_quantile(&self, p: f64) -> f64 {
        match self.degrees().and_then(|n| StudentsT::new(0.0, 1.0, n).ok()) {
            Some(t) => t.inverse_cdf(p),
            None => Normal::standard().inverse_cdf(p),
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        match self.of_log() {
            Some((mean, sd)) => (mean + sd * Normal::standard().inverse_cdf(p)).exp(),
            None => self.mean + self.scale * self.unit_quantile(p),
        }
    }
}

impl IntegralPosterior {
    /// A mixture; weights are normalised. There must be at least one component.
    pub fn new(mut components: Vec<PosteriorComponent>) -> Self {
        let total: f64 = components.iter().map(|c| c.weight).sum();
        components.iter_mut().for_each(|c| c.weight /= total);
        Self { components }
    }

    /// A distribution with one component.
    pub fn one(mean: f64, scale: f64, shape: Shape) -> Self {
        Self { components: vec![PosteriorComponent { weight: 1.0, mean, scale, shape }] }
    }

    /// The components of the mixture.
    pub fn components(&self) -> &[PosteriorComponent] {
        &self.components
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.components.iter().map(|c| c.weight * c.mean).sum()
    }

    /// The standard deviation; infinite for a Student-t with at most two degrees of freedom.
    pub fn sd(&self) -> f64 {
        let mean = self.mean();
        let one = |c: &PosteriorComponent| c.weight * (c.variance() + (c.mean - mean).powi(2));
        self.components.iter().map(one).sum::<f64>().sqrt()
    }

    /// The degrees of freedom, if it is a single Student-t.
    pub fn degrees(&self) -> Option<f64> {
        match self.components[..] {
            [one] => one.degrees(),
            _ => None,
        }
    }

    /// Whether it is log-normal, or a mixture of such.
    pub fn is_log_normal(&self) -> bool {
        self.components.iter().all(|one| one.shape == Shape::LogNormal)
    }

    /// The density at a value of the integral.
    pub fn density(&self, x: f64) -> f64 {
        self.components.iter().map(|c| c.weight * c.pdf(x)).sum()
    }

    /// The quantile at `p`, strictly between 0 and 1.
    pub fn quantile(&self, p: f64) -> f64 {
        let each = self.components.iter().map(|c| c.quantile(p));
        let (mut lo, mut hi) = each.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), q| (lo.min(q), hi.max(q)));
        // the quantile of a mixture lies between those of its components
        for _ in 0..200 {
            let middle = 0.5 * (lo + hi);
            if !(lo < middle && middle < hi) {
                break;
            }
            let below: f64 = self.components.iter().map(|c| c.weight * c.cdf(middle)).sum();
            if below < p {
                lo = middle;
            } else {
                hi = middle;
            }
        }
        0.5 * (lo + hi)
    }

    /// The central interval with this probability.
    pub fn interval(&self, share: f64) -> (f64, f64) {
        (self.quantile(0.5 - 0.5 * share), self.quantile(0.5 + 0.5 * share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_known_distributions() {
        let (lo, hi) = IntegralPosterior::one(1.0, 2.0, Shape::Normal).interval(0.95);
        assert!((hi - 1.0 - 2.0 * 1.959_963_984_540_054).abs() < 1e-9 && (lo + hi - 2.0).abs() < 1e-9);
        // the tabulated quantile of the Student-t with 5 degrees of freedom
        let t = IntegralPosterior::one(0.0, 1.0, Shape::StudentT { degrees: 5.0 });
        assert!((t.interval(0.95).1 - 2.570_581_835_636_314).abs() < 1e-7);
        assert!((t.sd() - (5f64 / 3.0).sqrt()).abs() < 1e-12);
        let two = IntegralPosterior::new(vec![
            PosteriorComponent { weight: 1.0, mean: -1.0, scale: 0.5, shape: Shape::Normal },
            PosteriorComponent { weight: 1.0, mean: 1.0, scale: 0.5, shape: Shape::Normal },
        ]);
        assert!(two.quantile(0.5).abs() < 1e-9 && (two.sd() - 1.25f64.sqrt()).abs() < 1e-12);
        // a log-normal with mean e^½ and variance e(e − 1) is the exponential of a standard normal
        let e = std::f64::consts::E;
        let log = IntegralPosterior::one(e.sqrt(), (e * (e - 1.0)).sqrt(), Shape::LogNormal);
        let (lo, hi) = log.interval(0.95);
        assert!((hi.ln() - 1.959_963_984_540_054).abs() < 1e-9 && (lo * hi - 1.0).abs() < 1e-9);
        assert!((log.density(1.0) - (2.0 * std::f64::consts::PI).sqrt().recip()).abs() < 1e-12);
    }
}
