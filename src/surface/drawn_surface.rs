//! A surface drawn from a kernel.

use super::covariance::Place;
use super::domain::Domain;
use super::mesh::Mesh;

/// A drawn surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    pub mesh: Mesh,
    /// Where each vertex lies on the sheet; of points that are one, the first.
    pub places: Vec<Place>,
    /// A fourth function drawn from the kernel, at each vertex: it lives on the surface, and no seam shows in it.
    pub shade: Vec<f64>,
    pub domain: Domain,
    /// Points along a side of the sheet.
    pub res: usize,
    /// The farthest that two points of the sheet which are one were drawn apart, relative to the size of the surface.
    pub gap: f64,
}
