//! Models as values: steps on the data and, at the end, a Gaussian process.

use std::fmt;

use crate::data::{Dataset, Step};
use crate::lang::error::{LangError, Res};
use crate::model::{Model, step_text};

/// A pipeline: steps on data, and possibly a model that is then fitted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pipeline {
    /// The steps before the process. Those of `gp` itself are empty.
    pub steps: Vec<Step>,
    pub gp: Option<Model>,
}

impl Pipeline {
    pub fn step(step: Step) -> Self {
        Self { steps: vec![step], gp: None }
    }

    /// A model, with its steps separated.
    pub fn of(mut model: Model) -> Self {
        let steps = std::mem::take(&mut model.steps);
        Self { steps, gp: Some(model) }
    }

    /// This pipeline followed by another.
    pub fn then(mut self, next: Pipeline) -> Res<Self> {
        if self.gp.is_some() {
            return Err(LangError::new("`gp` is the last step of a model: preprocessing steps come before it"));
        }
        self.steps.extend(next.steps);
        Ok(Self { gp: next.gp, ..self })
    }

    /// The complete model, for a fit.
    pub fn model(self) -> Res<Model> {
        let Some(gp) = self.gp else {
            return Err(LangError::new("these are steps without a model").help(format!("write `{self} >> gp(…)`")));
        };
        Ok(Model { steps: self.steps, ..gp })
    }

    /// The data after the steps, which are learnt on these data.
    pub fn applied(&self, data: &Dataset) -> Res<Dataset> {
        match crate::data::Pipeline::learn(&self.steps, data) {
            Ok((_, made)) => Ok(made),
            Err(error) => Err(LangError::new(error.to_string())),
        }
    }
}

/// The source form. It parses back to the same pipeline.
impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.gp {
            Some(gp) => Model { steps: self.steps.clone(), ..gp.clone() }.fmt(f),
            None => f.write_str(&self.steps.iter().map(step_text).collect::<Vec<_>>().join(" >> ")),
        }
    }
}
