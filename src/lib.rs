//! Mercer: a small language for Gaussian-process models, and the library on which it is built.
//!
//! The program `mercer` runs a [`session`]. The rooms below the language can be used without it: a kernel is a tree, a
//! model is a kernel with noise and mean, a fit is a model whose parameters maximise the log marginal likelihood, and
//! results are computed from the fit.
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
//! The same library can run a program of the language and return its values:
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
//! A room is a module with its own folder. Imports point downward only; the first paragraph of each room describes its
//! contents and limits.
//!
//! - [`render`]: messages with an excerpt of the text, for a terminal.
//! - [`session`]: the user's bindings, the texts that were read, the seed; runs a text.
//! - [`lang`]: values and their kinds, evaluation, checks before running, builtins; one registry for checks of calls, help
//!   and completion.
//! - [`report`]: a fit as one self-contained page of HTML.
//! - [`describe`], [`figure`]: results as text, tables and figures with rounded numbers; figures as data, then SVG, PNG
//!   or text in a terminal.
//! - [`search`]: structure search over kernels: edits of expressions, a race of candidates, scores.
//! - [`results`]: predictions, parts of a sum, residuals, scores, comparisons, saved fits; features of a kernel.
//! - [`deep`]: deep Gaussian processes: priors, training, predictions.
//! - [`quadrature`]: Bayesian quadrature: integrals of functions, and evidence of models.
//! - [`surface`]: meshes drawn from a kernel of two inputs, with the topology of its symmetries; mesh files.
//! - [`fit`]: starting values of a fit, the optimiser, standard errors, warnings about the fit.
//! - [`model`]: a kernel with noise and mean, and its rows: log marginal likelihood, gradient, posterior.
//! - [`kernel`]: the tree; families and wraps, one per file; algebra and printing; covariance matrices, with gradients by
//!   one backward pass.
//! - [`data`], [`param`], [`linalg`]: data sets and their files; parameters, bounds, priors and ties; factorisations and
//!   elementary functions of slices.
//! - [`calendar`]: units of time, moments, and the formats of dates.
//! - [`progress`]: progress reports of long work, and stops by the user.
//! - [`syntax`]: text to tree and tree to text, and the formatter; it depends on no other room.
//!
//! Numeric rooms do not depend on the language: `kernel`, `model`, `fit` and `results` have their own error types, and
//! `lang` adds the place in the text.

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
