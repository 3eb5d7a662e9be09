//! Named nodes with lines between them.

use kuva::render::render::Scene;

use super::draw::{draw_text, line, rectangle};
use super::layout::{Anchor, Frame, Text};
use super::palette::{self, Shades};
use super::shapes::Point;
use super::text::width;

/// Boxes with names, coloured by values, above the lines between them.
pub(super) fn draw_nodes(scene: &mut Scene, at: &[Point], values: &[f64], names: &[String], edges: &[[usize; 2]], shades: Shades) {
    const HIGH: f64 = 22.0;
    const SIZE: u32 = 12;
    for [a, b] in edges {
        if let (Some(a), Some(b)) = (at.get(*a), at.get(*b)) {
            line(scene, *a, *b, palette::pale(palette::QUIET, 0.4), 1.0);
        }
    }
    for ((place, value), name) in at.iter().zip(values).zip(names) {
        let wide = (width(name, SIZE, false) + 12.0).max(HIGH);
        let (x, y) = (place.0 - wide / 2.0, place.1 - HIGH / 2.0);
        let fill = shades.of(*value);
        rectangle(scene, Frame { x: x - 1.0, y: y - 1.0, w: wide + 2.0, h: HIGH + 2.0 }, palette::QUIET, None);
        rectangle(scene, Frame { x, y, w: wide, h: HIGH }, fill, None);
        let (x, y) = (place.0, place.1 + f64::from(SIZE) * 0.36);
        let (text, colour) = (name.clone(), palette::ink_on(fill));
        draw_text(scene, &Text { x, y, text, size: SIZE, anchor: Anchor::Middle, bold: false, colour });
    }
}

