//! Models as values: steps on the data and, last, a Gaussian process.

use std::fmt;

use super::display::{number, parameter};
use super::print::print_string;
use super::trouble::{Res, Trouble};
use super::value::{FromValue, Value, expected};
use crate::data::{Dataset, Step, Which};
use crate::model::{Mean, Model, Noise};
use crate::param::{Param, State};

/// A pipeline: what is done to data, and what is fitted then, if anything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pipeline {
    /// Before the process. Those of `gp` itself are empty.
    pub steps: Vec<Step>,
    pub gp: Option<Model>,
}

impl Pipeline {
    pub fn step(step: Step) -> Self {
        Self { steps: vec![step], gp: None }
    }

    /// A model, its steps apart.
    pub fn of(mut model: Model) -> Self {
        let steps = std::mem::take(&mut model.steps);
        Self { steps, gp: Some(model) }
    }

    /// This one, then another.
    pub fn then(mut self, next: Pipeline) -> Res<Self> {
        if self.gp.is_some() {
            return Err(Trouble::new("the process stands last in a model: steps come before `gp`"));
        }
        self.steps.extend(next.steps);
        Ok(Self { gp: next.gp, ..self })
    }

    /// The whole model, to be fitted.
    pub fn model(self) -> Res<Model> {
        let Some(gp) = self.gp else {
            return Err(Trouble::new("these are steps without a model").help(format!("write `{self} >> gp(…)`")));
        };
        Ok(Model { steps: self.steps, ..gp })
    }

    /// Data with the steps taken, learnt on these same data.
    pub fn applied(&self, data: &Dataset) -> Res<Dataset> {
        match crate::data::Pipeline::learn(&self.steps, data) {
            Ok((_, made)) => Ok(made),
            Err(error) => Err(Trouble::new(error.to_string())),
        }
    }
}

impl FromValue for Pipeline {
    /// A bare kernel is the model of that kernel.
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Model(pipeline) => Ok((*pipeline).clone()),
            Value::Kernel(kernel) => Ok(Self::of(Model::new(kernel))),
            Value::Fit(fit) => Ok(Self::of(fit.model.clone())),
            other => Err(expected("a model or a kernel", &other)),
        }
    }
}

/// Source form: reads back to the same pipeline.
impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        for step in &self.steps {
            parts.push(match step {
                Step::Standardize { columns } => match columns {
                    Which::All => "standardize".into(),
                    Which::Inputs => "standardize(which=\"inputs\")".into(),
                    Which::Target => "standardize(which=\"target\")".into(),
                    Which::Named(names) => {
                        let names: Vec<String> = names.iter().map(|name| print_string(name)).collect();
                        format!("standardize(columns=[{}])", names.join(", "))
                    }
                },
                Step::Transform { column, function } => format!("transform({column}={})", function.name()),
            });
        }
        if let Some(model) = &self.gp {
            parts.push(process(model));
        }
        f.write_str(&parts.join(" >> "))
    }
}

/// `gp(kernel, noise=…, mean=…)`, with what was written.
fn process(model: &Model) -> String {
    let mut args = vec![model.kernel.to_string()];
    match &model.noise {
        Noise::Column(name) => args.push(format!("noise={}", print_string(name))),
        Noise::Variance(param) => argument(&mut args, "noise", param, |param| match param.state {
            State::Fixed(0.0) => "0".into(),
            _ => parameter(param),
        }),
    }
    match &model.mean {
        Mean::Zero => args.push("mean=\"zero\"".into()),
        Mean::Constant(param) => argument(&mut args, "mean", param, parameter),
        Mean::Linear(params) if params.iter().all(Param::is_unset) => args.push("mean=\"linear\"".into()),
        Mean::Linear(params) => {
            let item = |param: &Param| if param.is_unset() { number(0.0) } else { parameter(param) };
            args.push(format!("mean=[{}]", params.iter().map(item).collect::<Vec<_>>().join(", ")));
        }
    }
    format!("gp({})", args.join(", "))
}

fn argument(args: &mut Vec<String>, name: &str, param: &Param, shown: impl Fn(&Param) -> String) {
    if param.is_unset() {
        return;
    }
    let text = shown(param);
    let sign = if text.starts_with('~') { " " } else { "=" };
    args.push(format!("{name}{sign}{text}"));
}
