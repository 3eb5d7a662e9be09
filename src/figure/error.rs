//! Errors of drawing and writing figures.

use std::path::PathBuf;

use super::spec::LARGEST;

/// Errors of drawing and writing figures.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The file's ending names no picture format.
    #[error("a figure is written as .svg or .png, not as `{}`", path.display())]
    Ending {
        /// The path as given.
        path: PathBuf,
    },
    /// The size asked for is zero or too large to draw.
    #[error("a figure of {width} × {height} pixels cannot be drawn; each side must be from 1 to {}", LARGEST)]
    Size {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
    },
    /// The picture could not be encoded.
    #[error("the figure could not be encoded as PNG: {0}")]
    Encode(String),
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] crate::data::write::WriteError),
}
