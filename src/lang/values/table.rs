//! Tables.

use serde_json::Value as Json;

use super::json;
use super::value::{Member, Value, ValueKind, check_length};
use crate::data::write::{Cells, Table};
use crate::describe::Markup;
use crate::figure::standard_figures::Names;
use crate::figure::{self, Figure};
use crate::lang::error::{LangError, Res};
use crate::lang::numerals;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::lang::payload::sheet::Sheet;

impl ValueKind for Sheet {
    const NAME: &'static str = "Table";
    const NOUN: &'static str = "a table";
    const MADE_BY: &'static str = "`params(fit)`, `compare(fits)`";
    const OPEN_MEMBERS: bool = true;
    const PLAIN: bool = true;
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::checked("n", "the number of rows", |sheet| {
            column(&sheet.table, "n").unwrap_or(Ok(Value::Number(sheet.table.rows() as f64)))
        }),
        Member::checked("columns", "the names of its columns", |sheet| {
            let names = || Value::list(sheet.table.columns().iter().map(|(name, _)| Value::str(name.as_str())));
            column(&sheet.table, "columns").unwrap_or_else(names)
        }),
    ];

    fn open_member(&self, name: &str) -> Option<Res<Value>> {
        column(&self.table, name)
    }

    fn open_members(&self) -> Vec<String> {
        self.table.columns().iter().map(|(name, _)| name.clone()).collect()
    }

    fn show(&self) -> Markup {
        self.text()
    }

    fn json(&self) -> Json {
        json::table(&self.table)
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        match Sheet::figure(self) {
            Some(figure) => Ok(figure.clone()),
            None => Ok(bars(&self.table)?),
        }
    }

    fn table(&self) -> Option<Table> {
        Some(self.table.clone())
    }
}

/// A column; for a table with one row its cell.
fn column(table: &Table, name: &str) -> Option<Res<Value>> {
    let (_, cells) = table.columns().iter().find(|(column, _)| column == name)?;
    Some(match cells {
        Cells::Numbers(numbers) if table.rows() == 1 => Ok(Value::maybe_number(numbers.first().copied())),
        Cells::Numbers(numbers) => Value::numbers(numbers.iter().copied()),
        Cells::Texts(texts) => Value::list(texts.iter().map(|text| Value::maybe_str(text.as_deref()))),
    })
}

/// A bar per row of a table: named by the first column, with its share or else its first other number as height.
fn bars(table: &Table) -> Res<Figure> {
    if table.rows() == 0 {
        return Err(LangError::new("there is nothing to plot: the table has no rows"));
    }
    let columns = table.columns();
    let number = |wanted: &dyn Fn(&str) -> bool| {
        columns.iter().skip(1).find_map(|(name, cells)| match cells {
            Cells::Numbers(values) if wanted(name) => Some((name.clone(), values.clone())),
            _ => None,
        })
    };
    let found = number(&|name| name == "share").or_else(|| number(&|_| true));
    let (Some((first, cells)), Some((name, values))) = (columns.first(), found) else {
        return Err(LangError::new("a table is plotted as bars: names in its first column, numbers in another"));
    };
    check_length(table.rows())?;
    let names: Vec<String> = match cells {
        Cells::Numbers(numbers) => numbers.iter().map(|x| numerals::number(*x)).collect(),
        Cells::Texts(texts) => texts.iter().map(|text| text.clone().unwrap_or_default()).collect(),
    };
    Ok(figure::standard_figures::bars_figure(Names { title: "", x: first, y: &name }, &names, &values))
}
