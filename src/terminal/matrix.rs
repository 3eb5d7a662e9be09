//! A wide matrix in short, for a terminal: its corners, with five digits.

use mercer::describe::significant;
use mercer::lang::values::value::Value;
use unicode_width::UnicodeWidthStr;

/// The number of rows at each end that are shown.
const ENDS: usize = 4;
const DIGITS: usize = 5;
const GAP: &str = "…";

/// The text of a matrix whose lines are wider than the terminal; `None` for other values.
pub fn in_short(value: &Value, text: &str, columns: usize) -> Option<String> {
    if text.lines().all(|line| line.width() <= columns) {
        return None;
    }
    let rows = value.items()?.map(|row| numbers(&row)).collect::<Option<Vec<_>>>()?;
    let wide = rows.first()?.len();
    if rows.len() < 2 || rows.iter().any(|row| row.len() != wide) {
        return None;
    }
    let height = rows.len();
    let long = height > 2 * ENDS + 1;
    let shown_rows: Vec<&Vec<f64>> =
        rows.iter().enumerate().filter(|(i, _)| !long || *i < ENDS || i + ENDS >= height).map(|(_, row)| row).collect();
    let cell = |x: f64| significant(x, DIGITS);
    let width = shown_rows.iter().flat_map(|row| row.iter()).map(|x| cell(*x).width()).max()?;
    let most = columns.saturating_sub(GAP.width() + 1) / (width + 2);
    let (start, end) = if most >= wide { (wide, 0) } else { (most.div_ceil(2).max(1), (most / 2).max(1)) };
    let line = |row: &Vec<f64>| {
        let cells = |part: &[f64]| part.iter().map(|x| format!("{:>width$}", cell(*x))).collect::<Vec<_>>();
        let mut all = cells(&row[..start]);
        if start < wide {
            all.push(GAP.into());
            all.extend(cells(&row[wide - end..]));
        }
        all.join("  ")
    };
    let mut lines: Vec<String> = shown_rows.iter().map(|row| line(row)).collect();
    if long {
        lines.insert(ENDS, GAP.into());
    }
    lines.push(format!("{height} × {wide} numbers in short: `print(_)` shows all, `write` writes a file"));
    Some(lines.join("\n"))
}

fn numbers(row: &Value) -> Option<Vec<f64>> {
    let number = |value: Value| match value {
        Value::Number(x) => Some(x),
        _ => None,
    };
    row.items()?.map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(height: usize, wide: usize) -> Value {
        let row = |i: usize| Value::numbers((0..wide).map(move |j| (i * wide + j) as f64 / 7.0)).unwrap();
        Value::list((0..height).map(row)).unwrap()
    }

    #[test]
    fn corners_are_shown() {
        let value = matrix(20, 30);
        let text = in_short(&value, &value.to_string(), 60).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2 * ENDS + 2);
        assert!(lines[..9].iter().all(|line| line.width() <= 60), "{text}");
        assert!(lines[0].trim_start().starts_with("0  0.14286") && lines[0].ends_with("4.1429"), "{text}");
        assert!(lines[9].starts_with("20 × 30 numbers in short"));
    }

    #[test]
    fn other_values_are_shown_whole() {
        let small = matrix(2, 2);
        assert_eq!(in_short(&small, &small.to_string(), 80), None);
        let list = Value::numbers((0..100).map(f64::from)).unwrap();
        assert_eq!(in_short(&list, &list.to_string(), 80), None);
    }
}
