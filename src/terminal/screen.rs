//! The output of a session: results on stdout, everything else on stderr.

use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind, Write};
use std::process::exit;

use console::Term;
use mercer::figure::{Figure, to_text};
use mercer::lang::eval::host::Item;
use mercer::lang::values::json;
use mercer::lang::values::value::Value;
use mercer::render::{render, spoken, without_controls};
use mercer::syntax::diagnostic::{Diagnostic, Sources};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::capability;
use super::image::Protocol;
use super::matrix::in_short;
use super::pager;
use super::style::{self, Colour};

/// The largest width in columns of a figure drawn as text, unless a width is set.
const WIDEST: usize = 110;
/// The limits of its number of rows, within those of the terminal.
const LEAST_ROWS: usize = 14;
const MOST_ROWS: usize = 30;

/// The exit code if the reader of stdout has closed it: 128 plus the number of SIGPIPE.
const BROKEN_PIPE: i32 = 141;

/// The format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs: each value is a line on stdout, each diagnostic a line on stderr.
    Json,
}

/// Writes items to stdout and stderr.
#[derive(Debug)]
pub struct Screen {
    pub format: Format,
    pub colour: Colour,
    /// The width of figures in columns; that of the terminal if `None`.
    pub width: Option<usize>,
    /// Whether output that is longer than the screen goes through a pager.
    pub paged: bool,
    /// Whether figures are shown as images where the terminal can.
    pub images: bool,
    /// No colours, frames, drawings and progress, for screen readers.
    plain: bool,
    /// How the terminal shows images, once it is known.
    protocol: Cell<Option<Option<Protocol>>>,
    /// The keys that were pressed while the terminal was asked for it.
    typed: RefCell<String>,
    /// The last error that was shown.
    last_error: RefCell<Option<(Diagnostic, Sources)>>,
    stdout: Term,
    stderr: Term,
    /// Whether the last value had several lines; `None` before the first.
    last_tall: Option<bool>,
}

impl Screen {
    pub fn new(format: Format) -> Self {
        let (stdout, stderr) = (Term::stdout(), Term::stderr());
        Self {
            format,
            colour: Colour::Auto,
            width: None,
            paged: false,
            images: true,
            plain: false,
            protocol: Cell::new(None),
            typed: RefCell::default(),
            last_error: RefCell::new(None),
            stdout,
            stderr,
            last_tall: None,
        }
    }

    /// With `plain`, all output is text without colours, frames and drawings.
    pub fn plain(mut self, plain: bool) -> Self {
        if plain {
            (self.plain, self.colour, self.images) = (true, Colour::Off, false);
        }
        self
    }

    /// The last error that was shown, with the texts of its places.
    pub fn last_error(&self) -> Option<(Diagnostic, Sources)> {
        self.last_error.borrow().clone()
    }

    /// Whether a progress bar is visible.
    pub fn has_meter(&self) -> bool {
        self.format == Format::Text && !self.plain && self.stderr.is_term() && !console::is_dumb()
    }

    /// Whether results are in colour.
    pub fn is_coloured(&self) -> bool {
        self.colour.on(&self.stdout)
    }

    /// The width of lines in columns; `None` if it is unlimited, as in a file.
    pub fn columns(&self) -> Option<usize> {
        self.width.or_else(|| self.stdout.is_term().then(|| style::size(&self.stdout).0))
    }

    pub fn item(&mut self, item: &Item, sources: &Sources) {
        match (item, self.format) {
            (Item::Diagnostic(diagnostic), _) => self.diagnostic(diagnostic, sources),
            (Item::Shown(value), Format::Text) => self.value(value),
            (Item::Shown(value), Format::Json) => self.line(&json::tagged(value).to_string()),
            (Item::Text(text), Format::Text) => self.line(&without_controls(text)),
            (Item::Text(text), Format::Json) => self.line(&json!({ "kind": "Text", "value": text }).to_string()),
            (Item::Wrote(path), Format::Text) => self.remark(&without_controls(&format!("wrote {}", path.display()))),
            (Item::Wrote(path), Format::Json) => {
                self.diagnostic(&Diagnostic::remark(format!("wrote `{}`", path.display())), sources);
            }
        }
    }

    /// Shows the value of a statement. Values of several lines are separated by blank lines.
    fn value(&mut self, value: &Value) {
        let text = match value {
            Value::Figure(figure) if self.stdout.is_term() && !self.plain => self.drawn(figure),
            value => {
                let markup = value.markup();
                let columns = self.columns().filter(|_| self.stdout.is_term());
                // A screen reader reads a broken cell as several.
                let text = match columns.filter(|_| !self.plain) {
                    Some(columns) => markup.within(columns),
                    None => markup.to_string(),
                };
                let text = without_controls(&text).into_owned();
                columns.and_then(|columns| in_short(value, &text, columns)).unwrap_or(text)
            }
        };
        let text = text.trim_end_matches('\n');
        let tall = text.contains('\n');
        if self.last_tall.is_some_and(|last| last || tall) {
            self.line("");
        }
        self.text(text);
        self.last_tall = Some(tall);
    }

    /// Text of a manual, with long lines broken between words at the width of the terminal.
    pub fn prose(&mut self, text: &str) {
        match self.columns() {
            Some(columns) => self.text(&wrapped(text, columns)),
            None => self.text(text),
        }
    }

    /// Results of several lines, through a pager if they are longer than the screen.
    pub fn text(&mut self, text: &str) {
        let (_, rows) = style::size(&self.stdout);
        let long = self.paged && !self.plain && self.stdout.is_term() && text.lines().count() >= rows;
        if !long || !pager::show(text) {
            self.line(text);
        }
    }

    /// A figure as an image, or as text with the size of the terminal.
    fn drawn(&self, figure: &Figure) -> String {
        let protocol = if self.images { self.protocol() } else { None };
        if let Some(image) = protocol.and_then(|protocol| protocol.image(figure, capability::pixels())) {
            return image;
        }
        let (columns, rows) = style::size(&self.stdout);
        let width = self.width.unwrap_or_else(|| columns.min(WIDEST));
        let height = rows.saturating_sub(2).clamp(LEAST_ROWS, MOST_ROWS);
        to_text(figure, width, height, self.is_coloured())
    }

    /// How the terminal shows images. One that does not name itself is asked, once.
    fn protocol(&self) -> Option<Protocol> {
        if let Some(known) = self.protocol.get() {
            return known;
        }
        let named = Protocol::named();
        let answer = if named.is_none() { capability::ask() } else { capability::Answer::default() };
        self.typed.borrow_mut().push_str(&answer.typed);
        let asked = answer.sixels.map(|sixels| sixels.then_some(Protocol::Sixel));
        self.protocol.set(named.map(Some).or(asked));
        named.or(asked.flatten())
    }

    /// The keys that were pressed while the terminal was asked; they belong to the next line.
    pub fn take_typed(&self) -> String {
        self.typed.take()
    }

    /// The next value is not separated by a blank line.
    pub fn forget_last(&mut self) {
        self.last_tall = None;
    }

    /// A line of results. If the reader has closed stdout (`| head`), the program ends without a message, as with the
    /// signal; the remaining statements do not run.
    pub fn line(&mut self, text: &str) {
        let spoken = self.plain.then(|| without_rules(text));
        let text = spoken.as_deref().unwrap_or(text);
        let mut out = io::stdout().lock();
        let written = writeln!(out, "{text}").and_then(|()| out.flush());
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => exit(BROKEN_PIPE),
            Err(error) => {
                complain(&format!("cannot write to stdout: {error}"));
                exit(1);
            }
        }
    }

    /// A line that is not a result.
    pub fn remark(&self, text: &str) {
        complain(text);
    }

    pub fn diagnostic(&self, diagnostic: &Diagnostic, sources: &Sources) {
        if diagnostic.is_error() {
            self.last_error.replace(Some((diagnostic.clone(), sources.clone())));
        }
        match self.format {
            Format::Text if self.plain => complain(spoken(diagnostic, sources).trim_end()),
            Format::Text => complain(render(diagnostic, sources, self.colour.on(&self.stderr)).trim_end()),
            Format::Json => complain(&diagnostic.to_json(sources).to_string()),
        }
    }

    /// An error without a place in a text.
    pub fn error(&self, message: impl Into<String>) {
        self.diagnostic(&Diagnostic::error(message), &Sources::new());
    }
}

/// A text without the lines below the headings of tables.
fn without_rules(text: &str) -> String {
    let is_rule = |line: &&str| !line.is_empty() && line.chars().all(|c| c == '─');
    text.split('\n').filter(|line| !is_rule(line)).collect::<Vec<_>>().join("\n")
}

/// A line on stderr; ignored if stderr is closed.
fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
/// The text with long lines broken between words. What goes on stands below the text that it goes on from: after the last gap
/// between columns of a line.
fn wrapped(text: &str, columns: usize) -> String {
    let line = |line: &str| -> String {
        if line.width() <= columns {
            return line.to_string();
        }
        let leading = line.len() - line.trim_start().len();
        let gap = line.get(leading..).and_then(|rest| rest.rfind("  ")).map_or(leading, |at| leading + at + 2);
        // a narrow column of text would be harder to read than one that begins at the left
        let hang = if gap <= columns / 2 { gap } else { leading.min(columns / 2) };
        let indent = " ".repeat(hang);
        let options = textwrap::Options::new(columns).subsequent_indent(&indent).break_words(false);
        textwrap::wrap(line, options).join("\n")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
