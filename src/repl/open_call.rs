//! The call in which a text ends.

use mercer::syntax::scan::{TokenKind, scan};

/// The name before the innermost open bracket of a text.
pub fn open_call(text: &str) -> Option<&str> {
    let tokens = scan(text);
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open => open.push(index),
            TokenKind::Close => drop(open.pop()),
            _ => {}
        }
    }
    open.into_iter().rev().find_map(|index| {
        let before = tokens.get(index.checked_sub(1)?)?;
        let calls =
            tokens[index].text(text) == "(" && before.kind == TokenKind::Word && before.end == tokens[index].start;
        calls.then(|| before.text(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_call_is_found() {
        assert_eq!(open_call("fit(air, SE("), Some("SE"));
        assert_eq!(open_call("fit(air, SE(0)"), Some("fit"));
        assert_eq!(open_call("fit([1, (2"), Some("fit"));
        assert_eq!(open_call("fit(\")\", x"), Some("fit"));
        assert_eq!(open_call("fit(1)"), None);
    }
}
