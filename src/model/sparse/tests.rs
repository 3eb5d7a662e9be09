use super::*;
use crate::data::{Column, Dataset};
use crate::kernel::testing::{leaf, product, sum};
use crate::kernel::{Inputs, Kernel};
use crate::model::{Entry, Evidencer, Inducing, Mean, Model, Noise, Posterior, Sparse};
use crate::param::Param;

/// y = a sinusoid and a slope in x, with a second column z and known noise in s.
fn data(n: usize) -> Dataset {
    let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.73).sin() * 2.0 + 0.05 * i as f64).collect();
    let z: Vec<f64> = (0..n).map(|i| (i as f64 * 1.31).cos()).collect();
    let s = (0..n).map(|i| 0.05 + 0.02 * (i % 4) as f64).collect();
    let y = (0..n).map(|i| (1.3 * x[i]).sin() + 0.4 * z[i] * x[i] + 0.1 * ((i * 7) % 5) as f64).collect();
    let columns =
        vec![Column::numeric("x", x), Column::numeric("z", z), Column::numeric("s", s), Column::numeric("y", y)];
    Dataset::new(columns, Some("y"), None).unwrap()
}

fn on(name: &str, input: usize, l: f64) -> Kernel {
    leaf(
        name,
        Inputs::These(vec![crate::kernel::InputRef::Index(input)]),
        &[("l", Param::free(l)), ("v", Param::free(1.3))],
    )
}

fn with_noise_inside() -> Kernel {
    let smooth = product([on("SE", 0, 0.9), leaf("Lin", Inputs::These(vec![crate::kernel::InputRef::Index(1)]), &[])]);
    let rough = product([leaf("WN", Inputs::All, &[("v", Param::free(0.07))]), on("RQ", 0, 2.0)]);
    sum([smooth, on("Matern32", 1, 1.1), rough])
}

fn model(kernel: Kernel, method: SparseMethod, inducing: Inducing) -> Model {
    let sparse = Some(Sparse { method, inducing });
    Model {
        sparse,
        mean: Mean::Constant(Param::free(0.3)),
        ..Model::new(kernel).with_noise(Noise::Variance(Param::free(0.2)))
    }
}

const BOTH: [SparseMethod; 2] = [SparseMethod::Vfe, SparseMethod::Fitc];

fn rows_of(data: &Dataset) -> Inducing {
    let columns: Vec<&[f64]> = data.inputs().take(2).map(Column::values).collect();
    let row = |i: usize| columns.iter().map(|c| Entry::Number(c[i])).collect();
    Inducing::Rows { rows: (0..data.n()).map(row).collect(), fixed: true }
}

#[test]
fn gradients_agree_with_differences() {
    let data = data(40);
    let known = Noise::Known(crate::model::KnownNoise::column("s", false));
    for method in BOTH {
        for noise in [Noise::Variance(Param::free(0.2)), known.clone()] {
            let model = model(with_noise_inside(), method, Inducing::Count(7)).with_noise(noise);
            let model = Model { mean: Mean::Linear(Vec::new()), ..model };
            let problem = Problem::new(&model, &data, true).unwrap();
            let mut at = problem.values();
            at.extend(problem.inducing().unwrap().moved().iter().enumerate().map(|(i, z)| z + 0.01 * (i % 3) as f64));
            let mut evidencer = Evidencer::new(&problem);
            let gradient = evidencer.evaluate(&at, true, false).unwrap().gradient;
            assert_eq!(gradient.len(), at.len());
            for i in 0..at.len() {
                if problem.parameters().get(i).is_some_and(|p| !p.is_free()) {
                    continue;
                }
                let h = 1e-5 * at[i].abs().max(0.1);
                let mut moved = |by: f64| {
                    let mut at = at.clone();
                    at[i] += by;
                    evidencer.evaluate(&at, false, false).unwrap().lml
                };
                let difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
                assert!(
                    (gradient[i] - difference).abs() < 1e-5 * difference.abs().max(1.0),
                    "{method:?} {i}: {} and by differences {difference}",
                    gradient[i]
                );
            }
        }
    }
}

/// With inducing inputs at all rows, both approximations equal the exact model.
#[test]
fn inducing_inputs_at_all_rows_leave_the_exact_model() {
    let data = data(30);
    for kernel in [sum([on("Matern32", 0, 0.8), on("SE", 1, 0.7)]), with_noise_inside()] {
        let exact = Model { sparse: None, ..model(kernel.clone(), SparseMethod::Vfe, Inducing::Count(1)) };
        let of = |model: &Model| {
            let problem = Problem::new(model, &data, true).unwrap();
            let values = problem.values();
            Posterior::new(problem, values).unwrap()
        };
        let whole = of(&exact);
        let new: [&[f64]; 3] = [&[0.1, 2.2, -1.0], &[0.4, -0.3, 0.9], &[0.1; 3]];
        let expected = whole.predict(&new).unwrap();
        let terms: Vec<Kernel> = kernel.summands().into_iter().cloned().collect();
        for method in BOTH {
            let sparse = of(&model(kernel.clone(), method, rows_of(&data)));
            assert!((sparse.lml() - whole.lml()).abs() < 1e-6, "{method:?} {} {}", sparse.lml(), whole.lml());
            let close = |a: &[f64], b: &[f64], what: &str| {
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{method:?} {what}: {a:?} {b:?}");
            };
            let found = sparse.predict(&new).unwrap();
            close(&found.mean, &expected.mean, "mean");
            close(&found.var_f, &expected.var_f, "variance");
            let drop = |pairs: Vec<(f64, f64)>| pairs.into_iter().unzip::<f64, f64, Vec<f64>, Vec<f64>>();
            let (one, two) = (drop(sparse.leave_one_out().unwrap()), drop(whole.leave_one_out().unwrap()));
            close(&one.0, &two.0, "left out");
            close(&one.1, &two.1, "variance of left out");
            let (one, two) = (sparse.at_training().unwrap(), whole.at_training().unwrap());
            close(&one.mean, &two.mean, "mean at rows");
            close(&one.var_f, &two.var_f, "variance at rows");
            let x = whole.problem().x();
            for (rows, training) in [(&new[..], false), (&x[..], true)] {
                let (one, two) = (sparse.parts(&terms, rows, training), whole.parts(&terms, rows, training));
                for (one, two) in one.unwrap().iter().zip(&two.unwrap()) {
                    close(&one.mean, &two.mean, "mean of a part");
                    close(&one.var, &two.var, "variance of a part");
                }
                let between = |of: &Posterior| of.cross_variances(&terms, rows, training).unwrap().concat().concat();
                close(&between(&sparse), &between(&whole), "between parts");
            }
            close(
                &sparse.part_means(&terms).unwrap().concat(),
                &whole.part_means(&terms).unwrap().concat(),
                "part means",
            );
            let normals = Matrix::from_fn(30, 4, |i, j| ((i * 3 + j * 11) as f64).sin());
            let standard = |of: &Posterior| of.replicates(&normals, &[0]).unwrap();
            // the square roots of the same matrix differ, so draws differ, but their spread is the same
            assert_eq!(standard(&sparse).fitted.shape(), standard(&whole).fitted.shape());
            let without = |of: &Posterior| {
                let weights = of.weights_without(&[2, 5]).unwrap();
                let smooth = &terms[..1];
                let weights = Matrix::from_columns(std::slice::from_ref(&weights));
                of.summand_times(&smooth[0], &weights).unwrap().as_slice().to_vec()
            };
            close(&without(&sparse), &without(&whole), "without rows");
        }
    }
}

/// The square of (I + UUᵀ)^½ of replicates is the covariance of the approximation.
#[test]
fn replicates_have_the_covariance_of_the_model() {
    let data = data(12);
    for method in BOTH {
        let problem = Problem::new(&model(on("SE", 0, 0.9), method, Inducing::Count(4)), &data, true).unwrap();
        let values = problem.values();
        let posterior = Posterior::new(problem, values).unwrap();
        let unit = Matrix::identity(12, 12);
        let drawn = posterior.replicates(&unit, &[]).unwrap();
        // standardized = D^−½Σ⁻¹Σ^½, so that SSᵀ is the correlation matrix of Σ⁻¹
        let squares = &drawn.standardized * drawn.standardized.transpose();
        assert!((0..12).all(|i| (squares[(i, i)] - 1.0).abs() < 1e-10), "{method:?} {}", squares.diagonal());
    }
}

#[test]
fn sums_are_the_same_at_any_number_of_threads() {
    let data = data(3000);
    let problem = Problem::new(&model(on("SE", 0, 0.9), SparseMethod::Vfe, Inducing::Count(9)), &data, true).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Evidencer::new(&problem).evaluate(&problem.values(), true, true).unwrap())
    };
    assert_eq!(run(1), run(2));
}

/// The mean of a fit is where the derivative of the objective is 0.
#[test]
fn the_mean_is_at_its_best() {
    let data = data(25);
    for method in BOTH {
        let model = Model { mean: Mean::Linear(Vec::new()), ..model(on("SE", 0, 0.9), method, Inducing::Count(6)) };
        let problem = Problem::new(&model, &data, false).unwrap();
        let here = Evidencer::new(&problem).evaluate(&problem.values(), true, true).unwrap();
        let again = Evidencer::new(&problem).evaluate(&here.values, true, false).unwrap();
        assert!((here.lml - again.lml).abs() < 1e-9);
        let slopes = again.gradient.iter().zip(problem.parameters());
        let mean = slopes.filter(|(_, p)| matches!(p.kind, crate::model::ParameterKind::Mean(_)));
        assert!(mean.map(|(slope, _)| slope.abs()).fold(0.0, f64::max) < 1e-6);
    }
}

#[test]
fn the_posterior_ends_when_the_user_stops() {
    for method in BOTH {
        let problem = Problem::new(&model(on("SE", 0, 0.9), method, Inducing::Count(7)), &data(40), true).unwrap();
        let values = problem.values();
        let found = Posterior::new_unless(problem, values, &crate::progress::StopHandle::new(|| true));
        assert!(matches!(found, Err(ModelError::Stopped)), "{method:?}");
    }
}
