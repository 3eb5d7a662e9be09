//! Times: units, moments, and the formats of dates.
//!
//! A moment is a number of nanoseconds since 1970-01-01T00:00, on a calendar without time zones and leap seconds. A
//! column of times has the number of one [`TimeUnit`] since then, so that a week has the same length in every year, and
//! f64 has a resolution below a microsecond. This room does not depend on columns or the language.

mod moment;
pub mod names;
mod read;
mod text;
mod unit;

pub use moment::{Moment, Resolution, TimeScale};
pub use read::{Digits, Form, Order, clock, compact, compact_month, date_like, plausible, read_all, time_of_day};
pub use text::{Length, date, length};
pub use unit::TimeUnit;
