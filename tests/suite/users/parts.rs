//! The contribution of each part of a sum.

use super::*;

#[test]
fn parts_and_mean_add_to_the_whole() {
    let mut talk = wave("");
    for model in [
        "gp(SE(x) + Per(x, p=31) + Lin(x))",
        "gp(SE(x) * (Per(x, p=31) + Lin(x)) + Const, mean=\"linear\")",
        "gp((SE(x) + Lin(x))^2 + WN)",
        "gp(2 * Matern32(x) + 0.5 * RQ(x), mean=\"zero\")",
    ] {
        talk.says(&format!("let f = d |> condition({model})"));
        for at in ["", "(-10..80, n=50)"] {
            talk.says(&format!("let p, q = f |> decompose{at}, f |> predict{at}"));
            let whole = talk.numbers("q.mean");
            let mut sum = talk.numbers("p.mean");
            let count = talk.number("len(p.means)") as usize;
            // white noise is last, and not part of the function
            let parts = if model.contains("WN") { count - 1 } else { count };
            for i in 0..parts {
                talk.numbers(&format!("p.means[{i}]")).iter().zip(&mut sum).for_each(|(m, s)| *s += m);
            }
            let scale = whole.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
            for (s, w) in sum.iter().zip(&whole) {
                assert!((s - w).abs() < 1e-9 * scale, "{model}{at}: {s} {w}");
            }
            let whole = talk.numbers("q.var_f");
            let mut sum = vec![0.0; whole.len()];
            for i in 0..parts {
                talk.numbers(&format!("p.vars[{i}]")).iter().zip(&mut sum).for_each(|(m, s)| *s += m);
            }
            let pairs = talk.number("len(p.cross)") as usize;
            assert_eq!(pairs, count * (count - 1) / 2);
            for i in 0..pairs {
                let is_noise = |end: &str, talk: &mut Talk| talk.value(&format!("p.cross[{i}].{end}")) == "WN";
                if is_noise("one", &mut talk) || is_noise("other", &mut talk) {
                    continue;
                }
                talk.numbers(&format!("p.cross[{i}].cov")).iter().zip(&mut sum).for_each(|(m, s)| *s += 2.0 * m);
            }
            let scale = talk.numbers("p.vars[0]").iter().fold(1.0_f64, |m, v| m.max(v.abs()));
            for (s, w) in sum.iter().zip(&whole) {
                assert!((s - w).abs() < 1e-7 * scale, "{model}{at}: variance {s} {w}");
            }
        }
    }
}

/// A process whose start is not written starts at the first row, also as a part of a sum.
#[test]
fn parts_of_processes_start_where_the_fit_does() {
    let mut talk = wave("let late = d |> where(x -> x >= 20)\n");
    for process in ["Wiener", "IntegratedWiener"] {
        talk.says(&format!("let f = late |> condition(gp({process}(x) + SE(x), mean=\"zero\"))"));
        talk.says("let p, q = f |> decompose, f |> predict");
        let whole = talk.numbers("q.mean");
        let (walk, smooth) = (talk.numbers("p.means[0]"), talk.numbers("p.means[1]"));
        let largest = whole.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for ((a, b), w) in walk.iter().zip(&smooth).zip(&whole) {
            assert!((a + b - w).abs() < 1e-9 * largest, "{process}: {a} + {b} is not {w}");
        }
        assert_eq!(walk[0], 0.0, "{process}");
        assert!(talk.numbers("p.vars[0]")[1] > 0.0, "{process}");
        let text = talk.says("f |> describe");
        let explained = text.split("they explain ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<f64>().ok());
        assert!(explained.is_some_and(|share| (0.0..=100.0).contains(&share)), "{text}");
    }
}

#[test]
fn parts_are_a_table_and_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("parts.csv").display().to_string();
    let mut talk = wave("let trend, cycle = Lin(x), SE(x)\nlet p = d |> fit(trend + cycle) |> decompose\n");
    let text = talk.says("p");
    for part in ["trend", "cycle", "share", "sd of its mean"] {
        contains(&text, part);
    }
    talk.says(&format!("p |> write(\"{path}\")"));
    let csv = std::fs::read_to_string(&path).expect("a file");
    assert!(csv.starts_with("x,y,trend,trend sd,cycle,cycle sd"), "{csv}");
    assert_eq!(csv.lines().count(), 61);
    let first: Vec<f64> = csv.lines().nth(1).expect("a row").split(',').map(|c| c.parse().expect("a number")).collect();
    assert_eq!(first[2], talk.numbers("p.means[0]")[0]);
}

#[test]
fn a_figure_says_what_its_band_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut talk = wave("let p = d |> fit(SE(x), restarts=1) |> predict(0..70)\n");
    for (option, words) in [("", "sd of y, noise included"), (", band=\"f\"", "sd of f, without noise")] {
        let path = folder.path().join("p.svg").display().to_string();
        talk.says(&format!("p |> plot(\"{path}\"{option})"));
        contains(&std::fs::read_to_string(&path).expect("a figure"), words);
    }
}
