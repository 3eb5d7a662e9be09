//! Surfaces and features as text and figures.

use super::markup::Markup;
use super::numbers::{percent, rounded};
use super::short_table::show_table;
use crate::data::write::Table;
use crate::figure::{Axis, Figure, Mark, Panel, Role};
use crate::results::{Features, SampledSurface};

/// The kind of a surface, and the kernel from which it was drawn.
pub fn surface(drawn: &SampledSurface) -> String {
    let (surface, shape) = (&drawn.surface, drawn.surface.mesh.shape);
    let ends = match shape.rims {
        0 => "closed".to_string(),
        1 => "one edge".to_string(),
        n => format!("{n} edges"),
    };
    let often = match shape.once {
        true => "",
        false => {
            "\nthe sheet covers parts of the surface more than once, so edges, sides and Euler characteristic are those of the \
             mesh: `x=` and `y=` choose a part that covers it once"
        }
    };
    let sides = if shape.two_sided { "two sides" } else { "one side" };
    let [x, y] = [surface.domain.x, surface.domain.y].map(|(a, b)| format!("{} to {}", rounded(a), rounded(b)));
    let [first, second] = &drawn.inputs;
    format!(
        "{} drawn from {} (seed {})\n  mesh   {} vertices, {} faces, {ends}, {sides}, Euler characteristic {}\n  \
         sheet  {first} from {x}, {second} from {y}, {res} × {res} points{often}",
        shape.name(),
        drawn.kernel,
        drawn.seed,
        surface.mesh.vertices.len(),
        surface.mesh.faces.len(),
        shape.euler,
        res = surface.res,
    )
}

/// A surface in space, seen from an azimuth and elevation in degrees, or from where most of it is visible.
pub fn surface_figure(drawn: &SampledSurface, view: Option<(f64, f64)>) -> Figure {
    let mesh = &drawn.surface.mesh;
    let mark = Mark::Mesh {
        vertices: mesh.vertices.clone(),
        faces: mesh.faces.iter().map(|face| face.corners().to_vec()).collect(),
        shade: drawn.surface.shade.clone(),
        rims: mesh.rims.clone(),
        names: Vec::new(),
        view,
    };
    let name = mesh.shape.name();
    let title = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    Figure::single(title, Panel::new("", "", vec![mark])).with_note(format!(
        "Three functions drawn from {} are the coordinates; a fourth is the colour. Seed {}.",
        drawn.kernel, drawn.seed
    ))
}

/// The leading features with their eigenvalues.
pub fn features(features: &Features) -> Markup {
    let n = features.at.first().map_or(0, Vec::len);
    let rows = if n == 1 { "1 row".to_string() } else { format!("{n} rows") };
    Markup::from(format!("features of {} at {rows}", features.kernel)).then(show_table(&features_table(features)))
}

/// Number, eigenvalue, its share of the sum, and the cumulative share.
pub fn features_table(features: &Features) -> Table {
    let shares = features.shares();
    let number: Vec<f64> = (1..=features.functions.len()).map(|i| i as f64).collect();
    let so_far: Vec<f64> = (1..=number.len()).map(|i| shares[..i].iter().sum()).collect();
    Table::new()
        .numbers("feature", &number)
        .numbers("eigenvalue", features.values())
        .numbers("share", &shares[..number.len()])
        .numbers("so far", &so_far)
}

/// The functions along the single input, or over the plane if the rows are a grid of two inputs; next to them the
/// spectrum.
pub fn features_figure(features: &Features) -> Figure {
    let title = format!("Features of {}", features.kernel);
    let shares = features.shares();
    let named = |i: usize| format!("φ{}: {}", subscript(i + 1), percent(shares[i]));
    let all = || features.functions.iter().enumerate();
    let x_name = |i: usize| features.inputs.get(i).cloned().unwrap_or_default();
    let mut panels = match &features.at[..] {
        [x] => {
            let mut order: Vec<usize> = (0..x.len()).collect();
            order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
            let pick = |values: &[f64]| order.iter().map(|&i| values[i]).collect::<Vec<f64>>();
            let lines = all().map(|(i, function)| Mark::Line {
                x: pick(x),
                y: pick(function),
                label: named(i),
                role: Role::Component(i),
                dashed: false,
            });
            vec![Panel::new(x_name(0), format!("φ({})", x_name(0)), lines.collect()).titled("Functions")]
        }
        [x, y] if is_grid(x, y) => all()
            .map(|(i, function)| {
                let (xs, ys) = (distinct(x), distinct(y));
                let mut z = vec![f64::NAN; xs.len() * ys.len()];
                for ((x, y), value) in x.iter().zip(y).zip(function) {
                    let at = |all: &[f64], v: f64| all.partition_point(|other| *other < v);
                    z[at(&ys, *y) * xs.len() + at(&xs, *x)] = *value;
                }
                let heat =
                    Mark::Heat { x: xs, y: ys, z, label: String::new(), range: None, split: false, texts: Vec::new() };
                Panel { square: true, ..Panel::new(x_name(0), x_name(1), vec![heat]).titled(named(i)) }
            })
            .collect(),
        _ => {
            let points = all().map(|(i, function)| Mark::Points {
                x: (0..function.len()).map(|row| row as f64).collect(),
                y: function.clone(),
                label: named(i),
                role: Role::Component(i),
            });
            vec![Panel::new("row", "φ", points.collect()).titled("Functions")]
        }
    };
    // Eigenvalues at the level of rounding are not part of the spectrum.
    let floor = features.spectrum.first().copied().unwrap_or(0.0) * 1e-15;
    let (number, value): (Vec<f64>, Vec<f64>) =
        features.spectrum.iter().enumerate().filter(|(_, v)| **v > floor).map(|(i, v)| ((i + 1) as f64, *v)).unzip();
    let line =
        Mark::Line { x: number.clone(), y: value.clone(), label: String::new(), role: Role::Reference, dashed: false };
    let mut spectrum = vec![line, Mark::Points { x: number, y: value, label: String::new(), role: Role::Mean }];
    if spectrum.iter().all(|mark| matches!(mark, Mark::Line { x, .. } | Mark::Points { x, .. } if x.is_empty())) {
        spectrum.clear();
    }
    let mut panel = Panel::new("feature", "eigenvalue", spectrum).titled("Spectrum");
    panel.y = Axis { log: true, ..panel.y };
    panel.square = panels.iter().any(|p| p.square);
    panels.push(panel);
    let columns = if panels.len() == 2 { 2 } else { 3 };
    Figure::grid(title, columns, panels)
        .with_note("Percentages: share of the variance, the eigenvalue over the sum of all.")
}

fn distinct(values: &[f64]) -> Vec<f64> {
    let mut all = values.to_vec();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

fn is_grid(x: &[f64], y: &[f64]) -> bool {
    let (columns, rows) = (distinct(x).len(), distinct(y).len());
    columns > 1 && rows > 1 && columns * rows == x.len()
}

pub(super) fn subscript(n: usize) -> String {
    n.to_string().bytes().map(|digit| char::from_u32(0x2080 + u32::from(digit - b'0')).unwrap_or(' ')).collect()
}
