//! `mercer fmt`: programs in their canonical form.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mercer::syntax::diagnostic::Sources;
use mercer::syntax::fmt;

use super::settings::{FAILED, STDIN, read};
use crate::terminal::{Format, Screen};

/// Rewrites each file, or only says which would change. Stdin goes to stdout. The result is an exit code.
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

/// Whether a file is well now.
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

/// Puts a new text in the place of a file's, wholly or not at all.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    // A link stays a link: what it points at is replaced.
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
