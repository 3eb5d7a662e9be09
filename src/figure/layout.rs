//! The layout of a figure: positions of titles, axes, legend and note. It does not draw.

use std::borrow::Cow;

use super::palette::{self, Rgb, Shades};
use super::scale::{Scale, Tick, short};
use super::shapes::{ordered, scales};
use super::spec::{Axis, Figure, Mark, Panel, Role, Size};
use super::text::{width, wrap};

const MARGIN: f64 = 18.0;
const TITLE: u32 = 17;
const HEADING: u32 = 13;
const LABEL: u32 = 12;
pub(super) const TICK: u32 = 11;
const SMALL: u32 = 11;
const COLUMN_GAP: f64 = 26.0;
const ROW_GAP: f64 = 18.0;
/// The length of a tick mark and its distance to the text.
pub(super) const TICK_MARK: f64 = 4.0;
pub(super) const TICK_ROOM: f64 = 4.0;
const BAR: f64 = 14.0;
const BAR_GAP: f64 = 14.0;

/// A box in pixels from the top left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

/// The end of a text that is at its position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text; `y` is its baseline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text {
    pub x: f64,
    pub y: f64,
    pub text: String,
    pub size: u32,
    pub anchor: Anchor,
    pub bold: bool,
    pub colour: Rgb,
}

/// The symbol of an entry in the legend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Key {
    Dot(Role),
    Line(Role, bool),
    Patch(Role),
    Triangle(Role),
}

/// A colour bar: its shades, box and ticks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColourBar {
    pub shades: Shades,
    pub frame: Frame,
    pub ticks: Vec<Tick>,
}

/// A panel with its position.
#[derive(Debug)]
pub(super) struct Placed<'a> {
    pub marks: Vec<Cow<'a, Mark>>,
    pub frame: Frame,
    pub x: Scale,
    pub y: Scale,
    pub x_ticks: Vec<Tick>,
    pub y_ticks: Vec<Tick>,
    pub bar: Option<ColourBar>,
    /// True if there is nothing to show.
    pub empty: bool,
}

/// A complete figure with positions.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub size: Size,
    pub texts: Vec<Text>,
    pub panels: Vec<Placed<'a>>,
    /// Symbols of the legend, with the left end of their middle line; the names are among the texts.
    pub keys: Vec<(Key, f64, f64)>,
}

/// The legend's entries: every labelled mark once, in order of appearance.
pub(super) fn entries(figure: &Figure) -> Vec<(Key, String)> {
    let mut all: Vec<(Key, String)> = Vec::new();
    for mark in figure.panels.iter().flat_map(|p| &p.marks) {
        let (key, label) = match mark {
            Mark::Points { label, role, .. } => (Key::Dot(*role), label),
            Mark::Line { label, role, dashed, .. } => (Key::Line(*role, *dashed || palette::dashed(*role)), label),
            Mark::Rule { label, role, .. } => (Key::Line(*role, true), label),
            Mark::Rug { label, role, .. } => (Key::Triangle(*role), label),
            Mark::Band { label, role, .. } | Mark::Bars { label, role, .. } | Mark::Histogram { label, role, .. } => {
                (Key::Patch(*role), label)
            }
            Mark::Heat { .. } | Mark::Plane { .. } | Mark::Trail { .. } | Mark::Mesh { .. } | Mark::Nodes { .. } => {
                continue;
            }
        };
        let known = |(k, l): &(Key, String)| l == label && (*k == key || same_part(*k, key));
        if !label.trim().is_empty() && !blank(mark) && !all.iter().any(known) {
            all.push((key, label.clone()));
        }
    }
    all
}

/// Whether one line is the curve of a part and the other a draw from the same part, which has its colour.
fn same_part(one: Key, other: Key) -> bool {
    let part = |key: Key| match key {
        Key::Line(Role::Component(i) | Role::Thin(i), _) => Some(i),
        _ => None,
    };
    part(one).is_some() && part(one) == part(other)
}

/// Whether a mark has nothing to draw.
fn blank(mark: &Mark) -> bool {
    match mark {
        Mark::Points { x, .. } | Mark::Line { x, .. } | Mark::Band { x, .. } | Mark::Bars { x, .. } => x.is_empty(),
        Mark::Trail { x, .. } | Mark::Rug { x, .. } | Mark::Nodes { x, .. } => x.is_empty(),
        Mark::Plane { places, .. } => places.is_empty(),
        Mark::Histogram { values, .. } => values.is_empty(),
        Mark::Heat { z, .. } => z.is_empty(),
        Mark::Mesh { vertices, .. } => vertices.is_empty(),
        Mark::Rule { at, .. } => !at.is_finite(),
    }
}

/// Lays out a figure on a page of the given size.
pub(super) fn place(figure: &Figure, size: Size) -> Page<'_> {
    let (page_w, page_h) = (f64::from(size.width), f64::from(size.height));
    let room = (page_w - 2.0 * MARGIN).max(20.0);
    let mut page = Page { size, texts: Vec::new(), panels: Vec::new(), keys: Vec::new() };
    let mut top = MARGIN;
    for line in wrap(&figure.title, room, TITLE, true, 3) {
        page.write(MARGIN, top + 14.0, line, TITLE, true, palette::INK);
        top += 22.0;
    }
    if top > MARGIN {
        top += 6.0;
    }
    let mut bottom = page_h - MARGIN + 4.0;
    for line in wrap(&figure.note, room, SMALL, false, 4).into_iter().rev() {
        page.write(MARGIN, bottom - 4.0, line, SMALL, false, palette::QUIET);
        bottom -= 16.0;
    }
    if !figure.note.is_empty() && entries(figure).is_empty() {
        bottom -= 6.0;
    }
    bottom = page.place_legend(figure, room, bottom);
    place_grid(&mut page, figure, Frame { x: MARGIN, y: top, w: room, h: bottom - top });
    page
}

impl Page<'_> {
    fn write(&mut self, x: f64, y: f64, text: String, size: u32, bold: bool, colour: Rgb) {
        self.texts.push(Text { x, y, text, size, anchor: Anchor::Start, bold, colour });
    }

    /// Lays out the legend in rows that end at `bottom`; returns the upper end of its space.
    fn place_legend(&mut self, figure: &Figure, room: f64, bottom: f64) -> f64 {
        const SIGN: f64 = 28.0;
        const GAP: f64 = 22.0;
        const ROW: f64 = 20.0;
        let mut rows: Vec<Vec<(Key, String, f64)>> = Vec::new();
        let mut used = f64::INFINITY;
        for (key, label) in entries(figure) {
            let Some(text) = wrap(&label, room - SIGN, LABEL, false, 1).pop() else { continue };
            let needs = SIGN + width(&text, LABEL, false);
            if used + needs > room {
                rows.push(Vec::new());
                used = 0.0;
            }
            if let Some(row) = rows.last_mut() {
                row.push((key, text, used));
            }
            used += needs + GAP;
        }
        // A legend with many names must leave enough space for the panels.
        rows.truncate(((f64::from(self.size.height) * 0.35 / ROW) as usize).max(1));
        let start = bottom - ROW * rows.len() as f64;
        for (i, row) in rows.iter().enumerate() {
            let middle = start + ROW * (i as f64 + 0.5);
            for (key, text, x) in row {
                self.keys.push((*key, MARGIN + x, middle));
                self.write(MARGIN + x + SIGN, middle + 4.2, text.clone(), LABEL, false, palette::INK);
            }
        }
        if rows.is_empty() { bottom } else { start - 8.0 }
    }
}

/// The space that a panel needs around its axes.
struct Needs<'a> {
    panel: &'a Panel,
    marks: Vec<Cow<'a, Mark>>,
    scales: Option<(Scale, Scale)>,
    heading: Vec<String>,
    y_label: Vec<String>,
    x_label: Vec<String>,
}

impl Needs<'_> {
    fn above(&self) -> f64 {
        let lines = 18.0 * self.heading.len() as f64 + 16.0 * self.y_label.len() as f64;
        lines + 9.0
    }

    fn below(&self) -> f64 {
        TICK_MARK + TICK_ROOM + f64::from(TICK) + 18.0 * self.x_label.len() as f64
    }

    fn shades(&self) -> Option<Shades> {
        self.marks.iter().find_map(|m| match m.as_ref() {
            Mark::Heat { z, range, split, .. } => Shades::within(z, *range, *split),
            Mark::Nodes { values, .. } => Shades::from_white(values),
            _ => None,
        })
    }

    fn scale_label(&self) -> Option<&str> {
        self.marks.iter().find_map(|m| match m.as_ref() {
            Mark::Heat { label, .. } | Mark::Nodes { label, .. } if !label.trim().is_empty() => Some(label.as_str()),
            _ => None,
        })
    }
}

fn place_grid<'a>(page: &mut Page<'a>, figure: &'a Figure, area: Frame) {
    if figure.panels.is_empty() {
        return;
    }
    let (rows, columns) = figure.shape();
    let cell_w = (area.w - COLUMN_GAP * (columns - 1) as f64) / columns as f64;
    let needs: Vec<Needs<'a>> = (0..figure.panels.len()).map(|i| needs(figure, i, columns, cell_w)).collect();
    let most = |row: &[Needs<'a>], f: fn(&Needs<'a>) -> f64| row.iter().map(f).fold(0.0, f64::max);
    let above: Vec<f64> = needs.chunks(columns).map(|row| most(row, Needs::above)).collect();
    let below: Vec<f64> = needs.chunks(columns).map(|row| most(row, Needs::below)).collect();
    let around: f64 = above.iter().chain(&below).sum::<f64>() + ROW_GAP * (rows - 1) as f64;
    let axes_h = ((area.h - around) / rows as f64).max(16.0);

    let y_ticks: Vec<Vec<Tick>> = needs.iter().map(|n| y_ticks(n, axes_h)).collect();
    let bars: Vec<Option<(Shades, Vec<Tick>)>> =
        needs.iter().map(|n| n.shades().map(|s| (s, bar_ticks(s, axes_h)))).collect();
    let column_of = |i: usize| i % columns;
    let mut left = vec![0.0f64; columns];
    let mut right = vec![10.0f64; columns];
    for i in 0..needs.len() {
        let c = column_of(i);
        left[c] = left[c].max(widest(&y_ticks[i]) + TICK_MARK + TICK_ROOM);
        if let Some((_, ticks)) = &bars[i] {
            right[c] = right[c].max(BAR_GAP + BAR + TICK_MARK + TICK_ROOM + widest(ticks));
        }
    }
    let x_ticks: Vec<Vec<Tick>> =
        needs.iter().enumerate().map(|(i, n)| x_ticks(n, cell_w - left[column_of(i)] - right[column_of(i)])).collect();
    for (i, ticks) in x_ticks.iter().enumerate() {
        let c = column_of(i);
        let axes_w = cell_w - left[c] - right[c];
        // The last number is centred at its tick and may extend beyond the axes.
        let beyond = ticks.last().map_or(0.0, |t| width(&t.text, TICK, false) / 2.0 - (1.0 - t.at) * axes_w);
        right[c] = right[c].max(beyond + 2.0);
    }

    // squares have one size, so that they can be compared
    let squares = (0..needs.len()).filter(|i| needs[*i].panel.square).map(column_of);
    let side = squares.map(|c| (cell_w - left[c] - right[c]).max(16.0)).fold(axes_h, f64::min);

    let mut y = area.y;
    let mut row = 0;
    let all = needs.into_iter().zip(x_ticks).zip(y_ticks).zip(bars).enumerate();
    for (i, (((need, x_ticks), y_ticks), bar)) in all {
        if i > 0 && column_of(i) == 0 {
            y += above[row] + axes_h + below[row] + ROW_GAP;
            row += 1;
        }
        let c = column_of(i);
        let cell_x = area.x + c as f64 * (cell_w + COLUMN_GAP);
        let mut frame =
            Frame { x: cell_x + left[c], y: y + above[row], w: (cell_w - left[c] - right[c]).max(16.0), h: axes_h };
        if need.panel.square {
            (frame.w, frame.h) = (side, side);
        }
        page.place_panel(need, frame, cell_x, x_ticks, y_ticks, bar);
    }
}

impl<'a> Page<'a> {
    fn place_panel(
        &mut self,
        need: Needs<'a>,
        frame: Frame,
        cell_x: f64,
        x_ticks: Vec<Tick>,
        y_ticks: Vec<Tick>,
        bar: Option<(Shades, Vec<Tick>)>,
    ) {
        // Titles are directly above the axes rather than at the top of the row, in case a neighbour needs more lines.
        let mut y = frame.y - need.above();
        for line in &need.heading {
            self.write(cell_x, y + 13.0, line.clone(), HEADING, true, palette::INK);
            y += 18.0;
        }
        for line in &need.y_label {
            self.write(cell_x, y + 12.0, line.clone(), LABEL, false, palette::QUIET);
            y += 16.0;
        }
        let below = frame.y + frame.h + TICK_MARK + TICK_ROOM + f64::from(TICK);
        for (i, line) in need.x_label.iter().enumerate() {
            self.texts.push(Text {
                x: frame.x + frame.w / 2.0,
                y: below + 15.0 + 18.0 * i as f64,
                text: line.clone(),
                size: LABEL,
                anchor: Anchor::Middle,
                bold: false,
                colour: palette::QUIET,
            });
        }
        let bar = bar.map(|(shades, ticks)| ColourBar {
            shades,
            frame: Frame { x: frame.x + frame.w + BAR_GAP, w: BAR, ..frame },
            ticks,
        });
        let empty = need.scales.is_none();
        let (x, y) = need.scales.unwrap_or_else(|| (Scale::empty(), Scale::empty()));
        self.panels.push(Placed { marks: need.marks, frame, x, y, x_ticks, y_ticks, bar, empty });
    }
}

fn needs(figure: &Figure, i: usize, columns: usize, cell_w: f64) -> Needs<'_> {
    let panel = &figure.panels[i];
    let marks = ordered(panel);
    let scales = scales(panel, &marks);
    // A label shared with the panel below is written once, at the bottom of the column.
    let repeated = figure.panels.get(i + columns).is_some_and(|below| below.x.label == panel.x.label);
    let mut needs = Needs {
        panel,
        marks,
        scales,
        heading: wrap(&panel.title, cell_w, HEADING, true, 2),
        y_label: wrap(&panel.y.label, cell_w, LABEL, false, 2),
        x_label: if repeated { Vec::new() } else { wrap(&panel.x.label, cell_w * 0.85, LABEL, false, 2) },
    };
    if let Some(shaded) = needs.scale_label() {
        let both = if panel.y.label.trim().is_empty() {
            format!("colour: {shaded}")
        } else {
            format!("{} · colour: {shaded}", panel.y.label)
        };
        needs.y_label = wrap(&both, cell_w, LABEL, false, 2);
    }
    needs
}

fn widest(ticks: &[Tick]) -> f64 {
    ticks.iter().map(|t| width(&t.text, TICK, false)).fold(0.0, f64::max)
}

/// Names are truncated at this width in pixels.
const NAME_ROOM: f64 = 160.0;

fn y_ticks(need: &Needs<'_>, height: f64) -> Vec<Tick> {
    let Some((_, scale)) = need.scales.as_ref().filter(|_| !need.panel.is_space()) else { return Vec::new() };
    let want = match need.panel {
        panel if !panel.y.names.is_empty() => height / 14.0,
        // Both axes of a square have the same ticks.
        panel if panel.square => height / 75.0,
        _ => (height / 36.0).max((height / 24.0).min(4.0)),
    };
    shortened(scale.ticks(&need.panel.y, want as usize), NAME_ROOM)
}

fn bar_ticks(shades: Shades, height: f64) -> Vec<Tick> {
    let axis = Axis { range: Some((shades.lo, shades.hi)), ..Axis::default() };
    match Scale::over(&axis, std::iter::empty(), (0.0, 0.0)) {
        Some(scale) => scale.ticks(&axis, (height / 55.0) as usize),
        // A single value: its own tick, in the middle of the bar.
        None => vec![Tick { at: 0.5, text: short(shades.lo) }],
    }
}

/// As many ticks as fit next to one another.
fn x_ticks(need: &Needs<'_>, room: f64) -> Vec<Tick> {
    let Some((scale, _)) = need.scales.as_ref().filter(|_| !need.panel.is_space()) else { return Vec::new() };
    let axis = &need.panel.x;
    let mut want = if axis.names.is_empty() { (room / 75.0) as usize } else { axis.names.len().min(400) };
    loop {
        let names = axis.names.len().clamp(1, want.max(1)) as f64;
        let longest = if axis.names.is_empty() { NAME_ROOM } else { (room / names - 16.0).clamp(40.0, NAME_ROOM) };
        let ticks = shortened(scale.ticks(axis, want), longest);
        let takes = (widest(&ticks) + 14.0) * ticks.len() as f64;
        if takes <= room + 14.0 || want <= 2 {
            return ticks;
        }
        want -= 1;
    }
}

fn shortened(mut ticks: Vec<Tick>, room: f64) -> Vec<Tick> {
    for tick in &mut ticks {
        if tick.text.len() > 12 {
            tick.text = wrap(&tick.text, room, TICK, false, 1).pop().unwrap_or_default();
        }
    }
    ticks
}
