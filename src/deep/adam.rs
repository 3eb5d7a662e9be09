//! Adam (Kingma & Ba, 2015) on a smooth function, with a decreasing step size.

use crate::progress::Progress;

const STEP: f64 = 0.05;
const FIRST: f64 = 0.9;
const SECOND: f64 = 0.999;
const SMALL: f64 = 1e-8;

/// The best point evaluated in `steps` steps from a start, and how many it took.
pub(super) fn minimize(
    evaluate: &dyn Fn(&[f64], &mut [f64]) -> f64,
    from: &[f64],
    steps: usize,
    progress: &dyn Progress,
) -> (Vec<f64>, usize) {
    let (mut at, mut gradient) = (from.to_vec(), vec![0.0; from.len()]);
    let (mut mean, mut square) = (vec![0.0; from.len()], vec![0.0; from.len()]);
    let mut best = (f64::INFINITY, from.to_vec());
    let mut taken = 0;
    for step in 1..=steps {
        let value = evaluate(&at, &mut gradient);
        if !(value.is_finite() && gradient.iter().all(|g| g.is_finite())) || progress.stop() {
            break;
        }
        if value < best.0 {
            best = (value, at.clone());
        }
        taken = step;
        let size = STEP * (1.0 - 0.9 * step as f64 / steps as f64);
        let (bias, bias_square) = (1.0 - FIRST.powi(step as i32), 1.0 - SECOND.powi(step as i32));
        for i in 0..at.len() {
            mean[i] = FIRST * mean[i] + (1.0 - FIRST) * gradient[i];
            square[i] = SECOND * square[i] + (1.0 - SECOND) * gradient[i] * gradient[i];
            at[i] -= size * (mean[i] / bias) / ((square[i] / bias_square).sqrt() + SMALL);
        }
    }
    (best.1, taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn a_bowl_is_walked_to_its_bottom() {
        let bowl = |at: &[f64], g: &mut [f64]| {
            (g[0], g[1]) = (2.0 * (at[0] - 1.0), 20.0 * (at[1] + 2.0));
            (at[0] - 1.0).powi(2) + 10.0 * (at[1] + 2.0).powi(2)
        };
        let (at, taken) = minimize(&bowl, &[4.0, 1.0], 1000, &Silent);
        assert_eq!(taken, 1000);
        assert!((at[0] - 1.0).abs() < 1e-2 && (at[1] + 2.0).abs() < 1e-2, "{at:?}");
    }
}
