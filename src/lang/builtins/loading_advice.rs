//! Help for errors of reading a file.

use crate::data::{self, DataError};

/// The argument that resolves an ambiguity or an error in a file.
pub(super) fn way_out(error: &DataError) -> Option<String> {
    Some(match error {
        DataError::Missing { .. } => {
            "`dropna` removes the rows with missing values; inputs that the kernel does not name, as in `SE(date)`, \
         may have gaps"
                .into()
        }
        DataError::NotFound { .. } => {
            "`datasets()` lists the shipped sets; paths of files are relative to the script".into()
        }
        DataError::TwoReadings(doubt) => {
            let data::TwoReadings { sign, decimal, thousands, .. } = &**doubt;
            format!("write `decimal=\"{sign}\"` for {decimal}, or `thousands=\"{sign}\"` for {thousands}")
        }
        DataError::NotUtf8 { .. } => {
            "`encoding=\"windows-1252\"` is for text of Western Europe; by default the encoding is detected".into()
        }
        DataError::Binary { .. } => "text without a byte order mark may need `encoding=\"utf-16\"`".into(),
        DataError::Ragged { .. } => {
            "`sep=\";\"` names what separates the fields; `skip=N` leaves out N lines of text above the table; a row that \
             lacks fields must be completed in the file"
                .into()
        }
        DataError::BlanksInDoubt { .. } => "write `sep=\" \"` for fields, or `thousands=\" \"`".into(),
        DataError::Spaces { .. } => {
            "`sep=\" \"` reads fields between blanks; names with blanks need quotes, or `skip=1`".into()
        }
        DataError::DuplicateName { .. } => {
            "`header=2` joins the names of two lines, `header=false` numbers the columns".into()
        }
        DataError::AllSkipped { .. } => "give a smaller `skip`, or leave it out: the table is then detected".into(),
        DataError::HeaderOnly { .. } => "`header=false` reads that line as values".into(),
        _ => return None,
    })
}
