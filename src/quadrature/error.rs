//! Errors of the estimation of an integral.

use super::density::DensityError;
use crate::kernel::{BindError, EvalError, number};
use crate::model::ModelError;

/// Why an integral cannot be estimated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum QuadratureError {
    #[error(transparent)]
    Density(#[from] DensityError),
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error(transparent)]
    Evaluation(#[from] EvalError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the density has {density} inputs, and the evaluated points have {points}")]
    Inputs { density: usize, points: usize },
    #[error("{0} compares categories, over which there is no density")]
    Categories(String),
    #[error("`{0}` is white noise, and evaluations of white noise carry no information on its integral")]
    OnlyNoise(String),
    #[error("an integral takes at most {most} evaluations, and the requested number is {asked}")]
    TooMany { asked: usize, most: usize },
    #[error("an integral takes at most {most} evaluated points, and there are {given}")]
    TooManyGiven { given: usize, most: usize },
    #[error(
        "rows {} and {} are both at {at}, and their values {} and {} differ",
        rows.0, rows.1, number(values.0), number(values.1)
    )]
    TwoValues { rows: (usize, usize), values: (f64, f64), at: String },
    #[error("there are no evaluated points")]
    NoPoints,
    #[error("the integrand is {value} at {at}")]
    NotFinite { value: f64, at: String },
    #[error("the integrand is {value} at {at}, and `scale=\"{scale}\"` is for integrands that are positive everywhere")]
    NotPositive { value: f64, at: String, scale: &'static str },
    #[error("the factor of the density is {value} at {at}, and it is finite and at least 0 everywhere")]
    Factor { value: f64, at: String },
    #[error("{factors} factors for {points} evaluated points")]
    FactorCount { factors: usize, points: usize },
    #[error("the factor of the density is 0 at all {0} evaluated points")]
    NoMass(usize),
    #[error("the integral of the factor is {found} given these {n} evaluations, and an expectation divides by it")]
    NoNormaliser { found: f64, n: usize },
    #[error(
        "the integrand reaches {0:e} at the evaluated points, and sizes from 1e-100 to 1e100 can be squared without loss"
    )]
    Size(f64),
    #[error("the integral is not finite under {kernel}, which fits the {n} evaluations best")]
    NotDetermined { kernel: String, n: usize },
    #[error(
        "no function of {kernel} goes through all evaluations: they reach {} and differ by up to {} from the nearest",
        number(*.size), number(*.misfit)
    )]
    Refuted { kernel: String, misfit: f64, size: f64 },
    #[error("the covariance matrix of the {n} evaluated points cannot be factored, as points are too close together")]
    NotPositiveDefinite { n: usize },
    #[error("stopped before there was a result")]
    Stopped,
    /// A user's function failed, with this message.
    #[error("{0}")]
    Integrand(String),
}

impl QuadratureError {
    /// Whether the user asked to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Stopped | Self::Model(ModelError::Stopped | ModelError::StoppedAt { .. }))
    }
}
