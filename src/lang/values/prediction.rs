//! Predictions.

use std::sync::Arc;

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use serde_json::{Map, Value as Json, json};

use super::data::{inputs, inputs_json};
use super::fit::{class, classes, no_maps};
use super::json::{number, numbers};
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::describe::{self, Markup, posterior_maps, result_figures, tables};
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::results::{Prediction, Quantiles};

impl ValueKind for Prediction {
    const NAME: &'static str = "Prediction";
    const NOUN: &'static str = "a prediction";
    const MADE_BY: &'static str = "`predict(fit, at)`";
    const PLOT: Option<&'static [&'static str]> = Some(&["band", "draws", "deciles", "frames", "show"]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::checked("at", "the inputs: numbers, or a list for each row where there are several", |p| inputs(&p.at)),
        Member::new("rows", "the rows as data", |p| Value::Data(Arc::new(p.at.clone()))),
        Member::checked("mean", "the means of y; for a classifier, of the latent function", |p| list(&p.mean)),
        Member::checked("sd", "the standard deviations of y, noise included", |p| list(&p.sd)),
        Member::checked("var_f", "the variances of the function", |p| list(&p.var_f)),
        Member::checked("var_y", "the variances of y; of a class as 0 or 1", |p| list(&p.var_y)),
        Member::checked(
            "probability",
            "for a classifier: the probabilities of the positive class; of more than two classes of each, row by row",
            |p| p.probability.as_deref().map_or(Ok(Value::Nothing), list),
        ),
        Member::checked("class", "for a classifier: the most probable classes", |p| {
            match (&p.probability, p.fit.problem().classes()) {
                (Some(probability), Some(classes)) => {
                    let label = |p: &f64| if *p > 0.5 { 1.0 } else { -1.0 };
                    Value::list(probability.iter().map(|p| class(classes, label(p))))
                }
                _ => Ok(Value::Nothing),
            }
        }),
        Member::checked("classes", "for a classifier: its classes, in the order of the probabilities", |p| {
            classes(&p.fit)
        }),
        Member::checked("median", "under a nonlinear transform: the medians of y", |p| quantile(p, |q| &q.median)),
        Member::checked("lower", "under a nonlinear transform: the 2.3 % quantile of y", |p| quantile(p, |q| &q.lower)),
        Member::checked("upper", "under a nonlinear transform: the 97.7 % quantile of y", |p| {
            quantile(p, |q| &q.upper)
        }),
        Member::new("fit", "the fit", |p| Value::Fit(p.fit.clone())),
    ];

    fn show(&self) -> Markup {
        describe::prediction(self)
    }

    fn json(&self) -> Json {
        let mut out = Map::new();
        out.insert("at".into(), inputs_json(&self.at));
        if let (Some(probability), Some(class)) = (&self.probability, self.class()) {
            out.insert("probability".into(), numbers(probability));
            out.insert("class".into(), json!(class));
        }
        let mut insert = |name: &str, values: &[f64]| out.insert(name.to_owned(), numbers(values));
        for (name, values) in [("mean", &self.mean), ("sd", &self.sd), ("var_f", &self.var_f), ("var_y", &self.var_y)] {
            insert(name, values);
        }
        if let Some(q) = &self.quantiles {
            for (name, values) in [("median", &q.median), ("lower", &q.lower), ("upper", &q.upper)] {
                insert(name, values);
            }
        }
        if !self.levels.is_empty() {
            let level = |(p, values): &(f64, Vec<f64>)| json!({"p": number(*p), "values": numbers(values)});
            out.insert("quantiles".into(), self.levels.iter().map(level).collect());
        }
        Json::Object(out)
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        let mut figure = result_figures::prediction(self, options.band)?;
        if let Some(show) = options.show.as_deref() {
            return Ok(posterior_maps::one_map(figure, show == "mean").ok_or_else(no_maps)?);
        }
        if options.deciles {
            describe::add_deciles(&mut figure, self)?;
        }
        if let Some(count) = options.draws {
            let mut random = rand_pcg::Pcg64::seed_from_u64(options.seed);
            // in an animation each draw moves in a circle through the plane of two draws
            let mut other = random.clone();
            other.advance(1 << 40);
            let (sin, cos) = (options.phase * std::f64::consts::TAU).sin_cos();
            let mut normal = || {
                let z: f64 = StandardNormal.sample(&mut random);
                if sin == 0.0 {
                    return z * cos;
                }
                let w: f64 = StandardNormal.sample(&mut other);
                z * cos + w * sin
            };
            describe::add_draws(&mut figure, self, count, &mut normal)?;
        }
        Ok(figure)
    }

    fn table(&self) -> Option<Table> {
        Some(tables::prediction(self))
    }
}

fn list(values: &[f64]) -> Res<Value> {
    Value::numbers(values.iter().copied())
}

fn quantile(prediction: &Prediction, of: fn(&Quantiles) -> &Vec<f64>) -> Res<Value> {
    prediction.quantiles.as_ref().map_or(Ok(Value::Nothing), |quantiles| list(of(quantiles)))
}
