//! Surfaces in space: view, depth order and shading.

use super::palette::{self, Rgb, Shades};
use super::shapes::Point;

type Vec3 = [f64; 3];

/// The distance of the eye from the centre of a surface, in its radii: close enough to distinguish front and back.
const EYE: f64 = 4.5;
/// The direction of the light in eye coordinates: from the upper left behind the eye.
const LIGHT: Vec3 = [-0.36, 0.52, 0.775];
/// The brightness of a colour without light.
const DARK: f64 = 0.55;
/// The distance in radii by which ends of a surface are drawn in front of their position: faces become small near the
/// fold of a symmetry, and would cover them.
const BEFORE: f64 = 0.02;
/// The number of directions that are tried for the best view.
const VIEWS: usize = 96;
/// The number of pixels along a side of the image by which a view is judged.
const JUDGED: usize = 80;

/// The surface of a mark.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'a> {
    pub vertices: &'a [Vec3],
    pub faces: &'a [Vec<u32>],
    pub shade: &'a [f64],
    pub rims: &'a [Vec<u32>],
}

/// A projected face or end, in radii of the surface: right and up from its centre.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Patch {
    pub outline: Vec<Point>,
    /// Towards the eye, at each corner.
    pub depth: Vec<f64>,
    pub fill: Rgb,
    /// From 0 (dark) to 1.
    pub light: f64,
    /// At each corner of a complete face.
    pub smooth: Vec<Smooth>,
    /// The kinds of its sides, each from a corner to the next.
    pub sides: Vec<Side>,
    /// Whether it is a complete face.
    pub whole: bool,
}

/// The properties that a corner of a face shares with adjacent faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Smooth {
    /// The mean normal of the faces in eye coordinates, on the visible side of this face.
    pub normal: Vec3,
    /// The position of its colour.
    pub share: f64,
}

/// A side of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Between two faces.
    Edge,
    /// Where the surface ends.
    Rim,
    /// Within a face that was cut.
    Inner,
}

/// The faces that can be drawn, the farthest first. Without a `view` (azimuth and elevation of the eye in degrees, the
/// third coordinate upward) it is the one that shows most.
pub(super) fn patches(body: Body<'_>, view: Option<(f64, f64)>) -> Vec<Patch> {
    let Some(points) = centred(body.vertices) else { return Vec::new() };
    let known = |face: &&Vec<u32>| face.len() > 2 && face.iter().all(|&i| (i as usize) < points.len());
    let faces: Vec<&Vec<u32>> = body.faces.iter().filter(known).collect();
    let [right, up, eye] = match view {
        Some((azimuth, elevation)) => turned(azimuth.to_radians(), elevation.to_radians()),
        None => best_view(&points, &faces),
    };
    let seen: Vec<(Point, f64)> = points.iter().map(|p| project(*p, [right, up, eye])).collect();
    let shades = Shades::over(body.shade);
    // In view coordinates; twice the area long, so that large faces count for more.
    let normals: Vec<Vec3> = faces
        .iter()
        .map(|face| {
            let n = area_vector(&face.iter().map(|&i| points[i as usize]).collect::<Vec<_>>());
            let n = [dot(n, right), dot(n, up), dot(n, eye)];
            if n[2] < 0.0 { n.map(|v| -v) } else { n }
        })
        .collect();
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    for (f, face) in faces.iter().enumerate() {
        face.iter().for_each(|&i| around[i as usize].push(f));
    }
    let share = |i: u32| {
        let value = body.shade.get(i as usize).copied().filter(|v| v.is_finite());
        value.zip(shades).map_or(0.5, |(value, shades)| shades.share(value))
    };
    let mut patches: Vec<Patch> = faces
        .iter()
        .zip(&normals)
        .map(|(face, normal)| {
            let light = light_on(*normal);
            let smooth = |&i: &u32| {
                let normal = around[i as usize].iter().fold([0.0; 3], |sum: Vec3, &f| {
                    // At a bend, a neighbour may show its other side.
                    let sign = if dot(normals[f], *normal) < 0.0 { -1.0 } else { 1.0 };
                    std::array::from_fn(|axis| sum[axis] + sign * normals[f][axis])
                });
                Smooth { normal, share: share(i) }
            };
            let smooth: Vec<Smooth> = face.iter().map(smooth).collect();
            let mean = smooth.iter().map(|s| s.share).sum::<f64>() / face.len() as f64;
            Patch {
                outline: face.iter().map(|&i| seen[i as usize].0).collect(),
                depth: face.iter().map(|&i| seen[i as usize].1).collect(),
                fill: palette::lit(palette::body(mean), light),
                light: ((light - DARK) / (1.0 - DARK)).clamp(0.0, 1.0),
                smooth,
                sides: vec![Side::Edge; face.len()],
                whole: true,
            }
        })
        .collect();
    let rims = body.rims.iter().flat_map(|rim| rim.iter().zip(rim.iter().cycle().skip(1)));
    patches.extend(rims.filter_map(|(&a, &b)| Some(rim(*seen.get(a as usize)?, *seen.get(b as usize)?))));
    patches.sort_by(|a, b| a.middle().total_cmp(&b.middle()));
    patches
}

/// The places of named vertices in the plane of the patches from this view.
pub(super) fn named_places<'n>(
    vertices: &[Vec3],
    names: &'n [(u32, String)],
    view: Option<(f64, f64)>,
) -> Vec<(Point, &'n str)> {
    let (Some(points), Some((azimuth, elevation))) = (centred(vertices), view) else { return Vec::new() };
    let axes = turned(azimuth.to_radians(), elevation.to_radians());
    let place = |(i, name): &'n (u32, String)| Some((project(*points.get(*i as usize)?, axes).0, &**name));
    names.iter().filter_map(place).collect()
}

/// A segment of an end of a surface: a line in front of its faces.
fn rim((a, at_a): (Point, f64), (b, at_b): (Point, f64)) -> Patch {
    Patch {
        outline: vec![a, b],
        depth: vec![at_a + BEFORE, at_b + BEFORE],
        fill: palette::INK,
        light: 0.0,
        smooth: Vec::new(),
        sides: vec![Side::Rim],
        whole: true,
    }
}

impl Patch {
    /// Whether it is a line along an end of a surface, and not a face.
    pub fn is_rim(&self) -> bool {
        self.outline.len() == 2
    }

    /// The depth of its centre.
    pub fn middle(&self) -> f64 {
        self.depth.iter().sum::<f64>() / self.depth.len() as f64
    }
}

/// The bounding box of patches: its left, right, lower and upper side.
pub(super) fn bounds(patches: &[Patch]) -> Option<[f64; 4]> {
    let mut all = patches.iter().flat_map(|p| &p.outline);
    let first = all.next()?;
    let start = [first.0, first.0, first.1, first.1];
    Some(all.fold(start, |[l, r, d, u], (x, y)| [l.min(*x), r.max(*x), d.min(*y), u.max(*y)]))
}

/// The patch visible at each pixel of an image, row by row from the top; `place` maps the plane of patches to pixels.
pub(super) fn seen(patches: &[Patch], wide: usize, tall: usize, place: impl Fn(Point) -> Point) -> Vec<Option<usize>> {
    let mut front: Vec<Option<(f64, usize)>> = vec![None; wide * tall];
    for (i, patch) in patches.iter().enumerate() {
        let corners: Vec<Point> = patch.outline.iter().map(|p| place(*p)).collect();
        for k in 1..corners.len().saturating_sub(1) {
            fill([corners[0], corners[k], corners[k + 1]], wide, tall, &mut |at, shares| {
                let depth = depth_at([patch.depth[0], patch.depth[k], patch.depth[k + 1]], shares);
                if front[at].is_none_or(|(before, _)| depth > before) {
                    front[at] = Some((depth, i));
                }
            });
        }
    }
    front.into_iter().map(|pixel| pixel.map(|(_, i)| i)).collect()
}

/// Calls `set` with each pixel whose centre is in a triangle, and the barycentric coordinates there.
pub(super) fn fill([a, b, c]: [Point; 3], wide: usize, tall: usize, set: &mut impl FnMut(usize, [f64; 3])) {
    let cross = |p: Point, q: Point, r: Point| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
    let area = cross(a, b, c);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let ends = |values: [f64; 3], most: usize| {
        let (lo, hi) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        ((lo - 0.5).ceil().clamp(0.0, most as f64) as usize, (hi + 0.5).floor().clamp(0.0, most as f64) as usize)
    };
    let ((left, right), (top, foot)) = (ends([a.0, b.0, c.0], wide), ends([a.1, b.1, c.1], tall));
    for y in top..foot {
        for x in left..right {
            let p = (x as f64 + 0.5, y as f64 + 0.5);
            let shares = [cross(p, b, c) / area, cross(p, c, a) / area, cross(p, a, b) / area];
            if shares.iter().all(|share| *share >= -1e-9) {
                set(y * wide + x, shares);
            }
        }
    }
}

/// The depth at these barycentric coordinates.
pub(super) fn depth_at(corners: [f64; 3], shares: [f64; 3]) -> f64 {
    corners.iter().zip(shares).map(|(depth, share)| depth * share).sum()
}

/// The brightness of a body with this normal, in eye coordinates.
pub(super) fn light_on(normal: Vec3) -> f64 {
    let length = dot(normal, normal).sqrt();
    let towards = if length > 0.0 { dot(normal, LIGHT) / length } else { 0.0 };
    DARK + (1.0 - DARK) * towards.max(0.0)
}

/// Vertices relative to their centre, in radii; `None` without a finite size.
fn centred(vertices: &[Vec3]) -> Option<Vec<Vec3>> {
    let n = vertices.len().max(1) as f64;
    let middle: Vec3 = std::array::from_fn(|axis| vertices.iter().map(|v| v[axis]).sum::<f64>() / n);
    let from_middle: Vec<Vec3> = vertices.iter().map(|v| std::array::from_fn(|i| v[i] - middle[i])).collect();
    let radius = from_middle.iter().map(|v| dot(*v, *v).sqrt()).fold(0.0, f64::max);
    (radius.is_finite() && radius > 0.0).then(|| from_middle.into_iter().map(|v| v.map(|x| x / radius)).collect())
}

/// The projection of a point, and its depth.
fn project(p: Vec3, [right, up, eye]: [Vec3; 3]) -> (Point, f64) {
    let depth = dot(p, eye);
    let nearer = EYE / (EYE - depth);
    ((dot(p, right) * nearer, dot(p, up) * nearer), depth)
}

/// The directions right, up and towards the eye, for an eye at an azimuth and an elevation.
fn turned(azimuth: f64, elevation: f64) -> [Vec3; 3] {
    let eye = [elevation.cos() * azimuth.cos(), elevation.cos() * azimuth.sin(), elevation.sin()];
    let right = [-azimuth.sin(), azimuth.cos(), 0.0];
    [right, cross(eye, right), eye]
}

/// The view that hides the least of a surface, with its longer side horizontal.
fn best_view(points: &[Vec3], faces: &[&Vec<u32>]) -> [Vec3; 3] {
    // A sample of a large mesh is sufficient.
    let stride = faces.len().div_ceil(4000).max(1);
    let areas: Vec<f64> = faces
        .iter()
        .map(|face| {
            let n = area_vector(&face.iter().map(|&i| points[i as usize]).collect::<Vec<_>>());
            dot(n, n).sqrt()
        })
        .collect();
    let mut best = (f64::NEG_INFINITY, turned(0.5, 0.5));
    for i in 0..VIEWS {
        // Evenly distributed on the sphere, by the golden angle.
        let height = 1.0 - 2.0 * (i as f64 + 0.5) / VIEWS as f64;
        let axes = turned(i as f64 * 2.399_963_229_728_653, height.asin());
        let at: Vec<(Point, f64)> = points.iter().map(|p| project(*p, axes)).collect();
        let mut front = vec![f64::NEG_INFINITY; JUDGED * JUDGED];
        let scale = JUDGED as f64 / 2.6;
        let pixel = |p: Point| ((p.0 + 1.3) * scale, (1.3 - p.1) * scale);
        for face in faces {
            let corner = |k: usize| at[face[k] as usize];
            for k in 1..face.len() - 1 {
                let own = [corner(0), corner(k), corner(k + 1)];
                fill(own.map(|(p, _)| pixel(p)), JUDGED, JUDGED, &mut |i, shares| {
                    front[i] = front[i].max(depth_at(own.map(|(_, depth)| depth), shares));
                });
            }
        }
        let mut shown = 0.0;
        for (face, area) in faces.iter().zip(&areas).step_by(stride) {
            let n = face.len() as f64;
            let middle = face.iter().fold((0.0, 0.0, 0.0), |m, &i| {
                let ((x, y), depth) = at[i as usize];
                (m.0 + x / n, m.1 + y / n, m.2 + depth / n)
            });
            let (x, y) = pixel((middle.0, middle.1));
            let i = (y.clamp(0.0, JUDGED as f64 - 1.0) as usize) * JUDGED + x.clamp(0.0, JUDGED as f64 - 1.0) as usize;
            // Faces seen at a low angle count less.
            let towards = dot(normal(&face.iter().map(|&i| points[i as usize]).collect::<Vec<_>>()), axes[2]).abs();
            if middle.2 >= front[i] - 0.06 {
                shown += area * towards.sqrt();
            }
        }
        if shown > best.0 + 1e-9 {
            best = (shown, axes);
        }
    }
    level(points, best.1)
}

/// The same eye rotated about its axis so that a surface is as wide as possible.
fn level(points: &[Vec3], [right, up, eye]: [Vec3; 3]) -> [Vec3; 3] {
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in points {
        let (x, y) = (dot(*p, right), dot(*p, up));
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let (sin, cos) = angle.sin_cos();
    let along: Vec3 = std::array::from_fn(|i| right[i] * cos + up[i] * sin);
    [along, cross(eye, along), eye]
}

/// The unit normal of a face.
fn normal(corners: &[Vec3]) -> Vec3 {
    let n = area_vector(corners);
    let length = dot(n, n).sqrt();
    if length > 0.0 { n.map(|x| x / length) } else { [0.0; 3] }
}

/// Newell's method: the normal of a face with length twice its area, for corners that need not lie in a plane.
fn area_vector(corners: &[Vec3]) -> Vec3 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).fold([0.0; 3], |sum, (a, b)| {
        let c = cross(*a, *b);
        std::array::from_fn(|i| sum[i] + c[i])
    })
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parallel squares.
    fn squares() -> (Vec<Vec3>, Vec<Vec<u32>>) {
        let square = |z: f64| [[-1.0, -1.0, z], [1.0, -1.0, z], [1.0, 1.0, z], [-1.0, 1.0, z]];
        ([square(-0.5), square(0.5)].concat(), vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]])
    }

    #[test]
    fn what_is_nearer_hides_what_is_behind() {
        let (vertices, faces) = squares();
        let body = Body { vertices: &vertices, faces: &faces, shade: &[0.0; 8], rims: &[] };
        let above = patches(body, Some((0.0, 90.0)));
        assert_eq!(above.len(), 2);
        assert!(above[0].depth[0] < above[1].depth[0]);
        let pixels = seen(&above, 20, 20, |(x, y)| (10.0 + 4.0 * x, 10.0 - 4.0 * y));
        assert_eq!((pixels[10 * 20 + 10], pixels[0]), (Some(1), None));
        // By default the eye is where neither hides the other.
        let own = patches(body, None);
        let [left, right, down, up] = bounds(&own).unwrap();
        assert!(right - left > 1.0 && up - down > 0.5 && right - left >= up - down);
    }

    #[test]
    fn odd_meshes_draw_nothing() {
        let one = [[1.0; 3]];
        for vertices in [&[][..], &one, &[[f64::NAN; 3]; 3]] {
            let faces = [vec![0, 1, 2], vec![0, 0]];
            assert!(patches(Body { vertices, faces: &faces, shade: &[], rims: &[] }, None).is_empty());
        }
    }
}
