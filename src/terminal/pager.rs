//! Long output through a pager.

use std::io::Write;
use std::process::{Command, Stdio};

/// The variable that names the pager of this program; empty for none.
const VARIABLE: &str = "MERCER_PAGER";

/// Leaves at once if the text fits, keeps colours, and leaves the text on the screen.
const DEFAULT: &str = "less -FRX";

/// Shows a text in the user's pager. Returns `false` if there is none, or if it could not be started.
pub fn show(text: &str) -> bool {
    let named = [VARIABLE, "PAGER"].into_iter().find_map(|name| std::env::var(name).ok());
    let command = named.unwrap_or_else(|| DEFAULT.into());
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else { return false };
    let Ok(mut pager) = Command::new(program).args(words).stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = pager.stdin.take() {
        // The user may leave the pager before the end of the text.
        let _ = writeln!(input, "{text}");
    }
    pager.wait().is_ok()
}
