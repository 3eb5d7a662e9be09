//! Predictions of more than two classes, which are of kind Prediction.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::data::{inputs, inputs_json};
use super::json::numbers;
use super::one_vs_rest::classes;
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::describe::{self, Markup, probability_figures};
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::results::{ClassPrediction, Prediction};

impl ValueKind for Arc<ClassPrediction> {
    const NAME: &'static str = Prediction::NAME;
    const NOUN: &'static str = Prediction::NOUN;
    const MADE_BY: &'static str = Prediction::MADE_BY;
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const TABLE: bool = Prediction::TABLE;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::checked("at", "the inputs: numbers, or a list for each row where there are several", |p| inputs(&p.at)),
        Member::new("rows", "the rows as data", |p| Value::Data(Arc::new(p.at.clone()))),
        Member::checked("mean", "the means of the latent functions, row by row", |p| by_row(&p.mean, |m| m)),
        Member::checked("sd", "the standard deviations of each class as 0 or 1, row by row", |p| {
            by_row(&p.probability, |p| (p * (1.0 - p)).sqrt())
        }),
        Member::checked("var_f", "the variances of the latent functions, row by row", |p| by_row(&p.var_f, |v| v)),
        Member::checked("var_y", "the variances of each class as 0 or 1, row by row", |p| {
            by_row(&p.probability, |p| p * (1.0 - p))
        }),
        Member::checked("probability", "the probability of each class, row by row", |p| by_row(&p.probability, |p| p)),
        Member::checked("class", "the most probable classes", |p| Value::list(p.class().into_iter().map(Value::str))),
        Member::checked("classes", "the classes, in the order of the probabilities", |p| classes(&p.fit)),
        Member::new("median", "nothing: classes have none", |_| Value::Nothing),
        Member::new("lower", "nothing: classes have none", |_| Value::Nothing),
        Member::new("upper", "nothing: classes have none", |_| Value::Nothing),
        Member::new("fit", "the fit", |p| Value::OneVsRest(p.fit.clone())),
    ];

    fn show(&self) -> Markup {
        describe::classes::prediction(self)
    }

    fn json(&self) -> Json {
        let classes = self.fit.classes.iter().zip(&self.probability);
        let probability: Map<String, Json> = classes.map(|(class, p)| (class.to_string(), numbers(p))).collect();
        json!({
            "at": inputs_json(&self.at),
            "probability": probability,
            "class": self.class(),
        })
    }

    fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(self, other)
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(probability_figures::class_prediction(self)?)
    }

    fn table(&self) -> Option<Table> {
        Some(describe::classes::prediction_table(self))
    }
}

/// A list per row, with an entry per class.
fn by_row(of: &[Vec<f64>], entry: impl Fn(f64) -> f64) -> Res<Value> {
    let rows = of.first().map_or(0, Vec::len);
    Value::checked_list((0..rows).map(|i| Value::numbers(of.iter().map(|class| entry(class[i])))))
}
