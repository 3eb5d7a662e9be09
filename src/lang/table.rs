//! Tables as text: columns side by side, numbers rounded for reading.

use comfy_table::{CellAlignment, Table as Grid, presets};

use crate::data::write::{Cells, Table};

/// How many rows are shown before the middle is left out.
const SHOWN: usize = 40;

/// A number to six significant digits, as short as can be.
pub fn rounded(x: f64) -> String {
    if x.is_nan() {
        return String::new();
    }
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let size = x.abs();
    let short = |text: String| match text.split_once('.') {
        Some((whole, rest)) if rest.trim_end_matches('0').is_empty() => whole.to_owned(),
        Some(_) => text.trim_end_matches('0').to_owned(),
        None => text,
    };
    if (1e-4..1e9).contains(&size) {
        let places = (5 - size.log10().floor() as i32).max(0) as usize;
        short(format!("{x:.places$}"))
    } else {
        let text = format!("{x:.5e}");
        match text.split_once('e') {
            Some((digits, power)) => format!("{}e{power}", short(digits.to_owned())),
            None => text,
        }
    }
}

/// The table as lines of text; a long one leaves out its middle.
pub fn text(table: &Table) -> String {
    let mut grid = Grid::new();
    grid.load_style(presets::NOTHING);
    grid.set_header(table.columns().iter().map(|(name, _)| name));
    let n = table.rows();
    let left_out = if n > SHOWN { SHOWN / 2..n - SHOWN / 4 } else { n..n };
    for row in 0..n {
        if row == left_out.start && row < n {
            grid.add_row(table.columns().iter().map(|_| "…"));
        }
        if left_out.contains(&row) {
            continue;
        }
        grid.add_row(table.columns().iter().map(|(_, cells)| match cells {
            Cells::Numbers(numbers) => numbers.get(row).map(|x| rounded(*x)).unwrap_or_default(),
            Cells::Texts(texts) => texts.get(row).cloned().flatten().unwrap_or_default(),
        }));
    }
    for (column, (_, cells)) in grid.column_iter_mut().zip(table.columns()) {
        column.set_padding((0, 2));
        if matches!(cells, Cells::Numbers(_)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<String> = grid.lines().map(|line| line.trim_end().to_owned()).collect();
    let mut out = lines.join("\n");
    if n > SHOWN {
        out.push_str(&format!("\n({} rows)", super::display::grouped(n)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_for_reading() {
        let shown = [(0.0, "0"), (144.0, "144"), (0.1 + 0.2, "0.3"), (-555.398_765, "-555.399"), (1.5e-7, "1.5e-7")];
        for (x, text) in shown {
            assert_eq!(rounded(x), text);
        }
        assert_eq!(rounded(123_456_789.0), "123456789");
    }

    #[test]
    fn columns_stand_side_by_side() {
        let table = Table::new().texts("a", vec![Some("x".into()), None]).numbers("b", &[1.0, 20.5]);
        assert_eq!(text(&table), "a     b\nx     1\n   20.5");
    }
}
