//! Whether a matrix fits into the memory of the machine.

use super::{Model, ModelError};

/// What this process may still take, in bytes: what the machine has left, its control groups allow (as in a container)
/// and its limit of address space allows (`ulimit -v`). If neither is known, 4 GiB.
pub fn available_memory() -> u64 {
    const UNKNOWN: u64 = 4 << 30;
    limits::all().into_iter().flatten().min().unwrap_or(UNKNOWN)
}

#[cfg(target_os = "linux")]
mod limits;

#[cfg(not(target_os = "linux"))]
mod limits {
    /// Nothing is known here.
    pub fn all() -> [Option<u64>; 0] {
        []
    }
}

/// The bytes that exact inference over n rows takes with a kernel of so many leaves.
pub fn needed(n: usize, leaves: usize) -> u64 {
    // the covariance, its inverse and its scratch, and a half-matrix a leaf
    let n = n as u64;
    8 * n * n * (6 + leaves as u64) / 2
}

/// The bytes that one evaluation of a sparse model takes beyond its data.
pub(super) fn needed_sparse(n: usize, inducing: usize, leaves: usize) -> u64 {
    // the sums of the groups of rows, blocks of rows, and a few numbers a row
    let (n, m) = (n as u64, inducing as u64);
    8 * (50 * m * m + 256 * m * (6 + leaves as u64) * 4 + 2 * n)
}

/// Refuses a model of n rows whose matrices would not fit, with the figure.
///
/// # Errors
/// [`ModelError::TooLarge`].
pub fn refuse_if_too_large(model: &Model, n: usize) -> Result<(), ModelError> {
    let (needed, available) = (needed(n, model.kernel.leaves()), available_memory());
    if needed as f64 > 0.8 * available as f64 {
        let sparse = model.through_inducing().map(|model| model.to_string());
        return Err(ModelError::TooLarge { rows: n, needed, available, sparse });
    }
    Ok(())
}

/// Refuses predictions at so many rows that the covariance with n training rows would not fit.
///
/// # Errors
/// [`ModelError::TooLarge`].
pub fn refuse_if_wide(n: usize, rows: usize) -> Result<(), ModelError> {
    let (needed, available) = (3 * 8 * n as u64 * rows as u64, available_memory());
    if needed as f64 > 0.8 * available as f64 {
        return Err(ModelError::TooLarge { rows, needed, available, sparse: None });
    }
    Ok(())
}

/// So many evaluations, each of so many bytes, may hold memory at once; at least 1.
pub fn at_once(each: u64) -> usize {
    (available_memory() / 2 / each.max(1)).max(1) as usize
}
