//! Results of a fit: predictions, parts, residuals, scores, comparisons, and saved files; and of a kernel: surfaces and
//! features.
//!
//! All numbers are in the units of the data, except for the parts of a sum under a transform of the target, which are
//! on the scale of the model. Nothing is rounded or drawn here.

mod calibration;
mod checks;
mod compare;
mod component_shape;
mod crossval;
mod decompose;
mod deep;
mod effects;
mod evidence;
mod features;
mod grids;
mod importance;
mod level_effects;
pub mod metric;
mod mixture;
mod one_vs_rest;
mod order_variance;
mod predict;
mod residuals;
mod sampled_surface;
mod save;
mod save_deep;
mod save_integral;
mod score;
mod symmetry;

pub use calibration::{Bin, Calibration, Confusion, calibration, confusion};
pub use checks::{About, Check, Checks, DRAWS, Finding, LEAST_DRAWS, Topic, checks, checks_unless, normal_scores};
pub use compare::{Compared, compare, rank_by_evidence};
pub use component_shape::{
    ComponentShape, MainEffect, Monotonic, Over, PeriodicShape, Shape, TURN, component_shape, inputs_of, main_effects,
    periodic_shape,
};
pub use crossval::{
    Candidate, Contender, CrossError, CrossValidation, Failure, FoldScore, Folds, Standing, Trial, cross_validate,
};
pub use decompose::{By, Component, Cross, Decomposition, decompose, order_shares};
pub use deep::{DeepOutcomes, SCORE_SAMPLES, deep_outcomes};
pub use effects::{Correlation, PairsOfParts, PartialEffect};
pub use evidence::{EvidenceError, Integration, LogEvidence, log_evidence};
pub use features::Features;
pub use grids::Beyond;
pub use importance::{Gain, Importance, Loss, importance};
pub use level_effects::LevelEffects;
pub use mixture::Mixture;
pub use one_vs_rest::{ClassPrediction, Fitted, OneVsRest};
pub use order_variance::{OrderVariance, order_variance};
pub use predict::{At, Prediction, Quantiles, TAIL, predict, predict_unless};
pub use residuals::{Residuals, residuals};
pub use sampled_surface::SampledSurface;
pub use save::{SaveError, SavedFit};
pub use save_deep::SavedDeepFit;
pub use save_integral::SavedIntegral;
pub use score::{Score, leave_one_out_outcomes, outcomes_at, score_held_out, score_leave_one_out, scored};
pub use symmetry::{Symmetries, Symmetry, Wanted, symmetries};
