//! The first pass over a column: the kinds of its cells, which determine how the second pass stores them.

use super::cell::{Missing, decorated};
use super::notation::{Notation, Notations};
use crate::calendar::{Digits, Form, Moment, Resolution, compact, compact_month, date_like, plausible, time_of_day};
use crate::data::error::DataError;

/// How a column is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Plan {
    Numbers,
    Dates(Form, Resolution),
    /// Days written as numbers, `20200131`.
    Days,
    /// Months written as numbers, `202001`.
    Months,
    /// Times of day, as hours since midnight.
    Hours,
    Categories,
}

impl Plan {
    /// The format of dates written as numbers.
    pub(super) fn digits(self) -> Option<&'static str> {
        match self {
            Self::Days => Some("YYYYMMDD"),
            Self::Months => Some("YYYYMM"),
            _ => None,
        }
    }
}

/// A cell for a message.
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

/// Counts of the cells of one column.
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    present: usize,
    /// One entry for each set of notations that occurs; there are few.
    alike: Vec<Alike>,
    decorated: usize,
    first_decorated: Option<Sight>,
    dates: [Dated; Form::ALL.len()],
    /// The number of times of day, such as `18:30`.
    times_of_day: usize,
    /// The first number that is too large for f64.
    overflow: Option<Sight>,
    /// Numbers such as `20200131`, and such as `202001`.
    days: Compact,
    months: Compact,
    /// The number of texts that look like dates but have no known format.
    date_like: usize,
    unread: Option<Sight>,
    /// The first cell with two readings, day or month first.
    ambiguous: Option<Sight>,
}

/// Numbers that may be dates.
#[derive(Debug, Clone, Default)]
struct Compact {
    count: usize,
    /// Some distinct ones.
    some: Vec<Moment>,
}

impl Compact {
    /// Counts a number with this number of digits as a possible date.
    fn see(&mut self, text: &str, digits: usize, read: fn(f64) -> Option<Moment>) {
        let whole = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
        let Some(at) = text.parse().ok().filter(|_| whole).and_then(read) else { return };
        self.count += 1;
        if self.some.len() < SOME_DATES && !self.some.contains(&at) {
            self.some.push(at);
        }
    }
}

/// With this many months, the column is not one of numbers that are months by chance: one in ten numbers of six digits
/// is.
const MONTHS_BY_CHANCE: usize = 6;
const SOME_DATES: usize = 3;
/// Words in the names of columns of months.
const MONTH_WORDS: [&str; 7] = ["month", "yyyymm", "yearmon", "date", "period", "time", "monat"];

/// How well one date format fits the cells that are not numbers.
#[derive(Debug, Clone, Default)]
struct Dated {
    count: usize,
    finest: Option<Resolution>,
    first_not: Option<Sight>,
    example: Option<String>,
}

/// A file in which numbers have two readings.
pub(super) struct TwoReadings {
    pub column: usize,
    pub line: usize,
    pub text: String,
    pub readings: [Notation; 2],
}

/// The notation in which most cells of all columns are numbers.
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
    /// Counts one cell. Lines may come in any order; the first is the one with the least number.
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
            if overflows(text) {
                first(&mut self.overflow, line, text);
            }
            if missing.digits != Digits::Numbers {
                self.days.see(text, 8, compact);
                self.months.see(text, 6, compact_month);
            }
            return;
        }
        if decorated(text).is_some() {
            self.decorated += 1;
            first(&mut self.first_decorated, line, text);
        }
        self.times_of_day += usize::from(time_of_day(text).is_some());
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

    /// The number of cells that are numbers in a notation, by its index among all.
    fn numbers(&self, notation: usize) -> usize {
        self.alike.iter().filter(|alike| alike.notations >> notation & 1 == 1).map(|alike| alike.count).sum()
    }

    /// The first cell that is not a number in a notation.
    fn first_text(&self, notation: usize) -> Option<&Sight> {
        let texts = self.alike.iter().filter(|alike| alike.notations >> notation & 1 == 0);
        texts.map(|alike| &alike.first).min_by_key(|sight| sight.line)
    }

    /// Whether a cell is a number or a date, as below a header.
    pub(super) fn has_measures(&self) -> bool {
        self.alike.iter().any(|alike| alike.notations != 0) || self.dates.iter().any(|d| d.count > 0)
    }

    /// Whether most cells are numbers.
    pub(super) fn is_numeric(&self) -> bool {
        let numbers: usize = self.alike.iter().filter(|alike| alike.notations != 0).map(|alike| alike.count).sum();
        numbers > 0 && 2 * numbers >= self.present
    }

    /// Whether all cells are missing.
    pub(super) fn is_empty(&self) -> bool {
        self.present == 0
    }

    /// A text that shows that the column was meant to be dates, though none could be read.
    pub(super) fn looks_like_dates(&self) -> Option<String> {
        (self.present > 0 && 2 * self.date_like >= self.present)
            .then(|| self.unread.as_ref().map(|s| s.text.clone()))?
    }

    /// How to store the column. If at least half of its values are numbers (or dates), it is a column of these, and the
    /// first other value is an error; otherwise it is categorical.
    pub(super) fn plan(
        &self,
        file: &str,
        column: &str,
        notation: Notation,
        digits: Digits,
        first_line: usize,
    ) -> Result<Plan, DataError> {
        let (file, column) = (|| file.to_string(), || column.to_string());
        let place = Notation::ALL.iter().position(|known| *known == notation).unwrap_or(0);
        let numbers = self.numbers(place);
        let texts = self.present - numbers;
        let Some(stray) = self.first_text(place) else {
            if let Some(Sight { line, text }) = &self.overflow {
                return Err(DataError::TooLargeNumber {
                    file: file(),
                    line: *line,
                    column: column(),
                    value: text.clone(),
                });
            }
            return Ok(self.dates_in_digits(&column(), digits).unwrap_or(Plan::Numbers));
        };
        if self.times_of_day == self.present {
            return Ok(Plan::Hours);
        }
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

    /// Whether all numbers are dates without separators. If this may be chance they remain numbers: a few months in a
    /// column whose name does not suggest a time, or only one or two distinct ones.
    fn dates_in_digits(&self, column: &str, digits: Digits) -> Option<Plan> {
        let least = if digits == Digits::Dates { 1 } else { 2 };
        let all = |dates: &Compact| dates.count >= least && dates.count == self.present;
        let name = column.to_lowercase();
        let requested = digits == Digits::Dates || MONTH_WORDS.iter().any(|word| name.contains(word));
        let many = self.months.count >= MONTHS_BY_CHANCE && self.months.some.len() >= SOME_DATES;
        if all(&self.days) {
            Some(Plan::Days)
        } else if all(&self.months) && (requested || many) {
            Some(Plan::Months)
        } else {
            None
        }
    }
}

fn first(slot: &mut Option<Sight>, line: usize, text: &str) {
    if slot.as_ref().is_none_or(|seen| line < seen.line) {
        *slot = Some(Sight { line, text: shown(text) });
    }
}

/// Whether a number has an exponent, or so many digits, that it is infinite in f64; the word `inf` is not.
fn overflows(text: &str) -> bool {
    let long = text.len() > 300 || text.contains(['e', 'E']);
    let read = || Notation::ALL.iter().find_map(|notation| notation.read(text));
    long && text.bytes().any(|b| b.is_ascii_digit()) && read().is_some_and(f64::is_infinite)
}

/// A cell shortened to one line of a message.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let clean = text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] });
    let mut shown: String = clean.take(LONGEST + 1).collect();
    if shown.chars().count() > LONGEST {
        shown = shown.chars().take(LONGEST - 1).chain(['…']).collect();
    }
    shown
}

#[cfg(test)]
mod tests {
    use crate::calendar::{Digits, TimeUnit};
    use crate::data::{Dataset, Options, parse};

    #[test]
    fn numbers_of_six_digits_may_be_months() {
        let read = |name: &str, values: &[i32], digits| {
            let rows: String = values.iter().map(|v| format!("{v},1\n")).collect();
            parse("f.csv", &format!("{name},y\n{rows}"), &Options { digits, ..Options::default() }).unwrap()
        };
        let year: Vec<i32> = (201_911..=201_912).chain(202_001..=202_004).collect();
        let data = read("k", &year, Digits::AsFound);
        let column = data.column("k").unwrap();
        // the step of a month is its length, 31 days here
        assert_eq!((column.time().unwrap().unit, column.values()[3] - column.values()[2]), (TimeUnit::Day, 31.0));
        let notes = |data: &Dataset| data.notes().iter().map(ToString::to_string).collect::<Vec<_>>();
        let said = "`k` holds numbers of the form YYYYMM, read as dates: `dates=\"number\"` keeps the numbers";
        assert_eq!(notes(&data), ["`k` holds months, as linear time in days", said]);
        assert_eq!(notes(&data.renamed("k", "when").unwrap())[1], said.replace("`k`", "`when`"));
        let days = read("k", &[20_200_131, 20_200_201], Digits::AsFound);
        assert!(notes(&days)[1].contains("YYYYMMDD"), "{:?}", notes(&days));
        let is_time =
            |name: &str, values: &[i32], digits| read(name, values, digits).column(name).unwrap().time().is_some();
        assert!(!is_time("k", &year, Digits::Numbers) && !is_time("k", &[20_200_131, 20_200_201], Digits::Numbers));
        // few of them, always the same one, and one that is not a month
        assert!(!is_time("k", &year[..3], Digits::AsFound) && !is_time("k", &[201_204; 9], Digits::AsFound));
        assert!(!is_time("k", &[201_913, 201_911, 201_912, 202_001, 202_002, 202_003], Digits::AsFound));
        assert!(is_time("month", &year[..3], Digits::AsFound) && is_time("k", &year[..1], Digits::Dates));
    }
}
