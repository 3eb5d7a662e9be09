//! SVG and PNG, and writing them to a file.

use std::path::Path;

use kuva::backend::raster::RasterBackend;
use kuva::backend::svg::SvgBackend;

use super::draw::Medium;
use super::error::FigureError;
use super::spec::{Figure, LARGEST, Size};
use super::text::clean;
use super::{draw, layout};
use crate::data::write::write_whole;

/// Pixels of a PNG per CSS pixel in each direction.
const DENSITY: usize = 2;

/// The figure as an SVG document that scales with its container.
///
/// # Errors
/// [`FigureError::Size`] if a side is zero or above 8000.
pub fn to_svg(figure: &Figure, size: Size) -> Result<String, FigureError> {
    check(size)?;
    let svg = SvgBackend::new().render_scene(&draw::scene(&layout::place(figure, size), Medium::Shapes));
    // The crate writes neither a view box, which browsers need for scaling, nor a title for screen readers.
    let open = format!("<svg role=\"img\" viewBox=\"0 0 {} {}\" ", size.width, size.height);
    let svg = svg.replacen("<svg ", &open, 1);
    Ok(svg.replacen('>', &format!("><title>{}</title>", escape(&clean(&figure.title))), 1))
}

/// The image with other names of its clip paths, which are made from positions: figures of one page must not share them.
pub fn distinct(svg: &str, name: &str) -> String {
    let named = |before: &str| format!("{before}{name}-");
    svg.replace("id=\"axes-", &named("id=\"")).replace("\"url(#axes-", &named("\"url(#"))
}

/// The figure as a PNG, with twice the pixels of `size` in each direction.
///
/// # Errors
/// [`FigureError::Size`] if a side is zero or above 8000; [`FigureError::Encode`] if the encoder fails.
pub fn to_png(figure: &Figure, size: Size) -> Result<Vec<u8>, FigureError> {
    raster(figure, size, DENSITY)
}

/// The figure as a PNG with the pixels of `size`, for terminals that show an image pixel by pixel.
///
/// # Errors
/// As [`to_png`].
pub fn to_small_png(figure: &Figure, size: Size) -> Result<Vec<u8>, FigureError> {
    raster(figure, size, 1)
}

fn raster(figure: &Figure, size: Size, density: usize) -> Result<Vec<u8>, FigureError> {
    check(size)?;
    let scene = draw::scene(&layout::place(figure, size), Medium::Pixels { density });
    RasterBackend::new().with_scale(density as f32).render_scene(&scene).map_err(FigureError::Encode)
}

/// Writes the figure at its natural size in the format of the extension of `path`, `.svg` or `.png`. Missing folders
/// are created. The file is written completely or not at all.
///
/// # Errors
/// [`FigureError::Ending`] for any other extension; [`FigureError::Write`] if the system refuses.
pub fn save(figure: &Figure, path: &Path) -> Result<(), FigureError> {
    let size = Size::of(figure);
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let bytes = match ending.as_deref() {
        Some("svg") => to_svg(figure, size)?.into_bytes(),
        Some("png") => to_png(figure, size)?,
        _ => return Err(FigureError::Ending { path: path.to_path_buf() }),
    };
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        // an error here is reported by the write below
        let _ = std::fs::create_dir_all(folder);
    }
    Ok(write_whole(path, &bytes)?)
}

fn check(size: Size) -> Result<(), FigureError> {
    let Size { width, height } = size;
    let fits = |side: u32| (1..=LARGEST).contains(&side);
    if fits(width) && fits(height) { Ok(()) } else { Err(FigureError::Size { width, height }) }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Mark, Panel, Role};

    /// Values outside of a given range are not drawn, in an image with names of its own too.
    #[test]
    fn what_is_outside_of_the_axes_is_cut_off() {
        let line =
            Mark::Line { x: vec![0.0, 1.0], y: vec![0.0, 9.0], label: String::new(), role: Role::Mean, dashed: false };
        let panel = Panel::new("x", "y", vec![line]);
        let panel = Panel { y: Axis { range: Some((0.0, 1.0)), ..panel.y.clone() }, ..panel };
        let figure = Figure::grid("", 2, vec![panel.clone(), panel]);
        let svg = to_svg(&figure, Size::of(&figure)).unwrap();
        for svg in [distinct(&svg, "own"), svg] {
            let used: Vec<&str> = svg.split("url(#").skip(1).filter_map(|rest| rest.split(')').next()).collect();
            assert_eq!(used.len(), 2);
            for id in used {
                assert_eq!(svg.matches(&format!("<clipPath id=\"{id}\"")).count(), 1, "{id}");
            }
        }
    }
}
