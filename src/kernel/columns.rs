//! Columns of a matrix of a bound kernel, with what is known of them before they are evaluated.

use super::bind::Bound;
use super::column_values::ColumnValues;
use super::evaluate::{At, Prepared};
use super::lags::{Lags, Role};
use super::points::{EvalError, Points};
use crate::linalg::Matrix;

/// What is known of a column before it is evaluated.
#[derive(Default)]
pub(super) struct Known<'a, 'l> {
    /// Where the values of the leaves that are kept are stored.
    pub stored: &'a mut [Vec<f64>],
    /// The first number of the column there.
    pub start: usize,
    /// For the backward pass: the instructions whose values it reads. Those of kept leaves are stored.
    pub read: Option<&'l [bool]>,
    /// Values that depend on the lag only.
    pub lags: Option<&'l Lags>,
    /// Where the values of the kernel are written; to its register or its stored values otherwise.
    pub out: Option<&'l mut [f64]>,
}

impl Bound {
    /// k(a, b) for all rows of `a` (down) and `b` (across). No row of `a` is the same observation as a row of `b`.
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows at which a family cannot be evaluated.
    pub fn cross(&self, values: &[f64], a: &Points, b: &Points) -> Result<Matrix, EvalError> {
        let theta = self.gather(values);
        let (one, two) = (self.prepare(values, &theta, a)?, self.prepare(values, &theta, b)?);
        let mut out = Matrix::zeros(a.n, b.n);
        let mut registers = vec![vec![0.0; a.n]; self.program.instructions.len()];
        for j in 0..b.n {
            let at = At { from: 0, j, same: false, len: a.n };
            let known = Known { out: Some(&mut out.as_mut_slice()[j * a.n..(j + 1) * a.n]), ..Known::default() };
            self.column(&theta, (&one, &two), at, &mut registers, known);
        }
        Ok(out)
    }

    /// Evaluates one column. What is known is not evaluated; values by lag that no pair needs stay unset.
    pub(super) fn column<'a>(
        &self,
        theta: &[Vec<f64>],
        prepared: (&Prepared, &Prepared),
        at: At,
        registers: &'a mut [Vec<f64>],
        known: Known<'a, '_>,
    ) -> ColumnValues<'a> {
        let Known { stored, start, read, lags, out: mut whole } = known;
        let last = theta.len().wrapping_sub(1);
        for (i, theta) in theta.iter().enumerate() {
            let (earlier, later) = registers.split_at_mut(i);
            let (kept, own) = stored.split_at_mut(i.min(stored.len()));
            let own = own.first_mut().filter(|own| !own.is_empty()).map(|own| &mut own[start..start + at.len]);
            let out = match (own, read) {
                (Some(_), Some(_)) => continue,
                (Some(own), None) => own,
                (None, Some(read)) if !read[i] => continue,
                (None, _) => match &mut whole {
                    Some(whole) if i == last => whole,
                    _ => &mut later[0][..at.len],
                },
            };
            match lags.map_or(Role::OfPairs, |lags| lags.role(i)) {
                Role::Inner => {}
                Role::Outer => lags.into_iter().for_each(|lags| lags.copy(i, at, out)),
                Role::OfPairs => {
                    let values = ColumnValues { registers: earlier, stored: kept, start, len: at.len };
                    self.instruction(i, theta, prepared, at, values, out);
                }
            }
        }
        let values = ColumnValues { registers, stored, start, len: at.len };
        if let Some(whole) = whole
            && values.is_stored(last)
        {
            whole.copy_from_slice(values.last());
        }
        values
    }
}
