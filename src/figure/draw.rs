//! Converts a laid-out page to a scene of the drawing crate, which writes it as SVG or renders it as pixels.
//!
//! Only the shapes and writers of the crate are used. Its own charts truncate long titles, omit bands from the legend,
//! restart a dash at every corner and print 1e299 with 300 digits; so layout, ticks and dashes are our own.

use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, build_path};

use super::heat_cells::{cells, plane_cells};
use super::hidden_surfaces;
use super::layout::{Anchor, ColourBar, Frame, Key, Page, Placed, TICK, TICK_MARK, TICK_ROOM, Text};
use super::mesh::{self, Side};
use super::nodes::draw_nodes;
use super::palette::{self, Rgb, Shades, colour};
use super::primitives::{draw_text, line, paint, rectangle};
use super::rasterize;
use super::scale::Tick;
use super::shapes::{Point, pairs, runs};
use super::spec::{Across, Mark, Role};
use super::strokes::{Lines, Room, band, bars, dots, stroke};
use super::text::width;

/// PNGs are rendered and text is measured in DejaVu Sans; the others have similar widths.
const FONTS: &str = "DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif";
/// Lines extend at most this many pixels beyond the axes, because distant ends would overflow.
const FAR: f64 = 1e5;
/// The largest number of cells of a matrix in each direction.
const CELLS: usize = 120;
/// The height of a triangle below an axis.
const TRIANGLE: f64 = 6.5;

/// The output of a scene. Only surfaces depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Medium {
    /// Shapes with one colour each.
    Shapes,
    /// Pixels, with this number per CSS pixel.
    Pixels { density: usize },
}

/// The scene of a page.
pub(super) fn scene(page: &Page<'_>, medium: Medium) -> Scene {
    let mut scene = Scene::new(f64::from(page.size.width), f64::from(page.size.height));
    scene.font_family = Some(FONTS.into());
    scene.text_color = Some(hex(palette::INK));
    let room = Room::of(page);
    for panel in &page.panels {
        draw_panel(&mut scene, panel, medium, room);
    }
    for (key, x, y) in &page.keys {
        draw_key(&mut scene, *key, *x, *y);
    }
    for text in &page.texts {
        draw_text(&mut scene, text);
    }
    scene
}

fn draw_panel(scene: &mut Scene, panel: &Placed<'_>, medium: Medium, room: Room) {
    let Frame { x, y, w, h } = panel.frame;
    let heat = panel.marks.iter().any(|m| matches!(m.as_ref(), Mark::Heat { .. } | Mark::Plane { .. }));
    if !heat {
        for tick in &panel.x_ticks {
            line(scene, (x + tick.at * w, y), (x + tick.at * w, y + h), palette::GRID, 1.0);
        }
        for tick in &panel.y_ticks {
            line(scene, (x, y + h - tick.at * h), (x + w, y + h - tick.at * h), palette::GRID, 1.0);
        }
    }
    // Named by its position: two figures in one document that share a name would share the clip box.
    let id = format!("axes-{x:.0}-{y:.0}-{w:.0}-{h:.0}");
    let (left, top, width, height) = (x - 1.0, y - 1.0, w + 2.0, h + 2.0);
    // The crate defines the box for pixels only.
    scene.defs.push(format!(
        "<clipPath id=\"{id}\"><rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" /></clipPath>"
    ));
    scene.add(Primitive::ClipStart { x: left, y: top, width, height, id });
    let shades = panel.bar.as_ref().map(|b| b.shades);
    let mut lines = Lines::new(panel, room);
    for mark in &panel.marks {
        if !matches!(mark.as_ref(), Mark::Line { .. }) {
            lines.draw(scene);
        }
        draw_mark(scene, panel, mark, shades, medium, &mut lines);
    }
    lines.draw(scene);
    scene.add(Primitive::ClipEnd);
    if !panel.marks.iter().any(|m| matches!(m.as_ref(), Mark::Mesh { .. } | Mark::Nodes { .. })) {
        line(scene, (x, y + h), (x + w, y + h), palette::QUIET, 1.0);
        line(scene, (x, y), (x, y + h), palette::QUIET, 1.0);
    }
    for mark in &panel.marks {
        if let Mark::Rug { x: at, role, .. } = mark.as_ref() {
            let places = at.iter().map(|v| panel.x.at(*v)).filter(|t| (0.0..=1.0).contains(t));
            places.for_each(|t| triangle(scene, (x + t * w, y + h), *role));
        }
    }
    if heat {
        line(scene, (x, y), (x + w, y), palette::QUIET, 1.0);
        line(scene, (x + w, y), (x + w, y + h), palette::QUIET, 1.0);
    }
    if panel.empty {
        small(scene, (x + w / 2.0, y + h / 2.0), "no data", Anchor::Middle);
    }
    for tick in &panel.x_ticks {
        let at = x + tick.at * w;
        line(scene, (at, y + h), (at, y + h + TICK_MARK), palette::QUIET, 1.0);
        small(scene, (at, y + h + TICK_MARK + TICK_ROOM + f64::from(TICK) - 2.0), &tick.text, Anchor::Middle);
    }
    upright_ticks(scene, panel.frame, &panel.y_ticks, x, -1.0);
    if let Some(bar) = &panel.bar {
        draw_bar(scene, bar);
    }
}

/// Ticks of a vertical axis at `x`, to its left (`side` −1) or right (1).
fn upright_ticks(scene: &mut Scene, frame: Frame, ticks: &[Tick], x: f64, side: f64) {
    let anchor = if side < 0.0 { Anchor::End } else { Anchor::Start };
    for tick in ticks {
        let at = frame.y + frame.h - tick.at * frame.h;
        line(scene, (x, at), (x + side * TICK_MARK, at), palette::QUIET, 1.0);
        small(scene, (x + side * (TICK_MARK + TICK_ROOM), at + 4.0), &tick.text, anchor);
    }
}

fn draw_bar(scene: &mut Scene, bar: &ColourBar) {
    let Frame { x, y, w, h } = bar.frame;
    const BANDS: usize = 100;
    let band = h / BANDS as f64;
    let span = bar.shades.hi / 2.0 - bar.shades.lo / 2.0;
    for i in 0..BANDS {
        let value = bar.shades.lo + span * 2.0 * ((i as f64 + 0.5) / BANDS as f64);
        // Overlaps the next band by half a pixel, to avoid hairlines.
        let top = y + h - band * (i as f64 + 1.0);
        let extra = if i + 1 < BANDS { 0.5 } else { 0.0 };
        rectangle(scene, Frame { x, y: top - extra, w, h: band + extra }, bar.shades.of(value), None);
    }
    upright_ticks(scene, bar.frame, &bar.ticks, x + w, 1.0);
}

fn draw_mark(
    scene: &mut Scene,
    panel: &Placed<'_>,
    mark: &Mark,
    shades: Option<Shades>,
    medium: Medium,
    lines: &mut Lines,
) {
    let frame = panel.frame;
    let sideways = |t: f64| (frame.x + t * frame.w).clamp(-FAR, FAR);
    let upward = |t: f64| (frame.y + frame.h - t * frame.h).clamp(-FAR, FAR);
    let (across, up) = (|v: f64| sideways(panel.x.at(v)), |v: f64| upward(panel.y.at(v)));
    let (edge_x, edge_y) = (|v: f64| sideways(panel.x.edge(v)), |v: f64| upward(panel.y.edge(v)));
    let logs = [panel.x.is_log(), panel.y.is_log()];
    // A value that is not finite would be clamped to the edge; it must stay missing.
    let place = |(x, y): Point| if x.is_finite() && y.is_finite() { (across(x), up(y)) } else { (f64::NAN, f64::NAN) };
    match mark {
        Mark::Points { x, y, role, .. } => {
            let points = pairs(x, y).map(place).filter(|p| p.0.is_finite() && p.1.is_finite()).collect();
            dots(scene, points, *role, shades.is_some(), lines.room.dots(mark));
        }
        Mark::Line { x, y, role, dashed, .. } => {
            lines.add(runs(pairs(x, y).map(place)), *role, *dashed);
        }
        Mark::Band { x, lo, hi, role, .. } => {
            let both = pairs(x, lo).zip(hi).map(|((x, lo), hi)| (place((x, *hi)), place((x, lo))));
            band(scene, both, colour(*role), lines.room);
        }
        Mark::Rule { at, across: direction, role, .. } => {
            let (a, b) = match direction {
                Across::Horizontal => ((frame.x, up(*at)), (frame.x + frame.w, up(*at))),
                Across::Vertical => ((across(*at), frame.y), (across(*at), frame.y + frame.h)),
            };
            if a.0.is_finite() && a.1.is_finite() {
                stroke(scene, &[a, b], colour(*role), 1.0, true);
            }
        }
        Mark::Heat { x, y, z, texts, .. } => {
            let Some(shades) = shades else { return };
            let (mut left, mut top, mut w, mut h, mut fills) = (vec![], vec![], vec![], vec![], vec![]);
            let mut written = Vec::new();
            for (i, cell) in cells(x, y, z, CELLS, logs).into_iter().enumerate() {
                let (x0, x1, y0, y1) = (edge_x(cell.x.0), edge_x(cell.x.1), edge_y(cell.y.0), edge_y(cell.y.1));
                if ![x0, x1, y0, y1].iter().all(|v| v.is_finite()) {
                    continue;
                }
                let fill = shades.of(cell.value);
                // Overlaps the next cell slightly, to avoid hairlines; cells with texts have a gap.
                let (inset, over) = if texts.is_empty() { (0.0, 0.4) } else { (0.75, -1.5) };
                left.push(x0.min(x1) + inset);
                top.push(y0.min(y1) + inset);
                w.push((x1 - x0).abs() + over);
                h.push((y1 - y0).abs() + over);
                fills.push(paint(fill));
                // blocks of cells have no text
                if let Some(text) = texts.get(i).filter(|_| x.len().max(y.len()) <= CELLS) {
                    let room = Frame { x: x0.min(x1), y: y0.min(y1), w: (x1 - x0).abs(), h: (y1 - y0).abs() };
                    written.push((text, room, palette::ink_on(fill)));
                }
            }
            scene.add(Primitive::RectBatch { x: left, y: top, w, h, fills });
            written.into_iter().for_each(|(text, room, ink)| write_in(scene, text, room, ink));
        }
        Mark::Plane { x, y, places } => {
            let (mut left, mut top, mut w, mut h, mut fills) = (vec![], vec![], vec![], vec![], vec![]);
            for (cell, fill) in plane_cells(x, y, places, CELLS, logs) {
                let (x0, x1, y0, y1) = (edge_x(cell.x.0), edge_x(cell.x.1), edge_y(cell.y.0), edge_y(cell.y.1));
                if ![x0, x1, y0, y1].iter().all(|v| v.is_finite()) {
                    continue;
                }
                left.push(x0.min(x1));
                top.push(y0.min(y1));
                w.push((x1 - x0).abs() + 0.4);
                h.push((y1 - y0).abs() + 0.4);
                fills.push(paint(fill));
            }
            scene.add(Primitive::RectBatch { x: left, y: top, w, h, fills });
        }
        Mark::Trail { x, y, along } => {
            let Some(shades) = Shades::along(along) else { return };
            let at: Vec<Point> = pairs(x, y).map(place).collect();
            for (pair, value) in at.windows(2).zip(along) {
                if pair.iter().all(|p| p.0.is_finite() && p.1.is_finite()) {
                    stroke(scene, pair, shades.of(*value), 1.8, false);
                }
            }
        }
        Mark::Bars { x, height, width, role, .. } => {
            let ground = edge_y(0.0);
            let bar = |(x, height): Point| {
                let (x0, x1, end) = (edge_x(x - width / 2.0), edge_x(x + width / 2.0), up(height));
                let known = height.is_finite() && [across(x), x0, x1, end].iter().all(|v| v.is_finite());
                let gap = if (x1 - x0).abs() > 4.0 { 0.5 } else { 0.0 };
                known.then(|| Frame {
                    x: x0.min(x1) + gap,
                    y: end.min(ground),
                    w: (x1 - x0).abs() - 2.0 * gap,
                    h: (end - ground).abs(),
                })
            };
            let all = pairs(x, height).filter_map(bar).collect();
            let several = panel.marks.iter().filter(|m| matches!(m.as_ref(), Mark::Bars { .. })).count() > 1;
            bars(scene, all, colour(*role), several, lines.room.bars(mark));
        }
        Mark::Nodes { x, y, values, names, edges, .. } => {
            let Some(shades) = shades else { return };
            let at: Vec<Point> = pairs(x, y).map(place).collect();
            draw_nodes(scene, frame, &at, values, names, edges, shades);
        }
        Mark::Mesh { vertices, faces, shade, rims, names, view } => {
            let patches = mesh::patches(mesh::Body { vertices, faces, shade, rims }, *view);
            let names = mesh::named_places(vertices, names, *view);
            draw_mesh(scene, frame, patches, &names, medium);
        }
        // Already converted to bars, or drawn below the axis.
        Mark::Histogram { .. } | Mark::Rug { .. } => {}
    }
}

/// Lines of text in the middle of a cell, as far as they fit.
fn write_in(scene: &mut Scene, text: &str, room: Frame, colour: Rgb) {
    const SIZE: u32 = 13;
    let high = f64::from(SIZE) * 1.3;
    let lines: Vec<&str> = text.lines().collect();
    if high * lines.len() as f64 > room.h || lines.iter().any(|line| width(line, SIZE, false) + 4.0 > room.w) {
        return;
    }
    let first = room.y + room.h / 2.0 - high * (lines.len() as f64 - 1.0) / 2.0 + f64::from(SIZE) * 0.36;
    for (i, line) in lines.into_iter().enumerate() {
        let (x, y) = (room.x + room.w / 2.0, first + high * i as f64);
        draw_text(scene, &Text { x, y, text: line.into(), size: SIZE, anchor: Anchor::Middle, bold: false, colour });
    }
}

/// A surface at the largest size that fits: as shapes from the farthest to the nearest, or pixel by pixel.
fn draw_mesh(scene: &mut Scene, frame: Frame, patches: Vec<mesh::Patch>, names: &[(Point, &str)], medium: Medium) {
    const ROOM: f64 = 6.0;
    /// Above and below a surface with names, and from these to it.
    const NAME_ROOM: f64 = 34.0;
    const AWAY: f64 = 14.0;
    let Some([left, right, down, up]) = mesh::bounds(&patches) else { return };
    let longest = names.iter().map(|(_, name)| width(name, TICK, false) + AWAY).reduce(f64::max);
    let (beside, above) = (longest.unwrap_or(ROOM), if names.is_empty() { ROOM } else { NAME_ROOM });
    let fits = |room: f64, margin: f64, size: f64| {
        if size > 0.0 { (room - 2.0 * margin).max(1.0) / size } else { f64::INFINITY }
    };
    let scale = fits(frame.w, beside, right - left).min(fits(frame.h, above, up - down));
    let (x, y) = (frame.x + frame.w / 2.0, frame.y + frame.h / 2.0);
    let (middle_x, middle_y) = (f64::midpoint(left, right), f64::midpoint(down, up));
    let place = |(u, v): Point| (x + (u - middle_x) * scale, y - (v - middle_y) * scale);
    match medium {
        Medium::Pixels { density } => {
            let made = rasterize::painted(&patches, frame, density, place);
            let sides = vec![made.side; made.x.len()];
            let fills = made.colours.into_iter().map(paint).collect();
            scene.add(Primitive::RectBatch { x: made.x, y: made.y, w: sides.clone(), h: sides, fills });
        }
        Medium::Shapes => hidden_surfaces::painted(patches).iter().for_each(|patch| draw_patch(scene, patch, place)),
    }
    for (at, name) in names {
        let (u, v) = place(*at);
        let (across, down) = (u - x, v - y);
        let away = AWAY / across.hypot(down).max(1.0);
        let anchor = match across {
            _ if across < -0.03 * frame.w => Anchor::End,
            _ if across > 0.03 * frame.w => Anchor::Start,
            _ => Anchor::Middle,
        };
        small(scene, (u + across * away, v + down * away + 4.0), name, anchor);
    }
}

fn draw_patch(scene: &mut Scene, patch: &mesh::Patch, place: impl Fn(Point) -> Point) {
    const EDGE: f64 = 0.84;
    let outline: Vec<Point> = patch.outline.iter().map(|p| place(*p)).collect();
    if let ([a, b], [Side::Rim]) = (&outline[..], &patch.sides[..]) {
        return line(scene, *a, *b, patch.fill, 1.8);
    }
    scene.add(Primitive::Path(Box::new(PathData {
        d: build_path(&outline) + "Z",
        fill: Some(paint(patch.fill)),
        // A line between cells also covers hairlines of the rendering.
        stroke: paint(if patch.whole { palette::lit(patch.fill, EDGE) } else { patch.fill }),
        stroke_width: 0.5,
        opacity: None,
        stroke_dasharray: None,
    })));
    let next = outline.iter().cycle().skip(1);
    for ((a, b), side) in outline.iter().zip(next).zip(&patch.sides) {
        if *side == Side::Edge && !patch.whole {
            line(scene, *a, *b, palette::lit(patch.fill, EDGE), 0.5);
        }
    }
}

fn draw_key(scene: &mut Scene, key: Key, x: f64, y: f64) {
    match key {
        Key::Dot(role) => {
            // With the size of points in a small set.
            dots(scene, vec![(x + 10.0, y)], role, false, 1);
        }
        Key::Triangle(role) => triangle(scene, (x + 10.0, y - TRIANGLE / 2.0), role),
        Key::Line(role, dashed) => {
            let wide = if matches!(role, Role::Draw(_) | Role::Thin(_) | Role::Reference) { 1.4 } else { 2.0 };
            stroke(scene, &[(x, y), (x + 20.0, y)], colour(role), wide, dashed);
        }
        // For bars and bands; the shade of a band is too pale for such a small patch.
        Key::Patch(role) => {
            let share = if matches!(role, Role::Band) { 0.45 } else { 0.7 };
            rectangle(scene, Frame { x, y: y - 5.5, w: 20.0, h: 11.0 }, palette::pale(colour(role), share), None);
        }
    }
}

/// A triangle with its tip at a point and its base below.
fn triangle(scene: &mut Scene, (x, y): Point, role: Role) {
    const HALF: f64 = 3.5;
    let outline = [(x, y), (x + HALF, y + TRIANGLE), (x - HALF, y + TRIANGLE)];
    scene.add(Primitive::Path(Box::new(PathData {
        d: build_path(&outline) + "Z",
        fill: Some(paint(colour(role))),
        stroke: Color::None,
        stroke_width: 0.0,
        opacity: None,
        stroke_dasharray: None,
    })));
}

fn small(scene: &mut Scene, (x, y): Point, text: &str, anchor: Anchor) {
    draw_text(scene, &Text { x, y, text: text.into(), size: TICK, anchor, bold: false, colour: palette::QUIET });
}

fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
