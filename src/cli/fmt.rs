//! `mercer fmt`: formats programs.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mercer::syntax::diagnostic::Sources;
use mercer::syntax::fmt;

use super::settings::{FAILED, STDIN, read};
use crate::terminal::{Format, Screen};

/// Formats each file, or with `check` only reports those that would change. Stdin is written to stdout. Returns an exit
/// code.
pub fn format(files: &[PathBuf], check: bool) -> u8 {
    let mut screen = Screen::new(Format::Text);
    let mut code = 0;
    for file in files {
        match one(file, check, &mut screen) {
            Ok(true) => {}
            Ok(false) => code = FAILED,
            Err(message) => {
                screen.error(message);
                code = FAILED;
            }
        }
    }
    code
}

/// Returns whether a file is formatted now.
fn one(file: &Path, check: bool, screen: &mut Screen) -> Result<bool, String> {
    let name = file.display().to_string();
    let text = read(file)?;
    let formatted = match fmt::format(&text) {
        Ok(formatted) => formatted,
        Err(fault) => {
            let mut sources = Sources::new();
            sources.add(name, text);
            screen.diagnostic(&fault, &sources);
            return Ok(false);
        }
    };
    let same = formatted == text;
    if check {
        if !same {
            screen.remark(&format!("`{name}` is not in its canonical form: `mercer fmt` would change it"));
        }
        return Ok(same);
    }
    if file == Path::new(STDIN) {
        if let Some(text) = formatted.strip_suffix('\n') {
            screen.line(text);
        }
    } else if !same {
        replace(file, &formatted).map_err(|error| format!("`{name}` cannot be written: {error}"))?;
    }
    Ok(true)
}

/// Replaces the text of a file, completely or not at all.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    // If the file is a link, its target is replaced.
    let file = file.canonicalize()?;
    let permissions = file.metadata()?.permissions();
    if permissions.readonly() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().set_permissions(permissions)?;
    new.as_file().sync_all()?;
    new.persist(&file).map_err(|error| error.error)?;
    Ok(())
}
