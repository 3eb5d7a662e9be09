//! Figures as plain data, drawn as SVG, as PNG or as text in a terminal.
//!
//! A [`Figure`] is a title and a grid of [`Panel`]s. A panel has two [`Axis`] and a list of [`Mark`]s. Each mark has a
//! [`Role`] (data, mean, band, …) instead of a colour, so that all figures use the same colours, which are safe for
//! colour-blind readers. The legend is below the axes. Points are drawn on top. Values that are not finite are left
//! out; lines and bands break there.
//!
//! [`overlay`] and [`panels`] make one figure of several. [`standard_figures`] builds the figures of fits and kernels; [`to_svg`], [`to_png`], [`to_text`] and [`save`] draw them.

mod calendar_ticks;
mod combine;
mod contour;
mod draw;
mod error;
mod heat_cells;
mod hidden_surfaces;
mod image;
mod isosurface;
mod layout;
mod mesh;
mod nodes;
mod palette;
mod plot_box;
mod primitives;
mod rasterize;
mod scale;
mod shapes;
mod spec;
pub mod standard_figures;
mod strokes;
mod terminal;
#[cfg(test)]
mod tests;
mod text;

pub use combine::{OverlayError, overlay, panels, share_axes};
pub use contour::contour;
pub use error::FigureError;
pub use image::{distinct, save, to_png, to_small_png, to_svg};
pub use isosurface::isosurface;
pub use plot_box::{PlotBox, plot_boxes};
pub use spec::{Across, Axis, Figure, Mark, Panel, Role, Size};
pub use terminal::to_text;
