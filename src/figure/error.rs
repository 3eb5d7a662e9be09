//! Errors of drawing and writing figures.

use std::path::PathBuf;

use super::spec::LARGEST;

/// Errors of drawing and writing figures.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The extension of the file is not that of an image format.
    #[error("a figure is written as .svg or .png, not as `{}`", path.display())]
    Ending {
        /// The path as given.
        path: PathBuf,
    },
    /// The requested size is zero or too large.
    #[error("a figure of {width} × {height} pixels cannot be drawn; each side must be from 1 to {}", LARGEST)]
    Size {
        /// The requested width.
        width: u32,
        /// The requested height.
        height: u32,
    },
    /// The image could not be encoded.
    #[error("the figure could not be encoded as PNG: {0}")]
    Encode(String),
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] crate::data::write::WriteError),
}
