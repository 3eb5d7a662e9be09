//! Figures of values, alone, over one another and side by side.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::figure::{self, Figure, Panel};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::eval::host::Item;
use crate::lang::numerals::number;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, Value};

use super::files::out_path;
use super::pictures::{Arguments, picture};
use super::plot_axes::{self, AxesOptions, LOG, SIZE, TITLE, XLABEL, XLIM, YLABEL, YLIM};
use super::plot_options::{self, Several};

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
    refuse_empty(&figure, "value")?;
    axes.apply(&mut figure)?;
    refuse_hidden(&figure)?;
    let Some(name) = path else {
        return Ok(Value::Figure(Arc::new(figure)));
    };
    let path = out_path(call, &name)?;
    save(call, figure, path)?;
    Ok(Value::Nothing)
}

/// Rejects a figure without values.
fn refuse_empty(figure: &Figure, argument: &'static str) -> Res<()> {
    if figure.panels.is_empty() || figure.panels.iter().any(Panel::has_values) {
        return Ok(());
    }
    let text = "there is nothing to draw: no value is a finite number";
    Err(LangError::new(text).argument(argument).help("give values of which at least one is finite"))
}

/// Rejects limits outside of which all values are.
fn refuse_hidden(figure: &Figure) -> Res<()> {
    let ranged = |panel: &Panel| panel.x.range.is_some() || panel.y.range.is_some();
    if !figure.panels.iter().any(ranged) || figure.panels.iter().any(Panel::shows_something) {
        return Ok(());
    }
    let whole = |panel: &Panel| Panel { x: panel.x.without_range(), y: panel.y.without_range(), ..panel.clone() };
    let all: Vec<Panel> = figure.panels.iter().map(whole).collect();
    let outside = |(panel, whole): (&Panel, &Panel)| {
        panel.x.range.zip(whole.x_ends()).is_some_and(|((a, b), (lo, hi))| b < lo || hi < a)
    };
    let across = figure.panels.iter().zip(&all).all(outside);
    let (argument, of): (_, fn(&Panel) -> _) = if across { ("xlim", Panel::x_ends) } else { ("ylim", Panel::y_ends) };
    let ends = all.iter().filter_map(of).reduce(|(a, b), (c, d)| (f64::min(a, c), f64::max(b, d)));
    let text = format!("there is nothing to draw within `{argument}`");
    let error = LangError::new(text).argument(argument);
    Err(match ends {
        Some((lo, hi)) => error.help(format!("the values are from {} to {}", number(lo), number(hi))),
        None => error,
    })
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
        refuse_empty(&frame, "value")?;
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
    refuse_empty(&figure, "values")?;
    axes.apply(&mut figure)?;
    refuse_hidden(&figure)?;
    Ok(Value::Figure(Arc::new(figure)))
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
                "for a list of numbers, the x coordinate of each, and for a map of its columns; for a kernel or a deep GP, the range of its input; numbers, or dates for an axis of dates",
            ),
            Place::keyword(
                "y",
                Want::Numbers,
                "indices of the rows; for a symmetric matrix `x`",
                "for a map, the position of each row of the matrix, the first at the bottom",
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
                "for a kernel, the point x₀ of k(·, x₀), one number for each input, or a date; for a fit with \
                 `show=\"slice\"`, the values of the inputs that a panel does not vary",
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
               each has a colour, and its name is in the legend; a kernel beside fits, predictions or \
               numbers is a prior over their inputs, and points and lines lie over one map. Bands are the mean plus and \
               minus two standard deviations. A note counts values that are not finite, and those that a logarithmic \
               axis leaves out. An argument that does not apply to the value is an error.",
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
