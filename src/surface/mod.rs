//! Surfaces drawn from a kernel of two inputs (Duvenaud, "Expressing Structure with Kernels", 1.7): three independent
//! functions map a sheet of the plane to space.
//!
//! If the kernel identifies two points of the sheet, f(p) = f(q) for every function drawn from it, the mesh has one
//! vertex for both: one period closes the sheet to a cylinder, two to a torus, a swap folds the torus to a Möbius
//! strip, and poles shrink to points. Symmetries are detected from the kernel's values, so any kernel works. This room
//! does not depend on kernel trees, files or figures.

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
