//! Signs, numbers and quotes of other languages, and look-alike characters.

use super::super::diagnostic::Diagnostic;
use super::super::scan::{Token, TokenKind, is_word_start};
use super::Scene;

impl Scene<'_> {
    /// The message for a sign that is never valid.
    pub(super) fn alien(&self, index: usize) -> Diagnostic {
        let token = &self.tokens[index];
        let found = token.text(self.text);
        let span = self.span(token);
        if found.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.alien_number(index);
        }
        let known = |message: String, label: &str, help: &str| Diagnostic::error(message).label(span, label).help(help);
        let not_ours = |help: &str| known(format!("`{found}` is not an operator of Mercer"), "not known here", help);
        match found {
            "**" => not_ours("a power is written `^`"),
            "&&" | "&" => not_ours("write `and`"),
            "||" | "|" => not_ours("write `or`; a pipe is `|>`"),
            "!" => not_ours("write `not`; unequal is `!=`"),
            "%%" => not_ours("the remainder is written `a % b`"),
            "%>%" => not_ours("a pipe is `|>`"),
            "<>" => not_ours("unequal is written `!=`"),
            "//" => not_ours("a comment begins with `#`; a quotient is written `/`"),
            "=>" => not_ours("a function is written `x -> value`; at least is written `>=`"),
            ":=" => not_ours("write `let name = value`"),
            "+=" | "-=" | "*=" | "/=" | "%=" => {
                not_ours(&format!("a value never changes; bind the name again: `let x = x {} …`", &found[..1]))
            }
            "?" => not_ours("a choice is written `if condition then a else b`"),
            ":" => not_ours("a range is written `a..b`, an argument by name `f(name=value)`"),
            "{" | "}" => known(
                format!("`{found}` is not a bracket of Mercer"),
                "not known here",
                "a list is written `[1, 2]`, a call `f(x)`, a group `(a + b)`",
            ),
            "\\" => not_ours("a statement goes on after an operator or inside brackets, without a mark"),
            "'" => known("a single quote means nothing here".into(), "not known here", "strings are written \"so\""),
            _ => self.look_alike(token, found),
        }
    }

    fn alien_number(&self, index: usize) -> Diagnostic {
        let token = &self.tokens[index];
        let found = token.text(self.text);
        let wrong = |label: &str| {
            Diagnostic::error(format!("`{found}` is not a number")).label(self.span(token), label.to_owned())
        };
        let needs_digits = "a point needs digits on both sides";
        if let Some(digits) = found.strip_prefix('.') {
            let glued = index > 0 && self.tokens[index - 1].end == token.start;
            if glued && matches!(self.tokens[index - 1].kind, TokenKind::Word | TokenKind::Close) {
                return wrong(needs_digits).help(format!("an item of a list is taken by `[{digits}]`"));
            }
            return wrong(needs_digits).help(format!("write `0{found}`"));
        }
        if found.ends_with('.') && found.matches('.').count() == 1 {
            return wrong(needs_digits).help(format!("write `{found}0`, or `{}`", found.trim_end_matches('.')));
        }
        let plain: String = found.chars().filter(|c| *c != '_').collect();
        if plain.len() < found.len() && plain.parse::<f64>().is_ok() {
            return wrong("digits are written without `_`").help(format!("write `{plain}`"));
        }
        let letters = found.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(found.len());
        let (digits, rest) = found.split_at(letters);
        if rest.starts_with(is_word_start) && digits.parse::<f64>().is_ok() {
            return wrong("a number ends where letters begin").help(format!("write `{digits} * {rest}` for a product"));
        }
        wrong("expected digits with at most one point, such as `1.5` or `1e-3`")
    }

    /// The message for a character that looks like a valid one, or is not recognised.
    fn look_alike(&self, token: &Token, found: &str) -> Diagnostic {
        let span = self.span(token);
        let Some(first) = found.chars().next() else { return Diagnostic::error("expected a statement") };
        if let Some(quoted) = quoted(found) {
            return Diagnostic::error("strings are written in double quotes")
                .label(span, "not a string")
                .help(format!("write \"{quoted}\""));
        }
        let code = format!("U+{:04X}", u32::from(first));
        if first.is_whitespace() || matches!(first, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{00AD}') {
            let what = if first == '\u{A0}' { "a non-breaking space" } else { "an invisible character" };
            return Diagnostic::error(format!("{what} ({code}) stands here"))
                .label(span, "looks like nothing or a space, but is neither")
                .help("replace it by an ordinary space");
        }
        if first.is_control() {
            return Diagnostic::error(format!("a control character ({code}) stands here"))
                .label(span, "not text")
                .help("delete it");
        }
        match plain(first) {
            Some(ours) => Diagnostic::error(format!("`{found}` ({code}) is not known here"))
                .label(span, format!("looks like `{ours}`"))
                .help(format!("type `{ours}`")),
            None => {
                Diagnostic::error(format!("`{found}` ({code}) is not valid in Mercer")).label(span, "not known here")
            }
        }
    }
}

/// The inside of a text in quotes of another kind.
fn quoted(found: &str) -> Option<&str> {
    let mut characters = found.chars();
    let (first, last) = (characters.next()?, characters.next_back()?);
    let quotes = matches!((first, last), ('\'', '\'') | ('‘' | '’', '’') | ('“' | '”' | '„', '”') | ('«', '»'));
    quotes.then_some(characters.as_str())
}

/// The valid form of a look-alike character.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        '×' | '·' | '⋅' | '∙' | '•' | '∗' | '＊' | '✕' => "*",
        '÷' | '∕' | '⁄' | '／' => "/",
        '−' | '–' | '—' | '‐' | '‑' | '‒' | '－' => "-",
        '＋' => "+",
        '＝' => "=",
        '≤' | '⩽' => "<=",
        '≥' | '⩾' => ">=",
        '≠' => "!=",
        '≈' | '≡' => "==",
        '＜' | '‹' => "<",
        '＞' | '›' => ">",
        '→' | '⟶' | '↦' | '⇒' => "->",
        '▷' | '⊳' | '▹' => "|>",
        '∘' => ">>",
        '…' | '‥' => "..",
        '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '＂' => "\"",
        '²' => "^2",
        '³' => "^3",
        '∞' => "inf",
        '√' => "sqrt(",
        '∧' => "and",
        '∨' => "or",
        '¬' => "not",
        '∈' => "in",
        '∼' | '～' | '˜' => "~",
        '（' => "(",
        '）' => ")",
        '［' | '【' => "[",
        '］' | '】' => "]",
        '，' | '、' => ",",
        '；' => ";",
        '。' | '．' => ".",
        '＾' | 'ˆ' => "^",
        '＃' => "#",
        _ => return None,
    })
}
