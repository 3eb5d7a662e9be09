use super::tape::TapeError;
use crate::kernel::BindError;
use crate::model::ModelError;

/// Why a deep model and data are not compatible, or why a computation fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeepError {
    #[error(transparent)]
    Data(#[from] ModelError),
    #[error("the kernel of layer {layer} does not fit its inputs, which are {}: {error}", inputs.join(", "))]
    Layer { layer: usize, inputs: Vec<String>, error: Box<BindError> },
    #[error("{inducing} inducing inputs are more than the {rows} rows")]
    TooManyInducing { inducing: usize, rows: usize },
    #[error("the last layer of a fit has one unit, found {0}")]
    OutputUnits(usize),
    #[error("the kernel of layer {layer} has no derivatives along `{input}`, which the inducing inputs need")]
    NoSlope { layer: usize, input: String },
    #[error("the kernel of layer {layer}, {kernel}, does not depend on the inputs of the layer")]
    NoInputs { layer: usize, kernel: String },
    #[error("a deep GP takes a target that is standardized or scaled, and not one that is transformed otherwise")]
    CurvedTarget,
    #[error("the noise of a deep GP must be a positive number or `fixed(…)`")]
    Noise,
    #[error("the variance of the target is {0:e}: a deep GP takes one between 1e-280 and 1e280")]
    Scale(f64),
    #[error("the objective is not finite at any of the starts")]
    NoStart,
    #[error("the prediction has no finite covariance: {0}")]
    Numbers(#[from] TapeError),
    #[error("stopped by the user before the first result")]
    Stopped,
}
