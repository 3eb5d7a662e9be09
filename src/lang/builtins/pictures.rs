//! The figure of a value, or of several values over one another, with the arguments of `plot`.

use std::sync::Arc;

use rand_pcg::Pcg64;

use crate::calendar::TimeUnit;
use crate::describe::number_figures::Marked;
use crate::describe::part_figures::Scales;
use crate::describe::result_figures::BandOf;
use crate::figure::{self, Figure, Panel};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::payload::explanation::Subject;
use crate::lang::payload::plot::{Between, Drawable, PlotError, PlotOptions};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::Value;

use super::files::nouns;
use super::kernel_figures::{self, KernelPlot};
use super::models::lang_error;
use super::plot_options;

/// The arguments that say what is drawn of a value.
#[derive(Clone)]
pub struct Arguments {
    band: BandOf,
    show: Option<Arc<str>>,
    x: Option<Value>,
    y: Option<Vec<f64>>,
    at: Option<Vec<f64>>,
    /// `at` as it is written, which may be dates.
    dated: Option<Value>,
    view: Option<(f64, f64)>,
    draws: Option<usize>,
    scales: Option<Scales>,
    mark: Marked,
    names: Option<Vec<String>>,
    deciles: bool,
    between: Option<Between>,
    points: Option<usize>,
    /// The position in the circle of an animation, from 0 to 1.
    pub phase: f64,
    /// The range of kernels that share an axis.
    range: Option<(f64, f64)>,
    /// Whether a kernel is the prior beside other values.
    prior: bool,
    /// The random numbers of all kernels of a figure, so that they differ only by the kernel.
    random: Option<Pcg64>,
}

impl Arguments {
    pub fn none() -> Self {
        Self {
            band: BandOf::Y,
            show: None,
            x: None,
            y: None,
            at: None,
            dated: None,
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
            prior: false,
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
            y: self.y,
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

    pub fn of(call: &mut Call<'_, '_>) -> Res<Self> {
        let dated = call.value("at").cloned();
        Ok(Self {
            band: match call.maybe::<Arc<str>>("band")?.as_deref() {
                Some("f") => BandOf::F,
                _ => BandOf::Y,
            },
            show: call.maybe("show")?,
            x: call.maybe("x")?,
            y: call.maybe("y")?,
            at: plot_options::point(call)?,
            dated,
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

/// The figure of a value, or of several values over one another.
pub fn picture(call: &mut Call<'_, '_>, value: &Value, args: &mut Arguments) -> Res<Figure> {
    if call.eval.progress.stop() {
        return Err(LangError::stopped());
    }
    let Some(several) = plot_options::several(value)? else { return one(call, value, args) };
    let given = args.names.is_some() || several.names.is_some();
    let names = args.names.take().or(several.names);
    let figures = match several.values.iter().all(|value| matches!(value, Value::Kernel(_))) {
        true => kernels(call, &several.values, args)?,
        false => with_priors(call, &several.values, args)?,
    };
    let names = match names {
        Some(names) if names.len() == figures.len() => names,
        Some(names) => {
            let text = format!("{} names do not match {} values", names.len(), figures.len());
            return Err(LangError::new(text).argument("names"));
        }
        None => default_names(&several.values, &figures),
    };
    args.names = given.then(|| names.clone());
    figure::overlay(names.into_iter().zip(figures).collect(), given).map_err(|error| {
        let help = "`panels([…])` draws them side by side, and `plot(value, show=…)` may choose one of the panels";
        LangError::new(error.to_string()).argument("value").help(help)
    })
}

/// The figures of kernels over one range; their titles are their names, which the legend gives.
fn kernels(call: &mut Call<'_, '_>, values: &[Value], args: &mut Arguments) -> Res<Vec<Figure>> {
    let kernels = values.iter().filter_map(|value| if let Value::Kernel(k) = value { Some(k) } else { None });
    let ranges = kernels.map(kernel_figures::default_range);
    if let Some(range) = ranges.reduce(|(lo, hi), (a, b)| (f64::min(lo, a), f64::max(hi, b))) {
        args.range = Some(range);
    }
    let figures = values.iter().map(|value| one(call, value, args));
    let mut figures: Vec<Figure> = figures.collect::<Res<_>>()?;
    if figures.len() > 1 {
        figures.iter_mut().for_each(|figure| figure.title.clear());
    }
    Ok(figures)
}

/// The figures of values of which some may be kernels: these are priors, drawn over the range of the others.
fn with_priors(call: &mut Call<'_, '_>, values: &[Value], args: &mut Arguments) -> Res<Vec<Figure>> {
    let is_kernel = |value: &Value| matches!(value, Value::Kernel(_));
    let mut figures: Vec<Option<Figure>> = Vec::with_capacity(values.len());
    for value in values {
        figures.push(if is_kernel(value) { None } else { Some(one(call, value, args)?) });
    }
    // neither maps nor predicted against observed values have the input of a kernel alone on their axis
    let along_input = |figure: &Figure| match &figure.panels[..] {
        [only] if !only.is_space() && !only.square => Some(only.clone()),
        _ => None,
    };
    let known: Vec<Panel> = figures.iter().flatten().filter_map(along_input).collect();
    let ends = known.iter().filter_map(|panel| panel.x_ends()).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)));
    let time = known.first().and_then(|panel| panel.x.time);
    let title = figures.iter().flatten().next().map_or_else(String::new, |figure| figure.title.clone());
    let alone = args.show.is_none() && args.at.is_none();
    let mut prior = Arguments { prior: alone && ends.is_some(), ..args.clone() };
    if let (Some((lo, hi)), true) = (ends, prior.prior) {
        // kernels of dates have days
        let days = |v: f64| time.map_or(v, |unit| unit.convert(v, TimeUnit::Day));
        (prior.range, prior.show) = (Some((days(lo), days(hi))), Some("draws".into()));
    }
    let mut all = Vec::with_capacity(values.len());
    for (value, figure) in values.iter().zip(figures) {
        all.push(match figure {
            Some(figure) => figure,
            None => {
                let mut figure = one(call, value, &mut prior)?;
                figure.title.clone_from(&title);
                if prior.prior {
                    figure.panels.iter_mut().for_each(|panel| panel.on_axes_of_others(time));
                }
                figure
            }
        });
    }
    Ok(all)
}

/// Kernels are named by themselves, other values by the titles of their figures if these differ.
fn default_names(values: &[Value], figures: &[Figure]) -> Vec<String> {
    let title = |(value, figure): (&Value, &Figure)| match value {
        Value::Kernel(kernel) => kernel.label().map_or_else(|| kernel.to_string(), ToString::to_string),
        _ => figure.title.clone(),
    };
    let titles: Vec<String> = values.iter().zip(figures).map(title).collect();
    let name = |(i, title): (usize, &String)| {
        let only = !title.is_empty() && titles.iter().filter(|other| *other == title).count() == 1;
        if only { title.clone() } else { (i + 1).to_string() }
    };
    titles.iter().enumerate().map(name).collect()
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
    let dates = [&args.x, &args.dated].into_iter().flatten().any(is_dates);
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
                let (draws, phase, view, prior) = (own.draws, own.phase, own.view, own.prior);
                let plot = KernelPlot { range, dates, at, show, draws, phase, view, prior, random, stop };
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
    let on_dates = |mut figure: Figure| {
        if listed && dates {
            figure.panels.iter_mut().for_each(Panel::on_dates);
        }
        figure
    };
    figure.map(on_dates).map_err(|error| match error {
        PlotError::NoFigure => expected(&nouns(|kind| kind.plot.is_some()), value).argument("value"),
        PlotError::Model(error) => lang_error(call.eval, error),
        PlotError::Other(error) => error.argument("value"),
    })
}

/// Whether places are written as dates.
fn is_dates(value: &Value) -> bool {
    match value {
        Value::Range(range) => range.dates,
        other => plot_options::days(other).is_some(),
    }
}

/// Numbers, or the days of dates.
fn numbers(value: &Value) -> Res<Vec<f64>> {
    if let Some(days) = plot_options::days(value) {
        return Ok(days);
    }
    Vec::<f64>::from_value(value.clone()).map_err(|error| error.argument("x"))
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
        Some([azimuth, elevation]) if azimuth.abs() <= 360.0 && elevation.abs() <= 90.0 => {
            Ok(Some((*azimuth, *elevation)))
        }
        Some(_) => {
            let text = "a view is two angles in degrees: an azimuth from -360 to 360, and an elevation from -90 to 90";
            Err(LangError::new(text).argument("view").help("for example `view=[30, 20]`"))
        }
    }
}
