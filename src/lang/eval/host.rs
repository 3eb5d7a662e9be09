//! The state of a session that evaluation uses and changes, apart from the bindings.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::lang::eval::kernel_spans::Origins;
use crate::lang::values::value::Value;
use crate::param::Param;
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::Span;

/// One piece of output, in the order in which it came.
#[derive(Debug, Clone)]
pub enum Item {
    /// The value of a bare expression.
    Shown(Value),
    /// What `print` wrote.
    Text(String),
    /// A file was written.
    Wrote(PathBuf),
    Diagnostic(Diagnostic),
}

/// Folders in which names of files are looked up.
#[derive(Debug, Clone, Default)]
pub struct Folders {
    /// Of the running script: relative paths are read from here.
    pub script: PathBuf,
    /// Further places that `load` looks into.
    pub data: Vec<PathBuf>,
    /// Where figures and files are written.
    pub out: PathBuf,
}

/// State of a session that statements change.
#[derive(Debug, Clone, Default)]
pub struct Host {
    pub folders: Folders,
    /// The default seed of every fit, search and split.
    pub seed: u64,
    /// Where kernels stand in the text.
    pub origins: Origins,
    /// How many times the session's random stream was drawn from.
    pub draws: u64,
    /// The parameters that `param(name)` has named in this statement, and where.
    pub named: HashMap<Arc<str>, (Param, Span)>,
    /// Files of data and scripts that were read, which are not written over.
    pub read: HashSet<PathBuf>,
    /// Files that were written, which may be written again.
    pub written: HashSet<PathBuf>,
    /// Bare words of this statement whose reading was already noted.
    pub noted: HashSet<Arc<str>>,
}

impl Host {
    /// Forgets what belongs to one statement.
    pub fn begin(&mut self) {
        self.named.clear();
        self.noted.clear();
    }

    /// Remembers a file that was read.
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
