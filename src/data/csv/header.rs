//! The names of the columns and their units, from the lines above the numbers.

use csv::ByteRecord;

use super::cell::Missing;
use super::format::Header;
use super::layout::is_measure;
use super::records::strings;
use super::scan::Scan;
use crate::data::units;

/// One of the first records of a table.
pub(super) struct Lead {
    pub line: usize,
    pub record: ByteRecord,
}

/// The names and units in the first records.
#[derive(Debug, Default)]
pub(super) struct Heading {
    /// `None` if no line has names.
    pub names: Option<Vec<String>>,
    /// The line with units and its texts, if there is one.
    pub units: Option<(usize, Vec<String>)>,
    /// The number of these records.
    pub records: usize,
}

impl Heading {
    /// The number of lines with names, for a note; `None` if it is one.
    pub(super) fn joined(&self) -> Option<usize> {
        let names = self.records - usize::from(self.units.is_some());
        (names > 1).then_some(names)
    }
}

/// Reads the heading. `rest` has scanned all records after the first ones, and scans those of the first that are rows.
pub(super) fn read(header: Header, leads: &[Lead], rest: &mut [Scan], missing: &Missing, named: &[&str]) -> Heading {
    let heading = leads.iter().take_while(|lead| !strings(&lead.record).any(is_measure)).count();
    let mut see = |leads: &[Lead]| {
        for lead in leads {
            rest.iter_mut().zip(strings(&lead.record)).for_each(|(scan, text)| scan.see(text, lead.line, missing));
        }
    };
    let given = match header {
        Header::No => Some(0),
        Header::Lines(lines) => Some(lines.min(leads.len())),
        Header::Yes | Header::Detect => None,
    };
    let first = leads.first().is_some_and(|lead| strings(&lead.record).any(|cell| named.contains(&cell.trim())));
    // certainly a row
    let rows = given.unwrap_or(heading.max(usize::from(header == Header::Yes || first)));
    see(&leads[rows..]);
    let measured = rest.iter().any(Scan::has_measures);
    let only = leads.len() == 1 && rest.iter().all(Scan::is_empty);
    let count = match given {
        Some(count) => count,
        None if header == Header::Yes || first => 1 + further(&leads[1..rows.max(1)], &leads[0], rest),
        None if heading == 0 => 0,
        None if measured => 1 + further(&leads[1..heading], &leads[0], rest),
        None => usize::from(only),
    };
    let (heading, texts) = leads[..rows].split_at(count);
    for lead in texts {
        rest.iter_mut().zip(strings(&lead.record)).for_each(|(scan, text)| scan.see(text, lead.line, missing));
    }
    let mut lines = heading;
    let mut units = None;
    if let [names @ .., last] = heading
        && !names.is_empty()
        && holds_units(last, rest)
    {
        let bare = strings(&last.record).map(|text| units::bare(text).to_string());
        units = Some((last.line, bare.collect()));
        lines = names;
    }
    let names = (!lines.is_empty()).then(|| names(lines));
    Heading { names, units, records: count }
}

/// The number of lines after the first that belong to the heading. None of them has a number.
fn further(leads: &[Lead], first: &Lead, rest: &[Scan]) -> usize {
    let mut taken = 0;
    // repeated or missing names are continued in the next line
    let open = repeats(first);
    for lead in leads {
        let cells = strings(&lead.record).zip(rest);
        let above_numbers = cells.filter(|(text, scan)| scan.is_numeric() && !text.trim().is_empty()).count();
        let first_of_more = taken == 0 && open;
        if above_numbers == 0 || !(first_of_more || holds_units(lead, rest)) {
            break;
        }
        taken += 1;
        if !first_of_more {
            break;
        }
    }
    taken
}

/// Whether a name of a line applies to several columns: it is repeated, or missing over the next column.
fn repeats(lead: &Lead) -> bool {
    let names: Vec<&str> = strings(&lead.record).map(str::trim).collect();
    let mut known = std::collections::HashSet::new();
    let gap = names.iter().rposition(|name| !name.is_empty()).is_some_and(|last| names[1..=last].contains(&""));
    names.iter().any(|name| !name.is_empty() && !known.insert(name)) || gap
}

/// Whether a line has units above numeric columns and is empty elsewhere.
fn holds_units(lead: &Lead, rest: &[Scan]) -> bool {
    let cells = strings(&lead.record).zip(rest).filter(|(_, scan)| scan.is_numeric()).map(|(text, _)| text.trim());
    let (mut units, mut others) = (0, 0);
    for text in cells.filter(|text| !matches!(*text, "" | "-" | "--" | "1")) {
        match units::is_bracketed(text) || units::is_unit(text) {
            true => units += 1,
            false => others += 1,
        }
    }
    units > others
}

/// The joined texts of each column. A missing text in a line above another is the text to its left.
fn names(lines: &[Lead]) -> Vec<String> {
    let width = lines[0].record.len();
    let mut names = vec![String::new(); width];
    for (i, lead) in lines.iter().enumerate() {
        let mut last = "";
        for (name, text) in names.iter_mut().zip(strings(&lead.record)) {
            let text = text.trim();
            let spread = i + 1 < lines.len();
            last = if text.is_empty() && spread { last } else { text };
            if last.is_empty() || *name == last {
                continue;
            }
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(&last.replace('\n', " "));
        }
    }
    names
}
