use std::sync::Arc;

use super::*;
use crate::data::{Column, Step, Which};
use crate::fit::fit;
use crate::kernel::{Kernel, families::family};
use crate::progress::Silent;
use crate::results::score_held_out;

fn wave(n: usize) -> Dataset {
    let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
    let y = x.iter().map(|x| (0.7 * x).sin() + 0.2 * f64::from(((x * 7919.0) % 13.0) as u8) / 13.0).collect();
    Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap()
}

fn model(name: &str) -> (String, Contender) {
    (name.to_string(), Contender::Gp(plain(name)))
}

fn plain(name: &str) -> Model {
    Model::new(Kernel::family(family(name).unwrap()))
}

fn trial(data: &Dataset, k: usize) -> Trial {
    let options = Options { restarts: 2, ..Options::default() };
    Trial { folds: Folds::Rows(data.folds(k, Some(0)).unwrap()), metrics: Vec::new(), options }
}

#[test]
fn all_models_see_the_same_folds_at_any_number_of_threads() {
    let data = wave(24);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| cross_validate(vec![model("SE"), model("Lin")], &data, &trial(&data, 4), &Silent).unwrap())
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one, three);
    let mse = metric("mse").unwrap();
    let standings = one.standings(mse);
    assert_eq!(one.best(), Some(0));
    assert!(standings[0].mean < standings[1].mean && standings[0].p == 1.0 && standings[1].p < 0.05, "{standings:?}");
}

/// The steps of a model use only the training rows: the score of a fold is that of a fit without the other rows.
#[test]
fn steps_are_learnt_on_training_rows() {
    let mut data = wave(18);
    // an outlier changes the mean and standard deviation of its fold
    let far = data.y().unwrap().iter().enumerate().map(|(i, y)| if i == 4 { 50.0 } else { *y }).collect();
    data = data.with_column(Column::numeric("y", far)).unwrap();
    let model = Model { steps: vec![Step::Standardize { columns: Which::All }], ..plain("SE") };
    let trial = trial(&data, 3);
    let cv = cross_validate(vec![("SE".to_string(), Contender::Gp(model.clone()))], &data, &trial, &Silent).unwrap();
    let Folds::Rows(folds) = &trial.folds else { panic!("rows were given") };
    for (fold, scored) in folds.iter().zip(&cv.models[0].folds) {
        let alone = Arc::new(fit(&model, &data.take(&fold.train), trial.options, &Silent).unwrap());
        let score = score_held_out(&alone, &data.take(&fold.test)).unwrap();
        assert_eq!((score, alone.lml()), (scored.score.clone(), scored.lml));
    }
}

/// Compared with R: t.test(c(1, 2, 3, 4, 5), c(0, 0, 0, 0, 0), paired = TRUE).
#[test]
fn the_test_is_students() {
    let p = paired_p(&[1.0, 2.0, 3.0, 4.0, 5.0], &[0.0; 5]);
    assert!((p - 0.013_235_6).abs() < 1e-6, "{p}");
    assert_eq!(paired_p(&[1.0, 2.0], &[1.0, 2.0]), 1.0);
    assert_eq!(paired_p(&[2.0, 3.0], &[1.0, 2.0]), 0.0);
    assert!(paired_p(&[2.0], &[1.0]).is_nan());
    // a difference at the level of rounding counts as none, in any unit
    assert_eq!(paired_p(&[0.3, 0.7], &[0.3 - 1e-16, 0.7 - 1e-16]), 1.0);
    assert_eq!(paired_p(&[3e-9, 7e-9], &[2e-9, 6e-9]), 0.0);
}

#[test]
fn what_does_not_fit_is_refused_before_any_fit() {
    let data = wave(12);
    let asked = |name: &str, models| {
        let trial = Trial { metrics: vec![metric(name).unwrap()], ..trial(&data, 3) };
        cross_validate(models, &data, &trial, &Silent).unwrap_err().to_string()
    };
    assert_eq!(
        asked("auc", vec![model("SE")]),
        "`auc` does not fit predicted numbers: `mse`, `rmse`, `mae`, `nll`, `r2`, `coverage` do"
    );
    let none = crate::model::Noise::Variance(crate::param::Param::fixed(0.0));
    let silent = ("SE".to_string(), Contender::Gp(plain("SE").with_noise(none)));
    assert_eq!(asked("nll", vec![silent]), "`nll` needs a predictive density, and `SE` has no noise");
    let empty = Trial { folds: Folds::Parts(vec![(data.clone(), data.take(&[]))]), ..trial(&data, 3) };
    let error = cross_validate(vec![model("SE")], &data, &empty, &Silent).unwrap_err();
    assert_eq!(error.to_string(), "fold 1 has no test rows");
}
