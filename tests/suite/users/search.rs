//! Results of a search for a kernel.

use super::*;

#[test]
fn no_period_is_found_in_noise() {
    for seed in [1, 2, 3] {
        let mut talk = Talk::new(&format!(
            "let y = sample(WN(v=1), 0..50, n=1, seed={seed})[0]\n\
             let s = data(x=0..50, y=y) |> search(depth=2, restarts=2)"
        ));
        let kernel = talk.says("s.best.kernel");
        assert!(!kernel.contains("Per"), "seed {seed}: {kernel}\n{}", talk.says("s"));
    }
}

/// A sum contains its parts: it starts at the optimum of its parent, and is not worse.
#[test]
fn a_sum_is_never_worse_than_what_it_was_made_from() {
    let mut talk = Talk::new(
        "let s = load(\"airline\") |> head(60) |> search([SE, Per(centred=true), Lin, RQ], depth=3, restarts=1, criterion=\"bic\", transform=\"none\")",
    );
    let (depths, lmls) = (talk.numbers("s.candidates.depth"), talk.numbers("s.candidates.lml"));
    let edits = talk.value("s.candidates.edit");
    let edits: Vec<&str> = edits.as_array().expect("a list").iter().map(|e| e.as_str().expect("a text")).collect();
    // rows are sorted by score, the best of a depth first
    let best = |depth: f64| lmls[depths.iter().position(|d| *d == depth).expect("a depth")];
    let sums: Vec<usize> = (0..lmls.len()).filter(|&i| edits[i].starts_with("+ ")).collect();
    assert!(sums.len() > 4, "{edits:?}");
    for i in sums {
        let parent = best(depths[i] - 1.0);
        assert!(lmls[i] >= parent - 1e-3, "depth {}, {}: {} and {parent}", depths[i], edits[i], lmls[i]);
    }
}
