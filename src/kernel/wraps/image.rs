//! Kernels of functions of images (or signals) that are invariant to shifts of the image.
//!
//! Every input is a pixel. `translate`: Σᵢ k(x, Tᵢx′) over all circular shifts (Duvenaud, "Expressing Structure with
//! Kernels", 1.29). `conv`: the same over rows and columns (1.30). The printed sum over shifts of the second argument
//! alone is a kernel only over the whole circular group, for a kernel that is invariant when both arguments are
//! shifted. Here the sum is over the shifts of both arguments, divided by their number: this is always a kernel, and
//! equals the printed sum where that is one. With `normalize` it is divided by √(k(x, x)·k(x′, x′)).

use std::borrow::Cow;
use std::sync::Arc;

use super::combinations::{Normalized, Weighted};
use super::invariant::{moved_pair, pairs, with_multiplicity};
use super::warp::inputs_of;
use crate::kernel::bind_error::{BindError, Cause, Place};
use crate::kernel::family::Spec;
use crate::kernel::group::{Coordinate, Placement};
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::{InputRef, Inputs};
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::tree::Wrap;
use crate::kernel::tree::{Kernel, Wrapped};

pub(super) static TRANSLATE: Spec = Spec {
    name: "translate",
    aliases: &[],
    summary: "functions of a signal that are invariant under cyclic shifts of it",
    wording: Wording::wrap("{k}, invariant to circular shifts of the signal"),
    formula: "sum over all shifts T of k(x, T x')",
    latex: r"\sum_{i} k(x, T_i x')",
    params: &[],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: false,
    several_inputs: true,
    infinitely_divisible: false,
    example: "translate(SE([0, 1, 2]))",
    points: &[],
};

pub(super) static CONV: Spec = Spec {
    name: "conv",
    aliases: &[],
    summary: "functions of an image that are invariant under shifts of it",
    wording: Wording::wrap("{k}, summed over all shifts of the image"),
    formula: "sum over shifts T, U of k(T x, U x'), divided by their number",
    latex: r"\frac{1}{n} \sum_{i,j} k(T_i x, T_j x')",
    params: &[],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: false,
    several_inputs: true,
    infinitely_divisible: false,
    example: "conv(SE([0, 1, 2, 3]), rows=2, cols=2)",
    points: &[],
};

/// The pixels beyond the edge of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Edges {
    /// Those at the other edge.
    #[default]
    Wrap,
    /// Zeros.
    Zero,
}

impl Edges {
    /// All treatments of edges.
    pub const ALL: [Edges; 2] = [Edges::Wrap, Edges::Zero];

    /// The name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Edges::Wrap => "wrap",
            Edges::Zero => "zero",
        }
    }
}

/// The shifts of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Shifts {
    pub rows: usize,
    pub cols: usize,
    /// At most this number of pixels in each direction; any number if `None`.
    pub radius: Option<usize>,
    pub edges: Edges,
}

/// `kernel` over signals whose values are its inputs, summed over all circular shifts.
pub fn translate(kernel: Kernel, normalize: bool) -> Kernel {
    Kernel::wrap(Arc::new(Image { shifts: None, normalize }), vec![kernel], Inputs::All, Vec::new())
}

/// `kernel` over images, stored by rows, summed over shifts of both arguments.
pub fn conv(kernel: Kernel, shifts: Shifts, normalize: bool) -> Kernel {
    Kernel::wrap(Arc::new(Image { shifts: Some(shifts), normalize }), vec![kernel], Inputs::All, Vec::new())
}

#[derive(Debug)]
struct Image {
    /// `None`: one row that contains all pixels.
    shifts: Option<Shifts>,
    normalize: bool,
}

impl Wrap for Image {
    fn spec(&self) -> &'static Spec {
        if self.shifts.is_some() { &CONV } else { &TRANSLATE }
    }

    fn phrase(&self) -> Cow<'static, str> {
        let Some(shifts) = &self.shifts else { return TRANSLATE.wording.noun.into() };
        let how_far = match shifts.radius {
            None => "over all shifts of the image".to_string(),
            Some(1) => "over shifts of the image by up to 1 pixel".to_string(),
            Some(radius) => format!("over shifts of the image by up to {radius} pixels"),
        };
        let edges = match shifts.edges {
            Edges::Wrap => "",
            Edges::Zero => ", with zeros beyond its edges",
        };
        format!("{{k}}, summed {how_far}{edges}").into()
    }

    fn options(&self) -> String {
        self.extras(&[]).join(", ")
    }

    fn extras(&self, _inputs: &[InputRef]) -> Vec<String> {
        let mut all = Vec::new();
        if let Some(shifts) = &self.shifts {
            all.push(format!("rows={}", shifts.rows));
            all.push(format!("cols={}", shifts.cols));
            all.extend(shifts.radius.map(|radius| format!("radius={radius}")));
            if shifts.edges != Edges::default() {
                all.push(format!("edges=\"{}\"", shifts.edges.name()));
            }
        }
        if self.normalize {
            all.push("normalize=true".into());
        }
        all
    }

    fn moves_arguments_separately(&self) -> bool {
        true
    }

    fn is_linear(&self) -> bool {
        !self.normalize
    }

    /// Normalization cancels a variance inside.
    fn unit_variance_inside(&self, unit_variance: bool) -> bool {
        unit_variance || self.normalize
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError> {
        let child = &wrapped.children[0];
        // an index and a name can refer to the same pixel
        let mut pixels: Vec<usize> = Vec::new();
        for pixel in inputs_of(plan, child)? {
            if !pixels.contains(&pixel) {
                pixels.push(pixel);
            }
        }
        plan.numbers(node.origin(), &pixels, "cannot be pixels")?;
        plan.not_embedded(node.origin(), &pixels, views.left, self.spec().name)?;
        let whole = Shifts { rows: 1, cols: pixels.len(), radius: None, edges: Edges::Wrap };
        let shifts = self.shifts.as_ref().unwrap_or(&whole);
        if shifts.rows.checked_mul(shifts.cols) != Some(pixels.len()) {
            let cause = Cause::Image { rows: shifts.rows, cols: shifts.cols, inputs: pixels.len() };
            return Err(BindError { origin: node.origin(), place: Place::Node, cause });
        }
        let placements = shifts.placements(&pixels, plan.width());
        let sum = |plan: &mut Plan<'_>, views: ViewPair| -> Result<usize, BindError> {
            let pairs = pairs(plan, child, &placements, shifts.is_group());
            let moved_views: Vec<ViewPair> = pairs.iter().map(|(g, h, _)| moved_pair(plan, views, g, h)).collect();
            let registers = plan.copies(wrapped, 0, &moved_views)?;
            let (args, counts) = with_multiplicity(&registers, pairs.iter().map(|p| p.2));
            let weights: Vec<f64> = counts.iter().map(|&n| n as f64 / placements.len() as f64).collect();
            Ok(plan.weighted_sum(Box::new(Weighted(weights.clone())), args, &weights))
        };
        if !self.normalize {
            let register = sum(plan, views)?;
            plan.no_params();
            return Ok(register);
        }
        let diagonals = [ViewPair::both(views.left), ViewPair::both(views.right)];
        let mut registers = Vec::new();
        plan.repeated(&[views, diagonals[0], diagonals[1]], |plan, views| {
            registers.push(sum(plan, views)?);
            Ok(())
        })?;
        plan.no_params();
        let parts = Parts { diagonals: Some([registers[1], registers[2]]), ..Parts::of(vec![registers[0]], views) };
        Ok(plan.elementwise(Box::new(Normalized { alike: views.left == views.right }), parts))
    }
}

impl Shifts {
    /// Whether they are all circular shifts, which form a group.
    fn is_group(&self) -> bool {
        let whole = |size: usize| self.radius.is_none_or(|r| 2 * r + 1 >= size);
        self.edges == Edges::Wrap && whole(self.rows) && whole(self.cols)
    }

    /// Each shift once.
    fn placements(&self, pixels: &[usize], width: usize) -> Vec<Placement> {
        let (rows, cols) = (self.rows as i64, self.cols as i64);
        let reach = |size: i64| {
            let radius = self.radius.map_or(size - 1, |r| (r as i64).min(size - 1));
            match self.edges {
                // one full circle is enough
                Edges::Wrap if 2 * radius + 1 >= size => 0..size,
                _ => -radius..radius + 1,
            }
        };
        let mut all = Vec::new();
        for down in reach(rows) {
            for along in reach(cols) {
                let mut placement = Placement::identity(width);
                for row in 0..rows {
                    for col in 0..cols {
                        let (from_row, from_col) = (row + down, col + along);
                        let inside = (0..rows).contains(&from_row) && (0..cols).contains(&from_col);
                        let from = from_row.rem_euclid(rows) * cols + from_col.rem_euclid(cols);
                        let sign = if inside || self.edges == Edges::Wrap { 1.0 } else { 0.0 };
                        placement.0[pixels[(row * cols + col) as usize]] =
                            Coordinate { from: pixels[from as usize], sign, add: 0.0 };
                    }
                }
                all.push(placement);
            }
        }
        all
    }
}
