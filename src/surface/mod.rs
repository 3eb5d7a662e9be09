//! Surfaces drawn from a kernel over two inputs (Duvenaud, "Expressing Structure with Kernels", 1.7): three independent
//! functions carry a sheet of the plane into space.
//!
//! Where the kernel makes two points of the sheet one, f(p) = f(q) for every function drawn from it, the mesh has one
//! vertex: a period closes the sheet to a cylinder, two to a torus, a swap folds the torus to a Möbius strip, and poles
//! shrink to points. Symmetries are not declared; they are found in the kernel's values, so that
//! any kernel works. There is no kernel tree here, no file and no picture.

mod covariance;
mod domain;
mod drawing;
mod drawn_surface;
mod export;
mod mesh;
#[cfg(test)]
mod tests;

pub use covariance::{Covariance, NEAR, Place};
pub use domain::{Domain, Hints};
pub use drawing::{LEAST, MOST, SurfaceError, draw};
pub use drawn_surface::Surface;
pub use export::Format;
pub use mesh::{Face, Mesh, Point, Shape};
