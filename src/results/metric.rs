//! Metrics, each declared once: name, meaning, direction and computation.
//!
//! Tables, checks and help read [`METRICS`]. All functions here take plain numbers: predictions and the true values.

/// The observed outcomes of some rows, with their predictions.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcomes {
    Numbers(Numbers),
    Classes(Classes),
    Several(Several),
}

/// Predictions of numbers, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// The target, in its own units.
    pub y: Vec<f64>,
    /// Its predicted means, in the same units.
    pub mean: Vec<f64>,
    /// The predictive density; `None` if a predictive variance is 0, as for a model without noise.
    pub density: Option<Density>,
}

/// The predictive densities at the true values, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    /// The log predictive density at y, noise included, in the units of y.
    pub log: Vec<f64>,
    /// Whether y lies between the 2.3 % and the 97.7 % quantile: mean ± 2 sd of a Gaussian.
    pub inside: Vec<bool>,
}

/// Predictions of one of two classes, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Classes {
    /// Whether the row is of the second class.
    pub label: Vec<bool>,
    /// The predicted probability of the second class.
    pub probability: Vec<f64>,
}

/// Predictions of one of several classes, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Several {
    /// The index of the row's class.
    pub label: Vec<usize>,
    /// For each class, the predicted probabilities; their sum over the classes is 1.
    pub probability: Vec<Vec<f64>>,
}

/// The direction of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Better {
    Less,
    More,
    /// The closer to this value, the better.
    Near(f64),
}

/// The unit of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The unit of the target.
    Target,
    /// Its square.
    TargetSquared,
    /// Natural logarithms, nats per row.
    Nats,
    /// A share of the rows, shown in percent.
    Share,
    /// No unit.
    Plain,
}

/// A measure of the quality of predictions.
#[derive(Debug)]
pub struct Metric {
    pub name: &'static str,
    pub help: &'static str,
    pub better: Better,
    pub scale: Scale,
    numbers: Option<fn(&Numbers) -> Option<f64>>,
    classes: Option<fn(&Classes) -> f64>,
    /// For several classes; present if the metric applies to two classes.
    several: Option<fn(&Several) -> f64>,
}

impl Metric {
    /// Its value; `None` if it does not apply to the predictions, or they have no density.
    pub fn of(&self, outcomes: &Outcomes) -> Option<f64> {
        match outcomes {
            Outcomes::Numbers(numbers) => self.numbers.and_then(|of| of(numbers)),
            Outcomes::Classes(classes) => self.classes.map(|of| of(classes)),
            Outcomes::Several(several) => self.several.map(|of| of(several)),
        }
    }

    /// Whether it applies to predictions of numbers.
    pub fn fits_numbers(&self) -> bool {
        self.numbers.is_some()
    }

    /// Whether it needs the predictive density of a number, rather than its mean.
    pub fn needs_density(&self) -> bool {
        self.numbers.is_some_and(|of| of(&Numbers { y: vec![0.0], mean: vec![0.0], density: None }).is_none())
    }

    /// Whether it applies to predictions of classes.
    pub fn fits_classes(&self) -> bool {
        self.classes.is_some()
    }

    /// The distance from the best possible value, up to a constant, for comparisons of models.
    pub fn loss(&self, value: f64) -> f64 {
        match self.better {
            Better::Less => value,
            Better::More => -value,
            Better::Near(best) => (value - best).abs(),
        }
    }
}

/// Metrics are identified by name.
impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All metrics, in the order of tables.
pub static METRICS: [Metric; 9] = [
    Metric {
        name: "mse",
        help: "mean squared error",
        better: Better::Less,
        scale: Scale::TargetSquared,
        numbers: Some(|n| Some(mse(&n.y, &n.mean))),
        classes: None,
        several: None,
    },
    Metric {
        name: "rmse",
        help: "its root, in the target's unit",
        better: Better::Less,
        scale: Scale::Target,
        numbers: Some(|n| Some(mse(&n.y, &n.mean).sqrt())),
        classes: None,
        several: None,
    },
    Metric {
        name: "mae",
        help: "mean absolute error",
        better: Better::Less,
        scale: Scale::Target,
        numbers: Some(|n| Some(mae(&n.y, &n.mean))),
        classes: None,
        several: None,
    },
    Metric {
        name: "error",
        help: "share of rows put into the wrong class",
        better: Better::Less,
        scale: Scale::Share,
        numbers: None,
        classes: Some(|c| error(&c.label, &c.probability)),
        several: Some(error_of_several),
    },
    Metric {
        name: "nll",
        help: "mean negative log predictive density",
        better: Better::Less,
        scale: Scale::Nats,
        numbers: Some(|n| n.density.as_ref().map(|density| -mean(density.log.iter().copied()))),
        classes: Some(|c| nll(&c.label, &c.probability)),
        several: Some(nll_of_several),
    },
    Metric {
        name: "brier",
        help: "mean squared distance of the probability from 0 or 1",
        better: Better::Less,
        scale: Scale::Plain,
        numbers: None,
        classes: Some(|c| brier(&c.label, &c.probability)),
        several: Some(brier_of_several),
    },
    Metric {
        name: "auc",
        help: "how often, of two rows, the one of a class has the higher probability of it",
        better: Better::More,
        scale: Scale::Plain,
        numbers: None,
        classes: Some(|c| auc(&c.label, &c.probability)),
        several: Some(auc_of_several),
    },
    Metric {
        name: "r2",
        help: "1 - mse / variance",
        better: Better::More,
        scale: Scale::Plain,
        numbers: Some(|n| Some(r2(&n.y, &n.mean))),
        classes: None,
        several: None,
    },
    Metric {
        name: "coverage",
        help: "within 2 sd; 95.4 % if the model is right",
        better: Better::Near(WITHIN_TWO),
        scale: Scale::Share,
        numbers: Some(|n| n.density.as_ref().map(|density| share(density.inside.iter().copied()))),
        classes: None,
        several: None,
    },
];

/// The probability of a Gaussian within two standard deviations.
const WITHIN_TWO: f64 = 0.954_499_736_103_641_6;

/// The metric with this name.
pub fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

fn share(of: impl ExactSizeIterator<Item = bool>) -> f64 {
    mean(of.map(|yes| if yes { 1.0 } else { 0.0 }))
}

/// Mean squared error.
pub fn mse(y: &[f64], predicted: &[f64]) -> f64 {
    mean(y.iter().zip(predicted).map(|(y, m)| (y - m) * (y - m)))
}

/// Mean absolute error.
pub fn mae(y: &[f64], predicted: &[f64]) -> f64 {
    mean(y.iter().zip(predicted).map(|(y, m)| (y - m).abs()))
}

/// The share of the variance of y that is explained: 1 − mse / variance; NaN if y is constant.
pub fn r2(y: &[f64], predicted: &[f64]) -> f64 {
    let middle = mean(y.iter().copied());
    let variance = mean(y.iter().map(|y| (y - middle) * (y - middle)));
    if variance > 0.0 { 1.0 - mse(y, predicted) / variance } else { f64::NAN }
}

/// The share of rows whose predicted class is wrong. A probability of exactly ½ counts as half an error.
pub fn error(label: &[bool], probability: &[f64]) -> f64 {
    mean(label.iter().zip(probability).map(|(&label, &p)| match (p == 0.5, (p > 0.5) == label) {
        (true, _) => 0.5,
        (false, right) => f64::from(u8::from(!right)),
    }))
}

/// The mean negative log probability of the true classes.
///
/// Probabilities are at least 2⁻⁵³, below which 1 − p rounds to 1.
pub fn nll(label: &[bool], probability: &[f64]) -> f64 {
    let least = f64::EPSILON / 2.0;
    mean(label.iter().zip(probability).map(|(&label, &p)| -(if label { p } else { 1.0 - p }).max(least).ln()))
}

/// The mean squared difference of the probabilities from 0 or 1 (Brier, 1950).
pub fn brier(label: &[bool], probability: &[f64]) -> f64 {
    mean(label.iter().zip(probability).map(|(&label, &p)| (p - f64::from(u8::from(label))).powi(2)))
}

/// The area under the ROC curve: the probability that of two rows of different classes, the one of the second class has
/// the higher probability, with ties counted half (Mann & Whitney, 1947). NaN if a class has no row.
pub fn auc(label: &[bool], probability: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..label.len()).collect();
    order.sort_by(|&a, &b| probability[a].total_cmp(&probability[b]));
    let (mut below, mut wins) = (0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| probability[a] == probability[b]) {
        let second = tied.iter().filter(|&&i| label[i]).count() as f64;
        let first = tied.len() as f64 - second;
        wins += second * (below + 0.5 * first);
        below += first;
    }
    let pairs = below * (label.len() as f64 - below);
    if pairs > 0.0 { wins / pairs } else { f64::NAN }
}

/// [`error`] for several classes: the share of rows whose most probable class is wrong. If w classes are equally
/// probable, each counts as right with weight 1/w.
fn error_of_several(of: &Several) -> f64 {
    mean(of.label.iter().enumerate().map(|(i, &own)| {
        let most = of.probability.iter().fold(0.0f64, |most, p| most.max(p[i]));
        let ties = of.probability.iter().filter(|p| p[i] == most).count() as f64;
        if of.probability[own][i] == most { 1.0 - 1.0 / ties } else { 1.0 }
    }))
}

/// [`nll`] for several classes.
fn nll_of_several(of: &Several) -> f64 {
    let own = of.label.iter().enumerate().map(|(i, &own)| of.probability[own][i]);
    mean(own.map(|p| -p.max(f64::EPSILON / 2.0).ln()))
}

/// Half the sum of squared differences of the probabilities of all classes from 0 or 1; for two classes it equals
/// [`brier`].
fn brier_of_several(of: &Several) -> f64 {
    let of_class = |(k, p): (usize, &Vec<f64>)| {
        let labels: Vec<bool> = of.label.iter().map(|&own| own == k).collect();
        brier(&labels, p)
    };
    0.5 * of.probability.iter().enumerate().map(of_class).sum::<f64>()
}

/// The mean over the classes of the one-vs-rest [`auc`]. NaN if a class has no row.
fn auc_of_several(of: &Several) -> f64 {
    let of_class = |(k, p): (usize, &Vec<f64>)| {
        let labels: Vec<bool> = of.label.iter().map(|&own| own == k).collect();
        auc(&labels, p)
    };
    mean(of.probability.iter().enumerate().map(of_class).collect::<Vec<_>>().into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    #[test]
    fn numbers_by_hand() {
        let (y, m) = ([1.0, 2.0, 4.0, 5.0], [1.5, 2.0, 3.0, 5.0]);
        close(mse(&y, &m), 1.25 / 4.0);
        close(mae(&y, &m), 1.5 / 4.0);
        close(r2(&y, &m), 1.0 - (1.25 / 4.0) / 2.5);
        assert!(r2(&[2.0, 2.0], &[1.0, 3.0]).is_nan());
    }

    #[test]
    fn classes_by_hand() {
        let (label, p) = ([true, false, true, false], [0.9, 0.2, 0.4, 0.5]);
        close(error(&label, &p), 1.5 / 4.0);
        close(nll(&label, &p), -(0.9f64.ln() + 0.8f64.ln() + 0.4f64.ln() + 0.5f64.ln()) / 4.0);
        close(brier(&label, &p), (0.01 + 0.04 + 0.36 + 0.25) / 4.0);
        // of the four pairs, 0.4 against 0.5 is in the wrong order
        close(auc(&label, &p), 0.75);
        assert!(nll(&[true, false], &[0.0, 1.0]).is_finite());
    }

    /// Compares the sorted computation with all pairs, with many ties.
    #[test]
    fn the_area_is_that_of_all_pairs() {
        let label: Vec<bool> = (0..60).map(|i| (i * 7 + i * i) % 5 < 2).collect();
        let p: Vec<f64> = (0..60).map(|i| f64::from((i * 13) % 9) / 9.0).collect();
        let (mut wins, mut pairs) = (0.0, 0.0);
        for i in (0..60).filter(|&i| label[i]) {
            for j in (0..60).filter(|&j| !label[j]) {
                pairs += 1.0;
                wins += if p[i] > p[j] {
                    1.0
                } else if p[i] == p[j] {
                    0.5
                } else {
                    0.0
                };
            }
        }
        close(auc(&label, &p), wins / pairs);
        assert!(auc(&[true, true], &[0.1, 0.9]).is_nan());
    }

    /// The score of two classes does not depend on their representation.
    #[test]
    fn several_are_as_two() {
        let (label, p) = ([true, false, true, false, true], vec![0.9, 0.2, 0.4, 0.5, 0.7]);
        let two = Outcomes::Classes(Classes { label: label.to_vec(), probability: p.clone() });
        let probability = vec![p.iter().map(|p| 1.0 - p).collect(), p];
        let several =
            Outcomes::Several(Several { label: label.iter().map(|l| usize::from(*l)).collect(), probability });
        for one in METRICS.iter().filter(|one| one.fits_classes()) {
            close(one.of(&two).unwrap(), one.of(&several).unwrap());
        }
        let three = Several { label: vec![2, 0], probability: vec![vec![0.2, 0.4], vec![0.3, 0.4], vec![0.5, 0.2]] };
        close(error_of_several(&three), 0.25);
        close(brier_of_several(&three), 0.5 * (0.04 + 0.09 + 0.25 + 0.36 + 0.16 + 0.04) / 2.0);
        assert!(auc_of_several(&three).is_nan());
    }

    #[test]
    fn each_says_what_it_fits() {
        let numbers = Outcomes::Numbers(Numbers { y: vec![1.0, 2.0], mean: vec![1.0, 1.0], density: None });
        let classes = Outcomes::Classes(Classes { label: vec![true, false], probability: vec![0.7, 0.1] });
        for one in &METRICS {
            assert_eq!(metric(one.name), Some(one));
            assert!(one.fits_numbers() || one.fits_classes());
            assert_eq!(one.of(&classes).is_some(), one.fits_classes(), "{}", one.name);
            assert_eq!(one.needs_density(), ["nll", "coverage"].contains(&one.name));
            assert_eq!(one.of(&numbers).is_some(), one.fits_numbers() && !one.needs_density(), "{}", one.name);
        }
    }
}
