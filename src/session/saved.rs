//! A session as a script: its statements, with paths to the files that they read.

use std::path::{Path, PathBuf};

use crate::kernel::quoted;
use crate::syntax::scan::{TokenKind, scan};

/// The first line of files written by `:save`.
pub const FIRST_LINE: &str = "# A session of Mercer, written by `:save`.";

/// The functions that read files by name.
const READERS: &[&str] = &["import", "load", "load_fit", "load_integral", "load_search", "predict", "read"];

/// A statement that read files from one folder, changed to run in another. Names of files after `load(`, `import` and
/// the like become absolute paths, if the files exist.
pub fn moved(statement: &str, from: &Path, to: &Path) -> String {
    if whole(from) == whole(to) {
        return statement.to_owned();
    }
    let mut out = String::with_capacity(statement.len());
    let (mut done, mut before) = (0, ["", ""]);
    for token in scan(statement) {
        let text = token.text(statement);
        if token.kind == TokenKind::Str
            && follows_reader(before)
            && let Some(path) = plain(text).map(|name| from.join(name)).filter(|path| path.is_file())
        {
            out.push_str(&statement[done..token.start]);
            out.push_str(&quoted(&whole(&path).display().to_string()));
            done = token.end;
        }
        if token.is_code() {
            before = [before[1], text];
        }
    }
    out + &statement[done..]
}

fn follows_reader(before: [&str; 2]) -> bool {
    match before {
        [_, "import"] => true,
        [name, "("] => READERS.contains(&name),
        _ => false,
    }
}

/// The text between quotes, if it has no escapes.
fn plain(literal: &str) -> Option<&str> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains('\\')).then_some(inner)
}

/// The absolute path with links resolved; the current folder for an empty path.
fn whole(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_from_another_folder() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(from.path().join("a.csv"), "x,y\n").unwrap();
        let path = from.path().canonicalize().unwrap().join("a.csv");
        let moved = |text: &str| moved(text, from.path(), to.path());
        assert_eq!(moved("load(\"a.csv\")"), format!("load(\"{}\")", path.display()));
        assert_eq!(
            moved("let d = load( \"a.csv\", target=\"y\")"),
            format!("let d = load( \"{}\", target=\"y\")", path.display())
        );
        for text in ["load(\"airline\")", "d |> write(\"a.csv\")", "print(\"a.csv\")"] {
            assert_eq!(moved(text), text);
        }
        assert_eq!(super::moved("load(\"a.csv\")", from.path(), from.path()), "load(\"a.csv\")");
    }
}
