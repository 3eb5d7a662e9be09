use super::edits::Edit;
use super::score::Criterion;
use crate::calendar::TimeUnit;
use crate::data::{Dataset, Function, Pipeline, Step};
use crate::fit::{calendar, on_scale};
use crate::kernel::family::Family;
use crate::kernel::{Kernel, Leaf, Node, Role, Values, families};
use crate::model::{Likelihood, Mean, Model, Noise};
use crate::param::{Measure, Param};

/// Settings of a search.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The base kernels: by default SE, a periodic kernel without its constant part, Lin and RQ; see also
    /// [`for_data`](Self::for_data). A kernel of all inputs is used on each of them, one at a time; one that names its
    /// inputs is used as it is.
    pub base: Vec<Kernel>,
    /// The inputs on which base kernels are used; all of them by default.
    pub inputs: Option<Vec<String>>,
    pub moves: Vec<Edit>,
    /// The maximum depth, at least 1; depth 1 has the base kernels.
    pub depth: usize,
    pub criterion: Criterion,
    /// The number of expressions that are edited at each depth; at least 1.
    pub beam: usize,
    /// The number of starts of each candidate in the race; at least 1. With three or more inputs, and with new periods, more
    /// take the first steps.
    pub restarts: usize,
    pub seed: u64,
    pub budget: Budget,
    pub likelihood: Likelihood,
    pub mean: Mean,
    /// The transform of the target, before the steps.
    pub transform: Option<Function>,
    /// The steps of every model.
    pub steps: Vec<Step>,
    /// The kernel with which the search begins, beside the base kernels; it is used as it is written.
    pub start: Option<Kernel>,
}

impl Settings {
    /// The default settings for these data, of which these inputs are searched after these steps. A series, that is one numeric input, also
    /// has the processes that carry their last level or slope on, as forecasts need them, and if it is a time the
    /// seasons of the calendar; it is scored by the evidence with its parameters integrated out, which forecasts better
    /// from few rows than BIC (docs/results.md). Categories have `Indicator`. An input that was standardized or transformed
    /// is no time, and has no seasons.
    pub fn for_data(data: &Dataset, inputs: Option<Vec<String>>, steps: &[Step]) -> Self {
        // steps that the data do not admit are an error of the search
        let made = Pipeline::learn(steps, data).map(|(_, made)| made);
        let data = made.as_ref().unwrap_or(data);
        let wanted = |name: &str| inputs.as_ref().is_none_or(|inputs| inputs.iter().any(|input| input == name));
        let (categories, numbers): (Vec<_>, Vec<_>) =
            data.inputs().filter(|column| wanted(column.name())).partition(|column| column.is_categories());
        let mut base = Self::default().base;
        let mut criterion = Criterion::default();
        if let ([], [series]) = (&categories[..], &numbers[..]) {
            criterion = Criterion::Laplace;
            let unit = series.time_unit();
            let periods = unit.map(|unit| calendar(series.values(), unit)).unwrap_or_default();
            base.extend(periods.into_iter().filter_map(|of| season(of, series.time().is_some(), unit?)));
            base.extend(["Wiener", "IntegratedWiener"].into_iter().filter_map(families::family).map(Kernel::family));
        }
        if !categories.is_empty() {
            base.extend(families::family("Indicator").map(Kernel::family));
        }
        Self { base, inputs, criterion, steps: steps.to_vec(), ..Self::default() }
    }

    /// The settings of a search that begins with a model: its steps, likelihood and mean are those of every model.
    pub fn beginning_with(self, model: Model) -> Self {
        let Model { steps, kernel, likelihood, mean, sparse: _ } = model;
        Self { steps, likelihood, mean, start: Some(kernel), ..self }
    }

    /// The model of a kernel, with the steps, likelihood, mean and transform of the search.
    pub fn model(&self, kernel: Kernel) -> Model {
        on_scale(&self.written(kernel), self.transform.as_ref())
    }

    /// The model with which the search begins, as it is written; `None` if it begins with base kernels alone.
    pub fn begun_with(&self) -> Option<Model> {
        self.start.clone().map(|kernel| self.written(kernel))
    }

    /// The transform of the target of every model: that of the search, or that among the steps.
    pub fn target_transform(&self, data: &Dataset) -> Option<&Function> {
        self.transform.as_ref().or_else(|| self.steps.iter().find_map(|step| step.of_target(data)))
    }

    fn written(&self, kernel: Kernel) -> Model {
        let (steps, likelihood, mean) = (self.steps.clone(), self.likelihood.clone(), self.mean.clone());
        Model { steps, likelihood, mean, ..Model::new(kernel) }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let base = ["SE", "Per", "Lin", "RQ"].into_iter().filter_map(families::family);
        Self {
            base: base.map(|family| Kernel::family(centred(family))).collect(),
            inputs: None,
            moves: Edit::defaults(),
            depth: 10,
            criterion: Criterion::default(),
            beam: 1,
            restarts: 2,
            seed: 0,
            budget: Budget::default(),
            likelihood: Likelihood::Gaussian(Noise::Variance(Param::default())),
            mean: Mean::Constant(Param::default()),
            transform: None,
            steps: Vec::new(),
            start: None,
        }
    }
}

/// The centred periodic kernel whose period is fixed at one unit of the calendar, on an input in this unit: dates or
/// numbers.
fn season(of: TimeUnit, dates: bool, unit: TimeUnit) -> Option<Kernel> {
    let kernel = Kernel::family(centred(families::family("Per")?));
    let Node::Leaf(leaf) = kernel.node() else { return None };
    let mut leaf: Leaf = leaf.clone();
    let at = leaf.family.spec().params.iter().position(|p| p.role == Role::Period)?;
    leaf.params[at] = Values::One(match dates {
        true => Param { time: Some(Measure::Length(of)), ..Param::fixed(1.0) },
        false => Param::fixed(of.convert(1.0, unit)),
    });
    Some(kernel.with_node(Node::Leaf(leaf)))
}

/// A periodic kernel with a constant part, times a linear kernel, would contain a trend.
fn centred(family: &'static dyn Family) -> &'static dyn Family {
    family.spec().flag.filter(|flag| !flag.on).map_or(family, |flag| (flag.other)())
}

/// The budget of a search; unlimited by default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    pub seconds: Option<f64>,
    /// The number of evaluations of the likelihood. A round that has started is completed, so the number may be
    /// exceeded.
    pub evaluations: Option<usize>,
}

impl Budget {
    /// The default: one minute.
    pub const DEFAULT: Budget = Budget { seconds: Some(60.0), evaluations: None };
}

impl std::fmt::Display for Budget {
    /// In the form that is parsed: `60s`, or a number of evaluations.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.seconds, self.evaluations) {
            (Some(seconds), Some(evaluations)) => write!(f, "{seconds}s, {evaluations}"),
            (Some(seconds), None) => write!(f, "{seconds}s"),
            (None, Some(evaluations)) => write!(f, "{evaluations}"),
            (None, None) => f.write_str("without limit"),
        }
    }
}

/// A text that is not a budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a budget")]
pub struct BudgetError(pub String);

impl std::str::FromStr for Budget {
    type Err = BudgetError;

    /// Reads a time such as `60s`, `1.5 min`, `2h`.
    fn from_str(text: &str) -> Result<Self, BudgetError> {
        let bad = || BudgetError(text.to_string());
        let trimmed = text.trim();
        let at = trimmed.find(|c: char| c.is_alphabetic()).ok_or_else(bad)?;
        let (number, unit) = trimmed.split_at(at);
        let seconds = match unit {
            "s" | "sec" | "second" | "seconds" => 1.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => return Err(bad()),
        };
        let number: f64 = number.trim().parse().map_err(|_| bad())?;
        let seconds = number * seconds;
        // a year is as good as unlimited, and fits into a Duration
        if !(seconds > 0.0 && seconds <= 3.2e7) {
            return Err(bad());
        }
        Ok(Self { seconds: Some(seconds), evaluations: None })
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn budgets_are_read() {
        let seconds = |text: &str| text.parse::<Budget>().ok().and_then(|b| b.seconds);
        assert_eq!(seconds("60s"), Some(60.0));
        assert_eq!(seconds(" 1.5 min "), Some(90.0));
        assert_eq!(seconds("2h"), Some(7200.0));
        for bad in ["", "s", "60", "-1s", "0s", "60 parsecs", "nan s", "1e400 s", "inf s", "é"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
