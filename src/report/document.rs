//! A report as data: a heading, key numbers and sections.

use maud::Markup;

/// A page: a heading, key numbers, and sections.
#[derive(Debug)]
pub struct Report {
    pub(super) title: String,
    /// The target and the inputs.
    pub(super) subtitle: String,
    /// Some key numbers, the most important first.
    pub(super) numbers: Vec<Number>,
    pub(super) sections: Vec<Section>,
}

/// A number below the title.
#[derive(Debug)]
pub(super) struct Number {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) unit: Option<String>,
}

/// A part of a page.
#[derive(Debug)]
pub(super) struct Section {
    /// The anchor of the section in the page: a word of letters.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) body: Markup,
}

/// The source of the data of a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source {
    /// An expression of the language that gives these data, such as `load("airline")`.
    pub expression: Option<String>,
    /// The seed of the random numbers in checks.
    pub seed: u64,
}
