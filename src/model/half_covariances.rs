//! Covariances with the rows of a posterior, multiplied by half of the inverse: the reduction of a prior covariance by
//! the data is a product of two of these, for exact and sparse models.

use super::ModelError;
use super::inducing::SparseMethod;
use crate::kernel::{Bound, Cross, Points};
use crate::linalg::{Cholesky, Matrix, transposed_product};

/// The parts of a sparse model that depend on its training rows.
#[derive(Debug, Clone)]
pub struct Induced {
    pub method: SparseMethod,
    /// The factor of I + L⁻¹K_ufΛ⁻¹K_fuL⁻ᵀ.
    pub data: Cholesky,
    /// λ of each training row.
    pub lambda: Vec<f64>,
}

/// A summand of the kernel, with its rows.
pub struct Term {
    /// Covariance of the base rows (rows of the matrix) with these (columns).
    pub cross: Matrix,
    pub diagonal: Vec<f64>,
    /// For a sparse model at its training rows: the noise in the summand, which is independent for each row.
    pub own: Option<Vec<f64>>,
}

/// The training rows of a sparse model, for the noise of its summands.
pub struct OwnRows {
    /// [Σ⁻¹(y − m)]ᵢ, where Σ is the covariance of y under the approximation.
    pub weights: Vec<f64>,
    /// 1/λᵢ.
    pub inverse: Vec<f64>,
    /// L_B⁻¹L⁻¹kᵢ.
    pub minus: Matrix,
}

/// Half-multiplied covariances. Products of them are reductions of a prior covariance by the data.
#[derive(Clone)]
pub struct Halves {
    plus: Matrix,
    /// For a sparse model: the part by which the noise of the rows limits the reduction.
    minus: Option<Matrix>,
    own: Option<OwnHalf>,
}

#[derive(Clone)]
struct OwnHalf {
    noise: Vec<f64>,
    inverse: Vec<f64>,
    rows: Matrix,
}

impl Halves {
    pub fn new(plus: Matrix, minus: Option<Matrix>) -> Self {
        Self { plus, minus, own: None }
    }

    /// L⁻¹k.
    pub fn plus(&self) -> &Matrix {
        &self.plus
    }

    /// L_B⁻¹L⁻¹k of a sparse model.
    pub fn minus(&self) -> Option<&Matrix> {
        self.minus.as_ref()
    }

    /// Those of one row.
    pub fn at(&self, row: usize) -> Self {
        let one = |half: &Matrix| half.columns(row, 1).into_owned();
        Self { plus: one(&self.plus), minus: self.minus.as_ref().map(one), own: None }
    }

    /// The reductions of prior covariances between two sets of rows by the data.
    pub fn product(&self, other: &Self) -> Matrix {
        let product = transposed_product(&self.plus, &other.plus);
        match (&self.minus, &other.minus) {
            (Some(one), Some(two)) => product - transposed_product(one, two),
            _ => product,
        }
    }

    /// The diagonal of the product.
    pub fn dots(&self, other: &Self) -> Vec<f64> {
        let columns = |a: &Matrix, b: &Matrix| -> Vec<f64> {
            a.column_iter().zip(b.column_iter()).map(|(a, b)| a.dot(&b)).collect()
        };
        let mut dots = columns(&self.plus, &other.plus);
        let (Some(one), Some(two)) = (&self.minus, &other.minus) else { return dots };
        dots.iter_mut().zip(columns(one, two)).for_each(|(dot, less)| *dot -= less);
        // c = K_fuK_uu⁻¹k + νeᵢ, and cᵀΣ⁻¹c′ with Σ⁻¹ = Λ⁻¹ − Λ⁻¹K_fuA⁻¹K_ufΛ⁻¹
        for (own, minus) in [(&self.own, two), (&other.own, one)] {
            let Some(own) = own else { continue };
            let along = columns(minus, &own.rows);
            for (i, dot) in dots.iter_mut().enumerate() {
                *dot += own.noise[i] * along[i] * own.inverse[i];
            }
        }
        if let (Some(a), Some(b)) = (&self.own, &other.own) {
            for (i, dot) in dots.iter_mut().enumerate() {
                let within = a.inverse[i] - a.rows.column(i).norm_squared() * a.inverse[i] * a.inverse[i];
                *dot += a.noise[i] * b.noise[i] * within;
            }
        }
        dots
    }

    /// The reduction of the prior variance at each row by the data.
    pub fn squares(&self) -> Vec<f64> {
        self.dots(self)
    }

    /// The same with the independent noise of a summand included.
    pub fn of_term(mut self, term: &Term, rows: Option<&OwnRows>) -> Self {
        if let (Some(noise), Some(rows)) = (&term.own, rows) {
            let (inverse, rows) = (rows.inverse.clone(), rows.minus.clone());
            self.own = Some(OwnHalf { noise: noise.clone(), inverse, rows });
        }
        self
    }
}

/// The noise in a kernel at each row; `None` if it has none.
pub(super) fn own_noise(bound: &Bound, values: &[f64], points: &Points) -> Result<Option<Vec<f64>>, ModelError> {
    if !bound.tells_rows_apart() {
        return Ok(None);
    }
    let mut cross = Cross::new(bound);
    let shared = cross.diagonal(values, points, true)?;
    let whole = cross.diagonal(values, points, false)?;
    Ok(Some(whole.iter().zip(shared).map(|(whole, shared)| whole - shared).collect()))
}
