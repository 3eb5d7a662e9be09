//! The notation of numbers.

/// A number by the shortest digits that read back to the same bits: `0.1`, `12`, `1e-7`.
pub fn number(x: f64) -> String {
    match x {
        x if x.is_nan() => "nan".into(),
        x if x.is_infinite() => format!("{x}"),
        x => crate::kernel::number(x),
    }
}

pub use crate::describe::grouped;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        let shown = [(0.1, "0.1"), (1.0, "1"), (1e-7, "1e-7"), (1e15, "1000000000000000"), (2.5e300, "2.5e300")];
        for (x, text) in shown {
            assert_eq!(number(x), text);
            assert_eq!(text.parse::<f64>().ok(), Some(x));
        }
        assert_eq!(number(f64::NEG_INFINITY), "-inf");
        assert_eq!(number(0.1 + 0.2), "0.30000000000000004");
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!([grouped(7), grouped(1234), grouped(10_000_000)], ["7", "1,234", "10,000,000"]);
    }
}
