//! Sorts faces so that they can be painted over one another.
//!
//! Sorted by depth, faces that intersect or overlap cyclically are painted wrongly. Where the painted face is not the
//! nearest, both are cut into quarters, until the error is too small to be visible.

use super::mesh::{Patch, Side, bounds, depth_at, fill};
use super::shapes::Point;

/// The number of pixels along the longer side of the image in which faces are compared.
const PIXELS: f64 = 1000.0;
/// The maximum number of times a face is cut into four.
const CUTS: usize = 2;
/// Depths with a smaller difference, in radii of the surface, count as equal: those of faces at a common edge.
const SAME: f64 = 2e-3;

/// The face visible at a pixel, and its depth.
type Pixel = Option<(usize, f64)>;

/// The faces from the farthest to the nearest, cut where necessary, without hidden ones.
pub(super) fn painted(mut patches: Vec<Patch>) -> Vec<Patch> {
    let Some([left, right, down, up]) = bounds(&patches) else { return patches };
    let scale = PIXELS / (right - left).max(up - down).max(f64::MIN_POSITIVE);
    let (wide, tall) = (((right - left) * scale).ceil() as usize + 1, ((up - down) * scale).ceil() as usize + 1);
    let place = |(u, v): Point| ((u - left) * scale, (up - v) * scale);
    for round in 0..=CUTS {
        patches.sort_by(|a, b| a.middle().total_cmp(&b.middle()));
        let mut front: Vec<Pixel> = vec![None; wide * tall];
        let mut last: Vec<Pixel> = vec![None; wide * tall];
        for (i, patch) in patches.iter().enumerate() {
            patch.pixels(wide, tall, place, &mut |at, depth| {
                last[at] = Some((i, depth));
                if front[at].is_none_or(|(_, before)| depth > before) {
                    front[at] = Some((i, depth));
                }
            });
        }
        let mut wrong = vec![false; patches.len()];
        for (front, last) in front.iter().zip(&last) {
            if let (Some((near, depth)), Some((shown, other))) = (front, last)
                && depth - other > SAME
            {
                wrong[*near] = true;
                wrong[*shown] = true;
            }
        }
        if round == CUTS || !wrong.contains(&true) {
            return visible(patches, &front, wide, tall, place);
        }
        patches =
            patches.into_iter().zip(wrong).flat_map(|(p, cut)| if cut { p.quarters() } else { vec![p] }).collect();
    }
    patches
}

/// Removes the patches that are behind others at every pixel. Those too small to cover a pixel are kept.
fn visible(
    patches: Vec<Patch>,
    front: &[Pixel],
    wide: usize,
    tall: usize,
    place: impl Fn(Point) -> Point + Copy,
) -> Vec<Patch> {
    let seen = |patch: &Patch| {
        let (mut any, mut nearest) = (false, false);
        patch.pixels(wide, tall, place, &mut |at, depth| {
            any = true;
            nearest |= front[at].is_none_or(|(_, before)| depth >= before - SAME);
        });
        nearest || !any
    };
    patches.into_iter().filter(seen).collect()
}

impl Patch {
    /// Calls `set` with each pixel that it covers, and its depth there.
    fn pixels(&self, wide: usize, tall: usize, place: impl Fn(Point) -> Point, set: &mut impl FnMut(usize, f64)) {
        let corners: Vec<Point> = self.outline.iter().map(|p| place(*p)).collect();
        for k in 1..corners.len().saturating_sub(1) {
            let depths = [self.depth[0], self.depth[k], self.depth[k + 1]];
            fill([corners[0], corners[k], corners[k + 1]], wide, tall, &mut |at, shares| {
                set(at, depth_at(depths, shares))
            });
        }
    }

    /// The patch cut into four.
    fn quarters(self) -> Vec<Self> {
        let n = self.outline.len();
        let corner = |i: usize| (self.outline[i % n], self.depth[i % n], self.sides[i % n]);
        let between = |(a, b): (Point, Point)| (f64::midpoint(a.0, b.0), f64::midpoint(a.1, b.1));
        let half = |i: usize| {
            let ((a, da, side), (b, db, _)) = (corner(i), corner(i + 1));
            (between((a, b)), f64::midpoint(da, db), side)
        };
        let made = |corners: [(Point, f64, Side); 4], count: usize| Self {
            outline: corners[..count].iter().map(|c| c.0).collect(),
            depth: corners[..count].iter().map(|c| c.1).collect(),
            sides: corners[..count].iter().map(|c| c.2).collect(),
            smooth: Vec::new(),
            whole: false,
            ..self
        };
        let inner = |(p, d, _): (Point, f64, Side)| (p, d, Side::Inner);
        if n == 3 {
            let middle = [inner(half(0)), inner(half(1)), inner(half(2)), inner(half(2))];
            let tips = (0..3).map(|i| {
                let tip = [corner(i), inner(half(i)), half(i + 2), half(i + 2)];
                made(tip, 3)
            });
            return tips.chain([made(middle, 3)]).collect();
        }
        let (opposite, depth) = (between((half(0).0, half(2).0)), f64::midpoint(half(0).1, half(2).1));
        (0..n).map(|i| made([corner(i), inner(half(i)), (opposite, depth, Side::Inner), half(i + n - 1)], 4)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh::{Body, patches};
    use super::*;

    fn area(patch: &Patch) -> f64 {
        let next = patch.outline.iter().cycle().skip(1);
        patch.outline.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>().abs() / 2.0
    }

    fn all(patches: &[Patch]) -> f64 {
        patches.iter().map(area).sum()
    }

    #[test]
    fn faces_that_pass_through_each_other_are_cut() {
        // Two squares that intersect in a line.
        let vertices = [
            [-1.0, -1.0, -0.6],
            [1.0, -1.0, 0.6],
            [1.0, 1.0, 0.6],
            [-1.0, 1.0, -0.6],
            [-1.0, -1.0, 0.6],
            [1.0, -1.0, -0.6],
            [1.0, 1.0, -0.6],
            [-1.0, 1.0, 0.6],
        ];
        let faces = [vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
        let body = Body { vertices: &vertices, faces: &faces, shade: &[0.0; 8], rims: &[] };
        let whole = patches(body, Some((0.0, 90.0)));
        let cut = painted(whole.clone());
        assert!(cut.len() > 8 && cut.len() < 2 * 16, "{}", cut.len());
        // Nothing is hidden where they do not overlap, and neither covers the other completely.
        assert!(all(&cut) < 0.8 * all(&whole), "{} {}", all(&cut), all(&whole));
        assert!(painted(Vec::new()).is_empty());
    }

    #[test]
    fn quarters_cover_the_whole() {
        for corners in [3, 4] {
            let face: Vec<u32> = (0..corners).collect();
            let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.2], [1.0, 1.0, 0.0], [0.0, 1.0, 0.1]];
            let body = Body { vertices: &vertices, faces: &[face], shade: &[0.0; 4], rims: &[] };
            let one = patches(body, Some((0.0, 90.0))).remove(0);
            let edges = |p: &Patch| p.sides.iter().filter(|s| **s == Side::Edge).count();
            let four = one.clone().quarters();
            assert_eq!((four.len(), four.iter().map(edges).sum::<usize>()), (4, 2 * edges(&one)));
            assert!((all(&four) - area(&one)).abs() < 1e-12);
        }
    }
}
