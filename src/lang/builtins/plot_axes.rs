//! The keywords of `plot` and `panels` that apply to all figures: title, axes and size.

use std::sync::Arc;

use crate::calendar::{self, TimeUnit};
use crate::figure::{Axis, Figure, Mark, Panel, Size};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::numerals::number;
use crate::lang::signature::{Place, Want};
use crate::lang::values::value::Value;

use super::plot_options::ends;

/// Title, axes and size, as far as they are given.
pub struct AxesOptions {
    title: Option<Arc<str>>,
    xlabel: Option<Arc<str>>,
    ylabel: Option<Arc<str>>,
    xlim: Option<Limits>,
    ylim: Option<Limits>,
    log: Option<Arc<str>>,
    size: Option<Size>,
}

/// The ends of an axis.
#[derive(Clone, Copy)]
struct Limits {
    ends: (f64, f64),
    /// Whether they are days since 1970.
    dates: bool,
}

/// Numbers, or dates as texts.
const LIMITS: Want = Want::Either(&[Want::Numbers, Want::Each(&Want::STRING)]);

pub const TITLE: Place = Place::keyword("title", Want::STRING, "the title of the value", "the title");
pub const XLABEL: Place = Place::keyword("xlabel", Want::STRING, "the input", "the label of the horizontal axes");
pub const YLABEL: Place = Place::keyword("ylabel", Want::STRING, "the quantity", "the label of the vertical axes");
pub const XLIM: Place =
    Place::keyword("xlim", LIMITS, "from the values", "the ends of the horizontal axes, numbers or dates");
pub const YLIM: Place =
    Place::keyword("ylim", LIMITS, "from the values", "the ends of the vertical axes, numbers or dates");
pub const LOG: Place =
    Place::keyword("log", Want::Choice(&["x", "y", "xy"]), "none", "the axes with a logarithmic scale");
pub const SIZE: Place =
    Place::keyword("size", Want::Numbers, "from the panels", "width and height in pixels, as in `size=[800, 400]`");

/// The keywords of a call.
pub fn given(call: &mut Call<'_, '_>) -> Res<AxesOptions> {
    let mut limits = |name: &'static str| match call.maybe::<Value>(name)? {
        Some(value) => limits_of(&value, name).map(Some),
        None => Ok(None),
    };
    let (xlim, ylim) = (limits("xlim")?, limits("ylim")?);
    Ok(AxesOptions {
        xlim,
        ylim,
        title: call.maybe("title")?,
        xlabel: call.maybe("xlabel")?,
        ylabel: call.maybe("ylabel")?,
        log: call.maybe("log")?,
        size: size(call)?,
    })
}

fn limits_of(value: &Value, name: &'static str) -> Res<Limits> {
    let texts = match value {
        Value::List(list) => list.items().iter().any(|item| matches!(item, Value::Str(_))),
        value => matches!(value, Value::Str(_)),
    };
    let days = match value {
        Value::Range(range) => range.dates.then_some((range.start, range.end)),
        Value::List(list) if texts => {
            let day = |item: &Value| match item {
                Value::Str(text) => calendar::date(text).map(|at| at.to(TimeUnit::Day)),
                _ => None,
            };
            match list.items() {
                [first, last] => day(first).zip(day(last)),
                _ => None,
            }
        }
        _ => None,
    };
    match days {
        Some((first, last)) if first < last => Ok(Limits { ends: (first, last), dates: true }),
        None if !texts => Ok(Limits { ends: ends(value, &format!("`{name}`"), name)?, dates: false }),
        _ => {
            let text = format!(
                "`{name}` is a range of two dates, the earlier first, as in `{name}=\"2024-01-01\"..\"2024-03-01\"`"
            );
            Err(LangError::new(text).argument(name))
        }
    }
}

impl Limits {
    /// In the unit of an axis.
    fn on(self, axis: &Axis, name: &'static str) -> Res<(f64, f64)> {
        let (lo, hi) = self.ends;
        match (self.dates, axis.time) {
            (false, None) => Ok((lo, hi)),
            (true, Some(unit)) => Ok((TimeUnit::Day.convert(lo, unit), TimeUnit::Day.convert(hi, unit))),
            (false, Some(_)) => {
                let text = format!("`{name}` is a range of numbers, and the axis `{}` has dates", axis.label);
                let help = format!("write dates, as in `{name}=\"2024-01-01\"..\"2024-03-01\"`");
                Err(LangError::new(text).argument(name).help(help))
            }
            (true, None) => {
                let text = format!("`{name}` is a range of dates, and the axis `{}` has numbers", axis.label);
                Err(LangError::new(text).argument(name).help(format!("write numbers, as in `{name}=0..10`")))
            }
        }
    }
}

fn size(call: &mut Call<'_, '_>) -> Res<Option<Size>> {
    const LEAST: f64 = 100.0;
    let most = f64::from(Size::LARGEST);
    let side = |v: f64| ((LEAST..=most).contains(&v) && v.fract() == 0.0).then_some(v as u32);
    match call.maybe::<Vec<f64>>("size")?.as_deref() {
        None => Ok(None),
        Some([width, height]) if let (Some(width), Some(height)) = (side(*width), side(*height)) => {
            Ok(Some(Size { width, height }))
        }
        Some(_) => {
            let text = format!("a size is a width and a height, whole numbers of pixels from {LEAST} to {most}");
            Err(LangError::new(text).argument("size").help("for example `size=[800, 400]`"))
        }
    }
}

impl AxesOptions {
    /// Applies what is given to a figure.
    ///
    /// # Errors
    /// Axes for a figure that has none, and a logarithmic scale for names, dates or values that are not positive.
    pub fn apply(&self, figure: &mut Figure) -> Res<()> {
        if let Some(title) = &self.title {
            figure.title = title.to_string();
            // it takes the place of the title of a single panel
            if let [only] = &mut figure.panels[..] {
                only.title.clear();
            }
        }
        if self.size.is_some() {
            figure.size = self.size;
        }
        let given = [
            ("xlabel", self.xlabel.is_some()),
            ("ylabel", self.ylabel.is_some()),
            ("xlim", self.xlim.is_some()),
            ("ylim", self.ylim.is_some()),
            ("log", self.log.is_some()),
        ];
        let Some((name, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        if figure.panels.iter().any(Panel::is_space) {
            let (what, help) = match figure.panels.iter().all(Panel::is_space) {
                true => ("a figure without axes", "leave it out here"),
                false => (
                    "all of these figures: one has no axes",
                    "give it to the others, as in `panels([plot(a, xlim=0..1), b])`",
                ),
            };
            let text = format!("`{name}=` does not apply to {what}");
            return Err(LangError::new(text).argument(name).help(help));
        }
        let log = self.log.as_deref().unwrap_or_default();
        let (mut all, mut beyond) = (0, 0);
        let shared = if log.contains('y') && self.ylim.is_none() { sharing(figure) } else { Vec::new() };
        for panel in &mut figure.panels {
            for (axis, name) in [(&panel.x, 'x'), (&panel.y, 'y')] {
                let limits = if name == 'x' { self.xlim } else { self.ylim };
                if !axis.names.is_empty() && limits.is_some() {
                    let (argument, text) =
                        (if name == 'x' { "xlim" } else { "ylim" }, "an axis of names has no limits");
                    return Err(LangError::new(text).argument(argument).help("leave it out here"));
                }
                if log.contains(name) && (axis.time.is_some() || !axis.names.is_empty()) {
                    let what = if axis.time.is_some() { "dates" } else { "names" };
                    return Err(LangError::new(format!("an axis of {what} has no logarithmic scale")).argument("log"));
                }
                if let Some(limits) = limits.filter(|limits| log.contains(name) && limits.ends.0 <= 0.0) {
                    let argument = if name == 'x' { "xlim" } else { "ylim" };
                    let text = format!(
                        "a logarithmic axis shows positive values only, and `{argument}` begins at {}",
                        number(limits.ends.0)
                    );
                    return Err(LangError::new(text).argument(argument).help("begin above 0, or leave `log` out"));
                }
            }
            let on = |limits: Option<Limits>, axis: &Axis, name| limits.map(|l| l.on(axis, name)).transpose();
            let (xlim, ylim) = (on(self.xlim, &panel.x, "xlim")?, on(self.ylim, &panel.y, "ylim")?);
            set(&mut panel.x, self.xlabel.as_deref(), xlim, log.contains('x'));
            set(&mut panel.y, self.ylabel.as_deref(), ylim, log.contains('y'));
            if log.is_empty() {
                continue;
            }
            if !panel.has_values() {
                let text = "a logarithmic axis shows positive values only, and there are none";
                return Err(LangError::new(text).argument("log").help("leave `log` out"));
            }
            let (values, left_out) = panel.beyond_logarithms();
            let map = |mark: &Mark| matches!(mark, Mark::Heat { .. } | Mark::Plane { .. });
            if left_out > 0 && panel.marks.iter().any(map) {
                let text = "a map on logarithmic axes has positive positions only";
                return Err(LangError::new(text)
                    .argument("log")
                    .help("leave `log` out, or give positions such as `x=1..=20`"));
            }
            (all, beyond) = (all + values, beyond + left_out);
        }
        if beyond > 0 {
            let note = format!("Logarithmic axes show positive values only: {beyond} of {all} are left out.");
            figure.note = format!("{} {note}", figure.note).trim().to_string();
        }
        let ends = shared.iter().filter_map(|i| figure.panels[*i].y_ends());
        if let Some(range) = ends.reduce(|(lo, hi), (a, b)| (f64::min(lo, a), f64::max(hi, b))) {
            shared.into_iter().for_each(|i| figure.panels[i].y.range = Some(range));
        }
        Ok(())
    }
}

/// The panels that share a vertical range with another one.
fn sharing(figure: &Figure) -> Vec<usize> {
    let range = |i: usize| figure.panels[i].y.range;
    let n = figure.panels.len();
    (0..n).filter(|i| range(*i).is_some() && (0..n).any(|j| j != *i && range(j) == range(*i))).collect()
}

fn set(axis: &mut Axis, label: Option<&str>, limits: Option<(f64, f64)>, log: bool) {
    if let Some(label) = label {
        axis.label = label.into();
    }
    if limits.is_some() {
        axis.range = limits;
    }
    // a range made for a linear scale may contain zero
    if log && !axis.log && limits.is_none() {
        axis.range = None;
    }
    axis.log |= log;
}
