//! The first reading of a column: what its cells are, so that the second knows how to keep them.

use super::cell::{Missing, decorated};
use super::notation::{Notation, Notations};
use crate::calendar::{Form, Resolution, compact, date_like, plausible};
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

/// Cells that are numbers in the same notations.
#[derive(Debug, Clone)]
struct Alike {
    notations: Notations,
    count: usize,
    first: Sight,
}

/// Counts over the cells of one column.
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    present: usize,
    /// One entry for each set of notations that occurs; few do.
    alike: Vec<Alike>,
    decorated: usize,
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

/// How far one form of dates fits the cells that are no numbers.
#[derive(Debug, Clone, Default)]
struct Dated {
    count: usize,
    finest: Option<Resolution>,
    first_not: Option<Sight>,
    example: Option<String>,
}

/// A file in which numbers can be read in two ways.
pub(super) struct TwoReadings {
    pub column: usize,
    pub line: usize,
    pub text: String,
    pub readings: [Notation; 2],
}

/// The notation in which most of the cells are numbers, over all columns.
pub(super) fn notation(scans: &[Scan], allowed: Notations) -> Result<Notation, TwoReadings> {
    let numbers = |notation: usize| -> usize {
        let of = scans.iter().map(|scan| (scan.numbers(notation), scan.present));
        of.filter(|(numbers, present)| 2 * numbers >= *present).map(|(numbers, _)| numbers).sum()
    };
    let allowed = (0..Notation::ALL.len()).filter(|notation| allowed >> notation & 1 == 1);
    let counts: Vec<(usize, usize)> = allowed.map(|notation| (notation, numbers(notation))).collect();
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let mut best = counts.iter().filter(|(_, count)| *count == most).map(|(notation, _)| *notation);
    let first = best.next().unwrap_or(0);
    if Notation::ALL[first] != Notation::PLAIN {
        let contradicts = |other: &usize| Notation::ALL[first].contradicts(Notation::ALL[*other]);
        if let Some(other) = best.find(contradicts) {
            let both = 1 << first | 1 << other;
            let plain = |alike: &&Alike| alike.notations & both == both && alike.notations != Notations::MAX;
            let cells = scans.iter().enumerate().filter_map(|(column, scan)| {
                let seen = scan.alike.iter().filter(plain).map(|alike| &alike.first).min_by_key(|sight| sight.line)?;
                Some((column, seen))
            });
            if let Some((column, Sight { line, text })) = cells.min_by_key(|(_, sight)| sight.line) {
                let readings = [Notation::ALL[first], Notation::ALL[other]];
                return Err(TwoReadings { column, line: *line, text: text.clone(), readings });
            }
        }
    }
    Ok(Notation::ALL[first])
}

impl Scan {
    /// Takes one cell in. The lines may come in any order; the first is the one with the least number.
    pub(super) fn see(&mut self, text: &str, line: usize, missing: &Missing) {
        let text = text.trim();
        let Some(notations) = missing.notations(text) else { return };
        self.present += 1;
        match self.alike.iter_mut().find(|alike| alike.notations == notations) {
            Some(alike) => {
                alike.count += 1;
                if line < alike.first.line {
                    alike.first = Sight { line, text: shown(text) };
                }
            }
            None => self.alike.push(Alike { notations, count: 1, first: Sight { line, text: shown(text) } }),
        }
        if notations != 0 {
            let whole = text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit());
            self.compact += usize::from(whole && text.parse().is_ok_and(|v| compact(v).is_some()));
            return;
        }
        if decorated(text).is_some() {
            self.decorated += 1;
            first(&mut self.first_decorated, line, text);
        }
        let plausible = plausible(text);
        let mut readings = [None; Form::ALL.len()];
        for (i, (form, seen)) in Form::ALL.into_iter().zip(&mut self.dates).enumerate() {
            match plausible.then(|| form.read(text, missing.dates)).flatten() {
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

    /// How many cells are numbers in a notation, by its place among all.
    fn numbers(&self, notation: usize) -> usize {
        self.alike.iter().filter(|alike| alike.notations >> notation & 1 == 1).map(|alike| alike.count).sum()
    }

    /// The first cell that is no number in a notation.
    fn first_text(&self, notation: usize) -> Option<&Sight> {
        let texts = self.alike.iter().filter(|alike| alike.notations >> notation & 1 == 0);
        texts.map(|alike| &alike.first).min_by_key(|sight| sight.line)
    }

    /// Whether any cell is a number or a date, as below a header.
    pub(super) fn has_measures(&self) -> bool {
        self.alike.iter().any(|alike| alike.notations != 0) || self.dates.iter().any(|d| d.count > 0)
    }

    /// Whether numbers prevail.
    pub(super) fn is_numeric(&self) -> bool {
        let numbers: usize = self.alike.iter().filter(|alike| alike.notations != 0).map(|alike| alike.count).sum();
        numbers > 0 && 2 * numbers >= self.present
    }

    /// Whether there is no value at all.
    pub(super) fn is_empty(&self) -> bool {
        self.present == 0
    }

    /// A text that shows that the column was meant for dates, though none could be read.
    pub(super) fn looks_like_dates(&self) -> Option<String> {
        (self.present > 0 && 2 * self.date_like >= self.present)
            .then(|| self.unread.as_ref().map(|s| s.text.clone()))?
    }

    /// How to keep the column. If at least half of its values are numbers (or dates), it is one of numbers (or dates),
    /// and the first that is not is an error; else it holds categories.
    pub(super) fn plan(
        &self,
        file: &str,
        column: &str,
        notation: Notation,
        first_line: usize,
    ) -> Result<Plan, DataError> {
        let (file, column) = (|| file.to_string(), || column.to_string());
        let place = Notation::ALL.iter().position(|known| *known == notation).unwrap_or(0);
        let numbers = self.numbers(place);
        let texts = self.present - numbers;
        let Some(stray) = self.first_text(place) else {
            return Ok(if self.compact >= 2 && self.compact == self.present { Plan::Compact } else { Plan::Numbers });
        };
        if let Some(Sight { line, text }) = &self.first_decorated
            && 2 * (numbers + self.decorated) >= self.present
            && let Some(plain) = decorated(text)
        {
            return Err(DataError::Decorated {
                file: file(),
                line: *line,
                column: column(),
                value: text.clone(),
                plain,
            });
        }
        if 2 * numbers >= self.present {
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
        let number = self.alike.iter().filter(|alike| alike.notations != 0).map(|alike| &alike.first);
        if let Some(not) = number.chain(&seen.first_not).min_by_key(|sight| sight.line) {
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
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let clean = text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] });
    let mut shown: String = clean.take(LONGEST + 1).collect();
    if shown.chars().count() > LONGEST {
        shown = shown.chars().take(LONGEST - 1).chain(['…']).collect();
    }
    shown
}
