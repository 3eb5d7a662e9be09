//! A search through the language: it does not depend on the number of threads, can be resumed as if it had not ended,
//! and can be saved.

use crate::support::talk;

use snapbox::cmd::{Command, cargo_bin};
use talk::Talk;

/// The output of a program with this number of threads.
fn shown(threads: &str, program: &str) -> String {
    let output = Command::new(cargo_bin!("mercer")).args(["eval", "--threads", threads, program]).assert().success();
    let output = output.get_output();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_search_is_the_same_twice_and_on_any_number_of_threads() {
    let program = "let s = load(\"airline\") |> head(72) |> search(depth=3, budget=2000)\ns\ns.candidates\ns.best";
    let one = shown("1", program);
    assert_eq!(one, shown("2", program));
    assert_eq!(one, shown("2", program));
    assert!(one.contains("search of passengers on year (72 rows)"), "{one}");
}

#[test]
fn a_search_of_many_rows_is_the_same_on_any_number_of_threads() {
    // with enough rows that the early rounds use a subset
    let program = "load(\"mauna_loa\") |> head(300) |> search([SE, Per], depth=2, restarts=1, budget=1500)";
    assert_eq!(shown("1", program), shown("2", program));
}

#[test]
fn another_seed_is_told() {
    let mut talk = Talk::new("let nile = load(\"nile\")");
    let text = talk.says("nile |> search([SE, Lin], depth=1, seed=7)");
    assert!(text.contains("seed 7"), "{text}");
}

#[test]
fn a_resumed_search_is_the_longer_one() {
    let mut talk = Talk::new("let air = load(\"airline\") |> head(72)");
    talk.says("let four = air |> search(depth=4)\nlet two = air |> search(depth=2)\nlet on = resume(two, depth=4)");
    assert_eq!(talk.says("four"), talk.says("on"));
    assert_eq!(talk.value("four.candidates"), talk.value("on.candidates"));
    assert_eq!(talk.value("four.models"), talk.value("on.models"));
}

/// The leaders of a depth that was stopped early are models of the pause, and no parents of what follows.
#[test]
fn a_search_that_paused_within_depths_is_the_whole_one() {
    let mut talk = Talk::new("let air = load(\"airline\") |> head(72)");
    talk.says("let whole = air |> search(depth=3, transform=\"none\")");
    talk.says("let paused = resume(air |> search(depth=3, transform=\"none\", budget=700), budget=400)");
    assert!(talk.number("paused.depth") < 3.0);
    talk.says("let on = resume(paused, budget=100000)");
    assert_eq!(talk.value("whole.trace.tried"), talk.value("on.trace.tried"));
    assert_eq!(talk.value("whole.models"), talk.value("on.models"));
}

#[test]
fn a_search_that_ran_out_goes_on_with_more() {
    let mut talk = Talk::new("let s = load(\"nile\") |> search([SE, Lin], depth=3, budget=150)");
    assert_eq!(talk.value("s.ended"), "ended by its budget of evaluations");
    talk.says("let more = resume(s, budget=100000)");
    assert!(talk.number("more.depth") > talk.number("s.depth"));
    assert!(talk.number("more.evaluations") > talk.number("s.evaluations"));
    assert!(talk.number("more.score") <= talk.number("s.score"));
}

#[test]
fn weights_are_those_of_the_scores() {
    let mut talk = Talk::new("let s = load(\"nile\") |> search([SE, Lin], depth=2)");
    let (weights, scores) = (talk.numbers("s.models.weight"), talk.numbers("s.models.score"));
    let raw: Vec<f64> = scores.iter().map(|score| (-0.5 * (score - scores[0])).exp()).collect();
    let total: f64 = raw.iter().sum();
    assert!(weights.iter().zip(&raw).all(|(w, r)| (w - r / total).abs() < 1e-12), "{weights:?} {scores:?}");
    assert!(scores.is_sorted(), "{scores:?}");
    // each of the models is available as a fit, with the log marginal likelihood in the table
    let (told, lmls) = (talk.numbers("s.models.lml"), talk.numbers("[f.lml for f in s.fits]"));
    assert!(told.iter().zip(&lmls).all(|(a, b)| (a - b).abs() < 1e-6 * a.abs()), "{told:?} {lmls:?}");
    assert_eq!(talk.params("s.best").len(), talk.numbers("s.best.params.value").len());
}

#[test]
fn what_fails_says_why() {
    let mut talk = Talk::new("let d = data(city=[\"a\", \"b\", \"a\", \"c\", \"b\", \"c\"], y=[1, 3, 2, 4, 3, 1])");
    let said = talk.fails("d |> search([SE, Per])");
    assert!(said.contains("none of the 2 base kernels") && said.contains("SE(city)"), "{said}");
}

/// A leave-one-out score is that of one model with its fitted parameters, and says so.
#[test]
fn leave_one_out_scores_are_of_the_best_model() {
    let mut talk = Talk::new("let s = load(\"nile\") |> head(40) |> search([SE, Lin], depth=1, budget=500)");
    let said = talk.says("s |> score");
    assert!(said.contains("of the best model alone, with its fitted parameters"), "{said}");
    assert_eq!(talk.value("(s |> score).nll"), talk.value("(s.best |> score).nll"));
    let said = talk.fails("s |> score(parameters=\"integrated\")");
    assert!(said.contains("leave-one-out scores are those of the fitted parameters"), "{said}");
    let said = talk.fails("s |> score(average=true)");
    assert!(said.contains("held-out rows are averaged"), "{said}");
}

#[test]
fn every_criterion_gives_a_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut talk = Talk::new("let d = load(\"nile\") |> head(40)");
    for criterion in ["bic", "recorded", "aic", "laplace", "held-out"] {
        talk.says(&format!("let s = d |> search([SE, Lin], depth=2, criterion=\"{criterion}\", budget=3000)"));
        assert!(talk.number("s.score").is_finite(), "{criterion}");
        assert_eq!(talk.value("s.criterion"), criterion);
        // the log marginal likelihood of the models is that of the rows that are not held out
        assert_eq!(talk.says("s").contains("of 32 rows"), criterion == "held-out", "{criterion}");
        // saved and read back, for any criterion
        let file = folder.path().join("s.json");
        talk.says(&format!("s |> save({file:?})"));
        assert_eq!(talk.value(&format!("load_search({file:?}).models")), talk.value("s.models"), "{criterion}");
    }
}

/// A saved search continues with its own edits, noise and mean.
#[test]
fn a_search_that_was_kept_goes_on_as_it_would_have() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s.json");
    let mut talk = Talk::new(
        "let nile = load(\"nile\")\nfn wavy(k) = k * Per(year)\n\
         let s = nile |> search([SE, Lin], depth=1, noise=between(1000, 50000), mean=\"zero\", moves=[\"add\", wavy])",
    );
    talk.says(&format!("s |> save({file:?})\nlet read = load_search({file:?})"));
    assert_eq!(talk.says("s"), talk.says("read"));
    talk.says("let on = resume(s, depth=3)\nlet read_on = resume(read, depth=3)");
    assert_eq!(talk.says("on"), talk.says("read_on"));
    assert_eq!(talk.value("on.candidates"), talk.value("read_on.candidates"));
    assert!(talk.value("on.candidates.edit").to_string().contains("wavy"));
}

/// The defaults in the signature are those of the settings.
#[test]
fn the_defaults_are_those_of_the_settings() {
    let settings = mercer::search::Settings::default();
    let signature = &mercer::lang::registry::find("search").expect("a builtin").signature;
    let shown = |name: &str| signature.places[signature.place(name).expect("a place")].need;
    let mut talk = Talk::new("1");
    let mut same = |name: &str, text: String| match shown(name) {
        mercer::lang::signature::Need::Optional(default) => {
            assert_eq!(talk.says(default), text, "{name}");
        }
        need => panic!("{name}: {need:?}"),
    };
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    same("base", list(settings.base.iter().map(ToString::to_string).collect()));
    same("depth", settings.depth.to_string());
    same("beam", settings.beam.to_string());
    same("restarts", settings.restarts.to_string());
    same("criterion", format!("{:?}", settings.criterion.name()));
    same("moves", list(settings.moves.iter().map(|edit| format!("{:?}", edit.name())).collect()));
    same("budget", format!("{:?}", mercer::search::Budget::DEFAULT.to_string()));
}

/// Changepoints of many columns have many children: not all are bound before the budget is checked.
#[test]
fn many_columns_end_soon_after_the_budget() {
    let mut program = String::from("let d = data(");
    for column in 0..150 {
        let values: Vec<String> = (0..24).map(|i| format!("{:.3}", ((i * (column + 3)) as f64 * 0.7).sin())).collect();
        program += &format!("c{column}=[{}], ", values.join(", "));
    }
    program += "y=[sin(i / 3) for i in 0..24])";
    let mut talk = Talk::new(&program);
    let begun = std::time::Instant::now();
    talk.says("let s = d |> search([SE], depth=8, moves=[\"add\", \"changepoint\"], budget=\"1 s\")");
    let seconds = begun.elapsed().as_secs_f64();
    assert!(seconds < 8.0, "{seconds} s for a budget of 1 s");
    assert_eq!(talk.value("s.ended"), "ended by its time budget: another run may differ");
    // children that were not evaluated are not in memory
    assert!(talk.number("len(s.candidates)") < 20_000.0);
}

/// Columns of categories are searched without being asked for, and a family of categories on these alone.
#[test]
fn categories_are_searched_by_default() {
    let mut talk = Talk::new(
        "let d = data(date=[\"2024-01-01\", \"2024-01-02\", \"2024-01-03\", \"2024-01-04\", \"2024-01-05\", \"2024-01-06\", \
         \"2024-01-07\", \"2024-01-08\", \"2024-01-09\", \"2024-01-10\"], shop=[\"a\", \"b\", \"a\", \"b\", \"a\", \"b\", \
         \"a\", \"b\", \"a\", \"b\"], y=[1, 2, 1.1, 2.2, 1, 2.1, 1, 2, 1, 2.3])",
    );
    let edits = |talk: &mut Talk, text: &str| talk.value(&format!("({text}).candidates.edit")).to_string();
    let usual = edits(&mut talk, "d |> search(depth=1, restarts=1, budget=500)");
    assert!(usual.contains("\"Indicator(shop)\"") && !usual.contains("Indicator(date)"), "{usual}");
    let named = edits(&mut talk, "d |> search(base=[SE, Indicator], depth=1, restarts=1, budget=500)");
    assert!(named.contains("\"Indicator(shop)\"") && !named.contains("Indicator(date)"), "{named}");
    // said before any time is spent
    let said = talk.says("let s = d |> search(base=[SE(date)], depth=1, restarts=1, budget=100)");
    assert!(said.contains("no base kernel depends on \"shop\""), "{said}");
}

/// Of days of which four in five are left out the median gap is several days, and a week is still found.
#[test]
fn a_week_is_found_in_daily_rows_with_days_left_out() {
    let mut talk = Talk::new(
        "let kept = random(0..1, 900, seed=3)\n\
         let days = [i for i in 0..900 if kept[i] < 0.2]\n\
         let week = [0, 0.4, 0.6, 0.4, 1.2, -1.4, -1.8]\n\
         let error = random(-0.5..0.5, 900, seed=4)\n\
         let d = data(day=days, y=[week[i - 7 * floor(i / 7)] + error[i] for i in days])",
    );
    talk.says("let s = d |> search([SE, Per], depth=1)");
    let params = talk.params("s.best");
    let period = params.iter().find(|(name, _)| name.ends_with(".p")).map_or(f64::NAN, |(_, value)| *value);
    assert!((period - 7.0).abs() < 0.01, "{period}");
}

#[test]
fn the_best_model_of_a_search_is_at_a_maximum() {
    let mut talk = Talk::new("let air = load(\"airline\") |> head(60)");
    talk.says("let s = air |> search([SE, Per, Lin], depth=3, budget=800)");
    assert_eq!(talk.value("s.best.converged"), true, "{}", talk.says("s.best"));
    // and no worse than a fit of the same expression
    let own = talk.number("s.best.lml");
    let again = talk.number("fit(air, s.best.model, restarts=1).lml");
    assert!(again < own + 1e-3, "{own} {again}");
}
