//! A fit, or the search that found it, as one self-contained HTML page with its figures as inline SVG.
//!
//! A page loads nothing: no fonts, no scripts, no links, and its content policy forbids them. All text goes through
//! `maud`'s templates, which escape it. The only markup from elsewhere are figures, whose text is escaped where they are
//! drawn, and the style sheet of this room.
//!
//! [`Report`] is an ordered list of sections. The report of a search adds sections to that of its best fit. Nothing is
//! computed here that another room computes, no file is written, and the language is not known: the caller says how
//! the data are loaded ([`Source`]).

mod document;
mod fit_sections;
mod html_page;
mod mathml;
mod page_elements;
mod script;
mod search_sections;

pub use document::{Report, Source};
pub use fit_sections::of_fit;
pub use search_sections::of_search;
