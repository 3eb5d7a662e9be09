//! Syntax highlighting of the typed line.

use mercer::lang::registry;
use mercer::syntax::scan::{RESERVED, Token, TokenKind, scan};

use crate::terminal::paint;

const KEYWORD: &str = "1;34";
const FAMILY: &str = "36";
const BUILTIN: &str = "34";
const NUMBER: &str = "35";
const STRING: &str = "32";
const COMMENT: &str = "2";
const WRONG: &str = "31";
const MATCHED: &str = "1;4";

/// A text in colours, with the same width. The bracket at or before `cursor` and its partner are highlighted.
pub fn coloured(text: &str, cursor: Option<usize>) -> String {
    let tokens = scan(text);
    let pair = cursor.and_then(|cursor| matching(&tokens, cursor));
    let mut out = String::with_capacity(text.len() * 2);
    let mut at = 0;
    for (index, token) in tokens.iter().enumerate() {
        let matched = pair.is_some_and(|(open, close)| index == open || index == close);
        let style = if matched { MATCHED } else { style(token, text) };
        out.push_str(&text[at..token.start]);
        out.push_str(&paint(token.text(text), style, !style.is_empty()));
        at = token.end;
    }
    out.push_str(&text[at..]);
    out
}

fn style(token: &Token, text: &str) -> &'static str {
    match token.kind {
        TokenKind::Word => {
            let word = token.text(text);
            match registry::find(word) {
                _ if RESERVED.contains(&word) => KEYWORD,
                Some(entry) if entry.is_family() => FAMILY,
                Some(_) => BUILTIN,
                None => "",
            }
        }
        TokenKind::Number => NUMBER,
        TokenKind::Str | TokenKind::OpenStr => STRING,
        TokenKind::Comment => COMMENT,
        TokenKind::Alien => WRONG,
        TokenKind::Op
        | TokenKind::Open
        | TokenKind::Close
        | TokenKind::Comma
        | TokenKind::Semicolon
        | TokenKind::Break => "",
    }
}

/// A pair of brackets, one of which is at the cursor or directly before it.
fn matching(tokens: &[Token], cursor: usize) -> Option<(usize, usize)> {
    let touches = |index: usize| tokens[index].start == cursor || tokens[index].end == cursor;
    let mut open = Vec::new();
    let mut found = None;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open => open.push(index),
            TokenKind::Close => {
                // A bracket at the cursor has precedence over one before it.
                let pair =
                    open.pop().map(|start| (start, index)).filter(|(start, _)| touches(*start) || touches(index));
                if let Some(pair) = pair {
                    let under = tokens[pair.0].start == cursor || tokens[pair.1].start == cursor;
                    if under || found.is_none() {
                        found = Some(pair);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, cursor: Option<usize>, expected: &str) {
        let drawn = coloured(text, cursor).replace("\u{1B}[0m", ">").replace("\u{1B}[", "<");
        assert_eq!(drawn, expected);
    }

    #[test]
    fn words_have_their_colours() {
        check("let σ = SE(0)", None, "<1;34mlet> σ = <36mSE>(<35m0>)");
        check("len(\"é\") # é", None, "<34mlen>(<32m\"é\">) <2m# é>");
        check("a && \"b", None, "a <31m&&> <32m\"b>");
        check("", Some(0), "");
    }

    #[test]
    fn brackets_show_what_they_belong_to() {
        check("f(x)", Some(4), "f<1;4m(>x<1;4m)>");
        check("f(x)", Some(1), "f<1;4m(>x<1;4m)>");
        check("((x))", Some(4), "<1;4m(>(x)<1;4m)>");
        check("f(x", Some(1), "f(x");
        check("x)", Some(2), "x)");
    }
}
