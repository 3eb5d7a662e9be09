//! Figures as images, in terminals that show them: by the protocol of kitty, or that of iTerm2.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mercer::figure::{Figure, Size, to_png};

/// The largest part of an image in one sequence of kitty's protocol, in characters.
const CHUNK: usize = 4096;

/// How a terminal shows images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Kitty,
    ITerm,
}

impl Protocol {
    /// The protocol of the terminal, by the variables with which it names itself. Multiplexers do not pass images on.
    pub fn detect() -> Option<Self> {
        Self::of(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        if variable("TMUX").is_some() || variable("STY").is_some() {
            return None;
        }
        let term = variable("TERM").unwrap_or_default();
        match variable("TERM_PROGRAM").as_deref() {
            Some("iTerm.app") => Some(Protocol::ITerm),
            Some("WezTerm" | "ghostty") => Some(Protocol::Kitty),
            _ if term == "xterm-kitty" || variable("KITTY_WINDOW_ID").is_some() => Some(Protocol::Kitty),
            _ => None,
        }
    }

    /// The sequence that draws a figure; `None` if it cannot be drawn.
    pub fn image(self, figure: &Figure) -> Option<String> {
        Some(self.sequence(&to_png(figure, Size::of(figure)).ok()?))
    }

    fn sequence(self, png: &[u8]) -> String {
        let text = STANDARD.encode(png);
        match self {
            Protocol::ITerm => format!("\u{1B}]1337;File=inline=1;size={}:{text}\u{7}", png.len()),
            Protocol::Kitty => {
                let mut out = String::new();
                let mut rest = text.as_str();
                let mut head = "a=T,f=100,";
                while !rest.is_empty() {
                    let (part, after) = rest.split_at(CHUNK.min(rest.len()));
                    let more = u8::from(!after.is_empty());
                    out.push_str(&format!("\u{1B}_G{head}m={more};{part}\u{1B}\\"));
                    (rest, head) = (after, "");
                }
                out
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_known_by_their_variables() {
        let of = |known: &[(&str, &str)]| {
            Protocol::of(|name| known.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Some(Protocol::Kitty));
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/x")]), None);
        assert_eq!(of(&[("TERM_PROGRAM", "iTerm.app")]), Some(Protocol::ITerm));
        assert_eq!(of(&[("TERM", "xterm-256color")]), None);
    }

    #[test]
    fn images_are_sent_in_parts() {
        let sent = Protocol::Kitty.sequence(&vec![7; 6000]);
        let parts: Vec<&str> = sent.split("\u{1B}\\").filter(|part| !part.is_empty()).collect();
        assert_eq!(parts.len(), 2);
        assert!(parts[0].starts_with("\u{1B}_Ga=T,f=100,m=1;") && parts[1].starts_with("\u{1B}_Gm=0;"));
        let data: String = parts.iter().map(|part| part.split_once(';').unwrap().1).collect();
        assert_eq!(STANDARD.decode(data).unwrap(), vec![7; 6000]);
        assert!(Protocol::ITerm.sequence(b"png").ends_with("cG5n\u{7}"));
    }
}
