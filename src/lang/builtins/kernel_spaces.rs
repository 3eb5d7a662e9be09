//! Surfaces in the space of three inputs on which the covariance with a point has one value.

use crate::describe;
use crate::figure::{Mark, Panel, isosurface};
use crate::lang::error::{LangError, Res};
use crate::lang::numerals::number;

use super::kernel_figures::{Shown, grid};

/// The number of points along each side of the grid.
const SPACE_SIDE: usize = 33;
/// The view of surfaces of one covariance: azimuth and elevation in degrees.
const VIEW: (f64, f64) = (35.0, 25.0);

impl Shown<'_> {
    /// The names of the inputs and the ends of their ranges beside three edges of the space, at places that are added to
    /// its vertices.
    fn edge_names(&self, ranges: &[(f64, f64); 3], vertices: &mut Vec<[f64; 3]>) -> Vec<(u32, String)> {
        /// The places of an input's least value, name, and greatest value along its edge.
        const ALONG: [f64; 3] = [0.14, 0.5, 0.86];
        let mut names = Vec::new();
        for input in 0..3 {
            // the floor in front, and the upright edge on the left in the usual view
            let corner = match input {
                0 => [0.0, 1.0, 0.0],
                1 => [1.0, 0.0, 0.0],
                _ => [1.0, 0.0, 0.0],
            };
            let (lo, hi) = ranges[input];
            for (along, text) in ALONG.into_iter().zip([number(lo), self.axis(input), number(hi)]) {
                let share = |i: usize| if i == input { along } else { corner[i] };
                names.push((u32::try_from(vertices.len()).unwrap_or(u32::MAX), text));
                vertices.push(std::array::from_fn(|i| ranges[i].0 * (1.0 - share(i)) + ranges[i].1 * share(i)));
            }
        }
        names
    }

    /// Surfaces in the space of three inputs on which the covariance with the point has one value.
    pub(super) fn space_panels(&self) -> Res<Vec<Panel>> {
        const SHARES: [f64; 3] = [0.75, 0.5, 0.25];
        let side = SPACE_SIDE;
        // without a range the inner half, where the covariance changes
        let inner = |(lo, hi): (f64, f64)| match self.plot.range {
            Some(range) => range,
            None => (lo * 0.75 + hi * 0.25, lo * 0.25 + hi * 0.75),
        };
        let ranges: [(f64, f64); 3] = std::array::from_fn(|i| inner(self.ranges[i]));
        let points = ranges.map(|range| grid(range, side));
        let column = |i: usize| {
            let stride = side.pow(i as u32);
            (0..side.pow(3)).map(|at| points[i][at / stride % side]).collect::<Vec<f64>>()
        };
        let values = self.covariances(&self.rows(vec![column(0), column(1), column(2)]))?;
        let finite = || values.iter().copied().filter(|v| v.is_finite());
        let (least, most) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        // rounding is no difference
        let varies = most - least > 1e-9 * least.abs().max(most.abs());
        if !varies {
            let text =
                format!("the covariance with {} is {} everywhere: it has no surfaces", self.point(), number(least));
            let help = "choose another point, as in `at=[1, 1, 1]`, or another range `x`";
            return Err(LangError::new(text).argument("value").help(help));
        }
        let (azimuth, elevation) = self.plot.view.unwrap_or(VIEW);
        let title = |level: f64| format!("Covariance {} with {}", level_text(level), self.point());
        let panels = SHARES.into_iter().map(|share| {
            self.poll()?;
            let level = rounded_level(least + share * (most - least), most - least);
            let (mut vertices, faces) = isosurface([&points[0], &points[1], &points[2]], &values, level);
            // the edges of the space: its floor and ceiling, and two of its walls
            let first = u32::try_from(vertices.len()).unwrap_or(u32::MAX - 8);
            let end = |i: usize, bit: usize| if i >> bit & 1 == 0 { ranges[bit].0 } else { ranges[bit].1 };
            vertices.extend((0..8).map(|i| [end(i, 0), end(i, 1), end(i, 2)]));
            let rim = |corners: [u32; 4]| corners.map(|corner| first + corner).to_vec();
            let rims = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6]].map(rim).to_vec();
            let names = self.edge_names(&ranges, &mut vertices);
            // colours show the height, and shading the shape
            let shade = vertices.iter().map(|p| p[2]).collect();
            let view = Some((azimuth + 360.0 * self.plot.phase, elevation));
            let mesh = Mark::Mesh { vertices, faces, shade, rims, names, view };
            Ok(Panel::new("", "", vec![mesh]).titled(title(level)))
        });
        panels.collect()
    }
}

/// A level as a multiple of five hundredths of the power of ten in the span of the values.
fn rounded_level(level: f64, span: f64) -> f64 {
    let digit = 5.0 * 10f64.powi(span.log10().floor() as i32 - 2);
    (level / digit).round() * digit
}

/// A level with at most three decimals, or in short form if it is small.
fn level_text(level: f64) -> String {
    if level.abs() < 0.01 { describe::rounded(level) } else { number((level * 1000.0).round() / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::rounded_level;

    #[test]
    fn levels_are_round() {
        let levels = [(2.283, 3.04), (0.75, 1.0), (0.0004567, 0.0006)].map(|(level, span)| rounded_level(level, span));
        for (found, expected) in levels.into_iter().zip([2.3, 0.75, 0.000455]) {
            assert!((found - expected).abs() < 1e-12, "{found}");
        }
    }
}
