//! Surfaces of one value over three inputs, by marching tetrahedra (Doi & Koide, 1991).

use std::collections::HashMap;

/// The six tetrahedra of a cube around its diagonal from corner 0 to corner 7. Bit 0 of a corner is its step in x, bit
/// 1 in y and bit 2 in z, so that neighbouring cubes are cut alike.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// Vertices and faces of the surface on which values over a grid equal `level`, linear along the edges of tetrahedra.
/// `values` has x fastest, then y, then z. Cells with a value that is not finite have no surface. The surface is open
/// where it leaves the grid.
pub fn isosurface(grid: [&[f64]; 3], values: &[f64], level: f64) -> (Vec<[f64; 3]>, Vec<Vec<u32>>) {
    let [nx, ny, nz] = grid.map(<[f64]>::len);
    let mut made = Surface { grid, values, level, known: HashMap::new(), vertices: Vec::new(), faces: Vec::new() };
    if values.len() < nx * ny * nz {
        return (Vec::new(), Vec::new());
    }
    for k in 0..nz.saturating_sub(1) {
        for j in 0..ny.saturating_sub(1) {
            for i in 0..nx.saturating_sub(1) {
                let corner = |c: usize| (i + (c & 1)) + nx * ((j + (c >> 1 & 1)) + ny * (k + (c >> 2 & 1)));
                if (0..8).all(|c| values[corner(c)].is_finite()) {
                    TETRAHEDRA.iter().for_each(|corners| made.cut(corners.map(corner)));
                }
            }
        }
    }
    (made.vertices, made.faces)
}

struct Surface<'g> {
    grid: [&'g [f64]; 3],
    values: &'g [f64],
    level: f64,
    /// The vertex on the edge between two points of the grid.
    known: HashMap<(usize, usize), u32>,
    vertices: Vec<[f64; 3]>,
    faces: Vec<Vec<u32>>,
}

impl Surface<'_> {
    fn cut(&mut self, corners: [usize; 4]) {
        let (above, below): (Vec<usize>, Vec<usize>) = corners.iter().partition(|&&at| self.values[at] >= self.level);
        match (&above[..], &below[..]) {
            ([one], [a, b, c]) | ([a, b, c], [one]) => self.face(&[(*one, *a), (*one, *b), (*one, *c)]),
            ([a, b], [c, d]) => self.face(&[(*a, *c), (*a, *d), (*b, *d), (*b, *c)]),
            _ => {}
        }
    }

    fn face(&mut self, edges: &[(usize, usize)]) {
        let mut face: Vec<u32> = edges.iter().map(|&(a, b)| self.vertex(a.min(b), a.max(b))).collect();
        face.dedup();
        if face.len() > 2 {
            self.faces.push(face);
        }
    }

    fn vertex(&mut self, a: usize, b: usize) -> u32 {
        if let Some(known) = self.known.get(&(a, b)) {
            return *known;
        }
        let (at_a, at_b) = (self.values[a] - self.level, self.values[b] - self.level);
        let t = at_a / (at_a - at_b);
        let (from, to) = (self.place(a), self.place(b));
        let at = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        self.vertices.push([0, 1, 2].map(|axis| from[axis] + t * (to[axis] - from[axis])));
        self.known.insert((a, b), at);
        at
    }

    fn place(&self, at: usize) -> [f64; 3] {
        let [nx, ny, _] = self.grid.map(<[f64]>::len);
        [self.grid[0][at % nx], self.grid[1][at / nx % ny], self.grid[2][at / nx / ny]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A sphere is closed: Euler characteristic 2, every edge in two faces, and its area is 4πr².
    #[test]
    fn a_sphere_is_closed_and_has_its_area() {
        let grid: Vec<f64> = (0..25).map(|i| f64::from(i) / 10.0 - 1.2).collect();
        let at = |i: usize| (grid[i % 25], grid[i / 25 % 25], grid[i / 625]);
        let values: Vec<f64> = (0..25usize.pow(3)).map(at).map(|(x, y, z)| -(x * x + y * y + z * z)).collect();
        let (vertices, faces) = isosurface([&grid, &grid, &grid], &values, -0.9);
        let mut edges = HashMap::new();
        for face in &faces {
            for i in 0..face.len() {
                let (a, b) = (face[i], face[(i + 1) % face.len()]);
                *edges.entry((a.min(b), a.max(b))).or_insert(0) += 1;
            }
        }
        assert!(edges.values().all(|n| *n == 2));
        let used: HashSet<u32> = faces.iter().flatten().copied().collect();
        assert_eq!(used.len() + faces.len(), edges.len() + 2);
        let triangle = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
            let (u, v) = ([0, 1, 2].map(|i| b[i] - a[i]), [0, 1, 2].map(|i| c[i] - a[i]));
            let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            0.5 * cross.iter().map(|x| x * x).sum::<f64>().sqrt()
        };
        let p = |i: u32| vertices[i as usize];
        let area: f64 =
            faces.iter().map(|f| (1..f.len() - 1).map(|i| triangle(p(f[0]), p(f[i]), p(f[i + 1]))).sum::<f64>()).sum();
        let sphere = 4.0 * std::f64::consts::PI * 0.9;
        assert!((area / sphere - 1.0).abs() < 0.01, "{area} {sphere}");
    }

    #[test]
    fn values_that_are_missing_leave_holes() {
        let grid = [0.0, 1.0];
        let mut values = vec![0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
        assert_eq!(isosurface([&grid, &grid, &grid], &values, 0.25).0.iter().map(|p| p[0]).fold(0.0, f64::max), 0.25);
        values[3] = f64::NAN;
        assert!(isosurface([&grid, &grid, &grid], &values, 0.25).1.is_empty());
        assert!(isosurface([&grid, &grid, &grid], &[], 0.25).1.is_empty());
    }
}
