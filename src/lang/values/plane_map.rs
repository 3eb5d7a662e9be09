//! Maps of the plane drawn from a deep Gaussian process.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::value::{Member, Value, ValueKind};
use crate::deep::PlaneMap;
use crate::describe::Markup;
use crate::describe::deep_prior;
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::plot::{PlotError, PlotOptions};

impl ValueKind for PlaneMap {
    const NAME: &'static str = "PlaneMap";
    const NOUN: &'static str = "a map of the plane";
    const MADE_BY: &'static str = "`density(prior)`, `feature_map(prior)`, `manifold(prior)`";
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const MEMBERS: &'static [Member<Self>] = &[
        Member::checked("from", "the points before the first layer", |map| points(&map.from)),
        Member::checked("layers", "the layers after which the points are kept, from 1", |map| {
            Value::numbers(map.images.iter().map(|image| image.layer as f64))
        }),
        Member::checked("to", "for each of these layers, the points after it", |map| {
            Value::checked_list(map.images.iter().map(|image| points(&image.points)))
        }),
        Member::new("prior", "the deep GP", |map| Value::DeepModel(Arc::new(map.prior.clone()))),
        Member::new("seed", "the seed of the draw", |map| Value::Number(map.seed as f64)),
    ];

    fn show(&self) -> Markup {
        deep_prior::plane_map(self).into()
    }

    fn json(&self) -> Json {
        json!({
            "prior": self.prior.to_string(),
            "seed": self.seed,
            "from": self.from,
            "layers": self.images.iter().map(|image| image.layer).collect::<Vec<_>>(),
            "to": self.images.iter().map(|image| &image.points).collect::<Vec<_>>(),
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(deep_prior::plane_map_figure(self))
    }
}

fn points(all: &[[f64; 2]]) -> Res<Value> {
    Value::checked_list(all.iter().map(|point| Value::numbers(*point)))
}
