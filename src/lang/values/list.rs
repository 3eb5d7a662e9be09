//! Lists.

use serde_json::Value as Json;

use super::cast::FromValue;
use super::value::{List, Member, Record, Value, ValueKind, check_length};
use crate::data::write::Table;
use crate::describe;
use crate::describe::Markup;
use crate::describe::number_figures::{self, Marked, Numbers};
use crate::figure::Figure;
use crate::lang::error::{LangError, Res};
use crate::lang::numerals::grouped;
use crate::lang::payload::plot::{PlotError, PlotOptions};

/// The number of displayed items of a list; the middle of longer ones is left out.
const SHOWN: usize = 60;

impl ValueKind for List {
    const NAME: &'static str = "List";
    const NOUN: &'static str = "a list";
    const MADE_BY: &'static str = "`[1, 2, 3]`; items are counted from 0";
    const PLAIN: bool = true;
    const PLOT: Option<&'static [&'static str]> = Some(&["x", "y", "mark", "names"]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] =
        &[Member::new("n", "the number of items", |list| Value::Number(list.len() as f64))];

    /// Records of numbers and text as a table; items of several lines below their index; others in brackets; rows of
    /// numbers below one another. The middle of a long list is left out.
    fn show(&self) -> Markup {
        if let Some(table) = Record::table(self.items()) {
            return describe::show_table(&table);
        }
        let n = self.len();
        let left_out = if n > SHOWN { SHOWN / 2..n - SHOWN / 4 } else { n..n };
        let shown = self.items().iter().enumerate().filter(|(i, _)| !left_out.contains(i));
        // once each, as an item may be a list of lists
        let texts: Vec<(usize, bool, Markup)> =
            shown.map(|(i, item)| (i, matches!(item, Value::List(_)), item.markup())).collect();
        // values that take several lines, such as fits, follow each other with a number
        if n <= SHOWN && texts.iter().any(|(_, is_list, text)| !is_list && text.to_string().contains('\n')) {
            return numbered(texts.into_iter().map(|(.., text)| text));
        }
        let rows = n > 1 && self.items().iter().all(|item| matches!(item, Value::List(_)));
        let between = if rows { ",\n " } else { ", " };
        let mut out = "[".to_owned();
        for (i, is_list, text) in texts {
            if i == left_out.end && i < n {
                out += between;
                out.push('…');
            }
            if i > 0 {
                out += between;
            }
            let text = text.to_string();
            // A matrix in a list of matrices has one line per row.
            out += &if is_list { text.replace('\n', "\n ") } else { text };
        }
        out.push(']');
        if n > SHOWN {
            out += &format!(" ({} items)", grouped(n));
        }
        out.into()
    }

    fn json(&self) -> Json {
        self.items().iter().map(Value::json).collect()
    }

    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.items().iter().zip(other.items()).all(|(a, b)| a.same(b))
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(lines(&Value::List(self.clone()), options)?)
    }

    /// A table of a list of records.
    fn table(&self) -> Option<Table> {
        Record::table(self.items())
    }
}

/// Numbers against their index in the list, or against `x`; one line per list for a list of lists.
pub fn lines(value: &Value, options: &PlotOptions<'_>) -> Res<Figure> {
    check_length(value.items().map_or(0, |items| items.len()))?;
    let items: Vec<Value> = value.items().into_iter().flatten().collect();
    let several = items.iter().any(|item| matches!(item, Value::List(_) | Value::Range(_)));
    let rows = if several { items } else { vec![value.clone()] };
    let names = options.names.clone().unwrap_or_else(|| vec![String::new(); rows.len()]);
    if names.len() != rows.len() {
        return Err(LangError::new(format!("{} names do not match {} lists", names.len(), rows.len())));
    }
    numbers_figure(names.into_iter().zip(rows), options)
}

/// Named lists of numbers with shared axes.
pub fn numbers_figure(lists: impl Iterator<Item = (String, Value)>, options: &PlotOptions<'_>) -> Res<Figure> {
    let xs = options.x.as_deref();
    let list = |(name, row): (String, Value)| {
        let y = Vec::<f64>::from_value(row)?;
        let x = xs.map_or_else(|| (0..y.len()).map(|i| i as f64).collect(), <[f64]>::to_vec);
        if x.len() != y.len() {
            return Err(LangError::new(format!("{} numbers do not match {} positions", y.len(), x.len())));
        }
        Ok(Numbers { name, x, y })
    };
    if xs.is_some() && matches!(options.mark, Marked::Strip | Marked::Histogram) {
        return Err(LangError::new("`x=` does not apply to a strip or a histogram").help("leave it out"));
    }
    let lists = lists.map(list).collect::<Res<Vec<Numbers>>>()?;
    if options.mark == Marked::Map {
        return map(lists, options);
    }
    if options.y.is_some() {
        let text = "`y=` is the positions of the rows of a map";
        return Err(LangError::new(text).argument("y").help("write `mark=\"map\"` too, or leave it out"));
    }
    Ok(number_figures::numbers(lists, options.mark, if xs.is_some() { "x" } else { "index" }))
}

/// The rows of a matrix as a map.
fn map(rows: Vec<Numbers>, options: &PlotOptions<'_>) -> Res<Figure> {
    if rows.len() < 2 || rows[0].y.len() < 2 || rows.iter().any(|row| row.y.len() != rows[0].y.len()) {
        let text = "a map is drawn of a list of several rows of the same length, of at least two numbers each";
        return Err(LangError::new(text).help("for example of `gram(k, xs)`"));
    }
    if options.names.is_some() {
        let text = "`names=` does not apply to a map, whose rows have positions";
        return Err(LangError::new(text).argument("names").help("give their positions as `y=`, or leave it out"));
    }
    if let Some(y) = options.y.as_deref().filter(|y| y.len() != rows.len()) {
        let text = format!("{} rows do not match {} positions", rows.len(), y.len());
        return Err(LangError::new(text).argument("y"));
    }
    for (name, places) in [("x", options.x.as_deref()), ("y", options.y.as_deref())] {
        if let Some(places) = places
            && !(places.iter().all(|v| v.is_finite()) && places.windows(2).all(|pair| pair[0] < pair[1]))
        {
            let text = format!("the positions `{name}` of a map ascend from each to the next");
            return Err(LangError::new(text).argument(name).help("put the matrix in the same order"));
        }
    }
    Ok(number_figures::map(&rows, options.x.is_some(), options.y.as_deref()))
}

/// Values below one another, each below its index.
fn numbered(texts: impl Iterator<Item = Markup>) -> Markup {
    texts.enumerate().fold(Markup::default(), |mut out, (i, text)| {
        if i > 0 {
            out.push("");
        }
        out.and(format!("[{i}]")).then(text)
    })
}
