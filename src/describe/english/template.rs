//! Templates of texts.

/// Fills the placeholders of a template, as described at [`Wording`](crate::kernel::Wording). `None` if a value outside
/// of brackets is unknown.
pub fn fill(template: &str, value: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '[']) {
        out.push_str(&rest[..at]);
        let open = &rest[at..];
        let close = if open.starts_with('{') { '}' } else { ']' };
        let end = open.find(close)?;
        let inside = &open[1..end];
        if close == '}' {
            out.push_str(&value(inside)?);
        } else {
            out.push_str(&inside.split('|').find_map(|one| fill(one, value)).unwrap_or_default());
        }
        rest = &open[end + 1..];
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn unknown_values_take_their_brackets_along() {
        let value = |name: &str| (name == "x").then(|| "year".to_string());
        assert_eq!(fill("of {x}[ over {l}]", &value).as_deref(), Some("of year"));
        assert_eq!(fill("a [near {at}|along {x}] b", &value).as_deref(), Some("a along year b"));
        assert_eq!(fill("a [from {lo}|near {at}|along {x}] b", &value).as_deref(), Some("a along year b"));
        assert_eq!(fill("over {l}", &value), None);
        assert_eq!(fill("plain", &value).as_deref(), Some("plain"));
    }
}
