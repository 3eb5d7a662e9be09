//! The answer to a state: its figures, the evidence, the parameters, the kernel in algebra and in English, and the
//! script.

use std::sync::Arc;
use std::time::Instant;

use mercer::calendar::TimeUnit;
use mercer::data::Column;
use mercer::describe::{english, kernel_points};
use mercer::figure::{Figure, Size, distinct, plot_boxes, to_svg};
use mercer::fit::Fit;
use mercer::kernel::{Kernel, quoted};
use mercer::lang::values::value::Value;
use mercer::progress::Progress;
use mercer::render::without_controls;
use mercer::report::kernel_formula;
use mercer::results::Prediction;
use mercer::session::Session;
use serde_json::{Value as Json, json};

use super::fault::Fault;
use super::house::House;
use super::scene::Scene;
use super::script::{Drawing, labelled, script};
use super::slider::sliders;
use super::state::State;
use super::view::{View, rounded, written};

/// The number of points of curves, and of those whose kernel has details that these would miss.
const POINTS: usize = 201;
const MANY_POINTS: usize = 401;
/// The number of points along a side of the Gram matrix.
const SIDE: usize = 48;
/// The largest number of rows of data of several inputs in the Gram matrix.
const MOST_SIDE: usize = 64;
/// The range without data.
const RANGE: (f64, f64) = (-5.0, 5.0);
/// How far figures reach beyond the data, as a share of their range.
const BEYOND: f64 = 0.15;
/// The height of figures relative to their width, and its limits in pixels.
const SHAPE: f64 = 0.72;
const HEIGHTS: (f64, f64) = (280.0, 430.0);
/// The height of each panel of the parts.
const PART: u32 = 190;
/// The longest expanded kernel that is shown, in bytes.
const LONGEST: usize = 20_000;

/// Computes the answer to a state.
///
/// # Errors
/// As [`Scene::new`]; [`Fault::Stopped`].
pub fn frame(house: &House, state: &State, progress: &dyn Progress) -> Result<Json, Fault> {
    let began = Instant::now();
    let mut scene = Scene::new(house, state, progress)?;
    let has_rows = scene.data.n() > 0;
    let (mut session, mut statements, fit) = conditioned(house, state, &scene, progress)?;
    let several = scene.single_input().is_none();
    // steps that learn from rows have no prior without them
    let prior = "let prior = d |> head(0) |> condition(m.model)".to_owned();
    let has_prior = has_rows && !several && run(&mut session, std::slice::from_ref(&prior), progress).is_ok();
    if has_prior {
        statements.push(prior);
    }
    let predictions: &[Predicted] = match (has_rows, has_prior) {
        (false, _) => &[("before", "m", "prior")],
        (true, false) => &[("after", "m", "posterior")],
        (true, true) => &[("before", "prior", "prior"), ("after", "m", "posterior")],
    };
    let drawings = match scene.single_input() {
        Some(input) => along_one(state, &scene, input, predictions, &mut session, &mut statements, progress)?,
        None => over_several(state, scene.data.n())?,
    };
    let parts = fit.model.kernel.expand().map_or(1, |kernel| kernel.summands().len());
    let parts = (has_rows && parts > 1).then(|| Drawing::new("parts", "m |> decompose", ""));
    let drawings: Vec<Drawing> = drawings.into_iter().chain(parts).collect();
    let mut figures = serde_json::Map::new();
    for drawing in &drawings {
        if progress.stop() {
            return Err(Fault::Stopped);
        }
        let drawn = match session.value_of(&drawing.call(), drawing.name, progress) {
            Ok(Value::Figure(figure)) => {
                let width = if several || drawing.name == "parts" { state.wide } else { state.width };
                image(Arc::unwrap_or_clone(figure), drawing.name, width)
            }
            Ok(_) => json!({ "reason": "there is no figure of this" }),
            Err(told) => json!({ "reason": without_controls(&told.message) }),
        };
        figures.insert(drawing.name.into(), drawn);
    }
    if progress.stop() {
        return Err(Fault::Stopped);
    }
    if has_rows && !several && !has_prior {
        let reason = "steps before the model learn from rows, so there is no prior without them";
        figures.insert("prior".into(), json!({ "reason": reason }));
    }
    if has_rows {
        scene.notes.extend(fit.hints.iter().cloned());
    }
    Ok(json!({
        "figures": figures,
        "evidence": if has_rows { evidence(&fit) } else { Json::Null },
        "parameters": sliders(&scene),
        "kernel": words(&scene, &fit),
        "data": about(&scene),
        "script": script(&statements, &drawings),
        "notes": scene.notes,
        "milliseconds": began.elapsed().as_secs_f64() * 1000.0,
    }))
}

/// A prediction: its name in the script, the fit that it is of, and the name of its figure.
type Predicted = (&'static str, &'static str, &'static str);

/// The fit of a state with the statements that give it, in a session of their own. Parts keep the names that the text
/// gives them, unless a parameter ties two of them, because a tie is made within one statement.
fn conditioned(
    house: &House,
    state: &State,
    scene: &Scene,
    progress: &dyn Progress,
) -> Result<(Session, Vec<String>, Arc<Fit>), Fault> {
    let model = scene.model();
    let one = |lets: Vec<String>, written: &str| {
        let mut statements = vec![format!("seed({})", state.seed), format!("let d = {}", scene.expression)];
        statements.extend(lets);
        statements.push(format!("let m = d |> condition({written})"));
        let mut session = Session::confined(house.files.clone());
        run(&mut session, &statements, progress)?;
        match session.get("m") {
            Some(Value::Fit(fit)) => {
                let fit = fit.clone();
                Ok((session, statements, fit))
            }
            _ => Err(Fault::Data("the target is not a number: choose another one".into())),
        }
    };
    let (lets, written) = labelled(&model);
    match one(lets, &written) {
        Ok(found) if found.2.model == model => Ok(found),
        _ => one(Vec::new(), &model.to_string()),
    }
}

/// Runs statements of the script.
fn run(session: &mut Session, statements: &[String], progress: &dyn Progress) -> Result<(), Fault> {
    let output = session.run(&statements.join("\n"), "script", progress);
    match output.diagnostics().find(|told| told.is_error()) {
        Some(_) if progress.stop() => Err(Fault::Stopped),
        Some(told) => Err(Fault::of(told, session.sources())),
        None => Ok(()),
    }
}

/// The figures along a single input: k(·, x₀), the Gram matrix, prior and posterior.
fn along_one(
    state: &State,
    scene: &Scene,
    input: &Column,
    predictions: &[Predicted],
    session: &mut Session,
    statements: &mut Vec<String>,
    progress: &dyn Progress,
) -> Result<Vec<Drawing>, Fault> {
    let View { lo, hi, at } = View::new(state, input, range(scene, input))?;
    let dates = written(input, lo).zip(written(input, hi));
    let along = match &dates {
        Some((lo, hi)) => format!("{}..={}", quoted(lo), quoted(hi)),
        None => format!("{lo}..={hi}"),
    };
    let kernel = &scene.model().kernel;
    let detailed = kernel_points(kernel, hi - lo, MANY_POINTS + 1) > MANY_POINTS;
    let points = if detailed { MANY_POINTS } else { POINTS };
    let further: Vec<String> =
        predictions.iter().map(|(name, of, _)| format!("let {name} = {of} |> predict({along}, n={points})")).collect();
    run(session, &further, progress)?;
    statements.extend(further);
    let found = |name: &str| match session.get(name) {
        Some(Value::Prediction(prediction)) => Some(prediction.clone()),
        _ => None,
    };
    let of = predictions.iter().filter_map(|(name, ..)| found(name));
    let heights = heights(&of.collect::<Vec<_>>(), scene.data.y().unwrap_or_default());
    let limits = heights.map_or_else(String::new, |(lo, hi)| format!(", ylim=[{lo}, {hi}]"));
    // a kernel that is written with times takes numbers of days
    let days = |value: f64| input.time().map_or(value, |scale| scale.unit.convert(value, TimeUnit::Day));
    let (first, last) = (rounded(days(lo), days(hi) - days(lo)), rounded(days(hi), days(hi) - days(lo)));
    // which figures show as dates
    let across = if dates.is_some() { along.clone() } else { format!("{first}..={last}") };
    let at = match written(input, at).filter(|_| dates.is_some()) {
        Some(date) => quoted(&date),
        None => days(at).to_string(),
    };
    let name = if input.time().is_some() && dates.is_none() {
        format!("{} (days)", input.name())
    } else {
        input.name().to_owned()
    };
    let name = quoted(&name);
    let (grid, places) = (format!("grid({first}..={last}, {SIDE})"), format!("grid({across}, {SIDE})"));
    let drawn = predictions
        .iter()
        .map(|(value, _, name)| Drawing::new(name, *value, format!("draws={}, title=\"\"{limits}", state.draws)));
    let drawn: Vec<Drawing> = drawn.collect();
    let kernel = [
        Drawing::new(
            "covariance",
            "m.kernel",
            format!("x={across}, at=[{at}], show=\"covariance\", title=\"\", xlabel={name}"),
        ),
        Drawing::new(
            "gram",
            format!("gram(m.kernel, {grid})"),
            format!("x={places}, mark=\"map\", title=\"\", xlabel={name}, ylabel={name}"),
        ),
    ];
    Ok(drawn.into_iter().chain(kernel).collect())
}

/// The distance of the rows whose Gram matrix is drawn for data of several inputs.
fn stride(n: usize) -> usize {
    n.div_ceil(MOST_SIDE).max(1)
}

/// The figures of a kernel of several inputs, with a number of rows of data. Such rows have no order but that of the data,
/// so that is the order in the Gram matrix.
///
/// # Errors
/// [`Fault::View`].
fn over_several(state: &State, n: usize) -> Result<Vec<Drawing>, Fault> {
    // titles would be the kernel with all digits, which stands below in algebra
    const UNTITLED: &str = "title=\"\"";
    let posterior = (n > 0).then(|| Drawing::new("posterior", "m", UNTITLED));
    let gram = (n > 0).then(|| {
        let (rows, name) = match stride(n) {
            1 => ("d".to_owned(), "row".to_owned()),
            stride => (format!("take(d, [i for i in 0..{n} if i % {stride} == 0])"), format!("one row of {stride}")),
        };
        let options = format!("mark=\"map\", {UNTITLED}, xlabel=\"{name}\", ylabel=\"{name}\"");
        Drawing::new("gram", format!("gram(m.kernel, {rows})"), options)
    });
    let range = View::over_several(state)?;
    let range = range.map_or_else(String::new, |(lo, hi)| format!("x={lo}..={hi}, "));
    let covariance = Drawing::new("covariance", "m.kernel", format!("{range}{UNTITLED}"));
    Ok(posterior.into_iter().chain([covariance]).chain(gram).collect())
}

/// The range of figures: that of the data and somewhat more.
fn range(scene: &Scene, input: &Column) -> (f64, f64) {
    let values = input.values().iter().copied().filter(|v| v.is_finite());
    let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
    let (lo, hi) = match scene.chosen && lo < hi {
        true => (lo - BEYOND * (hi - lo), hi + BEYOND * (hi - lo)),
        false => (lo.min(RANGE.0), hi.max(RANGE.1)),
    };
    (rounded(lo, hi - lo), rounded(hi, hi - lo))
}

/// The range of the vertical axes of prior and posterior, which are the same so that they can be compared.
fn heights(predictions: &[Arc<Prediction>], y: &[f64]) -> Option<(f64, f64)> {
    const SDS: f64 = 2.3;
    let ends = predictions.iter().flat_map(|prediction| {
        prediction.mean.iter().zip(&prediction.sd).flat_map(|(mean, sd)| [mean - SDS * sd, mean + SDS * sd])
    });
    let values = ends.chain(y.iter().copied()).filter(|v| v.is_finite());
    let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
    (lo < hi).then(|| (rounded(lo, hi - lo), rounded(hi, hi - lo)))
}

/// A figure as SVG at a width, with the axes of its panels.
fn image(mut figure: Figure, name: &str, width: Option<u32>) -> Json {
    let size = match width {
        None => Size::of(&figure),
        Some(width) => {
            let rows = figure.panels.len().div_ceil(figure.columns.max(1));
            let narrow = width < 600 && figure.columns > 1;
            if narrow {
                figure.columns = 1;
            }
            let rows = if narrow { figure.panels.len() } else { rows };
            let rows = u32::try_from(rows.max(1)).unwrap_or(1);
            let columns = f64::from(u32::try_from(figure.columns.max(1)).unwrap_or(1));
            let one = (f64::from(width) / columns * SHAPE).clamp(HEIGHTS.0, HEIGHTS.1) as u32;
            let height = if name == "parts" { PART * rows + 70 } else { one * rows };
            Size { width, height: height.min(Size::LARGEST) }
        }
    };
    match to_svg(&figure, size) {
        Ok(svg) => json!({
            "svg": distinct(&svg, name),
            "boxes": plot_boxes(&figure, size),
            "width": size.width,
            "height": size.height,
        }),
        Err(error) => json!({ "reason": error.to_string() }),
    }
}

/// The log marginal likelihood and its terms, where the model has them.
fn evidence(fit: &Fit) -> Json {
    let lml = fit.lml();
    let terms = fit.evidence_terms();
    let rest = terms.map(|(fit, complexity)| lml - fit - complexity);
    json!({
        "lml": lml,
        "bound": fit.bound().is_some(),
        "fit": terms.map(|terms| terms.0),
        "complexity": terms.map(|terms| terms.1),
        "constant": rest,
    })
}

/// The kernel in algebra and in English.
fn words(scene: &Scene, fit: &Fit) -> Json {
    let written = &scene.problem.model().kernel;
    let expanded = written.expand().ok().filter(|expanded| expanded.to_string().len() <= LONGEST);
    let english = match fit.problem().n() {
        0 => english::describe_kernel(&fit.model.kernel),
        _ => english::describe_fit(fit),
    };
    let algebra = |kernel: &Kernel| json!({ "text": kernel.to_string(), "latex": kernel.latex(), "formula": kernel_formula(kernel) });
    json!({
        "written": algebra(written),
        "expanded": expanded.as_ref().filter(|expanded| *expanded != written).map(algebra),
        "values": fit.model.to_string(),
        "english": english.text(),
    })
}

/// The data: columns, and the rows in the order of the picture if there is one input.
fn about(scene: &Scene) -> Json {
    let data = &scene.data;
    let inputs = data.input_names();
    let columns = data.columns().iter().map(|column| {
        json!({ "name": column.name(), "number": !column.is_categories(), "input": inputs.contains(&column.name()) })
    });
    let rows = scene.single_input().zip(data.y()).map(|(x, y)| x.values().iter().zip(y).collect::<Vec<_>>());
    json!({
        "time": data.inputs().chain(data.target()).any(|column| column.time().is_some()),
        "dates": scene.single_input().is_some_and(|column| column.time().is_some()),
        "n": data.n(),
        "missing": scene.missing,
        "target": data.target().map(Column::name),
        "columns": columns.collect::<Vec<_>>(),
        "rows": rows,
        "stride": stride(data.n()),
    })
}
