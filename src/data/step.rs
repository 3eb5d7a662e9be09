//! Preprocessing steps: transforms of columns, fitted to training rows and applied to any rows.

use serde::{Deserialize, Serialize};

use super::dataset::Dataset;
use super::error::DataError;
use super::fitted_transforms::{Warp, best_power};
use super::summary::mean_sd;
use super::transform::{TargetMap, Transform};
use crate::calendar::TimeUnit;

/// One preprocessing step as specified, before it is fitted to data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Columns minus their mean, divided by their standard deviation (n − 1).
    Standardize { columns: Which },
    /// A function of one column. `y` is the target unless a column has this name.
    Transform { column: String, function: Function },
}

impl Step {
    /// The function of the target that this step is, if it is one.
    pub fn of_target(&self, data: &Dataset) -> Option<&Function> {
        let Self::Transform { column, function } = self else { return None };
        let target = data.target()?.name();
        (called(column, data).ok()?.name() == target).then_some(function)
    }

    /// These steps with those of inputs fitted to these data, so that they are the same for any part of the rows. Those of
    /// the target stay as they are; classes have none.
    ///
    /// # Errors
    /// As [`Pipeline::learn`].
    pub fn with_inputs_learnt(steps: &[Self], data: &Dataset, classes: bool) -> Result<Vec<Self>, DataError> {
        let mut made = data.clone();
        let mut out = Vec::with_capacity(steps.len());
        for step in steps {
            let (learnt, next) = Pipeline::learn(std::slice::from_ref(step), &made)?;
            made = next;
            out.extend(learnt.stages.into_iter().filter_map(|stage| match (stage.target, step) {
                (false, _) => {
                    Some(Self::Transform { column: stage.column, function: Function::Plain(stage.transform) })
                }
                (true, Self::Standardize { columns: Which::All }) if classes => None,
                (true, Self::Standardize { .. }) => {
                    Some(Self::Standardize { columns: Which::Named(vec![stage.column]) })
                }
                (true, Self::Transform { .. }) => Some(step.clone()),
            }));
        }
        Ok(out)
    }
}

/// A function as specified; some are fitted to the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Function {
    Plain(Transform),
    /// With this power, or with that of maximum likelihood.
    BoxCox(Option<f64>),
    Warped,
}

impl Function {
    /// The function of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "boxcox" => Some(Self::BoxCox(None)),
            "warped" => Some(Self::Warped),
            name => Transform::named(name).map(Self::Plain),
        }
    }

    /// The name in the language.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plain(transform) => transform.name(),
            Self::BoxCox(_) => "boxcox",
            Self::Warped => "warped",
        }
    }

    /// The names of all functions.
    pub fn names() -> impl Iterator<Item = &'static str> {
        super::transform::FUNCTIONS.iter().map(Transform::name).chain(["boxcox", "warped"])
    }

    /// The transform with its parameters fitted to a column.
    fn learn(&self, column: &super::Column, data: &Dataset) -> Result<Transform, DataError> {
        let constant = |value| DataError::Constant { column: column.name().into(), value };
        Ok(match self {
            Self::Plain(transform) => transform.clone(),
            Self::BoxCox(Some(lambda)) => Transform::BoxCox { lambda: *lambda },
            Self::BoxCox(None) => {
                let values = column.values();
                if let Some(i) = values.iter().position(|v| *v <= 0.0) {
                    return Err(DataError::OutOfDomain {
                        function: "boxcox",
                        value: values[i],
                        column: column.name().into(),
                        row: data.row(i),
                        expected: "a positive number",
                    });
                }
                match column.constant() {
                    Some(value) => return Err(constant(value)),
                    None => Transform::BoxCox { lambda: best_power(values) },
                }
            }
            Self::Warped => match Warp::learn(column.values()) {
                Some(warp) => Transform::Warped(warp),
                None => return Err(constant(column.values().first().copied().unwrap_or(f64::NAN))),
            },
        })
    }
}

/// Whether a unit is that of a transformed column: `log`, `log(ppm)`, or `sd` of a standardized one.
pub fn is_transformed(unit: &str) -> bool {
    let name = unit.split_once('(').map_or(unit, |(name, _)| name);
    name == "sd" || Function::named(name).is_some()
}

/// The columns to standardize. Categorical columns are skipped unless they are named.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// Inputs and target.
    #[default]
    All,
    Inputs,
    Target,
    Named(Vec<String>),
}

/// Steps fitted to their training rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Pipeline {
    stages: Vec<Stage>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Stage {
    column: String,
    target: bool,
    transform: Transform,
}

/// The data after these steps. A transformed column without a unit gets the name of the transform as its unit, so that
/// rows on another scale can be told from it.
///
/// # Errors
/// As [`Pipeline::learn`].
pub fn after_steps(steps: &[Step], data: &Dataset) -> Result<Dataset, DataError> {
    let (pipeline, mut made) = Pipeline::learn(steps, data)?;
    for stage in &pipeline.stages {
        let column = made.find(&stage.column)?;
        if column.unit().is_none() {
            let marked = column.clone().with_unit(stage.transform.name());
            made = made.with_column(marked)?;
        }
    }
    Ok(made)
}

impl Pipeline {
    /// Fits the steps to these data, and returns them with the transformed data.
    ///
    /// # Errors
    /// Unknown columns, values outside the domain of a function (with row and column), constant or infinite columns to
    /// standardize, categorical columns, a second nonlinear transform of the target, or `exp` of the target.
    pub fn learn(steps: &[Step], data: &Dataset) -> Result<(Self, Dataset), DataError> {
        let mut learnt = Self::default();
        let mut data = data.clone();
        for step in steps {
            let stages = match step {
                Step::Standardize { columns } => standardize(columns, &data)?,
                Step::Transform { column, function } => vec![learn(column, function, &data)?],
            };
            for stage in stages {
                if stage.target {
                    learnt.admit(&stage)?;
                }
                data = stage.apply(&data)?;
                learnt.stages.push(stage);
            }
        }
        Ok((learnt, data))
    }

    /// The transformed rows. A missing target, or one that is another column, is skipped.
    pub fn apply(&self, data: &Dataset) -> Result<Dataset, DataError> {
        // rows may lack columns that the model does not use
        let wanted = |s: &&Stage| match s.target {
            true => data.target().is_some_and(|t| t.name() == s.column),
            false => data.inputs().any(|c| c.name() == s.column),
        };
        self.stages.iter().filter(wanted).try_fold(data.clone(), |data, stage| stage.apply(&data))
    }

    /// The transforms of the target.
    pub fn target(&self) -> TargetMap {
        TargetMap(self.stages.iter().filter(|s| s.target).map(|s| s.transform.clone()).collect())
    }

    /// The transforms of a column, in order.
    pub fn of(&self, column: &str) -> Vec<Transform> {
        self.stages.iter().filter(|s| s.column == column).map(|s| s.transform.clone()).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// Only a chain with one nonlinear transform has exact moments on the scale of the data.
    fn admit(&self, next: &Stage) -> Result<(), DataError> {
        let column = || next.column.clone();
        if next.transform == Transform::Exp {
            return Err(DataError::NotForTarget { column: column() });
        }
        let curved = |s: &&Stage| s.target && !s.transform.is_affine();
        match self.stages.iter().find(curved) {
            Some(first) if !next.transform.is_affine() => Err(DataError::SecondTransform {
                column: column(),
                first: first.transform.name(),
                second: next.transform.name(),
            }),
            _ => Ok(()),
        }
    }
}

impl Stage {
    fn apply(&self, data: &Dataset) -> Result<Dataset, DataError> {
        let column = data.find(&self.column)?;
        if column.is_categories() {
            return Err(DataError::NotNumeric { column: self.column.clone() });
        }
        let mut values = Vec::with_capacity(column.len());
        for (i, &v) in column.values().iter().enumerate() {
            // The density of a target also needs a finite slope.
            let admitted = !self.target || v.is_nan() || self.transform.log_slope(v).is_finite() || v.is_infinite();
            let Some(z) = self.transform.forward(v).filter(|_| admitted) else {
                return Err(DataError::OutOfDomain {
                    function: self.transform.name(),
                    value: v,
                    column: self.column.clone(),
                    row: data.row(i),
                    expected: if self.transform.forward(v).is_some() {
                        "a positive number, as it is the target"
                    } else {
                        self.transform.domain()
                    },
                });
            };
            values.push(z);
        }
        // a column that is a time by its name is none after a transform
        let unit = column.unit().or(column.time_unit().filter(|_| !self.target).map(TimeUnit::name));
        let unit = self.transform.unit(unit).unwrap_or_default();
        data.clone().with_column(super::Column::numeric(self.column.as_str(), values).with_unit(&unit))
    }
}

/// The column with this name; `y` is the target unless a column has this name.
fn called<'d>(name: &str, data: &'d Dataset) -> Result<&'d super::Column, DataError> {
    match (data.find(name), data.target()) {
        (Err(_), Some(target)) if name == "y" => Ok(target),
        (found, _) => found,
    }
}

fn learn(name: &str, function: &Function, data: &Dataset) -> Result<Stage, DataError> {
    let column = called(name, data)?;
    if column.is_categories() {
        return Err(DataError::NotNumeric { column: column.name().into() });
    }
    stage(name, function.learn(column, data)?, data)
}

fn stage(name: &str, transform: Transform, data: &Dataset) -> Result<Stage, DataError> {
    let column = called(name, data)?;
    let target = data.target().is_some_and(|t| t.name() == column.name());
    Ok(Stage { column: column.name().into(), target, transform })
}

fn standardize(which: &Which, data: &Dataset) -> Result<Vec<Stage>, DataError> {
    let numeric = |c: &&super::Column| !c.is_categories();
    let names: Vec<String> = match which {
        Which::All => data.used().filter(numeric).map(|c| c.name().into()).collect(),
        Which::Inputs => data.inputs().filter(numeric).map(|c| c.name().into()).collect(),
        Which::Target => vec![data.target().ok_or(DataError::Untargeted)?.name().into()],
        Which::Named(names) => names.clone(),
    };
    names.iter().map(|name| stage(name, measure(name, data)?, data)).collect()
}

/// The standardization of a column as a transform.
fn measure(name: &str, data: &Dataset) -> Result<Transform, DataError> {
    let column = called(name, data)?;
    let owned = || column.name().to_string();
    if column.is_categories() {
        return Err(DataError::NotNumeric { column: owned() });
    }
    if let Some(i) = column.values().iter().position(|v| v.is_infinite()) {
        return Err(DataError::NotFinite { column: owned(), row: data.row(i), value: column.values()[i] });
    }
    if let Some(value) = column.constant() {
        return Err(DataError::Constant { column: owned(), value });
    }
    match mean_sd(column.values()) {
        None => Err(DataError::NoValues { column: owned() }),
        Some((mean, sd)) if sd.is_finite() && sd > 0.0 => Ok(Transform::Affine { shift: mean, scale: sd }),
        Some(_) => Err(DataError::Overflow { column: owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, RowRef};

    fn data(x: &[f64], y: &[f64]) -> Dataset {
        let columns = vec![Column::numeric("x", x.to_vec()), Column::numeric("out", y.to_vec()).with_unit("m")];
        Dataset::new(columns, Some("out"), None).unwrap()
    }

    fn transform(column: &str, function: Transform) -> Step {
        Step::Transform { column: column.into(), function: Function::Plain(function) }
    }

    #[test]
    fn standardizing_is_learnt_on_training_rows_only() {
        let train = data(&[0.0, 2.0, 4.0], &[1.0, 2.0, 3.0]);
        let steps = [Step::Standardize { columns: Which::All }];
        let (pipeline, made) = Pipeline::learn(&steps, &train).unwrap();
        assert_eq!(made.x()[0], [-1.0, 0.0, 1.0]);
        assert_eq!(made.target().unwrap().unit(), Some("sd"));
        let test = pipeline.apply(&data(&[6.0], &[5.0])).unwrap();
        assert_eq!((test.x()[0], test.y().unwrap()), (&[2.0][..], &[3.0][..]));
        assert_eq!(pipeline.target().inverse(3.0), 5.0);
        let saved: Pipeline = serde_json::from_str(&serde_json::to_string(&pipeline).unwrap()).unwrap();
        assert_eq!(saved, pipeline);
    }

    #[test]
    fn a_transformed_column_without_a_unit_is_marked() {
        let rows = |y: &[f64]| {
            let columns = vec![Column::numeric("x", vec![1.0, 2.0]), Column::numeric("y", y.to_vec())];
            Dataset::new(columns, Some("y"), None).unwrap()
        };
        let raw = rows(&[1.0, 2.0]);
        let made = after_steps(&[transform("y", Transform::Log)], &raw).unwrap();
        assert_eq!(made.target().unwrap().unit(), Some("log"));
        let fault = raw.aligned(&made, |_| false).unwrap_err().to_string();
        assert!(fault.contains("column `y` is on the scale log in the training rows"), "{fault}");
        assert!(made.aligned(&made, |_| false).is_ok() && raw.aligned(&raw, |_| false).is_ok());
        let blind = Dataset::new(vec![Column::numeric("x", vec![3.0])], None, None).unwrap();
        assert!(blind.aligned(&made, |_| false).is_ok());
    }

    #[test]
    fn y_is_the_target_by_any_name() {
        let (pipeline, made) =
            Pipeline::learn(&[transform("y", Transform::Log)], &data(&[1.0, 2.0], &[1.0, 2.0])).unwrap();
        assert_eq!(made.y().unwrap(), [0.0, 2f64.ln()]);
        assert_eq!(pipeline.target().transforms(), [Transform::Log]);
        let blind = Dataset::new(vec![Column::numeric("x", vec![3.0])], None, None).unwrap();
        assert_eq!(pipeline.apply(&blind).unwrap(), blind);
    }

    /// Steps of inputs that were learnt are the same for some of the rows; those of the target are learnt anew.
    #[test]
    fn steps_of_inputs_can_be_learnt_before_those_of_the_target() {
        let whole = data(&[1.0, 2.0, 4.0, 9.0], &[1.0, 2.0, 3.0, 8.0]);
        let written = [transform("x", Transform::Log), Step::Standardize { columns: Which::All }];
        let learnt = Step::with_inputs_learnt(&written, &whole, false).unwrap();
        let (all, made) = Pipeline::learn(&written, &whole).unwrap();
        assert_eq!(Pipeline::learn(&learnt, &whole).unwrap(), (all, made.clone()));
        let (_, part) = Pipeline::learn(&learnt, &whole.take(&[0, 1, 2])).unwrap();
        assert_eq!(part.x()[0], &made.x()[0][..3]);
        assert_eq!(part.y().unwrap(), [-1.0, 0.0, 1.0]);
        // again, nothing changes
        assert_eq!(Step::with_inputs_learnt(&learnt, &whole, false).unwrap(), learnt);
        // classes are not standardized
        let of_classes = Step::with_inputs_learnt(&written, &whole, true).unwrap();
        assert!(of_classes.iter().all(|step| matches!(step, Step::Transform { column, .. } if column == "x")));
        assert_eq!(transform("y", Transform::Log).of_target(&whole), Some(&Function::Plain(Transform::Log)));
        assert_eq!(transform("x", Transform::Log).of_target(&whole), None);
    }

    #[test]
    fn a_time_by_its_name_is_none_after_a_transform() {
        let columns = vec![Column::numeric("year", vec![1.0, 2.0, 3.0]), Column::numeric("y", vec![1.0, 2.0, 4.0])];
        let data = Dataset::new(columns, Some("y"), None).unwrap();
        assert!(data.column("year").unwrap().time_unit().is_some());
        for step in [transform("year", Transform::Log), Step::Standardize { columns: Which::Inputs }] {
            let (_, made) = Pipeline::learn(&[step], &data).unwrap();
            assert_eq!(made.column("year").unwrap().time_unit(), None);
        }
    }

    #[test]
    fn a_value_outside_the_domain_is_placed() {
        let learn = |step, x: &[f64], y: &[f64]| Pipeline::learn(&[step], &data(x, y)).unwrap_err();
        let out = |function, value, column: &str, expected| DataError::OutOfDomain {
            function,
            value,
            column: column.into(),
            row: RowRef::Index(1),
            expected,
        };
        assert_eq!(
            learn(transform("x", Transform::Log), &[1.0, 0.0], &[1.0, 2.0]),
            out("log", 0.0, "x", "a positive number")
        );
        assert_eq!(
            learn(transform("out", Transform::Sqrt), &[1.0, 0.0], &[1.0, 0.0]),
            out("sqrt", 0.0, "out", "a positive number, as it is the target")
        );
        assert!(Pipeline::learn(&[transform("x", Transform::Sqrt)], &data(&[0.0], &[1.0])).is_ok());
    }

    #[test]
    fn what_cannot_be_done_says_why() {
        let learn = |steps: &[Step]| Pipeline::learn(steps, &data(&[2.0, 2.0], &[3.0, 4.0])).unwrap_err().to_string();
        let all = Step::Standardize { columns: Which::All };
        assert_eq!(learn(&[all]), "column `x` is 2 in every row and cannot be standardized");
        assert!(learn(&[transform("y", Transform::Exp)]).contains("its inverse, the logarithm"));
        assert!(
            learn(&[transform("y", Transform::Log), transform("y", Transform::Sqrt)]).contains("already transformed")
        );
        assert_eq!(learn(&[transform("z", Transform::Log)]), "no column is called `z`, the columns are `x`, `out`");
    }
}
