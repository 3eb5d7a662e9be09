//! Lines, bands, dots and bars as shapes, thinned to what a file of moderate size can hold.

use std::collections::HashMap;

use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, build_path};

use super::layout::{Frame, Page, Placed};
use super::palette::{self, Rgb, colour};
use super::primitives::paint;
use super::shapes::{DENSE, Point, dashes, thin_line, thin_points};
use super::spec::{Mark, Role};

/// The bytes of a file that all of a figure's lines, dots and bars may take.
const MOST: usize = 1_500_000;
/// The bytes that a vertex of a line, a dot, and a bar take.
const VERTEX: usize = 16;
const DOT: usize = 50;
const BAR: usize = 115;
/// A mark keeps this many dots, and this many bars, however many others the figure has.
const FEW_DOTS: usize = 500;
const FEW_BARS: usize = 50;
/// The largest number of dashes of a line, and of all lines of a panel.
const DASHES: usize = 400;
const ALL_DASHES: usize = 16_000;
const DASH: (f64, f64) = (6.0, 4.0);

/// The share of its vertices, dots and bars that a mark keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Room(f64);

impl Room {
    /// The share with which the marks of a page fit into a file.
    pub fn of(page: &Page<'_>) -> Self {
        let weight = |panel: &Placed<'_>| -> usize {
            let vertices = |n: usize| VERTEX * n.min(4 * panel.frame.w as usize);
            let weight = |mark: &Mark| match mark {
                Mark::Points { .. } => DOT * size(mark),
                Mark::Line { .. } => vertices(size(mark)),
                Mark::Band { .. } => 2 * vertices(size(mark)),
                Mark::Bars { .. } => BAR * size(mark).min(panel.frame.w as usize),
                _ => 0,
            };
            panel.marks.iter().map(|mark| weight(mark)).sum()
        };
        let all: usize = page.panels.iter().map(weight).sum();
        Self(MOST as f64 / all.max(MOST) as f64)
    }

    /// The largest number of dots of a mark.
    pub fn dots(self, mark: &Mark) -> usize {
        self.part(size(mark)).max(FEW_DOTS)
    }

    /// The largest number of bars of a mark.
    pub fn bars(self, mark: &Mark) -> usize {
        self.part(size(mark)).max(FEW_BARS)
    }

    fn part(self, of: usize) -> usize {
        (of as f64 * self.0) as usize
    }

    /// A line with at most its share of vertices; one that fits keeps its look.
    fn thinned(self, points: &[Point]) -> Vec<Point> {
        let mut kept = thin_line(points, 1.0);
        let most = self.part(kept.len()).max(2);
        let mut column = 1.0;
        while kept.len() > most && column < 1e5 {
            column *= 1.3;
            kept = thin_line(points, column);
        }
        kept
    }
}

/// The number of places of a mark.
fn size(mark: &Mark) -> usize {
    match mark {
        Mark::Points { x, y, .. } | Mark::Line { x, y, .. } => x.len().min(y.len()),
        Mark::Band { x, .. } | Mark::Bars { x, .. } => x.len(),
        _ => 0,
    }
}

/// The lines of a panel. Those of one colour and width are one shape of the file if they are many.
#[derive(Debug)]
pub(super) struct Lines {
    pub room: Room,
    /// The largest number of dashes of each.
    dashes: usize,
    /// Whether lines are gathered by their colours, in order of appearance.
    many: bool,
    gathered: Vec<(Style, Vec<Vec<Point>>)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Style {
    ink: Rgb,
    wide: f64,
}

impl Lines {
    pub fn new(panel: &Placed<'_>, room: Room) -> Self {
        const MANY: usize = 100;
        let lines = panel.marks.iter().filter(|mark| matches!(mark.as_ref(), Mark::Line { .. })).count();
        let dashes = (ALL_DASHES / lines.max(1)).clamp(1, DASHES);
        Self { room, dashes, many: lines > MANY, gathered: Vec::new() }
    }

    /// Adds the unbroken parts of a line. A part of one place is a dot.
    pub fn add(&mut self, parts: Vec<Vec<Point>>, role: Role, dashed: bool) {
        let wide = match role {
            Role::Cloud | Role::Contour => 0.8,
            Role::Draw(_) | Role::Reference => 1.2,
            Role::Thin(_) => 1.0,
            _ => 1.8,
        };
        let style = Style { ink: colour(role), wide };
        let known = if self.many { self.gathered.iter().position(|(of, _)| *of == style) } else { None };
        let at = known.unwrap_or_else(|| {
            self.gathered.push((style, Vec::new()));
            self.gathered.len() - 1
        });
        let strokes = &mut self.gathered[at].1;
        for part in parts {
            let points = self.room.thinned(&part);
            match points[..] {
                // a dash as wide as the line is a dot
                [(x, y)] => strokes.push(vec![(x - wide / 2.0, y), (x + wide / 2.0, y)]),
                _ if dashed || palette::dashed(role) => strokes.extend(cut(&points, self.dashes)),
                _ => strokes.push(points),
            }
        }
    }

    /// Draws the lines that were added.
    pub fn draw(&mut self, scene: &mut Scene) {
        for (Style { ink, wide }, strokes) in std::mem::take(&mut self.gathered) {
            draw_strokes(scene, strokes, ink, wide);
        }
    }
}

/// The dashes of a line, at most `most` of them.
fn cut(points: &[Point], most: usize) -> Vec<Vec<Point>> {
    let length: f64 = points.windows(2).map(|w| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1)).sum();
    let longer = (length / (DASH.0 + DASH.1) / most as f64).max(1.0);
    dashes(points, DASH.0 * longer, DASH.1 * longer)
}

/// A line of its own, such as a guide or an entry of a legend.
pub(super) fn stroke(scene: &mut Scene, points: &[Point], ink: Rgb, wide: f64, dashed: bool) {
    let strokes = if dashed { cut(points, DASHES) } else { vec![points.to_vec()] };
    draw_strokes(scene, strokes, ink, wide);
}

/// Lines of one look: those that the image shows, as one shape if they are many.
fn draw_strokes(scene: &mut Scene, strokes: Vec<Vec<Point>>, ink: Rgb, wide: f64) {
    const MANY: usize = 40;
    let (w, h) = (scene.width, scene.height);
    // dashes of a line far outside the figure would fill the file
    let seen = |points: &Vec<Point>| {
        let beyond =
            |f: fn(&Point) -> f64, most: f64| points.iter().all(|p| f(p) < 0.0) || points.iter().all(|p| f(p) > most);
        points.len() > 1 && !beyond(|p| p.0, w) && !beyond(|p| p.1, h)
    };
    let strokes: Vec<Vec<Point>> = strokes.into_iter().filter(seen).collect();
    if strokes.len() > MANY {
        scene.add(Primitive::Path(Box::new(PathData {
            d: strokes.iter().map(|points| build_path(points)).collect(),
            fill: None,
            stroke: paint(ink),
            stroke_width: wide,
            opacity: None,
            stroke_dasharray: None,
        })));
        return;
    }
    for points in strokes {
        scene.add(Primitive::PolyLine { points, stroke: paint(ink), stroke_width: wide, stroke_dasharray: None });
    }
}

/// At most `most` dots; over a map each has a white rim, because its colours may be as dark.
pub(super) fn dots(scene: &mut Scene, points: Vec<Point>, role: Role, on_map: bool, most: usize) {
    let ink = if points.len() > DENSE { palette::pale(colour(role), 0.55) } else { colour(role) };
    let (radius, cell) = match points.len() {
        0..=60 => (3.0, 0.25),
        61..=300 => (2.2, 0.25),
        301..=2000 => (1.7, 0.5),
        2001..=20_000 => (1.3, 1.5),
        _ => (1.2, 2.0),
    };
    let mut wider = cell;
    let mut kept = thin_points(points.iter().copied(), cell);
    while kept.len() > most {
        wider *= 1.1;
        kept = thin_points(points.iter().copied(), wider);
    }
    let (cx, cy): (Vec<f64>, Vec<f64>) = kept.into_iter().unzip();
    // Rings distinguish held-out points without colour.
    let ring = role == Role::Test && radius > 1.5;
    scene.add(Primitive::CircleBatch {
        cx,
        cy,
        r: if ring { radius + 0.3 } else { radius },
        fill: if ring { Color::Rgb(255, 255, 255) } else { paint(ink) },
        fill_opacity: None,
        stroke: match (ring, on_map) {
            (true, _) => Some(paint(ink)),
            (false, true) => Some(Color::Rgb(255, 255, 255)),
            (false, false) => None,
        },
        stroke_width: (ring || on_map).then_some(if ring { 1.4 } else { 0.7 }),
    });
}

/// The area between two lines, each pair of places one above the other.
pub(super) fn band(scene: &mut Scene, both: impl Iterator<Item = (Point, Point)>, fill: Rgb, room: Room) {
    let mut run: (Vec<Point>, Vec<Point>) = (Vec::new(), Vec::new());
    let mut close = |run: &mut (Vec<Point>, Vec<Point>)| {
        let (above, below) = (room.thinned(&run.0), room.thinned(&run.1));
        if above.len() > 1 {
            let outline: Vec<Point> = above.into_iter().chain(below.into_iter().rev()).collect();
            scene.add(Primitive::Path(Box::new(PathData {
                d: build_path(&outline) + "Z",
                fill: Some(paint(fill)),
                stroke: Color::None,
                stroke_width: 0.0,
                opacity: Some(0.32),
                stroke_dasharray: None,
            })));
        }
        run.0.clear();
        run.1.clear();
    };
    for (above, below) in both {
        if [above.0, above.1, below.1].iter().all(|v| v.is_finite()) {
            run.0.push(above);
            run.1.push(below);
        } else {
            close(&mut run);
        }
    }
    close(&mut run);
}

/// Bars of one colour, at most `most` of them; those that begin in one column of pixels are one. Where bars of
/// `several` marks may cover one another, all of them can be seen.
pub(super) fn bars(scene: &mut Scene, bars: Vec<Frame>, ink: Rgb, several: bool, most: usize) {
    /// The least width of a bar, and that from which it has an outline.
    const LEAST: f64 = 0.6;
    const OUTLINED: f64 = 3.0;
    let mut column = 1.0;
    let mut kept = merged(bars, column);
    while kept.len() > most {
        column *= 1.3;
        kept = merged(kept, column);
    }
    for bar in kept {
        let outlined = several && bar.w >= OUTLINED;
        scene.add(Primitive::Rect {
            x: bar.x,
            y: bar.y,
            width: bar.w.max(LEAST),
            height: bar.h.max(0.0),
            fill: paint(if several { ink } else { palette::pale(ink, 0.7) }),
            stroke: outlined.then(|| paint(ink)),
            stroke_width: outlined.then_some(1.0),
            opacity: several.then_some(0.5),
        });
    }
}

/// Bars with those that begin in the same column of pixels joined.
fn merged(bars: Vec<Frame>, column: f64) -> Vec<Frame> {
    let mut places: HashMap<i64, usize> = HashMap::new();
    let mut kept: Vec<Frame> = Vec::new();
    for bar in bars {
        let at = *places.entry((bar.x / column).floor() as i64).or_insert(kept.len());
        let Some(known) = kept.get_mut(at) else {
            kept.push(bar);
            continue;
        };
        let (right, foot) = ((known.x + known.w).max(bar.x + bar.w), (known.y + known.h).max(bar.y + bar.h));
        (known.x, known.y) = (known.x.min(bar.x), known.y.min(bar.y));
        (known.w, known.h) = (right - known.x, foot - known.y);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_below_a_pixel_are_joined() {
        let bar = |i: u32| Frame { x: f64::from(i) * 0.01, y: f64::from(100 - i % 7), w: 0.008, h: f64::from(i % 7) };
        let joined = merged((0..10_000).map(bar).collect(), 1.0);
        assert_eq!(joined.len(), 100);
        assert!(joined.iter().all(|bar| (bar.y, bar.h) == (94.0, 6.0)), "{joined:?}");
        let apart: Vec<Frame> = (0..50).map(|i| Frame { x: f64::from(i) * 4.0, y: 0.0, w: 3.0, h: 9.0 }).collect();
        assert_eq!(merged(apart.clone(), 1.0), apart);
    }

    #[test]
    fn a_long_line_has_long_dashes() {
        let line: Vec<Point> = (0..2000).map(|i| (f64::from(i) / 2.0, f64::from(i % 2) * 400.0)).collect();
        assert!(cut(&line, 400).len() <= 401);
        assert_eq!(cut(&[(0.0, 0.0), (100.0, 0.0)], 400).len(), 10);
    }

    #[test]
    fn a_line_keeps_its_share_of_vertices_and_its_extremes() {
        let line: Vec<Point> = (0..1000).map(|i| (f64::from(i) * 0.8, f64::from(i * 37 % 101))).collect();
        assert_eq!(Room(1.0).thinned(&line).len(), thin_line(&line, 1.0).len());
        let kept = Room(0.1).thinned(&line);
        assert!(kept.len() <= 100, "{}", kept.len());
        assert!(kept.iter().any(|p| p.1 == 100.0) && kept.iter().any(|p| p.1 == 0.0));
    }
}
