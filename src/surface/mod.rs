//! Surfaces drawn from a kernel over two inputs (Duvenaud, "Expressing Structure with Kernels", 1.7): three independent
//! functions carry a sheet of the plane into space.
//!
//! Where the kernel makes two points of the sheet one, f(p) = f(q) for every function drawn from it, the mesh has one
//! vertex: a period closes the sheet to a cylinder, two to a torus, a swap folds the torus to a Möbius strip, and poles
//! shrink to points. Nothing here knows which symmetries there are; they are found in the kernel's own numbers, so that
//! any kernel works. There is no kernel tree here, no file and no picture.

mod domain;
mod export;
mod mesh;
#[cfg(test)]
mod tests;

use crate::linalg::{Matrix, pivoted_columns};

pub use domain::{Domain, Hints};
pub use export::Format;
pub use mesh::{Face, Mesh, Shape};

/// A point of the sheet: the two inputs.
pub type Place = [f64; 2];
/// A point in space.
pub type Point = [f64; 3];

/// The fewest points along a side: with fewer a torus has no triangles that differ.
pub const LEAST: usize = 4;
/// The most points along a side.
pub const MOST: usize = 200;
/// How near two points are to be one: apart by this much, relative to the size of the surface.
pub const NEAR: f64 = 1e-6;
/// Points along a side of the grid on which functions are settled.
const COARSE: usize = 25;
/// The most multiplications for a factor: some seconds.
const WORK: usize = 10_000_000_000;

/// The kernel as this room asks for it: k(a, b) of all places of one list with all of another, white noise left out.
pub trait Covariance {
    type Error;
    /// # Errors
    /// What the kernel has to say, or that the user stopped it.
    fn cross(&mut self, a: &[Place], b: &[Place]) -> Result<Matrix, Self::Error>;
}

impl<E, F: FnMut(&[Place], &[Place]) -> Result<Matrix, E>> Covariance for F {
    type Error = E;

    fn cross(&mut self, a: &[Place], b: &[Place]) -> Result<Matrix, E> {
        self(a, b)
    }
}

/// Why there is no surface.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SurfaceError<E> {
    #[error("a surface has from {LEAST} to {MOST} points along a side, found {found}")]
    Res { found: usize },
    #[error("functions drawn from this kernel do not vary over {x:?} and {y:?}: there is no surface", x = .0.x, y = .0.y)]
    Flat(Domain),
    #[error("functions drawn from this kernel are too rough for {res} points along a side")]
    Rough { res: usize },
    #[error("{0}")]
    Kernel(E),
}

/// A drawn surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    pub mesh: Mesh,
    /// Where each vertex lies on the sheet; of points that are one, the first.
    pub places: Vec<Place>,
    /// A fourth function drawn from the kernel, at each vertex: it lives on the surface, and no seam shows in it.
    pub shade: Vec<f64>,
    pub domain: Domain,
    /// Points along a side of the sheet.
    pub res: usize,
    /// The farthest that two points of the sheet which are one were drawn apart, relative to the size of the surface.
    pub gap: f64,
}

/// Draws a surface over a sheet of `res` × `res` points.
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
    let mesh = Mesh::new(kept.iter().map(|&i| points[i]).collect(), quads);
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

/// The coordinates and the shade of every place.
type Drawn = (Vec<Point>, Vec<f64>);

/// The three coordinates of every place, and a function for its shade.
///
/// Functions are settled on a coarse grid first, which is the same for every `res`: a finer sheet shows the same surface.
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
    let mut asked = 0;
    // As every draw: without jitter, which would tear the seams (`../shared/spec/MODELS.md`, "Draws").
    let factor = pivoted_columns(diagonal, early, 1e-12, |pivot| {
        asked += 1;
        if places.len() * asked * asked > WORK {
            return Err(SurfaceError::Rough { res });
        }
        let column = kernel.cross(&places, &places[pivot..=pivot]).map_err(SurfaceError::Kernel)?;
        Ok(column.as_slice().to_vec())
    })?;
    // Row after row, so that what is settled first does not depend on how much there is.
    let weights = Matrix::from_row_iterator(factor.ncols(), 4, (0..4 * factor.ncols()).map(|_| normal()));
    let drawn = factor.rows_range(early..) * weights;
    let points = drawn.row_iter().map(|row| [row[0], row[1], row[2]]).collect();
    Ok((points, drawn.column(3).iter().copied().collect()))
}

/// For every place the first that is one with it: those drawn at one point, if the kernel says the same,
/// k(p, p) − 2k(p, q) + k(q, q) = E[(f(p) − f(q))²] = 0.
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

fn root(first: &[usize], mut i: usize) -> usize {
    while first[i] != i {
        i = first[i];
    }
    i
}

/// The longest side of the box around points.
fn extent(points: &[Point]) -> f64 {
    let side = |axis: usize| {
        let values = points.iter().map(|p| p[axis]);
        let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        hi - lo
    };
    (0..3).map(side).fold(0.0, f64::max)
}

/// The largest difference of two points in any coordinate.
fn apart(a: Point, b: Point) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
