//! A figure as plain data: panels, axes, marks, and the role of each mark.

use crate::calendar::TimeUnit;

/// The longest side of an image in CSS pixels.
pub(super) const LARGEST: u32 = 8000;

/// A figure: a title, panels in reading order, and a note in small print.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// Above everything; empty for none.
    pub title: String,
    /// A note in small print below everything; empty for none.
    pub note: String,
    /// The number of panels in a row; 0 counts as 1.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// The size of its image; a legible one if `None`.
    pub size: Option<Size>,
}

impl Figure {
    /// A figure with one panel.
    pub fn single(title: impl Into<String>, panel: Panel) -> Self {
        Self { title: title.into(), columns: 1, panels: vec![panel], ..Self::default() }
    }

    /// A figure with several panels, `columns` in a row.
    pub fn grid(title: impl Into<String>, columns: usize, panels: Vec<Panel>) -> Self {
        Self { title: title.into(), columns, panels, ..Self::default() }
    }

    /// The same figure with a note in small print.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Rows and columns of the grid of panels; at most as many columns as panels.
    pub(super) fn shape(&self) -> (usize, usize) {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        (self.panels.len().div_ceil(columns), columns)
    }
}

/// A pair of axes with marks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// Above the axes; empty for none.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Whether the axes form a square, for matrices and for predicted against observed values.
    pub square: bool,
    /// The marks, back to front within a kind; heat maps are below bands, bands below lines, lines below points.
    pub marks: Vec<Mark>,
}

impl Panel {
    /// A panel without a title. Labels contain the unit: `"passengers (thousands)"`.
    pub fn new(x: impl Into<String>, y: impl Into<String>, marks: Vec<Mark>) -> Self {
        Self { title: String::new(), x: Axis::new(x), y: Axis::new(y), square: false, marks }
    }

    /// Whether it shows a space instead of a pair of axes.
    pub fn is_space(&self) -> bool {
        self.marks.iter().any(|mark| matches!(mark, Mark::Mesh { .. } | Mark::Nodes { .. }))
    }

    /// The same panel with a title.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }
}

/// An axis: its quantity and scale.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// Name with unit, such as `"year"` or `"passengers (thousands)"`.
    pub label: String,
    /// Logarithmic; values that are not positive are left out.
    pub log: bool,
    /// The least and greatest displayed value in the unit of the axis, in either order; from the data if `None`.
    pub range: Option<(f64, f64)>,
    /// Whether the least value is at the top (or right), as for rows of a matrix.
    pub reversed: bool,
    /// Names instead of numbers, each at its value; empty for numbers.
    pub names: Vec<(f64, String)>,
    /// Whether ticks are at whole numbers only, as for counts.
    pub whole: bool,
    /// If set, values are numbers of this unit since 1970, and ticks are dates.
    pub time: Option<TimeUnit>,
}

impl Axis {
    /// A linear axis with a range from the data.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// The same axis with a range from the data.
    #[must_use]
    pub fn without_range(&self) -> Self {
        Self { range: None, ..self.clone() }
    }

    /// A linear axis of counts.
    pub fn counts(label: impl Into<String>) -> Self {
        Self { label: label.into(), whole: true, ..Self::default() }
    }
}

/// A mark in a panel. Slices of unequal length are read up to the shortest. A mark with an empty label has no legend
/// entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A dot for every pair.
    Points { x: Vec<f64>, y: Vec<f64>, label: String, role: Role },
    /// A line through the pairs in their order.
    Line { x: Vec<f64>, y: Vec<f64>, label: String, role: Role, dashed: bool },
    /// The area between two curves over ascending `x`.
    Band { x: Vec<f64>, lo: Vec<f64>, hi: Vec<f64>, label: String, role: Role },
    /// A straight line across the panel at one value of `x` or `y`; the range is extended to contain it.
    Rule { at: f64, across: Across, label: String, role: Role },
    /// A matrix as coloured cells centred at `x` (columns) and `y` (rows), `z` row by row. `label` names the colours,
    /// which cover `range` or the values; `split` has white in the middle of the range. `texts`, one per value or none,
    /// are written in the cells, which then have borders; lines of a text are separate lines.
    Heat {
        x: Vec<f64>,
        y: Vec<f64>,
        z: Vec<f64>,
        label: String,
        range: Option<(f64, f64)>,
        split: bool,
        texts: Vec<String>,
    },
    /// Cells centred at `x` (columns) and `y` (rows), each coloured by a position in a plane, row by row: two numbers
    /// from −1 to 1, the first for the hue and the second for the lightness.
    Plane { x: Vec<f64>, y: Vec<f64>, places: Vec<[f64; 2]> },
    /// A line with a colour according to `along`, from its least to its greatest value.
    Trail { x: Vec<f64>, y: Vec<f64>, along: Vec<f64> },
    /// Named nodes coloured by their values, with lines between pairs of them, counted from 0. `label` names the colours,
    /// from 0 to the largest value. A panel with nodes has no axes.
    Nodes { x: Vec<f64>, y: Vec<f64>, values: Vec<f64>, names: Vec<String>, edges: Vec<[usize; 2]>, label: String },
    /// Triangles below the horizontal axis, one at each of `x` within its range.
    Rug { x: Vec<f64>, label: String, role: Role },
    /// Bars from zero, centred at `x`, each `width` wide in the unit of `x`.
    Bars { x: Vec<f64>, height: Vec<f64>, width: f64, label: String, role: Role },
    /// A surface in space: faces between vertices, counted from 0, coloured by the mean of `shade` at their corners.
    /// `rims`, closed curves of vertices, are drawn as its ends. `view` is an azimuth and elevation in degrees; by
    /// default most of the surface is visible. `names` are written beside vertices, away from the centre, if there is a
    /// view. A panel with a mesh has no axes.
    Mesh {
        vertices: Vec<[f64; 3]>,
        faces: Vec<Vec<u32>>,
        shade: Vec<f64>,
        rims: Vec<Vec<u32>>,
        names: Vec<(u32, String)>,
        view: Option<(f64, f64)>,
    },
    /// Counts of `values` in about `bins` bins of a round width (from the data if `None`).
    Histogram { values: Vec<f64>, bins: Option<usize>, label: String, role: Role },
}

/// The direction in which a [`Mark::Rule`] runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Across {
    /// Along the x axis, at one value of `y`.
    Horizontal,
    /// Along the y axis, at one value of `x`.
    Vertical,
}

/// The meaning of a mark, which determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Observations the model was fitted to.
    Data,
    /// Observations behind others that matter more.
    Faint,
    /// Held-out observations.
    Test,
    /// A posterior mean or another single curve.
    Mean,
    /// Uncertainty about the mean.
    Band,
    /// One of several function draws, counted from 0.
    Draw(usize),
    /// One of many function draws, which are not distinguished.
    Cloud,
    /// One of several parts, counted from 0.
    Component(usize),
    /// A draw that belongs to one of several parts, with its colour.
    Thin(usize),
    /// Inducing inputs.
    Inducing,
    /// Contours of a map.
    Contour,
    /// Zero lines, diagonals and other guides.
    Reference,
}

/// Width and height of an image in CSS pixels. A PNG has twice as many pixels in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

/// The pixels that the longest row of named nodes needs, with the longest word of each name in a line.
fn widest_row(mark: &Mark) -> u32 {
    const LETTER: usize = 7;
    /// A sign after the word, and the space around it.
    const AROUND: usize = 48;
    let Mark::Nodes { y, names, .. } = mark else { return 0 };
    let most = y.iter().map(|row| y.iter().filter(|other| *other == row).count()).max().unwrap_or(0);
    let longest = names.iter().flat_map(|name| name.split_whitespace()).map(|word| word.chars().count()).max();
    u32::try_from(most * (LETTER * longest.unwrap_or(0) + AROUND) + 100).unwrap_or(LARGEST)
}

impl Size {
    /// The longest side of an image.
    pub const LARGEST: u32 = LARGEST;

    /// The size of a figure, or one at which its panels are legible.
    pub fn of(figure: &Figure) -> Self {
        if let Some(size) = figure.size {
            return size;
        }
        let (rows, columns) = figure.shape();
        let space = figure.panels.iter().any(Panel::is_space);
        let square = space || figure.panels.iter().any(|p| p.square);
        // the longest row of named nodes
        let nodes = figure.panels.iter().flat_map(|p| &p.marks).map(widest_row).max().unwrap_or(0);
        let heat =
            figure.panels.iter().flat_map(|p| &p.marks).any(|m| matches!(m, Mark::Heat { .. } | Mark::Plane { .. }));
        let (width, row) = match columns {
            1 if space => (nodes.clamp(760, 1600), 600),
            1 if square => (if heat { 620 } else { 560 }, 560),
            1 if rows == 1 => (860, 470),
            1 => (860, 215),
            2 => (1000, if square { 450 } else { 320 }),
            3 => (1200, if square { 380 } else { 260 }),
            n => (u32::try_from(n).unwrap_or(u32::MAX).saturating_mul(340).min(LARGEST), 250),
        };
        let rows = u32::try_from(rows.max(1)).unwrap_or(u32::MAX);
        Self { width, height: rows.saturating_mul(row).saturating_add(50).min(LARGEST) }
    }
}
