//! Script files and their imports.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::lang::check::Loader;
use crate::syntax::ast::Program;
use crate::syntax::diagnostic::{Diagnostic, Sources};
use crate::syntax::parse::parse_all;
use crate::syntax::span::Spanned;

/// The text of a script, or a message with the reason why it cannot be read.
pub fn read(path: &Path) -> Result<String, String> {
    read_as(path, &path.display().to_string())
}

/// As [`read`], with the name that the user gave.
fn read_as(path: &Path, shown: &str) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file `{shown}`"),
        std::io::ErrorKind::PermissionDenied => format!("no permission to read `{shown}`"),
        _ if path.is_dir() => format!("`{shown}` is a folder, not a file"),
        _ => format!("`{shown}` cannot be read: {error}"),
    })?;
    decode(bytes, shown)
}

/// Decodes bytes as the text of a script, or returns a message with the reason.
pub fn decode(bytes: Vec<u8>, name: &str) -> Result<String, String> {
    if bytes.contains(&0) {
        return Err(format!("`{name}` is a binary file, not a script"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count();
        format!("`{name}` is not UTF-8 text: see line {line}")
    })
}

/// All texts of a session, and the imported programs.
#[derive(Default)]
pub struct Library {
    pub sources: Sources,
    programs: HashMap<PathBuf, Arc<Program>>,
    /// The files that are being imported, the innermost last.
    open: Vec<PathBuf>,
    /// The files imported in this run: a second import of a file has no effect.
    done: Vec<PathBuf>,
    base: PathBuf,
    /// Whether no script can be imported.
    closed: bool,
}

impl Library {
    /// A library into which no script can be imported.
    pub fn closed() -> Self {
        Self { closed: true, ..Self::default() }
    }

    /// Starts a run of a text with paths relative to a folder.
    pub fn begin(&mut self, folder: &Path) {
        self.base = folder.to_owned();
        self.open.clear();
        self.done.clear();
    }

    /// The folder to which paths are currently relative.
    pub fn folder(&self) -> PathBuf {
        self.open.last().and_then(|file| file.parent()).map_or_else(|| self.base.clone(), Path::to_owned)
    }

    /// The file that is being imported.
    pub fn file(&self) -> Option<&Path> {
        self.open.last().map(PathBuf::as_path)
    }

    /// The program of an import, until [`close`](Self::close); `None` if this run has imported it already.
    pub fn open(&mut self, path: &Spanned<Arc<str>>) -> Result<Option<Arc<Program>>, Diagnostic> {
        let file = self.find(path)?;
        if self.done.contains(&file) {
            return Ok(None);
        }
        let program = self.program(&file, path).map_err(|mut faults| faults.swap_remove(0))?;
        self.done.push(file.clone());
        self.open.push(file);
        Ok(Some(program))
    }

    pub fn close(&mut self) {
        self.open.pop();
    }

    fn find(&self, path: &Spanned<Arc<str>>) -> Result<PathBuf, Diagnostic> {
        if self.closed {
            let fault = Diagnostic::error("scripts cannot be imported here").label(path.span, "here");
            return Err(fault.help("write the definitions that you need from it"));
        }
        let file = self.folder().join(&*path.node);
        let file = file.canonicalize().map_err(|error| {
            let message = match error.kind() {
                std::io::ErrorKind::NotFound => format!("there is no file `{}`", path.node),
                _ => format!("`{}` cannot be read: {error}", path.node),
            };
            let place = self.folder();
            let diagnostic = Diagnostic::error(message).label(path.span, "here");
            if place.as_os_str().is_empty() {
                diagnostic
            } else {
                diagnostic.note(format!("looked in {}", place.display()))
            }
        })?;
        if let Some(at) = self.open.iter().position(|open| *open == file) {
            let mut names: Vec<String> = self.open[at..].iter().map(|open| name(open)).collect();
            names.push(name(&file));
            let message = format!("a cycle of imports: {}", names.join(" → "));
            return Err(Diagnostic::error(message).label(path.span, "this file is already being imported"));
        }
        Ok(file)
    }

    fn program(&mut self, file: &Path, path: &Spanned<Arc<str>>) -> Result<Arc<Program>, Vec<Diagnostic>> {
        if let Some(program) = self.programs.get(file) {
            return Ok(program.clone());
        }
        let is_data = |ext: &std::ffi::OsStr| ["csv", "tsv"].iter().any(|data| ext.eq_ignore_ascii_case(data));
        if file.extension().is_some_and(is_data) {
            let fault = Diagnostic::error(format!("`{}` contains data, not a program", path.node));
            return Err(vec![fault.label(path.span, "here").help(format!("write `let d = load(\"{}\")`", path.node))]);
        }
        let refused = |message| vec![Diagnostic::error(message).label(path.span, "here")];
        let text = read_as(file, &path.node).map_err(refused)?;
        let source = self.sources.add(name(file), text.as_str());
        let parsed = parse_all(&text, source);
        if !parsed.diagnostics.is_empty() {
            return Err(parsed.diagnostics);
        }
        let program = Arc::new(parsed.program);
        self.programs.insert(file.to_owned(), program.clone());
        Ok(program)
    }
}

fn name(file: &Path) -> String {
    file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}

impl Loader for Library {
    fn enter(&mut self, path: &Spanned<Arc<str>>) -> Result<Arc<Program>, Vec<Diagnostic>> {
        // Files may have changed since they were last read.
        let file = self.find(path).map_err(|fault| vec![fault])?;
        if !self.done.contains(&file) {
            self.programs.remove(&file);
            self.done.push(file.clone());
        }
        let program = self.program(&file, path)?;
        self.open.push(file);
        Ok(program)
    }

    fn leave(&mut self) {
        self.close();
    }
}
