//! Units after names: `concentration (mg/L)`, `temp [°C]`.

/// Units that are known by name; prefixes may precede the symbols.
const SYMBOLS: &[&str] = &[
    "m", "g", "s", "A", "K", "mol", "cd", "Hz", "N", "Pa", "J", "W", "C", "V", "F", "S", "T", "H", "lm", "lx", "Bq",
    "Gy", "Sv", "L", "l", "bar", "eV", "Wh", "B", "b", "cal", "VA", "Ω", "ohm", "t", "M", "D", "h", "a", "ha", "yr",
    "at", "u",
];

const WORDS: &[&str] = &[
    "%",
    "‰",
    "°",
    "deg",
    "degree",
    "degrees",
    "degC",
    "degF",
    "degK",
    "F",
    "rad",
    "ppm",
    "ppb",
    "ppt",
    "ppmv",
    "ppbv",
    "psu",
    "pH",
    "dB",
    "dBm",
    "rpm",
    "rev",
    "min",
    "mins",
    "minute",
    "minutes",
    "hr",
    "hrs",
    "hour",
    "hours",
    "sec",
    "secs",
    "second",
    "seconds",
    "d",
    "day",
    "days",
    "wk",
    "week",
    "weeks",
    "mo",
    "month",
    "months",
    "y",
    "year",
    "years",
    "inch",
    "inches",
    "in",
    "ft",
    "foot",
    "feet",
    "yd",
    "mi",
    "mile",
    "miles",
    "mph",
    "kn",
    "knots",
    "kph",
    "lb",
    "lbs",
    "oz",
    "gal",
    "psi",
    "atm",
    "mmHg",
    "Torr",
    "torr",
    "meter",
    "meters",
    "metre",
    "metres",
    "litre",
    "litres",
    "liter",
    "liters",
    "gram",
    "grams",
    "ton",
    "tons",
    "tonnes",
    "thousand",
    "thousands",
    "million",
    "millions",
    "billion",
    "USD",
    "EUR",
    "GBP",
    "$",
    "€",
    "£",
    "count",
    "counts",
    "Celsius",
    "Fahrenheit",
    "Kelvin",
    "DU",
    "NTU",
    "FNU",
    "cfs",
    "Å",
    "mH2O",
    "dimensionless",
    "unitless",
    "persons",
    "people",
    "percent",
];

const PREFIXES: &[&str] = &["", "k", "M", "G", "T", "m", "µ", "μ", "u", "n", "p", "f", "h", "d", "c", "da"];

/// Whether a text is a unit: products and quotients of symbols with prefixes and powers.
pub(super) fn is_unit(text: &str) -> bool {
    if text.is_empty() || text.chars().count() > 24 {
        return false;
    }
    let mut any = false;
    for part in text.split(['/', '·', '*', ' ', '.', '(', ')']).map(str::trim).filter(|part| !part.is_empty()) {
        if !is_part(part) {
            return false;
        }
        any |= part.parse::<f64>().is_err();
    }
    any
}

/// One symbol with a power, or a number such as the 100 of `1/100 km`.
fn is_part(part: &str) -> bool {
    if part.parse::<f64>().is_ok() {
        return true;
    }
    let power = |c: char| c.is_ascii_digit() || "^-−⁻⁰¹²³⁴⁵⁶⁷⁸⁹+".contains(c);
    let bare = part.trim_end_matches(power);
    let degree =
        bare.strip_prefix(['°', 'º']).is_some_and(|rest| matches!(rest, "" | "C" | "F" | "K" | "N" | "E" | "S" | "W"));
    let symbol = || PREFIXES.iter().any(|prefix| bare.strip_prefix(prefix).is_some_and(|rest| SYMBOLS.contains(&rest)));
    !bare.is_empty() && (degree || WORDS.contains(&bare) || symbol())
}

/// Whether the whole text is in brackets.
pub(super) fn is_bracketed(text: &str) -> bool {
    bare(text) != text.trim()
}

/// A text without its outer brackets.
pub(super) fn bare(text: &str) -> &str {
    let text = text.trim();
    let pairs = [("[", "]"), ("(", ")")];
    let inner = pairs.iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    inner.filter(|inner| !inner.contains(['[', ']', '(', ')'])).map_or(text, str::trim)
}

/// The unit in brackets at the end of a column's name; `None` if it is not a unit.
pub fn in_name(name: &str) -> Option<&str> {
    let (base, unit) = split(name)?;
    // `CO(GT)` has no unit: without a blank before the brackets, letters are not enough evidence
    let apart = name.ends_with(']') || name[base.len()..].starts_with([' ', '_']);
    let plain = unit.chars().any(|c| !c.is_ascii_alphabetic()) || unit.chars().all(char::is_lowercase);
    (!base.is_empty() && is_unit(unit) && (apart || plain)).then_some(unit)
}

/// The name before the brackets at its end, by which a user may call the column.
pub fn base(name: &str) -> Option<&str> {
    split(name).map(|(base, _)| base).filter(|base| !base.is_empty())
}

fn split(name: &str) -> Option<(&str, &str)> {
    let name = name.trim_end();
    let (open, inner) = match name.chars().last()? {
        ')' => ('(', name.strip_suffix(')')?),
        ']' => ('[', name.strip_suffix(']')?),
        _ => return None,
    };
    // brackets may be nested, as in `flux (W/(m K))`
    let close = name.chars().last()?;
    let mut depth = 1;
    let at = inner.char_indices().rev().find_map(|(i, c)| {
        depth += i32::from(c == close) - i32::from(c == open);
        (depth == 0).then_some(i)
    })?;
    Some((inner[..at].trim_end_matches([' ', '_']), inner[at + 1..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_from_names() {
        for (name, unit) in [
            ("concentration (mg/L)", Some("mg/L")),
            ("temp [°C]", Some("°C")),
            ("flux (W m-2)", Some("W m-2")),
            ("flux (W/(m K))", Some("W/(m K)")),
            ("speed_(km/h)", Some("km/h")),
            ("share (%)", Some("%")),
            ("age (years)", Some("years")),
            ("PM2.5 (µg/m³)", Some("µg/m³")),
            ("mass(kg)", Some("kg")),
            ("CO(GT)", None),
            ("score (mean)", None),
            ("date (UTC)", None),
            ("x (1)", None),
            ("(mg)", None),
            ("plain", None),
        ] {
            assert_eq!(in_name(name), unit, "{name}");
        }
        assert_eq!((base("fly ash (kg)"), base("plain")), (Some("fly ash"), None));
        assert_eq!((bare(" [s] "), bare("(a) (b)"), is_bracketed("[x]")), ("s", "(a) (b)", true));
    }
}
