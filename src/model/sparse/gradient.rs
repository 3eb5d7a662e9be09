//! The gradient of a sparse model: the second pass over its rows.

use std::ops::Range;

use rayon::prelude::*;

use super::{SparseProblem, Sums};
use crate::kernel::{Cross, CrossGradient, Points};
use crate::linalg::{Matrix, Vector, add_transposed_product, product, vector};
use crate::model::inducing::SparseMethod;
use crate::model::{ModelError, ParameterKind};

/// The gradient over one group of rows.
struct Slopes {
    kernel: Vec<f64>,
    z: Vec<Vec<f64>>,
    noise: f64,
    mean: Vec<f64>,
    /// Σ Mᵢᵢ kᵢkᵢᵀ, for FITC.
    weighted: Matrix,
}

/// The results of the first pass over the rows that the second needs.
struct Passed<'a> {
    /// K_uu⁻¹ − A⁻¹ with A = K_uu + K_ufΛ⁻¹K_fu.
    explained: Matrix,
    /// A⁻¹, for FITC.
    posterior: Matrix,
    beta: &'a Vector,
    z: &'a Points,
}

impl SparseProblem<'_> {
    pub(super) fn gradient(&self, sums: &Sums, values: &[f64]) -> Result<Vec<f64>, ModelError> {
        let problem = self.problem;
        let m = self.m();
        let beta = sums.weights(&problem.mean_weights(values));
        let one = Matrix::identity(m, m);
        let b_inverse = sums.data.solve_matrix(&one);
        let within = |x: &Matrix| {
            // L⁻ᵀXL⁻¹
            sums.prior.transposed_half_solve(&sums.prior.transposed_half_solve(x).transpose())
        };
        let z = self.points_of(&sums.z)?;
        let passed = Passed {
            explained: within(&(&one - &b_inverse)),
            posterior: match self.inducing.method {
                SparseMethod::Vfe => Matrix::zeros(0, 0),
                SparseMethod::Fitc => within(&b_inverse),
            },
            beta: &beta,
            z: &z,
        };
        let groups = self.groups();
        let parts: Vec<Result<Slopes, ModelError>> = groups
            .par_iter()
            .map(|group| {
                let lambda = &sums.lambda[group.clone()];
                self.second(group, values, lambda, &passed)
            })
            .collect();
        let slots = problem.bound().slots().len();
        let mut gradient = vec![0.0; values.len()];
        let mut by_z: Vec<Vec<f64>> = sums.z.iter().map(|column| vec![0.0; column.len()]).collect();
        let (mut noise, mut mean, mut weighted) = (0.0, vec![0.0; sums.inner.ncols() - 1], Matrix::zeros(m, m));
        for part in parts {
            let part = part?;
            vector::add(&mut gradient[..slots], &part.kernel);
            by_z.iter_mut().zip(&part.z).for_each(|(to, from)| vector::add(to, from));
            noise += part.noise;
            vector::add(&mut mean, &part.mean);
            weighted += part.weighted;
        }
        let mut w = match self.inducing.method {
            SparseMethod::Vfe => within(&(&one * 2.0 - &b_inverse - &sums.b)),
            SparseMethod::Fitc => {
                let twice = sums.prior.solve_matrix(&sums.prior.solve_matrix(&weighted).transpose());
                &passed.explained + twice
            }
        };
        w -= &beta * beta.transpose();
        w *= 0.5;
        let mut cross = Cross::new(problem.bound());
        let mut k = Matrix::zeros(m, m);
        cross.evaluate(problem.kernel_values(values), &z, &z, &mut k)?;
        let mut by_right: Vec<Vec<f64>> = by_z.iter().map(|column| vec![0.0; column.len()]).collect();
        let mut to = CrossGradient { parameters: &mut gradient[..slots], a: Some(&mut by_z), b: Some(&mut by_right) };
        cross.pull(&z, &z, |j, out| out.copy_from_slice(w.column(j).as_slice()), &mut to);
        by_z.iter_mut().zip(&by_right).for_each(|(to, from)| vector::add(to, from));
        for (i, parameter) in problem.parameters().iter().enumerate().skip(slots) {
            gradient[i] = match parameter.kind {
                ParameterKind::Noise => noise,
                ParameterKind::Mean(at) | ParameterKind::MeanFunction(at) => mean[at],
                ParameterKind::Kernel(_) => continue,
            };
        }
        let moving = by_z.into_iter().zip(&self.inducing.moves).filter(|(_, moves)| **moves);
        gradient.extend(moving.flat_map(|(column, _)| column));
        Ok(gradient)
    }

    fn second(
        &self,
        group: &Range<usize>,
        values: &[f64],
        lambda: &[f64],
        passed: &Passed<'_>,
    ) -> Result<Slopes, ModelError> {
        let problem = self.problem;
        let slots = problem.kernel_values(values);
        let mean = problem.mean_weights(values);
        let m = self.m();
        let apart = problem.bound().tells_rows_apart();
        let mut cross = Cross::new(problem.bound());
        let (mut k, mut e, mut p) = (Matrix::zeros(0, 0), Matrix::zeros(0, 0), Matrix::zeros(0, 0));
        let mut sum = Slopes {
            kernel: vec![0.0; slots.len()],
            z: vec![vec![0.0; m]; self.inducing.x.len()],
            noise: 0.0,
            mean: vec![0.0; mean.len()],
            weighted: Matrix::zeros(m, m),
        };
        for rows in Self::blocks(group) {
            if self.progress.stop() {
                return Err(ModelError::Stopped);
            }
            let lambda = &lambda[rows.start - group.start..rows.end - group.start];
            let len = rows.len();
            let points = problem.points().rows(rows.clone());
            cross.evaluate(slots, &points, passed.z, &mut k)?;
            let targets = self.targets(&rows, values)?;
            let mut alpha: Vec<f64> = targets.column(0).as_slice().to_vec();
            for (i, &weight) in mean.iter().enumerate() {
                vector::axpy(&mut alpha, -weight, targets.column(i + 1).as_slice());
            }
            for (j, &weight) in passed.beta.iter().enumerate() {
                vector::axpy(&mut alpha, -weight, k.column(j).as_slice());
            }
            let inverse: Vec<f64> = lambda.iter().map(|l| 1.0 / l).collect();
            vector::multiply(&mut alpha, &inverse);
            for (i, slope) in sum.mean.iter_mut().enumerate() {
                *slope += vector::dot(&alpha, targets.column(i + 1).as_slice());
            }
            // k(K_uu⁻¹ − A⁻¹), row by row
            product(&k, &passed.explained, &mut e);
            let row_dots = |e: &Matrix| {
                let mut out = vec![0.0; len];
                for (k, e) in k.column_iter().zip(e.column_iter()) {
                    for ((out, k), e) in out.iter_mut().zip(k.iter()).zip(e.iter()) {
                        *out += k * e;
                    }
                }
                out
            };
            let (by_noise, by_shared, by_own): (Vec<f64>, Vec<f64>, Option<Vec<f64>>);
            match self.inducing.method {
                SparseMethod::Vfe => {
                    let shared = cross.diagonal(slots, &points, true)?;
                    let gained = row_dots(&e);
                    by_noise = (0..len)
                        .map(|i| {
                            let s = inverse[i];
                            0.5 * (alpha[i] * alpha[i] - s + (shared[i] - gained[i]) * s * s)
                        })
                        .collect();
                    by_shared = inverse.iter().map(|s| -0.5 * s).collect();
                    for mut column in e.column_iter_mut() {
                        vector::multiply(column.as_mut_slice(), &inverse);
                    }
                    by_own = apart.then(|| by_noise.clone());
                }
                SparseMethod::Fitc => {
                    // kA⁻¹, then kK_uu⁻¹ = e + kA⁻¹
                    product(&k, &passed.posterior, &mut p);
                    let left = row_dots(&p);
                    let diagonal: Vec<f64> = (0..len)
                        .map(|i| alpha[i] * alpha[i] - inverse[i] + left[i] * inverse[i] * inverse[i])
                        .collect();
                    for (mut e, p) in e.column_iter_mut().zip(p.column_iter()) {
                        for i in 0..len {
                            e[i] = -p[i] * inverse[i] - diagonal[i] * (e[i] + p[i]);
                        }
                    }
                    let mut scaled = k.clone();
                    for mut column in scaled.column_iter_mut() {
                        vector::multiply(column.as_mut_slice(), &diagonal);
                    }
                    add_transposed_product(&k, &scaled, &mut sum.weighted);
                    by_noise = diagonal.iter().map(|d| 0.5 * d).collect();
                    by_shared = by_noise.clone();
                    by_own = apart.then(|| by_noise.clone());
                }
            }
            sum.noise += by_noise.iter().sum::<f64>();
            let mut to = CrossGradient { parameters: &mut sum.kernel, a: None, b: Some(&mut sum.z) };
            let weights = |j: usize, out: &mut [f64]| {
                out.copy_from_slice(e.column(j).as_slice());
                vector::axpy(out, passed.beta[j], &alpha);
            };
            cross.pull(&points, passed.z, weights, &mut to);
            let mut to = CrossGradient { parameters: &mut sum.kernel, a: None, b: None };
            match by_own {
                None => cross.pull_diagonal(slots, &points, true, &by_shared, &mut to)?,
                Some(own) => {
                    // the derivative in s is the total less the derivative in the shared part
                    let shared: Vec<f64> = by_shared.iter().zip(&own).map(|(shared, own)| shared - own).collect();
                    cross.pull_diagonal(slots, &points, false, &own, &mut to)?;
                    cross.pull_diagonal(slots, &points, true, &shared, &mut to)?;
                }
            }
        }
        Ok(sum)
    }
}
