//! A fit from the values of a state.

use mercer::fit::{Options, fit};
use mercer::model::ModelError;
use mercer::progress::Progress;
use serde_json::{Value as Json, json};

use super::fault::Fault;
use super::house::House;
use super::scene::Scene;
use super::state::State;

/// Maximises the log marginal likelihood, with the values of the state as a start. If it is stopped, the answer has the
/// best values so far.
///
/// # Errors
/// As [`Scene::new`] and [`fit`]; [`Fault::Stopped`] if there is no result yet.
pub fn optimum(house: &House, state: &State, progress: &dyn Progress) -> Result<Json, Fault> {
    let scene = Scene::new(house, state, progress)?;
    let options = Options { seed: state.seed, ..Options::default() };
    let fitted = fit(&scene.model(), &scene.data, options, progress).map_err(|error| match error {
        ModelError::Stopped => Fault::Stopped,
        other => other.into(),
    })?;
    let free = fitted.parameters().iter().zip(fitted.values()).filter(|(parameter, _)| parameter.is_free());
    let values: serde_json::Map<String, Json> =
        free.map(|(parameter, value)| (parameter.name.clone(), json!(value))).collect();
    let ended = match (fitted.was_stopped(), fitted.converged()) {
        (true, _) => "stopped: these are the best values so far",
        (false, true) => "converged",
        (false, false) => "ended before it converged",
    };
    Ok(json!({ "values": values, "lml": fitted.lml(), "ended": ended, "hints": fitted.hints }))
}
