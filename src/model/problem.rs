//! A model with its training rows: parameters in one list, and the inputs of the kernel.

use super::inducing::{Inducing, InducingInputs, Rows, Sparse};
use super::inducing_error::InducingError;
use super::inputs::{inputs_beside_noise, of_inputs, used_inputs};
use super::memory;
use super::parameters::{Parameter, ParameterKind, Units, parameters};
use super::product_bounds::ProductBound;
use super::spread::{power_of_two, range_without_square, spread};
use super::{Baseline, Classes, Likelihood, Mean, Model, ModelError, Noise, refuse_if_too_large};
use crate::calendar::TimeUnit;
use crate::data::{Column as DataColumn, Dataset, Function, Pipeline, Step, Which};
use crate::kernel::{Bound, Column, Points, Schema, SlotState};
use crate::param::{Domain, Param};

/// A model with its training rows.
///
/// Its parameters are the kernel's slots; then the noise, unless it is known or the rows are classes; then those of the
/// mean.
#[derive(Debug, Clone)]
pub struct Problem {
    model: Model,
    data: Dataset,
    pipeline: Pipeline,
    /// Names of the inputs, in order.
    names: Vec<String>,
    /// Which of the inputs the model depends on.
    used: Vec<bool>,
    x: Vec<Vec<f64>>,
    /// The units of the inputs that are times.
    times: Vec<Option<TimeUnit>>,
    /// The units of time of the inputs, dates or not.
    time_units: Vec<Option<TimeUnit>>,
    y: Vec<f64>,
    /// For a classifier.
    classes: Option<Classes>,
    /// Known noise variance of each row.
    known_noise: Option<Vec<f64>>,
    bound: Bound,
    points: Points,
    parameters: Vec<Parameter>,
    /// Σ log|g′(yᵢ)| of the transforms of the target.
    log_jacobian: f64,
    product_bounds: Vec<ProductBound>,
    inducing: Option<InducingInputs>,
    /// Whether values are taken as given rather than fitted.
    conditions: bool,
}

impl Problem {
    /// Combines a model with training rows, and checks all that can be checked before an evaluation.
    ///
    /// # Errors
    /// No target; missing or infinite values (with row and column); fewer than 2 rows for a fit; too many rows for the
    /// memory; a kernel that does not fit the inputs; a parameter outside its domain; a constant target, unless
    /// `conditioning`, where the values are taken as given.
    pub fn new(model: &Model, data: &Dataset, conditioning: bool) -> Result<Self, ModelError> {
        let target = data.target().ok_or(ModelError::NoTarget)?;
        let bernoulli = model.bernoulli().is_some();
        if target.is_categories() && !bernoulli {
            return Err(ModelError::CategoryTarget { column: target.name().to_string() });
        }
        let known = model.known_noise();
        let inputs = inputs_beside_noise(model, data);
        let used = used_inputs(model, &inputs);
        let looked_at = inputs.iter().zip(&used).filter(|(_, used)| **used).map(|(column, _)| *column);
        if let Some(cell) = data.first_not_finite_of(looked_at.chain([target])) {
            return Err(crate::data::DataError::from(cell).into());
        }
        let names: Vec<String> = inputs.iter().map(|c| c.name().to_string()).collect();
        // one row without noise has no maximum; without rows the posterior is the prior
        let needed = if conditioning { 0 } else { 2 };
        let classes = bernoulli.then(|| Classes::of(target, data, model.positive())).transpose()?;
        if data.n() < needed {
            return Err(ModelError::TooFewRows { rows: data.n(), needed });
        }
        if let Some(value) = target.constant().filter(|_| !conditioning && !bernoulli) {
            return Err(ModelError::ConstantTarget { column: target.name().to_string(), rows: data.n(), value });
        }
        match &model.sparse {
            None => refuse_if_too_large(model, data.n())?,
            Some(_) if bernoulli => {
                return Err(ModelError::NotOfSparse("inducing inputs are for a target of numbers with Gaussian noise"));
            }
            Some(_) if model.is_noiseless() => return Err(InducingError::Noiseless.into()),
            Some(_) => {}
        }
        if known.is_some_and(|known| known.reads(target.name())) {
            return Err(ModelError::NotANoise { column: target.name().to_string() });
        }
        let known_noise = known.map(|known| known.variances(data)).transpose()?;
        // before the values are used, because classes are not numbers
        let is_target = |step: &Step| {
            let own = |name: &str| name == target.name() || (name == "y" && data.column("y").is_none());
            match step {
                Step::Transform { column, .. } => own(column),
                Step::Standardize { columns: Which::Named(names) } => names.iter().any(|name| own(name)),
                Step::Standardize { columns } => *columns == Which::Target,
            }
        };
        if bernoulli && model.steps.iter().any(is_target) {
            return Err(ModelError::ClassTransform { column: target.name().to_string() });
        }
        let (pipeline, made) = match bernoulli {
            true => Pipeline::learn(&model.steps.iter().map(of_inputs).collect::<Vec<_>>(), data)?,
            false => Pipeline::learn(&model.steps, data)?,
        };
        if bernoulli && !pipeline.target().is_identity() {
            return Err(ModelError::ClassTransform { column: target.name().to_string() });
        }
        let inputs: Vec<&DataColumn> = names.iter().map(|name| made.find(name)).collect::<Result<_, _>>()?;
        // missing values in columns that the model does not use are ignored
        let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
        let x: Vec<Vec<f64>> = inputs
            .iter()
            .zip(&used)
            .map(|(c, used)| if *used || finite(c.values()) { c.values().to_vec() } else { vec![0.0; c.len()] })
            .collect();
        let times: Vec<_> = inputs.iter().map(|c| c.time().map(|scale| scale.unit)).collect();
        let time_units = inputs.iter().map(|c| c.time_unit()).collect();
        let y = match &classes {
            Some(classes) => classes.labels(data)?,
            None => made.y().ok_or(ModelError::NoTarget)?.to_vec(),
        };
        if !conditioning {
            let read = inputs.iter().zip(&x).zip(&used).filter(|((c, _), used)| **used && !c.is_categories());
            let read = read.map(|((c, values), _)| (c.name(), values)).chain([(target.name(), &y)]);
            if let Some((column, range)) = read.into_iter().find_map(|(c, v)| Some((c, range_without_square(v)?))) {
                return Err(ModelError::NoSquares { column: column.to_string(), range });
            }
        }
        let schema = Schema {
            columns: inputs
                .iter()
                .zip(&x)
                .zip(&times)
                .map(|((c, values), &time)| Column { name: c.name(), values, levels: c.levels(), time })
                .collect(),
        };
        if let (Some(Baseline::Ridge), Some(column)) = (model.baseline(), inputs.iter().find(|c| c.is_categories())) {
            return Err(ModelError::CategoryMean { column: column.name().to_string() });
        }
        let bound = model.kernel.bind(&schema)?.started();
        let x_refs: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
        let points = bound.points(&x_refs)?;
        let map = pipeline.target();
        let log_jacobian = match data.y() {
            Some(raw) if !map.is_identity() => raw.iter().map(|&y| map.log_slope(y)).sum(),
            _ => 0.0,
        };
        let units = Units {
            target: if bernoulli { None } else { map.unit(target.unit()) },
            inputs: inputs.iter().map(|c| c.unit().map(str::to_string)).collect(),
            levels: inputs.iter().map(|c| c.levels()).collect(),
            names: &names,
        };
        let parameters = parameters(model, &bound, &units, &x, &y)?;
        let problem = Self {
            model: model.clone(),
            data: data.clone(),
            pipeline,
            names,
            used,
            x,
            times,
            time_units,
            y,
            classes,
            known_noise,
            bound,
            points,
            parameters,
            log_jacobian,
            product_bounds: Vec::new(),
            inducing: None,
            conditions: conditioning,
        };
        match &model.sparse {
            Some(sparse) => problem.induced_by(sparse),
            None => Ok(problem),
        }
    }

    /// The same rows with these inducing inputs.
    pub(super) fn induced_by(mut self, sparse: &Sparse) -> Result<Self, ModelError> {
        let levels = self.schema().columns.iter().map(|column| column.levels).collect();
        let data = match &sparse.inducing {
            Inducing::Data { data, .. } => {
                let given = self.inputs_of(&data.as_ref().clone().without_target());
                Some(given.map_err(|error| InducingError::Data { reason: error.to_string() })?)
            }
            _ => None,
        };
        let slopes = &self.bound.input_slopes();
        let rows = Rows { x: &self.x, names: &self.names, used: &self.used, levels, slopes, data };
        let inducing = InducingInputs::new(sparse, &rows)?;
        self.inducing = Some(inducing);
        Ok(self)
    }

    /// The same problem with some of its rows. Parameters, steps and the constants of the kernel are those of all rows.
    ///
    /// # Errors
    /// [`ModelError::Eval`]: a user's function fails at a row.
    pub fn of_rows(&self, rows: &[usize]) -> Result<Self, ModelError> {
        let take = |values: &[f64]| rows.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        let x: Vec<Vec<f64>> = self.x.iter().map(|column| take(column)).collect();
        let points = self.bound.points(&x.iter().map(|c| &c[..]).collect::<Vec<_>>())?;
        let (y, known_noise) = (take(&self.y), self.known_noise.as_deref().map(take));
        Ok(Self { data: self.data.take(rows), x, y, known_noise, points, ..self.clone() })
    }

    /// The same problem with its steps written in another way, which gives the same for its rows.
    pub(super) fn with_steps(mut self, steps: &[Step]) -> Self {
        self.model.steps = steps.to_vec();
        self
    }

    /// Whether the inputs that the model depends on go up or down by equal steps from row to row, to rounding.
    pub fn has_equal_steps(&self) -> bool {
        self.points.are_even(&self.used)
    }

    /// The model as written.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The training rows, before the steps.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// The steps with their learned constants.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Names of the inputs of the kernel, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names of the inputs that the model depends on, in order.
    pub fn used_names(&self) -> Vec<&str> {
        let used = self.names.iter().zip(&self.used).filter(|(_, used)| **used);
        used.map(|(name, _)| name.as_str()).collect()
    }

    /// The inputs after the steps, one slice per column.
    pub fn x(&self) -> Vec<&[f64]> {
        self.x.iter().map(|c| &c[..]).collect()
    }

    /// The target after the steps; for a classifier 1 for the positive class and −1 for the other.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The number of rows.
    pub fn n(&self) -> usize {
        self.y.len()
    }

    /// The two classes, for a classifier.
    pub fn classes(&self) -> Option<&Classes> {
        self.classes.as_ref()
    }

    /// The known noise variance of each training row.
    pub fn known_noise(&self) -> Option<&[f64]> {
        self.known_noise.as_deref()
    }

    /// The starting values of the inducing inputs, for a sparse model.
    pub fn inducing(&self) -> Option<&InducingInputs> {
        self.inducing.as_ref()
    }

    /// The same problem with these values of the inducing inputs.
    pub fn induced_at(mut self, moved: &[f64]) -> Self {
        if let Some(inducing) = &mut self.inducing {
            inducing.x = inducing.at(moved);
        }
        self
    }

    /// The kernel bound to the inputs.
    pub fn bound(&self) -> &Bound {
        &self.bound
    }

    /// The training rows, as the kernel reads them.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// All parameters, in the order of values and gradients.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The inputs, as needed to bind a kernel to them.
    pub fn schema(&self) -> Schema<'_> {
        let levels = |name: &str| self.data.column(name).and_then(|c| c.levels());
        let columns = self.names.iter().zip(&self.x).zip(&self.times);
        let columns = columns.map(|((name, values), &time)| Column { name, values, levels: levels(name), time });
        Schema { columns: columns.collect() }
    }

    /// The written values, or defaults that do not depend on the data.
    pub fn values(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.value).collect()
    }

    /// The number of parameters that a fit optimises.
    pub fn free(&self) -> usize {
        self.parameters.iter().filter(|p| p.is_free()).count()
    }

    /// The number of powers of Box and Cox of the target that are chosen by its values: they are parameters, too.
    pub fn chosen_powers(&self) -> usize {
        let of_target = self.model.steps.iter().filter_map(|step| step.of_target(&self.data));
        of_target.filter(|function| matches!(function, Function::BoxCox(None))).count()
    }

    /// The power of two at or below the target's standard deviation, on the scale of the model; 1 for classes.
    pub fn target_unit(&self) -> f64 {
        if self.classes.is_some() { 1.0 } else { power_of_two(spread(&self.y)) }
    }

    /// The variance of the target, on the scale of the model.
    pub fn target_variance(&self) -> f64 {
        let n = self.y.len().max(1) as f64;
        let mean = self.y.iter().sum::<f64>() / n;
        self.y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / n
    }

    /// Whether values are taken as given rather than fitted.
    pub fn conditions(&self) -> bool {
        self.conditions
    }

    /// Σ log|g′(yᵢ)| of the transforms of the target: log p(y) is the log density of g(y) plus this.
    pub fn log_jacobian(&self) -> f64 {
        self.log_jacobian
    }

    /// The values of the kernel's slots among all values.
    pub fn kernel_values<'v>(&self, values: &'v [f64]) -> &'v [f64] {
        &values[..self.bound.slots().len()]
    }

    /// The noise variance of each training row; 0 for a classifier.
    pub fn noise(&self, values: &[f64]) -> Vec<f64> {
        match &self.known_noise {
            Some(known) => known.clone(),
            None => vec![self.noise_variance(values).unwrap_or(0.0); self.n()],
        }
    }

    /// The noise variance, if it is a single one.
    pub fn noise_variance(&self, values: &[f64]) -> Option<f64> {
        let at = self.parameters.iter().position(|p| p.kind == ParameterKind::Noise)?;
        Some(values[at])
    }

    /// The same problem with its free parameters confined to a region. Bounds, priors and the printed form of models do
    /// not change.
    pub fn confined(mut self, region: impl Fn(&Parameter) -> Option<(f64, f64)>) -> Self {
        for parameter in &mut self.parameters {
            let bounded = matches!(parameter.domain, Domain::Interval { .. }) || parameter.param.prior.is_some();
            if !parameter.is_free() || bounded {
                continue;
            }
            if let Some((lo, hi)) = region(parameter).filter(|(lo, hi)| lo < hi) {
                parameter.domain = Domain::Interval { lo, hi };
            }
        }
        self
    }

    /// The same problem with bounds on products of parameters.
    pub fn with_product_bounds(self, product_bounds: Vec<ProductBound>) -> Self {
        Self { product_bounds, ..self }
    }

    /// The bounds on products of parameters.
    pub fn product_bounds(&self) -> &[ProductBound] {
        &self.product_bounds
    }

    /// The unit of an input that is a time, as far as its column says.
    pub fn time_unit(&self, d: usize) -> Option<TimeUnit> {
        self.time_units.get(d).copied().flatten()
    }

    /// The model with these values written in. Held variances stay unset, and fixed ones fixed.
    pub fn model_with(&self, values: &[f64]) -> Model {
        let kernel = self.bound.with_values(self.kernel_values(values));
        let likelihood = match &self.model.likelihood {
            Likelihood::Gaussian(Noise::Variance(param)) => {
                let value = self.noise_variance(values).unwrap_or(0.0);
                Likelihood::Gaussian(Noise::Variance(match self.noise_state() {
                    SlotState::Fixed => Param::fixed(value),
                    _ => param.with_value(value),
                }))
            }
            other => other.clone(),
        };
        let means = self.mean_values(values);
        let mean = match &self.model.mean {
            Mean::Zero => Mean::Zero,
            Mean::Constant(param) => Mean::Constant(param.with_value(means[0])),
            Mean::Linear(params) => {
                let unset = Param::default();
                let written = means.iter().enumerate();
                Mean::Linear(written.map(|(i, &m)| params.get(i).unwrap_or(&unset).with_value(m)).collect())
            }
            Mean::Function(function) => Mean::Function(function.with_values(means)),
        };
        let sparse = self.model.sparse.as_ref().zip(self.inducing.as_ref()).map(|(sparse, inducing)| {
            let schema = self.schema();
            let levels: Vec<_> = schema.columns.iter().map(|column| column.levels).collect();
            Sparse { method: sparse.method, inducing: inducing.written(&inducing.x, &self.used, &levels) }
        });
        Model { steps: self.model.steps.clone(), kernel, likelihood, mean, sparse }
    }

    fn noise_state(&self) -> SlotState {
        let noise = self.parameters.iter().find(|p| p.kind == ParameterKind::Noise);
        noise.map_or(SlotState::Fixed, |p| p.state)
    }

    /// The inputs of other rows after the steps, in the order of the bound kernel, with the codes of categories of the
    /// training rows.
    ///
    /// # Errors
    /// A missing column, a missing or infinite value, or a category that does not occur in the training rows.
    pub fn inputs_of(&self, data: &Dataset) -> Result<Vec<Vec<f64>>, ModelError> {
        let used = self.used_names();
        if used.is_empty() {
            return Ok(vec![vec![0.0; data.n()]; self.names.len()]);
        }
        // Rows may lack columns that the model does not use, and the column of a known noise.
        let reference = self.data.clone().with_inputs(&used)?;
        // a target that they have may be outside of the domain of its transform: it is not needed
        let made = self.pipeline.apply(&data.aligned(&reference, |name| self.is_open(name))?.without_target())?;
        let mut x = Vec::with_capacity(self.names.len());
        for (name, used) in self.names.iter().zip(&self.used) {
            if !used {
                x.push(vec![0.0; data.n()]);
                continue;
            }
            let column = made.find(name)?;
            if let Some(i) = column.values().iter().position(|v| !v.is_finite()) {
                let (column, value) = (name.clone(), column.values()[i]);
                return Err(crate::data::DataError::NotFinite { column, row: data.row(i), value }.into());
            }
            x.push(column.values().to_vec());
        }
        Ok(x)
    }

    /// Whether new rows may have unknown categories in a column: the model does not learn them.
    fn is_open(&self, name: &str) -> bool {
        let at = self.names.iter().position(|known| known == name);
        !self.model.kernel.learns_categories(name, at)
            && !matches!(self.model.mean, Mean::Linear(_) | Mean::Function(_))
    }

    /// The known noise of other rows, if they have its columns.
    pub fn known_noise_of(&self, data: &Dataset) -> Result<Option<Vec<f64>>, ModelError> {
        match self.model.known_noise() {
            Some(known) if known.is_known_of(data) => known.variances(data).map(Some),
            _ => Ok(None),
        }
    }
}

/// The bytes that one evaluation of a problem needs.
pub fn needed_memory(problem: &Problem) -> u64 {
    let leaves = problem.model().kernel.leaves();
    match problem.inducing() {
        None => memory::needed(problem.n(), leaves),
        Some(inducing) => memory::needed_sparse(problem.n(), inducing.count(), leaves),
    }
}
