//! The values of a kernel between points of the sheet.

use crate::linalg::Matrix;

/// A point of the sheet: the two inputs.
pub type Place = [f64; 2];
/// How near two points are to be one: apart by this much, relative to the size of the surface.
pub const NEAR: f64 = 1e-6;

/// The kernel as this room asks for it: k(a, b) of all places of one list with all of another, white noise left out.
pub trait Covariance {
    type Error;
    /// # Errors
    /// What the kernel has to say, or that the user stopped it.
    fn cross(&mut self, a: &[Place], b: &[Place]) -> Result<Matrix, Self::Error>;
}

impl<E, F: FnMut(&[Place], &[Place]) -> Result<Matrix, E>> Covariance for F {
    type Error = E;

    fn cross(&mut self, a: &[Place], b: &[Place]) -> Result<Matrix, E> {
        self(a, b)
    }
}
