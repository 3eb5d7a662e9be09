//! Writes tables and files atomically.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use thiserror::Error;

use super::csv::reason;
use super::dataset::Dataset;

/// Why a file was not written; an existing file at its path is unchanged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    #[error("`{}` was not written: the folder `{}` does not exist", .path.display(), .folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    #[error("`{}` was not written: `{}` is a file, not a folder", .path.display(), .file.display())]
    InFile { path: PathBuf, file: PathBuf },
    #[error("`{}` was not written: it is a folder", .path.display())]
    IsFolder { path: PathBuf },
    #[error("`{}` was not written: it exists and is read-only", .path.display())]
    ReadOnly { path: PathBuf },
    #[error("`{}` was not written: the folder `{}` is not writable", .path.display(), .folder.display())]
    NotWritable { path: PathBuf, folder: PathBuf },
    #[error("`{}` was not written: the disk is full", .path.display())]
    DiskFull { path: PathBuf },
    #[error("`{}` was not written: {reason}", .path.display())]
    Other { path: PathBuf, reason: String },
    #[error("`{}` was not written: a table ends in .csv, .tsv or .json", .path.display())]
    Ending { path: PathBuf },
}

/// The cells of one column of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// NaN is written as an empty cell, or as `null` in JSON.
    Numbers(Vec<f64>),
    /// `None` is an empty cell.
    Texts(Vec<Option<String>>),
}

/// Named columns of equal length for a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<(String, Cells)>,
    /// The standard deviations of the numbers in a column, by its place, for the digits with which they are shown.
    errors: Vec<(usize, Vec<f64>)>,
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    fn text(&self, row: usize) -> String {
        match self {
            Self::Numbers(numbers) => numbers.get(row).copied().map(digits).unwrap_or_default(),
            Self::Texts(texts) => texts.get(row).cloned().flatten().unwrap_or_default(),
        }
    }

    fn json(&self, row: usize) -> Value {
        match self {
            Self::Numbers(numbers) => match numbers.get(row) {
                Some(v) if v.is_infinite() => Value::from(digits(*v)),
                Some(v) => Value::from(*v),
                None => Value::Null,
            },
            Self::Texts(texts) => texts.get(row).cloned().flatten().map_or(Value::Null, Value::from),
        }
    }
}

impl Table {
    /// A table without columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column of numbers.
    pub fn numbers(mut self, name: impl Into<String>, values: &[f64]) -> Self {
        self.columns.push((name.into(), Cells::Numbers(values.to_vec())));
        self
    }

    /// The same with the standard deviation of each number: shown numbers have the digits that these determine. Written
    /// and used as values they are as without.
    pub fn numbers_with_errors(mut self, name: impl Into<String>, values: &[f64], errors: &[f64]) -> Self {
        self.errors.push((self.columns.len(), errors.to_vec()));
        self.numbers(name, values)
    }

    /// Adds a column of text.
    pub fn texts(mut self, name: impl Into<String>, values: Vec<Option<String>>) -> Self {
        self.columns.push((name.into(), Cells::Texts(values)));
        self
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[(String, Cells)] {
        &self.columns
    }

    /// The standard deviations of the numbers in a column, if they have some.
    pub fn errors(&self, column: usize) -> Option<&[f64]> {
        self.errors.iter().find(|(of, _)| *of == column).map(|(_, errors)| &errors[..])
    }

    /// The number of rows: that of the longest column.
    pub fn rows(&self) -> usize {
        self.columns.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0)
    }

    /// Writes the table in the format of the path's extension: `.csv`, `.tsv` or `.json` (a list of rows). Numbers have
    /// the fewest digits that read back exactly.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref() {
            Some("csv") => write_whole_with(path, |to| self.separated(to, b',')),
            Some("tsv") => write_whole_with(path, |to| self.separated(to, b'\t')),
            Some("json") => write_whole_with(path, |to| self.json(to)),
            _ => Err(WriteError::Ending { path: path.into() }),
        }
    }

    fn separated(&self, to: &mut dyn Write, delimiter: u8) -> io::Result<()> {
        let mut writer = ::csv::WriterBuilder::new().delimiter(delimiter).comment(Some(b'#')).from_writer(to);
        writer.write_record(self.columns.iter().map(|(name, _)| name))?;
        for row in 0..self.rows() {
            writer.write_record(self.columns.iter().map(|(_, cells)| cells.text(row)))?;
        }
        writer.flush()
    }

    fn json(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(b"[")?;
        for row in 0..self.rows() {
            to.write_all(if row == 0 { b"\n" } else { b",\n" })?;
            let record: Map<String, Value> =
                self.columns.iter().map(|(name, cells)| (name.clone(), cells.json(row))).collect();
            serde_json::to_writer(&mut *to, &record)?;
        }
        to.write_all(b"\n]\n")
    }
}

impl From<&Dataset> for Table {
    fn from(data: &Dataset) -> Self {
        data.columns().iter().fold(Self::new(), |table, column| {
            if let Some(scale) = column.time() {
                table.texts(column.name(), scale.texts(column.values()))
            } else if column.is_categories() {
                let texts = (0..column.len()).map(|i| column.level(i).map(Into::into)).collect();
                table.texts(column.name(), texts)
            } else {
                table.numbers(column.name(), column.values())
            }
        })
    }
}

/// The shortest digits that read back to the same number; empty for NaN.
pub fn digits(v: f64) -> String {
    match v.abs() {
        size if size.is_nan() => String::new(),
        size if size == 0.0 || (1e-5..1e16).contains(&size) || size.is_infinite() => v.to_string(),
        _ => format!("{v:e}"),
    }
}

/// Writes a file completely or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_whole_with(path, |to| to.write_all(bytes))
}

/// Writes a file completely or not at all: to a temporary file in the same folder, which is then renamed.
pub fn write_whole_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    // If the path is a link, its target is replaced rather than the link.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = match real.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let existing = fs::metadata(&real).ok();
    if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(WriteError::IsFolder { path: path.into() });
    }
    if !folder.is_dir() {
        return Err(match folder.is_file() {
            true => WriteError::InFile { path: path.into(), file: folder },
            false => WriteError::NoFolder { path: path.into(), folder },
        });
    }
    let worded = |e: io::Error| match e.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            WriteError::NotWritable { path: path.into(), folder: folder.clone() }
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => WriteError::DiskFull { path: path.into() },
        _ => WriteError::Other { path: path.into(), reason: reason(&e) },
    };
    if existing.as_ref().is_some_and(|file| file.permissions().readonly()) {
        return Err(WriteError::ReadOnly { path: path.into() });
    }
    if existing.as_ref().is_some_and(|file| !file.is_file()) {
        // A device or a pipe cannot be replaced, only written to.
        let mut to = fs::OpenOptions::new().write(true).open(&real).map_err(worded)?;
        return fill(&mut to).map_err(worded);
    }
    let mut builder = tempfile::Builder::new();
    remove_leftovers(&folder);
    let prefix = format!("{PREFIX}{}-", std::process::id());
    builder.prefix(&prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // With the permissions of a new file, or of the one that it replaces.
        builder.permissions(existing.map_or_else(|| fs::Permissions::from_mode(0o666), |file| file.permissions()));
    }
    let file = builder.tempfile_in(&folder).map_err(worded)?;
    let mut to = BufWriter::new(file);
    fill(&mut to).and_then(|()| to.flush()).map_err(worded)?;
    let file = to.into_inner().map_err(|e| worded(e.into_error()))?;
    file.persist(&real).map_err(|e| worded(e.error))?;
    Ok(())
}

/// The prefix of the names of temporary files; the number of the process follows.
const PREFIX: &str = ".mercer-";
/// A temporary file is kept for this time after its last change, because its process may run on another machine.
const LEFT_ALONE: Duration = Duration::from_secs(60);

/// Removes temporary files of processes that were killed. Files that cannot be examined are kept.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()) else {
            continue;
        };
        let Ok(process) = process.parse::<u32>() else { continue };
        let age = entry.metadata().and_then(|about| about.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > LEFT_ALONE) && !is_running(process) {
            // another process may have removed it already
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a process runs; `true` if unknown.
fn is_running(process: u32) -> bool {
    let all = Path::new("/proc");
    !all.join("self").exists() || all.join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Options, Target, load};

    fn table() -> Table {
        Table::new()
            .numbers("x", &[0.1, f64::NAN, 1e300, -1e-7, f64::INFINITY, 1961.0])
            .texts("a,b", ["#u", "v \"w\"", "x\ny", "", "é", "z"].map(|t| Some(t.to_string())).to_vec())
    }

    #[test]
    fn what_is_written_reads_back_exactly() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["t.csv", "t.TSV"] {
            let path = folder.path().join(name);
            table().write(&path).unwrap();
            let options = Options { target: Target::None, ..Options::default() };
            let back = load(path.to_str().unwrap(), &[], &options).unwrap();
            let Cells::Numbers(x) = &table().columns[0].1 else { panic!() };
            for (a, b) in x.iter().zip(back.column("x").unwrap().values()) {
                assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()), "{a} {b}");
            }
            let text = back.column("a,b").unwrap();
            assert_eq!((text.level(1), text.level(2), text.level(3)), (Some("v \"w\""), Some("x\ny"), None));
        }
        let path = folder.path().join("t.json");
        table().write(&path).unwrap();
        let rows: Vec<Value> = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!((rows.len(), &rows[1]["x"], &rows[4]["x"]), (6, &Value::Null, &Value::from("inf")));
    }

    #[test]
    fn a_failure_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        write_whole(&path, b"before").unwrap();
        let failed = write_whole_with(&path, |to| {
            to.write_all(b"half")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert!(failed.unwrap_err().to_string().ends_with("t.csv` was not written: the disk is full"));
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_killed_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
        let leave = |name: String, at: std::time::SystemTime| {
            let path = folder.path().join(name);
            fs::File::create(&path).unwrap().set_modified(at).unwrap();
            path
        };
        // beyond the largest number of a process
        let dead = leave(format!("{PREFIX}4294967295-abc"), long_ago);
        let fresh = leave(format!("{PREFIX}4294967295-def"), std::time::SystemTime::now());
        let own = leave(format!("{PREFIX}{}-abc", std::process::id()), long_ago);
        let other = leave(".mercer-notes".into(), long_ago);
        write_whole(&folder.path().join("t.csv"), b"x").unwrap();
        assert!(!dead.exists());
        assert!(fresh.exists() && own.exists() && other.exists());
    }

    #[test]
    fn a_wrong_place_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let text = |path: &Path| write_whole(path, b"").unwrap_err().to_string();
        assert!(text(folder.path()).ends_with("was not written: it is a folder"));
        let path = folder.path().join("kept");
        fs::write(&path, b"kept").unwrap();
        let mut rights = fs::metadata(&path).unwrap().permissions();
        rights.set_readonly(true);
        fs::set_permissions(&path, rights).unwrap();
        assert!(text(&path).ends_with("it exists and is read-only"));
        assert!(text(&folder.path().join("no/t.csv")).contains("no` does not exist"));
        assert!(text(&path.join("t.csv")).ends_with("kept` is a file, not a folder"));
        let error = Table::new().write(&folder.path().join("t.xlsx")).unwrap_err().to_string();
        assert!(error.ends_with("a table ends in .csv, .tsv or .json"));
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_usual_rights() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        write_whole(&path, b"").unwrap();
        fs::write(folder.path().join("u"), b"").unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("t"), mode("u"));
    }

    #[test]
    fn digits_are_few_and_exact() {
        for (v, text) in [(1949.0, "1949"), (0.1, "0.1"), (-0.0, "-0"), (1e300, "1e300"), (1.5e-9, "1.5e-9")] {
            assert_eq!(digits(v), text);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), v.to_bits());
        }
    }
}
