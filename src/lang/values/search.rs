//! Structure searches.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::json::{number, table};
use super::value::{Member, Value, ValueKind};
use crate::data::Function;
use crate::data::write::Table;
use crate::describe::{self, Markup, figure_labels, search_figures, tables};
use crate::figure::Figure;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::lang::payload::sheet::Sheet;
use crate::search::Search;

impl ValueKind for Search {
    const NAME: &'static str = "Search";
    const NOUN: &'static str = "a search";
    const MADE_BY: &'static str = "`search(data)`";
    const PLOT: Option<&'static [&'static str]> = Some(&["band", "show"]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("best", "the fit of the best model", |search| Value::Fit(search.best.clone())),
        Member::new("kernel", "the kernel of the best model with its fitted values", |search| {
            Value::Kernel(search.best.model.kernel.clone())
        }),
        Member::new("model", "the best model with its fitted values", |search| {
            Value::Model(Arc::new(Pipeline::of(search.best.model.clone())))
        }),
        Member::new("score", "the score of the best model: lower is better", |search| {
            Value::maybe_number(search.models.first().map(|best| best.score))
        }),
        Member::new("criterion", "the name of the score", |search| Value::str(search.settings.criterion.name())),
        Member::new("transform", "the transform of the target, such as `log`; `none` if it has none", |search| {
            Value::str(search.settings.target_transform(&search.data).map_or("none", Function::name))
        }),
        Member::new("trace", "a table: what was tried at each depth, and the best so far", |search| {
            Value::table(Sheet::with_text(describe::search::trace_table(search), describe::search::trace_grid(search)))
        }),
        Member::new(
            "candidates",
            "a table of everything that was tried, with its score and how far it came",
            |search| Value::table(describe::search::candidates_table(search)),
        ),
        Member::new("models", "a table of the best models, with weights by their scores", |search| {
            Value::table(describe::search::models_table(search))
        }),
        Member::checked("fits", "the best models, each as a fit", |search| {
            Value::list((0..search.models.len()).filter_map(|i| search.fit(i).ok()).map(Value::Fit))
        }),
        Member::new("ended", "why it ended", |search| Value::str(search.ended.to_string())),
        Member::new("depth", "the number of depths searched", |search| Value::Number(search.levels.len() as f64)),
        Member::new("evaluations", "how often the likelihood was evaluated", |search| {
            Value::Number(search.evaluations as f64)
        }),
        Member::new("seconds", "the duration in seconds", |search| Value::Number(search.seconds)),
        Member::checked("times", "the duration of each depth in seconds", |search| {
            Value::numbers(search.levels.iter().map(|level| level.seconds))
        }),
        Member::new("seed", "the seed of the random starts", |search| Value::Number(search.settings.seed as f64)),
        Member::new("data", "the rows that were searched", |search| Value::Data(Arc::new(search.data.clone()))),
    ];

    fn show(&self) -> Markup {
        describe::search::search(self)
    }

    fn json(&self) -> Json {
        json!({
            "best": ValueKind::json(&self.best),
            "score": self.models.first().map_or(Json::Null, |best| number(best.score)),
            "criterion": self.settings.criterion.name(),
            "transform": self.settings.transform.as_ref().map_or("none", Function::name),
            "trace": table(&describe::search::trace_table(self)),
            "models": table(&describe::search::models_table(self)),
            "candidates": table(&describe::search::candidates_table(self)),
            "ended": self.ended.to_string(),
            "evaluations": self.evaluations,
            "seconds": number(self.seconds),
            "seed": self.settings.seed,
        })
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        match options.show.as_deref() {
            Some("scores") => Ok(search_figures::scores(self)),
            _ => Ok(search_figures::depths(self, options.band, figure_labels::BEYOND)?),
        }
    }

    /// The parameters of its best fit.
    fn table(&self) -> Option<Table> {
        Some(tables::parameters(&self.best))
    }
}
