use std::f64::consts::TAU;

use super::{Peak, peaks};

/// A fixed irregular sequence in [−1, 1].
fn noise(n: usize) -> Vec<f64> {
    use rand::{RngExt, SeedableRng};
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(7);
    (0..n).map(|_| random.random_range(-1.0..1.0)).collect()
}

fn even(n: usize, from: f64, gap: f64) -> Vec<f64> {
    (0..n).map(|i| from + gap * i as f64).collect()
}

fn sine(t: &[f64], period: f64) -> Vec<f64> {
    t.iter().map(|t| (TAU * t / period + 0.4).sin()).collect()
}

fn near(peak: Option<&Peak>, period: f64, share: f64) -> bool {
    peak.is_some_and(|peak| (peak.period / period - 1.0).abs() < share)
}

#[test]
fn a_sine_on_even_points() {
    for period in [2.0, 2.3, 7.0, 40.0] {
        let t = even(100, 1e6, 1.0);
        let found = peaks(&t, &sine(&t, period), 3);
        assert!(near(found.first(), period, 0.03), "{period}: {found:?}");
        assert!(period > 20.0 || found[0].power > 0.8, "{period}: {found:?}");
    }
}

#[test]
fn growing_seasons_on_a_trend() {
    let t = even(144, 1949.0, 1.0 / 12.0);
    let y: Vec<f64> = t
        .iter()
        .map(|t| (0.12 * (t - 1949.0)).exp() * (100.0 + 10.0 * (TAU * t).sin() + 6.0 * (2.0 * TAU * t).cos()))
        .collect();
    let found = peaks(&t, &y, 4);
    assert!(near(found.first(), 1.0, 0.01) && near(found.get(1), 0.5, 0.01), "{found:?}");
}

#[test]
fn uneven_repeated_and_unsorted_points() {
    let jitter = noise(300);
    let mut t: Vec<f64> = (0..300).map(|i| 50.0 * ((i * 7) % 300) as f64 / 300.0 + jitter[i]).collect();
    t.extend_from_within(..50);
    let y: Vec<f64> = sine(&t, 0.7).iter().zip(jitter.iter().cycle()).map(|(s, e)| 3.0 * s + e).collect();
    let found = peaks(&t, &y, 3);
    assert!(near(found.first(), 0.7, 0.003), "{found:?}");
    assert!(found.iter().all(|peak| peak.period.is_finite() && (0.0..=1.0).contains(&peak.power)));
}

#[test]
fn peaks_are_distinct_and_in_order() {
    let t = even(400, 0.0, 0.1);
    let (a, b) = (sine(&t, 3.0), sine(&t, 1.1));
    let y: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + 0.3 * b).collect();
    let found = peaks(&t, &y, 5);
    assert!(near(found.first(), 3.0, 0.005) && near(found.get(1), 1.1, 0.005), "{found:?}");
    assert!(found.windows(2).all(|pair| pair[0].power >= pair[1].power));
    for (i, one) in found.iter().enumerate() {
        assert!(found[..i].iter().all(|other| (1.0 / one.period - 1.0 / other.period).abs() > 1.0 / 40.0));
    }
}

#[test]
fn noise_has_no_strong_peak() {
    let found = peaks(&even(200, 0.0, 1.0), &noise(200), 5);
    assert!(found.iter().all(|peak| peak.power < 0.2), "{found:?}");
}

#[test]
fn an_outlier_hides_nothing() {
    let t = even(120, 0.0, 1.0);
    let mut y = sine(&t, 9.0);
    y[60] = 1e4;
    assert!(near(peaks(&t, &y, 2).first(), 9.0, 0.02));
}

#[test]
fn many_rows_are_sampled() {
    let t = even(30_000, 0.0, 0.01);
    let found = peaks(&t, &sine(&t, 0.37), 1);
    assert!(near(found.first(), 0.37, 1e-3), "{found:?}");
}

#[test]
fn too_little_to_tell() {
    let t = even(50, 0.0, 1.0);
    let line: Vec<f64> = t.iter().map(|t| 1e9 + 3.0 * t).collect();
    for (t, y) in [
        (vec![], vec![]),
        (vec![1.0, 2.0, 3.0], vec![1.0, 0.0, 1.0]),
        (vec![5.0; 40], noise(40)),
        (even(40, 0.0, 1.0).iter().map(|t| t % 4.0).collect(), noise(40)),
        (t.clone(), vec![3.0; 50]),
        (t.clone(), vec![0.0; 50]),
        (t.clone(), line),
        (t.clone(), vec![f64::NAN; 50]),
    ] {
        assert_eq!(peaks(&t, &y, 3), vec![]);
    }
    assert!(peaks(&t, &noise(50), 0).is_empty());
    let tiny: Vec<f64> = t.iter().map(|t| t * 1e-300).collect();
    assert!(peaks(&tiny, &noise(50), 3).iter().all(|peak| peak.power.is_finite()));
}

/// Sixty years of months with gaps, on a curved trend with a slow oscillation, similar to the carbon dioxide series.
#[test]
fn seasons_with_gaps() {
    let t: Vec<f64> = even(741, 1958.0, 1.0 / 12.0).into_iter().filter(|t| !(1964.1..1964.4).contains(t)).collect();
    let y: Vec<f64> = t
        .iter()
        .zip(noise(t.len()))
        .map(|(t, e)| {
            let s = t - 1958.0;
            let season = 2.8 * (TAU * t).sin() + 0.8 * (2.0 * TAU * t).cos();
            315.0 + 0.75 * s + 0.012 * s * s + (0.7 * s).sin() * (0.11 * s).cos() + season + 0.4 * e
        })
        .collect();
    let found = peaks(&t, &y, 3);
    assert!(near(found.first(), 1.0, 0.005), "{found:?}");
}

/// Cycles of varying amplitude and length around eleven years, similar to sunspots.
#[test]
fn uneven_cycles() {
    let t = even(309, 1700.0, 1.0);
    let y: Vec<f64> = t
        .iter()
        .zip(noise(309))
        .map(|(t, e)| {
            let phase = TAU * t / 11.0 + 1.2 * (TAU * t / 90.0).sin();
            (60.0 + 30.0 * (TAU * t / 100.0).sin()) * (1.0 + phase.sin()) + 20.0 * e
        })
        .collect();
    let found = peaks(&t, &y, 3);
    assert!(near(found.first(), 11.0, 0.05), "{found:?}");
}
