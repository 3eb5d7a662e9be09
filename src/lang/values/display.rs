//! The short text form of every value, and the one way in which numbers are written.

use std::fmt::{self, Write};

use crate::data::Dataset;
use crate::describe;
use crate::figure::Figure;
use crate::lang::numerals::{grouped, number};
use crate::lang::values::function_source;
use crate::lang::values::value::{Function, List, Record, Value};
use crate::param::{Param, State};
use crate::syntax::print::print_string;

/// How many items of a list are shown before the middle is left out.
const SHOWN: usize = 60;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nothing => f.write_str("nothing"),
            Value::Number(x) => f.write_str(&number(*x)),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Str(text) => f.write_str(&print_string(text)),
            Value::List(list) => write!(f, "{list}"),
            Value::Range(range) => write!(f, "{range}"),
            Value::Function(function) => write!(f, "{function}"),
            Value::Kernel(kernel) => write!(f, "{kernel}"),
            Value::Data(data) => f.write_str(&data_lines(data)),
            Value::Model(pipeline) => write!(f, "{pipeline}"),
            Value::Fit(fit) => f.write_str(&describe::fit(fit)),
            Value::OneVsRest(rest) => f.write_str(&describe::classes::rest(rest)),
            Value::Search(search) => f.write_str(&describe::search::search(search)),
            Value::Prediction(prediction) => f.write_str(&describe::prediction(prediction)),
            Value::ClassPrediction(prediction) => f.write_str(&describe::classes::prediction(prediction)),
            Value::Decomposition(parts) => f.write_str(&describe::decomposition(parts)),
            Value::Residuals(residuals) => f.write_str(&describe::residuals(residuals)),
            Value::Explanation(told) => f.write_str(&told.text),
            Value::Surface(drawn) => f.write_str(&describe::surface(drawn)),
            Value::Features(features) => f.write_str(&describe::features(features)),
            Value::CrossValidation(cv) => f.write_str(&describe::cross_validation::cross_validation(cv)),
            Value::Figure(figure) => f.write_str(&figure_line(figure)),
            Value::Table(sheet) => f.write_str(&sheet.text()),
            Value::Record(record) => write!(f, "{record}"),
            Value::Dist(prior) => write!(f, "{prior}"),
            Value::Move(m) => write!(f, "{m}"),
            Value::Param(param) => f.write_str(&parameter(param)),
        }
    }
}

/// Its fields in braces. Long lists in it are cut short.
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

/// Records of numbers and text stand as a table; other items in brackets; rows of numbers below one another, and a long list leaves out its middle.
impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(table) = Record::table(self.items()) {
            return f.write_str(&describe::show_table(&table));
        }
        let rows = self.len() > 1 && self.items().iter().all(|item| matches!(item, Value::List(_)));
        let between = if rows { ",\n " } else { ", " };
        f.write_char('[')?;
        let n = self.len();
        let left_out = if n > SHOWN { SHOWN / 2..n - SHOWN / 4 } else { n..n };
        for (i, item) in self.items().iter().enumerate() {
            if i == left_out.start && i < n {
                write!(f, "{between}…")?;
            }
            if left_out.contains(&i) {
                continue;
            }
            if i > 0 {
                f.write_str(between)?;
            }
            match item {
                // A matrix within a list of matrices keeps to one line a row.
                Value::List(inner) => write!(f, "{}", inner.to_string().replace('\n', "\n "))?,
                item => write!(f, "{item}")?,
            }
        }
        f.write_char(']')?;
        if n > SHOWN {
            write!(f, " ({} items)", grouped(n))?;
        }
        Ok(())
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Function::Closure(closure) => f.write_str(&function_source::shown(closure)),
            Function::Known(entry) => f.write_str(entry.name()),
            Function::Steps(steps) => {
                for (i, step) in steps.iter().enumerate() {
                    let text = step.to_string();
                    let arrow = matches!(step, Function::Closure(c) if c.name.is_none());
                    let text = if arrow { format!("({text})") } else { text };
                    write!(f, "{}{text}", if i == 0 { "" } else { " >> " })?;
                }
                Ok(())
            }
        }
    }
}

/// One line, what reading decided by itself, and the rows where they are few.
fn data_lines(data: &Dataset) -> String {
    let notes: String = data.notes().iter().map(|note| format!("\n  {note}")).collect();
    let rows = describe::dataset_rows(data).map(|rows| format!("\n{rows}")).unwrap_or_default();
    format!("{}{notes}{rows}", describe::dataset(data))
}

/// What a figure is, for where it cannot be drawn.
fn figure_line(figure: &Figure) -> String {
    let panels = if figure.panels.len() == 1 { "1 panel".into() } else { format!("{} panels", figure.panels.len()) };
    if figure.title.is_empty() {
        format!("figure of {panels}")
    } else {
        format!("figure of {panels}: {}", figure.title)
    }
}

/// A parameter in the language's own notation.
pub fn parameter(param: &Param) -> String {
    let state = match param.state {
        State::Unset => String::new(),
        State::Free(x) => number(x),
        State::Fixed(x) => format!("fixed({})", number(x)),
        State::Bounded { lo, hi, value: None } => format!("between({}, {})", number(lo), number(hi)),
        State::Bounded { lo, hi, value: Some(x) } => format!("between({}, {}, {})", number(lo), number(hi), number(x)),
    };
    let inner = match &param.prior {
        None => state,
        Some(prior) if state.is_empty() => format!("~ {prior}"),
        Some(prior) => format!("{state} ~ {prior}"),
    };
    match &param.tie {
        None => inner,
        Some(tie) if tie.name.is_empty() => format!("param({inner})"),
        Some(tie) if inner.is_empty() => format!("param({})", tie.name),
        Some(tie) => format!("param({}, {inner})", tie.name),
    }
}
