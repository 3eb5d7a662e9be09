//! Data sets as text.

use super::english::quantity::amount;
use super::english::words::listed;
use super::figure_labels::axis_label;
use super::markup::Markup;
use super::numbers::{digits_beside, grouped, row_count, significant};
use super::text_table::Grid;
use crate::data::{Column, Dataset, Kind, Sentinel, Summary};

/// One line, its notes, and the rows of a small data set.
pub fn dataset(data: &Dataset) -> Markup {
    let mut text = Markup::from(dataset_line(data));
    text.extend(data.notes().iter().map(|note| format!("  {note}")));
    match dataset_rows(data) {
        Some(rows) => text.then(rows),
        None => text,
    }
}

/// The number of rows, the target and the inputs.
fn dataset_line(data: &Dataset) -> String {
    let name = data.about().name.as_deref().unwrap_or("data");
    let inputs: Vec<String> = data.inputs().map(axis_label).collect();
    let rows = row_count(data.n());
    match data.target() {
        Some(target) => format!("{name}: {rows}, {} from {}", axis_label(target), listed(&inputs)),
        None => format!("{name}: {rows} of {}", listed(&inputs)),
    }
}

/// The rows of a small data set, up to 12 of them; `None` if it has more or none.
fn dataset_rows(data: &Dataset) -> Option<Markup> {
    const MOST: usize = 12;
    const WIDEST: usize = 12;
    if !(1..=MOST).contains(&data.n()) {
        return None;
    }
    let shown: Vec<&Column> = data.columns().iter().take(WIDEST).collect();
    let mut grid = Grid::new(shown.iter().map(|column| column.name()));
    for row in 0..data.n() {
        grid.row(shown.iter().map(|column| cell(column, row)).collect::<Vec<String>>());
    }
    let more = data.columns().len() - shown.len();
    Some(match more {
        0 => grid.into(),
        more => Markup::from(grid).and(format!("and {more} more columns")),
    })
}

/// A value: a level, or a number with few digits.
fn cell(column: &Column, row: usize) -> String {
    const LONGEST: usize = 30;
    match column.level(row) {
        Some(level) if level.chars().count() > LONGEST => level.chars().take(LONGEST).chain(['…']).collect(),
        Some(level) => level.into(),
        None if column.values()[row].is_nan() => "–".into(),
        None if column.time().is_some() => {
            let scale = column.written_scale().or(column.time());
            scale.map(|scale| scale.text(column.values()[row])).unwrap_or_default()
        }
        None => {
            // short numbers are shown in full
            let whole = crate::kernel::number(column.values()[row]);
            if whole.len() <= 9 { whole } else { significant(column.values()[row], 6) }
        }
    }
}

/// A summary of a data set by columns, with notes.
pub fn summary(summary: &Summary) -> Markup {
    let mut lines = Markup::default();
    let name = summary.name.as_deref().unwrap_or("data");
    lines.push(match &summary.title {
        Some(title) => format!("{name}: {title}, {}", row_count(summary.n)),
        None => format!("{name}: {}", row_count(summary.n)),
    });
    lines.push(columns_grid(summary));
    lines.extend(remarks(summary));
    lines
}

/// The summary of the columns as a grid.
pub fn columns_grid(summary: &Summary) -> Grid {
    let mut grid = Grid::new(["column", "role", "unit", "min", "median", "mean", "sd", "max", "missing"]);
    for column in &summary.columns {
        let role = match column.role {
            crate::data::Role::Input => "input",
            crate::data::Role::Target => "target",
            crate::data::Role::Unused => "",
        };
        let mut cells = vec![column.name.clone(), role.into(), column.unit.clone().unwrap_or_default()];
        match (&column.numbers, &column.kind) {
            (Some(n), Kind::Time(scale)) => {
                let day = |v: f64| scale.covering(&[n.min, n.max]).text(v);
                cells.extend([day(n.min), day(n.median), day(n.mean)]);
                cells.push(amount(n.sd, Some(scale.unit.name()), 3));
                cells.push(day(n.max));
            }
            (Some(n), _) => {
                let within = |v: f64| significant(v, digits_beside(v, n.sd).unwrap_or(0).max(5));
                cells.extend([within(n.min), within(n.median), within(n.mean), significant(n.sd, 5), within(n.max)]);
            }
            (None, Kind::Categories { .. }) => {
                let levels: Vec<String> =
                    column.levels.iter().take(4).map(|(level, count)| format!("{level} {count}")).collect();
                let more = if column.levels.len() > 4 { ", …" } else { "" };
                cells.push(format!("{} levels: {}{more}", column.distinct, levels.join(", ")));
                cells.extend(std::iter::repeat_n(String::new(), 4));
            }
            (None, _) => cells.extend(std::iter::repeat_n("–".to_string(), 5)),
        }
        cells.push(if column.missing > 0 { column.missing.to_string() } else { String::new() });
        grid.row(cells);
    }
    grid
}

/// Remarks on a data set.
pub fn remarks(summary: &Summary) -> Vec<String> {
    let mut lines = Vec::new();
    if summary.duplicates > 0 {
        lines.push(match summary.duplicates {
            1 => "1 row repeats the inputs of an earlier one".to_string(),
            n => format!("{n} rows repeat the inputs of an earlier one"),
        });
    }
    for name in &summary.constant {
        lines.push(format!("`{name}` is the same in every row"));
    }
    for column in &summary.columns {
        if let Some(Sentinel { value, count }) = column.sentinel {
            let times = if count == 1 { "once".to_string() } else { format!("{} times", grouped(count)) };
            let value = if value.abs() < 1e15 { value.to_string() } else { format!("{value:e}") };
            lines.push(format!(
                "`{}`: {value} occurs {times}, far from the rest: a missing value? `missing=[{value}]`",
                column.name
            ));
        }
        if column.infinite > 0 {
            let values = if column.infinite == 1 { "value is".to_string() } else { "values are".to_string() };
            lines.push(format!("`{}`: {} {values} infinite, and a fit refuses them", column.name, column.infinite));
        }
    }
    lines.extend(summary.notes.iter().map(ToString::to_string));
    lines
}
