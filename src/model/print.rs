//! The source form of a model: parses back to the same model.

use std::fmt;

use super::problem::{MEAN, NOISE};
use super::{Mean, Model, Noise};
use crate::data::{Step, Which};
use crate::kernel::print;

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            write!(f, "{} >> ", step_text(step))?;
        }
        write!(f, "gp({}", self.kernel)?;
        match &self.noise {
            Noise::Variance(param) if param.is_unset() => {}
            Noise::Variance(param) if param.is_fixed() && param.value() == Some(0.0) => f.write_str(", noise=0")?,
            Noise::Variance(param) => write!(f, ", {}", print::keyword(&NOISE, param))?,
            Noise::Column(name) => write!(f, ", noise={}", print::word(name))?,
        }
        match &self.mean {
            Mean::Constant(param) if param.is_unset() => {}
            Mean::Constant(param) => write!(f, ", {}", print::keyword(&MEAN, param))?,
            Mean::Zero => f.write_str(", mean=\"zero\"")?,
            Mean::Linear(params) if params.iter().all(crate::param::Param::is_unset) => {
                f.write_str(", mean=\"linear\"")?;
            }
            Mean::Linear(params) => write!(f, ", {}", print::list(&MEAN, params))?,
        }
        f.write_str(")")
    }
}

/// A step as the language writes it.
pub fn step_text(step: &Step) -> String {
    match step {
        Step::Standardize { columns: Which::All } => "standardize".into(),
        Step::Standardize { columns: Which::Inputs } => "standardize(\"inputs\")".into(),
        Step::Standardize { columns: Which::Target } => "standardize(\"target\")".into(),
        Step::Standardize { columns: Which::Named(names) } => {
            let names: Vec<String> = names.iter().map(|n| print::quoted(n)).collect();
            format!("standardize([{}])", names.join(", "))
        }
        Step::Transform { column, function } => format!("transform({}={})", print::word(column), function.name()),
    }
}
