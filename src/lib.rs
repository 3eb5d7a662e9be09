//! Mercer: a small language for Gaussian-process models, and the library that it is built on.
//!
//! The program `mercer` is a thin shell around [`session`]. Everything below that can be used without the language:
//! a kernel is a tree, a model is a kernel with noise and mean, a fit is a model with the parameters of greatest
//! log marginal likelihood, and all results come from the fit.
//!
//! # From Rust
//!
//! ```
//! use std::sync::Arc;
//!
//! use mercer::data;
//! use mercer::fit::{self, fit};
//! use mercer::kernel::{InputRef, Inputs, Kernel, families};
//! use mercer::model::Model;
//! use mercer::progress::Silent;
//! use mercer::results::{At, By, decompose, predict};
//!
//! let air = data::load("airline", &[], &data::Options::default())?;
//!
//! let of_year = |name: &str| {
//!     let family = families::family(name).ok_or("no such family")?;
//!     Ok::<_, &str>(Kernel::leaf(family, Inputs::These(vec![InputRef::Name("year".into())])))
//! };
//! let season = Kernel::product([of_year("Per")?, of_year("Lin")?]).ok_or("no factors")?;
//! let kernel = Kernel::sum([of_year("Lin")?.labelled("trend"), season, of_year("SE")?]).ok_or("no terms")?;
//! assert_eq!(kernel.to_string(), "Lin(year) + Per(year) * Lin(year) + SE(year)");
//!
//! let options = fit::Options { restarts: 2, ..fit::Options::default() };
//! let fitted = Arc::new(fit(&Model::new(kernel), &air, options, &Silent)?);
//! assert!(fitted.lml() > -600.0);
//!
//! let year = fitted.rows_along(vec![1961.0, 1961.5])?;
//! let forecast = predict(&fitted, At::Rows(year))?;
//! assert!(forecast.mean[1] > forecast.mean[0] && forecast.sd[0] > 0.0);
//!
//! let parts = decompose(&fitted, At::Training, By::Term)?;
//! assert_eq!(parts.components[0].label, "trend");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Or in the language, with its values taken out afterwards:
//!
//! ```
//! use mercer::lang::values::value::Value;
//! use mercer::progress::Silent;
//! use mercer::session::Session;
//!
//! let mut session = Session::default();
//! let output = session.run("let k = SE(0, l=2)\nk(0, 1.5)", "example", &Silent);
//! assert_eq!(output.text(), "0.7548396019890073");
//! assert!(matches!(session.get("k"), Some(Value::Kernel(_))));
//! ```
//!
//! # The rooms
//!
//! Imports point downward only; the first paragraph of each room describes its contents and limits.
//!
//! - [`render`]: messages with an excerpt of the text, for a terminal.
//! - [`session`]: what a user has bound, the texts that were read, the seed; runs a text.
//! - [`lang`]: values and their kinds, evaluation, builtins; one registry, from which calls are checked, help is written
//!   and completion is fed; what can be known to be wrong before anything runs.
//! - [`report`]: a fit as one self-contained page of HTML.
//! - [`describe`], [`figure`]: results as tables and figures, rounded for people; figures as data, then SVG, PNG or the
//!   cells of a terminal.
//! - [`search`]: structure search over kernels: edits of expressions, a race of candidates, scores.
//! - [`results`]: predictions, parts of a sum, residuals, scores, comparison, a file to keep a fit in; features of a kernel.
//! - [`surface`]: meshes drawn from a kernel over two inputs, glued where its symmetries say so; mesh files.
//! - [`fit`]: where a fit starts, the optimiser, standard errors, warnings about the fit.
//! - [`model`]: a kernel with noise and mean, and its rows: log marginal likelihood, gradient, posterior.
//! - [`kernel`]: the tree; families and wraps, one a file; algebra and printing; whole matrices with their gradients by
//!   one backward walk.
//! - [`data`], [`param`], [`linalg`]: data sets and their files; parameters, bounds, priors and ties; factorizations and
//!   loops over slices.
//! - [`calendar`]: units of time, moments, and the ways in which people write dates.
//! - [`progress`]: progress of long work, and how it is stopped.
//! - [`syntax`]: text to tree and tree to text, and the formatter; it depends on no other room.
//!
//! Numeric rooms do not depend on the language: `kernel`, `model`, `fit` and `results` have small errors of their own, and
//! `lang` gives these their place in the text.

pub mod calendar;
pub mod data;
pub mod deep;
pub mod describe;
pub mod figure;
pub mod fit;
pub mod kernel;
pub mod lang;
pub mod linalg;
pub mod model;
pub mod param;
pub mod progress;
pub mod quadrature;
pub mod render;
pub mod report;
pub mod results;
pub mod search;
pub mod session;
pub mod surface;
pub mod syntax;

/// The Rust of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
