//! The source form of a model. It parses back to the same model.

use std::fmt;

use super::parameters::{MEAN, NOISE};
use super::{Baseline, Bernoulli, Likelihood, Link, Mean, Model, Noise};
use super::{Inducing, Sparse};
use crate::data::{Function, Step, Which};
use crate::kernel::{ParamSpec, families, number, print, quoted, word};
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

/// The variance as an argument of `ridge`.
fn slope_variance(param: &Param) -> String {
    let spec = families::family("Lin").and_then(|lin| lin.spec().params.iter().find(|spec| spec.short == "v"));
    spec.filter(|_| !param.is_unset()).map_or_else(String::new, |spec| print::keyword(spec, param))
}

impl Model {
    /// The arguments after the kernel: noise and mean, where they are not the default.
    pub fn arguments(&self) -> String {
        let mut all = Vec::new();
        match &self.likelihood {
            Likelihood::Gaussian(noise) => match noise {
                Noise::Variance(param) if param.is_unset() => {}
                Noise::Variance(param) if param.is_fixed() && param.value() == Some(0.0) => {
                    all.push("noise=0".to_string());
                }
                Noise::Variance(param) => all.push(print::keyword(&NOISE, param)),
                Noise::Known(known) => all.push(known.to_string()),
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
                    all.push(format!("positive={}", quoted(class)));
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
            Mean::Function(function) => all.push(function.to_string()),
        }
        if let Some(sparse) = &self.sparse {
            all.push(format!("inference=\"{}\"", sparse.method.name()));
            all.push(format!("inducing={}", sparse.inducing));
        }
        all.join(", ")
    }

    /// A short name of the model: the label of its kernel if there is one; the kernel alone if noise and mean are the
    /// default; otherwise the source form. A long name has no values, but all else that distinguishes the model.
    pub fn short(&self) -> String {
        const LONG: usize = 60;
        let process = match (self.kernel.label(), self.baseline()) {
            (Some(label), None) => label.to_string(),
            (None, None) if self.arguments().is_empty() => self.kernel.to_string(),
            _ => Self { steps: Vec::new(), ..self.clone() }.to_string(),
        };
        let steps: String = self.steps.iter().map(|step| format!("{} >> ", step_text(step))).collect();
        if steps.chars().count() + process.chars().count() <= LONG {
            return steps + &process;
        }
        let process = match (self.baseline(), self.without_values().arguments()) {
            (Some(baseline), _) => format!("{}(…)", baseline.name()),
            (None, rest) if rest.is_empty() => self.kernel.heading(),
            (None, rest) => format!("gp({}, {rest})", self.kernel.heading()),
        };
        steps + &process
    }

    /// The baseline model that this is, whatever its positive class.
    pub fn stands_for(&self) -> Option<Baseline> {
        self.any_class().baseline()
    }

    /// The model for display: without steps, and without the class that one-vs-rest names.
    pub fn process(&self) -> Self {
        let plain = Self { steps: Vec::new(), ..self.clone() };
        if plain.baseline().is_none() && self.stands_for().is_some() { plain.any_class() } else { plain }
    }

    fn any_class(&self) -> Self {
        match self.likelihood {
            Likelihood::Bernoulli { how, .. } => {
                Self { likelihood: Likelihood::Bernoulli { how, positive: None }, ..self.clone() }
            }
            Likelihood::Gaussian(_) => self.clone(),
        }
    }

    /// The same model with free noise and mean instead of values.
    fn without_values(&self) -> Self {
        let likelihood = match &self.likelihood {
            Likelihood::Gaussian(Noise::Variance(param)) if param.value() != Some(0.0) => {
                Likelihood::Gaussian(Noise::Variance(Param::default()))
            }
            other => other.clone(),
        };
        let mean = match &self.mean {
            Mean::Zero => Mean::Zero,
            Mean::Constant(_) => Mean::Constant(Param::default()),
            Mean::Linear(_) => Mean::Linear(Vec::new()),
            // its parameters have no other mark than their values
            Mean::Function(_) => self.mean.clone(),
        };
        // the number of inducing inputs instead of their values
        let sparse = self.sparse.as_ref().map(|sparse| match &sparse.inducing {
            Inducing::Count(_) => sparse.clone(),
            rows => Sparse { inducing: Inducing::Count(rows.count()), ..sparse.clone() },
        });
        Self { likelihood, mean, sparse, ..self.clone() }
    }

    /// Names of models in one table: short, in full where two short names are equal, and numbered where the models are
    /// equal.
    pub fn names(models: &[&Self]) -> Vec<String> {
        let short: Vec<String> = models.iter().map(|model| model.short()).collect();
        let alike = |i: usize| {
            (0..models.len()).any(|j| short[j] == short[i] && models[j].to_string() != models[i].to_string())
        };
        let names = (0..models.len()).map(|i| if alike(i) { models[i].to_string() } else { short[i].clone() });
        numbered(names.collect())
    }
}

/// `SE`, `SE (2)`.
fn numbered(names: Vec<String>) -> Vec<String> {
    let count = |i: usize| names[..i].iter().filter(|name| **name == names[i]).count();
    let number = |i: usize| if count(i) == 0 { names[i].clone() } else { format!("{} ({})", names[i], count(i) + 1) };
    (0..names.len()).map(number).collect()
}

/// A parameter of a model as a keyword argument: `noise=0.1`, `noise ~ HalfNormal(1)`.
pub fn parameter_text(spec: &ParamSpec, param: &Param) -> String {
    print::keyword(spec, param)
}

/// A step as the language writes it.
pub fn step_text(step: &Step) -> String {
    match step {
        Step::Standardize { columns: Which::All } => "standardize".into(),
        Step::Standardize { columns: Which::Inputs } => "standardize(which=\"inputs\")".into(),
        Step::Standardize { columns: Which::Target } => "standardize(which=\"target\")".into(),
        Step::Standardize { columns: Which::Named(names) } => {
            let names: Vec<String> = names.iter().map(|n| quoted(n)).collect();
            format!("standardize(columns=[{}])", names.join(", "))
        }
        Step::Transform { column, function } => {
            let power = match function {
                Function::BoxCox(Some(lambda)) => format!(", lambda={}", number(*lambda)),
                _ => String::new(),
            };
            format!("transform({}={}{power})", word(column), function.name())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, families};
    use crate::param::Param;

    fn se() -> Model {
        Model::new(Kernel::family(families::family("SE").unwrap()))
    }

    #[test]
    fn names_tell_models_apart() {
        let classes = |how| Model { likelihood: Likelihood::Bernoulli { how, positive: None }, ..se() };
        let steps: Vec<Step> =
            vec![Step::Standardize { columns: Which::Inputs }, Step::Standardize { columns: Which::Target }];
        let stepped = Model { steps: steps.clone(), ..classes(Bernoulli::Laplace(Link::Logistic)) };
        let other = Model { steps, ..classes(Bernoulli::Ep) };
        let names = Model::names(&[&se(), &stepped, &other, &se()]);
        assert_eq!(names[0], "SE");
        assert_eq!(names[3], "SE (2)");
        assert!(names[1].ends_with(">> gp(SE, likelihood=\"bernoulli\", inference=\"laplace\", link=\"logistic\")"));
        assert!(names[1].starts_with("standardize(which=\"inputs\") >> ") && names[2] != names[1]);
    }

    /// Long names are given in full if they differ only in values.
    #[test]
    fn values_are_left_out_unless_they_tell_models_apart() {
        let steps = vec![Step::Standardize { columns: Which::Inputs }; 3];
        let noisy = |noise| Model { steps: steps.clone(), ..se().with_noise(Noise::Variance(Param::fixed(noise))) };
        let (one, other) = (noisy(0.25), noisy(0.5));
        assert!(!one.short().contains("0.25"));
        let names = Model::names(&[&one, &other]);
        assert!(names[0].contains("0.25") && names[1].contains("0.5"), "{names:?}");
    }
}
