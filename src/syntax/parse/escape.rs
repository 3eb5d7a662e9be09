//! Escape sequences in strings.

/// The text of the inside of a string literal, or the position and length in bytes of an invalid escape.
pub(super) fn unescape(inner: &str) -> Result<String, (usize, usize)> {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let start = inner.len() - rest.len() + at;
        let escape = &rest[at + 1..];
        let Some(letter) = escape.chars().next() else { return Err((start, 1)) };
        let mut length = letter.len_utf8();
        match letter {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '"' | '\\' => out.push(letter),
            'u' => {
                let code = escape[1..].strip_prefix('{').and_then(|code| code.split_once('}')).map(|(code, _)| code);
                let code = code.filter(|code| code.len() <= 6 && code.chars().all(|c| c.is_ascii_hexdigit()));
                let character = code.and_then(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?));
                let (Some(code), Some(character)) = (code, character) else { return Err((start, 2)) };
                out.push(character);
                length += code.len() + 2;
            }
            _ => return Err((start, 1 + length)),
        }
        rest = &escape[length..];
    }
    out.push_str(rest);
    Ok(out)
}
