//! A search as text and tables: the best model, why the search ended, and its trace.

use super::english::words::listed;
use super::markup::Markup;
use super::numbers::{digits_beside, percent, rounded, significant};
use super::text_table::Grid;
use crate::data::Function;
use crate::data::write::Table;
use crate::fit::scale_name;
use crate::fit::spacing::median;
use crate::search::{Candidate, Criterion, Found, Level, Reached, Search};

/// The number of displayed models.
const SHOWN: usize = 5;

/// The settings and the result, then one line per depth, then the best few models. The text has no times, so that the
/// same seed gives the same text.
pub fn search(search: &Search) -> Markup {
    let (settings, best) = (&search.settings, &search.best);
    let problem = best.problem();
    let target = search.data.target().map_or("y", |t| t.name());
    let names = listed(problem.names());
    let mut lines = Markup::from(format!("search of {target} on {names} ({} rows)", search.data.n()));
    let mut say = |name: &str, text: String| lines.push(format!("  {name:<10}{text}"));
    if let Some(rows) = search.rows {
        let how = match settings.criterion {
            Criterion::HeldOut => {
                "models were fitted to {rows} of them and compared on others; the best was then fitted to all"
            }
            _ => "models were fitted to {rows} of them and compared there; the best is conditioned on all",
        };
        say("rows", how.replace("{rows}", &rows.to_string()));
    }
    if let Some(model) = settings.begun_with() {
        say("model", model.to_string());
    }
    let bases: Vec<String> = settings.base.iter().map(ToString::to_string).collect();
    say("from", bases.join(", "));
    if let Some(first) = search.models.first() {
        say("kernel", first.model.kernel.heading());
        say("score", score(search, first));
    }
    if let Some(scale) = scale(search, target) {
        say("scale", scale);
    }
    if let Some(classes) = super::fit::classes(best) {
        say("classes", classes);
        say("link", super::fit::likelihood(best));
    }
    if let Some(noise) = best.noise().filter(|noise| *noise > 0.0) {
        // under a transform the noise is that of the transformed target
        let unit = problem.pipeline().target().unit(search.data.target().and_then(|t| t.unit()));
        let unit = unit.map_or(String::new(), |u| format!(" {u}"));
        say("noise", format!("standard deviation {}{unit}", rounded(noise.sqrt())));
    }
    let (depth, asked) = (search.levels.len(), settings.depth);
    let depth = if depth == asked { format!("depth {depth}") } else { format!("depth {depth} of {asked}") };
    let ended = search.ended.to_string();
    let ended = ended.strip_prefix("ended ").unwrap_or(&ended);
    say("ended", format!("{ended}; {depth}, {} evaluations, seed {}", search.evaluations, settings.seed));
    lines.push(trace_grid(search));
    if search.models.len() > 1 {
        lines.push("");
        lines = lines.then(models(search));
    }
    if let Some(ended) = best.ended.filter(|ended| !ended.well() && !search.was_stopped()) {
        lines.push(format!("note: the best model is not at a maximum of its likelihood ({ended})"));
    }
    if !search.outlying.is_empty() {
        // enough digits to tell them from the others
        let usual = search.data.y().and_then(|y| median(&mut y.to_vec())).unwrap_or(0.0);
        let digits = |y: f64| digits_beside(y, 10.0 * (y - usual).abs()).map_or(4, |digits| digits.max(4));
        let values: Vec<String> = search.outlying.iter().map(|&y| significant(y, digits(y))).collect();
        let (lie, rows) = if values.len() == 1 { ("lies", "that row's") } else { ("lie", "those rows'") };
        lines.push(format!(
            "note: {} {lie} far outside of the other values of {target}; models whose structure is {rows} alone were left out",
            values.join(" and ")
        ));
    }
    if matches!(settings.criterion, Criterion::Bic | Criterion::Bicc) && best.counted() < best.estimated() {
        lines.push(format!(
            "note: the search counts every free parameter; the data determine {} of the {} of the best model, which `.best.bic` \
             counts",
            best.counted(),
            best.estimated()
        ));
    }
    lines
}

/// The scale of the target, with the scores of the scales that were compared.
fn scale(search: &Search, target: &str) -> Option<String> {
    let name = |transform: &Option<Function>| scale_name(transform.as_ref(), target);
    if search.scales.len() < 2 {
        return search.settings.target_transform(&search.data).map(|transform| scale_name(Some(transform), target));
    }
    let mut all: Vec<_> = search.scales.iter().collect();
    all.sort_by(|a, b| a.score.total_cmp(&b.score));
    let (best, others) = all.split_first()?;
    let others: Vec<String> = others.iter().map(|c| format!("{} {}", rounded(c.score), name(&c.transform))).collect();
    let title = search.settings.criterion.title();
    let rows = best.rows.map_or(String::new(), |rows| format!(" of {rows} rows"));
    Some(format!(
        "{}: {title} {}{rows} after the first depths, against {}",
        name(&best.transform),
        rounded(best.score),
        others.join(", ")
    ))
}

/// The score of a model, and the numbers from which it is computed.
fn score(search: &Search, found: &Found) -> String {
    let criterion = search.settings.criterion;
    let count = found.parameters;
    let counted = if count == 1 { "1 parameter".to_string() } else { format!("{count} parameters") };
    let rows = search.rows.map_or(String::new(), |rows| format!(" of {rows} rows"));
    format!("{} {:.2}, log marginal likelihood {:.2}{rows} ({counted})", criterion.title(), found.score, found.lml)
}

/// One line per depth.
pub fn trace_grid(search: &Search) -> Grid {
    let title = search.settings.criterion.title();
    let mut grid = Grid::new(["depth", "tried", "fitted", "evaluations", title, "best so far"]);
    for level in &search.levels {
        grid.row([
            level.depth.to_string(),
            level.candidates.len().to_string(),
            count(level, |c| c.reached == Reached::Fitted).to_string(),
            level.evaluations.to_string(),
            format!("{:.2}", level.best.score),
            level.best.model.kernel.heading(),
        ]);
    }
    grid
}

/// The best few models with their weights, and the number of others.
pub fn models(search: &Search) -> Markup {
    let text = Markup::from(models_grid(search, SHOWN));
    match search.models.len().saturating_sub(SHOWN) {
        0 => text,
        more => text.and(format!("and {more} more in `.models`")),
    }
}

/// The best models with their weights as a grid.
pub fn models_grid(search: &Search, most: usize) -> Grid {
    let title = search.settings.criterion.title();
    let mut grid = Grid::new([title, "weight", "parameters", "best models"]);
    for found in search.models.iter().take(most) {
        grid.row([
            format!("{:.2}", found.score),
            percent(found.weight),
            found.parameters.to_string(),
            found.model.kernel.heading(),
        ]);
    }
    grid
}

fn count(level: &Level, of: impl Fn(&Candidate) -> bool) -> usize {
    level.candidates.iter().filter(|c| of(c)).count()
}

/// One row per depth: the numbers of candidates, fits and failures, evaluations, the best score so far, its edit and
/// its kernel.
pub fn trace_table(search: &Search) -> Table {
    let of = |f: &dyn Fn(&Level) -> f64| search.levels.iter().map(f).collect::<Vec<f64>>();
    let failed = |c: &Candidate| matches!(c.reached, Reached::Failed(_));
    Table::new()
        .numbers("depth", &of(&|l| l.depth as f64))
        .numbers("tried", &of(&|l| l.candidates.len() as f64))
        .numbers("fitted", &of(&|l| count(l, |c| c.reached == Reached::Fitted) as f64))
        .numbers("failed", &of(&|l| count(l, failed) as f64))
        .numbers("evaluations", &of(&|l| l.evaluations as f64))
        .numbers("score", &of(&|l| l.best.score))
        .texts("edit", search.levels.iter().map(|l| edit(l).map(str::to_string)).collect())
        .texts("kernel", search.levels.iter().map(|l| Some(l.best.model.kernel.to_string())).collect())
}

/// The edit that gave the best model of a depth; `None` if the best is from an earlier depth.
fn edit(level: &Level) -> Option<&str> {
    let best = level.candidates.first()?;
    best.score.filter(|score| *score <= level.best.score).map(|_| &*best.edit)
}

/// Every candidate of every depth, best first within a depth.
pub fn candidates_table(search: &Search) -> Table {
    let all = || search.levels.iter().flat_map(|level| level.candidates.iter().map(move |c| (level.depth, c)));
    let numbers = |f: &dyn Fn(usize, &Candidate) -> f64| all().map(|(depth, c)| f(depth, c)).collect::<Vec<f64>>();
    let texts = |f: &dyn Fn(&Candidate) -> Option<String>| all().map(|(_, c)| f(c)).collect::<Vec<_>>();
    let why = |c: &Candidate| match &c.reached {
        Reached::Failed(why) => Some(why.clone()),
        _ => None,
    };
    Table::new()
        .numbers("depth", &numbers(&|depth, _| depth as f64))
        .texts("edit", texts(&|c| Some(c.edit.clone())))
        .texts("reached", texts(&|c| Some(c.reached.name().to_string())))
        .numbers("score", &numbers(&|_, c| c.score.unwrap_or(f64::NAN)))
        .numbers("lml", &numbers(&|_, c| c.lml.unwrap_or(f64::NAN)))
        .texts("kernel", texts(&|c| Some(c.kernel.to_string())))
        .texts("why", texts(&why))
}

/// The best models, best first.
pub fn models_table(search: &Search) -> Table {
    let of = |f: &dyn Fn(&Found) -> f64| search.models.iter().map(f).collect::<Vec<f64>>();
    Table::new()
        .texts("kernel", search.models.iter().map(|m| Some(m.model.kernel.to_string())).collect())
        .numbers("score", &of(&|m| m.score))
        .numbers("lml", &of(&|m| m.lml))
        .numbers("parameters", &of(&|m| m.parameters as f64))
        .numbers("weight", &of(&|m| m.weight))
}
