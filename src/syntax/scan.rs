//! Text to tokens: words, numbers, strings, operators, brackets, comments and line breaks, each with its place.
//!
//! The grammar decides what is a program. Tokens are for code that also reads invalid text: where statements end, the
//! token at an error, comments in the formatter, colours at the prompt. Scanning cannot fail: text that is never valid
//! becomes a [`TokenKind::Alien`].

use pest::unicode::{XID_CONTINUE, XID_START};

use super::span::char_floor;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A name or a reserved word.
    Word,
    Number,
    Str,
    /// A string without a closing quote on its line.
    OpenStr,
    Op,
    Open,
    Close,
    Comma,
    Semicolon,
    Comment,
    /// One line break.
    Break,
    /// A sign, a number or a quoted text of another language.
    Alien,
}

/// A half-open range of bytes and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        &source[self.start..self.end]
    }

    /// Whether it is neither a comment nor a line break.
    pub fn is_code(&self) -> bool {
        !matches!(self.kind, TokenKind::Comment | TokenKind::Break)
    }
}

/// The words that cannot be names. The names of kernel families are also reserved, but this room does not have them.
pub const RESERVED: [&str; 15] =
    ["let", "fn", "import", "if", "then", "else", "for", "in", "and", "or", "not", "true", "false", "inf", "pi"];

/// Operators, the longest first.
pub const OPERATORS: [&str; 20] =
    ["..=", "|>", ">>", "->", "==", "!=", "<=", ">=", "..", "<", ">", "+", "-", "*", "/", "%", "^", "=", "~", "."];

/// Operators of other languages that are never valid, the longest first.
const ALIENS: [&str; 14] = ["%>%", "%%", "%=", "**", "&&", "||", "=>", ":=", "+=", "-=", "*=", "/=", "<>", "//"];

/// The distance in bytes within which the end of a text in foreign quotes is searched.
const LONGEST_QUOTE: usize = 500;

pub fn is_word_start(c: char) -> bool {
    c == '_' || XID_START(c)
}

/// A middle dot counts as a letter in Unicode, but in `a·b` it means a product.
pub fn is_word_char(c: char) -> bool {
    XID_CONTINUE(c) && !matches!(c, '\u{B7}' | '\u{387}')
}

pub fn scan(text: &str) -> Vec<Token> {
    let mut scanner = Scanner { text, at: 0 };
    let mut tokens = Vec::new();
    if text.starts_with('\u{FEFF}') {
        scanner.at = '\u{FEFF}'.len_utf8();
    }
    while let Some(token) = scanner.next_token() {
        tokens.push(token);
    }
    tokens
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn skip_while(&mut self, keep: impl Fn(char) -> bool) {
        while let Some(c) = self.peek().filter(|&c| keep(c)) {
            self.at += c.len_utf8();
        }
    }

    fn next_token(&mut self) -> Option<Token> {
        self.skip_while(|c| matches!(c, ' ' | '\t' | '\r' | '\x0B' | '\x0C'));
        let start = self.at;
        let first = self.peek()?;
        let kind = match first {
            '\n' => self.one(TokenKind::Break),
            '#' => {
                self.skip_while(|c| c != '\n');
                TokenKind::Comment
            }
            '(' | '[' => self.one(TokenKind::Open),
            ')' | ']' => self.one(TokenKind::Close),
            ',' => self.one(TokenKind::Comma),
            ';' => self.one(TokenKind::Semicolon),
            '"' => self.string(),
            '0'..='9' => self.number(),
            '.' if self.second().is_some_and(|c| c.is_ascii_digit()) => {
                self.at += 1;
                self.number();
                TokenKind::Alien
            }
            c if is_word_start(c) => {
                self.skip_while(is_word_char);
                TokenKind::Word
            }
            _ => self.sign(first),
        };
        Some(Token { kind, start, end: self.at })
    }

    /// Takes a character of one byte.
    fn one(&mut self, kind: TokenKind) -> TokenKind {
        self.at += 1;
        kind
    }

    fn string(&mut self) -> TokenKind {
        self.at += 1;
        while let Some(c) = self.peek().filter(|&c| c != '\n') {
            self.at += c.len_utf8();
            match c {
                '"' => return TokenKind::Str,
                '\\' => {
                    if let Some(escaped) = self.peek().filter(|&c| c != '\n') {
                        self.at += escaped.len_utf8();
                    }
                }
                _ => {}
            }
        }
        TokenKind::OpenStr
    }

    fn number(&mut self) -> TokenKind {
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        self.skip_while(|c| c.is_ascii_digit());
        if self.peek() == Some('.') && digit(self.second()) {
            self.at += 1;
            self.skip_while(|c| c.is_ascii_digit());
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            let signed = matches!(self.second(), Some('+' | '-'));
            let first = if signed { self.rest().chars().nth(2) } else { self.second() };
            if digit(first) {
                self.at += 1 + usize::from(signed);
                self.skip_while(|c| c.is_ascii_digit());
            }
        }
        match self.peek() {
            Some(c) if is_word_char(c) => {
                self.skip_while(is_word_char);
                TokenKind::Alien
            }
            Some('.') if self.second() != Some('.') => {
                self.at += 1;
                self.skip_while(|c| c.is_ascii_digit());
                TokenKind::Alien
            }
            _ => TokenKind::Number,
        }
    }

    fn sign(&mut self, first: char) -> TokenKind {
        if let Some(alien) = ALIENS.iter().find(|sign| self.rest().starts_with(**sign)) {
            self.at += alien.len();
            return TokenKind::Alien;
        }
        if let Some(operator) = OPERATORS.iter().find(|sign| self.rest().starts_with(**sign)) {
            self.at += operator.len();
            return TokenKind::Op;
        }
        self.at += first.len_utf8();
        let closing = match first {
            '\'' => '\'',
            '‘' | '’' => '’',
            '“' | '”' | '„' => '”',
            '«' => '»',
            _ => return TokenKind::Alien,
        };
        let near = &self.rest()[..char_floor(self.rest(), LONGEST_QUOTE)];
        let line = near.split('\n').next().unwrap_or("");
        if let Some(at) = line.find(closing) {
            self.at += at + closing.len_utf8();
        }
        TokenKind::Alien
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(TokenKind, &str)]) {
        let found: Vec<_> = scan(text).iter().map(|token| (token.kind, token.text(text))).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn numbers_words_and_ranges() {
        use TokenKind::*;
        check("0..4", &[(Number, "0"), (Op, ".."), (Number, "4")]);
        check("1e-3..=σ_1", &[(Number, "1e-3"), (Op, "..="), (Word, "σ_1")]);
        check("xs[0].lml", &[(Word, "xs"), (Open, "["), (Number, "0"), (Close, "]"), (Op, "."), (Word, "lml")]);
        check("x->-1", &[(Word, "x"), (Op, "->"), (Op, "-"), (Number, "1")]);
    }

    #[test]
    fn aliens() {
        use TokenKind::*;
        for text in
            ["1.", ".5", "2x", "1_000", "1.5.3", "1e", "**", "&&", "!", "'a b'", "“a”", "·", "\u{A0}", "%>%", "%%"]
        {
            check(text, &[(Alien, text)]);
        }
        check("a != b", &[(Word, "a"), (Op, "!="), (Word, "b")]);
    }

    #[test]
    fn strings_end_at_the_line() {
        use TokenKind::*;
        check(r#""a\"b" x"#, &[(Str, r#""a\"b""#), (Word, "x")]);
        check("\"ab\nc", &[(OpenStr, "\"ab"), (Break, "\n"), (Word, "c")]);
        check("\"ab\\\nc", &[(OpenStr, "\"ab\\"), (Break, "\n"), (Word, "c")]);
    }
}
