//! Draws functions from a kernel whose values form a surface.

use std::collections::HashSet;

use super::covariance::{Covariance, NEAR, Place};
use super::domain::Domain;
use super::drawn_surface::Surface;
use super::mesh::{Mesh, Point};
use crate::linalg::{Matrix, pivoted_columns};

/// The least number of points along a side: with fewer, triangles of a torus coincide.
pub const LEAST: usize = 4;
/// The largest number of points along a side.
pub const MOST: usize = 200;
/// The number of points along a side of the grid on which functions are determined.
const COARSE: usize = 25;
/// The largest number of multiplications for a factor: some seconds.
const WORK: usize = 10_000_000_000;

/// Why a surface cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SurfaceError<E> {
    #[error("a surface must have from {LEAST} to {MOST} points along a side, found {found}")]
    Res { found: usize },
    #[error("functions drawn from this kernel do not vary over {x:?} and {y:?}: there is no surface", x = .0.x, y = .0.y)]
    Flat(Domain),
    #[error("functions drawn from this kernel are too rough for {res} points along a side")]
    Rough { res: usize },
    #[error("{0}")]
    Kernel(E),
}

/// Draws a surface on a sheet of `res` × `res` points.
///
/// # Errors
/// [`SurfaceError`].
pub fn draw<K: Covariance>(
    kernel: &mut K,
    domain: Domain,
    res: usize,
    normal: &mut impl FnMut() -> f64,
) -> Result<Surface, SurfaceError<K::Error>> {
    if !(LEAST..=MOST).contains(&res) {
        return Err(SurfaceError::Res { found: res });
    }
    let places = domain.grid(res);
    let variances = variances(kernel, &places).map_err(SurfaceError::Kernel)?;
    let (points, shades) = functions(kernel, &places, &variances, res, domain, normal)?;
    let one = same_points(kernel, &places, &variances, &points).map_err(SurfaceError::Kernel)?;
    let size = extent(&points);
    let mut gap: f64 = 0.0;
    let (mut vertex, mut kept) = (vec![0u32; places.len()], Vec::new());
    for (i, &first) in one.iter().enumerate() {
        if first == i {
            vertex[i] = u32::try_from(kept.len()).unwrap_or(u32::MAX);
            kept.push(i);
        } else {
            vertex[i] = vertex[first];
            gap = gap.max(apart(points[i], points[first]) / size);
        }
    }
    let corner = |column: usize, row: usize| vertex[row * res + column];
    let cells = (0..res - 1).flat_map(|row| (0..res - 1).map(move |column| (column, row)));
    let quads = cells.map(|(c, r)| [corner(c, r), corner(c + 1, r), corner(c + 1, r + 1), corner(c, r + 1)]);
    let mut mesh = Mesh::new(kept.iter().map(|&i| points[i]).collect(), quads);
    mesh.shape.once = covers_once(kernel, &places, &variances, &vertex, res).map_err(SurfaceError::Kernel)?;
    if mesh.faces.is_empty() {
        return Err(SurfaceError::Flat(domain));
    }
    Ok(Surface {
        mesh,
        places: kept.iter().map(|&i| places[i]).collect(),
        shade: kept.iter().map(|&i| shades[i]).collect(),
        domain,
        res,
        gap,
    })
}

fn variances<K: Covariance>(kernel: &mut K, places: &[Place]) -> Result<Vec<f64>, K::Error> {
    places.iter().map(|p| Ok(kernel.cross(&[*p], &[*p])?[(0, 0)])).collect()
}

/// The coordinates and the shade of every point.
type Drawn = (Vec<Point>, Vec<f64>);

/// The three coordinates of every point, and a function for its shade.
///
/// Functions are first determined on a coarse grid, which is the same for every `res`, so that a finer sheet shows the
/// same surface.
fn functions<K: Covariance>(
    kernel: &mut K,
    places: &[Place],
    variances: &[f64],
    res: usize,
    domain: Domain,
    normal: &mut impl FnMut() -> f64,
) -> Result<Drawn, SurfaceError<K::Error>> {
    let coarse = domain.grid(COARSE);
    let early = coarse.len();
    let places = [&coarse[..], places].concat();
    let own = self::variances(kernel, &coarse).map_err(SurfaceError::Kernel)?;
    let diagonal = [&own[..], variances].concat();
    // Without jitter, which would open the seams.
    let factor = pivoted_columns(diagonal, early, 1e-12, |pivot, rank| {
        if places.len() * rank * rank > WORK {
            return Err(SurfaceError::Rough { res });
        }
        let column = kernel.cross(&places, &places[pivot..=pivot]).map_err(SurfaceError::Kernel)?;
        Ok(column.as_slice().to_vec())
    })?;
    // Row by row, so that the first numbers do not depend on their total.
    let weights = Matrix::from_row_iterator(factor.ncols(), 4, (0..4 * factor.ncols()).map(|_| normal()));
    let drawn = factor.rows_range(early..) * weights;
    let points = drawn.row_iter().map(|row| [row[0], row[1], row[2]]).collect();
    Ok((points, drawn.column(3).iter().copied().collect()))
}

/// For every point the first that is the same: drawn at one position, and the same for the kernel, k(p, p) − 2k(p, q) +
/// k(q, q) = E[(f(p) − f(q))²] = 0.
fn same_points<K: Covariance>(
    kernel: &mut K,
    places: &[Place],
    variances: &[f64],
    points: &[Point],
) -> Result<Vec<usize>, K::Error> {
    let (near, scale) = (NEAR * extent(points), variances.iter().copied().fold(0.0, f64::max));
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| points[a][0].total_cmp(&points[b][0]).then(a.cmp(&b)));
    let mut first: Vec<usize> = (0..places.len()).collect();
    for (at, &i) in order.iter().enumerate() {
        for &j in order[at + 1..].iter().take_while(|&&j| points[j][0] - points[i][0] <= near) {
            let (a, b) = (root(&first, i), root(&first, j));
            if a == b || apart(points[i], points[j]) > near {
                continue;
            }
            let shared = kernel.cross(&places[i..=i], &places[j..=j])?[(0, 0)];
            if variances[i] + variances[j] - 2.0 * shared <= NEAR * NEAR * scale {
                first[a.max(b)] = a.min(b);
            }
        }
    }
    Ok((0..places.len()).map(|i| root(&first, i)).collect())
}

/// The number of rows and of columns of points at which coverage is tested.
const TESTED: usize = 6;
/// Points within so many steps on the sheet are neighbours.
const STEPS: usize = 3;
/// Another part of the sheet covers a point if one of its points is nearer than this share of the squared distance between
/// neighbours: the nearest corner of a cell is within a half of it.
const BETWEEN: f64 = 0.6;

/// Whether the sheet covers its image once: not where a third of some points lie between points of another part of the sheet.
/// Poles and folds, where points that are far apart on the sheet are near, are a small part.
fn covers_once<K: Covariance>(
    kernel: &mut K,
    places: &[Place],
    variances: &[f64],
    vertex: &[u32],
    res: usize,
) -> Result<bool, K::Error> {
    let at = |i: usize| ((2 * i + 1) * res / (2 * TESTED)).min(res - 1);
    let around = |node: usize, steps: usize| {
        let (row, column) = (node / res, node % res);
        let span = move |i: usize| i.saturating_sub(steps)..=(i + steps).min(res - 1);
        span(row).flat_map(move |r| span(column).map(move |c| r * res + c))
    };
    let mut covered = 0;
    for (row, column) in (0..TESTED * TESTED).map(|i| (at(i / TESTED), at(i % TESTED))) {
        let node = row * res + column;
        let own = kernel.cross(&places[node..=node], places)?;
        let apart = |j: usize| variances[node] + variances[j] - 2.0 * own[(0, j)];
        let spacing = around(node, 1).map(apart).fold(0.0, f64::max);
        let same: Vec<usize> = (0..places.len()).filter(|&j| vertex[j] == vertex[node]).collect();
        let near: HashSet<u32> = same.iter().flat_map(|&j| around(j, STEPS)).map(|j| vertex[j]).collect();
        let covers = |j: usize| !near.contains(&vertex[j]) && apart(j) < BETWEEN * spacing;
        covered += usize::from((0..places.len()).any(covers));
    }
    Ok(3 * covered <= TESTED * TESTED)
}

fn root(first: &[usize], mut i: usize) -> usize {
    while first[i] != i {
        i = first[i];
    }
    i
}

/// The longest side of the bounding box of points.
fn extent(points: &[Point]) -> f64 {
    let side = |axis: usize| {
        let values = points.iter().map(|p| p[axis]);
        let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        hi - lo
    };
    (0..3).map(side).fold(0.0, f64::max)
}

/// The largest difference of two points in a coordinate.
pub(super) fn apart(a: Point, b: Point) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
