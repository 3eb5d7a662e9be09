//! The history of typed lines, across sessions.

use std::path::PathBuf;

use etcetera::BaseStrategy;
use rustyline::Editor;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;

use super::line_helper::LineHelper;
use crate::terminal::Screen;

/// The variable with the file of the history; empty for no history.
const VARIABLE: &str = "MERCER_HISTORY";

/// The file of the history, if there is one.
pub struct History(Option<PathBuf>);

impl History {
    /// Reads the history. If it cannot be read or written, a message is shown once and no history is recorded.
    pub fn open(editor: &mut Editor<LineHelper, FileHistory>, screen: &Screen) -> Self {
        let Some(path) = path() else { return Self(None) };
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(ReadlineError::from);
        let loaded = folder.and_then(|()| match editor.load_history(&path) {
            Err(ReadlineError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                // Checked now rather than after the first line.
                editor.save_history(&path)
            }
            loaded => loaded,
        });
        match loaded {
            Ok(()) => Self(Some(path)),
            Err(error) => {
                screen.remark(&format!("no history is kept: `{}`: {error}", path.display()));
                Self(None)
            }
        }
    }

    /// Adds a text. It is written immediately, because a session may end at any time.
    pub fn keep(&self, editor: &mut Editor<LineHelper, FileHistory>, text: &str) {
        let added = editor.add_history_entry(text.trim_end()).unwrap_or(false);
        if let (Some(path), true) = (&self.0, added) {
            // A lost line does not justify a message.
            let _ = editor.append_history(path);
        }
    }
}

fn path() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|path| !path.as_os_str().is_empty());
    }
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("mercer").join("history"))
}
