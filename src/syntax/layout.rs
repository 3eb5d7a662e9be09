//! Determines which line breaks end a statement, and which brackets match.
//!
//! The grammar does not depend on lines. This pass divides a text into statements, and replaces comments and the line
//! breaks that end no statement by spaces of the same byte length, so that spans of the parser are those of the text.
//! Brackets are matched here, because only here can a missing closing bracket be distinguished from the text after it.

use std::ops::Range;

use super::diagnostic::Diagnostic;
use super::scan::{Token, TokenKind, scan};
use super::span::{SourceId, Span};

/// The largest depth of nested brackets and branches of `if`.
pub const MAX_NESTING: usize = 200;

/// A statement: its bytes, its tokens, and errors in its brackets and strings.
#[derive(Debug)]
pub struct Piece {
    /// From the start of its first token to the end of its last.
    pub bytes: Range<usize>,
    /// Indices into [`Layout::tokens`], including comments and line breaks inside the statement.
    pub tokens: Range<usize>,
    /// Its depth of nesting.
    pub depth: usize,
    pub fault: Option<Diagnostic>,
}

/// A text divided into statements.
#[derive(Debug)]
pub struct Layout {
    /// The text with comments and all line breaks replaced by spaces, of the same length.
    pub text: String,
    pub tokens: Vec<Token>,
    pub pieces: Vec<Piece>,
    /// Whether the text is incomplete.
    unfinished: bool,
}

/// Whether a text typed at a prompt continues in the next line: a bracket is open, or it ends in an operator or in `,`
/// `=` `->` `then` `else`. A text with an error is not incomplete.
pub fn is_incomplete(text: &str) -> bool {
    let layout = lay_out(text, SourceId::default());
    let alien = layout.tokens.iter().any(|token| matches!(token.kind, TokenKind::Alien | TokenKind::OpenStr));
    layout.unfinished && !alien
}

/// The start of the statement that contains a byte or ends before it.
pub fn statement_start(text: &str, byte: usize) -> usize {
    let pieces = lay_out(text, SourceId::default()).pieces;
    pieces.iter().rev().find(|piece| piece.bytes.start <= byte).map_or(0, |piece| piece.bytes.start)
}

pub fn lay_out(text: &str, source: SourceId) -> Layout {
    let tokens = scan(text);
    let mut pass = Pass { text, source, tokens: &tokens, pieces: Vec::new(), unfinished: false, open: None };
    pass.run();
    let Pass { pieces, unfinished, .. } = pass;
    Layout { text: blank(text, &tokens), tokens, pieces, unfinished }
}

/// Replaces everything but code by spaces.
fn blank(text: &str, tokens: &[Token]) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens.iter().filter(|token| token.is_code()) {
        out.extend(std::iter::repeat_n(' ', token.start - out.len()));
        out.push_str(token.text(text));
    }
    out.extend(std::iter::repeat_n(' ', text.len() - out.len()));
    out
}

/// Whether a line that ends with this token continues in the next.
fn goes_on(token: &Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Comma => true,
        TokenKind::Op => token.text(text) != ".",
        TokenKind::Word => matches!(token.text(text), "and" | "or" | "then" | "else"),
        _ => false,
    }
}

/// Whether a line that starts with this token continues the one before.
fn joins(token: &Token, text: &str) -> bool {
    let text = token.text(text);
    matches!(text, "|>" | ">>" | "+" | "*" | "/" | "%" | "^" | "and" | "or" | "then" | "else")
        // A sign that is not valid, but certainly means a binary operator.
        || matches!(text, "**" | "×" | "·" | "&&" | "||")
}

/// An open bracket, and the number of `if` in it without `else`.
struct Bracket {
    token: Token,
    ifs: usize,
}

/// The statement being scanned.
struct Open {
    first: usize,
    last: usize,
    brackets: Vec<Bracket>,
    ifs: usize,
    waiting: usize,
    depth: usize,
    fault: Option<Diagnostic>,
}

struct Pass<'a> {
    text: &'a str,
    source: SourceId,
    tokens: &'a [Token],
    pieces: Vec<Piece>,
    unfinished: bool,
    open: Option<Open>,
}

impl Pass<'_> {
    fn run(&mut self) {
        let mut next_code = vec![None; self.tokens.len()];
        let mut next = None;
        for (index, token) in self.tokens.iter().enumerate().rev() {
            next_code[index] = next;
            if token.is_code() {
                next = Some(index);
            }
        }
        for (index, after) in next_code.iter().enumerate() {
            let token = self.tokens[index];
            match token.kind {
                TokenKind::Comment => {}
                TokenKind::Break => {
                    let ends = self.open.as_ref().is_some_and(|open| {
                        open.brackets.is_empty()
                            && !goes_on(&self.tokens[open.last], self.text)
                            && !after.is_some_and(|at| joins(&self.tokens[at], self.text))
                    });
                    if ends {
                        self.finish();
                    }
                }
                TokenKind::Semicolon if self.open.as_ref().is_none_or(|open| open.brackets.is_empty()) => self.finish(),
                _ => {
                    if self.begins_statement(index) {
                        self.finish();
                    }
                    self.take(index);
                }
            }
        }
        self.unfinished = self.open.as_ref().is_some_and(|open| {
            let broken_off = !open.brackets.is_empty() || goes_on(&self.tokens[open.last], self.text);
            broken_off && open.fault.is_none()
        });
        self.finish();
    }

    /// Whether a token is `let`, `fn` or `import` at the start of a line. These cannot be in a bracket, so the closing
    /// bracket is missing, and the following text is read as if it were closed.
    fn begins_statement(&self, index: usize) -> bool {
        let token = self.tokens[index];
        let opens_line = index > 0 && self.tokens[index - 1].kind == TokenKind::Break;
        opens_line
            && token.kind == TokenKind::Word
            && matches!(token.text(self.text), "let" | "fn" | "import")
            && self.open.as_ref().is_some_and(|open| !open.brackets.is_empty())
    }

    fn span(&self, token: Token) -> Span {
        Span::new(self.source, token.start, token.end)
    }

    fn take(&mut self, index: usize) {
        let token = self.tokens[index];
        let (text, span) = (self.text, self.span(token));
        let open = self.open.get_or_insert_with(|| Open {
            first: index,
            last: index,
            brackets: Vec::new(),
            ifs: 0,
            waiting: 0,
            depth: 0,
            fault: None,
        });
        open.last = index;
        match token.kind {
            TokenKind::Open => open.brackets.push(Bracket { token, ifs: 0 }),
            TokenKind::Close => {
                if let Err(fault) = open.close(token, text, self.source) {
                    open.fault.get_or_insert(fault);
                }
            }
            TokenKind::OpenStr => {
                open.fault.get_or_insert_with(|| {
                    Diagnostic::error("this string is never closed")
                        .label(span, "expected `\"` before the end of the line")
                        .maybe_help(token.text(text).ends_with("\\\"").then_some(
                            "`\\\"` is a quote inside the string; write `\\\\` for a backslash before the closing quote",
                        ))
                });
            }
            TokenKind::Word => match token.text(text) {
                "if" => open.count_if(true),
                "else" => open.count_if(false),
                _ => {}
            },
            _ => {}
        }
        let depth = open.brackets.len() + open.waiting;
        open.depth = open.depth.max(depth);
        if depth > MAX_NESTING {
            open.fault.get_or_insert_with(|| too_deep(span));
        }
    }

    fn finish(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        if let (Some(bracket), None) = (open.brackets.last(), &open.fault) {
            open.fault = Some(unclosed(bracket.token, self.text, self.source));
        }
        let bytes = self.tokens[open.first].start..self.tokens[open.last].end;
        self.pieces.push(Piece { bytes, tokens: open.first..open.last + 1, depth: open.depth, fault: open.fault });
    }
}

impl Open {
    fn count_if(&mut self, opens: bool) {
        let here = self.brackets.last_mut().map_or(&mut self.ifs, |bracket| &mut bracket.ifs);
        if opens {
            *here += 1;
            self.waiting += 1;
        } else if *here > 0 {
            *here -= 1;
            self.waiting -= 1;
        }
    }

    fn close(&mut self, token: Token, text: &str, source: SourceId) -> Result<(), Diagnostic> {
        let found = token.text(text);
        let span = Span::new(source, token.start, token.end);
        let Some(bracket) = self.brackets.pop() else {
            return Err(
                Diagnostic::error(format!("`{found}` has no opening bracket")).label(span, "no bracket is open here")
            );
        };
        self.waiting -= bracket.ifs;
        let opened = bracket.token.text(text);
        let expected = closing(opened);
        if expected == found {
            return Ok(());
        }
        // `f([1, 2)`: the outer bracket is closed, so the inner one lacks its closing bracket.
        let outer = self.brackets.last().is_some_and(|outer| closing(outer.token.text(text)) == found);
        let opened_at = Span::new(source, bracket.token.start, bracket.token.end);
        if outer {
            if let Some(outer) = self.brackets.pop() {
                self.waiting -= outer.ifs;
            }
            return Err(unclosed(bracket.token, text, source).label(span, format!("expected `{expected}` before this")));
        }
        Err(Diagnostic::error(format!("expected `{expected}`, found `{found}`"))
            .label(span, format!("this does not close `{opened}`"))
            .label(opened_at, "opened here"))
    }
}

fn closing(opened: &str) -> &'static str {
    if opened == "(" { ")" } else { "]" }
}

fn unclosed(bracket: Token, text: &str, source: SourceId) -> Diagnostic {
    let opened = bracket.text(text);
    Diagnostic::error(format!("unclosed bracket `{opened}`"))
        .label(Span::new(source, bracket.start, bracket.end), format!("expected a `{}` for this", closing(opened)))
}

/// The message for text that is nested too deeply.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error("this is nested too deeply")
        .label(span, "too deep from here")
        .help("give inner parts names with `let`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let layout = lay_out(text, SourceId::default());
        assert_eq!(layout.text.len(), text.len());
        let squeeze = |piece: &Piece| {
            layout.text[piece.bytes.clone()].split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
        };
        layout.pieces.iter().map(squeeze).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(pieces(text), expected);
    }

    #[test]
    fn lines_that_go_on() {
        check("a +\n\n # c\n b\nc", &["a + b", "c"]);
        check("let x =\n 1\n", &["let x = 1"]);
        check("let a,\nb = 1,\n2", &["let a, b = 1, 2"]);
        check("x ->\ny", &["x -> y"]);
        check("f(1,\n2\n)\ng", &["f(1, 2 )", "g"]);
        check("if a then\nb else\nc", &["if a then b else c"]);
    }

    #[test]
    fn lines_that_join() {
        check(
            "a # c\n\n# d\n|> b\n>> c\n+ d\n* e\n/ f\n% i\n^ g\nand h\nor i",
            &["a |> b >> c + d * e / f % i ^ g and h or i"],
        );
        check("if a\nthen b\nelse c", &["if a then b else c"]);
        check("a\n- b", &["a", "- b"]);
        check("a; b;;\nc", &["a", "b", "c"]);
        check("a\n== b", &["a", "== b"]);
    }

    #[test]
    fn places_survive_comments_of_many_bytes() {
        let text = "# 中文\nσ +\n# é\nx";
        let layout = lay_out(text, SourceId::default());
        assert_eq!(layout.text.find('x'), text.find('x'));
    }

    #[track_caller]
    fn check_fault(text: &str, start: usize, message: &str) {
        let layout = lay_out(text, SourceId::default());
        let fault = layout.pieces.iter().find_map(|piece| piece.fault.as_ref()).expect("a fault");
        assert_eq!((fault.labels[0].span.start, fault.message.as_str()), (start, message), "{text}");
    }

    #[test]
    fn brackets() {
        check_fault("f(1, [2, 3)", 5, "unclosed bracket `[`");
        check_fault("f(1, 2", 1, "unclosed bracket `(`");
        check_fault("a)", 1, "`)` has no opening bracket");
        check_fault("f(1]", 3, "expected `)`, found `]`");
        check_fault("f(\nlet x = 1", 1, "unclosed bracket `(`");
        check("f(\nlet x = 1", &["f(", "let x = 1"]);
    }

    #[test]
    fn incomplete_input() {
        for text in ["f(", "a +", "let x =", "x ->", "if a then", "if a then b else", "a,", "f([1", "a |>", "a + # c"] {
            assert!(is_incomplete(text), "{text}");
        }
        for text in ["", "a", "f()", "\"abc", "f(\"abc", "a)", "f(]", "a +;"] {
            assert!(!is_incomplete(text), "{text}");
        }
    }
}
