//! The columns of the data that are inputs of a model.

use super::{Mean, Model};
use crate::data::{Column, Dataset, Step, Which};
use crate::kernel::InputRef;

/// The step of a classifier that acts on its inputs only, for a step on all columns: classes have no scale.
pub(super) fn of_inputs(step: &Step) -> Step {
    match step {
        Step::Standardize { columns: Which::All } => Step::Standardize { columns: Which::Inputs },
        other => other.clone(),
    }
}

/// The inputs without the columns of the known noise, unless the kernel also names them.
pub(super) fn inputs_beside_noise<'d>(model: &Model, data: &'d Dataset) -> Vec<&'d Column> {
    let known = model.known_noise();
    let written = model.kernel.written_inputs().unwrap_or_default();
    let named = |c: &Column| {
        let function = known.is_some_and(|known| known.function.is_some());
        function && written.iter().any(|input| matches!(input, InputRef::Name(name) if **name == *c.name()))
    };
    data.inputs().filter(|c| named(c) || !known.is_some_and(|known| known.reads(c.name()))).collect()
}

/// Whether the model depends on each input: all of them, unless its kernel names its inputs and its mean does not depend
/// on others.
pub(super) fn used_inputs(model: &Model, inputs: &[&Column]) -> Vec<bool> {
    let by_mean = match &model.mean {
        Mean::Zero | Mean::Constant(_) => Vec::new(),
        Mean::Linear(_) => (0..inputs.len()).collect(),
        Mean::Function(mean) => mean.places(&inputs.iter().map(|column| column.name()).collect::<Vec<_>>()),
    };
    let Some(written) = model.kernel.written_inputs() else { return vec![true; inputs.len()] };
    let is = |input: &InputRef, i: usize| match input {
        InputRef::Index(at) => *at == i,
        InputRef::Name(name) => **name == *inputs[i].name(),
    };
    (0..inputs.len()).map(|i| by_mean.contains(&i) || written.iter().any(|input| is(input, i))).collect()
}
