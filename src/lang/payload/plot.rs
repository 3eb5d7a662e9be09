//! The arguments of `plot`, and why there may be no figure.

use std::sync::Arc;

use crate::deep::DeepModel;
use crate::describe::number_figures::Marked;
use crate::describe::part_figures::Scales;
use crate::describe::result_figures::BandOf;
use crate::figure::Figure;
use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::model::ModelError;
use crate::results::PairsOfParts;

/// The arguments of `plot`.
pub struct PlotOptions<'p> {
    pub band: BandOf,
    pub show: Option<Arc<str>>,
    pub x: Option<Vec<f64>>,
    /// The positions of the rows of a map.
    pub y: Option<Vec<f64>>,
    /// Azimuth and elevation, in degrees.
    pub view: Option<(f64, f64)>,
    /// The number of functions drawn from a posterior, if given.
    pub draws: Option<usize>,
    /// The seed of draws.
    pub seed: u64,
    /// Whether the panels of parts share a vertical scale, if given.
    pub scales: Option<Scales>,
    /// How numbers are drawn.
    pub mark: Marked,
    /// The names of several lists of numbers.
    pub names: Option<Vec<String>>,
    /// The pairs of parts whose correlations are shown, by their labels, if given.
    pub between: Option<Between>,
    /// The point of slices.
    pub at: Option<Vec<f64>>,
    /// The number of points along each side of a map, if given.
    pub points: Option<usize>,
    /// Whether the bands between deciles are drawn.
    pub deciles: bool,
    /// The position in the circle of an animation, from 0 to 1.
    pub phase: f64,
    /// Draws a value that needs the evaluator.
    pub draw: &'p mut dyn FnMut(Drawable<'_>) -> Res<Figure>,
}

/// The pairs of parts of a figure of correlations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Between {
    All,
    /// Two labels, which may be the same.
    These(Arc<str>, Arc<str>),
}

impl Between {
    /// The pairs among parts with these labels.
    ///
    /// # Errors
    /// A label that no part has.
    pub fn pairs<'l>(&self, labels: impl Iterator<Item = &'l str> + Clone) -> Res<PairsOfParts> {
        let Between::These(one, other) = self else { return Ok(PairsOfParts::All) };
        let place = |label: &Arc<str>| {
            labels.clone().position(|known| known == &**label).ok_or_else(|| {
                let known: Vec<&str> = labels.clone().collect();
                LangError::new(format!("there is no part called \"{label}\""))
                    .help(format!("the parts are {}", known.join(", ")))
            })
        };
        Ok(PairsOfParts::These(place(one)?, place(other)?))
    }
}

/// A value whose figure needs the evaluator.
#[derive(Clone, Copy)]
pub enum Drawable<'v> {
    Kernel(&'v Kernel),
    Deep(&'v DeepModel),
}

/// Why there is no figure.
pub enum PlotError {
    /// The kind has no figure.
    NoFigure,
    Model(ModelError),
    Other(LangError),
}

impl From<ModelError> for PlotError {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

impl From<LangError> for PlotError {
    fn from(error: LangError) -> Self {
        Self::Other(error)
    }
}
