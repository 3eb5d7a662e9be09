//! Scores and comparisons as tables.

use super::grid::Grid;
use super::numbers::{percent, rounded, significant};
use crate::results::{Compared, CrossValidation, Score};

/// Scores on rows held out, or of each row from the others.
pub fn score(score: &Score, left_out: bool) -> String {
    let how = if left_out { "rows, each predicted from the others" } else { "rows held out" };
    let mut grid = Grid::new(["score", "value", ""]);
    for (name, value, help) in [
        ("mse", rounded(score.mse), "mean squared error"),
        ("rmse", rounded(score.rmse), "its root, in the target's unit"),
        ("mae", rounded(score.mae), "mean absolute error"),
        ("nll", rounded(score.nll), "mean negative log predictive density"),
        ("r2", rounded(score.r2), "1 - mse / variance"),
        ("coverage", percent(score.coverage), "within 2 sd; 95.4 % if the model is right"),
    ] {
        grid.row([name.to_string(), value, help.to_string()]);
    }
    format!("{} {how}\n{}", score.n, grid.text())
}

/// Scores fold by fold, then their mean with its standard error.
pub fn cross_validation(cv: &CrossValidation) -> String {
    let mut grid = Grid::new(["fold", "trained on", "tested on", "lml", "mse", "nll", "r2", "coverage"]);
    for (i, fold) in cv.folds.iter().enumerate() {
        let s = &fold.score;
        grid.row([
            (i + 1).to_string(),
            fold.trained.to_string(),
            s.n.to_string(),
            significant(fold.lml, 6),
            rounded(s.mse),
            rounded(s.nll),
            rounded(s.r2),
            percent(s.coverage),
        ]);
    }
    let mean = |name: &str, of: fn(&Score) -> f64| {
        let (mean, error) = cv.mean(of);
        format!("{name} {} ± {}", rounded(mean), significant(error, 2))
    };
    let means = [mean("mse", |s| s.mse), mean("nll", |s| s.nll), mean("r2", |s| s.r2)];
    format!("{} folds, seed {}\n{}\nmean: {}", cv.folds.len(), cv.seed, grid.text(), means.join(", "))
}

/// Fits side by side, best BIC first.
pub fn compared(compared: &[Compared]) -> String {
    let mut grid = Grid::new(["kernel", "BIC", "ΔBIC", "lml", "log Bayes factor", "parameters", "loo nll", "loo rmse"]);
    for one in compared {
        let maybe = |value: Option<f64>| value.map_or("–".to_string(), rounded);
        grid.row([
            one.fit.asked.kernel.to_string(),
            significant(one.fit.bic, 6),
            format!("{:.1}", one.delta_bic),
            significant(one.fit.lml(), 6),
            format!("{:.1}", one.log_bayes),
            one.fit.free.to_string(),
            maybe(one.loo_nll),
            maybe(one.loo_rmse),
        ]);
    }
    grid.text()
}
