//! Figures for fits, kernels and decompositions, built from plain slices.

use super::contour::contour;
use super::scale::step;
use super::spec::{Across, Axis, Figure, Mark, Panel, Role};

/// The title of a figure and the quantities of its axes, with units: `"year"`, `"passengers (thousands)"`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Names<'a> {
    /// The title above the figure.
    pub title: &'a str,
    /// The label of the horizontal axis.
    pub x: &'a str,
    /// The label of the vertical axis.
    pub y: &'a str,
}

/// Observations, `x` against `y`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pairs<'a> {
    pub x: &'a [f64],
    pub y: &'a [f64],
}

/// A posterior along ascending `x`: its mean and the ends of its band, all in the unit of y.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Curve<'a> {
    pub x: &'a [f64],
    pub mean: &'a [f64],
    pub lo: &'a [f64],
    pub hi: &'a [f64],
}

/// One part of a decomposition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part<'a> {
    /// The part's name, such as `"season"`.
    pub label: &'a str,
    /// The part's share of the variance of y, as a fraction; shown in percent.
    pub share: Option<f64>,
    /// Its posterior.
    pub curve: Curve<'a>,
    /// The data less all other parts, at the training rows.
    pub partial: Pairs<'a>,
}

/// Data with the posterior mean and its band. `band` describes the band, such as `"±2 sd of y"`.
pub fn fit_figure(
    names: Names<'_>,
    data: Pairs<'_>,
    curve: Curve<'_>,
    band: &str,
    held_out: Option<Pairs<'_>>,
) -> Figure {
    let mut marks = vec![points(data, "data", Role::Data)];
    if let Some(held_out) = held_out {
        marks.push(points(held_out, "held out", Role::Test));
    }
    marks.extend(posterior(curve, band));
    Figure::single(names.title, Panel::new(names.x, names.y, marks))
}

/// A part over its input: mean and band, its partial residuals (the data less the other parts), and its share in the
/// title.
pub fn component_panel(x: &str, y: &str, part: Part<'_>, band: &str) -> Panel {
    let title = match part.share {
        Some(share) => format!("{}: {}", part.label, percent(share)),
        None => part.label.to_string(),
    };
    let mut marks = vec![zero()];
    if !part.partial.x.is_empty() {
        marks.push(points(part.partial, "partial residuals", Role::Reference));
    }
    marks.extend(posterior(part.curve, band));
    Panel::new(x, y, marks).titled(title)
}

/// The panels of parts, in one column if they are few. `note` explains their percentages.
pub fn components_figure(title: &str, panels: Vec<Panel>, note: &str) -> Figure {
    let plane = panels.iter().any(|p| p.marks.iter().any(|m| matches!(m, Mark::Heat { .. })));
    let columns = match panels.len() {
        0..=1 => 1,
        _ if plane => 2,
        2..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    Figure::grid(title, columns, panels).with_note(note)
}

/// Correlations between values at `x` and values at `y`, row by row from the first of `y`.
pub fn correlation_panel(names: Names<'_>, x: &[f64], y: &[f64], values: &[f64]) -> Panel {
    let heat = Mark::Heat {
        x: x.to_vec(),
        y: y.to_vec(),
        z: values.to_vec(),
        label: String::new(),
        range: Some((-1.0, 1.0)),
        split: false,
        texts: Vec::new(),
    };
    Panel { square: true, ..Panel::new(names.x, names.y, vec![heat]).titled(names.title) }
}

/// A bar for each name, such as the shares of the orders of an additive kernel.
pub fn bars_figure(names: Names<'_>, bars: &[String], values: &[f64]) -> Figure {
    let x: Vec<f64> = (0..bars.len()).map(|i| i as f64).collect();
    let named = x.iter().copied().zip(bars.iter().cloned()).collect();
    let mark = Mark::Bars { x, height: values.to_vec(), width: 0.72, label: String::new(), role: Role::Mean };
    let mut panel = Panel::new(names.x, names.y, vec![mark]);
    panel.x = Axis { names: named, ..panel.x };
    Figure::single(names.title, panel)
}

/// Function draws over `grid`, with the data they are conditioned on, if any.
pub fn draws_figure(names: Names<'_>, grid: &[f64], draws: &[Vec<f64>], data: Option<Pairs<'_>>) -> Figure {
    let mut marks: Vec<Mark> = data.map(|data| points(data, "data", Role::Data)).into_iter().collect();
    marks.extend(drawn(grid, draws));
    Figure::single(names.title, Panel::new(names.x, names.y, marks))
}

/// Residuals against an input, with their histogram. `sd` is the standard deviation of the residuals, in the unit of y;
/// lines mark twice this value.
pub fn residuals_figure(names: Names<'_>, x: &[f64], residuals: &[f64], sd: Option<f64>) -> Figure {
    let counts = Mark::Histogram { values: residuals.to_vec(), bins: None, label: String::new(), role: Role::Mean };
    let panels = vec![
        residuals_panel(Names { title: "Against the input", ..names }, x, residuals, sd),
        Panel::new(names.y, "rows", vec![counts]).titled("Histogram"),
    ];
    Figure::grid(names.title, 2, panels)
}

/// Residuals against an input. Lines mark twice `sd`, in the unit of y, on both sides.
pub fn residuals_panel(names: Names<'_>, x: &[f64], residuals: &[f64], sd: Option<f64>) -> Panel {
    let mut marks = vec![points(Pairs { x, y: residuals }, "residual", Role::Data), zero()];
    if let Some(sd) = sd.filter(|sd| sd.is_finite() && *sd > 0.0) {
        for at in [-2.0 * sd, 2.0 * sd] {
            marks.push(Mark::Rule {
                at,
                across: Across::Horizontal,
                label: "±2 sd of the residuals".into(),
                role: Role::Test,
            });
        }
    }
    Panel::new(names.x, names.y, marks).titled(names.title)
}

/// Values over a plane (row by row, rows at `y`) in colours, with contours at round values. `colours` names the values
/// with their unit; `range` is that of the colours, from the values if `None`.
pub fn map_panel(names: Names<'_>, x: &[f64], y: &[f64], z: &[f64], colours: &str, range: Option<(f64, f64)>) -> Panel {
    let mut panel = heat_panel(names, x, y, z, colours, range);
    let finite = z.iter().copied().filter(|v| v.is_finite());
    let (lo, hi) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
    const CONTOURS: f64 = 6.0;
    const MOST_VERTICES: usize = 60_000;
    // values that differ by rounding only have no contours
    if (hi - lo).is_finite() && hi - lo > 1e-9 * lo.abs().max(hi.abs()) {
        let step = step((hi - lo) / CONTOURS).size();
        // a level at the end of the range would be a speck
        let end = 1e-4 * (hi - lo);
        let levels = (((lo + end) / step).ceil() as i64)..=(((hi - end) / step).floor() as i64);
        let (mut along, mut up) = (Vec::new(), Vec::new());
        for level in levels {
            let (xs, ys) = contour(x, y, z, level as f64 * step, end);
            along.extend(xs);
            up.extend(ys);
        }
        // those of a rough function would cover the colours
        if along.len() < MOST_VERTICES {
            panel.marks.push(Mark::Line { x: along, y: up, label: String::new(), role: Role::Contour, dashed: false });
        }
    }
    panel
}

/// The same without contours, for rows and columns that have no place between them.
pub fn heat_panel(
    names: Names<'_>,
    x: &[f64],
    y: &[f64],
    z: &[f64],
    colours: &str,
    range: Option<(f64, f64)>,
) -> Panel {
    let label = colours.to_string();
    let heat =
        Mark::Heat { x: x.to_vec(), y: y.to_vec(), z: z.to_vec(), label, range, split: false, texts: Vec::new() };
    Panel { square: true, ..Panel::new(names.x, names.y, vec![heat]).titled(names.title) }
}

/// Predicted against observed values with the diagonal, on equal axes, for models of many inputs. `unit` is that of y.
pub fn parity_figure(title: &str, unit: &str, observed: &[f64], predicted: &[f64], held_out: bool) -> Figure {
    let both = observed.iter().zip(predicted).filter(|(a, b)| a.is_finite() && b.is_finite());
    let (lo, hi) =
        both.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (&a, &b)| (lo.min(a).min(b), hi.max(a).max(b)));
    let role = if held_out { Role::Test } else { Role::Data };
    let label = if held_out { "held-out rows" } else { "rows" };
    let mut marks = vec![points(Pairs { x: observed, y: predicted }, label, role)];
    let name = |what: &str| if unit.is_empty() { what.to_string() } else { format!("{what} {unit}") };
    let mut panel = Panel::new(name("observed"), name("predicted"), Vec::new());
    if lo <= hi {
        let pad = ((hi / 2.0 - lo / 2.0) * 0.08).max(if lo < hi { 0.0 } else { hi.abs().max(1.0) * 0.1 });
        let ends = (lo - pad, hi + pad);
        marks.push(Mark::Line {
            x: vec![ends.0, ends.1],
            y: vec![ends.0, ends.1],
            label: "predicted = observed".into(),
            role: Role::Reference,
            dashed: true,
        });
        panel.x.range = Some(ends);
        panel.y.range = Some(ends);
    }
    panel.marks = marks;
    panel.square = true;
    Figure::single(title, panel)
}

/// A matrix of covariances, row by row, at `rows` × `columns` points, with the first row on top. Points that are not
/// ascending are numbered instead.
pub fn gram_figure(title: &str, input: &str, rows: &[f64], columns: &[f64], values: &[f64]) -> Figure {
    let ascends = |v: &[f64]| v.iter().all(|a| a.is_finite()) && v.windows(2).all(|w| w[0] < w[1]);
    let by_value = ascends(rows) && ascends(columns);
    let places = |v: &[f64]| if by_value { v.to_vec() } else { (1..=v.len()).map(|i| i as f64).collect() };
    let label = |what: &str| match (by_value, input.is_empty()) {
        (true, false) => format!("{input} ({what})"),
        (true, true) => what.to_string(),
        (false, _) => what.replace("of the ", "").to_string(),
    };
    let heat = Mark::Heat {
        x: places(columns),
        y: places(rows),
        z: values.to_vec(),
        label: "covariance".into(),
        range: None,
        split: false,
        texts: Vec::new(),
    };
    let mut panel = Panel::new(label("column"), label("row"), vec![heat]);
    panel.y = Axis { reversed: true, ..panel.y };
    panel.square = true;
    Figure::single(title, panel)
}

fn posterior(curve: Curve<'_>, band: &str) -> [Mark; 2] {
    [
        line(curve.x, curve.mean, "posterior mean", Role::Mean),
        Mark::Band {
            x: curve.x.to_vec(),
            lo: curve.lo.to_vec(),
            hi: curve.hi.to_vec(),
            label: if band.is_empty() { String::new() } else { format!("band: {band}") },
            role: Role::Band,
        },
    ]
}

/// Function draws over `grid`, one colour each.
pub fn drawn(grid: &[f64], draws: &[Vec<f64>]) -> Vec<Mark> {
    draws.iter().enumerate().map(|(i, draw)| line(grid, draw, "", Role::Draw(i))).collect()
}

fn points(pairs: Pairs<'_>, label: &str, role: Role) -> Mark {
    Mark::Points { x: pairs.x.to_vec(), y: pairs.y.to_vec(), label: label.into(), role }
}

/// An unbroken line of a role.
pub fn line(x: &[f64], y: &[f64], label: &str, role: Role) -> Mark {
    Mark::Line { x: x.to_vec(), y: y.to_vec(), label: label.into(), role, dashed: false }
}

/// A line at zero.
pub fn zero() -> Mark {
    Mark::Rule { at: 0.0, across: Across::Horizontal, label: String::new(), role: Role::Reference }
}

/// A percentage with one decimal.
fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "share unknown".into();
    }
    let p = share * 100.0;
    if p > 0.0 && p < 0.05 { "< 0.1 %".into() } else { format!("{p:.1} %") }
}
