//! What a terminal answers when it is asked for its capabilities.

/// The answer to a question, and the keys that were pressed meanwhile.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Whether the terminal shows sixels; `None` if it was not asked, as keys were waiting to be read.
    pub sixels: Option<bool>,
    pub typed: String,
}

/// The number of pixels in a row of the terminal, if it says so.
#[cfg(unix)]
pub fn pixels() -> Option<u32> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(u32::from(size.ws_xpixel)).filter(|wide| *wide > 0)
}

#[cfg(not(unix))]
pub fn pixels() -> Option<u32> {
    None
}

/// Asks the terminal for its primary device attributes, of which 4 are sixel graphics. A terminal that does not answer
/// within a second does not show them. Nothing is asked without a terminal, or by a program in the background.
pub fn ask() -> Answer {
    #[cfg(unix)]
    if let Some((sixels, typed)) = unix::ask() {
        return Answer { sixels, typed };
    }
    Answer { sixels: Some(false), typed: String::new() }
}

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal, Write};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::read;
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr};

    /// The question for the primary device attributes.
    const QUESTION: &[u8] = b"\x1B[c";
    const PATIENCE: Duration = Duration::from_secs(1);
    /// The number of an attribute: sixel graphics.
    const SIXELS: u32 = 4;
    /// More than an answer and some keys.
    const MOST: usize = 4096;

    /// The modes of the terminal before the question, which are set again at the end.
    struct Modes(Termios);

    impl Drop for Modes {
        fn drop(&mut self) {
            // A terminal that has gone has no modes.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
        }
    }

    /// Whether something can be read within a time.
    fn is_readable(within: Duration) -> bool {
        let stdin = io::stdin();
        let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
        let within = Timespec { tv_sec: within.as_secs() as i64, tv_nsec: i64::from(within.subsec_nanos()) };
        matches!(poll(&mut polled, Some(&within)), Ok(1)) && polled[0].revents().contains(PollFlags::IN)
    }

    /// Whether the terminal shows sixels, and the keys that were pressed meanwhile, as in an answer; `None` if there is no
    /// terminal to be asked.
    pub fn ask() -> Option<(Option<bool>, String)> {
        let (stdin, mut stdout) = (io::stdin(), io::stdout());
        if !stdin.is_terminal() || !stdout.is_terminal() || console::is_dumb() {
            return None;
        }
        // A program in the background would be stopped.
        if tcgetpgrp(&stdin).ok()? != rustix::process::getpgrp() {
            return None;
        }
        let before = tcgetattr(&stdin).ok()?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        modes.special_codes[SpecialCodeIndex::VMIN] = 0;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&stdin, OptionalActions::Now, &modes).ok()?;
        let _restored = Modes(before);
        if is_readable(Duration::ZERO) {
            return Some((None, String::new()));
        }
        stdout.write_all(QUESTION).and_then(|()| stdout.flush()).ok()?;
        let until = Instant::now() + PATIENCE;
        let mut found = Vec::new();
        let answer = loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || found.len() > MOST || !is_readable(left) {
                break None;
            }
            let mut chunk = [0; 256];
            match read(&stdin, &mut chunk) {
                Ok(count @ 1..) => found.extend_from_slice(&chunk[..count]),
                _ => break None,
            }
            if let Some(answer) = attributes(&found) {
                break Some(answer);
            }
        };
        // The first number is the class of the terminal.
        let (attributes, typed) = answer.unwrap_or((Vec::new(), found));
        let sixels = attributes.iter().skip(1).any(|number| *number == SIXELS);
        Some((Some(sixels), String::from_utf8_lossy(&typed).into_owned()))
    }

    /// Splits what was read into the attributes of an answer, `ESC [ ? 62 ; 4 c`, and the rest; `None` without an answer.
    pub fn attributes(read: &[u8]) -> Option<(Vec<u32>, Vec<u8>)> {
        const START: &[u8] = b"\x1B[?";
        let from = read.windows(START.len()).position(|window| window == START)?;
        let body = &read[from + START.len()..];
        let length = body.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';')?;
        if body[length] != b'c' {
            return None;
        }
        let numbers = std::str::from_utf8(&body[..length]).ok()?;
        let numbers = numbers.split(';').filter_map(|number| number.parse().ok()).collect();
        Some((numbers, [&read[..from], &body[length + 1..]].concat()))
    }
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    #[test]
    fn an_answer_is_found_among_keys() {
        let found = |text: &str| {
            super::unix::attributes(text.as_bytes()).map(|(a, rest)| (a, String::from_utf8(rest).unwrap()))
        };
        assert_eq!(found("\x1B[?62;4;22c"), Some((vec![62, 4, 22], String::new())));
        assert_eq!(found("ab\x1B[?1;2cd"), Some((vec![1, 2], "abd".into())));
        assert_eq!(found("\x1B[?62;4"), None);
        assert_eq!(found("\x1B[?25h"), None);
        assert_eq!(found("1 + 1\r"), None);
    }
}
