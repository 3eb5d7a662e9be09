//! A surface drawn from a kernel.

use super::covariance::Place;
use super::domain::Domain;
use super::mesh::Mesh;

/// A drawn surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    pub mesh: Mesh,
    /// The point of the sheet of each vertex; the first if several points are the same.
    pub places: Vec<Place>,
    /// A fourth function drawn from the kernel, at each vertex. It is a function on the surface, continuous at the
    /// seams.
    pub shade: Vec<f64>,
    pub domain: Domain,
    /// The number of points along a side of the sheet.
    pub res: usize,
    /// The largest distance in space between two equal points of the sheet, relative to the size of the surface.
    pub gap: f64,
}
