use std::convert::Infallible;
use std::f64::consts::TAU;

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use super::drawing::apart;
use super::*;
use crate::linalg::Matrix;

/// exp(−½|φ(a) − φ(b)|²) for an embedding φ of the plane.
fn embedded(embed: impl Fn(Place) -> Vec<f64> + Copy) -> impl Covariance<Error = Infallible> {
    kernel(move |a, b| (-0.5 * embed(a).iter().zip(embed(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp())
}

fn kernel(k: impl Fn(Place, Place) -> f64) -> impl FnMut(&[Place], &[Place]) -> Result<Matrix, Infallible> {
    move |a, b| Ok(Matrix::from_fn(a.len(), b.len(), |i, j| k(a[i], b[j])))
}

fn circle(t: f64, period: f64) -> [f64; 2] {
    [(TAU * t / period).cos(), (TAU * t / period).sin()]
}

fn torus([x, y]: Place) -> Vec<f64> {
    [circle(x, 1.0), circle(y, 1.0)].concat()
}

fn cylinder([x, y]: Place) -> Vec<f64> {
    [&circle(x, 1.0)[..], &[y]].concat()
}

fn globe([lat, lon]: Place) -> Vec<f64> {
    let (lat, lon) = (lat.to_radians(), lon.to_radians());
    vec![lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
}

/// A torus that is invariant to a move of its points, by the sum over a group of order two.
fn folded(moved: impl Fn(Place) -> Place) -> impl Covariance<Error = Infallible> {
    let k =
        |a: Place, b: Place| (-0.5 * torus(a).iter().zip(torus(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp();
    kernel(move |a, b| k(a, b) + k(moved(a), b) + k(a, moved(b)) + k(moved(a), moved(b)))
}

fn drawn<K: Covariance<Error = Infallible>>(mut kernel: K, res: usize) -> Surface {
    let hints = Hints { periods: vec![1.0], lengths: [1.0, 1.0], ..Hints::default() };
    let domain = Domain::choose(&mut kernel, &hints);
    let mut random = rand_pcg::Pcg64::seed_from_u64(7);
    draw(&mut kernel, domain, res, &mut || StandardNormal.sample(&mut random)).expect("a surface")
}

#[track_caller]
fn check(surface: &Surface, name: &str, euler: i64, counts: (usize, usize)) {
    let shape = surface.mesh.shape;
    assert_eq!((shape.name().as_str(), shape.euler), (name, euler), "{shape:?}");
    assert_eq!((surface.mesh.vertices.len(), surface.mesh.faces.len()), counts);
    assert!(shape.smooth && surface.gap < 1e-6, "seams are {} apart", surface.gap);
}

#[test]
fn symmetries_glue_the_sheet() {
    let n = 13;
    let m = n - 1;
    let flat = drawn(embedded(|p| p.to_vec()), n);
    check(&flat, "sheet", 1, (n * n, m * m));
    assert_eq!(flat.domain, Domain { x: (0.0, 3.0), y: (0.0, 3.0) });
    let tube = drawn(embedded(cylinder), n);
    check(&tube, "cylinder", 0, (m * n, m * m));
    assert_eq!(tube.domain, Domain { x: (0.0, 1.0), y: (0.0, 3.0) });
    check(&drawn(embedded(torus), n), "torus", 0, (m * m, m * m));
    let globe = drawn(embedded(globe), n);
    check(&globe, "sphere", 2, (2 + (n - 2) * m, m * m));
    assert_eq!(globe.domain, Domain { x: (-90.0, 90.0), y: (0.0, 360.0) });
}

#[test]
fn a_sheet_that_covers_its_image_twice_is_no_torus() {
    fn over<K: Covariance<Error = Infallible>>(mut kernel: K, x: f64, y: f64) -> Shape {
        let domain = Domain { x: (0.0, x), y: (0.0, y) };
        let mut random = rand_pcg::Pcg64::seed_from_u64(7);
        draw(&mut kernel, domain, 30, &mut || StandardNormal.sample(&mut random)).expect("a surface").mesh.shape
    }
    // every point has a second latitude and longitude, which are between the points of the sheet
    let twice = over(embedded(globe), 360.0, 360.0);
    assert!(!twice.once && twice.name() == "surface", "{twice:?}");
    assert!(!over(embedded(torus), 5.0, 1.0).once && over(embedded(torus), 1.0, 1.0).once);
    assert_eq!(over(embedded(torus), 0.7, 0.8).name(), "sheet");
}

#[test]
fn a_finer_sheet_is_the_same_surface() {
    let (coarse, fine) = (drawn(embedded(torus), 13), drawn(embedded(torus), 25));
    let at = |surface: &Surface, place: Place| {
        let near = |p: &Place| (p[0] - place[0]).abs() + (p[1] - place[1]).abs() < 1e-9;
        surface.mesh.vertices[surface.places.iter().position(near).expect("a vertex")]
    };
    for (place, point) in coarse.places.iter().zip(&coarse.mesh.vertices) {
        assert!(apart(at(&fine, *place), *point) < 1e-4);
    }
}

#[test]
fn folds_glue_it_too() {
    let m = 12;
    let mobius = drawn(folded(|[x, y]| [y, x]), m + 1);
    // Half a torus: the triangle 0 ≤ x ≤ y ≤ p with its legs identified.
    check(&mobius, "Möbius strip", 0, (m * (m + 1) / 2, m * (m + 1) / 2));
    assert_eq!((mobius.mesh.rims.len(), mobius.mesh.rims[0].len()), (1, m));
    let klein = drawn(folded(|[x, y]| [x + 0.5, -y]), m + 1);
    check(&klein, "Klein bottle", 0, (m * m / 2, m * m / 2));
    // The quotient of the torus by a half turn has four fixed points and is a sphere.
    check(&drawn(folded(|[x, y]| [-x, -y]), m + 1), "sphere", 2, (m * m / 2 + 2, m * m / 2));
}

#[test]
fn periods_that_go_together_are_found() {
    let mut k = embedded(|[x, y]| [&circle(x, 1.0)[..], &circle(x, 1.5), &[y]].concat());
    let hints = Hints { periods: vec![1.0, 1.5], lengths: [1.0, 2.0], ..Hints::default() };
    assert_eq!(Domain::choose(&mut k, &hints), Domain { x: (0.0, 3.0), y: (0.0, 6.0) });
    let asked = Hints { x: Some((-1.0, 1.0)), ..hints };
    assert_eq!(Domain::choose(&mut k, &asked), Domain { x: (-1.0, 1.0), y: (0.0, 6.0) });
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let mut normal = || 0.5;
    let domain = Domain { x: (0.0, 1.0), y: (0.0, 1.0) };
    for res in [0, 1, 3, 201] {
        assert_eq!(draw(&mut embedded(torus), domain, res, &mut normal), Err(SurfaceError::Res { found: res }));
    }
    assert_eq!(draw(&mut kernel(|_, _| 1.0), domain, 5, &mut normal), Err(SurfaceError::Flat(domain)));
    assert_eq!(draw(&mut kernel(|_, _| 0.0), domain, 5, &mut normal), Err(SurfaceError::Flat(domain)));
    let mut rough = kernel(|a, b| f64::from(u8::from(a == b)));
    assert_eq!(draw(&mut rough, domain, 100, &mut normal), Err(SurfaceError::Rough { res: 100 }));
}

/// Vertices and faces of a file, parsed by its format.
fn read(text: &str) -> (Vec<Point>, Vec<Vec<usize>>) {
    let numbers = |line: &str| line.split(' ').map(|w| w.parse::<f64>().expect("a number")).collect::<Vec<f64>>();
    let point = |n: &[f64]| [n[0], n[1], n[2]];
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    if let Some(rest) = text.strip_prefix("ply\nformat ascii 1.0\n") {
        let (header, body) = rest.split_once("end_header\n").expect("a header");
        let count = |what: &str| -> usize {
            let found = header.lines().find_map(|line| line.strip_prefix(&format!("element {what} ")));
            found.expect("a count").parse().expect("a count")
        };
        let lines: Vec<Vec<f64>> = body.lines().map(numbers).collect();
        let (first, second) = lines.split_at(count("vertex"));
        assert_eq!(second.len(), count("face"));
        points.extend(first.iter().map(|n| point(n)));
        for face in second {
            assert_eq!(face[0] as usize, face.len() - 1);
            faces.push(face[1..].iter().map(|i| *i as usize).collect());
        }
        return (points, faces);
    }
    for line in text.lines() {
        match line.split_once(' ').expect("a word and more") {
            ("v", rest) => points.push(point(&numbers(rest))),
            ("f", rest) => faces.push(numbers(rest).iter().map(|i| *i as usize - 1).collect()),
            (word, _) => assert_eq!(word, "#"),
        }
    }
    (points, faces)
}

#[test]
fn files_read_back() {
    let sphere = drawn(embedded(globe), 9);
    for format in [Format::Obj, Format::Ply] {
        let (points, faces) = read(&sphere.text(format, "a globe\nof two \r lines"));
        assert_eq!(points, sphere.mesh.vertices);
        let own: Vec<Vec<usize>> =
            sphere.mesh.faces.iter().map(|f| f.corners().iter().map(|&i| i as usize).collect()).collect();
        assert_eq!(faces, own);
        let edges: std::collections::HashSet<(usize, usize)> = faces
            .iter()
            .flat_map(|f| (0..f.len()).map(|i| (f[i].min(f[(i + 1) % f.len()]), f[i].max(f[(i + 1) % f.len()]))))
            .collect();
        assert_eq!(points.len() + faces.len(), edges.len() + 2);
    }
    assert_eq!(Format::of("OBJ"), Some(Format::Obj));
    assert_eq!(Format::of("stl"), None);
}
