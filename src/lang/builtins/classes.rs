//! Results of classifiers: calibration and confusion matrices.

use std::sync::Arc;

use crate::data::Dataset;
use crate::describe::{classes as class_texts, probability_figures};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::payload::sheet::Sheet;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, Value};
use crate::results::metric::Outcomes;
use crate::results::{self, Fitted};

use super::models::lang_error;

/// Predicted and true classes, of held-out rows or by leave-one-out.
struct Asked {
    fitted: Fitted,
    outcomes: Outcomes,
    left_out: bool,
    target: String,
}

impl Asked {
    fn of(call: &mut Call<'_, '_>) -> Res<Self> {
        let fitted: Fitted = call.arg("fit")?;
        let data: Option<Arc<Dataset>> = call.maybe("data")?;
        let problem = match &fitted {
            Fitted::One(fit) => fit.problem(),
            Fitted::Rest(rest) => rest.fits[0].problem(),
        };
        if problem.classes().is_none() {
            let lang_error =
                LangError::new("this fit predicts numbers, and only classes have probabilities").argument("fit");
            return Err(lang_error.help("`score` and `residuals` assess predicted numbers"));
        }
        let target = problem.data().target().map_or_else(String::new, |t| t.name().to_string());
        let place = if data.is_some() { "data" } else { "fit" };
        let outcomes =
            fitted.outcomes_at(data.as_deref()).map_err(|error| lang_error(call.eval, error).argument(place))?;
        Ok(Self { fitted, outcomes, left_out: data.is_none(), target })
    }

    fn rows(&self) -> &'static str {
        if self.left_out { "each row predicted from all others" } else { "rows held out" }
    }
}

fn calibration(call: &mut Call<'_, '_>) -> Res<Value> {
    let bins: usize = call.or("bins", probability_figures::BINS)?;
    if !(2..=1000).contains(&bins) {
        return Err(LangError::new(format!("the number of bins must be from 2 to 1000, found {bins}")).argument("bins"));
    }
    let asked = Asked::of(call)?;
    let Some(found) = results::calibration(&asked.outcomes, bins) else {
        return Err(LangError::new("only classes have probabilities").argument("fit"));
    };
    let figure = probability_figures::calibration(&found, &probability_figures::of_what(&asked.fitted), asked.rows());
    let text = class_texts::calibration(&found, &asked.target, asked.left_out);
    Ok(Value::table(Sheet::with_text(class_texts::calibration_table(&found), text).with_figure(figure)))
}

fn confusion(call: &mut Call<'_, '_>) -> Res<Value> {
    let asked = Asked::of(call)?;
    let classes = asked.fitted.classes().unwrap_or_default();
    let Some(found) = results::confusion(&asked.outcomes, classes) else {
        return Err(LangError::new("a confusion matrix needs a classifier").argument("fit"));
    };
    let text = class_texts::confusion(&found, &asked.target, asked.left_out);
    let figure = probability_figures::confusion(&found, asked.rows());
    Ok(Value::table(Sheet::with_text(class_texts::confusion_table(&found), text).with_figure(figure)))
}

const FIT: Place = Place::required("fit", Want::Kind(Kind::Fit), "a fit of classes");
const DATA: Place =
    Place::optional("data", Want::Kind(Kind::Data), "leave-one-out", "held-out rows, with their classes");

pub static CLASSES: &[Builtin] = &[
    Builtin {
        name: "calibration",
        aliases: &["reliability"],
        group: Group::Results,
        places: &[FIT, DATA, Place::keyword("bins", Want::Count, "10", "the number of intervals of probability")],
        result: Some(Kind::Table),
        summary: "the calibration of predicted probabilities: observed frequencies by predicted probability",
        help: "One \
               row for each interval of predicted probabilities that is not empty, of the positive class or, for more \
               than two classes, of all classes together: the mean prediction, and the observed frequency with its 95 \
               % interval. `plot` draws it.",
        examples: &["let d = data(x=0..12, y=[0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1])\n\
             d |> condition(gp(SE(x, l=3, v=2), likelihood=\"bernoulli\", mean=0)) |> calibration(bins=4)"],
        touches: Touches::Nothing,
        run: calibration,
    },
    Builtin {
        name: "confusion",
        aliases: &[],
        group: Group::Results,
        places: &[FIT, DATA],
        result: Some(Kind::Table),
        summary: "the confusion matrix of predicted classes",
        help: "One row for each true class, one column for each predicted class. `plot` draws the shares.",
        examples: &["let d = data(x=0..12, y=[0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1])\n\
             d |> condition(gp(SE(x, l=3, v=2), likelihood=\"bernoulli\", mean=0)) |> confusion"],
        touches: Touches::Nothing,
        run: confusion,
    },
];
