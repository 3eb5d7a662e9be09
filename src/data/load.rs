//! Loads a data set by name or path: the source, the target and the inputs.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::column::{Column, Kind};
use super::csv::{self, Format, Header, Request, Source};
use super::dataset::Dataset;
use super::error::DataError;
use super::note::{About, Ignored, Note};
use super::sets;
use crate::calendar::{Digits, Order, TimeUnit};

/// The choice of the target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Target {
    /// That of a shipped set; for a file, the last numeric column.
    #[default]
    Usual,
    Named(String),
    /// None: data for predictions.
    None,
}

/// The treatment of rows in which an input or the target is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhenMissing {
    /// Keep them; a fit rejects them and reports where they are.
    #[default]
    Keep,
    Drop,
    Refuse,
}

/// Options of reading a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    pub target: Target,
    /// The inputs in order; all other usable columns if not given.
    pub inputs: Option<Vec<String>>,
    pub header: Header,
    /// The format of the file; what is not given is detected.
    pub format: Format,
    /// Words for missing values in addition to the default ones, such as `-999`.
    pub missing: Vec<String>,
    pub when_missing: WhenMissing,
    /// The order of day, month and year, for dates with several readings.
    pub dates: Option<Order>,
    /// The reading of numeric columns with six or eight digits.
    pub digits: Digits,
}

/// Loads a shipped set by its name, or a file by its path.
///
/// A relative path is searched in each of `folders` in turn; a bare name without an extension also as `name.csv` and
/// `name.tsv`. A shipped set takes precedence over a file of the same name: write `./name` for the file.
///
/// # Errors
/// Any error in the file or the choice of columns; see [`DataError`].
pub fn load(name: &str, folders: &[PathBuf], options: &Options) -> Result<Dataset, DataError> {
    if let Some(set) = sets::find(name) {
        let target = match &options.target {
            Target::Usual => Target::Named(set.target.into()),
            other => other.clone(),
        };
        let data = read(
            name,
            &Source::Bytes(set.text.as_bytes()),
            &Options { target, header: Header::Yes, ..options.clone() },
        )?;
        return set.dress(data);
    }
    let path = locate(name, folders)?;
    if path.is_dir() {
        return Err(DataError::Folder { file: name.into() });
    }
    if path.is_file() {
        return read(name, &Source::Path(&path), options);
    }
    // A pipe can be read only once, and devices such as /dev/zero never end.
    let mut bytes = Vec::new();
    let io = |e: std::io::Error| DataError::Io { file: name.into(), reason: csv::reason(&e) };
    let pipe = File::open(&path).map_err(io)?;
    pipe.take(MOST_PIPED + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MOST_PIPED {
        return Err(DataError::EndlessPipe { file: name.into(), most: MOST_PIPED >> 20 });
    }
    read(name, &Source::Bytes(&bytes), options)
}

/// The largest number of bytes that are read of a pipe or a device, which is held in memory.
const MOST_PIPED: u64 = 256 << 20;

/// The file that [`load`] reads under this name; `None` for a shipped set.
pub fn file_of(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    if sets::find(name).is_some() { None } else { locate(name, folders).ok() }
}

/// Data from the text of a table; `name` is for messages.
pub fn parse(name: &str, text: &str, options: &Options) -> Result<Dataset, DataError> {
    read(name, &Source::Bytes(text.as_bytes()), options)
}

fn locate(name: &str, folders: &[PathBuf]) -> Result<PathBuf, DataError> {
    let mut tried: Vec<PathBuf> = Vec::new();
    let bare = Path::new(name).extension().is_none();
    let here = [PathBuf::new()];
    for folder in if folders.is_empty() { &here } else { folders } {
        let path = folder.join(name);
        let mut candidates = vec![path.clone()];
        if bare && !name.is_empty() {
            candidates.extend(["csv", "tsv"].map(|ending| path.with_extension(ending)));
        }
        for candidate in candidates.into_iter().filter(|_| !name.is_empty()) {
            if tried.contains(&candidate) {
                continue;
            }
            // A folder does not hide a file whose extension was left out.
            if candidate.exists() && !(bare && candidate.is_dir()) {
                return Ok(candidate);
            }
            tried.push(candidate);
        }
    }
    if let Some(folder) = tried.iter().find(|p| p.is_dir()) {
        return Ok(folder.clone());
    }
    Err(DataError::NotFound { name: name.into(), tried: tried.iter().map(|p| p.display().to_string()).collect() })
}

fn read(name: &str, source: &Source<'_>, options: &Options) -> Result<Dataset, DataError> {
    let mut named: Vec<&str> = options.inputs.iter().flatten().map(String::as_str).collect();
    if let Target::Named(target) = &options.target {
        named.push(target);
    }
    let request = Request {
        file: name,
        format: &options.format,
        header: options.header,
        missing: &options.missing,
        dates: options.dates,
        digits: options.digits,
        named: &named,
    };
    let raw = csv::read(source, &request)?;
    let mut notes = raw.notes;
    let (mut columns, mut ignored) = (raw.columns, Vec::new());
    let (unread, digits, hours) = (raw.unread, raw.digits, raw.hours);
    match &raw.names {
        Some(names) => name_the_nameless(&mut columns, names, &mut notes, &mut ignored),
        None => number(&mut columns, &hours, &options.target, &mut notes),
    }
    for (column, example) in columns.iter().zip(unread) {
        notes.extend(example.map(|example| Note::UnreadDates { column: column.name().into(), example }));
    }
    let in_digits = columns.iter().zip(digits).filter_map(|(column, form)| {
        form.map(|form| Note::DatesInDigits { column: column.name().into(), form: form.into() })
    });
    let times_of_day = columns.iter().zip(&hours).filter(|(_, hours)| **hours);
    let times_of_day = times_of_day.map(|(column, _)| Note::TimesOfDay { column: column.name().into() });
    let (in_digits, times_of_day): (Vec<Note>, Vec<Note>) = (in_digits.collect(), times_of_day.collect());
    let target = match &options.target {
        Target::None => None,
        Target::Named(name) => Some(name.clone()),
        Target::Usual => {
            let measured =
                |(c, hours): &(&Column, &bool)| !**hours && *c.kind() == Kind::Numeric && c.missing() < c.len();
            let Some((last, _)) = columns.iter().zip(&hours).rev().find(measured) else {
                return Err(DataError::NoTarget { known: columns.iter().map(|c| c.name().into()).collect() });
            };
            Some(last.name().to_string())
        }
    };
    ignored.extend(columns.iter().filter_map(|c| Some((c.name().to_string(), useless(c)?))));
    let unusable: HashSet<&str> = ignored.iter().map(|(name, _)| name.as_str()).collect();
    let usable = |c: &&Column| Some(c.name()) != target.as_deref() && !unusable.contains(c.name());
    let mut inputs = match &options.inputs {
        Some(names) => names.clone(),
        None => columns.iter().filter(usable).map(|c| c.name().to_string()).collect(),
    };
    if inputs.is_empty() && options.inputs.is_none() {
        let name = fresh("row", &columns);
        columns.insert(0, Column::numeric(name.as_str(), (0..columns[0].len()).map(|i| i as f64).collect()));
        notes.push(Note::RowInput { name: name.clone() });
        inputs.push(name);
    }
    notes.extend(columns.iter().filter_map(read_as));
    notes.extend(in_digits);
    notes.extend(times_of_day);
    notes.extend(columns.iter().filter_map(far_dates));
    let absent = columns.iter().filter(|c| c.missing() > 0 && c.missing() < c.len());
    notes.extend(absent.map(|c| Note::Missing { column: c.name().into(), count: c.missing() }));
    let asked: HashSet<&String> = inputs.iter().chain(&target).collect();
    let unasked = ignored.into_iter().filter(|(name, _)| !asked.contains(name));
    notes.extend(unasked.map(|(column, why)| Note::Ignored { column, why }));

    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let data = Dataset::with_rows(columns, raw.rows, target.as_deref(), Some(&inputs))?;
    let data = data.with_about(About { name: Some(name.into()), notes, ..About::default() });
    match options.when_missing {
        WhenMissing::Keep => Ok(data),
        WhenMissing::Drop => Ok(data.dropna().0),
        WhenMissing::Refuse => match data.first_missing() {
            Some(cell) => Err(cell.into()),
            None => Ok(data),
        },
    }
}

fn read_as(column: &Column) -> Option<Note> {
    let name = column.name().to_string();
    match column.kind() {
        Kind::Numeric => None,
        Kind::Time(scale) => Some(Note::Dates { column: name, resolution: scale.resolution, unit: scale.unit }),
        Kind::Categories { levels } => Some(Note::Categories { column: name, levels: levels.len() }),
    }
}

/// A note on dates far from all others, such as a mistyped year: at most 1 % of the dates, more than 20 years and more
/// than five times the span of the others away.
fn far_dates(column: &Column) -> Option<Note> {
    let scale = column.time()?;
    let mut sorted: Vec<f64> = column.values().iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    let far = |gap: f64, span: f64| gap > TimeUnit::Year.convert(20.0, scale.unit) && gap > 5.0 * span;
    for count in (1..=(n / 100).max(1)).filter(|count| n > count + 2) {
        let (late, early) = (n - count, count);
        for (example, gap, span) in [
            (sorted[n - 1], sorted[late] - sorted[late - 1], sorted[late - 1] - sorted[0]),
            (sorted[0], sorted[early] - sorted[early - 1], sorted[n - 1] - sorted[early]),
        ] {
            if far(gap, span) {
                return Some(Note::FarDates { column: column.name().into(), example: scale.text(example), count });
            }
        }
    }
    None
}

/// Why a column is not usable as an input; `None` if it is.
fn useless(column: &Column) -> Option<Ignored> {
    // A few rows may differ by chance; text is then categorical.
    const FEW: usize = 10;
    let present = column.len() - column.missing();
    match column.levels() {
        _ if present == 0 => Some(Ignored::NoValues),
        Some(levels) if present > FEW && levels.len() == present => Some(Ignored::Identifier),
        _ => None,
    }
}

/// Programs write row numbers under an empty name; other columns without a name are numbered.
fn name_the_nameless(
    columns: &mut [Column],
    names: &[String],
    notes: &mut Vec<Note>,
    ignored: &mut Vec<(String, Ignored)>,
) {
    for i in (0..columns.len()).filter(|&i| names[i].is_empty()) {
        let name = fresh(&format!("col{i}"), columns);
        columns[i] = columns[i].clone().renamed(&name);
        let values = columns[i].values();
        let counts = |from: f64| values.iter().enumerate().all(|(k, &v)| v == from + k as f64);
        if i == 0 && columns.len() > 2 && (counts(0.0) || counts(1.0)) {
            ignored.push((name.clone(), Ignored::RowNumber));
        }
        notes.push(Note::Unnamed { name });
    }
}

/// Without a header the columns are named x0, x1, …, and the last numeric one y, unless no target is requested.
fn number(columns: &mut [Column], hours: &[bool], target: &Target, notes: &mut Vec<Note>) {
    let measured = |i: &usize| !hours[*i] && *columns[*i].kind() == Kind::Numeric;
    let last = (0..columns.len()).rfind(measured).filter(|_| *target != Target::None);
    let mut next = 0;
    for (i, column) in columns.iter_mut().enumerate() {
        let name = if Some(i) == last { "y".to_string() } else { format!("x{next}") };
        next += usize::from(Some(i) != last);
        *column = column.clone().renamed(&name);
    }
    notes.push(Note::NoHeader { names: columns.iter().map(|c| c.name().into()).collect() });
}

/// `name`, with as many underscores as make it unique.
fn fresh(name: &str, columns: &[Column]) -> String {
    let mut name = name.to_string();
    while columns.iter().any(|c| c.name() == name) {
        name.push('_');
    }
    name
}
