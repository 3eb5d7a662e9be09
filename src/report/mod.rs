//! A fit or a search as one self-contained HTML page with figures as inline SVG.
//!
//! A page loads nothing: no fonts, no scripts, no links, and its content policy forbids them. All text is escaped by
//! `maud`'s templates. The only other markup is that of figures, whose text is escaped where they are drawn, and the
//! style sheet of this room.
//!
//! [`Report`] is an ordered list of sections. The report of a search adds sections to that of its best fit. This room
//! computes no results, writes no file, and does not depend on the language: the caller describes how the data are
//! loaded ([`Source`]).

mod document;
mod fit_results;
mod fit_sections;
mod html_page;
mod mathml;
mod page_elements;
mod part_section;
mod script;
mod search_sections;

pub use document::{Report, Source};
pub use fit_sections::of_fit;
pub use html_page::FIGURE_STYLE;
pub use mathml::kernel_formula;
pub use script::data_expression;
pub use search_sections::of_search;
