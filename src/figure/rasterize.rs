//! Renders a surface pixel by pixel, with smooth shading, and exact cuts where faces intersect.

use super::layout::Frame;
use super::mesh::{Patch, Side, fill, light_on};
use super::palette::{self, Rgb};
use super::shapes::Point;

/// Samples along a side of a pixel; their mean is its colour.
const FINE: usize = 2;
/// The largest number of samples in memory.
const MOST: usize = 40_000_000;
/// Half the width of a line between faces and of a line at an end of the surface, in CSS pixels.
const LINE: f64 = 0.28;
const RIM: f64 = 1.1;
/// Faces with a side shorter than this, in CSS pixels, have fainter lines.
const ROOM: f64 = 8.0;
/// The brightness of a colour under a line between faces.
const UNDER: f64 = 0.86;

/// The pixels that a surface covers.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Pixels {
    /// Their left and upper sides, in CSS pixels.
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub colours: Vec<Rgb>,
    /// The side length of each.
    pub side: f64,
}

/// Renders patches; `place` maps their plane to CSS pixels, each of which is `density` × `density` pixels.
pub(super) fn painted(patches: &[Patch], frame: Frame, density: usize, place: impl Fn(Point) -> Point) -> Pixels {
    let side = 1.0 / density as f64;
    // On the pixel grid of the image, so that none is divided.
    let (left, top) = ((frame.x / side).floor() * side, (frame.y / side).floor() * side);
    let (wide, tall) = ((frame.w / side).ceil() as usize + 1, (frame.h / side).ceil() as usize + 1);
    let fine = if wide * tall * FINE * FINE > MOST { 1 } else { FINE };
    let scale = fine as f64 / side;
    let (w, h) = (wide * fine, tall * fine);
    let mut front: Vec<(f32, Rgb)> = vec![(f32::NEG_INFINITY, (0, 0, 0)); w * h];
    for patch in patches {
        let corners: Vec<Point> = patch
            .outline
            .iter()
            .map(|p| {
                let (x, y) = place(*p);
                ((x - left) * scale, (y - top) * scale)
            })
            .collect();
        for k in 1..corners.len().saturating_sub(1) {
            let own = [0, k, k + 1];
            fill(own.map(|i| corners[i]), w, h, &mut |at, share| {
                let mix = |of: &dyn Fn(usize) -> f64| (0..3).map(|i| share[i] * of(own[i])).sum::<f64>();
                let depth = mix(&|i| patch.depth[i]) as f32;
                if depth > front[at].0 {
                    let normal = std::array::from_fn(|axis| mix(&|i| patch.smooth[i].normal[axis]));
                    let body = palette::body(mix(&|i| patch.smooth[i].share));
                    let point = ((at % w) as f64 + 0.5, (at / w) as f64 + 0.5);
                    front[at] = (
                        depth,
                        lined(palette::lit(body, light_on(normal)), patch, &corners, point, fine as f64 / side),
                    );
                }
            });
        }
    }
    for rim in patches.iter().filter(|patch| patch.is_rim()) {
        let ends = [0, 1].map(|i| {
            let (x, y) = place(rim.outline[i]);
            ((x - left) * scale, (y - top) * scale)
        });
        stroke(ends, [rim.depth[0], rim.depth[1]], RIM * scale, (w, h), &mut |at, depth| {
            if depth as f32 > front[at].0 {
                front[at] = (depth as f32, rim.fill);
            }
        });
    }
    let mut out = Pixels { side, ..Pixels::default() };
    for row in 0..tall {
        for column in 0..wide {
            let points = (0..fine * fine).map(|i| front[(row * fine + i / fine) * w + column * fine + i % fine]);
            let (mut sum, mut seen) = ([0.0; 3], 0);
            for (depth, (r, g, b)) in points {
                let paper = depth == f32::NEG_INFINITY;
                seen += usize::from(!paper);
                let colour = if paper { [255.0; 3] } else { [f64::from(r), f64::from(g), f64::from(b)] };
                sum = std::array::from_fn(|i| sum[i] + colour[i]);
            }
            if seen > 0 {
                let mean = sum.map(|v| (v / (fine * fine) as f64).round() as u8);
                out.x.push(left + column as f64 * side);
                out.y.push(top + row as f64 * side);
                out.colours.push((mean[0], mean[1], mean[2]));
            }
        }
    }
    out
}

/// The colour of a point of a patch, darker on its border lines. Around small faces lines are fainter, because a pole
/// would otherwise be one dark spot.
fn lined(colour: Rgb, patch: &Patch, corners: &[Point], point: Point, scale: f64) -> Rgb {
    let sides = || (0..corners.len()).map(|i| (corners[i], corners[(i + 1) % corners.len()]));
    let least = sides().map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1)).fold(f64::INFINITY, f64::min) / scale;
    let dark = (1.0 - UNDER) * (least / ROOM).min(1.0);
    let drawn = sides().zip(&patch.sides).filter(|(_, side)| **side == Side::Edge);
    let nearest = drawn.map(|((a, b), _)| distance(point, a, b)).fold(f64::INFINITY, f64::min) / scale;
    let share = 1.0 - dark * (2.0 - nearest / LINE).clamp(0.0, 1.0);
    if share < 1.0 { palette::lit(colour, share) } else { colour }
}

/// Calls `set` with each sample of an image within a radius of a segment, and the depth there.
fn stroke([a, b]: [Point; 2], depth: [f64; 2], radius: f64, (w, h): (usize, usize), set: &mut impl FnMut(usize, f64)) {
    let ends = |p: f64, q: f64, most: usize| {
        let (lo, hi) = (p.min(q) - radius - 0.5, p.max(q) + radius + 0.5);
        (lo.ceil().clamp(0.0, most as f64) as usize, hi.floor().clamp(0.0, most as f64) as usize)
    };
    let ((left, right), (top, foot)) = (ends(a.0, b.0, w), ends(a.1, b.1, h));
    for y in top..foot {
        for x in left..right {
            let p = (x as f64 + 0.5, y as f64 + 0.5);
            if distance(p, a, b) <= radius {
                let t = along(p, a, b);
                set(y * w + x, depth[0] + t * (depth[1] - depth[0]));
            }
        }
    }
}

/// The position on a segment of its nearest point, from 0 to 1.
fn along(p: Point, a: Point, b: Point) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx * dx + dy * dy;
    if length > 0.0 { (((p.0 - a.0) * dx + (p.1 - a.1) * dy) / length).clamp(0.0, 1.0) } else { 0.0 }
}

/// The distance of a point from a segment.
fn distance(p: Point, a: Point, b: Point) -> f64 {
    let t = along(p, a, b);
    (p.0 - a.0 - t * (b.0 - a.0)).hypot(p.1 - a.1 - t * (b.1 - a.1))
}

#[cfg(test)]
mod tests {
    use super::super::mesh::{Body, patches};
    use super::*;

    #[test]
    fn pixels_are_those_that_are_covered() {
        let vertices = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
        let body = Body { vertices: &vertices, faces: &[vec![0, 1, 2, 3]], shade: &[0.0; 4], rims: &[] };
        let patches = patches(body, Some((0.0, 90.0)));
        let frame = Frame { x: 10.0, y: 20.0, w: 40.0, h: 40.0 };
        let half = 10.0 / patches[0].outline[0].0.abs();
        let made = painted(&patches, frame, 2, |(u, v)| (30.0 + half * u, 40.0 - half * v));
        assert_eq!((made.x.len(), made.side), (40 * 40, 0.5));
        assert_eq!((made.x[0], made.y[0]), (20.0, 30.0));
        assert!(made.colours[40 * 20 + 20].0 > 100);
    }

    #[test]
    fn distances_end_at_the_ends() {
        let (a, b) = ((0.0, 0.0), (2.0, 0.0));
        assert_eq!([(1.0, 3.0), (5.0, 4.0), (-3.0, 4.0)].map(|p| distance(p, a, b)), [3.0, 5.0, 5.0]);
        assert_eq!(distance((3.0, 4.0), a, a), 5.0);
    }
}
