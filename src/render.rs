//! Diagnostics for a terminal. Only this file imports ariadne.
//!
//! Spans count bytes, ariadne counts characters. Each source is first converted to a view that is safe to draw: control
//! characters become spaces (a file must not control the terminal), and long lines are truncated around the labels.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ariadne::{Cache, CharSet, Color, Config, IndexType, Label, Report, ReportKind};

use crate::syntax::diagnostic::{Diagnostic, Severity, Sources};
use crate::syntax::span::{SourceId, Span, char_floor};

/// A longer line, in characters, is truncated to a window around its first label.
const LONGEST_LINE: usize = 160;
/// The number of characters of a truncated line before the label.
const LEAD: usize = 40;
const CUT: char = '…';
/// The largest number of labels.
const MOST_LABELS: usize = 12;

/// A message with its excerpts, as lines that end with `\n`; in ANSI colours with `colour`.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, colour: bool) -> String {
    let diagnostic = &harmless(diagnostic);
    let mut views = Views::default();
    let labels = diagnostic.labels.iter().filter(|label| sources.get(label.span.source).is_some()).take(MOST_LABELS);
    let labels: Vec<_> = labels.collect();
    for label in &labels {
        views.add(label.span, sources);
    }
    let Some(primary) = labels.first() else { return plain(diagnostic, colour) };
    let (kind, accent) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
        Severity::Note => (ReportKind::Custom("Note", Color::Cyan), Color::Cyan),
    };
    let config = Config::new()
        .with_color(colour)
        .with_index_type(IndexType::Char)
        .with_char_set(CharSet::Unicode)
        .with_tab_width(4)
        .with_compact(false);
    let mut report =
        Report::build(kind, views.place(primary.span)).with_config(config).with_message(&diagnostic.message);
    for (index, label) in labels.iter().enumerate() {
        let colour = if index == 0 { accent } else { Color::Blue };
        let mut drawn = Label::new(views.place(label.span)).with_color(colour);
        if !label.text.is_empty() {
            drawn = drawn.with_message(&label.text);
        }
        report = report.with_label(drawn);
    }
    report.with_notes(&diagnostic.notes);
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    let mut out = Vec::new();
    match report.finish().write(&mut views, &mut out) {
        // a custom kind has its colour regardless of the configuration
        Ok(()) if !colour => trim(&console::strip_ansi_codes(&String::from_utf8_lossy(&out))),
        Ok(()) => trim(&String::from_utf8_lossy(&out)),
        Err(_) => plain(diagnostic, colour),
    }
}

/// A message as sentences without an excerpt, for a screen reader: each place is named by its line and column.
pub fn spoken(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let diagnostic = &harmless(diagnostic);
    let mut out = plain(&Diagnostic { notes: Vec::new(), help: None, ..diagnostic.clone() }, false);
    for label in diagnostic.labels.iter().take(MOST_LABELS) {
        let Some(source) = sources.get(label.span.source) else { continue };
        let at = source.position(label.span.start);
        let found = without_controls(source.slice(label.span).lines().next().unwrap_or("")).into_owned();
        let text = if label.text.is_empty() { String::new() } else { format!(": {}", label.text) };
        out.push_str(&format!("  In {}, line {}, column {}, at `{found}`{text}\n", source.name(), at.line, at.column));
    }
    diagnostic.notes.iter().for_each(|note| out.push_str(&format!("  Note: {note}\n")));
    diagnostic.help.iter().for_each(|help| out.push_str(&format!("  Help: {help}\n")));
    trim(&out)
}

/// A text with control characters made visible, so that a name in a file cannot control the terminal. Line breaks and
/// tabs are unchanged.
pub fn without_controls(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| match c {
        c if !steers(c) => c,
        '\u{7F}' => '\u{2421}',
        // the Unicode symbols of control characters
        c => char::from_u32(0x2400 + c as u32).filter(|_| (c as u32) < 0x20).unwrap_or('\u{FFFD}'),
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// A diagnostic with texts from [`without_controls`].
fn harmless(diagnostic: &Diagnostic) -> Diagnostic {
    let mut shown = diagnostic.clone();
    let texts = shown.labels.iter_mut().map(|label| &mut label.text).chain(&mut shown.notes).chain(&mut shown.help);
    for text in texts.chain([&mut shown.message]) {
        if let Cow::Owned(clean) = without_controls(text) {
            *text = clean;
        }
    }
    shown
}

/// A message without a place in a text.
fn plain(diagnostic: &Diagnostic, colour: bool) -> String {
    let (name, code) = match diagnostic.severity {
        Severity::Error => ("Error", 31),
        Severity::Warning => ("Warning", 33),
        Severity::Note => ("Note", 36),
    };
    let mut out = match colour {
        true => format!("\u{1B}[{code}m{name}:\u{1B}[0m {}\n", diagnostic.message),
        false => format!("{name}: {}\n", diagnostic.message),
    };
    for note in &diagnostic.notes {
        out.push_str(&format!("  Note: {note}\n"));
    }
    if let Some(help) = &diagnostic.help {
        out.push_str(&format!("  Help: {help}\n"));
    }
    trim(&out)
}

fn trim(text: &str) -> String {
    let mut out: String = text.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    while out.ends_with("\n\n") {
        out.pop();
    }
    out
}

/// Where a span is drawn: its source and its characters in the view of the source.
type Place = (SourceId, std::ops::Range<usize>);

/// A source as it is drawn.
struct View {
    name: String,
    source: ariadne::Source<String>,
    lines: Vec<Line>,
}

/// A line of a source, and its drawn part.
struct Line {
    /// The byte of the source and the character of the view at which it starts.
    byte: usize,
    drawn_from: usize,
    /// The drawn characters of the line.
    window: std::ops::Range<usize>,
}

#[derive(Default)]
struct Views {
    list: BTreeMap<SourceId, (View, String)>,
}

impl Views {
    fn add(&mut self, span: Span, sources: &Sources) {
        let Some(source) = sources.get(span.source).filter(|_| !self.list.contains_key(&span.source)) else { return };
        let text = source.text();
        let (mut drawn, mut lines, mut byte, mut count) = (String::with_capacity(text.len()), Vec::new(), 0, 0);
        for line in text.split('\n') {
            let length = line.chars().count();
            let window = match length {
                0..=LONGEST_LINE => 0..length,
                _ => window(line, length, byte, span),
            };
            lines.push(Line { byte, drawn_from: count, window: window.clone() });
            let start = count;
            let cut = |side: bool| side.then_some(CUT);
            let shown = line.chars().skip(window.start).take(window.len()).map(visible);
            for c in cut(window.start > 0).into_iter().chain(shown).chain(cut(window.end < length)) {
                drawn.push(c);
                count += 1;
            }
            debug_assert!(count - start <= LONGEST_LINE + 2);
            byte += line.len() + 1;
            if byte <= text.len() {
                drawn.push('\n');
                count += 1;
            }
        }
        let view = View { name: source.name().to_owned(), source: ariadne::Source::from(drawn), lines };
        self.list.insert(span.source, (view, text.to_owned()));
    }

    /// Where a span of a source is drawn. A truncated part is drawn at the nearest edge.
    fn place(&self, span: Span) -> Place {
        let Some((view, text)) = self.list.get(&span.source) else { return (span.source, 0..0) };
        let start = view.character(text, span.start);
        let end = view.character(text, span.end.max(span.start)).max(start);
        (span.source, start..end)
    }
}

impl View {
    fn character(&self, text: &str, byte: usize) -> usize {
        let byte = char_floor(text, byte);
        let index = self.lines.partition_point(|line| line.byte <= byte).saturating_sub(1);
        let Some(line) = self.lines.get(index) else { return 0 };
        let column = text.get(line.byte..byte).map_or(0, |before| before.chars().count());
        let mark = usize::from(line.window.start > 0);
        line.drawn_from + mark + column.clamp(line.window.start, line.window.end) - line.window.start
    }
}

/// The drawn part of a long line that starts at a byte.
fn window(line: &str, length: usize, byte: usize, span: Span) -> std::ops::Range<usize> {
    let column = match span.start.checked_sub(byte) {
        Some(inside) if inside <= line.len() => line[..char_floor(line, inside)].chars().count(),
        _ => 0,
    };
    let start = column.saturating_sub(LEAD).min(length - LONGEST_LINE);
    start..start + LONGEST_LINE
}

/// A printable character of the same width, in characters.
fn visible(c: char) -> char {
    match c {
        '\t' => c,
        c if c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}') =>
        {
            ' '
        }
        '\u{2060}'..='\u{2069}' | '\u{FEFF}' => ' ',
        c => c,
    }
}

impl Cache<SourceId> for &mut Views {
    type Storage = String;

    fn fetch(&mut self, id: &SourceId) -> Result<&ariadne::Source<String>, impl std::fmt::Debug> {
        self.list.get(id).map(|(view, _)| &view.source).ok_or("unknown source")
    }

    fn display<'a>(&self, id: &'a SourceId) -> Option<impl std::fmt::Display + 'a> {
        self.list.get(id).map(|(view, _)| view.name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, spans: &[(usize, usize)]) -> String {
        let mut sources = Sources::new();
        let id = sources.add("a.mer", text);
        let mut diagnostic = Diagnostic::error("wrong").note("a note").help("some help");
        for (index, &(start, end)) in spans.iter().enumerate() {
            diagnostic = diagnostic.label(Span::new(id, start, end), format!("label {index}"));
        }
        for colour in [true, false] {
            let drawn = render(&diagnostic, &sources, colour);
            assert!(drawn.lines().all(|line| line == line.trim_end()) && drawn.contains("wrong"), "{drawn}");
            assert_eq!(drawn.contains('\u{1B}'), colour);
        }
        render(&diagnostic, &sources, false)
    }

    #[test]
    fn letters_of_many_bytes_do_not_shift_the_mark() {
        let text = "let σ中文 = 🙂é + bad # σ";
        let at = text.find("bad").unwrap();
        let expected = "\
Error: wrong
   ╭─[ a.mer:1:16 ]
   │
 1 │ let σ中文 = 🙂é + bad # σ
   │     ─┬───         ─┬─
   │      ╰───────────────── label 1
   │                    │
   │                    ╰─── label 0
   │
   │ Help: some help
   │
   │ Note: a note
───╯
";
        assert_eq!(shown(text, &[(at, at + 3), (4, 12)]).trim_end(), expected.trim_end());
    }

    #[test]
    fn places_are_named_for_a_screen_reader() {
        let mut sources = Sources::new();
        let id = sources.add("a.mer", "let x = 1\nbad + 1");
        let found =
            Diagnostic::error("wrong").label(Span::new(id, 10, 13), "this name").note("a note").help("some help");
        let expected =
            "Error: wrong\n  In a.mer, line 2, column 1, at `bad`: this name\n  Note: a note\n  Help: some help\n";
        assert_eq!(spoken(&found, &sources), expected);
    }

    #[test]
    fn any_span_can_be_drawn() {
        for text in ["", "\n", "σ", "a\nσ b\n\nc", "a\r\nb\tσ\r\n", "\u{2028}x\u{85}\u{1B}[31m", "🙂\n"] {
            for start in 0..text.len() + 3 {
                for end in start.saturating_sub(1)..text.len() + 3 {
                    shown(text, &[(start, end)]);
                    shown(text, &[(start, end), (0, text.len()), (1, 1)]);
                }
            }
        }
    }

    #[test]
    fn a_long_line_is_cut() {
        let text = format!("{}bad{}\nx", "σ".repeat(50_000), " y".repeat(50_000));
        let drawn = shown(&text, &[(100_000, 100_003), (0, 2), (text.len(), text.len())]);
        assert!(drawn.len() < 4_000 && drawn.contains("bad"), "{drawn}");
    }

    #[test]
    fn without_a_place() {
        let diagnostic = Diagnostic::warning("odd").note("a note").help("some help");
        assert_eq!(render(&diagnostic, &Sources::new(), false), "Warning: odd\n  Note: a note\n  Help: some help\n");
        let nowhere = Diagnostic::error("odd").label(Span::new(SourceId(9), 0, 1), "here");
        assert_eq!(render(&nowhere, &Sources::new(), false), "Error: odd\n");
    }
}
