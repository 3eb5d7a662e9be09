//! Features of a kernel: the kernel as an inner product.

use serde_json::{Value as Json, json};

use super::json::numbers;
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::describe::{self, Markup};
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::results::Features;

impl ValueKind for Features {
    const NAME: &'static str = "Features";
    const NOUN: &'static str = "features";
    const MADE_BY: &'static str = "`features(kernel, xs)`";
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::checked("values", "the eigenvalues of the functions, the largest first", |f| list(f.values())),
        Member::checked("functions", "for each feature its values, row by row", |f| {
            Value::checked_list(f.functions.iter().map(|function| list(function)))
        }),
        Member::checked("spectrum", "all eigenvalues, the largest first", |f| list(&f.spectrum)),
        Member::checked("at", "the rows: numbers, or a list for each where there are several inputs", |f| {
            match &f.at[..] {
                [only] => list(only),
                columns => {
                    let rows = columns.first().map_or(0, Vec::len);
                    Value::checked_list((0..rows).map(|row| Value::numbers(columns.iter().map(|c| c[row]))))
                }
            }
        }),
        Member::new("kernel", "the kernel", |f| Value::Kernel(f.kernel.clone())),
    ];

    fn show(&self) -> Markup {
        describe::features(self)
    }

    fn json(&self) -> Json {
        json!({
            "kernel": self.kernel.to_string(),
            "values": numbers(self.values()),
            "spectrum": numbers(&self.spectrum),
            "functions": self.functions.iter().map(|f| numbers(f)).collect::<Vec<_>>(),
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(describe::features_figure(self))
    }

    fn table(&self) -> Option<Table> {
        Some(describe::features_table(self))
    }
}

fn list(values: &[f64]) -> Res<Value> {
    Value::numbers(values.iter().copied())
}
