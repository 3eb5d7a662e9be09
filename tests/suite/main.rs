//! All integration tests of the program and the library in one binary, so that the library is linked once. `cargo test
//! --release --test suite docs::` runs one file of them.

mod algebra;
mod calendar;
mod cli;
mod descriptions;
mod docs;
mod editors;
mod figures;
mod fits;
mod identities;
mod import_order;
#[cfg(unix)]
mod interrupts;
mod invariance;
mod jupyter;
mod laws;
mod lessons;
mod lsp;
mod play;
mod programs;
#[cfg(unix)]
mod prompt;
mod reference;
mod reports;
mod saves;
mod scaling;
mod script_folders;
mod search;
mod search_models;
mod search_scores;
mod sparse;
mod statements;
mod stopping;
mod support;
mod tables;
mod transcripts;
mod users;
mod values;
