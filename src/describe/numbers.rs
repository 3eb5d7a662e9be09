//! Rounded numbers.

/// No number has more digits.
pub const MOST_DIGITS: usize = 15;

/// A number with this number of significant digits; whole numbers below a million are shown in full.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs();
    if value.fract() == 0.0 && magnitude < 1e6 {
        return format!("{value:.0}");
    }
    let whole = magnitude.log10().floor() as i32 + 1;
    // a large number is written out where its digits reach below the point
    if magnitude < 1e-4 || (magnitude >= 1e7 && digits as i32 <= whole) {
        let text = format!("{value:.*e}", digits.saturating_sub(1));
        return match text.split_once('e') {
            Some((mantissa, exponent)) if mantissa.contains('.') => {
                format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
            }
            _ => text,
        };
    }
    let decimals = (digits as i32 - whole).max(0) as usize;
    format!("{value:.decimals$}")
}

/// The number of digits of a value as far as the second digit of its error; `None` without an error.
pub fn digits_beside(value: f64, error: f64) -> Option<usize> {
    let known = error.is_finite() && error > 0.0 && value.is_finite() && value != 0.0;
    let power = |x: f64| x.abs().log10().floor() as i32;
    known.then(|| (power(value) - power(error) + 2).clamp(1, MOST_DIGITS as i32) as usize)
}

/// Four significant digits.
pub fn rounded(value: f64) -> String {
    significant(value, 4)
}

/// The source form of a model with numbers of at most four significant digits, for a title.
pub fn rounded_source(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    let digit = |c: char| c.is_ascii_digit();
    while let Some(at) = rest.find(digit) {
        let in_name =
            rest[..at].chars().next_back().or_else(|| out.chars().next_back()).is_some_and(char::is_alphabetic);
        let length = rest[at..].find(|c: char| !digit(c) && c != '.').unwrap_or(rest.len() - at);
        let number = &rest[at..at + length];
        let short = Some(number).filter(|number| !in_name && number.len() > 6 && !rest[at + length..].starts_with('e'));
        let short = short.and_then(|number| number.parse().ok()).map(rounded);
        out += &rest[..at];
        out += short.as_deref().unwrap_or(number);
        rest = &rest[at + length..];
    }
    out + rest
}

/// A share as percent with one decimal.
pub fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1} %", 100.0 * share) } else { "–".into() }
}

/// A number of rows in words.
pub fn row_count(n: usize) -> String {
    if n == 1 { "1 row".to_string() } else { format!("{n} rows") }
}

/// A count with thousands separators: `10,000,000`.
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of bytes.
pub fn bytes(n: u64) -> String {
    let gib = n as f64 / f64::from(1 << 30);
    if gib >= 1.0 { format!("{gib:.1} GB") } else { format!("{:.0} MB", gib * 1024.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_few_and_enough() {
        let all = [0.0, 1.0, -555.4021, 0.012_345_6, 1e-7, 123_456.0, 3.2e9, 0.999_96, 1_949.083_3, f64::NAN];
        let shown: Vec<String> = all.iter().map(|&v| rounded(v)).collect();
        assert_eq!(
            shown,
            ["0", "1", "-555.4", "0.01235", "1e-7", "123456", "3.2e9", "1.0000", "1949", "NaN"].map(String::from)
        );
        assert_eq!(percent(0.4567), "45.7 %");
    }

    #[test]
    fn digits_reach_to_the_second_one_of_the_error() {
        let shown = |value, error| significant(value, digits_beside(value, error).unwrap());
        assert_eq!(shown(1_000_000_000.123_4, 0.226), "1000000000.12");
        assert_eq!(shown(1e9, 0.226), "1000000000.00");
        assert_eq!(shown(12_345_678.9, 412.0), "1.234568e7");
        assert_eq!((shown(998.1, 0.05), shown(1003.2, 0.05)), ("998.100".into(), "1003.200".into()));
        assert_eq!(shown(1.5, 1e-300), "1.50000000000000");
        assert_eq!(
            (digits_beside(0.0, 1.0), digits_beside(1.0, 0.0), digits_beside(1.0, f64::NAN)),
            (None, None, None)
        );
    }

    #[test]
    fn sources_keep_their_names_and_short_numbers() {
        let text = "deepgp(layers=10, kernel=[SE(x12345678, l=2.8284271247461903, v=1), SE(l=1.25)])";
        assert_eq!(rounded_source(text), "deepgp(layers=10, kernel=[SE(x12345678, l=2.828, v=1), SE(l=1.25)])");
        assert_eq!(rounded_source("SE(l=1.234567891e-5)"), "SE(l=1.234567891e-5)");
    }
}
