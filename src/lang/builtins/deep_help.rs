//! Help on errors of deep GPs and data.

use crate::data::Dataset;
use crate::deep::DeepError;
use crate::lang::error::LangError;
use crate::lang::eval::evaluator::Call;
use crate::model::ModelError;

/// The error with a way out; `model` is the argument with the deep GP.
pub fn deep_error(call: &Call<'_, '_>, data: &Dataset, error: DeepError, model: &'static str) -> LangError {
    let text = error.to_string();
    let (place, help) = match error {
        DeepError::Stopped => return LangError::stopped(),
        DeepError::Data(ModelError::CategoryTarget { .. }) => {
            let help = "for classes write `gp(k, likelihood=\"bernoulli\")`, which has one layer";
            return LangError::new("a deep GP predicts numbers, and the target holds classes")
                .argument("data")
                .help(help);
        }
        DeepError::Data(error) => return super::models::unfit(call.eval, data, error),
        DeepError::Layer { .. } => {
            (model, "`kernel=[SE(x), SE]` gives the first layer its own kernel; units are called h1, h2, …".to_string())
        }
        DeepError::TooManyInducing { rows, .. } => (model, format!("write `inducing={}` or fewer", rows.min(10))),
        DeepError::OutputUnits(_) => (model, "leave out the last number of `units`".to_string()),
        DeepError::NoSlope { .. } | DeepError::NoInputs { .. } => {
            (model, "use kernels of numbers, such as SE or Matern32, on numeric columns".to_string())
        }
        DeepError::CurvedTarget => (model, "write `standardize >> deepgp(…)`".to_string()),
        DeepError::Noise => (model, "leave `noise` out".to_string()),
        DeepError::Scale(_) => (model, "change the unit of the target, as in `mutate(y=y / 1e6)`".to_string()),
        DeepError::NoStart => {
            let help =
                "leave out start values, as in `SE` for `SE(l=…)`, or give fewer inducing inputs or another seed";
            (model, help.to_string())
        }
        DeepError::Numbers(_) => (model, "give fewer inducing inputs, or another seed".to_string()),
    };
    LangError::new(text).argument(place).help(help)
}
