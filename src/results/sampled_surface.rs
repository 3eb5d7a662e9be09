use crate::kernel::Kernel;
use crate::surface::Surface;

/// A surface with the kernel and data from which it was drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledSurface {
    pub kernel: Kernel,
    pub seed: u64,
    pub surface: Surface,
    /// The names of the two inputs.
    pub inputs: [String; 2],
}
