//! Contours of a matrix by marching squares (Lorensen & Cline, 1987, in two dimensions).

/// The contour at which the values `z` (row by row, rows at `y`) equal `level`, linear between grid points. Its pieces
/// are separated by values that are not finite, at which lines break. Cells with a value that is not finite have no
/// contour, and those in which the values differ by less than `least` are taken as flat.
pub fn contour(x: &[f64], y: &[f64], z: &[f64], level: f64, least: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut along, mut up) = (Vec::new(), Vec::new());
    let at = |r: usize, c: usize| z.get(r * x.len() + c).copied().unwrap_or(f64::NAN);
    for r in 0..y.len().saturating_sub(1) {
        for c in 0..x.len().saturating_sub(1) {
            // corners in cyclic order, and the edges between them
            let corners = [(r, c), (r, c + 1), (r + 1, c + 1), (r + 1, c)];
            let crossing = |i: usize| {
                let ((r0, c0), (r1, c1)) = (corners[i], corners[(i + 1) % 4]);
                let (a, b) = (at(r0, c0) - level, at(r1, c1) - level);
                let t = a / (a - b);
                let between = |a: f64, b: f64| a + t * (b - a);
                ((a >= 0.0) != (b >= 0.0)).then(|| (between(x[c0], x[c1]), between(y[r0], y[r1])))
            };
            let values = corners.map(|(r, c)| at(r, c));
            let (lo, hi) =
                values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
            if values.iter().any(|v| !v.is_finite()) || hi - lo < least {
                continue;
            }
            let crossings: Vec<(f64, f64)> = (0..4).filter_map(crossing).collect();
            // with four crossings, each line separates a corner whose side differs from that of the middle
            let middle = corners.iter().map(|&(r, c)| at(r, c) - level).sum::<f64>() >= 0.0;
            let pairs: &[(usize, usize)] = match (crossings.len(), middle == (at(r, c) >= level)) {
                (2, _) => &[(0, 1)],
                (4, true) => &[(0, 1), (2, 3)],
                (4, false) => &[(3, 0), (1, 2)],
                _ => &[],
            };
            for &(a, b) in pairs {
                along.extend([crossings[a].0, crossings[b].0, f64::NAN]);
                up.extend([crossings[a].1, crossings[b].1, f64::NAN]);
            }
        }
    }
    (along, up)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contour of a plane is a straight line, that of a cone a circle.
    #[test]
    fn lines_lie_where_the_value_is() {
        let grid: Vec<f64> = (0..41).map(|i| f64::from(i) / 10.0 - 2.0).collect();
        let of = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            grid.iter().flat_map(|y| grid.iter().map(move |x| (*x, *y))).map(|(x, y)| f(x, y)).collect()
        };
        let plane = |x: f64, y: f64| x + 2.0 * y;
        let (xs, ys) = contour(&grid, &grid, &of(&plane), 0.55, 0.0);
        assert!(xs.len() > 60 && xs.len() == ys.len());
        let finite = || xs.iter().zip(&ys).filter(|(x, _)| x.is_finite());
        assert!(finite().all(|(x, y)| (plane(*x, *y) - 0.55).abs() < 1e-12));
        let (xs, ys) = contour(&grid, &grid, &of(&|x, y| x.hypot(y)), 1.03, 0.0);
        let length: f64 = (0..xs.len() / 3).map(|i| (xs[3 * i] - xs[3 * i + 1]).hypot(ys[3 * i] - ys[3 * i + 1])).sum();
        assert!((length - 1.03 * std::f64::consts::TAU).abs() < 0.01, "{length}");
    }

    /// At a saddle, lines separate the corners that are not on the side of the middle.
    #[test]
    fn saddles_and_gaps() {
        let (xs, _) = contour(&[0.0, 1.0], &[0.0, 1.0], &[1.0, -1.0, -1.0, 1.5], 0.0, 0.0);
        assert_eq!(xs.len(), 6);
        // the middle is connected with the corners (0, 0) and (1, 1): each line separates one of the others
        assert!(xs[0] + xs[1] > 1.0 && xs[3] + xs[4] < 1.0, "{xs:?}");
        assert!(contour(&[0.0, 1.0], &[0.0, 1.0], &[1.0, f64::NAN, -1.0, 1.0], 0.0, 0.0).0.is_empty());
        // rounding errors around zero have no contour
        assert!(contour(&[0.0, 1.0], &[0.0, 1.0], &[1e-9, -1e-9, 1e-9, -1e-9], 0.0, 1e-6).0.is_empty());
        assert!(contour(&[], &[], &[], 0.0, 0.0).0.is_empty());
    }
}
