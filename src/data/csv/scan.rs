//! The first reading of a column: what its cells are, so that the second knows how to keep them.

use super::cell::{Cell, Missing, decorated};
use crate::calendar::{Form, Order, Resolution, compact, date_like, plausible};
use crate::data::error::DataError;

/// How a column will be kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Plan {
    Numbers,
    Dates(Form, Resolution),
    /// Days written as one number, `20200131`.
    Compact,
    Categories,
}

/// A cell worth naming in a message.
#[derive(Debug, Clone)]
struct Sight {
    line: usize,
    text: String,
}

/// Counts over the cells of one column.
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    present: usize,
    numbers: usize,
    decorated: usize,
    first_text: Option<Sight>,
    first_decorated: Option<Sight>,
    dates: [Dated; Form::ALL.len()],
    /// Numbers such as `20200131`.
    compact: usize,
    /// Texts that look like dates and are none that is known.
    date_like: usize,
    unread: Option<Sight>,
    /// The first cell with two readings, day or month first.
    ambiguous: Option<Sight>,
}

/// How far one form of dates fits.
#[derive(Debug, Clone, Default)]
struct Dated {
    count: usize,
    finest: Option<Resolution>,
    first_not: Option<Sight>,
    example: Option<String>,
}

impl Scan {
    /// Takes one cell in. The lines may come in any order; the first is the one with the least number.
    pub(super) fn see(&mut self, text: &str, line: usize, missing: &Missing, delimiter: u8, order: Option<Order>) {
        let text = match missing.read(text) {
            Cell::Missing => return,
            Cell::Number(v) => {
                self.numbers += 1;
                self.compact += usize::from(compact(v).is_some());
                self.present += 1;
                if self.present > self.numbers {
                    self.dates.iter_mut().for_each(|d| first(&mut d.first_not, line, text));
                }
                return;
            }
            Cell::Text(text) => text,
        };
        self.present += 1;
        first(&mut self.first_text, line, text);
        if decorated(text, delimiter).is_some() {
            self.decorated += 1;
            first(&mut self.first_decorated, line, text);
        }
        let plausible = plausible(text);
        let mut readings = [None; Form::ALL.len()];
        for (i, (form, seen)) in Form::ALL.into_iter().zip(&mut self.dates).enumerate() {
            match plausible.then(|| form.read(text, order)).flatten() {
                Some((at, resolution)) => {
                    readings[i] = Some(at);
                    seen.count += 1;
                    seen.finest = seen.finest.max(Some(resolution));
                    seen.example.get_or_insert_with(|| text.to_string());
                }
                None => first(&mut seen.first_not, line, text),
            }
        }
        if readings.iter().all(Option::is_none) && date_like(text) {
            self.date_like += 1;
            first(&mut self.unread, line, text);
        }
        let [.., day_first, month_first] = readings;
        if day_first.is_some() && month_first.is_some() && day_first != month_first {
            first(&mut self.ambiguous, line, text);
        }
    }

    /// Whether any cell is a number or a date, as below a header.
    pub(super) fn has_measures(&self) -> bool {
        self.numbers > 0 || self.dates.iter().any(|d| d.count > 0)
    }

    /// A text that shows that the column was meant for dates, though none could be read.
    pub(super) fn looks_like_dates(&self) -> Option<String> {
        (self.present > 0 && 2 * self.date_like >= self.present)
            .then(|| self.unread.as_ref().map(|s| s.text.clone()))?
    }

    /// How to keep the column. If at least half of its values are numbers (or dates), it is one of numbers (or dates),
    /// and the first that is not is an error; else it holds categories.
    pub(super) fn plan(&self, file: &str, column: &str, delimiter: u8, first_line: usize) -> Result<Plan, DataError> {
        let (file, column) = (|| file.to_string(), || column.to_string());
        let texts = self.present - self.numbers;
        let Some(stray) = self.first_text.as_ref().filter(|_| texts > 0) else {
            return Ok(if self.compact >= 2 && self.compact == self.present { Plan::Compact } else { Plan::Numbers });
        };
        if let Some(Sight { line, text }) = &self.first_decorated
            && 2 * (self.numbers + self.decorated) >= self.present
            && let Some((what, plain)) = decorated(text, delimiter)
        {
            return Err(DataError::Decorated {
                file: file(),
                line: *line,
                column: column(),
                value: text.clone(),
                what,
                plain,
            });
        }
        if 2 * self.numbers >= self.present {
            return Err(DataError::NotANumber {
                file: file(),
                line: stray.line,
                column: column(),
                value: stray.text.clone(),
                strays: texts,
                present: self.present,
                first_line,
            });
        }
        let best = self.dates.iter().map(|d| d.count).max().unwrap_or(0);
        if 2 * best < self.present {
            return Ok(Plan::Categories);
        }
        let mut fitting = Form::ALL.into_iter().zip(&self.dates).filter(|(_, d)| d.count == best);
        let Some((form, seen)) = fitting.next() else {
            return Ok(Plan::Categories);
        };
        if best < self.present
            && let Some(not) = &seen.first_not
        {
            return Err(DataError::NotADate {
                file: file(),
                line: not.line,
                column: column(),
                value: not.text.clone(),
                like: seen.example.clone().unwrap_or_default(),
            });
        }
        if let (Some(_), Some(cell)) = (fitting.next(), &self.ambiguous) {
            return Err(DataError::AmbiguousDate {
                file: file(),
                column: column(),
                value: cell.text.clone(),
                line: cell.line,
            });
        }
        Ok(Plan::Dates(form, seen.finest.unwrap_or(Resolution::Day)))
    }
}

fn first(slot: &mut Option<Sight>, line: usize, text: &str) {
    if slot.as_ref().is_none_or(|seen| line < seen.line) {
        *slot = Some(Sight { line, text: shown(text) });
    }
}

/// A cell fit for one line of a message.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let clean = text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] });
    let mut shown: String = clean.take(LONGEST + 1).collect();
    if shown.chars().count() > LONGEST {
        shown = shown.chars().take(LONGEST - 1).chain(['…']).collect();
    }
    shown
}
