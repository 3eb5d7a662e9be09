//! Figures as text: lines and many points in braille, few points as symbols, bands and surfaces in shades.

mod canvas;
mod row;

use std::borrow::Cow;

use canvas::Canvas;
use row::{Ink, Row, fold};

use super::layout::{Key, entries};
use super::palette::Shades;
use super::scale::{Scale, Tick, short};
use super::shapes::{ordered, scales};
use super::spec::{Axis, Figure, Mark, Panel, Role};

/// The least number of rows of a panel, with its title and axes.
const PANEL: usize = 12;
/// A larger terminal size is an error.
const WIDEST: usize = 1000;

/// The figure as lines of text of at most `width` columns, each with a final newline. A figure with one panel has about
/// `height` rows; several panels are in one column, with twelve rows each if `height` is too small for all. Without
/// `colour` there are no control codes; with it, 256 colours by escape sequences.
pub fn to_text(figure: &Figure, width: usize, height: usize, colour: bool) -> String {
    let width = width.clamp(1, WIDEST);
    let title: Vec<Row> = fold(&figure.title, width, 2).into_iter().map(|line| Row::of(&line, width)).collect();
    let mut foot = legend(figure, width);
    foot.extend(fold(&figure.note, width, 3).into_iter().map(|line| Row::of(&line, width)));
    let free = height.min(WIDEST).saturating_sub(title.len() + foot.len());
    let each = (free / figure.panels.len().max(1)).max(PANEL.min(free)).max(6);
    let mut rows = title;
    for (i, panel) in figure.panels.iter().enumerate() {
        if i > 0 {
            rows.push(Row::new(width));
        }
        // A label shared with the next panel is written once, below the last.
        let repeated = figure.panels.get(i + 1).is_some_and(|next| next.x.label == panel.x.label);
        let label = if repeated { "" } else { panel.x.label.as_str() };
        rows.extend(draw(panel, label, width, if i > 0 { each.saturating_sub(1).max(6) } else { each }));
    }
    rows.extend(foot);
    let mut out = String::new();
    for row in &rows {
        row.write(&mut out, colour);
        out.push('\n');
    }
    out
}

/// The names of nodes with their values, a line for each height.
fn nodes(mark: &Mark) -> Option<Vec<String>> {
    let Mark::Nodes { y, values, names, .. } = mark else { return None };
    let mut heights: Vec<f64> = y.clone();
    heights.sort_by(|a, b| b.total_cmp(a));
    heights.dedup();
    let line = |height: &f64| {
        let here = (0..names.len().min(y.len())).filter(|i| y[*i] == *height);
        here.map(|i| format!("{}: {}", names[i], short(values[i]))).collect::<Vec<_>>().join(", ")
    };
    Some(heights.iter().map(line).collect())
}

fn draw(panel: &Panel, x_label: &str, width: usize, height: usize) -> Vec<Row> {
    let marks = ordered(panel);
    let scales = scales(panel, &marks);
    let shades = marks.iter().find_map(|m| match m.as_ref() {
        Mark::Heat { z, range, split, .. } => Shades::within(z, *range, *split),
        _ => None,
    });
    let mut rows: Vec<Row> = fold(&panel.title, width, 1).iter().map(|t| Row::of(t, width)).collect();
    rows.extend(fold(&panel.y.label, width, 1).iter().map(|t| Row::of(t, width)));
    if let Some(shades) = shades {
        rows.push(shade_row(shades, width));
    }
    if let Some(names) = marks.iter().find_map(|mark| nodes(mark)) {
        rows.extend(names.iter().flat_map(|line| fold(line, width, 3)).map(|line| Row::of(&line, width)));
        return rows;
    }
    if panel.is_space() {
        rows.extend(space(&marks, width, height.saturating_sub(rows.len()).max(3)));
        return rows;
    }
    let x_label = fold(x_label, width, 1);
    let tall = height.saturating_sub(rows.len() + 2 + x_label.len()).max(3);
    let (x_scale, y_scale) = scales.clone().unwrap_or_else(|| (Scale::empty(), Scale::empty()));
    let known = scales.is_some();
    let y_ticks = if known { y_scale.ticks(&panel.y, (tall / 3).max(3)) } else { Vec::new() };
    let left = y_ticks.iter().map(|t| row::columns(&t.text)).max().unwrap_or(0).min(width / 3);
    let mut wide = width.saturating_sub(left + 2).max(1);
    if panel.square {
        // A character is about twice as high as wide.
        wide = wide.min(tall * 2);
    }
    let mut canvas = Canvas::new(wide, tall);
    for mark in &marks {
        canvas.mark(mark, &x_scale, &y_scale, shades);
    }
    let tick_rows: Vec<(usize, &Tick)> = y_ticks.iter().map(|t| (down(t.at, tall), t)).collect();
    for r in 0..tall {
        let mut row = Row::new(width);
        let tick = tick_rows.iter().find(|(at, _)| *at == r);
        if let Some((_, tick)) = tick {
            row.put_end(left, &tick.text, Ink::Plain);
        }
        row.put(left + 1, if tick.is_some() { "┤" } else { "│" }, Ink::Plain);
        for c in 0..wide {
            let (glyph, ink) = canvas.glyph(c, r);
            row.put(left + 2 + c, glyph.encode_utf8(&mut [0; 4]), ink);
        }
        if !known && r == tall / 2 {
            row.put(left + 2 + (wide / 2).saturating_sub(4), "no data", Ink::Plain);
        }
        rows.push(row);
    }
    let x_ticks = if known { x_scale.ticks(&panel.x, x_count(&panel.x, wide)) } else { Vec::new() };
    let [mut axis, numbers] = foot(&x_ticks, left + 1, wide, width);
    for mark in &marks {
        if let Mark::Rug { x, role, .. } = mark.as_ref() {
            for t in x.iter().map(|v| x_scale.at(*v)).filter(|t| (0.0..=1.0).contains(t)) {
                axis.put(left + 2 + ((t * wide as f64) as usize).min(wide - 1), "▲", Ink::Role(*role));
            }
        }
    }
    rows.extend([axis, numbers]);
    for line in x_label {
        let mut row = Row::new(width);
        row.put((left + 2 + wide / 2).saturating_sub(row::columns(&line) / 2), &line, Ink::Plain);
        rows.push(row);
    }
    rows
}

/// Marks without axes.
fn space(marks: &[Cow<'_, Mark>], width: usize, tall: usize) -> Vec<Row> {
    let mut canvas = Canvas::new(width, tall);
    for mark in marks {
        canvas.mark(mark, &Scale::empty(), &Scale::empty(), None);
    }
    let row = |r: usize| {
        let mut row = Row::new(width);
        for c in 0..width {
            // Its colour includes the brightness.
            if let Some((light, colour)) = canvas.surface(c, r) {
                row.put_shade(c, light, colour);
            }
        }
        row
    };
    (0..tall).map(row).collect()
}

fn x_count(axis: &Axis, wide: usize) -> usize {
    if axis.names.is_empty() { (wide / 11).max(2) } else { axis.names.len() }
}

/// The line of the horizontal axis and the numbers below; a number that would touch the one before is left out.
fn foot(ticks: &[Tick], left: usize, wide: usize, width: usize) -> [Row; 2] {
    let (mut axis, mut numbers) = (Row::new(width), Row::new(width));
    axis.put(left, &format!("└{}", "─".repeat(wide)), Ink::Plain);
    let mut free = 0;
    for tick in ticks {
        let at = left + 1 + ((tick.at * wide as f64) as usize).min(wide - 1);
        axis.put(at, "┬", Ink::Plain);
        let columns = row::columns(&tick.text);
        let start = at.saturating_sub(columns / 2).min(width.saturating_sub(columns));
        if start >= free && start + columns <= width {
            numbers.put(start, &tick.text, Ink::Plain);
            free = start + columns + 1;
        }
    }
    [axis, numbers]
}

fn down(at: f64, tall: usize) -> usize {
    (((1.0 - at) * tall as f64) as usize).min(tall - 1)
}

/// The range of a colour scale with its shades.
fn shade_row(shades: Shades, width: usize) -> Row {
    const STEPS: usize = 10;
    let mut row = Row::new(width);
    let start = format!("{} ", short(shades.lo));
    row.put(0, &start, Ink::Plain);
    for i in 0..STEPS {
        let t = (i as f64 + 0.5) / STEPS as f64;
        let value = shades.lo * (1.0 - t) + shades.hi * t;
        row.put_shade(row::columns(&start) + i, shades.share(value), shades.of(value));
    }
    row.put(row::columns(&start) + STEPS, &format!(" {}", short(shades.hi)), Ink::Plain);
    row
}

fn legend(figure: &Figure, width: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut used = usize::MAX;
    for (key, label) in entries(figure) {
        let (sign, role) = match key {
            Key::Dot(Role::Test) => ("○", Role::Test),
            Key::Dot(role) => ("•", role),
            Key::Triangle(role) => ("▲", role),
            Key::Line(role, false) => ("──", role),
            Key::Line(role, true) => ("╌╌", role),
            Key::Patch(role @ (Role::Band | Role::Component(_))) => ("░░", role),
            Key::Patch(role) => ("⣿⣿", role),
        };
        let Some(label) = fold(&label, width.saturating_sub(4).max(1), 1).pop() else { continue };
        let needs = row::columns(sign) + 1 + row::columns(&label);
        if used.saturating_add(needs) > width {
            rows.push(Row::new(width));
            used = 0;
        }
        if let Some(row) = rows.last_mut() {
            row.put(used, sign, Ink::Role(role));
            row.put(used + row::columns(sign) + 1, &label, Ink::Plain);
        }
        used += needs + 3;
    }
    rows
}
