//! A fit, or the search that found it, as one page that stands by itself: HTML with its figures drawn into it, to be kept, sent and printed.
//!
//! A page needs nothing from outside: no fonts, no scripts, no links, and it tells the browser to load none. All text goes
//! through `maud`'s templates, which escape whatever is not written in the template itself; the only markup that does not
//! come from there are figures, whose text is escaped where they are drawn, and this room's own style sheet.
//!
//! [`Report`] is an ordered list of sections, each a heading with what stands below it; a search only adds sections to
//! those of its best fit. Nothing is computed here that another room knows, no file is written, and no word of
//! the language is understood: how the data are got again is told by the caller.

mod fit;
mod math;
mod page;
mod press;
mod script;
mod search;

use maud::Markup;

pub use fit::of_fit;
pub use search::of_search;

/// A page: a heading, figures that matter most, and sections.
#[derive(Debug)]
pub struct Report {
    title: String,
    /// What is explained by what.
    subtitle: String,
    /// A few, the most telling first.
    numbers: Vec<Number>,
    sections: Vec<Section>,
}

/// A number that stands below the title.
#[derive(Debug)]
struct Number {
    name: &'static str,
    value: String,
    unit: Option<String>,
}

/// A part of a page.
#[derive(Debug)]
struct Section {
    /// By which the page refers to it: a word of letters.
    id: &'static str,
    title: &'static str,
    body: Markup,
}

impl Report {
    /// The page. The same report gives the same bytes.
    pub fn html(&self) -> String {
        page::html(self)
    }
}

/// What only the caller knows of a model: how its data are got.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source {
    /// An expression of the language that gives the very data, such as `load("airline")`.
    pub expression: Option<String>,
    /// Of the random numbers in checks.
    pub seed: u64,
}
