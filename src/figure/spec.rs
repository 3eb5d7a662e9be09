//! A figure as plain data: panels, axes, marks, and the role of each mark.

use crate::calendar::TimeUnit;

/// The longest side of a picture in CSS pixels.
pub(super) const LARGEST: u32 = 8000;

/// A picture: a title, panels in reading order, and a line of small print.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// Stands above everything; empty for none.
    pub title: String,
    /// Small print below everything; empty for none.
    pub note: String,
    /// Panels in a row before the next row starts; 0 counts as 1.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// A figure of one panel.
    pub fn single(title: impl Into<String>, panel: Panel) -> Self {
        Self { title: title.into(), note: String::new(), columns: 1, panels: vec![panel] }
    }

    /// A figure of several panels, `columns` in a row.
    pub fn grid(title: impl Into<String>, columns: usize, panels: Vec<Panel>) -> Self {
        Self { title: title.into(), note: String::new(), columns, panels }
    }

    /// The same figure with a line of small print.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Rows and columns of the grid of panels; never more columns than panels.
    pub(super) fn shape(&self) -> (usize, usize) {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        (self.panels.len().div_ceil(columns), columns)
    }
}

/// One pair of axes with what is drawn between them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// Stands above the axes; empty for none.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Draws the axes as a square, for matrices and for predicted against observed.
    pub square: bool,
    /// What is drawn, back to front within a kind; heat lies under bands, these under lines, these under points.
    pub marks: Vec<Mark>,
}

impl Panel {
    /// A panel without a title. Labels carry the unit: `"passengers (thousands)"`.
    pub fn new(x: impl Into<String>, y: impl Into<String>, marks: Vec<Mark>) -> Self {
        Self { title: String::new(), x: Axis::new(x), y: Axis::new(y), square: false, marks }
    }

    /// Whether it shows a space of its own instead of a pair of axes.
    pub(super) fn is_space(&self) -> bool {
        self.marks.iter().any(|mark| matches!(mark, Mark::Mesh { .. }))
    }

    /// The same panel with a title.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }
}

/// An axis: what it measures and how.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// Name with unit, such as `"year"` or `"passengers (thousands)"`.
    pub label: String,
    /// Logarithmic; values that are not positive are left out.
    pub log: bool,
    /// Least and greatest value shown, in the axis' unit; from the data when absent. The order of the two is free.
    pub range: Option<(f64, f64)>,
    /// Least value at the top (or right), as rows of a matrix are written.
    pub reversed: bool,
    /// Names in place of numbers, each at its value; numbers when empty.
    pub names: Vec<(f64, String)>,
    /// Values are numbers of this unit since 1970, and ticks are dates.
    pub time: Option<TimeUnit>,
}

impl Axis {
    /// A linear axis that takes its range from the data.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }
}

/// Something drawn in a panel. Slices of unequal length are read up to the shortest. An empty label has no legend entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A dot for every pair.
    Points { x: Vec<f64>, y: Vec<f64>, label: String, role: Role },
    /// A line through the pairs in their order.
    Line { x: Vec<f64>, y: Vec<f64>, label: String, role: Role, dashed: bool },
    /// The area between two curves over ascending `x`.
    Band { x: Vec<f64>, lo: Vec<f64>, hi: Vec<f64>, label: String, role: Role },
    /// A straight line across the panel at one value of `x` or `y`; it widens the range to be seen.
    Rule { at: f64, across: Across, label: String, role: Role },
    /// A matrix as coloured cells centred at `x` (columns) and `y` (rows), `z` row by row; `label` names the colours,
    /// which go over `range`, or over the values; `split` has white in the middle of the range. `texts`, one for each value
    /// or none, stand in the cells, which have borders then; each line of a text is one there.
    Heat {
        x: Vec<f64>,
        y: Vec<f64>,
        z: Vec<f64>,
        label: String,
        range: Option<(f64, f64)>,
        split: bool,
        texts: Vec<String>,
    },
    /// Cells centred at `x` (columns) and `y` (rows), each coloured by a place in a plane, row by row: two numbers from −1
    /// to 1, the first for the hue and the second for the lightness.
    Plane { x: Vec<f64>, y: Vec<f64>, places: Vec<[f64; 2]> },
    /// A line whose colour runs with `along`, from its least to its greatest value.
    Trail { x: Vec<f64>, y: Vec<f64>, along: Vec<f64> },
    /// Triangles below the horizontal axis, one at each of `x` that is within its range.
    Rug { x: Vec<f64>, label: String, role: Role },
    /// Bars from zero, centred at `x`, each `width` wide in the unit of `x`.
    Bars { x: Vec<f64>, height: Vec<f64>, width: f64, label: String, role: Role },
    /// A surface in space: faces between vertices, counted from 0, coloured by the mean of `shade` at their corners. Edges
    /// of `rims`, closed curves of vertices, are drawn as its ends. Seen from `view`, azimuth and elevation in degrees, or
    /// from where most of it shows. A panel that has one has no axes.
    Mesh {
        vertices: Vec<[f64; 3]>,
        faces: Vec<Vec<u32>>,
        shade: Vec<f64>,
        rims: Vec<Vec<u32>>,
        view: Option<(f64, f64)>,
    },
    /// Counts of `values` in bins of a round width, about `bins` of them (from the data when absent).
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

/// What a mark stands for. Colours follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Observations the model was fitted to.
    Data,
    /// Observations held out.
    Test,
    /// A posterior mean or another single curve.
    Mean,
    /// Uncertainty about the mean.
    Band,
    /// One of several function draws, counted from 0.
    Draw(usize),
    /// One of so many function draws that they are not told apart.
    Cloud,
    /// One of several parts, counted from 0.
    Component(usize),
    /// Inducing inputs.
    Inducing,
    /// Zero lines, diagonals and other aids to the eye.
    Reference,
}

/// Width and height of a picture in CSS pixels. A PNG has twice as many of its own in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    /// The size at which a figure's panels have room to be read.
    pub fn of(figure: &Figure) -> Self {
        let (rows, columns) = figure.shape();
        let space = figure.panels.iter().any(Panel::is_space);
        let square = space || figure.panels.iter().any(|p| p.square);
        let heat =
            figure.panels.iter().flat_map(|p| &p.marks).any(|m| matches!(m, Mark::Heat { .. } | Mark::Plane { .. }));
        let (width, row) = match columns {
            1 if space => (760, 600),
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
