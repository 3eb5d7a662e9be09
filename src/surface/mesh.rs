//! A mesh of triangles and quadrilaterals, and its topology.

use std::collections::{HashMap, HashSet, VecDeque};

/// A point in space.
pub type Point = [f64; 3];

/// Three or four vertices in cyclic order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Face {
    corners: [u32; 4],
    n: u8,
}

impl Face {
    /// A quadrilateral whose equal corners are merged; `None` if it has no area.
    fn of([a, b, c, d]: [u32; 4]) -> Option<Self> {
        let mut corners = Vec::with_capacity(4);
        for corner in [a, b, c, d] {
            if !corners.contains(&corner) {
                corners.push(corner);
            }
        }
        match corners[..] {
            [a, b, c, d] => Some(Self { corners: [a, b, c, d], n: 4 }),
            // At a pole, or a cell that is folded along its diagonal.
            [a, b, c] => Some(Self { corners: [a, b, c, c], n: 3 }),
            _ => None,
        }
    }

    /// Its vertices in cyclic order.
    pub fn corners(&self) -> &[u32] {
        &self.corners[..usize::from(self.n)]
    }

    /// Its edges in cyclic order, each from a vertex to the next.
    fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let corners = self.corners();
        (0..corners.len()).map(|i| (corners[i], corners[(i + 1) % corners.len()]))
    }

    fn turned(self) -> Self {
        let [a, b, c, d] = self.corners;
        if self.n == 4 { Self { corners: [a, d, c, b], n: 4 } } else { Self { corners: [a, c, b, b], n: 3 } }
    }
}

/// Points in space and the faces between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    pub vertices: Vec<Point>,
    /// Neighbouring faces have the same orientation if the surface is two-sided.
    pub faces: Vec<Face>,
    /// Edges with only one face, as closed curves: the last vertex of each is connected to its first.
    pub rims: Vec<Vec<u32>>,
    pub shape: Shape,
}

/// The topology of a mesh (the classification of compact surfaces).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub edges: usize,
    /// Vertices − edges + faces.
    pub euler: i64,
    /// The number of connected components.
    pub pieces: usize,
    /// The number of boundary curves.
    pub rims: usize,
    /// Whether it is two-sided (orientable).
    pub two_sided: bool,
    /// Whether no edge has more than two faces.
    pub smooth: bool,
    /// Whether the sheet covers it once; if not, the other properties are those of the mesh and not of the surface.
    pub once: bool,
}

impl Shape {
    /// The common name of the surface.
    pub fn name(&self) -> String {
        let known = match (self.two_sided, self.rims, self.euler) {
            _ if self.pieces != 1 || !self.smooth || !self.once => "surface",
            (true, 0, 2) => "sphere",
            (true, 0, 0) => "torus",
            (true, 1, 1) => "sheet",
            (true, 2, 0) => "cylinder",
            (false, 0, 1) => "projective plane",
            (false, 0, 0) => "Klein bottle",
            (false, 1, 0) => "Möbius strip",
            _ => "surface",
        };
        known.into()
    }
}

impl Mesh {
    /// The mesh of quadrilaterals between vertices. Quadrilaterals with the same corners, as where a symmetry folds the
    /// sheet, are merged. Vertices without faces are kept.
    pub(super) fn new(vertices: Vec<Point>, quads: impl Iterator<Item = [u32; 4]>) -> Self {
        let mut seen = HashSet::new();
        let faces: Vec<Face> = quads
            .filter_map(Face::of)
            .filter(|face| {
                let mut key = face.corners;
                key.sort_unstable();
                // A triangle repeats any one of its corners.
                let own = if face.n == 4 { key } else { distinct(face.corners) };
                seen.insert(own)
            })
            .collect();
        let mut beside: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
        for (i, face) in faces.iter().enumerate() {
            for (a, b) in face.edges() {
                beside.entry((a.min(b), a.max(b))).or_default().push(i);
            }
        }
        let (faces, pieces, two_sided) = oriented(faces, &beside);
        let used: HashSet<u32> = faces.iter().flat_map(|f| f.corners().iter().copied()).collect();
        let rims = rims(&faces, &beside);
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let shape = Shape {
            edges: beside.len(),
            euler: count(used.len()) - count(beside.len()) + count(faces.len()),
            pieces,
            rims: rims.len(),
            two_sided,
            smooth: beside.values().all(|faces| faces.len() <= 2),
            once: true,
        };
        Self { vertices, faces, rims, shape }
    }
}

/// The three corners of a triangle in ascending order, the last twice.
fn distinct(corners: [u32; 4]) -> [u32; 4] {
    let mut three = [corners[0], corners[1], corners[2]];
    three.sort_unstable();
    [three[0], three[1], three[2], three[2]]
}

type Beside = HashMap<(u32, u32), Vec<usize>>;

/// Faces with consistent orientation, the number of components, and whether a consistent orientation exists.
fn oriented(mut faces: Vec<Face>, beside: &Beside) -> (Vec<Face>, usize, bool) {
    let (mut done, mut pieces, mut two_sided) = (vec![false; faces.len()], 0, true);
    for start in 0..faces.len() {
        if done[start] {
            continue;
        }
        pieces += 1;
        done[start] = true;
        let mut queue = VecDeque::from([start]);
        while let Some(i) = queue.pop_front() {
            let face = faces[i];
            for (a, b) in face.edges() {
                for &j in beside.get(&(a.min(b), a.max(b))).into_iter().flatten().filter(|&&j| j != i) {
                    // Two faces have the same orientation if they traverse their common edge in opposite directions.
                    let against = faces[j].edges().any(|edge| edge == (a, b));
                    if done[j] {
                        two_sided &= !against;
                        continue;
                    }
                    if against {
                        faces[j] = faces[j].turned();
                    }
                    done[j] = true;
                    queue.push_back(j);
                }
            }
        }
    }
    (faces, pieces, two_sided)
}

/// The curves of edges with only one face.
fn rims(faces: &[Face], beside: &Beside) -> Vec<Vec<u32>> {
    let mut next: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut start = Vec::new();
    for (a, b) in faces.iter().flat_map(Face::edges) {
        if beside.get(&(a.min(b), a.max(b))).is_some_and(|faces| faces.len() == 1) {
            next.entry(a).or_default().push(b);
            next.entry(b).or_default().push(a);
            start.push(a);
        }
    }
    let mut curves = Vec::new();
    for first in start {
        let mut curve = Vec::new();
        let mut at = first;
        while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
            if let Some(back) = next.get_mut(&to)
                && let Some(i) = back.iter().position(|&v| v == at)
            {
                back.swap_remove(i);
            }
            curve.push(at);
            at = to;
        }
        if !curve.is_empty() {
            curves.push(curve);
        }
    }
    curves
}
