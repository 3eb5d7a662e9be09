//! The values of a kernel between points of the sheet.

use crate::linalg::Matrix;

/// A point of the sheet: the values of the two inputs.
pub type Place = [f64; 2];
/// Points are the same if their distance relative to the size of the surface is at most this.
pub const NEAR: f64 = 1e-6;

/// The kernel as needed here: k(a, b) for all points of one list with all of another, without white noise.
pub trait Covariance {
    type Error;
    /// # Errors
    /// An error of the kernel, or a stop by the user.
    fn cross(&mut self, a: &[Place], b: &[Place]) -> Result<Matrix, Self::Error>;
}

impl<E, F: FnMut(&[Place], &[Place]) -> Result<Matrix, E>> Covariance for F {
    type Error = E;

    fn cross(&mut self, a: &[Place], b: &[Place]) -> Result<Matrix, E> {
        self(a, b)
    }
}
