//! Properties of all sparse models: VFE is a lower bound.

use crate::support::texts::{Case, Sees, kernel};

use mercer::data::{Column, Dataset};
use mercer::fit::given;
use mercer::kernel::Kernel;
use mercer::lang::values::value::Value;
use mercer::model::{Evidencer, Inducing, InducingError, Model, ModelError, Noise, Problem, Sparse, SparseMethod};
use mercer::param::Param;
use mercer::progress::Silent;
use mercer::session::Session;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const ROWS: usize = 24;
const PROBLEMS: usize = 200;

/// Random rows with the columns of the kernels.
fn data() -> impl Strategy<Value = Dataset> {
    let numbers = || proptest::collection::vec(-2.0..2.0f64, ROWS);
    let levels = proptest::collection::vec(proptest::sample::select(vec!["a", "b", "c"]), ROWS);
    (numbers(), numbers(), numbers(), numbers(), levels).prop_map(|(x, ash, z, y, levels)| {
        let levels = Column::categories("c", levels.into_iter().map(Some));
        let columns = vec![Column::numeric("x", x), Column::numeric("fly ash", ash), levels, Column::numeric("z", z)];
        let columns = columns.into_iter().chain([Column::numeric("y", y)]).collect();
        Dataset::new(columns, Some("y"), None).expect("a data set")
    })
}

fn read(case: &Case) -> Kernel {
    let mut session = Session::default();
    let output = session.run(&case.program(), "bound", &Silent);
    match session.get("k") {
        Some(Value::Kernel(kernel)) => kernel.clone(),
        _ => panic!("{}", output.text()),
    }
}

/// The bound of VFE and the log marginal likelihood at the same values; `None` if the model has no sparse form.
fn both(kernel: &Kernel, data: &Dataset, noise: f64, inducing: usize) -> Option<(f64, f64)> {
    let exact = Model::new(kernel.clone()).with_noise(Noise::Variance(Param::free(noise)));
    let sparse = Some(Sparse { method: SparseMethod::Vfe, inducing: Inducing::Count(inducing) });
    let seen = match Problem::new(&Model { sparse, ..exact.clone() }, data, true) {
        Err(ModelError::Inducing(InducingError::NoInputs)) => return None,
        other => other.unwrap_or_else(|error| panic!("{kernel}: {error}")),
    };
    let whole = Problem::new(&exact, data, true).unwrap_or_else(|error| panic!("{kernel}: {error}"));
    let values = given(&whole);
    let of = |problem: &Problem| {
        Evidencer::new(problem).evaluate(&values, false, false).unwrap_or_else(|error| panic!("{kernel}: {error}")).lml
    };
    Some((of(&seen), of(&whole)))
}

/// Titsias (2009): for any kernel, noise, rows and inducing inputs, the bound is at most the log marginal likelihood.
#[test]
fn vfe_is_a_lower_bound() {
    let mut runner = TestRunner::deterministic();
    let problems = (kernel(Sees::Some), data(), -3.0..0.5f64, 1..ROWS / 2);
    let mut seen = 0;
    while seen < PROBLEMS {
        let (case, data, log_noise, inducing) = problems.new_tree(&mut runner).expect("a problem").current();
        let Some((bound, lml)) = both(&read(&case), &data, 10f64.powf(log_noise), inducing) else { continue };
        assert!(bound <= lml + 1e-7 * lml.abs().max(1.0), "{case:?}\n{inducing} inducing inputs: {bound} above {lml}");
        seen += 1;
    }
}
