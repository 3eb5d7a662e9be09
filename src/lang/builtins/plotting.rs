//! Figures of values, alone, over one another and side by side.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand_pcg::Pcg64;

use crate::describe::number_figures::Marked;
use crate::describe::part_figures::Scales;
use crate::describe::result_figures::BandOf;
use crate::figure::{self, Figure, Panel};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::eval::host::Item;
use crate::lang::payload::explanation::Subject;
use crate::lang::payload::plot::{Between, Drawable, PlotError, PlotOptions};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Kind, Value};

use super::files::{nouns, out_path};
use super::kernel_figures::{self, KernelPlot};
use super::models::lang_error;
use super::plot_axes::{self, AxesOptions, LOG, SIZE, TITLE, XLABEL, XLIM, YLABEL, YLIM};
use super::plot_options::{self, Several};

/// The arguments that say what is drawn of a value.
#[derive(Clone)]
struct Arguments {
    band: BandOf,
    show: Option<Arc<str>>,
    x: Option<Value>,
    at: Option<Vec<f64>>,
    view: Option<(f64, f64)>,
    draws: Option<usize>,
    scales: Option<Scales>,
    mark: Marked,
    names: Option<Vec<String>>,
    deciles: bool,
    between: Option<Between>,
    points: Option<usize>,
    /// The position in the circle of an animation, from 0 to 1.
    phase: f64,
    /// The range of kernels that share an axis.
    range: Option<(f64, f64)>,
    /// The random numbers of all kernels of a figure, so that they differ only by the kernel.
    random: Option<Pcg64>,
}

impl Arguments {
    fn none() -> Self {
        Self {
            band: BandOf::Y,
            show: None,
            x: None,
            at: None,
            view: None,
            draws: None,
            scales: None,
            mark: Marked::Line,
            names: None,
            deciles: false,
            between: None,
            points: None,
            phase: 0.0,
            range: None,
            random: None,
        }
    }

    /// The same for the figure of a value.
    fn options<'p>(
        self,
        seed: u64,
        x: Option<Vec<f64>>,
        draw: &'p mut dyn FnMut(Drawable<'_>) -> Res<Figure>,
    ) -> PlotOptions<'p> {
        PlotOptions {
            band: self.band,
            show: self.show,
            x,
            view: self.view,
            draws: self.draws,
            seed,
            scales: self.scales,
            mark: self.mark,
            names: self.names,
            deciles: self.deciles,
            between: self.between,
            at: self.at,
            points: self.points,
            phase: self.phase,
            draw,
        }
    }

    fn of(call: &mut Call<'_, '_>) -> Res<Self> {
        Ok(Self {
            band: match call.maybe::<Arc<str>>("band")?.as_deref() {
                Some("f") => BandOf::F,
                _ => BandOf::Y,
            },
            show: call.maybe("show")?,
            x: call.maybe("x")?,
            at: call.maybe("at")?,
            view: view(call)?,
            draws: draws(call)?,
            scales: plot_options::scales(call)?,
            mark: match call.maybe::<Arc<str>>("mark")?.as_deref() {
                Some("points") => Marked::Points,
                Some("bars") => Marked::Bars,
                Some("strip") => Marked::Strip,
                Some("histogram") => Marked::Histogram,
                Some("map") => Marked::Map,
                _ => Marked::Line,
            },
            names: names(call)?,
            deciles: call.or("deciles", false)?,
            between: plot_options::between(call)?,
            points: plot_options::points(call)?,
            ..Self::none()
        })
    }
}

fn plot(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("value")?;
    let path: Option<Arc<str>> = call.maybe("path")?;
    plot_options::refuse_unused(call, &value)?;
    let frames = frames(call, path.as_deref())?;
    let axes = plot_axes::given(call)?;
    let mut args = Arguments::of(call)?;
    if let Some(count) = frames {
        return animate(call, &value, &mut args, &axes, count, &path.unwrap_or_default());
    }
    let mut figure = picture(call, &value, &mut args)?;
    axes.apply(&mut figure)?;
    let Some(name) = path else {
        return Ok(Value::Figure(Arc::new(figure)));
    };
    let path = out_path(call, &name)?;
    save(call, figure, path)?;
    Ok(Value::Nothing)
}

/// Writes the frames of an animation.
fn animate(
    call: &mut Call<'_, '_>,
    value: &Value,
    args: &mut Arguments,
    axes: &AxesOptions,
    count: usize,
    path: &str,
) -> Res<Value> {
    let mut all = Vec::new();
    for i in 0..count {
        args.phase = i as f64 / count as f64;
        let mut frame = picture(call, value, args)?;
        axes.apply(&mut frame)?;
        // spaces have no axes to share
        if frame.panels.iter().all(Panel::is_space) {
            let path = out_path(call, &frame_name(path, i + 1, count))?;
            save(call, frame, path)?;
        } else {
            all.push(frame);
        }
    }
    figure::share_axes(&mut all);
    for (i, frame) in all.into_iter().enumerate() {
        let path = out_path(call, &frame_name(path, i + 1, count))?;
        save(call, frame, path)?;
    }
    Ok(Value::Nothing)
}

fn save(call: &mut Call<'_, '_>, figure: Figure, path: PathBuf) -> Res<()> {
    let to = path.clone();
    let saved = call.unless_stopped(move || figure::save(&figure, &to))?;
    saved.map_err(|error| LangError::new(error.to_string()).argument("path"))?;
    call.emit(Item::Wrote(path));
    Ok(())
}

/// The largest number of frames.
const MOST_FRAMES: usize = 1000;

/// The number of frames, if given, with a file for them.
fn frames(call: &mut Call<'_, '_>, path: Option<&str>) -> Res<Option<usize>> {
    let Some(count) = call.maybe::<usize>("frames")? else { return Ok(None) };
    if count > MOST_FRAMES {
        let text = format!("an animation has at most {MOST_FRAMES} frames, found {count}");
        return Err(LangError::new(text).argument("frames"));
    }
    let png = |path: &str| Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    match path {
        Some(path) if png(path) => Ok(Some(count)),
        Some(_) => Err(LangError::new("frames are written as .png files").argument("path")),
        None => Err(LangError::new("frames need a file name")
            .argument("frames")
            .help("`plot(value, \"wave.png\", frames=24)` writes wave_01.png to wave_24.png, one for each frame")),
    }
}

/// `wave.png` with the number of a frame: `wave_01.png`.
fn frame_name(path: &str, i: usize, count: usize) -> String {
    let digits = count.to_string().len().max(2);
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, "png"));
    format!("{stem}_{i:0digits$}.{ending}")
}

/// The figure of a value, or of several values over one another.
fn picture(call: &mut Call<'_, '_>, value: &Value, args: &mut Arguments) -> Res<Figure> {
    if call.eval.progress.stop() {
        return Err(LangError::stopped());
    }
    let Some(several) = plot_options::several(value)? else { return one(call, value, args) };
    let kernels = several.values.iter().filter_map(|value| if let Value::Kernel(k) = value { Some(k) } else { None });
    let ranges = kernels.map(kernel_figures::default_range);
    if let Some(range) = ranges.reduce(|(lo, hi), (a, b)| (f64::min(lo, a), f64::max(hi, b))) {
        args.range = Some(range);
    }
    let names = args.names.take().or(several.names);
    let mut figures = Vec::with_capacity(several.values.len());
    for value in &several.values {
        figures.push(one(call, value, args)?);
    }
    let names = match names {
        Some(names) if names.len() == figures.len() => names,
        Some(names) => {
            let text = format!("{} names do not match {} values", names.len(), figures.len());
            return Err(LangError::new(text).argument("names"));
        }
        None => default_names(&several.values, &figures),
    };
    args.names = Some(names.clone());
    // the title of a kernel is its name, which the legend gives
    let kernel = |value: &Value| matches!(value, Value::Kernel(_));
    if several.values.iter().any(kernel) {
        figures.iter_mut().for_each(|figure| figure.title.clear());
    }
    figure::overlay(names.into_iter().zip(figures).collect()).map_err(|error| {
        let help = "`panels([…])` draws them side by side, and `plot(value, show=…)` may choose one of the panels";
        LangError::new(error.to_string()).argument("value").help(help)
    })
}

/// Kernels are named by themselves, other values by the titles of their figures if these differ.
fn default_names(values: &[Value], figures: &[Figure]) -> Vec<String> {
    let name = |(value, figure): (&Value, &Figure)| match value {
        Value::Kernel(kernel) => kernel.label().map_or_else(|| kernel.to_string(), ToString::to_string),
        _ => figure.title.clone(),
    };
    let names: Vec<String> = values.iter().zip(figures).map(name).collect();
    let distinct = names.iter().enumerate().all(|(i, name)| !name.is_empty() && !names[..i].contains(name));
    if distinct { names } else { (1..=values.len()).map(|i| i.to_string()).collect() }
}

/// Whether the figure of a value asks the evaluator for its draws.
fn needs_evaluator(value: &Value) -> bool {
    match value {
        Value::Kernel(_) | Value::DeepModel(_) => true,
        Value::Explanation(explanation) => matches!(explanation.of, Subject::Kernel(_)),
        _ => false,
    }
}

/// The figure of one value.
fn one(call: &mut Call<'_, '_>, value: &Value, args: &mut Arguments) -> Res<Figure> {
    // for a kernel it is a range
    let listed = matches!(value, Value::List(_) | Value::Range(_) | Value::Record(_));
    let x = match &args.x {
        Some(x) if listed => Some(numbers(x)?),
        _ => None,
    };
    let range = args.range;
    let given = args.x.clone();
    let ranged = move || match &given {
        Some(x) => plot_options::ends(x, "for a kernel or a deep GP, `x`", "x").map(Some),
        None => Ok(range),
    };
    let (seed, own) = (call.eval.host.seed, args.clone());
    let figure = if needs_evaluator(value) {
        let mut draw = |from: Drawable<'_>| match from {
            Drawable::Kernel(kernel) => {
                let range = ranged()?;
                let random = match &args.random {
                    Some(random) => random.clone(),
                    None => args.random.insert(super::random_numbers::random(call)?).clone(),
                };
                let (at, show, stop) = (own.at.clone(), own.show.clone(), call.eval.progress.stop_handle());
                let (draws, phase, view) = (own.draws, own.phase, own.view);
                let plot = KernelPlot { range, at, show, draws, phase, view, random, stop };
                kernel_figures::picture(kernel, plot, &call.eval.host.origins)
            }
            Drawable::Deep(model) => super::deep_priors::picture(call, model, ranged()?),
        };
        value.figure(&mut own.clone().options(seed, x, &mut draw))
    } else {
        let value = value.clone();
        // predictions at many rows, and draws of them
        call.unless_stopped(move || {
            let mut draw = |_: Drawable<'_>| Err(LangError::new("this value is drawn by the evaluator"));
            value.figure(&mut own.options(seed, x, &mut draw))
        })?
    };
    figure.map_err(|error| match error {
        PlotError::NoFigure => expected(&nouns(|kind| kind.plot.is_some()), value).argument("value"),
        PlotError::Model(error) => lang_error(call.eval, error),
        PlotError::Other(error) => error.argument("value"),
    })
}

fn numbers(value: &Value) -> Res<Vec<f64>> {
    Vec::<f64>::from_value(value.clone()).map_err(|error| error.argument("x"))
}

/// Several figures side by side.
fn panels(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("values")?;
    let columns: Option<usize> = call.maybe("columns")?;
    let axes = plot_axes::given(call)?;
    let Several { values, names } = plot_options::parts(&value).map_err(|error| error.argument("values"))?;
    let mut figures = Vec::with_capacity(values.len());
    for (i, value) in values.iter().enumerate() {
        let mut figure = picture(call, value, &mut Arguments::none()).map_err(|error| error.argument("values"))?;
        if let Some(name) = names.as_ref().and_then(|names| names.get(i)) {
            figure.title.clone_from(name);
        }
        figures.push(figure);
    }
    if figures.is_empty() {
        return Err(LangError::new("there is nothing to draw: the list is empty").argument("values"));
    }
    let mut figure = figure::panels(figures, columns);
    axes.apply(&mut figure)?;
    Ok(Value::Figure(Arc::new(figure)))
}

/// The names of several values, if given.
fn names(call: &mut Call<'_, '_>) -> Res<Option<Vec<String>>> {
    let Some(value) = call.maybe::<Value>("names")? else { return Ok(None) };
    let names = plot_options::parts(&value)?.values.into_iter();
    names.map(|name| Arc::<str>::from_value(name).map(|name| name.to_string())).collect::<Res<_>>().map(Some)
}

/// The largest number of draws in a figure; more cannot be distinguished.
const MOST_DRAWS: usize = 10_000;

/// The number of draws, if given.
fn draws(call: &mut Call<'_, '_>) -> Res<Option<usize>> {
    match call.maybe::<usize>("draws")? {
        Some(count) if count > MOST_DRAWS => {
            Err(LangError::new(format!("a figure shows at most 10,000 draws, found {count}")).argument("draws"))
        }
        count => Ok(count),
    }
}

/// The direction from which a surface is viewed.
fn view(call: &mut Call<'_, '_>) -> Res<Option<(f64, f64)>> {
    match call.maybe::<Vec<f64>>("view")?.as_deref() {
        None => Ok(None),
        Some([azimuth, elevation]) if azimuth.is_finite() && elevation.is_finite() => Ok(Some((*azimuth, *elevation))),
        Some(_) => Err(LangError::new("a view is two angles in degrees, as in `view=[30, 20]`").argument("view")),
    }
}

pub static PLOTTING: &[Builtin] = &[
    Builtin {
        name: "plot",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::required(
                "value",
                Want::Any,
                "data, a fit, a search, a prediction, a decomposition, residuals, a kernel, a deep GP, a Jacobian, a map of the plane, an explanation, features, a surface, numbers, another figure; or a list or a record of several, which share axes",
            ),
            Place::optional("path", Want::Path, "on the screen", "a file name that ends in .svg or .png"),
            Place::keyword(
                "band",
                Want::Choice(&["y", "f"]),
                "\"y\"",
                "the variable of the band: `y` for new observations, `f` for the function",
            ),
            TITLE,
            Place::keyword(
                "x",
                Want::Numbers,
                "indices of the list; for a kernel -5 to 5; for a deep GP -4 to 4",
                "for a list of numbers, the x coordinate of each; for a kernel or a deep GP, the range of its input",
            ),
            Place::keyword(
                "show",
                Want::Choice(&[
                    "parts",
                    "correlation",
                    "depths",
                    "scores",
                    "covariance",
                    "variance",
                    "draws",
                    "slice",
                    "terms",
                    "posterior",
                    "mean",
                    "sd",
                    "observed",
                ]),
                "\"parts\" or \"depths\"",
                "for a decomposition, the parts, or the correlations of their posteriors; for a search, the best fit of \
                 each depth, or its score; for a kernel, k(·, x₀), k(x, x) or draws alone, covariance and draws \
                 along the first input only, or the products of inputs that it adds up; for a fit, the posterior, \
                 predicted against observed values, or the posterior along each of several inputs; for maps of a fit \
                 or of a prediction, the mean or the standard deviation alone",
            ),
            Place::keyword(
                "draws",
                Want::Count,
                "0; for a kernel 3; for a fit of a deep GP 5",
                "for a kernel, the number of functions drawn from it; for a prediction or a fit of a deep GP, from the posterior, the first five in colour",
            ),
            Place::keyword(
                "at",
                Want::Numbers,
                "the origin; for a fit the medians",
                "for a kernel, the point x₀ of k(·, x₀), one number for each input; for a fit with `show=\"slice\"`, the \
                 values of the inputs that a panel does not vary",
            ),
            Place::keyword(
                "between",
                Want::Either(&[Want::Choice(&["all"]), Want::Each(&Want::STRING)]),
                "the strongest pairs",
                "for `show=\"correlation\"`, the labels of two parts, which may be the same, or \"all\" for every pair and \
                 each part with itself",
            ),
            Place::keyword(
                "n",
                Want::Positive,
                "60; for correlations 40",
                "for the maps of a fit of two inputs and of correlations, the number of points along each side",
            ),
            Place::keyword(
                "deciles",
                Want::BOOL,
                "false",
                "for a prediction with one input, the bands between its 10 % and 90 %, 20 % and 80 % quantiles and so on",
            ),
            Place::keyword(
                "mark",
                Want::Choice(&["line", "points", "bars", "strip", "histogram", "map"]),
                "\"line\"",
                "how numbers are drawn; a map is of the rows of a matrix",
            ),
            Place::keyword(
                "names",
                Want::Each(&Want::STRING),
                "1, 2 and so on, or the kernels",
                "the names of several values in the legend; the fields of a record have names",
            ),
            Place::keyword(
                "frames",
                Want::Positive,
                "one figure",
                "for a kernel or a prediction, the number of numbered .png files in which its draws move and return; for a surface, also of a kernel of three inputs, in which it turns",
            ),
            XLABEL,
            YLABEL,
            XLIM,
            YLIM,
            LOG,
            SIZE,
            Place::keyword(
                "scales",
                Want::Choice(&["free", "shared"]),
                "\"shared\" if there are several inputs",
                "for a decomposition, whether all parts share one vertical scale",
            ),
            Place::keyword(
                "view",
                Want::Numbers,
                "the view that shows the most",
                "for a surface, also of a kernel of three inputs, the azimuth and elevation of the view, in degrees",
            ),
        ],
        result: None,
        summary: "a figure of a value, on the screen or in a file",
        help: "The figure of a kernel of one input shows k(·, 0) and functions drawn from it, over the range `x`; of two \
               inputs, maps of these; of three, surfaces on which k(·, 0) has one value. A prediction with several \
               inputs is drawn along the input that is a time, or the only one that varies. Several values share axes: \
               each has a colour, and its name is in the legend. Bands are the mean plus and minus two standard \
               deviations. An argument that does not apply to the value is an error.",
        examples: &[
            "plot(SE(0))",
            "plot(SE(0, l=0.3), x=-3..=3)",
            "plot(SE(0) * Per(1), show=\"covariance\")",
            "plot(record(short=SE(0, l=0.5), long=SE(0, l=2)), draws=1)",
            "plot([x^2 for x in 0..=3], x=[10, 20, 30, 40])",
            "plot(record(linear=[1, 2, 3], square=[1, 4, 9]), mark=\"points\", log=\"y\")",
        ],
        touches: Touches::Files,
        run: plot,
    },
    Builtin {
        name: "panels",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::required(
                "values",
                Want::Any,
                "a list of values that `plot` draws, or a record, whose names are the titles",
            ),
            Place::keyword("columns", Want::Positive, "from the number of panels", "the number of panels in a row"),
            TITLE,
            XLABEL,
            YLABEL,
            XLIM,
            YLIM,
            LOG,
            SIZE,
        ],
        result: Some(Kind::Figure),
        summary: "figures side by side",
        help: "An item may be a figure that `plot` made with arguments of its own, and an item that is a list has its \
               values over one another. `plot(panels([…]), \"file.svg\")` writes the figure.",
        examples: &["panels([SE(0), Per(0)])", "panels(record(smooth=SE(0), rough=Matern12(0)), columns=2)"],
        touches: Touches::Nothing,
        run: panels,
    },
];
