//! What all requests to the page share, and what data they may have.

use std::sync::Arc;
use std::time::Duration;

use mercer::kernel::quoted;

/// The largest number of rows. With more, a figure takes longer than a hand that moves a slider waits.
pub const MOST_ROWS: usize = 2000;

/// The largest number of values in a list of a text, which nobody needs for a kernel, and which bounds the memory that a
/// text can take before its time is over.
pub const MOST_VALUES: usize = 1_000_000;

/// The files and the time of the page.
pub struct House {
    /// The files that were named on the command line.
    pub files: Arc<[Arc<str>]>,
    /// The time limit of a fit; figures may take half of it.
    pub limit: Duration,
}

/// Why data are too large.
pub fn too_many_rows(name: &str, rows: usize) -> String {
    format!(
        "`{name}` has {rows} rows, and the page takes at most {MOST_ROWS}; no rows are chosen for you: write a part to a \
         file, such as `load({}) |> head({MOST_ROWS}) |> write(\"part.csv\")`",
        quoted(name)
    )
}
