//! Records: named fields.

use std::fmt::{self, Write};

use serde_json::{Map, Value as Json};

use super::list::numbers_figure;
use super::value::{Record, Value, ValueKind};
use crate::data::write::{Cells, Table};
use crate::describe::Markup;
use crate::describe::number_figures::Marked;
use crate::figure::Figure;
use crate::figure::standard_figures::{Names, bars_figure};
use crate::lang::error::{LangError, Res};
use crate::lang::numerals::grouped;
use crate::lang::payload::plot::{PlotError, PlotOptions};

impl ValueKind for Record {
    const NAME: &'static str = "Record";
    const NOUN: &'static str = "a record";
    const MADE_BY: &'static str = "`record(a=1)`, a row of a table";
    const OPEN_MEMBERS: bool = true;
    const PLAIN: bool = true;
    const PLOT: Option<&'static [&'static str]> = Some(&["x", "y", "mark"]);

    fn open_member(&self, name: &str) -> Option<Res<Value>> {
        self.get(name).cloned().map(Ok)
    }

    fn open_members(&self) -> Vec<String> {
        self.fields().iter().map(|(name, _)| name.clone()).collect()
    }

    fn show(&self) -> Markup {
        self.to_string().into()
    }

    fn json(&self) -> Json {
        self.fields().iter().map(|(name, value)| (name.clone(), value.json())).collect::<Map<_, _>>().into()
    }

    /// A bar for each number, or a curve for each list of numbers.
    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        let number = |value: &Value| if let Value::Number(x) = value { Some(*x) } else { None };
        let numbers: Vec<f64> = self.fields().iter().filter_map(|(_, value)| number(value)).collect();
        if numbers.len() == self.fields().len() && !numbers.is_empty() {
            if options.mark != Marked::Line && options.mark != Marked::Bars {
                let text = "a record of numbers is drawn as bars";
                return Err(LangError::new(text).help("give lists of numbers for other marks").into());
            }
            let names: Vec<String> = self.fields().iter().map(|(name, _)| name.clone()).collect();
            return Ok(bars_figure(Names { title: "", x: "", y: "value" }, &names, &numbers));
        }
        let listed = |value: &Value| matches!(value, Value::List(_) | Value::Range(_));
        match self.fields().iter().find(|(_, value)| !listed(value)) {
            None => Ok(numbers_figure(self.fields().iter().cloned(), options)?),
            Some((name, value)) => {
                let text = format!("`{name}` is {}, which is not drawn with the other fields", value.kind().noun());
                Err(LangError::new(text)
                    .help(
                        "a figure of a record has numbers, lists of numbers, or values that \
                                               `plot` draws by themselves",
                    )
                    .into())
            }
        }
    }

    /// Equal fields in the same order with equal values.
    fn same(&self, other: &Self) -> bool {
        let (a, b) = (self.fields(), other.fields());
        a.len() == b.len() && a.iter().zip(b).all(|((a, x), (b, y))| a == b && x.same(y))
    }
}

/// The fields in braces. Long lists in it are truncated.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        for (i, (name, value)) in self.fields().iter().enumerate() {
            let between = if i == 0 { "" } else { ", " };
            match value {
                Value::List(list) if list.len() > 6 => write!(f, "{between}{name}: {} values", grouped(list.len()))?,
                value => write!(f, "{between}{name}: {value}")?,
            }
        }
        f.write_char('}')
    }
}

impl Record {
    /// A row of a table, from 0.
    pub fn row(table: &Table, row: usize) -> Option<Self> {
        let cell = |cells: &Cells| match cells {
            Cells::Numbers(numbers) => numbers.get(row).map_or(Value::Nothing, |x| Value::Number(*x)),
            Cells::Texts(texts) => texts.get(row).and_then(|t| t.as_deref()).map_or(Value::Nothing, Value::str),
        };
        let fields = table.columns().iter().map(|(name, cells)| (name.clone(), cell(cells)));
        (row < table.rows()).then(|| fields.fold(Self::default(), |record, (name, value)| record.with(name, value)))
    }

    /// Records with equal names and values that are numbers or text, as a table. `None` for other records.
    pub fn table(records: &[Value]) -> Option<Table> {
        let records: Option<Vec<&Record>> = records
            .iter()
            .map(|value| match value {
                Value::Record(record) => Some(&**record),
                _ => None,
            })
            .collect();
        let records = records?;
        let first = records.first()?;
        if records.iter().any(|r| {
            r.fields().len() != first.fields().len() || r.fields().iter().zip(first.fields()).any(|(a, b)| a.0 != b.0)
        }) {
            return None;
        }
        let mut table = Table::new();
        for (i, (name, _)) in first.fields().iter().enumerate() {
            let column = || records.iter().map(|r| &r.fields()[i].1);
            if column().all(|v| matches!(v, Value::Number(_))) {
                let number = |v: &Value| if let Value::Number(x) = v { *x } else { f64::NAN };
                table = table.numbers(name.clone(), &column().map(number).collect::<Vec<_>>());
            } else {
                let text = |v: &Value| match v {
                    Value::Str(text) => Some(Some(text.to_string())),
                    Value::Nothing => Some(None),
                    Value::Number(_) | Value::Bool(_) | Value::Kernel(_) => Some(Some(v.to_string())),
                    _ => None,
                };
                table = table.texts(name.clone(), column().map(text).collect::<Option<Vec<_>>>()?);
            }
        }
        Some(table)
    }
}
