//! Problems of users of other programs, through the language.

mod language;
mod parts;
mod same_rows;
mod saving;
mod search;

use crate::support::talk;

use talk::Talk;

/// A sinusoid with fixed noise.
const WAVE: &str = "let d = data(x=0..60, y=[sin(i / 5) + 0.3 * cos(91.3 * i^2) for i in 0..60])\n";

fn wave(more: &str) -> Talk {
    Talk::new(&format!("{WAVE}{more}"))
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

#[track_caller]
fn lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "`{part}` is in:\n{text}");
}

mod numerics {
    use super::*;

    #[test]
    fn jitter_is_said() {
        let data = "let d = data(x=[1, 1, 1, 1, 2], y=[1, 2, 1, 3, 0])\n";
        let mut talk = Talk::new("");
        let text = talk.says(&format!("{data}d |> condition(gp(SE(x, l=1, v=1), noise=0))"));
        contains(&text, "warning: jitter of");
        contains(&text, "note: jitter of");
        let text = talk.says("let f = d |> fit(gp(SE(x), noise=0))\nf");
        contains(&text, "warning: jitter of");
        contains(&text, "note: jitter of");
        assert!(talk.number("f.lml").is_finite());
        lacks(&wave("").says("d |> fit(SE(x))"), "jitter");
    }

    #[test]
    fn rows_may_repeat() {
        let mut talk = Talk::new(
            "let xs = concat(0..40, 0..30)\nlet d = data(x=xs, y=[sin(i / 4) + 0.2 * cos(91 * i) for i in 0..70])",
        );
        contains(&talk.says("d |> summary"), "30 rows repeat the inputs of an earlier one");
        for kernel in
            ["SE(x)", "RQ(x)", "Matern12(x)", "SE(x) * Per(x)", "Lin(x) + WN", "Poly(x)", "Cos(x)", "Const + SE"]
        {
            talk.says(&format!("let f = d |> fit({kernel}, restarts=3)"));
            assert!(talk.number("f.lml").is_finite(), "{kernel}");
            assert!(talk.numbers("(f |> predict).sd").iter().all(|sd| *sd >= 0.0), "{kernel}");
            assert!(talk.numbers("(f |> predict(-5..50)).var_f").iter().all(|v| *v >= 0.0), "{kernel}");
        }
        // all rows at one point, without noise
        let text =
            Talk::new("").says("data(x=[1, 1, 1, 1], y=[1, 2, 1, 3]) |> condition(gp(SE(x, l=1, v=1), noise=0))");
        contains(&text, "jitter");
        lacks(&text, "NaN");
    }

    #[test]
    fn no_noise_gives_no_nan() {
        for y in ["sin(i / 5)", "i^2", "if i < 10 then 0 else 1", "1e8 + i", "1e-9 * cos(i)"] {
            let mut talk = Talk::new(&format!("let d = data(x=0..25, y=[{y} for i in 0..25])"));
            for kernel in ["SE(x)", "Matern52(x)", "SE(x) + Lin(x)", "RQ(x)"] {
                talk.says(&format!(
                    "let f = d |> fit(gp({kernel}, noise=0), restarts=3)\nlet p = f |> predict(-3..30, n=99)"
                ));
                assert!(talk.number("f.lml").is_finite(), "{kernel}, {y}");
                let all = [talk.numbers("p.mean"), talk.numbers("p.sd"), talk.numbers("(f |> predict).sd")];
                assert!(all.iter().flatten().all(|v| v.is_finite()), "{kernel}, {y}");
                assert!(talk.numbers("f.params.value").iter().all(|v| v.is_finite()), "{kernel}, {y}");
            }
        }
    }

    #[test]
    fn predictive_variances_are_not_negative() {
        let mut talk = wave("");
        for model in [
            "gp(SE(x, l=30, v=1e6), noise=1e-9)",
            "gp(SE(x, l=3, v=1), noise=0)",
            "gp(Poly(x, degree=3), noise=1e-6)",
            "gp(Lin(x, c=1e6), noise=1e-3)",
            "gp(Per(x, p=60), noise=1e-8)",
        ] {
            talk.says(&format!("let f = d |> condition({model})"));
            for at in ["", "0..60", "-100..200", "[30, 30, 30.0000001]"] {
                let p = if at.is_empty() { "(f |> predict)".into() } else { format!("(f |> predict({at}))") };
                assert!(talk.numbers(&format!("{p}.var_f")).iter().all(|v| *v >= 0.0), "{model} at {at}");
                assert!(talk.numbers(&format!("{p}.var_y")).iter().all(|v| *v >= 0.0), "{model} at {at}");
                assert!(talk.numbers(&format!("{p}.sd")).iter().all(|v| v.is_finite()), "{model} at {at}");
            }
        }
    }

    #[test]
    fn a_cell_that_is_no_number_is_named() {
        let mut talk = Talk::new("");
        let said = talk.fails("data(x=[1, 2, 3, 4], y=[1, inf, 2, 3]) |> fit(SE)");
        contains(&said, "the value in column `y`, row 1, is inf");
        let said = talk.fails("data(x=[1, 2, inf, 4], y=[1, 5, 2, 3]) |> fit(SE)");
        contains(&said, "the value in column `x`, row 2, is inf");
    }
}

mod honest_fits {
    use super::*;

    #[test]
    fn every_fit_says_how_it_ended() {
        let mut talk = wave("");
        let text = talk.says("d |> fit(SE(x))");
        contains(&text, "converged");
        contains(&text, "largest gradient");
        let text =
            talk.says("let f = load(\"airline\") |> fit(SE(year) * Per(year) + Lin(year), maxiter=2, restarts=1)\nf");
        contains(&text, "the optimiser did not reach a maximum (not converged after 2 steps)");
        contains(&text, "not converged after 2 steps, largest gradient");
        assert_eq!(talk.value("f.converged"), false);
    }

    #[test]
    fn a_length_scale_that_ran_away_is_told_once() {
        let mut talk = Talk::new("let d = data(x=0..40, y=[2 * i + cos(91 * i) for i in 0..40])");
        let text = talk.says("d |> fit(SE(x))");
        contains(&text, "far beyond the range of x");
        contains(&text, "nearly linear in x");
        assert_eq!(text.matches("far beyond the range").count(), 1, "{text}");
    }

    #[test]
    fn a_length_scale_below_the_spacing_is_noise() {
        let mut talk = Talk::new("let d = data(x=0..50, y=[cos(91.3 * i^2) for i in 0..50])");
        contains(&talk.says("d |> fit(gp(SE(x), noise=1e-6))"), "is below the spacing of x");
    }

    #[test]
    fn a_part_without_variance_is_told() {
        let mut talk = wave("let slow = SE(x)\n");
        contains(
            &talk.says("d |> fit(slow + Per(x, p=fixed(7.3), l=fixed(1)))"),
            "`Per(x, p=fixed(7.3))` has almost no variance",
        );
        lacks(&talk.says("d |> fit(slow)"), "almost no variance");
        lacks(&Talk::new("").says("load(\"airline\") |> fit(SE(year) + Per(year) * Lin(year))"), "almost no variance");
    }

    #[test]
    fn a_constant_column_is_told() {
        let mut talk = Talk::new("let d = data(x=0..20, w=[3 for i in 0..20], y=[sin(i / 3) for i in 0..20])");
        contains(&talk.says("d |> summary"), "`w` is the same in every row");
        for kernel in ["ARD(SE)", "SE(x) + Lin(w)", "SE(x) * Per(w)", "SE"] {
            contains(&talk.says(&format!("d |> fit({kernel}, restarts=2)")), "`w` is the same in every row");
        }
        lacks(&talk.says("d |> fit(SE(x), restarts=2)"), "same in every row");
    }

    #[test]
    fn more_parameters_than_rows_are_told() {
        let text = Talk::new("").says("data(x=[1, 2, 3], y=[1, 3, 2]) |> fit(SE(x) + Per(x))");
        contains(&text, "7 free parameters for 3 rows");
    }
}

mod periods {
    use super::*;

    #[test]
    fn the_period_is_found_and_no_harmonic_of_it() {
        for (y, period) in [
            ("sin(2 * pi * i / 7.3)", 7.3),
            ("sin(2 * pi * i / 11) + 0.8 * sin(4 * pi * i / 11 + 1)", 11.0),
            ("exp(2 * sin(2 * pi * i / 16.5)) + 0.05 * i", 16.5),
            ("0.01 * (i - 40)^2 + 3 * cos(2 * pi * i / 5.6)", 5.6),
        ] {
            for mean in ["zero", "constant"] {
                let mut talk = Talk::new(&format!(
                    "let d = data(x=0..80, y=[{y} + 0.1 * cos(91.3 * i^2) for i in 0..80])\n\
                     let f = d |> fit(gp(SE(x) + Per(x), mean=\"{mean}\"))"
                ));
                let found = talk.params("f").into_iter().find(|(name, _)| name == "Per.p").expect("a period").1;
                assert!((found / period - 1.0).abs() < 0.01, "{y}, mean {mean}: {found}\n{}", talk.says("f"));
            }
        }
    }

    #[test]
    fn quasi_periodic_forecasts_are_not_flat() {
        let mut talk = Talk::new("let f = load(\"mauna_loa\") |> head(200) |> fit(SE(year) + SE(year) * Per(year))");
        let mean = talk.numbers("(f |> predict(1976..1978, n=24)).mean");
        let (lo, hi) = mean.iter().fold((f64::MAX, f64::MIN), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        assert!(hi - lo > 3.0, "{mean:?}");
    }
}

mod inputs {
    use super::*;

    #[test]
    fn active_inputs_print_as_they_are_given() {
        let mut talk = Talk::new("");
        for text in ["SE([2, 4])", "ARD(SE([2, 4]))", "Lin(3) * Per(1)", "SE([cement, water])", "RQ(\"fly ash\")"] {
            assert_eq!(talk.says(text), text);
        }
        talk.says("let d = load(\"concrete\") |> head(60)\nlet f = d |> fit(ARD(SE([3, 7])), restarts=2)");
        let text = talk.says("f");
        contains(&text, "ARD(SE([3, 7]))");
        let names: Vec<String> = talk.params("f").into_iter().map(|(name, _)| name).collect();
        assert!(names.iter().any(|n| n.contains("water")) && names.iter().any(|n| n.contains("age_days")), "{names:?}");
        assert!(talk.value("f.kernel").as_str().is_some_and(|k| k.starts_with("ARD(SE([3, 7], v=")));
    }

    /// Not its inverse, its square or a multiple: SE falls to exp(-1/2) at one length-scale, Matern 1/2 to exp(-1).
    #[test]
    fn a_length_scale_is_a_distance_along_the_input() {
        let mut talk = Talk::new("");
        for (kernel, at_one) in [("SE", -0.5_f64), ("Matern12", -1.0)] {
            assert!((talk.number(&format!("{kernel}(0, l=4)(1, 5)")) - at_one.exp()).abs() < 1e-15, "{kernel}");
        }
        for kernel in ["SE", "RQ", "Matern12", "Matern32", "Matern52"] {
            let (one, three) = (format!("{kernel}(0, l=1)(0, 0.7)"), format!("{kernel}(0, l=3)(0, 2.1)"));
            assert!((talk.number(&one) - talk.number(&three)).abs() < 1e-15, "{kernel}");
            contains(&talk.says(&format!("help({kernel})")), "lengthscale, l");
        }
    }

    #[test]
    fn columns_that_a_kernel_does_not_mention_change_nothing() {
        let mut talk = Talk::new(
            "let u, v = [1, 2, 4, 7], [1, 3, 2, 5]\n\
             let a, b = data(x=u, w=[1, 2, 3, 4], y=v), data(x=u, w=[9, -1, 1e6, 0], y=v)",
        );
        for kernel in ["SE(x)", "RQ(x)", "Per(x)", "Lin(x)", "Const", "WN", "Matern32(x)", "Cos(x)", "Poly(0)"] {
            let m = format!("gp({kernel}, noise=0.1)");
            assert_eq!(talk.value(&format!("lml(a, {m}) == lml(b, {m})")), true, "{kernel}");
            let g = |d: &str| format!("[g.value for g in gradient({d}, {m})]");
            assert_eq!(talk.value(&format!("{} == {}", g("a"), g("b"))), true, "{kernel}");
        }
    }
}

mod units_and_data {
    use super::*;

    /// A session in a folder with these files.
    fn with_files(files: &[(&str, &str)]) -> (tempfile::TempDir, impl Fn(&str) -> String + use<>) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let path = folder.path().to_owned();
        (folder, move |name| path.join(name).display().to_string())
    }

    #[test]
    fn missing_values_are_counted_and_named() {
        let rows: String = (0..30).map(|i| format!("{i},{}\n", (i * i) % 7)).collect();
        let text = format!("x,y\n30,\n31,NA\n32,?\n33,NaN\n{rows}");
        let (_folder, path) = with_files(&[("gaps.csv", &text)]);
        let mut talk = Talk::new(&format!("let d = load(\"{}\")", path("gaps.csv")));
        contains(&talk.says("d |> summary"), "`y` has 4 missing values");
        let said = talk.fails("d |> fit(SE(x))");
        contains(&said, "column `y` has no value in line 2");
        contains(&said, "dropna");
        let said = talk.says("let e = d |> dropna\ne |> summary");
        contains(&said, "4 rows with missing values were left out");
        assert_eq!(talk.number("e.n"), 30.0);
        talk.says("e |> fit(SE(x), restarts=1)");
    }

    /// Rows to be filled in: another column becomes the target, which must not go unsaid.
    #[test]
    fn an_empty_last_column_is_told_of() {
        let (_folder, path) = with_files(&[("empty.csv", "t,y\n0,\n1,\n2,\n")]);
        let said = Talk::new("").says(&format!("let d = load(\"{}\")", path("empty.csv")));
        contains(&said, "the last column, `y`, has no values: the target is `t`");
        let said = Talk::new("").says(&format!("let d = load(\"{}\", target=\"t\")", path("empty.csv")));
        assert!(!said.contains("no values"), "{said}");
    }

    #[test]
    fn dates_quarters_and_months_are_read() {
        let (_folder, path) = with_files(&[
            ("days.csv", "day,y\n2020-01-01,1\n2020-07-01,2\n2021-01-01,3\n2021-07-02,5\n"),
            ("quarters.csv", "when,y\n2020-Q1,1\n2020-Q2,2\n2020-Q3,3\n2020-Q4,5\n"),
            ("months.csv", "month,y\n2020-01,1\n2020-02,2\n2020-03,3\n2020-07,5\n"),
        ]);
        for (file, column, kind, expected) in [
            ("days.csv", "day", "days", ["2020-01-01", "2020-07-01", "2021-01-01", "2021-07-02"]),
            ("quarters.csv", "when", "quarters", ["2020-Q1", "2020-Q2", "2020-Q3", "2020-Q4"]),
            ("months.csv", "month", "months", ["2020-01", "2020-02", "2020-03", "2020-07"]),
        ] {
            let mut talk = Talk::new(&format!("let d = load(\"{}\")", path(file)));
            contains(&talk.says("d |> summary"), &format!("`{column}` holds {kind}, as linear time in days"));
            let found = talk.says(&format!("d.{column}"));
            for date in expected {
                contains(&found, date);
            }
            let text = talk.says(&format!("d |> condition(SE({column}, l=\"6 months\"))"));
            contains(&text, "182.62");
            contains(&text, "6 months");
        }
    }

    /// Over many years dates are counted in years; a week is printed as a week.
    #[test]
    fn a_week_is_printed_as_one_among_years() {
        let days = "day,y\n2000-01-01,1\n2004-07-01,2\n2010-01-01,3\n2014-07-02,5\n";
        let (_folder, path) = with_files(&[("days.csv", days)]);
        let mut talk = Talk::new(&format!("let d = load(\"{}\")", path("days.csv")));
        talk.says("let m = d |> condition(gp(Per(day, p=fixed(\"7 days\"), l=1, v=1), noise=1, mean=0))");
        contains(&talk.says("d |> summary"), "as linear time in years");
        contains(&talk.says("m |> describe"), "Its period is 7 days");
        contains(&talk.says("m.kernel"), "p=fixed(\"1 week\")");
    }

    /// Weekends are higher by 3; two weeks and many Tuesdays are missing.
    #[test]
    fn missing_days_do_not_skew_a_weekly_effect() {
        let mut talk = Talk::new(
            "let days = [i for i in 0..140 if (i < 30 or i > 44) and (i < 70 or i - 7 * floor(i / 7) != 1)]\n\
             let high = i -> if i - 7 * floor(i / 7) < 5 then 0 else 3\n\
             let d = data(day=days, y=[high(i) + 0.2 * cos(91.3 * i^2) for i in days])\n\
             let f = d |> fit(SE(day, l=40) + Per(day, p=fixed(7), centred=true), restarts=2)\n\
             let week = (f |> decompose(33..40, n=7)).means[1]",
        );
        let week = talk.numbers("week");
        // day 33 is a Saturday
        let weekend = (week[0] + week[1]) / 2.0;
        for (day, effect) in week.iter().enumerate().skip(2) {
            assert!((weekend - effect - 3.0).abs() < 0.2, "day {day}: {week:?}");
        }
    }

    #[test]
    fn standard_deviations_are_in_the_units_of_the_data() {
        let mut talk = wave(
            "let e = data(x=d.x, y=d.y * 1000)\nlet m = gp(SE(x))\n\
             let a, b = d |> fit(standardize >> m), e |> fit(standardize >> m)\nlet c = d |> fit(m)",
        );
        let (a, b) = (talk.numbers("(a |> predict(0..70)).sd"), talk.numbers("(b |> predict(0..70)).sd"));
        let c = talk.numbers("(c |> predict(0..70)).sd");
        for i in 0..a.len() {
            assert!((b[i] - 1000.0 * a[i]).abs() < 1e-6 * b[i], "{} {}", a[i], b[i]);
            assert!((c[i] - a[i]).abs() < 1e-4 * a[i], "standardized or not: {} {}", a[i], c[i]);
        }
    }

    #[test]
    fn a_shift_of_the_target_changes_nothing_else() {
        let mut talk = wave("let e = data(x=d.x, y=d.y + 1e4)\nlet a, b = d |> fit(SE(x)), e |> fit(SE(x))");
        let (a, b) = (talk.numbers("(a |> predict(0..70)).mean"), talk.numbers("(b |> predict(0..70)).mean"));
        assert!(a.iter().zip(&b).all(|(a, b)| (a + 1e4 - b).abs() < 1e-6), "{a:?} {b:?}");
        let (a, b) = (talk.numbers("(a |> predict(0..70)).sd"), talk.numbers("(b |> predict(0..70)).sd"));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6 * a), "{a:?} {b:?}");
    }
}

mod names_and_printing {
    use super::*;

    #[test]
    fn parameters_have_names_that_are_unique_and_stay() {
        let mut talk = wave("");
        for kernel in [
            "SE(x) + SE(x) + Per(x) * SE(x)",
            "Lin(x) * Lin(x) + Lin(x)",
            "changepoint(SE(x), SE(x), x) + Const",
            "(SE(x) + Lin(x))^2 + WN",
        ] {
            let before: Vec<String> = talk
                .value(&format!("[g.param for g in gradient(d, {kernel})]"))
                .as_array()
                .expect("names")
                .iter()
                .map(|n| n.to_string())
                .collect();
            let mut unique = before.clone();
            unique.sort();
            unique.dedup();
            assert_eq!(unique.len(), before.len(), "{kernel}: {before:?}");
            talk.says(&format!("let f = d |> condition({kernel})"));
            let names: Vec<String> = talk.params("f").into_iter().map(|(name, _)| name).collect();
            talk.says("let g = d |> condition(f.model)");
            assert_eq!(names, talk.params("g").into_iter().map(|(name, _)| name).collect::<Vec<_>>(), "{kernel}");
        }
        let names =
            "let trend, season = SE(x), Per(x)\nlet f = d |> condition(trend + season * trend)\nf.params.parameter";
        let names = talk.value(names).to_string();
        contains(&names, "trend.l");
        contains(&names, "season.p");
    }

    #[test]
    fn a_fit_shows_priors_bounds_and_every_factor() {
        let text =
            wave("").says("d |> fit(SE(x, l ~ LogNormal(1, 0.5)) * Per(x, p=between(20, 40)) * Lin(x), restarts=2)");
        for part in [
            "~ LogNormal(1, 0.5)",
            "between 20 and 40",
            "SE.l",
            "SE.v",
            "Per.p",
            "Per.l",
            "Lin.b",
            "Lin.c",
            "noise",
            "mean",
        ] {
            contains(&text, part);
        }
        contains(&text, "held at 1");
    }

    #[test]
    fn a_whole_part_is_fixed_at_once() {
        let mut talk = wave(
            "let trend = SE(x)\nlet f = d |> fit(trend, restarts=1)\n\
             let g = d |> fit(fixed(f.kernel) + Per(x, p=fixed(9)), restarts=1)\n",
        );
        let value = |talk: &mut Talk, fit: &str, name: &str| {
            talk.params(fit).into_iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("no {name}")).1
        };
        for name in ["trend.l", "trend.v"] {
            assert_eq!(value(&mut talk, "g", name), value(&mut talk, "f", name), "{name}");
        }
        assert_eq!(talk.says("g").matches("fixed").count(), 6, "{}", talk.says("g"));
        // a parameter without a value stays free
        assert_eq!(talk.says("fixed(SE(x, l=2) * Per(x, p=3))"), "SE(x, l=fixed(2)) * Per(x, p=fixed(3))");
        contains(&talk.fails("fixed(SE(x))"), "no parameter of SE(x) has a value to be fixed at");
    }

    #[test]
    fn a_printed_model_is_the_same_model() {
        let mut talk = wave("");
        for model in [
            "gp(SE(x) + Per(x) * Lin(x))",
            "gp(RQ(x, l=between(1, 20)) + WN)",
            "gp(SE(x, l=param(s)) + Matern32(x, l=param(s)), mean=\"linear\")",
            "standardize >> gp(SE(x, l ~ LogNormal(1, 1)) + Lin(x), noise=fixed(0.1))",
            "gp(changepoint(SE(x), Lin(x), x), mean=\"zero\")",
            "gp(warp(SE(x), x -> x / 10) + 0.5 * Poly(x))",
        ] {
            talk.says(&format!("let f = d |> fit({model}, restarts=2)"));
            let printed = talk.says("f.model");
            for on in ["d", "(d |> head(40))"] {
                let p = |model: &str| format!("({on} |> condition({model}) |> predict(-5..70, n=40))");
                talk.says(&format!("let a, b = {}, {}", p("f.model"), p(&printed)));
                assert_eq!(talk.numbers("a.mean"), talk.numbers("b.mean"), "{printed}");
                assert_eq!(talk.numbers("a.sd"), talk.numbers("b.sd"), "{printed}");
            }
            assert_eq!(talk.number(&format!("lml(d, {printed})")), talk.number("f.lml"), "{printed}");
            let again = talk.numbers(&format!("(d |> condition({printed}) |> predict(-5..70, n=40)).mean"));
            assert_eq!(again, talk.numbers("(f |> predict(-5..70, n=40)).mean"), "{printed}");
        }
    }

    #[test]
    fn a_difference_of_kernels_says_what_to_write() {
        for text in ["SE(0) - SE(1)", "let k1, k2 = SE(0), SE(1)\nk1 - k2", "SE(0) * Lin(1) - 0.5 * SE"] {
            contains(&Talk::new("").fails(text), "additive(order=2)");
        }
    }

    #[test]
    fn what_cannot_be_told_apart_is_told() {
        let mut talk = wave("let w = data(x=0..30, u=[cos(i) for i in 0..30], y=[sin(i / 5) for i in 0..30])\n");
        let pair = "redundant parameters";
        for kernel in ["Lin(x) + Lin(x)", "Const + Lin(x)", "Const + SE(x) + Const", "SE(x) * SE(x)", "Per(x) * WN"] {
            contains(&talk.says(&format!("d |> fit({kernel}, restarts=2)")), pair);
        }
        for kernel in ["SE(x) + SE(x)", "Lin(x) + SE(x)", "Lin(x) + Per(x) * Lin(x)", "Const + SE(x)"] {
            lacks(&talk.says(&format!("d |> fit({kernel}, restarts=2)")), pair);
        }
        lacks(&talk.says("w |> fit(Lin(x, b=fixed(1)) + Lin(u, b=fixed(2)), restarts=2)"), pair);
    }
}
