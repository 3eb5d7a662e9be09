//! Which byte separates the fields.

use csv::ByteRecord;

/// What to try, most telling first: a comma may stand inside numbers and prose, a tab hardly ever does.
const CANDIDATES: [u8; 3] = [b'\t', b';', b','];

/// The separator under which most records of the sample have one and the same number of fields, more than one.
/// A comma when none does: then the file has a single column.
pub(super) fn delimiter(sample: &[u8]) -> u8 {
    let mut best = (0.0, b',');
    for candidate in CANDIDATES {
        let regular = regularity(sample, candidate);
        if regular > best.0 {
            best = (regular, candidate);
        }
    }
    best.1
}

/// The share of records that have the commonest number of fields; 0 if that number is 1.
fn regularity(sample: &[u8], delimiter: u8) -> f64 {
    let mut widths: Vec<usize> = records(sample, delimiter).map(|r| r.len()).collect();
    if widths.len() > 1 && !sample.ends_with(b"\n") {
        // The sample may stop in the midst of its last record.
        widths.pop();
    }
    widths.sort_unstable();
    let commonest = widths.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
    match commonest {
        Some(run) if run[0] > 1 => run.len() as f64 / widths.len() as f64,
        _ => 0.0,
    }
}

fn records(sample: &[u8], delimiter: u8) -> impl Iterator<Item = ByteRecord> {
    super::reader(sample, delimiter).into_byte_records().map_while(Result::ok)
}

/// Whether a line without separators holds several numbers parted by spaces.
pub(super) fn spaced(line: &str) -> bool {
    let mut words = line.split_whitespace();
    line.split_whitespace().nth(1).is_some() && words.all(|w| w.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_told_apart() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2\n", b';'),
            ("a\tb\n1,5\t2\n", b'\t'),
            ("a,b\n\"x;y\",2\n3,4\n", b','),
            ("a,b\n1,2\n1,2,3\n4,5\n", b','),
            ("a\n1\n2\n", b','),
            ("", b','),
            ("# one; two\na,b\n1,2\n", b','),
        ] {
            assert_eq!(delimiter(text.as_bytes()), expected, "{text:?}");
        }
        assert!(spaced("1.0  2e3") && !spaced("1.0") && !spaced("a 1"));
    }
}
