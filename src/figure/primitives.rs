//! Lines, boxes and texts of a scene.

use kuva::render::color::Color;
use kuva::render::render::{Primitive, Scene, TextAnchor, TextSpan};

use super::layout::{Anchor, Frame, Text};
use super::palette::Rgb;
use super::shapes::Point;
use super::text::clean;

pub(super) fn line(scene: &mut Scene, a: Point, b: Point, ink: Rgb, wide: f64) {
    scene.add(Primitive::Line {
        x1: a.0,
        y1: a.1,
        x2: b.0,
        y2: b.1,
        stroke: paint(ink),
        stroke_width: wide,
        stroke_dasharray: None,
    });
}

pub(super) fn rectangle(scene: &mut Scene, frame: Frame, fill: Rgb, opacity: Option<f64>) {
    scene.add(Primitive::Rect {
        x: frame.x,
        y: frame.y,
        width: frame.w.max(0.0),
        height: frame.h.max(0.0),
        fill: paint(fill),
        stroke: None,
        stroke_width: None,
        opacity,
    });
}

pub(super) fn draw_text(scene: &mut Scene, text: &Text) {
    let Text { x, y, size, .. } = *text;
    let anchor = match text.anchor {
        Anchor::Start => TextAnchor::Start,
        Anchor::Middle => TextAnchor::Middle,
        Anchor::End => TextAnchor::End,
    };
    let color = Some(paint(text.colour));
    // names of ticks and texts of cells come from the data unchanged
    let shown = clean(&text.text);
    if text.bold {
        // The pixel renderer supports bold only in rich text, which has no formulas.
        let spans = vec![TextSpan { bold: true, ..TextSpan::plain(&shown) }];
        scene.add(Primitive::RichText { x, y, spans, size, anchor, color });
        return;
    }
    // The crate would parse text between two dollar signs as a formula.
    let content = shown.replace('$', "\\$");
    scene.add(Primitive::Text { x, y, content, size, anchor, rotate: None, bold: false, color });
}

pub(super) fn paint((r, g, b): Rgb) -> Color {
    Color::Rgb(r, g, b)
}
