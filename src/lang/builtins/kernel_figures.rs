//! Figures of kernels without data: along one input, over two, and as surfaces of one value over three.

use std::sync::Arc;

use rand_distr::{Distribution, StandardNormal};

use crate::calendar::{Moment, TimeUnit};
use crate::describe;
use crate::describe::result_figures::BandOf;
use crate::figure::Figure;
use crate::figure::standard_figures::{Names, drawn, line, map_panel, zero};
use crate::figure::{Mark, Panel, Role as MarkRole};
use crate::kernel::{InputRef, Kernel, Node, Role};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::kernel_rows::{Placed, Rows, mentions_times};
use crate::lang::eval::kernel_spans::Origins;
use crate::lang::numerals::number;
use crate::linalg::{Vector, pivoted_cholesky};
use crate::model::has_white_noise;
use crate::progress::{Progress, StopHandle};

/// The number of functions in a figure, if not given.
const DRAWS: usize = 3;
/// The largest number of points along one input.
const MOST: usize = 1601;
/// The number of points along each side of a map of covariances, and of a map of a draw.
const SIDE: usize = 81;
const DRAWN_SIDE: usize = 41;
/// The largest number of maps of draws in a figure; more would be specks.
const MOST_MAPS: usize = 60;

/// The arguments of the figure of a kernel.
#[derive(Clone)]
pub struct KernelPlot {
    /// The range of the inputs.
    pub range: Option<(f64, f64)>,
    /// Whether the range or the point is written as dates: the numbers are then days, and are shown as dates.
    pub dates: bool,
    /// The point x₀ of k(·, x₀); the origin if `None`.
    pub at: Option<Vec<f64>>,
    pub show: Option<Arc<str>>,
    pub draws: Option<usize>,
    /// A position in the circle of an animation, from 0 to 1.
    pub phase: f64,
    /// The direction from which surfaces over three inputs are seen, in degrees.
    pub view: Option<(f64, f64)>,
    /// Whether it is the prior beside other values, with its band.
    pub prior: bool,
    pub random: rand_pcg::Pcg64,
    pub stop: StopHandle,
}

/// A kernel with its inputs and their range.
#[derive(Clone)]
pub(super) struct Shown<'k> {
    pub(super) kernel: &'k Kernel,
    origins: &'k Origins,
    pub(super) plot: KernelPlot,
    names: Vec<String>,
    pub(super) at: Vec<f64>,
    /// The range of each input.
    pub(super) ranges: Vec<(f64, f64)>,
    timed: bool,
    /// Whether its only input has dates.
    dates: bool,
}

/// The figure of a kernel.
///
/// # Errors
/// A kernel that cannot be evaluated; a point with another number of inputs; a figure that needs other inputs.
pub fn picture(kernel: &Kernel, plot: KernelPlot, origins: &Origins) -> Res<Figure> {
    let width = least_width(kernel, origins)?;
    let at = match plot.at.clone() {
        None => vec![0.0; width],
        Some(at) if at.len() == width => at,
        Some(at) => {
            let many = if width == 1 { "1 input".into() } else { format!("{width} inputs") };
            let text = format!("this kernel has {many}, and the point has {}", at.len());
            return Err(LangError::new(text).argument("at").help("give one number for each input, as in `at=[0, 1]`"));
        }
    };
    let alone = plot.show.is_none();
    if alone && width > 1 && plot.draws.is_some() {
        let text = "the figure of a kernel of several inputs shows one draw, or none";
        return Err(LangError::new(text).argument("draws").help("`show=\"draws\"` shows several"));
    }
    if width > 1 && plot.show.as_deref() == Some("draws") && plot.draws.is_some_and(|draws| draws > MOST_MAPS) {
        let text = format!("a figure has at most {MOST_MAPS} maps, found {}", plot.draws.unwrap_or_default());
        let help =
            "`sample(k, rows, n=…)` gives more draws as numbers, and `show=\"slice\"` shows many along one input";
        return Err(LangError::new(text).argument("draws").help(help));
    }
    if plot.view.is_some() && !(alone && width == 3) {
        let text = "`view=` does not apply to this figure of a kernel";
        return Err(LangError::new(text)
            .argument("view")
            .help("it applies to surfaces, as of a kernel of three inputs"));
    }
    let timed = mentions_times(kernel);
    let own = plot.range.unwrap_or_else(|| default_range(kernel));
    // without a range it is around the point
    let around = |at: &f64| match own {
        (lo, hi) if plot.range.is_some() || (lo..=hi).contains(at) => (lo, hi),
        (lo, hi) => (at + lo, at + hi),
    };
    let ranges = at.iter().map(around).collect();
    let dates = plot.dates && width == 1;
    let shown = Shown { names: input_names(kernel, width), kernel, origins, at, ranges, timed, dates, plot };
    let mut panels = match (shown.plot.show.as_deref(), width) {
        (None, 1) | (Some("slice"), _) => vec![shown.covariance_panel()?, shown.draws_panel()?],
        (Some("terms"), _) => vec![shown.terms_panel()?],
        (None, 3) => shown.space_panels()?,
        (None, _) => [vec![shown.covariance_map()?], shown.draw_maps(1)?].concat(),
        (Some("covariance"), 1) => vec![shown.covariance_panel()?],
        (Some("covariance"), _) => vec![shown.covariance_map()?],
        (Some("draws"), 1) => vec![shown.draws_panel()?],
        (Some("draws"), _) => shown.draw_maps(shown.plot.draws.unwrap_or(DRAWS))?,
        (Some("variance"), 1) => vec![shown.variance_panel()?],
        (Some(_), _) => vec![shown.variance_map()?],
    };
    if shown.dates && shown.plot.show.as_deref() != Some("terms") {
        panels.iter_mut().for_each(Panel::on_dates);
    }
    let columns = panels.len().min(3);
    let figure = Figure::grid(kernel.to_string(), columns, panels);
    Ok(match alone && width == 3 {
        true => figure.with_note(format!("Colours show the height, from low to high {}.", shown.axis(2))),
        false => figure,
    })
}

/// The least number of inputs with which a kernel can be evaluated.
fn least_width(kernel: &Kernel, origins: &Origins) -> Res<usize> {
    /// The largest number of inputs beyond those that are mentioned.
    const FURTHER: usize = 15;
    let (mentioned, all) = kernel.mentioned();
    if !all {
        return Ok(mentioned.len().max(1));
    }
    let index = |input: &InputRef| if let InputRef::Index(at) = input { at + 1 } else { 0 };
    let least = mentioned.iter().map(index).max().unwrap_or(0).max(mentioned.len()).max(1);
    let placed = |width: usize| Placed::new(kernel, &Rows::numbers(1, vec![vec![0.0]; width]), true, origins).map(drop);
    let Err(first) = placed(least) else { return Ok(least) };
    (least + 1..=least + FURTHER).find(|width| placed(*width).is_ok()).ok_or(first)
}

/// The names of the inputs on axes: `x` for the only one without a name.
fn input_names(kernel: &Kernel, width: usize) -> Vec<String> {
    let (mentioned, all) = kernel.mentioned();
    let by_name = mentioned.iter().any(|input| matches!(input, InputRef::Name(_)));
    let name = |i: usize| match mentioned.get(i) {
        Some(InputRef::Name(name)) => name.to_string(),
        Some(InputRef::Index(at)) if !all && width > 1 => format!("input {at}"),
        _ if width == 1 => "x".into(),
        _ if by_name => format!("input {}", i + 1),
        _ => format!("input {i}"),
    };
    (0..width).map(name).collect()
}

/// The range that a kernel has in its figure if none is given.
pub fn default_range(kernel: &Kernel) -> (f64, f64) {
    // if a parameter is written as a time, numbers are days
    let in_days = in_days(kernel);
    let reach = reach(longest_scale(&in_days));
    (-reach, reach)
}

fn in_days(kernel: &Kernel) -> Kernel {
    match mentions_times(kernel) {
        true => kernel.map_params(&mut |param| param.in_unit(TimeUnit::Day)),
        false => kernel.clone(),
    }
}

pub(super) fn grid((lo, hi): (f64, f64), points: usize) -> Vec<f64> {
    let at = |i: usize| i as f64 / (points - 1) as f64;
    (0..points).map(|i| lo * (1.0 - at(i)) + hi * at(i)).collect()
}

impl Shown<'_> {
    /// The same for a part of the kernel.
    pub(super) fn of_part<'p>(&'p self, kernel: &'p Kernel) -> Shown<'p> {
        Shown { kernel, ..self.clone() }
    }

    pub(super) fn axis(&self, input: usize) -> String {
        let name = &self.names[input];
        if self.timed && !self.dates { format!("{name} (days)") } else { name.clone() }
    }

    /// The first number of the point, or its date.
    fn first(&self) -> String {
        match Moment::from(self.at[0], TimeUnit::Day).filter(|_| self.dates) {
            Some(date) => date.exact_text(),
            None => number(self.at[0]),
        }
    }

    pub(super) fn point(&self) -> String {
        match &self.at[..] {
            [only] => number(*only),
            [first, .., last] if self.at.len() > 3 && self.at.iter().all(|v| v == first) => {
                format!("({}, …, {})", number(*first), number(*last))
            }
            several => format!("({})", several.iter().map(|v| number(*v)).collect::<Vec<_>>().join(", ")),
        }
    }

    /// The values of inputs that a figure does not show.
    fn others(&self, shown: usize) -> String {
        match &self.at[shown..] {
            [] => String::new(),
            [first, rest @ ..] if rest.len() > 1 && rest.iter().all(|v| v == first) => {
                format!(", at {} in the other {} inputs", number(*first), rest.len() + 1)
            }
            several => {
                let places = several.iter().enumerate();
                let places = places.map(|(i, v)| format!("{} = {}", self.names[shown + i], number(*v)));
                format!(", at {}", places.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Rows that vary in the first inputs, with the other inputs at the point.
    pub(super) fn rows(&self, first: Vec<Vec<f64>>) -> Rows {
        let n = first.first().map_or(1, Vec::len);
        let rest = self.at[first.len()..].iter().map(|v| vec![*v; n]);
        let columns = first.into_iter().chain(rest).collect();
        Rows::numbers(n, columns)
    }

    fn placed(&self, rows: &Rows) -> Res<Placed> {
        Placed::new(self.kernel, rows, true, self.origins)
    }

    /// k(x, x₀) at rows.
    pub(super) fn covariances(&self, rows: &Rows) -> Res<Vec<f64>> {
        let point = Rows::numbers(1, self.at.iter().map(|v| vec![*v]).collect());
        let placed = self.placed(&rows.then(&point)?)?;
        let values = placed.cross(rows, &point).map_err(|error| self.origins.eval_error(&error))?;
        Ok(values.iter().copied().collect())
    }

    /// k(x, x) at rows.
    pub(super) fn variances(&self, rows: &Rows) -> Res<Vec<f64>> {
        let placed = self.placed(rows)?;
        let one = |i: usize| {
            let row = Rows::numbers(1, rows.columns.iter().map(|column| vec![column[i]]).collect());
            placed.gram(&row, &self.plot.stop).map(|gram| gram[(0, 0)]).map_err(|error| self.origins.eval_error(&error))
        };
        (0..rows.n).map(|i| self.poll().and_then(|()| one(i))).collect()
    }

    pub(super) fn poll(&self) -> Res<()> {
        if self.plot.stop.stop() { Err(LangError::stopped()) } else { Ok(()) }
    }

    /// This many draws at rows. In an animation each moves through the plane of
    /// two draws in a circle, so that every frame is a draw and the last one joins the first.
    fn functions(&self, rows: &Rows, count: usize) -> Res<Vec<Vec<f64>>> {
        let gram = self.placed(rows)?.gram(rows, &self.plot.stop).map_err(|error| self.origins.eval_error(&error))?;
        let factor = pivoted_cholesky(&gram, 1e-12);
        let (sin, cos) = (self.plot.phase * std::f64::consts::TAU).sin_cos();
        let mut random = self.plot.random.clone();
        let normals =
            |random: &mut rand_pcg::Pcg64| Vector::from_fn(factor.ncols(), |_, _| StandardNormal.sample(&mut *random));
        let mut other = self.plot.random.clone();
        other.advance(1 << 40);
        let mut all = Vec::with_capacity(count);
        for _ in 0..count {
            self.poll()?;
            let z: Vector = normals(&mut random);
            let z = if sin == 0.0 { z } else { z * cos + normals(&mut other) * sin };
            all.push((&factor * z).iter().copied().collect());
        }
        Ok(all)
    }

    /// Points along the first input.
    fn line_points(&self) -> Vec<f64> {
        // an odd number of points contains 0 if the range is symmetric
        let (lo, hi) = self.ranges[0];
        grid((lo, hi), describe::kernel_points(&in_days(self.kernel), hi - lo, MOST) | 1)
    }

    fn covariance_panel(&self) -> Res<Panel> {
        let mut x = self.line_points();
        let mut values = self.covariances(&self.rows(vec![x.clone()]))?;
        // white noise is correlated with itself only: the row at the point is the point
        let (own, at) = (self.variances(&self.rows(vec![vec![self.at[0]]]))?[0], self.at[0]);
        if self.ranges[0].0 <= at && at <= self.ranges[0].1 && has_white_noise(self.kernel) {
            let place = x.partition_point(|v| *v < at);
            if x.get(place) == Some(&at) {
                values[place] = own;
            } else {
                x.insert(place, at);
                values.insert(place, own);
            }
        }
        let label = format!("k({}, {})", self.names[0], self.first());
        let panel = Panel::new(self.axis(0), label, vec![zero(), line(&x, &values, "", MarkRole::Mean)]);
        Ok(panel.titled(format!("Covariance with {}{}", self.first(), self.others(1))))
    }

    fn variance_panel(&self) -> Res<Panel> {
        let x = self.line_points();
        let values = self.variances(&self.rows(vec![x.clone()]))?;
        let name = &self.names[0];
        let panel =
            Panel::new(self.axis(0), format!("k({name}, {name})"), vec![zero(), line(&x, &values, "", MarkRole::Mean)]);
        Ok(panel.titled("Variance"))
    }

    fn draws_panel(&self) -> Res<Panel> {
        let x = self.line_points();
        let draws = self.functions(&self.rows(vec![x.clone()]), self.plot.draws.unwrap_or(DRAWS))?;
        let mut marks = drawn(&x, &draws);
        if self.plot.prior {
            let sd: Vec<f64> = self.variances(&self.rows(vec![x.clone()]))?.into_iter().map(f64::sqrt).collect();
            let (lo, hi) = sd.iter().map(|sd| (-2.0 * sd, 2.0 * sd)).unzip();
            let label = format!("band: {}", BandOf::F.text());
            marks.push(Mark::Band { x: x.clone(), lo, hi, label, role: MarkRole::Band });
        }
        let panel = Panel::new(self.axis(0), format!("f({})", self.names[0]), marks);
        Ok(panel.titled(format!("Functions drawn from it{}", self.others(1))))
    }

    /// Rows at `side` × `side` points of the first two inputs.
    fn plane_rows(&self, side: usize) -> Rows {
        let (across, up) = (grid(self.ranges[0], side), grid(self.ranges[1], side));
        let x = (0..side * side).map(|i| across[i % side]).collect();
        let y = (0..side * side).map(|i| up[i / side]).collect();
        self.rows(vec![x, y])
    }

    /// A map over the first two inputs of values at `side` × `side` points.
    fn map(&self, title: &str, colours: &str, side: usize, values: impl FnOnce(&Rows) -> Res<Vec<f64>>) -> Res<Panel> {
        let (across, up) = (grid(self.ranges[0], side), grid(self.ranges[1], side));
        let z = values(&self.plane_rows(side))?;
        let (title, x, y) = (format!("{title}{}", self.others(2)), self.axis(0), self.axis(1));
        Ok(map_panel(Names { title: &title, x: &x, y: &y }, &across, &up, &z, colours, None))
    }

    fn covariance_map(&self) -> Res<Panel> {
        let mut panel =
            self.map(&format!("Covariance with {}", self.point()), "covariance", SIDE, |rows| self.covariances(rows))?;
        // outside of a given range it is in the title only
        if (0..2).all(|i| self.ranges[i].0 <= self.at[i] && self.at[i] <= self.ranges[i].1) {
            let (x, y) = (vec![self.at[0]], vec![self.at[1]]);
            panel.marks.push(Mark::Points { x, y, label: String::new(), role: MarkRole::Test });
        }
        Ok(panel)
    }

    fn variance_map(&self) -> Res<Panel> {
        self.map("Variance k(x, x)", "variance", SIDE, |rows| self.variances(rows))
    }

    /// Draws at few points, because their covariance matrix is large, and linear between them.
    fn draw_maps(&self, count: usize) -> Res<Vec<Panel>> {
        let drawn = self.functions(&self.plane_rows(DRAWN_SIDE), count)?;
        let several = self.plot.show.is_some();
        let panels = drawn.iter().enumerate().map(|(i, drawn)| {
            self.poll()?;
            let title = if several { format!("Draw {}", i + 1) } else { "A function drawn from it".into() };
            self.map(&title, "f", 2 * DRAWN_SIDE - 1, |_| Ok(refined(drawn, DRAWN_SIDE)))
        });
        panels.collect()
    }
}

/// Values at the points of a square grid, and in the middles between neighbours.
fn refined(values: &[f64], side: usize) -> Vec<f64> {
    let fine = 2 * side - 1;
    let at = |r: usize, c: usize| values.get(r * side + c).copied().unwrap_or(f64::NAN);
    let mean = |i: usize| {
        let (r, c) = (i / fine, i % fine);
        let corners = [(r / 2, c / 2), (r.div_ceil(2), c / 2), (r / 2, c.div_ceil(2)), (r.div_ceil(2), c.div_ceil(2))];
        corners.into_iter().map(|(r, c)| at(r, c)).sum::<f64>() / 4.0
    };
    (0..fine * fine).map(mean).collect()
}

/// Half the range of the figure of a kernel. Kernels whose longest scale is between 0.1 and 5 have the same range, so
/// that their figures can be compared; for others it is 5 times a power of ten and contains the longest scale.
fn reach(longest: f64) -> f64 {
    const REACH: f64 = 5.0;
    match longest {
        scale if !scale.is_finite() || (0.1..=REACH).contains(&scale) || scale <= 0.0 => REACH,
        scale => REACH * 10f64.powi((scale / REACH).log10().ceil().clamp(-300.0, 300.0) as i32),
    }
}

/// The longest length-scale or period of a kernel; 0 if there is none.
fn longest_scale(kernel: &Kernel) -> f64 {
    let own = match kernel.node() {
        Node::Leaf(leaf) => {
            let scales = leaf.family.spec().params.iter().zip(&leaf.params);
            let scales = scales.filter(|(spec, _)| matches!(spec.role, Role::LengthScale | Role::Period));
            scales.fold(0.0, |longest: f64, (spec, values)| {
                let written = values.as_slice().iter().filter_map(|param| param.value()).fold(0.0, f64::max);
                longest.max(if written > 0.0 { written } else { spec.default })
            })
        }
        _ => 0.0,
    };
    kernel.children().iter().map(longest_scale).fold(own, f64::max)
}

#[cfg(test)]
mod tests {
    use super::{reach, refined};

    #[test]
    fn middles_are_means_of_their_neighbours() {
        assert_eq!(refined(&[0.0, 1.0, 2.0, 5.0], 2), [0.0, 0.5, 1.0, 1.0, 2.0, 3.0, 2.0, 3.5, 5.0]);
    }

    #[test]
    fn ordinary_scales_share_a_range() {
        assert_eq!([0.1, 0.3, 2.0, 5.0, 0.0].map(reach), [5.0; 5]);
        assert_eq!([6.0, 50.0, 365.25].map(|scale| reach(scale).round()), [50.0, 50.0, 500.0]);
        assert!((reach(0.03) - 0.05).abs() < 1e-12 && (reach(1e-6) - 5e-6).abs() < 1e-15);
    }
}
