use crate::kernel::Kernel;
use crate::surface::Surface;

/// A surface with what it was drawn from.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledSurface {
    pub kernel: Kernel,
    pub seed: u64,
    pub surface: Surface,
    /// What the two inputs are called.
    pub inputs: [String; 2],
}
