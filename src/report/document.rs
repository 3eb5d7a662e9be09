//! A report as data: a heading, key numbers and sections.

use maud::Markup;

/// A page: a heading, figures that outcome most, and sections.
#[derive(Debug)]
pub struct Report {
    pub(super) title: String,
    /// What is explained by what.
    pub(super) subtitle: String,
    /// A few, the most telling first.
    pub(super) numbers: Vec<Number>,
    pub(super) sections: Vec<Section>,
}

/// A number that stands below the title.
#[derive(Debug)]
pub(super) struct Number {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) unit: Option<String>,
}

/// A part of a page.
#[derive(Debug)]
pub(super) struct Section {
    /// By which the page refers to it: a word of letters.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) body: Markup,
}

/// How the caller got the data of a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source {
    /// An expression of the language that gives the very data, such as `load("airline")`.
    pub expression: Option<String>,
    /// Of the random numbers in checks.
    pub seed: u64,
}
