//! Kernels and fits in English: the meaning of each part of a sum, the effect of factors, and the posterior, with
//! values in the units of the data. The wording of each family and wrap is declared with it, as its
//! [`Wording`](crate::kernel::Wording); this module forms sentences from it.

mod data_context;
mod expansion_steps;
mod explanation;
mod factor;
mod fit_description;
mod kernel_description;
pub mod motifs;
mod noun_phrase;
mod posterior_sentences;
pub(super) mod quantity;
mod template;
#[cfg(test)]
mod tests;
pub mod words;

pub use explanation::{fit as explain_fit, kernel as explain_kernel};
pub use fit_description::{FitDescription, PartDescription, fit_description};
pub use kernel_description::{Description, Part, bare, fit as describe_fit, kernel as describe_kernel};
pub use quantity::{is_time, with_unit};
