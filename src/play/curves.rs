//! The log marginal likelihood along each parameter, with the others as they are.

use mercer::model::{Evidencer, ModelError};
use mercer::progress::Progress;
use serde_json::{Value as Json, json};

use super::fault::Fault;
use super::house::House;
use super::scene::Scene;
use super::slider::sliders;
use super::state::State;

/// Computes the curves of a state; those for which there was no time are left out.
///
/// # Errors
/// As [`Scene::new`]; [`Fault::Stopped`] before the first curve is complete.
pub fn curves(house: &House, state: &State, progress: &dyn Progress) -> Result<Json, Fault> {
    let scene = Scene::new(house, state, progress)?;
    let mut found = Vec::new();
    let mut complete = true;
    if scene.data.n() > 0 {
        let mut evidencer = Evidencer::new(&scene.problem).stopped_by(progress);
        for (i, slider) in sliders(&scene).iter().enumerate().filter(|(_, slider)| slider.free) {
            let at = slider.along();
            let mut values = scene.values.clone();
            let mut one = |value: &f64| {
                values[i] = *value;
                match evidencer.evaluate(&values, false, false) {
                    Ok(evidence) => Ok(Some(evidence.lml).filter(|lml| lml.is_finite())),
                    Err(ModelError::Stopped) => Err(Fault::Stopped),
                    // a value at which the matrix cannot be factorised is a gap in the curve
                    Err(_) if progress.stop() => Err(Fault::Stopped),
                    Err(_) => Ok(None),
                }
            };
            match at.iter().map(&mut one).collect::<Result<Vec<_>, _>>() {
                Ok(lml) => found.push(json!({ "name": slider.name, "at": at, "lml": lml })),
                Err(fault) if found.is_empty() => return Err(fault),
                Err(_) => {
                    complete = false;
                    break;
                }
            }
        }
    }
    Ok(json!({ "curves": found, "complete": complete }))
}
