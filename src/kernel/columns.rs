//! Columns of a matrix of a bound kernel, with what is known of them before they are evaluated.

use super::bind::Bound;
use super::evaluate::{At, Prepared};
use super::lags::{Lags, Role};
use super::points::{EvalError, Points};
use super::program::Op;
use crate::linalg::Matrix;

/// What is known of a column before it is evaluated.
#[derive(Default)]
pub(super) struct Known<'a> {
    /// Values of the leaves, stored or to be stored.
    pub stored: Option<(&'a mut [Vec<f64>], Range, Stored)>,
    /// Values that depend on the lag only.
    pub lags: Option<&'a Lags>,
}

pub(super) type Range = std::ops::Range<usize>;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stored {
    Read,
    Write,
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
            self.column(&theta, (&one, &two), at, &mut registers, Known::default());
            out.column_mut(j).copy_from_slice(&registers[registers.len() - 1][..a.n]);
        }
        Ok(out)
    }

    /// Fills the registers with one column. What is known is not evaluated; values by lag that no pair needs stay unset.
    pub(super) fn column(
        &self,
        theta: &[Vec<f64>],
        prepared: (&Prepared, &Prepared),
        at: At,
        registers: &mut [Vec<f64>],
        known: Known<'_>,
    ) {
        let Known { mut stored, lags } = known;
        for (i, (instruction, theta)) in self.program.instructions.iter().zip(theta).enumerate() {
            let (earlier, later) = registers.split_at_mut(i);
            let out = &mut later[0][..at.len];
            match lags.map_or(Role::OfPairs, |lags| lags.role(i)) {
                Role::Inner => continue,
                Role::Outer => lags.into_iter().for_each(|lags| lags.copy(i, at, out)),
                Role::OfPairs => match (&instruction.op, &mut stored) {
                    (Op::Leaf(leaf), Some((stored, range, Stored::Read))) if leaf.keep => {
                        out.copy_from_slice(&stored[i][range.clone()]);
                    }
                    (Op::Leaf(leaf), Some((stored, range, Stored::Write))) if leaf.keep => {
                        self.instruction(i, theta, prepared, at, earlier, out);
                        stored[i][range.clone()].copy_from_slice(out);
                    }
                    _ => self.instruction(i, theta, prepared, at, earlier, out),
                },
            }
        }
    }
}
