//! The source form of a model: parses back to the same model.

use std::fmt;

use super::problem::{MEAN, NOISE};
use super::{Baseline, Bernoulli, Likelihood, Link, Mean, Model, Noise};
use crate::data::{Function, Step, Which};
use crate::kernel::{families, print};
use crate::param::Param;

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            write!(f, "{} >> ", step_text(step))?;
        }
        let (name, first) = match self.baseline() {
            Some(baseline) => (baseline.name(), self.slope_variance().map(slope_variance).unwrap_or_default()),
            None => ("gp", self.kernel.to_string()),
        };
        let rest = self.arguments();
        let between = if first.is_empty() || rest.is_empty() { "" } else { ", " };
        write!(f, "{name}({first}{between}{rest})")
    }
}

/// As `ridge` takes it.
fn slope_variance(param: &Param) -> String {
    let spec = families::family("Lin").and_then(|lin| lin.spec().params.iter().find(|spec| spec.short == "v"));
    spec.filter(|_| !param.is_unset()).map_or_else(String::new, |spec| print::keyword(spec, param))
}

impl Model {
    /// What stands behind the kernel where it is written: noise and mean, as far as they are not as usual.
    pub fn arguments(&self) -> String {
        let mut all = Vec::new();
        match &self.likelihood {
            Likelihood::Gaussian(noise) => match noise {
                Noise::Variance(param) if param.is_unset() => {}
                Noise::Variance(param) if param.is_fixed() && param.value() == Some(0.0) => {
                    all.push("noise=0".to_string());
                }
                Noise::Variance(param) => all.push(print::keyword(&NOISE, param)),
                Noise::Column(name) => all.push(format!("noise={}", print::word(name))),
            },
            Likelihood::Bernoulli { .. } if self.baseline().is_some() => {}
            Likelihood::Bernoulli { how, positive } => {
                all.push("likelihood=\"bernoulli\"".to_string());
                if let Bernoulli::Laplace(link) = how {
                    all.push("inference=\"laplace\"".to_string());
                    if *link == Link::Logistic {
                        all.push("link=\"logistic\"".to_string());
                    }
                }
                if let Some(class) = positive {
                    all.push(format!("positive={}", print::quoted(class)));
                }
            }
        }
        match &self.mean {
            Mean::Constant(param) if param.is_unset() => {}
            Mean::Constant(param) => all.push(print::keyword(&MEAN, param)),
            Mean::Zero => all.push("mean=\"zero\"".to_string()),
            Mean::Linear(params) if params.iter().all(Param::is_unset) => {
                if !matches!(self.baseline(), Some(Baseline::Linear | Baseline::Logistic)) {
                    all.push("mean=\"linear\"".to_string());
                }
            }
            Mean::Linear(params) => all.push(print::list(&MEAN, params)),
        }
        all.join(", ")
    }

    /// What it is called beside others: by the name of its kernel where it has one, else by its kernel alone where noise
    /// and mean are as usual, else as it is written; a long one in few words.
    pub fn short(&self) -> String {
        const LONG: usize = 60;
        let process = match (self.kernel.label(), self.baseline()) {
            (Some(label), None) => label.to_string(),
            (None, None) if self.arguments().is_empty() => self.kernel.to_string(),
            _ => Self { steps: Vec::new(), ..self.clone() }.to_string(),
        };
        let steps: String = self.steps.iter().map(|step| format!("{} >> ", step_text(step))).collect();
        match (steps + &process, self.baseline()) {
            (text, Some(baseline)) if text.chars().count() > LONG => format!("{}(…)", baseline.name()),
            (text, None) if text.chars().count() > LONG => self.kernel.heading(),
            (text, _) => text,
        }
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
        Step::Transform { column, function } => {
            let power = match function {
                Function::BoxCox(Some(lambda)) => format!(", lambda={}", print::number(*lambda)),
                _ => String::new(),
            };
            format!("transform({}={}{power})", print::word(column), function.name())
        }
    }
}
