//! Maps of the plane drawn from a deep Gaussian process: the images of points after each layer.

use super::definition::DeepModel;
use super::prior::{Columns, PICTURE, PriorError};
use crate::progress::Progress;

/// The points that are mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preimage {
    /// Points of a standard Gaussian in the plane.
    Density { points: usize },
    /// A square grid, coloured by the images of its points.
    Grid { side: usize },
    /// A curve, and a grid for the colours.
    Curve { points: usize, closed: bool, side: usize },
}

/// Half the side of the square of a grid: three standard deviations of the Gaussian of [`Preimage::Density`].
pub const REACH: f64 = 3.0;
/// The radius of the circle, and half the length of the line.
const RADIUS: f64 = 2.0;

/// Why a map cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MapError {
    #[error(transparent)]
    Prior(#[from] PriorError),
    #[error("layer {layer} has {units} units, and a map of the plane needs 2")]
    Units { layer: usize, units: usize },
    #[error("the prior has {layers} layers, found layer {layer}")]
    NoLayer { layer: usize, layers: usize },
}

/// The images of points after one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The layer, from 1.
    pub layer: usize,
    pub points: Vec<[f64; 2]>,
}

/// One draw of a map of the plane into itself.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneMap {
    pub prior: DeepModel,
    pub seed: u64,
    pub preimage: Preimage,
    /// The points: for a curve its points first, then those of the grid.
    pub from: Vec<[f64; 2]>,
    pub images: Vec<Image>,
}

impl PlaneMap {
    /// Draws one function of every layer, and records the images of the points after each of the layers `shown`, from
    /// 1.
    ///
    /// # Errors
    /// [`MapError`].
    pub fn draw(
        prior: DeepModel,
        preimage: Preimage,
        shown: &[usize],
        seed: u64,
        normal: &mut dyn FnMut() -> f64,
        progress: &dyn Progress,
    ) -> Result<Self, MapError> {
        let units = prior.prior_units();
        for &layer in shown {
            let units = layer.checked_sub(1).and_then(|at| units.get(at));
            match units {
                Some(2) => {}
                Some(&units) => return Err(MapError::Units { layer, units }),
                None => return Err(MapError::NoLayer { layer, layers: prior.layers }),
            }
        }
        let from = preimage.points(normal);
        let columns: Columns = (0..2).map(|axis| from.iter().map(|place| place[axis]).collect()).collect();
        let drawn = prior.draw(&columns, PICTURE, normal, progress)?;
        let image = |&layer: &usize| {
            let points = match &drawn[layer - 1][..] {
                [x, y] => x.iter().zip(y).map(|(x, y)| [*x, *y]).collect(),
                _ => Vec::new(),
            };
            Image { layer, points }
        };
        let images = shown.iter().map(image).collect();
        Ok(Self { prior, seed, preimage, from, images })
    }
}

impl Preimage {
    fn points(self, normal: &mut dyn FnMut() -> f64) -> Vec<[f64; 2]> {
        match self {
            Self::Density { points } => (0..points).map(|_| [normal(), normal()]).collect(),
            Self::Grid { side } => grid(side),
            Self::Curve { points, closed, side } => {
                let last = if closed { points } else { points.saturating_sub(1) }.max(1) as f64;
                let place = |i: usize| {
                    let share = i as f64 / last;
                    match closed {
                        true => {
                            let (sin, cos) = (std::f64::consts::TAU * share).sin_cos();
                            [RADIUS * cos, RADIUS * sin]
                        }
                        false => [RADIUS * (2.0 * share - 1.0), 0.0],
                    }
                };
                // A closed curve ends at its first point.
                let curve = (0..points + usize::from(closed)).map(place);
                curve.chain(grid(side)).collect()
            }
        }
    }
}

/// The coordinates of a grid along one side.
pub fn side_places(side: usize) -> Vec<f64> {
    let last = side.saturating_sub(1).max(1) as f64;
    (0..side).map(|i| REACH * (2.0 * i as f64 / last - 1.0)).collect()
}

/// The points row by row, from the lowest row.
fn grid(side: usize) -> Vec<[f64; 2]> {
    let along = side_places(side);
    along.iter().flat_map(|&y| along.iter().map(move |&x| [x, y])).collect()
}

/// Up to `most` depths that show the effect of depth: the first, the last, and between them in equal ratios.
pub fn shown_layers(layers: usize, most: usize) -> Vec<usize> {
    if layers <= most || most < 2 {
        return (1..=layers).collect();
    }
    let ratio = (layers as f64).powf(1.0 / (most - 1) as f64);
    let mut shown: Vec<usize> = (0..most).map(|i| ratio.powi(i as i32).round() as usize).collect();
    shown.dedup();
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::families::family;
    use crate::kernel::{Inputs, Kernel};
    use crate::progress::Silent;
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};

    use crate::deep::Units;

    #[test]
    fn depths_in_equal_ratios() {
        assert_eq!(shown_layers(3, 4), [1, 2, 3]);
        assert_eq!(shown_layers(10, 4), [1, 2, 5, 10]);
        assert_eq!(shown_layers(50, 4), [1, 4, 14, 50]);
    }

    #[test]
    fn a_circle_is_closed_and_stays_closed() {
        let kernel = Kernel::leaf(family("SE").expect("a family"), Inputs::All);
        let prior = DeepModel { units: Units::Same(2), ..DeepModel::new(3, kernel) };
        let mut random = rand_pcg::Pcg64::seed_from_u64(3);
        let mut normal = || StandardNormal.sample(&mut random);
        let preimage = Preimage::Curve { points: 50, closed: true, side: 5 };
        let map = PlaneMap::draw(prior.clone(), preimage, &[1, 3], 3, &mut normal, &Silent).expect("a map");
        assert_eq!((map.from.len(), map.images.len()), (51 + 25, 2));
        for image in &map.images {
            let apart = (0..2).map(|axis| (image.points[0][axis] - image.points[50][axis]).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-3);
        }
        let narrow = DeepModel { units: Units::Each(vec![3, 2]), ..prior.clone() };
        let preimage = Preimage::Grid { side: 3 };
        let error = PlaneMap::draw(narrow, preimage, &[1], 0, &mut || 0.0, &Silent).expect_err("three units");
        assert_eq!(error, MapError::Units { layer: 1, units: 3 });
        let error = PlaneMap::draw(prior, preimage, &[4], 0, &mut || 0.0, &Silent).expect_err("three layers");
        assert_eq!(error, MapError::NoLayer { layer: 4, layers: 3 });
    }
}
