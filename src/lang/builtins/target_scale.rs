//! The argument `transform=` of fits: the scale of the target.

use std::sync::Arc;

use crate::data::{Function, Step};
use crate::fit::{self, Options};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::signature::{Place, Want};
use crate::model::{Model, SparseMethod};

/// The scales of the target that `transform=` names.
pub const SCALES: [&str; 4] = ["auto", "none", "log", "boxcox"];
pub const TRANSFORM: Place = Place::keyword(
    "transform",
    Want::Choice(&SCALES),
    "\"none\"",
    "the scale of the target: `auto` fits the target itself and, if it is positive, its logarithm and the power of Box and \
     Cox, and keeps the fit with the least BIC",
);
/// The models on the scale of the target that the call asks for, or the options to choose it in every fit.
pub fn on_asked_scale<'m>(
    call: &mut Call<'_, '_>,
    models: impl IntoIterator<Item = &'m mut Model>,
    options: Options,
) -> Res<Options> {
    let Some(asked) = call.maybe::<Arc<str>>("transform")?.filter(|asked| **asked != *"none") else {
        return Ok(options);
    };
    let function = Function::named(&asked);
    for model in models {
        let of_target = |step: &Step| matches!(step, Step::Transform { column, .. } if &**column == "y");
        let refused = if model.bernoulli().is_some() {
            Some(("a target of classes has no scale", "leave out `transform`"))
        } else if model.steps.iter().any(of_target) {
            Some(("the model has a transform of the target already", "leave out one of the two"))
        } else if function.is_none() && model.sparse.as_ref().is_some_and(|sparse| sparse.method == SparseMethod::Vfe) {
            Some((
                "a lower bound on the log marginal likelihood does not compare scales",
                "name the scale, as in `transform=\"log\"`, or use `inference=\"fitc\"`",
            ))
        } else {
            None
        };
        if let Some((reason, help)) = refused {
            return Err(LangError::new(reason).argument("transform").help(help));
        }
        if function.is_some() {
            *model = fit::on_scale(model, function.as_ref());
        }
    }
    Ok(Options { scale_is_chosen: function.is_none(), ..options })
}
