//! A fit in a file.

use std::process::Command;

use super::*;

#[test]
fn a_saved_fit_is_small_and_predicts_the_same_in_another_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fit.json");
    let shown = path.display();
    let mut talk = Talk::new(&format!(
        "let d = data(t=[i / 3 for i in 0..1000], y=[sin(i / 50) + 0.1 * cos(91.3 * i^2) for i in 0..1000])\n\
         let f = d |> condition(gp(SE(t, l=16.7) + 0.3 * RQ(t, l=3.3, a=0.7, v=0.01), noise=0.011))\nf |> save(\"{shown}\")"
    ));
    let size = std::fs::metadata(&path).expect("a file").len();
    assert!(size < 200_000, "{size} bytes");
    let question = "[f.lml, (f |> predict(-1..400, n=77)).mean, (f |> predict(-1..400, n=77)).sd]";
    let here = talk.says(question);
    let expr = format!("let f = load_fit(\"{shown}\"); {question}");
    let program = Command::new(env!("CARGO_BIN_EXE_mercer")).args(["eval", &expr]).output().expect("the program runs");
    assert!(program.status.success(), "{}", String::from_utf8_lossy(&program.stderr));
    assert_eq!(String::from_utf8_lossy(&program.stdout).trim(), here.trim());
}

#[test]
fn the_fit_that_is_read_knows_how_it_came_about() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fit.json").display().to_string();
    let mut talk = wave(&format!("let f = d |> fit(standardize >> gp(SE(x) + WN), seed=4)\nf |> save(\"{path}\")\n"));
    assert_eq!(talk.says("f"), talk.says(&format!("load_fit(\"{path}\")")));
    let text = std::fs::read_to_string(&path).expect("a file");
    std::fs::write(&path, text.replacen("\"lml\":", "\"lml\": 1234.5, \"was\":", 1)).expect("a file");
    contains(&talk.fails(&format!("load_fit(\"{path}\")")), "it was saved with");
    std::fs::write(&path, "[1, 2]").expect("a file");
    contains(&talk.fails(&format!("load_fit(\"{path}\")")), "is not a saved fit");
}
