//! The data and the model of a state.

use std::sync::Arc;

use mercer::data::{Column, Dataset};
use mercer::fit::given;
use mercer::kernel::{InputRef, Kernel, quoted};
use mercer::lang::eval::host::Item;
use mercer::lang::values::value::Value;
use mercer::model::{Mean, Model, Noise, Parameter, Problem, is_noise};
use mercer::param::Param;
use mercer::progress::Progress;
use mercer::render::{render, without_controls};
use mercer::report::data_expression;
use mercer::session::Session;

use super::fault::Fault;
use super::house::{House, MOST_ROWS, too_many_rows};
use super::state::State;

/// The largest number of values in a script that writes out data.
const MOST_WRITTEN: usize = 10_000;
/// The noise and the mean of a model without data, unless they are written.
const NOISE: f64 = 0.01;
const MEAN: f64 = 0.0;

/// The data and the model of a state, with the values of its parameters.
pub struct Scene {
    /// The data as an expression of the language.
    pub expression: String,
    pub data: Dataset,
    /// Whether they were chosen rather than set by hand.
    pub chosen: bool,
    /// The model as written, with its rows.
    pub problem: Problem,
    /// The values that are written, or that a fit would start from.
    pub starts: Vec<f64>,
    /// The values with those of the state.
    pub values: Vec<f64>,
    /// The number of rows that were left out because values are missing.
    pub missing: usize,
    /// Warnings and notes.
    pub notes: Vec<String>,
}

impl Scene {
    /// Evaluates the expression of a state and finds its data.
    ///
    /// # Errors
    /// A mistake in the expression; data that cannot be read; a model that does not fit the data.
    pub fn new(house: &House, state: &State, progress: &dyn Progress) -> Result<Self, Fault> {
        let mut notes = Vec::new();
        let mut session = Session::confined(house.files.clone());
        let (model, bare) = written(&mut session, state, progress, &mut notes)?;
        let found = rows(house, state, &model.kernel, progress, &mut notes)?;
        let chosen = state.data.is_some();
        let model = if chosen || !bare { model } else { by_hand(model) };
        let problem = match Problem::new(&model, &found.data, true) {
            Ok(problem) => problem,
            Err(error) => {
                // the language says where in the text the mistake is
                let output = session.run(&format!("{} |> condition(_)", found.expression), "data", progress);
                let told = output.diagnostics().find(|told| told.is_error());
                return Err(told.map_or(error.into(), |told| Fault::of(told, session.sources())));
            }
        };
        // without chosen data, values do not change with the points
        let starts = if chosen { given(&problem) } else { problem.values() };
        let moved = |(parameter, start): (&Parameter, &f64)| {
            let value = state.values.get(&parameter.name).copied();
            value.filter(|value| parameter.is_free() && parameter.domain.contains(*value)).unwrap_or(*start)
        };
        let values = problem.parameters().iter().zip(&starts).map(moved).collect();
        let Found { data, expression, missing } = found;
        Ok(Self { expression, data, chosen, problem, starts, values, missing, notes })
    }

    /// The model with its values written in.
    pub fn model(&self) -> Model {
        self.problem.model_with(&self.values)
    }

    /// The single numeric input of the data, along which curves are drawn.
    pub fn single_input(&self) -> Option<&Column> {
        let [name] = self.problem.names() else { return None };
        self.data.column(name).filter(|column| !column.is_categories())
    }
}

/// The model that the text of a state writes, and whether it is a kernel only.
fn written(
    session: &mut Session,
    state: &State,
    progress: &dyn Progress,
    notes: &mut Vec<String>,
) -> Result<(Model, bool), Fault> {
    let mut last = None;
    let output = session.run(&state.text, "expression", progress);
    for item in output.items {
        match item {
            Item::Shown(value) => last = Some(value),
            Item::Diagnostic(told) if told.is_error() && progress.stop() => return Err(Fault::Stopped),
            Item::Diagnostic(told) if told.is_error() => return Err(Fault::of(&told, session.sources())),
            Item::Diagnostic(told) => notes.push(render(&told, session.sources(), false)),
            Item::Text(text) => notes.push(without_controls(&text).into_owned()),
            Item::Wrote(_) => {}
        }
    }
    let wanted = |found: &str| Fault::Text {
        message: format!("the last line is a kernel or a model, found {found}"),
        excerpt: format!("Write a kernel such as `SE(x)`, or a model such as `gp(SE(x), noise=0.1)`; found {found}.\n"),
    };
    match last {
        Some(Value::Kernel(kernel)) => Ok((Model::new(kernel), true)),
        Some(Value::Model(pipeline)) => match Arc::unwrap_or_clone(pipeline).model() {
            Ok(model) => Ok((model, false)),
            Err(_) => Err(wanted("steps without a model")),
        },
        Some(other) => Err(wanted(other.kind().noun())),
        None => Err(wanted("nothing")),
    }
}

/// A model for points that are set by hand: its noise and mean have values, which do not depend on the points.
fn by_hand(model: Model) -> Model {
    let noise = !model.kernel.summands().into_iter().any(is_noise);
    let model = Model { mean: Mean::Constant(Param::free(MEAN)), ..model };
    if noise { model.with_noise(Noise::Variance(Param::free(NOISE))) } else { model }
}

/// Data and the expression that gives them.
struct Found {
    data: Dataset,
    expression: String,
    missing: usize,
}

/// The data of a state: chosen ones without the removed rows and with the added points, or the points alone.
fn rows(
    house: &House,
    state: &State,
    kernel: &Kernel,
    progress: &dyn Progress,
    notes: &mut Vec<String>,
) -> Result<Found, Fault> {
    let mut expression = match &state.data {
        Some(name) => loading(name, state),
        None => return points(state, kernel),
    };
    let read = |expression: &str| {
        let mut session = Session::confined(house.files.clone());
        match session.value_of(expression, "data", progress) {
            Ok(Value::Data(data)) => Ok(Arc::unwrap_or_clone(data)),
            Ok(_) => Err(Fault::Data("these are no data".into())),
            Err(_) if progress.stop() => Err(Fault::Stopped),
            Err(told) => Err(Fault::Data(without_controls(&told.message).into_owned())),
        }
    };
    let mut data = read(&expression)?;
    let (whole, left_out) = data.dropna();
    let missing = left_out.len();
    if missing > 0 {
        notes.push(format!("rows with missing values are left out: {missing}"));
        expression.push_str(" |> dropna");
        data = whole;
    }
    if data.n() > MOST_ROWS {
        return Err(Fault::Data(too_many_rows(state.data.as_deref().unwrap_or_default(), data.n())));
    }
    let n = data.n();
    let removed: Vec<usize> = (0..n).filter(|i| state.removed.contains(i)).collect();
    if !removed.is_empty() {
        let others = removed.iter().map(|i| format!("i != {i}")).collect::<Vec<_>>().join(" and ");
        expression.push_str(&format!(" |> take([i for i in 0..{n} if {others}])"));
        let kept: Vec<usize> = (0..n).filter(|i| !removed.contains(i)).collect();
        data = data.take(&kept);
    }
    if !state.points.is_empty() {
        let data = with_points(&data, &state.points)?;
        let expression = data_expression(&data, MOST_WRITTEN).ok_or_else(|| {
            Fault::Data("points cannot be added to these data: a name of a column is not a plain word".into())
        })?;
        return Ok(Found { data: read(&expression)?, expression, missing });
    }
    Ok(Found { data, expression, missing })
}

/// The call that loads the chosen data.
fn loading(name: &str, state: &State) -> String {
    let mut arguments = quoted(name);
    if let Some(target) = &state.target {
        arguments.push_str(&format!(", target={}", quoted(target)));
    }
    if !state.inputs.is_empty() {
        let inputs: Vec<String> = state.inputs.iter().map(|input| quoted(input)).collect();
        arguments.push_str(&format!(", inputs=[{}]", inputs.join(", ")));
    }
    format!("load({arguments})")
}

/// The data with further points.
fn with_points(data: &Dataset, points: &[(f64, f64)]) -> Result<Dataset, Fault> {
    let (Some(target), [input]) = (data.target(), &data.inputs().collect::<Vec<_>>()[..]) else {
        return Err(Fault::Data("points can be added to data of one input: choose one".into()));
    };
    if input.is_categories() || target.is_categories() || input.time().is_some() || target.time().is_some() {
        return Err(Fault::Data("points can be added to data of numbers, not of dates or categories".into()));
    }
    let column = |column: &Column, further: fn(&(f64, f64)) -> f64| {
        let values = column.values().iter().copied().chain(points.iter().map(further)).collect();
        Column::numeric(column.name(), values).with_unit(column.unit().unwrap_or_default())
    };
    let columns = vec![column(input, |p| p.0), column(target, |p| p.1)];
    made(columns, target.name())
}

fn made(columns: Vec<Column>, target: &str) -> Result<Dataset, Fault> {
    Dataset::new(columns, Some(target), None).map_err(|error| Fault::Data(error.to_string()))
}

/// The points that were set by hand, in columns of the names that the kernel mentions. Without points there are the
/// columns only.
fn points(state: &State, kernel: &Kernel) -> Result<Found, Fault> {
    let names = input_names(kernel);
    let target = ["y", "f", "target_y"].into_iter().find(|name| !names.iter().any(|n| n == name)).unwrap_or("y");
    if names.len() > 1 && !state.points.is_empty() {
        return Err(Fault::Data(format!(
            "points have one input, and this kernel has {}: choose data, or remove the points",
            names.len()
        )));
    }
    let pairs = if state.points.is_empty() { &[(0.0, 0.0)][..] } else { &state.points[..] };
    let across = names.iter().map(|name| Column::numeric(name.as_str(), pairs.iter().map(|p| p.0).collect()));
    let up = Column::numeric(target, pairs.iter().map(|p| p.1).collect());
    let data = made(across.chain([up]).collect(), target)?;
    let expression = data_expression(&data, MOST_WRITTEN)
        .ok_or_else(|| Fault::Data(format!("an input is named by a plain word, found {}", names.join(", "))))?;
    match state.points.is_empty() {
        true => Ok(Found { data: data.head(0), expression: format!("{expression} |> head(0)"), missing: 0 }),
        false => Ok(Found { data, expression, missing: 0 }),
    }
}

/// The names of the inputs that a kernel mentions, at least one.
fn input_names(kernel: &Kernel) -> Vec<String> {
    let (mentioned, _) = kernel.mentioned();
    let named =
        mentioned.iter().filter_map(|input| if let InputRef::Name(name) = input { Some(&**name) } else { None });
    let mut names: Vec<String> = named.map(str::to_owned).collect();
    let places = mentioned.iter().map(|input| if let InputRef::Index(at) = input { at + 1 } else { 0 });
    let width = places.max().unwrap_or(0).max(1);
    let mut further = 0;
    while names.len() < width {
        let name = if width == 1 { "x".to_owned() } else { format!("x{further}") };
        further += 1;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
