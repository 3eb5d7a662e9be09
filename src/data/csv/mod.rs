//! Tables of text: values separated by commas, semicolons, tabs, vertical bars or blanks.
//!
//! The format of a file is detected from its beginning, except for parts given by the user: the separator, lines of
//! text above the table, the names and units of the columns, the decimal sign. The file is then read twice as a stream:
//! once to determine the kind of each column, once to store the values. So memory is needed only for the values.
//! Comments and blank lines are skipped.

mod cell;
mod format;
mod header;
mod layout;
mod lines;
mod notation;
mod records;
mod scan;
mod store;
mod text;

use std::collections::HashMap;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use encoding_rs_io::DecodeReaderBytesBuilder;

pub use cell::MISSING_WORDS;
use cell::Missing;
pub use format::{Format, Header};
use header::{Heading, Lead};
use layout::Doubt;
pub use notation::Notation;
pub use records::Separator;
use records::{Records, strings};
use scan::{Plan, Scan, TwoReadings};
use store::Store;
pub(in crate::data) use text::reason;

use super::column::Column;
use super::error::DataError;
use super::note::Note;
use super::rows::Rows;
use crate::calendar::{Digits, Order};

/// The number of first bytes from which the layout is detected.
const SAMPLE: u64 = 64 * 1024;
/// The number of first records that may have names and units.
const LEADS: usize = 8;
/// The source of the text, which is opened more than once.
pub(super) enum Source<'a> {
    Path(&'a Path),
    Bytes(&'a [u8]),
}

impl Source<'_> {
    fn open(&self) -> std::io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::Path(path) => Box::new(File::open(path)?),
            Self::Bytes(bytes) => Box::new(Cursor::new(*bytes)),
        })
    }

    /// The text as UTF-8, given its encoding; a byte order mark indicates UTF-8 or UTF-16.
    fn decoded(&self, encoding: Option<&'static Encoding>) -> std::io::Result<Box<dyn Read + '_>> {
        let mut marked = [0; 2];
        let found = self.open()?.take(2).read(&mut marked)?;
        let utf16 = found == 2 && matches!(marked, [0xff, 0xfe] | [0xfe, 0xff]);
        let open = self.open()?;
        // invalid characters are errors and are not replaced
        let encoding = encoding.filter(|encoding| *encoding != UTF_8);
        Ok(match encoding {
            None if !utf16 => open,
            encoding => Box::new(DecodeReaderBytesBuilder::new().encoding(encoding).build(open)),
        })
    }
}

/// How to read a file.
pub(super) struct Request<'a> {
    /// The name for messages.
    pub file: &'a str,
    pub format: &'a Format,
    pub header: Header,
    pub missing: &'a [String],
    /// The order of day, month and year, for dates with several readings.
    pub dates: Option<Order>,
    /// The reading of numbers with six or eight digits.
    pub digits: Digits,
    /// The columns that the user named: if the first line contains one of them, it is a header.
    pub named: &'a [&'a str],
}

/// A table as read from the file.
#[derive(Debug)]
pub(super) struct Raw {
    pub columns: Vec<Column>,
    pub rows: Rows,
    /// For each column that looks like dates but is not, one of its cells.
    pub unread: Vec<Option<String>>,
    /// The format of each column of dates written as numbers.
    pub digits: Vec<Option<&'static str>>,
    /// The columns of times of day, read as hours.
    pub hours: Vec<bool>,
    /// `None` if the file has no header; columns are then numbered.
    pub names: Option<Vec<String>>,
    /// What was detected of the format, and what was left out.
    pub notes: Vec<Note>,
}

/// Reads a table. Text that is not UTF-8 and has no given encoding is read as Windows-1252, a superset of Latin-1.
pub(super) fn read(source: &Source<'_>, request: &Request<'_>) -> Result<Raw, DataError> {
    match read_as(source, request, request.format.encoding) {
        Err(DataError::NotUtf8 { .. }) if request.format.encoding.is_none() => {
            let mut raw = read_as(source, request, Some(WINDOWS_1252))?;
            let found = "encoding=\"windows-1252\"".to_string();
            match raw.notes.first_mut() {
                Some(Note::Format { arguments }) => arguments.push(found),
                _ => raw.notes.insert(0, Note::Format { arguments: vec![found] }),
            }
            Ok(raw)
        }
        result => result,
    }
}

fn read_as(source: &Source<'_>, request: &Request<'_>, encoding: Option<&'static Encoding>) -> Result<Raw, DataError> {
    let Request { file, format, .. } = *request;
    let missing = Missing::new(request.missing).with_dates(request.dates, request.digits);
    let (mut sample, comment) = (Vec::new(), format.comment_byte());
    let open = || source.decoded(encoding).map_err(|e| text::error(file, &e));
    let clean = text::Text::new(open()?, comment);
    clean.take(SAMPLE).read_to_end(&mut sample).map_err(|e| text::error(file, &e))?;
    let whole = (sample.len() as u64) < SAMPLE;
    let layout = layout::find(&sample, whole, format)
        .map_err(|Doubt::Blanks { line }| DataError::BlanksInDoubt { file: file.into(), line })?;
    drop(sample);
    let records = || Ok::<_, DataError>(Records::new(file, open()?, layout));

    let mut first_pass = records()?;
    let mut leads: Vec<Lead> = Vec::with_capacity(LEADS);
    while leads.len() < LEADS
        && let Some((line, record)) = first_pass.next()?
    {
        leads.push(Lead { line, record: record.clone() });
    }
    let Some(first) = leads.first() else {
        return Err(match format.skip {
            Some(skip) if skip > 0 => DataError::AllSkipped { file: file.into(), skip },
            _ => DataError::Empty { file: file.into() },
        });
    };
    for lead in leads.iter().take(2) {
        if lead.record.len() == 1 && format.separator.is_none() && strings(&lead.record).all(layout::spaced) {
            return Err(DataError::Spaces { file: file.into(), line: lead.line });
        }
    }
    let (first_line, width) = (first.line, first.record.len());
    let mut scans = vec![Scan::default(); width];
    let mut n = leads.len();
    while let Some((line, record)) = first_pass.next()? {
        n += 1;
        scans.iter_mut().zip(strings(record)).for_each(|(scan, text)| scan.see(text, line, &missing));
    }
    let empty_rows = first_pass.empty;
    let heading = header::read(request.header, &leads, &mut scans, &missing, request.named);
    n -= heading.records;
    if n == 0 {
        return Err(DataError::HeaderOnly { file: file.into(), line: first_line });
    }
    drop(leads);
    let Heading { ref names, ref units, records: above } = heading;
    let called = match names {
        Some(names) => names.clone(),
        None => (0..width).map(|i| format!("x{i}")).collect(),
    };
    unique(file, &called)?;
    let notation = scan::notation(&scans, format.notations()).map_err(|doubt| two_readings(file, &called, doubt))?;

    // columns at the end without a name and values
    let used = |i: &usize| !called[*i].is_empty() || !scans[*i].is_empty();
    let kept = (0..width).rev().find(used).map_or(width, |last| last + 1);
    let plans = scans[..kept].iter().zip(&called);
    let plans = plans
        .map(|(scan, name)| scan.plan(file, name, notation, request.digits, first_line))
        .collect::<Result<Vec<_>, DataError>>()?;
    let digits = plans.iter().map(|plan| plan.digits()).collect();
    let hours = plans.iter().map(|plan| *plan == Plan::Hours).collect();
    let mut stores: Vec<Store> = plans.into_iter().map(|plan| Store::new(plan, notation, n)).collect();
    let unread = scans[..kept].iter().map(Scan::looks_like_dates).collect();
    drop(scans);
    let mut lines = Vec::with_capacity(n);
    let mut second_pass = records()?;
    for _ in 0..above {
        second_pass.next()?;
    }
    while let Some((line, record)) = second_pass.next()? {
        lines.push(line);
        for (store, text) in stores.iter_mut().zip(strings(record)) {
            if !store.keep(&missing, text) {
                let reason = format!("line {line} changed while it was read");
                return Err(DataError::Io { file: file.into(), reason });
            }
        }
    }
    let mut notes = Vec::new();
    let arguments = format.found(layout, notation, heading.joined().filter(|_| request.header == Header::Detect));
    if !arguments.is_empty() {
        notes.push(Note::Format { arguments });
    }
    notes.extend(units.as_ref().map(|(line, _)| Note::Units { line: *line }));
    if empty_rows > 0 {
        notes.push(Note::EmptyRows { count: empty_rows });
    }
    if kept < width {
        notes.push(Note::EmptyColumns { count: width - kept });
    }
    let unit = |i: usize| units.as_ref().map_or("", |(_, units)| units[i].as_str());
    let column = |(i, (store, name)): (usize, (Store, &String))| store.column(name, unit(i));
    let columns = stores.into_iter().zip(&called).enumerate().map(column).collect();
    let names = heading.names.map(|mut names| {
        names.truncate(kept);
        names
    });
    Ok(Raw { columns, rows: Rows::lines(lines), unread, digits, hours, names, notes })
}

fn two_readings(file: &str, names: &[String], doubt: TwoReadings) -> DataError {
    let TwoReadings { column, line, text, readings } = doubt;
    let value = |notation: Notation| notation.read(&text).map_or_else(String::new, |v| v.to_string());
    let values = readings.map(value);
    let decimal = readings.iter().position(|reading| reading.thousands.is_none()).unwrap_or(0);
    DataError::TwoReadings(Box::new(crate::data::error::TwoReadings {
        file: file.into(),
        line,
        column: names[column].clone(),
        sign: readings[decimal].decimal,
        decimal: values[decimal].clone(),
        thousands: values[1 - decimal].clone(),
        value: text,
    }))
}

/// Rejects repeated names. Columns without a name get one later.
fn unique(file: &str, names: &[String]) -> Result<(), DataError> {
    let mut known: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    for (second, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        if let Some(first) = known.insert(name, second) {
            let (first, second) = (first + 1, second + 1);
            return Err(DataError::DuplicateName { file: file.into(), name: scan::shown(name), first, second });
        }
    }
    Ok(())
}
