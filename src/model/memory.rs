//! Whether a matrix fits into the memory of the machine.

use super::{Model, ModelError};

/// The memory that this process may still allocate, in bytes: the least of the free memory of the machine, the limits
/// of its control groups (as in a container) and the limit of its address space (`ulimit -v`). 4 GiB if none is known.
pub fn available_memory() -> u64 {
    const UNKNOWN: u64 = 4 << 30;
    limits::all().into_iter().flatten().min().unwrap_or(UNKNOWN)
}

#[cfg(target_os = "linux")]
mod limits;

#[cfg(not(target_os = "linux"))]
mod limits {
    /// No limit can be read on this system.
    pub fn all() -> [Option<u64>; 0] {
        []
    }
}

/// So few bytes are not limited: to ask how many are free takes as long as a small matrix does.
const FEW: u64 = 16 << 20;

/// The bytes that exact inference over n rows needs, with a kernel of this number of leaves.
pub fn needed(n: usize, leaves: usize) -> u64 {
    // the covariance, its inverse and scratch memory, and half a matrix per leaf
    let n = n as u64;
    8 * n * n * (6 + leaves as u64) / 2
}

/// The bytes that one evaluation of a sparse model needs in addition to its data.
pub(super) fn needed_sparse(n: usize, inducing: usize, leaves: usize) -> u64 {
    // the sums of the groups of rows, blocks of rows, and a few numbers per row
    let (n, m) = (n as u64, inducing as u64);
    8 * (50 * m * m + 256 * m * (6 + leaves as u64) * 4 + 2 * n)
}

/// Rejects a model of n rows whose matrices would not fit into memory.
///
/// # Errors
/// [`ModelError::TooLarge`].
pub fn refuse_if_too_large(model: &Model, n: usize) -> Result<(), ModelError> {
    let needed = needed(n, model.kernel.leaves());
    if needed < FEW {
        return Ok(());
    }
    let available = available_memory();
    if needed as f64 > 0.8 * available as f64 {
        let sparse = model.through_inducing().map(|model| model.to_string());
        return Err(ModelError::TooLarge { rows: n, needed, available, sparse });
    }
    Ok(())
}

/// Rejects predictions at this number of rows if the covariance with n training rows would not fit into memory.
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

/// Products of numbers that a factor of a covariance for draws may take: about a minute.
const MOST_PRODUCTS: f64 = 5e10;

/// Rejects draws at this number of rows if a factor of their covariance of this rank takes too much memory or time.
///
/// # Errors
/// [`ModelError::TooLarge`], [`ModelError::Rough`].
pub fn refuse_if_rough(rank: usize, rows: usize) -> Result<(), ModelError> {
    refuse_if_wide(rank, rows)?;
    match (rank as f64).powi(2) * rows as f64 > MOST_PRODUCTS {
        true => Err(ModelError::Rough { rows, rank }),
        false => Ok(()),
    }
}

/// The number of evaluations of `each` bytes that fit into memory at once; at least 1.
pub fn at_once(each: u64) -> usize {
    if each < FEW {
        return usize::MAX;
    }
    (available_memory() / 2 / each.max(1)).max(1) as usize
}
