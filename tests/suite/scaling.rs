//! Units do not matter: multiplying a column or the target by a constant maps every fit exactly; for powers of two to
//! the last bit, for other factors up to rounding.

use crate::support::talk;

use talk::Talk;

/// A series with a trend, a period and fixed noise.
const SERIES: &str = "let t = [3 + 0.5 * i for i in 0..30]\n\
     let y = [8 + 0.9 * t + 2 * sin(2 * pi * t / 4.1) + 0.7 * cos(91.3 * t^2) for t in t]\n";

const KERNELS: &[&str] = &[
    "SE(x)",
    "RQ(x)",
    "Per(x)",
    "Lin(x)",
    "Poly(x)",
    "Cos(x) + Const",
    "Lin(x) + Matern12(x)",
    "Lin(x) + SE(x) + Per(x)",
    "Lin(x) * Per(x) + Matern52(x)",
    "(Lin(x) + SE(x)) * Per(x)",
    "Lin(x)^2 + Matern32(x)",
    "changepoint(SE(x), Lin(x), x)",
];

struct Fitted {
    lml: f64,
    mean: Vec<f64>,
    sd: Vec<f64>,
}

/// The fit with columns and target multiplied, and its predictions at the same points.
fn fitted(talk: &mut Talk, kernel: &str, x: &str, y: &str) -> Fitted {
    talk.says(&format!(
        "let f = data(x=[v * {x} for v in t], y=[v * {y} for v in y]) |> fit({kernel}, restarts=2)\n\
         let p = f |> predict([v * {x} for v in [2, 7.3, 11.1, 19]])"
    ));
    Fitted { lml: talk.number("f.lml"), mean: talk.numbers("p.mean"), sd: talk.numbers("p.sd") }
}

fn value(talk: &mut Talk, factor: &str) -> f64 {
    talk.number(&format!("1.0 * {factor}"))
}

#[test]
fn powers_of_two_map_fits_to_the_bit() {
    let mut talk = Talk::new(SERIES);
    // copies of a variance inside a power have no unit of their own
    for kernel in KERNELS.iter().filter(|kernel| !kernel.contains(")^")) {
        let plain = fitted(&mut talk, kernel, "1", "1");
        for (x, y) in [("2^40", "1"), ("2^-40", "1"), ("1", "2^40"), ("1", "2^-40"), ("2^-40", "2^40")] {
            let scaled = fitted(&mut talk, kernel, x, y);
            let unit = value(&mut talk, y);
            let lml = scaled.lml + 30.0 * unit.ln();
            assert!((lml / plain.lml - 1.0).abs() < 1e-12, "{kernel}, x {x}, y {y}: {lml} is not {}", plain.lml);
            let back = |values: &[f64]| values.iter().map(|v| v / unit).collect::<Vec<_>>();
            assert_eq!(back(&scaled.mean), plain.mean, "{kernel}, x {x}, y {y}");
            assert_eq!(back(&scaled.sd), plain.sd, "{kernel}, x {x}, y {y}");
        }
    }
}

#[test]
fn other_factors_map_fits_to_rounding() {
    let mut talk = Talk::new(SERIES);
    for kernel in KERNELS {
        let plain = fitted(&mut talk, kernel, "1", "1");
        for (x, y) in [("1e12", "1"), ("1e-12", "1"), ("31556952000", "1e8"), ("1", "1e-12"), ("1e-12", "1e12")] {
            let scaled = fitted(&mut talk, kernel, x, y);
            let unit = value(&mut talk, y);
            let lml = scaled.lml + 30.0 * unit.ln();
            // fits end where steps hardly improve: on a plateau rounding decides where
            assert!((lml - plain.lml).abs() < 0.05, "{kernel}, x {x}, y {y}: {lml} is not {}", plain.lml);
            for ((scaled, plain), sd) in scaled.mean.iter().zip(&plain.mean).zip(&plain.sd) {
                let off = (scaled / unit - plain).abs();
                assert!(off < 0.1 * sd, "{kernel}, x {x}, y {y}: {} is not {plain}", scaled / unit);
            }
        }
    }
}

/// Years as milliseconds, and a flow times 10⁸.
#[test]
fn no_part_is_lost_where_the_numbers_are_large() {
    let mut talk = Talk::new(
        "let d = load(\"nile\")\nlet n = data(ms=[(v - 1970) * 31556952000 for v in d.year], y=[1e8 * v for v in d.flow_1e8_m3])",
    );
    talk.says(
        "let a = data(ms=[v - 1970 for v in d.year], y=d.flow_1e8_m3) |> fit(Lin(ms) + Matern12(ms), restarts=2)",
    );
    let said = talk.says("let b = n |> fit(Lin(ms) + Matern12(ms), restarts=2)\nb");
    assert!(!said.contains("Matern12(ms)` has almost no variance"), "{said}");
    let (a, b) = (talk.number("a.lml"), talk.number("b.lml") + 100.0 * 1e8f64.ln());
    assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    let v = talk.params("b").into_iter().find(|(name, _)| name == "Matern12.v").expect("a variance").1;
    let expected = talk.params("a").into_iter().find(|(name, _)| name == "Matern12.v").expect("a variance").1;
    assert!((v / 1e16 / expected - 1.0).abs() < 1e-3, "{v} is not {expected}");
}
