//! The commands without a prompt.

mod fmt;
mod manual;
mod run;
mod settings;

pub use fmt::format;
pub use manual::{completions, datasets, help, man};
pub use run::{check, eval, run};
pub use settings::{FAILED, STDIN, Settings, writable};
