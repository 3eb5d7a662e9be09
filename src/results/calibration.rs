//! Calibration of class probabilities, and confusion matrices.

use super::metric::Outcomes;
use super::one_vs_rest::largest;

/// Predictions with probabilities in one range, and the observed frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// The range is from here up to `to`, without `to` itself unless it is 1.
    pub from: f64,
    pub to: f64,
    pub n: usize,
    /// The mean of the probabilities.
    pub predicted: f64,
    /// The observed share of the class.
    pub observed: f64,
    /// Ends of the 95 % interval of that share (Wilson, 1927).
    pub lower: f64,
    pub upper: f64,
}

/// A reliability diagram: probabilities in bins of equal width, without empty bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    pub rows: usize,
    pub bins: Vec<Bin>,
    /// The mean absolute difference of predicted and observed frequency, weighted by the counts of the bins: the
    /// expected calibration error (Naeini, Cooper & Hauskrecht, 2015).
    pub error: f64,
}

/// The number of predictions of each class for each actual class.
#[derive(Debug, Clone, PartialEq)]
pub struct Confusion {
    pub classes: Vec<String>,
    /// For each actual class, the number of rows for which each class was the most probable.
    pub counts: Vec<Vec<usize>>,
}

/// The calibration of the probabilities of the positive class, or of the probabilities of all classes together if there
/// are several. `None` for numbers.
pub fn calibration(outcomes: &Outcomes, bins: usize) -> Option<Calibration> {
    let (rows, pairs): (usize, Vec<(f64, bool)>) = match outcomes {
        Outcomes::Numbers(_) => return None,
        Outcomes::Classes(of) => {
            (of.label.len(), of.probability.iter().copied().zip(of.label.iter().copied()).collect())
        }
        Outcomes::Several(of) => {
            let of_class = |(k, p): (usize, &Vec<f64>)| -> Vec<(f64, bool)> {
                p.iter().copied().zip(of.label.iter().map(|&own| own == k)).collect()
            };
            (of.label.len(), of.probability.iter().enumerate().flat_map(of_class).collect())
        }
    };
    let bins = bins.max(1);
    let width = 1.0 / bins as f64;
    let place = |p: f64| ((p * bins as f64) as usize).min(bins - 1);
    let bin = |i: usize| {
        let within: Vec<&(f64, bool)> = pairs.iter().filter(|(p, _)| place(*p) == i).collect();
        let n = within.len();
        let came = within.iter().filter(|(_, came)| *came).count() as f64;
        let (lower, upper) = wilson(came, n as f64);
        (n > 0).then(|| Bin {
            from: i as f64 * width,
            to: (i + 1) as f64 * width,
            n,
            predicted: within.iter().map(|(p, _)| p).sum::<f64>() / n as f64,
            observed: came / n as f64,
            lower,
            upper,
        })
    };
    let bins: Vec<Bin> = (0..bins).filter_map(bin).collect();
    let error = bins.iter().map(|b| b.n as f64 * (b.predicted - b.observed).abs()).sum::<f64>() / pairs.len() as f64;
    Some(Calibration { rows, bins, error })
}

/// The 97.5 % quantile of the standard normal.
const TWO_SIDED: f64 = 1.959_963_984_540_054;

/// The interval of a share of `came` out of `n` (Wilson, 1927).
fn wilson(came: f64, n: f64) -> (f64, f64) {
    let (p, z) = (came / n, TWO_SIDED * TWO_SIDED / n);
    let middle = (p + 0.5 * z) / (1.0 + z);
    let half = TWO_SIDED * ((p * (1.0 - p) + 0.25 * z) / n).sqrt() / (1.0 + z);
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// The confusion matrix; `classes` are the names in order, the positive one of two last. `None` for numbers.
pub fn confusion(outcomes: &Outcomes, classes: Vec<String>) -> Option<Confusion> {
    let mut counts = vec![vec![0; classes.len()]; classes.len()];
    match outcomes {
        Outcomes::Numbers(_) => return None,
        Outcomes::Classes(of) => {
            for (label, p) in of.label.iter().zip(&of.probability) {
                counts[usize::from(*label)][usize::from(*p > 0.5)] += 1;
            }
        }
        Outcomes::Several(of) => {
            for (row, label) in of.label.iter().enumerate() {
                counts[*label][largest(&of.probability, row)] += 1;
            }
        }
    }
    Some(Confusion { classes, counts })
}

#[cfg(test)]
mod tests {
    use super::super::metric::{Classes, Several};
    use super::*;

    #[test]
    fn bins_by_hand() {
        let outcomes =
            Outcomes::Classes(Classes { label: vec![false, true, true, true], probability: vec![0.1, 0.2, 0.9, 1.0] });
        let found = calibration(&outcomes, 2).unwrap();
        assert_eq!((found.rows, found.bins.len(), found.bins[0].n), (4, 2, 2));
        assert!((found.bins[0].predicted - 0.15).abs() < 1e-12 && (found.bins[0].observed - 0.5).abs() < 1e-12);
        assert!((found.error - (2.0 * 0.35 + 2.0 * 0.05) / 4.0).abs() < 1e-12);
        // 8 of 10: Wilson's interval is 0.4902 to 0.9433
        let (lower, upper) = wilson(8.0, 10.0);
        assert!((lower - 0.4902).abs() < 1e-4 && (upper - 0.9433).abs() < 1e-4, "{lower} {upper}");
        assert_eq!(wilson(0.0, 5.0).0, 0.0);
    }

    #[test]
    fn confusion_by_hand() {
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_string()).collect();
        let two = Outcomes::Classes(Classes { label: vec![false, true, true], probability: vec![0.7, 0.8, 0.4] });
        assert_eq!(confusion(&two, names(&["a", "b"])).unwrap().counts, [[0, 1], [1, 1]]);
        let probability = vec![vec![0.6, 0.1], vec![0.3, 0.2], vec![0.1, 0.7]];
        let three = Outcomes::Several(Several { label: vec![0, 1], probability });
        assert_eq!(confusion(&three, names(&["a", "b", "c"])).unwrap().counts, [[1, 0, 0], [0, 0, 1], [0, 0, 0]]);
        assert_eq!(calibration(&three, 10).unwrap().bins.iter().map(|b| b.n).sum::<usize>(), 6);
    }
}
