//! Priors of deep Gaussian processes, as text and figures.

use super::markup::Markup;
use super::numbers::{percent, rounded, rounded_source, significant};
use super::text_table::Grid;
use crate::data::write::Table;
use crate::deep::{Columns, DeepModel, Image, Jacobian, PlaneMap, Preimage, Spectrum, shown_layers, side_places};
use crate::figure::{Axis, Figure, Mark, Panel, Role};

/// The largest number of singular values in a displayed table or a legend.
const MOST_VALUES: usize = 5;
/// The number of rows of a displayed table.
const MOST_ROWS: usize = 8;

/// The prior, and the dependence of the singular values on depth.
pub fn jacobian(jacobian: &Jacobian) -> Markup {
    let inputs = jacobian.at.len();
    let many = if inputs == 1 { "1 input".to_string() } else { format!("{inputs} inputs") };
    let (prior, draws, seed) = (&jacobian.prior, jacobian.draws, jacobian.seed);
    let mut text = Markup::from(format!("Jacobian of {prior} at {many}, {draws} draws (seed {seed})"));
    let shown = shown_layers(jacobian.depths.len(), MOST_ROWS);
    let shown = || shown.iter().filter_map(|&layer| jacobian.depths.get(layer - 1));
    if shown().all(|depth| depth.mean.len() == 1) {
        return text.and(log_moments(shown()));
    }
    text.push(ratios(shown()));
    if let Some(last) = jacobian.depths.last()
        && let Some(second) = last.mean.get(1)
    {
        text.push(format!(
            "Each singular value divided by the largest, mean ± standard error. After {} {} the second is {} of the largest.",
            last.layers,
            if last.layers == 1 { "layer" } else { "layers" },
            percent(*second)
        ));
    }
    if let Some((variance, bound)) = jacobian.contraction() {
        let kept = if variance < bound {
            "so contributions of earlier layers shrink and the spectrum stays flat"
        } else {
            "so contributions of earlier layers grow and the spectrum decays as without the connection"
        };
        text.push(format!(
            "The derivatives of a layer have variance {}; the bound for {inputs} inputs is {}, {kept}.",
            rounded(variance),
            rounded(bound)
        ));
    }
    text
}

/// Mean and variance of log|f′| by depth, with the theoretical values.
fn log_moments<'s>(shown: impl Iterator<Item = &'s Spectrum>) -> Grid {
    let mut grid = Grid::new(["layers", "mean log|f′|", "in theory", "variance", "in theory"]);
    let first = |values: &[f64]| values.first().copied().unwrap_or(f64::NAN);
    for depth in shown {
        let theory = |pick: fn((f64, f64)) -> f64| depth.log_limit.map_or("–".into(), |both| rounded(pick(both)));
        grid.row([
            depth.layers.to_string(),
            with_error(first(&depth.log_mean), first(&depth.log_mean_se)),
            theory(|(mean, _)| mean),
            rounded(first(&depth.log_variance)),
            theory(|(_, variance)| variance),
        ]);
    }
    grid
}

/// The mean ratio of each singular value to the largest, by depth.
fn ratios<'s>(shown: impl Iterator<Item = &'s Spectrum>) -> Grid {
    let shown: Vec<&Spectrum> = shown.collect();
    let most = shown.iter().map(|depth| depth.mean.len()).max().unwrap_or(0).min(MOST_VALUES);
    let heading = |i: usize| format!("σ{}/σ₁", super::sampled_surface::subscript(i + 1));
    let mut grid = Grid::new(std::iter::once("layers".to_string()).chain((1..most).map(heading)));
    for depth in shown {
        let value = |i: usize| match (depth.mean.get(i), depth.mean_se.get(i)) {
            (Some(mean), Some(error)) => with_error(*mean, *error),
            _ => "–".into(),
        };
        grid.row(std::iter::once(depth.layers.to_string()).chain((1..most).map(value)));
    }
    grid
}

fn with_error(mean: f64, error: f64) -> String {
    format!("{} ± {}", significant(mean, 3), significant(error, 2))
}

/// One row per depth and singular value.
pub fn jacobian_table(jacobian: &Jacobian) -> Table {
    let of = |part: fn(&Spectrum) -> &[f64]| -> Vec<f64> {
        jacobian.depths.iter().flat_map(|depth| part(depth).iter().copied()).collect()
    };
    let places = || jacobian.depths.iter().flat_map(|depth| (0..depth.mean.len()).map(move |i| (depth.layers, i + 1)));
    let layers: Vec<f64> = places().map(|(layers, _)| layers as f64).collect();
    let number: Vec<f64> = places().map(|(_, number)| number as f64).collect();
    Table::new()
        .numbers("layers", &layers)
        .numbers("value", &number)
        .numbers("mean", &of(|depth| &depth.mean))
        .numbers("mean_se", &of(|depth| &depth.mean_se))
        .numbers("low", &of(|depth| &depth.quantiles[0]))
        .numbers("median", &of(|depth| &depth.quantiles[1]))
        .numbers("high", &of(|depth| &depth.quantiles[2]))
        .numbers("log_mean", &of(|depth| &depth.log_mean))
        .numbers("log_var", &of(|depth| &depth.log_variance))
}

/// Spectra at some depths, and singular values as a function of depth; in one dimension the moments of log|f′| as a
/// function of depth.
pub fn jacobian_figure(jacobian: &Jacobian) -> Figure {
    let title = format!("Jacobian of {}", rounded_source(&jacobian.prior.to_string()));
    let note = format!("{} draws, seed {}.", jacobian.draws, jacobian.seed);
    if jacobian.depths.iter().all(|depth| depth.mean.len() == 1) {
        return Figure::grid(title, 2, log_panels(jacobian)).with_note(note);
    }
    let last = jacobian.depths.len();
    let mut panels: Vec<Panel> = shown_layers(last, 3)
        .iter()
        .filter_map(|&layer| jacobian.depths.get(layer - 1))
        .map(|depth| {
            let number: Vec<f64> = (1..=depth.mean.len()).map(|i| i as f64).collect();
            let marks = vec![
                Mark::Band {
                    x: number.clone(),
                    lo: depth.quantiles[0].clone(),
                    hi: depth.quantiles[2].clone(),
                    label: "10 % to 90 %".into(),
                    role: Role::Band,
                },
                line(number.clone(), depth.mean.clone(), "mean", Role::Mean),
                Mark::Points { x: number, y: depth.mean.clone(), label: String::new(), role: Role::Mean },
            ];
            let heading = if depth.layers == 1 { "1 layer".into() } else { format!("{} layers", depth.layers) };
            let panel = Panel::new("", "divided by the largest", marks).titled(heading);
            // the largest ratio is 1, whose mark is to be seen whole
            let x = Axis::counts("singular value");
            Panel { x, y: Axis { range: Some((0.0, 1.03)), ..panel.y }, ..panel }
        })
        .collect();
    if last > 1 {
        let most = jacobian.depths.iter().map(|depth| depth.mean.len()).max().unwrap_or(0).min(MOST_VALUES);
        let along = |i: usize| {
            let known = || jacobian.depths.iter().filter(move |depth| depth.mean.len() > i);
            let x = known().map(|depth| depth.layers as f64).collect();
            let y = known().map(|depth| depth.quantiles[1][i]).collect();
            line(x, y, &format!("median of number {}", i + 1), Role::Component(i))
        };
        let mut panel = Panel::new("", "divided by the largest", (1..most).map(along).collect()).titled("By depth");
        panel.x = Axis::counts("layers");
        panel.y = Axis { log: true, ..panel.y };
        panels.push(panel);
    }
    Figure::grid(title, 2, panels).with_note(note)
}

fn log_panels(jacobian: &Jacobian) -> Vec<Panel> {
    let x: Vec<f64> = jacobian.depths.iter().map(|depth| depth.layers as f64).collect();
    let part = |values: fn(&Spectrum) -> &[f64]| -> Vec<f64> {
        jacobian.depths.iter().map(|depth| values(depth).first().copied().unwrap_or(f64::NAN)).collect()
    };
    let panel = |heading: &str, drawn: Vec<f64>, theory: fn((f64, f64)) -> f64| {
        let known = jacobian.depths.iter().map_while(|depth| depth.log_limit).map(theory).collect();
        let marks = vec![
            line(x.clone(), known, "in theory", Role::Reference),
            Mark::Points { x: x.clone(), y: drawn, label: "draws".into(), role: Role::Mean },
        ];
        Panel { x: Axis::counts("layers"), ..Panel::new("", "log|f′|", marks).titled(heading) }
    };
    vec![
        panel("Mean", part(|depth| &depth.log_mean), |(mean, _)| mean),
        panel("Variance", part(|depth| &depth.log_variance), |(_, variance)| variance),
    ]
}

fn line(x: Vec<f64>, y: Vec<f64>, label: &str, role: Role) -> Mark {
    Mark::Line { x, y, label: label.into(), role, dashed: false }
}

/// One line: the kind of map, and its model.
pub fn plane_map(map: &PlaneMap) -> String {
    let layers: Vec<String> = map.images.iter().map(|image| image.layer.to_string()).collect();
    let preimage = match map.preimage {
        Preimage::Density { points } => format!("density of {points} points"),
        Preimage::Grid { side } => format!("feature map of {side} × {side} points"),
        Preimage::Curve { points, closed, .. } => {
            format!("{} of {points} points", if closed { "circle" } else { "line" })
        }
    };
    let after = if layers.len() == 1 { "layer" } else { "layers" };
    format!("{preimage} under {} (seed {})\n  shown after {after} {}", map.prior, map.seed, layers.join(", "))
}

/// A panel of the original points, and one for each selected layer.
pub fn plane_map_figure(map: &PlaneMap) -> Figure {
    let (title, mut panels): (&str, Vec<Panel>) = match map.preimage {
        Preimage::Density { .. } => {
            let cloud = |points: &[[f64; 2]], [first, second]: [&str; 2]| {
                let (x, y) = unzip(points);
                plane_panel(first, second, vec![Mark::Points { x, y, label: String::new(), role: Role::Mean }])
            };
            let mut panels = vec![Panel { title: "Input".into(), ..cloud(&map.from, ["x₁", "x₂"]) }];
            panels.extend(map.images.iter().map(|image| cloud(&image.points, ["y₁", "y₂"]).titled(after(image))));
            ("A Gaussian transformed by", panels)
        }
        Preimage::Grid { side } => {
            let places = |points: &[[f64; 2]]| {
                let along = side_places(side);
                let plane = Mark::Plane { x: along.clone(), y: along, places: shares(points) };
                plane_panel("x₁", "x₂", vec![plane])
            };
            let mut panels = vec![places(&map.from).titled("Input")];
            panels.extend(map.images.iter().map(|image| places(&image.points).titled(after(image))));
            ("The plane coloured by its image:", panels)
        }
        Preimage::Curve { points, closed, side } => {
            let length = points + usize::from(closed);
            let share: Vec<f64> = (0..length).map(|i| i as f64).collect();
            let along = side_places(side);
            let behind = map.images.last().map_or(&[][..], |image| image.points.get(length..).unwrap_or(&[]));
            let plane = Mark::Plane { x: along.clone(), y: along, places: shares(behind) };
            let (x, y) = unzip(&map.from[..length.min(map.from.len())]);
            let curve = line(x, y, "", Role::Data);
            let mut panels =
                vec![plane_panel("x₁", "x₂", vec![plane, curve]).titled("Input, coloured by the last layer")];
            panels.extend(map.images.iter().map(|image| {
                let (x, y) = unzip(&image.points[..length.min(image.points.len())]);
                plane_panel("y₁", "y₂", vec![Mark::Trail { x, y, along: share.clone() }]).titled(after(image))
            }));
            ("A curve transformed by", panels)
        }
    };
    panels.iter_mut().for_each(|panel| panel.square = true);
    let columns = if panels.len() > 4 { 3 } else { 2 };
    let title = format!("{title} {}", rounded_source(&map.prior.to_string()));
    Figure::grid(title, columns, panels).with_note(format!("One draw, seed {}.", map.seed))
}

fn plane_panel(x: &str, y: &str, marks: Vec<Mark>) -> Panel {
    Panel { square: true, ..Panel::new(x, y, marks) }
}

fn after(image: &Image) -> String {
    if image.layer == 1 { "After 1 layer".into() } else { format!("After {} layers", image.layer) }
}

fn unzip(points: &[[f64; 2]]) -> (Vec<f64>, Vec<f64>) {
    points.iter().map(|[x, y]| (*x, *y)).unzip()
}

/// Points scaled to the square [−1, 1]²: from the 2 % to the 98 % quantile along each axis.
fn shares(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let ends = |axis: usize| {
        let mut values: Vec<f64> = points.iter().map(|place| place[axis]).filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let at = |share: f64| values.get(((values.len().saturating_sub(1)) as f64 * share) as usize).copied();
        (at(0.02).unwrap_or(-1.0), at(0.98).unwrap_or(1.0))
    };
    let ends = [ends(0), ends(1)];
    let share = |place: &[f64; 2], axis: usize| {
        let (lo, hi) = ends[axis];
        if hi > lo { (2.0 * (place[axis] - lo) / (hi - lo) - 1.0).clamp(-1.0, 1.0) } else { 0.0 }
    };
    points.iter().map(|place| [share(place, 0), share(place, 1)]).collect()
}

/// Functions of one input after each of the layers `shown`. For a model of two or three layers, each layer after the
/// first is also shown as a function of its own input.
pub fn prior_figure(prior: &DeepModel, x: &[f64], draws: &[Vec<Columns>], shown: &[usize]) -> Figure {
    let first = |layers: &[Columns], layer: usize| -> Vec<f64> {
        layers.get(layer - 1).and_then(|units| units.first()).cloned().unwrap_or_default()
    };
    let by_input = |layer: usize| {
        let marks =
            draws.iter().enumerate().map(|(i, layers)| line(x.to_vec(), first(layers, layer), "", Role::Draw(i)));
        let heading = if layer == 1 { "After 1 layer".into() } else { format!("After {layer} layers") };
        Panel::new("x", "f(x)", marks.collect()).titled(heading)
    };
    let mut panels: Vec<Panel> = shown.iter().map(|&layer| by_input(layer)).collect();
    let units = prior.prior_units();
    let narrow = units.iter().all(|units| *units == 1);
    if narrow && !prior.connected && prior.layers <= 3 {
        for layer in 2..=prior.layers {
            let marks = draws.iter().enumerate().map(|(i, layers)| {
                let mut both: Vec<(f64, f64)> =
                    first(layers, layer - 1).into_iter().zip(first(layers, layer)).collect();
                both.sort_by(|a, b| a.0.total_cmp(&b.0));
                let (x, y) = both.into_iter().unzip();
                line(x, y, "", Role::Draw(i))
            });
            let panel = Panel::new("output of the layer below", "", marks.collect());
            panels.push(panel.titled(format!("Layer {layer} alone")));
        }
    }
    let columns = if panels.len().is_multiple_of(3) { 3 } else { panels.len().min(2) };
    let figure = Figure::grid(format!("Draws of {}", rounded_source(&prior.to_string())), columns, panels);
    if narrow { figure } else { figure.with_note("The first unit of each layer.") }
}
