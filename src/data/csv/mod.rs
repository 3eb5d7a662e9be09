//! Tables of text: comma-, semicolon- or tab-separated values.
//!
//! A file is read twice as a stream: once to learn what each column holds, once to keep the numbers. So a column of
//! text is known as such before any of it is kept, and memory is that of the numbers. Lines that begin with `#` and
//! blank lines are skipped.

mod cell;
mod scan;
mod sniff;
mod text;

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use ::csv::{ByteRecord, Reader, ReaderBuilder};

pub use cell::MISSING_WORDS;
use cell::{Cell, Missing};
use scan::{Plan, Scan};
pub(in crate::data) use text::reason;

use super::column::{Column, Kind, Levels};
use super::dataset::Rows;
use super::error::DataError;
use crate::calendar::{Moment, Order, Resolution, compact};

/// What the first bytes must tell the separator from.
const SAMPLE: u64 = 64 * 1024;

/// Whether the first line names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// It does if it holds no number while some later line does.
    #[default]
    Detect,
    Yes,
    No,
}

/// Where the text comes from; it is opened more than once.
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
}

/// A table as it stands in the file.
#[derive(Debug)]
pub(super) struct Raw {
    pub columns: Vec<Column>,
    pub rows: Rows,
    /// For each column that is none of dates though it looks like one, a cell of it.
    pub unread: Vec<Option<String>>,
    /// `None` when the file has no header: then the columns are called by their number.
    pub names: Option<Vec<String>>,
}

/// A reader over text that is clean already.
fn reader<R: Read>(text: R, delimiter: u8) -> Reader<R> {
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).comment(Some(b'#')).from_reader(text)
}

/// Reads a table. `named` are the columns that somebody means to use: if the first line holds one of them, it is a header.
pub(super) fn read(
    file: &str,
    source: &Source<'_>,
    header: Header,
    missing_words: &[String],
    order: Option<Order>,
    named: &[&str],
) -> Result<Raw, DataError> {
    let missing = Missing::new(missing_words);
    let mut sample = Vec::new();
    let open = || source.open().map_err(|e| text::error(file, &e));
    text::Text::new(open()?).take(SAMPLE).read_to_end(&mut sample).map_err(|e| text::error(file, &e))?;
    let delimiter = sniff::delimiter(&sample);
    let records = || Ok::<_, DataError>(Records::new(file, open()?, delimiter));

    let mut first_pass = records()?;
    let first = first_pass.next()?.map(|(line, record)| (line, record.clone()));
    let Some((first_line, first)) = first else {
        return Err(DataError::Empty { file: file.into() });
    };
    let mut scans = vec![Scan::default(); first.len()];
    let mut below = 0;
    let spaces = |line: usize, record: &ByteRecord| match record.len() == 1 && strings(record).all(sniff::spaced) {
        true => Err(DataError::Spaces { file: file.into(), line }),
        false => Ok(()),
    };
    spaces(first_line, &first)?;
    while let Some((line, record)) = first_pass.next()? {
        below += 1;
        if below == 1 {
            spaces(line, record)?;
        }
        for (scan, text) in scans.iter_mut().zip(strings(record)) {
            scan.see(text, line, &missing, delimiter, order);
        }
    }
    let has_header = match header {
        Header::Yes => true,
        Header::No => false,
        Header::Detect => {
            let mut head = vec![Scan::default(); first.len()];
            head.iter_mut().zip(strings(&first)).for_each(|(s, t)| s.see(t, first_line, &missing, delimiter, order));
            let named = strings(&first).any(|cell| named.contains(&cell.trim_ascii()));
            named || (!head.iter().any(Scan::has_measures) && (below == 0 || scans.iter().any(Scan::has_measures)))
        }
    };
    if has_header && below == 0 {
        return Err(DataError::HeaderOnly { file: file.into(), line: first_line });
    }
    if !has_header {
        scans.iter_mut().zip(strings(&first)).for_each(|(s, t)| s.see(t, first_line, &missing, delimiter, order));
    }
    let names: Vec<String> = if has_header {
        strings(&first).map(|name| name.trim_ascii().replace('\n', " ")).collect()
    } else {
        (0..first.len()).map(|i| format!("x{i}")).collect()
    };
    unique(file, &names)?;

    let n = below + usize::from(!has_header);
    let mut stores = scans
        .iter()
        .zip(&names)
        .map(|(scan, name)| Ok(Store::new(scan.plan(file, name, delimiter, first_line)?, n)))
        .collect::<Result<Vec<_>, DataError>>()?;
    let unread = scans.iter().map(Scan::looks_like_dates).collect();
    drop(scans);
    let mut lines = Vec::with_capacity(n);
    let mut second_pass = records()?;
    if has_header {
        second_pass.next()?;
    }
    while let Some((line, record)) = second_pass.next()? {
        lines.push(line);
        for (store, text) in stores.iter_mut().zip(strings(record)) {
            if !store.keep(&missing, text, order) {
                let reason = format!("line {line} changed while it was read");
                return Err(DataError::Io { file: file.into(), reason });
            }
        }
    }
    let columns = stores.into_iter().zip(&names).map(|(store, name)| store.column(name)).collect();
    Ok(Raw { unread, columns, rows: Rows::lines(lines), names: has_header.then_some(names) })
}

/// Two columns of one name could not be told apart. Nameless ones get a name later.
fn unique(file: &str, names: &[String]) -> Result<(), DataError> {
    for (second, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        if let Some(first) = names[..second].iter().position(|other| other == name) {
            let (first, second) = (first + 1, second + 1);
            return Err(DataError::DuplicateName { file: file.into(), name: name.clone(), first, second });
        }
    }
    Ok(())
}

/// The fields of a record whose text was found to be UTF-8 on its way in.
fn strings(record: &ByteRecord) -> impl Iterator<Item = &str> {
    record.iter().map(|field| std::str::from_utf8(field).unwrap_or_default())
}

/// Records of one width with the line each begins in.
struct Records<'f, R> {
    file: &'f str,
    reader: Reader<text::Text<R>>,
    record: ByteRecord,
    /// Width and line of the first record.
    first: Option<(usize, usize)>,
}

impl<'f, R: Read> Records<'f, R> {
    fn new(file: &'f str, source: R, delimiter: u8) -> Self {
        Self { file, reader: reader(text::Text::new(source), delimiter), record: ByteRecord::new(), first: None }
    }

    fn next(&mut self) -> Result<Option<(usize, &ByteRecord)>, DataError> {
        loop {
            let more = self.reader.read_byte_record(&mut self.record).map_err(|e| match e.kind() {
                ::csv::ErrorKind::Io(e) => text::error(self.file, e),
                _ => DataError::Io { file: self.file.into(), reason: e.to_string() },
            })?;
            if !more {
                return Ok(None);
            }
            let after = self.reader.position().line() as usize;
            // The reader's own position is that before blank lines and comments. Every record ends in one line feed.
            let inner = self.record.as_slice().iter().filter(|&&b| b == b'\n').count();
            if self.record.as_slice().ends_with(text::END) {
                return Err(DataError::Unclosed { file: self.file.into(), line: after.saturating_sub(inner).max(1) });
            }
            let line = after.saturating_sub(inner + 1).max(1);
            let found = self.record.len();
            let (expected, expected_line) = *self.first.get_or_insert((found, line));
            let blank =
                found == 1 && !self.record.as_slice().is_empty() && self.record.as_slice().trim_ascii().is_empty();
            if blank {
                if expected_line == line {
                    self.first = None;
                }
                continue;
            }
            if found != expected {
                let (file, runs_on) = (self.file.into(), inner > 0);
                return Err(DataError::Ragged { file, line, found, expected, expected_line, runs_on });
            }
            break Ok(Some((line, &self.record)));
        }
    }
}

/// A column while its cells are kept.
struct Store {
    plan: Plan,
    values: Vec<f64>,
    moments: Vec<Option<Moment>>,
    levels: Levels,
}

impl Store {
    fn new(plan: Plan, n: usize) -> Self {
        Self { plan, values: Vec::with_capacity(n), moments: Vec::new(), levels: Levels::default() }
    }

    /// False if the cell is not what the first reading found.
    fn keep(&mut self, missing: &Missing, text: &str, order: Option<Order>) -> bool {
        if matches!(self.plan, Plan::Dates(..) | Plan::Compact) {
            let moment = match (self.plan, missing.read(text)) {
                (_, Cell::Missing) => None,
                (Plan::Dates(form, _), Cell::Text(text)) => match form.read(text, order) {
                    Some((at, _)) => Some(at),
                    None => return false,
                },
                (Plan::Compact, Cell::Number(v)) if compact(v).is_some() => compact(v),
                _ => return false,
            };
            self.moments.push(moment);
            return true;
        }
        let value = match (self.plan, missing.read(text)) {
            (_, Cell::Missing) => f64::NAN,
            (Plan::Categories, _) => self.levels.code(text.trim_ascii()),
            (Plan::Numbers, Cell::Number(v)) => v,
            _ => return false,
        };
        self.values.push(value);
        true
    }

    fn column(self, name: &str) -> Column {
        let kind = match self.plan {
            Plan::Numbers => Kind::Numeric,
            Plan::Dates(_, resolution) => return Column::moments(name, resolution, &self.moments),
            Plan::Compact => return Column::moments(name, Resolution::Day, &self.moments),
            Plan::Categories => self.levels.into_kind(),
        };
        Column::of(name.into(), kind, self.values)
    }
}
