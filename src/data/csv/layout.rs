//! The position of a table in its file, and its separator.

use csv::ByteRecord;

use super::cell::{Cell, Missing};
use super::format::Format;
use super::lines::Lines;
use super::notation::Notation;
use super::records::{Layout, Separator, reader};
use crate::calendar::{Form, plausible};
use crate::data::units;

/// Why no layout was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Blanks may separate fields or thousands.
    Blanks { line: usize },
}

/// A record in the sample.
struct Row {
    line: usize,
    record: ByteRecord,
}

impl Row {
    fn width(&self) -> usize {
        self.record.len()
    }

    fn cells(&self) -> impl Iterator<Item = &str> {
        self.record.iter().map(|cell| std::str::from_utf8(cell).unwrap_or_default().trim())
    }

    fn measures(&self) -> usize {
        self.cells().filter(|text| is_measure(text)).count()
    }
}

/// Whether a text is a number in some notation, or a date.
pub(super) fn is_measure(text: &str) -> bool {
    match Missing::default().read(text, Notation::PLAIN) {
        Cell::Missing => false,
        Cell::Number(_) => true,
        Cell::Text(text) => {
            Notation::of(text) != 0 || (plausible(text) && Form::ALL.iter().any(|form| form.read(text, None).is_some()))
        }
    }
}

/// A table in the sample with one separator.
struct Found {
    separator: Separator,
    /// Whether a row has a number or a date.
    measured: bool,
    /// The share of records with its width.
    regular: f64,
    skip: usize,
}

/// The layout of a file that starts with `sample`, in clean text. Given parts of the format are used as they are.
pub(super) fn find(sample: &[u8], whole: bool, format: &Format) -> Result<Layout, Doubt> {
    let comment = format.comment_byte();
    let of = |separator: Separator| {
        let rows = rows(sample, whole, separator, format.skip.unwrap_or(0), comment);
        table(separator, &rows, format.skip)
    };
    if let Some(separator) = format.separator {
        let skip = of(separator).map_or(format.skip.unwrap_or(0), |found| found.skip);
        return Ok(Layout { separator, skip, comment });
    }
    let mut best: Option<Found> = None;
    for found in Separator::CANDIDATES.into_iter().filter_map(of) {
        if best.as_ref().is_none_or(|best| (found.measured, found.regular) > (best.measured, best.regular)) {
            best = Some(found);
        }
    }
    // commas in sentences are not a table
    if !best.as_ref().is_some_and(|best| best.measured) {
        best = blanks(sample, whole, format)?.or(best);
    }
    Ok(match best {
        Some(Found { separator, skip, .. }) => Layout { separator, skip, comment },
        None => Layout { separator: Separator::COMMA, skip: format.skip.unwrap_or(0), comment },
    })
}

/// A table with fields separated by blanks: most fields in every line below its names are numbers.
fn blanks(sample: &[u8], whole: bool, format: &Format) -> Result<Option<Found>, Doubt> {
    let (skip, comment) = (format.skip.unwrap_or(0), format.comment_byte());
    let rows = rows(sample, whole, Separator::Blanks, skip, comment);
    let Some(found) = table(Separator::Blanks, &rows, format.skip) else { return Ok(None) };
    let (above, below): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.line <= found.skip);
    let no_measures = |row: &&&Row| row.measures() == 0;
    let names = below.iter().take_while(no_measures).count();
    let data = &below[names.min(below.len())..];
    let numeric = |row: &&Row| 2 * row.measures() > row.width();
    let even = below.windows(2).all(|pair| pair[0].width() == pair[1].width());
    let prose = |row: &&Row| 2 * row.measures() <= row.width();
    if data.len() < 2 || names > 1 || !even || !data.iter().all(numeric) || !above.iter().all(prose) {
        return Ok(None);
    }
    // `1 234` may be one number
    let line = |row: &&Row| row.cells().collect::<Vec<_>>().join(" ");
    let one = |text: String| Notation::of(&text) != 0;
    if format.thousands.is_none_or(|sign| sign == Some(' ')) && data.iter().map(line).all(one) {
        return match format.thousands {
            Some(_) => Ok(None),
            None => Err(Doubt::Blanks { line: data[0].line }),
        };
    }
    Ok(Some(found))
}

/// The table among the rows: the most common width above 1, and the lines above its first row. Lines are left out only
/// if they cannot be part of a table.
fn table(separator: Separator, rows: &[Row], given: Option<usize>) -> Option<Found> {
    let numeric = |row: &&Row| row.width() > 1 && 2 * row.measures() >= row.width();
    let mut widths: Vec<usize> = rows.iter().filter(numeric).map(Row::width).collect();
    if widths.len() < 2 {
        widths = rows.iter().map(Row::width).filter(|&width| width > 1).collect();
    }
    // with blanks as separators, words of sentences are fields, so the longest run of lines with numbers is used
    if separator == Separator::Blanks {
        let mut runs = rows.chunk_by(|a, b| a.width() == b.width() && numeric(&a) == numeric(&b));
        let longest = runs.by_ref().filter(|run| numeric(&&run[0])).map(|run| vec![run[0].width(); run.len()]);
        widths = longest.max_by_key(Vec::len).unwrap_or(widths);
    }
    widths.sort_unstable();
    let run = widths.chunk_by(|a, b| a == b).max_by_key(|run| run.len())?;
    let width = run[0];
    let of_width = || rows.iter().filter(|row| row.width() == width);
    let regular = of_width().count() as f64 / rows.len() as f64;
    let measured = of_width().any(|row| row.measures() > 0);
    let skip = match given {
        Some(skip) => skip,
        None => above(rows, width),
    };
    Some(Found { separator, measured, regular, skip })
}

/// The number of lines above a table of this width.
fn above(rows: &[Row], width: usize) -> usize {
    // start at the longest run
    let mut longest = (0, 0);
    let mut start = 0;
    for run in rows.chunk_by(|a, b| a.width() == b.width()) {
        if run[0].width() == width && run.len() > longest.1 {
            longest = (start, run.len());
        }
        start += run.len();
    }
    let (mut first, length) = longest;
    if length < 2 {
        return 0;
    }
    // sentences may have as many commas as the table; names are directly above the numbers, units between them
    let run = &rows[first..first + length];
    let texts = run.iter().take_while(|row| row.measures() == 0).count();
    if texts > MOST_NAMES && texts < length {
        let units =
            usize::from(run[texts - 1].cells().all(|cell| cell.is_empty() || units::is_unit(units::bare(cell))));
        first += texts - 1 - units;
    }
    let (above, table) = rows.split_at(first);
    let Some(last) = above.last() else { return 0 };
    let names = table[0].measures() == 0 && table.get(1).is_some_and(|row| row.measures() > 0 || texts > 1);
    let prose = |row: &Row| {
        let text = row.cells().next().is_some_and(|cell| !is_measure(cell));
        text && (row.measures() == 0 || row.width() != width)
    };
    let apart = last.width() == 1 && above.iter().all(|row| row.width() != width);
    if !above.iter().all(prose) || !(names || apart) {
        return 0;
    }
    // a single line with a single field may be joined names
    if !names && above.len() == 1 && separates_elsewhere(last) { 0 } else { table[0].line - 1 }
}

/// Names and units have at most this number of lines.
const MOST_NAMES: usize = 3;

/// Whether the single field of a row contains a character that separates fields in other files.
fn separates_elsewhere(row: &Row) -> bool {
    let mut bytes = row.record.iter().flatten();
    row.width() == 1 && bytes.any(|byte| b",;\t|".contains(byte))
}

fn rows(sample: &[u8], whole: bool, separator: Separator, skip: usize, comment: u8) -> Vec<Row> {
    let lines = Lines::new(sample, skip, separator == Separator::Blanks);
    let mut reader = reader(lines, separator.byte(), comment);
    let (mut rows, mut record) = (Vec::new(), ByteRecord::new());
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let inner = record.as_slice().iter().filter(|&&b| b == b'\n').count();
        let after = reader.position().line() as usize;
        let blank = record.iter().all(|cell| cell.trim_ascii().is_empty());
        if !blank {
            rows.push(Row { line: after.saturating_sub(inner + 1).max(1), record: record.clone() });
        }
    }
    if rows.len() > 1 && !whole {
        // The last record of the sample may be incomplete.
        rows.pop();
    }
    rows
}

/// Whether a line without separators has several numbers separated by blanks.
pub(super) fn spaced(line: &str) -> bool {
    let mut words = line.split_whitespace();
    line.split_whitespace().nth(1).is_some() && words.all(|w| w.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (Separator, usize) {
        let layout = find(text.as_bytes(), true, &Format::default()).unwrap();
        (layout.separator, layout.skip)
    }

    #[test]
    fn separators_are_told_apart() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2\n", b';'),
            ("a\tb\n1,5\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("a,b\n\"x;y\",2\n3,4\n", b','),
            ("a,b\n1,2\n1,2,3\n4,5\n", b','),
            ("a\n1\n2\n", b','),
            ("", b','),
            ("# one; two\na,b\n1,2\n", b','),
            ("kind,y\nu;v,1\nw,2\nx;y,3\n", b','),
        ] {
            assert_eq!(found(text), (Separator::Byte(expected), 0), "{text:?}");
        }
        assert_eq!(found(" a  b\n 1  2\n10 20\n").0, Separator::Blanks);
        assert_eq!(
            found("Log\nRemark 1\nread this\nRemark 2\nmore\nRemark 3\n\n a b c\n1 2 3\n2 3 4\n"),
            (Separator::Blanks, 7)
        );
        assert!(spaced("1.0  2e3") && !spaced("1.0") && !spaced("a 1"));
    }

    #[test]
    fn a_table_begins_below_its_text() {
        for (text, skip) in [
            ("Station: Ulm, 478 m\n\nmade 2020\ntime,level\n1,2\n3,4\n5,6\n", 4 - 1),
            ("one\ntwo\nthree\n1;2\n3;4\n5;6\n", 3),
            ("Latitude;48,4\nDatum;Wert;Art\n1;2;a\n3;4;b\n", 1),
            ("A, one.\nB, two.\nC, three.\nD, four.\nt,v\ns,m\n1,2\n3,4\n", 4),
            ("a,b\nu,v\nw,x\n1,2\n3,4\n", 0),
            ("a,b\n1,2,3\n4,5\n6,7\n", 0),
            ("1,2\na,b\n3,4\n", 0),
            ("a,b\n1,2\n3,4\nfooter\n", 0),
            ("a;b\n1,2\n3,4\n", 0),
        ] {
            assert_eq!(found(text).1, skip, "{text:?}");
        }
    }

    #[test]
    fn blanks_between_thousands_are_a_doubt() {
        let doubt = find(b"n\n1 234\n5 678\n", true, &Format::default());
        assert_eq!(doubt, Err(Doubt::Blanks { line: 2 }));
        let format = Format { thousands: Some(Some(' ')), ..Format::default() };
        assert_eq!(find(b"n\n1 234\n5 678\n", true, &format).unwrap().separator, Separator::COMMA);
        assert_eq!(found("n;y\n1 234;5\n5 678;6\n").0, Separator::Byte(b';'));
    }
}
