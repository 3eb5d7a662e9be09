//! Runs programs: the bindings, the texts that were read, and the log of statements for saving.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::data::write::{WriteError, write_whole};
use crate::lang::check::{check, survey};
use crate::lang::eval::evaluator::Globals;
use crate::lang::eval::host::{FileAccess, Folders, Host, Item};
use crate::lang::eval::statement::{self, LAST};
use crate::lang::registry;
use crate::lang::values::value::{Kind, Value};
use crate::progress::Progress;
use crate::syntax::ast::{Program, Statement, StatementKind};
use crate::syntax::diagnostic::{Diagnostic, Sources};
use crate::syntax::parse::parse_all;
use crate::syntax::span::SourceId;

use super::files::{self, Library};
use super::saved;
use super::set::{self, Setting};

/// The largest seed: the largest whole number that the language can write.
pub const LARGEST_SEED: u64 = 8_999_999_999_999_999;

/// The output of a run, in order.
#[derive(Debug, Clone, Default)]
pub struct Output {
    pub items: Vec<Item>,
    /// Whether the run ended with an error.
    pub failed: bool,
}

impl Output {
    /// All shown and printed items, one per line; diagnostics as severity and message.
    pub fn text(&self) -> String {
        let lines = self.items.iter().filter_map(|item| match item {
            Item::Shown(value) => Some(value.to_string()),
            Item::Text(text) => Some(text.clone()),
            Item::Wrote(_) => None,
            Item::Diagnostic(d) => Some(format!("{}: {}", d.severity.name(), d.message)),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter().filter_map(|item| match item {
            Item::Diagnostic(diagnostic) => Some(diagnostic),
            _ => None,
        })
    }
}

/// What is known of a text that was not run.
#[derive(Debug, Clone)]
pub struct Survey {
    pub source: SourceId,
    /// The statements without errors of syntax.
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    /// The kinds of the names that are bound at the end, where they are known.
    pub kinds: HashMap<Arc<str>, Kind>,
}

/// Why the statements of a session were not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("`{path}` exists and was not written by `:save`: choose another name, or remove the file")]
    Foreign { path: PathBuf },
    /// The text could not be parsed again: an error of the program.
    #[error("the statements do not read back as a program: {0}")]
    Unreadable(String),
}

/// The state of a prompt or a script.
#[derive(Default)]
pub struct Session {
    globals: Globals,
    host: Host,
    library: Library,
    /// The successful statements, in order.
    log: Vec<Logged>,
    /// The initial seed.
    first_seed: u64,
    /// The name of the last value: `_`, or the name in the last `let`.
    last: Option<Arc<str>>,
    /// Settings for the next text.
    settings: Vec<Setting>,
}

/// An entry of the log of a session.
#[derive(Debug, Clone)]
enum Logged {
    /// A statement as written, and the folder to which its paths are relative.
    Statement {
        text: String,
        folder: PathBuf,
    },
    Seed(u64),
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("bindings", &self.globals.len()).finish_non_exhaustive()
    }
}

/// The largest number of errors of a program that are shown when it is run.
const MOST_FAULTS: usize = 50;

impl Session {
    /// An empty session. Paths are relative to the script's folder for reading, and to the output folder for writing.
    pub fn new(folders: Folders, seed: u64) -> Self {
        Self { host: Host { folders, seed, ..Host::default() }, first_seed: seed, ..Self::default() }
    }

    /// An empty session with access to shipped data sets and to data files under exactly these names, as they stand
    /// relative to the current folder. It writes nothing and imports no script.
    pub fn confined(names: Arc<[Arc<str>]>) -> Self {
        let host = Host { files: FileAccess::Only(names), ..Host::default() };
        Self { host, library: Library::closed(), ..Self::default() }
    }

    pub fn seed(&self) -> u64 {
        self.host.seed
    }

    /// Sets the seed and restarts its random stream.
    pub fn set_seed(&mut self, seed: u64) {
        self.host.seed = seed;
        self.host.draws = 0;
        self.log.push(Logged::Seed(seed));
    }

    /// Sets values for top-level names of the next text, which replace the written ones. A name that the text does not
    /// bind is an error of that run.
    pub fn set(&mut self, settings: Vec<Setting>) {
        self.settings = settings;
    }

    pub fn folders(&self) -> &Folders {
        &self.host.folders
    }

    pub fn folders_mut(&mut self) -> &mut Folders {
        &mut self.host.folders
    }

    /// All texts read so far, for diagnostics.
    pub fn sources(&self) -> &Sources {
        &self.library.sources
    }

    /// The user's bindings by name, without the last value (`_`).
    pub fn bindings(&self) -> Vec<(&str, &Value)> {
        let mut list: Vec<_> = self.globals.iter().map(|(n, v)| (&**n, v)).filter(|(n, _)| *n != LAST).collect();
        list.sort_by_key(|(name, _)| *name);
        list
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.globals.get(name)
    }

    /// Whether a text is a word with which users of other prompts leave, and no name of the session.
    pub fn is_farewell(&self, text: &str) -> bool {
        let text = text.trim();
        let name = text.strip_suffix("()").unwrap_or(text);
        ["quit", "exit"].contains(&name) && self.get(name).is_none()
    }

    /// Removes all bindings and statements; folders, access to files and seed are unchanged.
    pub fn reset(&mut self) {
        let host = std::mem::take(&mut self.host);
        *self = match host.files {
            FileAccess::All => Self::new(host.folders, host.seed),
            FileAccess::Only(names) => Self { first_seed: host.seed, ..Self::confined(names) },
        };
        self.host.seed = host.seed;
    }

    /// Runs a text and collects its output. `name` is the name of the text in diagnostics.
    pub fn run(&mut self, text: &str, name: &str, progress: &dyn Progress) -> Output {
        let mut items = Vec::new();
        let well = self.run_with(text, name, progress, &mut |item, _| items.push(item));
        Output { items, failed: !well }
    }

    /// Runs a text and passes on each item as it is produced, with the sources of its spans. Returns `false` if it
    /// ended with an error. The whole text is checked first, and nothing runs if the check finds an error.
    pub fn run_with(
        &mut self,
        text: &str,
        name: &str,
        progress: &dyn Progress,
        out: &mut (dyn FnMut(Item, &Sources) + Send),
    ) -> bool {
        let text = self.continued(text);
        let (program, faults) = self.prepare(&text, name);
        // The check has read all imports, so this copy has all texts.
        let sources = self.library.sources.clone();
        let out = &mut |item| out(item, &sources);
        if !faults.is_empty() {
            let more = faults.len().saturating_sub(MOST_FAULTS);
            faults.into_iter().take(MOST_FAULTS).for_each(|fault| out(Item::Diagnostic(fault)));
            if more > 0 {
                out(Item::Diagnostic(Diagnostic::error(format!("and {more} more errors, which `mercer check` lists"))));
            }
            return false;
        }
        let result = catch_unwind(AssertUnwindSafe(|| crate::syntax::deep(|| self.execute(&program, progress, out))));
        match result {
            Ok(Ok(())) => true,
            Ok(Err(diagnostic)) => {
                out(Item::Diagnostic(diagnostic));
                false
            }
            Err(_) => {
                let fault = Diagnostic::error("evaluation failed: this is a bug in Mercer, not in your program");
                out(Item::Diagnostic(fault.note("the session continues with the earlier bindings")));
                false
            }
        }
    }

    /// Reads a script and runs it, with paths relative to its folder.
    pub fn run_file(
        &mut self,
        path: &Path,
        progress: &dyn Progress,
        out: &mut (dyn FnMut(Item, &Sources) + Send),
    ) -> bool {
        match files::read(path) {
            Ok(text) => {
                self.host.has_read(path);
                let folder = path.parent().map(Path::to_owned).unwrap_or_default();
                let before = std::mem::replace(&mut self.host.folders.script, folder);
                let well = self.run_with(&text, &path.display().to_string(), progress, out);
                self.host.folders.script = before;
                well
            }
            Err(message) => {
                out(Item::Diagnostic(Diagnostic::error(message)), self.sources());
                false
            }
        }
    }

    /// The errors of a text that are detected without running it.
    pub fn check(&mut self, text: &str, name: &str) -> Vec<Diagnostic> {
        let text = self.continued(text);
        self.prepare(&text, name).1
    }

    /// What can be said of a text without running it. Statements with errors of syntax do not hide what is known of the
    /// names of the others; the errors are then those of syntax alone.
    pub fn survey(&mut self, text: &str, name: &str) -> Survey {
        let source = self.library.sources.add(name, text);
        let parsed = parse_all(text, source);
        self.library.begin(&self.host.folders.script);
        let (faults, kinds) = crate::syntax::deep(|| survey(&parsed.program, &self.globals, &mut self.library));
        let diagnostics = if parsed.diagnostics.is_empty() { faults } else { parsed.diagnostics };
        Survey { source, program: parsed.program, diagnostics, kinds }
    }

    /// As [`check`](Self::check), for a file.
    pub fn check_file(&mut self, path: &Path) -> Vec<Diagnostic> {
        match files::read(path) {
            Ok(text) => {
                let folder = path.parent().map(Path::to_owned).unwrap_or_default();
                let before = std::mem::replace(&mut self.host.folders.script, folder);
                let faults = self.check(&text, &path.display().to_string());
                self.host.folders.script = before;
                faults
            }
            Err(message) => vec![Diagnostic::error(message)],
        }
    }

    /// The value of one expression, without showing it or binding `_`.
    pub fn value_of(&mut self, text: &str, name: &str, progress: &dyn Progress) -> Result<Value, Diagnostic> {
        let last = self.globals.get(LAST).cloned();
        let log = self.log.len();
        let output = self.run(text, name, progress);
        self.log.truncate(log);
        match last {
            Some(last) => self.globals.insert(LAST.into(), last),
            None => self.globals.remove(LAST),
        };
        let mut value = None;
        for item in output.items {
            match item {
                Item::Shown(shown) => value = Some(shown),
                Item::Diagnostic(diagnostic) if diagnostic.is_error() => return Err(diagnostic),
                _ => {}
            }
        }
        value.ok_or_else(|| Diagnostic::error("this has no value"))
    }

    /// The signature of a callable, with its line of help.
    pub fn hint(&self, name: &str) -> Option<String> {
        if let Some(Value::Function(function)) = self.globals.get(name) {
            return Some(function.to_string());
        }
        let signature = &registry::find(name)?.signature;
        Some(format!("{}: {}", signature.shown(), signature.summary))
    }

    /// Writes a script that repeats this session. The file is written completely or not at all; an existing file is
    /// replaced only if a session wrote it.
    ///
    /// # Errors
    /// [`SaveError`] gives the reason.
    pub fn save(&self, path: &Path) -> Result<(), SaveError> {
        let own = |text: Vec<u8>| text.starts_with(saved::FIRST_LINE.as_bytes());
        if path.exists() && !std::fs::read(path).is_ok_and(own) {
            return Err(SaveError::Foreign { path: path.to_owned() });
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let text = saved::FIRST_LINE.to_owned() + "\n" + &self.script(folder);
        let mut sources = Sources::new();
        let source = sources.add("session", text.as_str());
        if let Some(fault) = parse_all(&text, source).diagnostics.first() {
            return Err(SaveError::Unreadable(fault.message.clone()));
        }
        Ok(write_whole(path, text.as_bytes())?)
    }

    /// The successful statements of this session, as a script in a folder. Seeds are set where they were set, and files
    /// read from another folder have absolute paths.
    pub fn script(&self, folder: &Path) -> String {
        let mut text = match self.first_seed {
            0 => String::new(),
            seed => format!("seed({seed})\n"),
        };
        for logged in &self.log {
            match logged {
                Logged::Seed(seed) => text.push_str(&format!("seed({seed})")),
                Logged::Statement { text: written, folder: from } => {
                    text.push_str(&saved::moved(written, from, folder));
                }
            }
            text.push('\n');
        }
        text
    }

    /// Continues a text that starts with `|>` from the value of the last statement.
    fn continued(&self, text: &str) -> String {
        if !text.trim_start().starts_with("|>") {
            return text.to_owned();
        }
        format!("{} {}", self.last.as_deref().unwrap_or(LAST), text.trim_start())
    }

    fn prepare(&mut self, text: &str, name: &str) -> (Program, Vec<Diagnostic>) {
        let source = self.library.sources.add(name, text);
        let mut parsed = parse_all(text, source);
        if !parsed.diagnostics.is_empty() {
            return (parsed.program, parsed.diagnostics);
        }
        let settings = std::mem::take(&mut self.settings);
        if let Err(fault) = set::apply(&settings, &mut parsed.program, &mut self.library.sources) {
            return (parsed.program, vec![fault]);
        }
        self.library.begin(&self.host.folders.script);
        let faults = crate::syntax::deep(|| check(&parsed.program, &self.globals, &mut self.library));
        (parsed.program, faults)
    }

    fn execute(
        &mut self,
        program: &Program,
        progress: &dyn Progress,
        out: &mut (dyn FnMut(Item) + Send),
    ) -> Result<(), Diagnostic> {
        self.library.begin(&self.host.folders.script);
        for (index, statement) in program.statements.iter().enumerate() {
            if index > 0 && progress.stop() {
                // a script ends here, and what the statement before has so far would be lost
                if let Some(value) = self.last.as_deref().and_then(|name| self.globals.get(name)) {
                    out(Item::Shown(value.clone()));
                }
                return Err(Diagnostic::error("stopped").label(statement.span, "this and what follows was not run"));
            }
            self.one(statement, progress, out)?;
            self.last = match &statement.node {
                StatementKind::Let { names, .. } => match names.as_slice() {
                    [name] => Some(name.node.clone()),
                    _ => None,
                },
                StatementKind::Fn { .. } => self.last.take(),
                StatementKind::Expr(_) | StatementKind::Import(_) => None,
            };
            self.log.push(Logged::Statement {
                text: self.library.sources.slice(statement.span).to_owned(),
                folder: self.host.folders.script.clone(),
            });
        }
        Ok(())
    }

    fn one(
        &mut self,
        statement: &Statement,
        progress: &dyn Progress,
        out: &mut (dyn FnMut(Item) + Send),
    ) -> Result<(), Diagnostic> {
        let StatementKind::Import(path) = &statement.node else {
            return Ok(statement::execute(
                registry::library(),
                statement,
                &mut self.globals,
                &mut self.host,
                progress,
                out,
            )?);
        };
        let Some(program) = self.library.open(path)? else {
            return Ok(());
        };
        if let Some(file) = self.library.file() {
            self.host.has_read(file);
        }
        let before = std::mem::replace(&mut self.host.folders.script, self.library.folder());
        // The messages of an imported file are shown, the values of its bare expressions are not.
        let mut quiet = |item: Item| {
            if !matches!(item, Item::Shown(_)) {
                out(item);
            }
        };
        let result = program.statements.iter().try_for_each(|inner| self.one(inner, progress, &mut quiet));
        self.host.folders.script = before;
        self.library.close();
        result
    }
}

/// The kind of a value, as `:type` shows it.
pub fn type_of(value: &Value) -> &'static str {
    match value.kind() {
        Kind::Nothing => "Nothing",
        kind => kind.name(),
    }
}

#[cfg(test)]
mod tests;
