//! The state of a session that evaluation uses and changes, in addition to the bindings.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::data::sets;
use crate::lang::error::LangError;
use crate::lang::eval::kernel_spans::Origins;
use crate::lang::values::value::Value;
use crate::param::Param;
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::Span;

/// One piece of output.
#[derive(Debug, Clone)]
pub enum Item {
    /// The value of a bare expression.
    Shown(Value),
    /// Text from `print`.
    Text(String),
    /// A file was written.
    Wrote(PathBuf),
    Diagnostic(Diagnostic),
}

/// Folders in which files are searched.
#[derive(Debug, Clone, Default)]
pub struct Folders {
    /// The folder of the running script, to which paths are relative.
    pub script: PathBuf,
    /// Additional folders for `load`.
    pub data: Vec<PathBuf>,
    /// The folder for figures and files.
    pub out: PathBuf,
}

/// The files that a session may use. Builtins that read or write ask here, whatever they read or write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FileAccess {
    /// All that the system permits.
    #[default]
    All,
    /// Shipped data sets, and files under exactly these names. Nothing is written and no script is imported.
    Only(Arc<[Arc<str>]>),
}

impl FileAccess {
    /// Why nothing may be read under a name; `None` if it may be read.
    pub fn refused(&self, name: &str) -> Option<LangError> {
        let Self::Only(names) = self else { return None };
        if sets::find(name).is_some() || names.iter().any(|known| **known == *name) {
            return None;
        }
        let error = LangError::new(format!("`{name}` cannot be read here"));
        Some(error.help(match &names[..] {
            [] => "only the shipped data sets can be read: `datasets()` lists them".to_owned(),
            names => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("only the shipped data sets and {} can be read", names.join(", "))
            }
        }))
    }

    /// Whether scripts may be imported, files written, and examples run that write them.
    pub fn is_whole(&self) -> bool {
        *self == Self::All
    }
}

/// The state of a session that statements change.
#[derive(Debug, Clone, Default)]
pub struct Host {
    pub folders: Folders,
    /// The files that may be used in these folders.
    pub files: FileAccess,
    /// The default seed of every fit, search and split.
    pub seed: u64,
    /// The spans of kernel nodes.
    pub origins: Origins,
    /// The number of draws from the session's random stream.
    pub draws: u64,
    /// The parameters that `param(name)` has named in this statement, with their spans.
    pub named: HashMap<Arc<str>, (Param, Span)>,
    /// Files of data and scripts that were read, which are not overwritten.
    pub read: HashSet<PathBuf>,
    /// Files that were written, which may be overwritten.
    pub written: HashSet<PathBuf>,
    /// Bare words of this statement for which a note was shown.
    pub noted: HashSet<Arc<str>>,
}

impl Host {
    /// Resets the state that belongs to one statement.
    pub fn begin(&mut self) {
        self.named.clear();
        self.noted.clear();
    }

    /// Records a file that was read.
    pub fn has_read(&mut self, path: &Path) {
        if let Ok(path) = path.canonicalize()
            && !self.written.contains(&path)
        {
            self.read.insert(path);
        }
    }

    /// The number of the next draw from the session's random stream.
    pub fn next_draw(&mut self) -> u64 {
        self.draws += 1;
        self.draws - 1
    }
}
