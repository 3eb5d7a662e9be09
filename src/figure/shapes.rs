//! Converts marks to shapes: ranges of a panel, bins of a histogram, continuous parts of a line, and thinning to
//! visible shapes.

use std::borrow::Cow;
use std::collections::HashSet;

use super::scale::{Scale, step};
use super::spec::{Across, Mark, Panel};
use crate::calendar::TimeUnit;

/// A point in data units or in pixels.
pub(super) type Point = (f64, f64);

/// More points than this form a cloud, drawn paler and below the lines.
pub(super) const DENSE: usize = 2000;

/// The marks of a panel with histograms converted to bars, heat maps first and points last, so that nothing hides the
/// data. A cloud of points is drawn below the lines.
pub(super) fn ordered(panel: &Panel) -> Vec<Cow<'_, Mark>> {
    let width = shared_width(panel);
    let mut marks: Vec<_> = panel.marks.iter().map(|mark| binned(mark, width)).collect();
    marks.sort_by_key(|mark| match mark.as_ref() {
        Mark::Heat { .. } | Mark::Plane { .. } | Mark::Mesh { .. } | Mark::Nodes { .. } => 0,
        Mark::Bars { .. } | Mark::Histogram { .. } => 1,
        Mark::Band { .. } => 2,
        Mark::Points { x, .. } if x.len() > DENSE => 3,
        Mark::Rule { .. } => 4,
        Mark::Line { .. } | Mark::Trail { .. } => 5,
        Mark::Points { .. } => 6,
        Mark::Rug { .. } => 7,
    });
    marks
}

/// The width of the bins of several histograms, which can then be compared.
fn shared_width(panel: &Panel) -> Option<f64> {
    let values =
        |mark| if let &Mark::Histogram { ref values, bins: None, .. } = mark { Some(&values[..]) } else { None };
    let all: Vec<&[f64]> = panel.marks.iter().filter_map(values).collect();
    (all.len() > 1).then(|| counts(&all.concat(), None, None).2)
}

fn binned(mark: &Mark, width: Option<f64>) -> Cow<'_, Mark> {
    let Mark::Histogram { values, bins, label, role } = mark else { return Cow::Borrowed(mark) };
    let (x, height, width) = counts(values, *bins, width.filter(|_| bins.is_none()));
    Cow::Owned(Mark::Bars { x, height, width, label: label.clone(), role: *role })
}

/// Centres and counts of about `bins` bins of a round width, and this width. Without `bins` the width is `of` if given, or
/// that of Freedman and Diaconis (1981), with 5 to 60 bins.
fn counts(values: &[f64], bins: Option<usize>, of: Option<f64>) -> (Vec<f64>, Vec<f64>, f64) {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (Some(&lo), Some(&hi)) = (sorted.first(), sorted.last()) else { return (Vec::new(), Vec::new(), 1.0) };
    let span = hi - lo;
    let flat = span <= 1e-12 * lo.abs().max(hi.abs()) || span < 1e-300;
    if !span.is_finite() || (flat && of.is_none()) {
        let width = if lo == 0.0 { 1.0 } else { lo.abs() * 0.02 };
        return (vec![lo / 2.0 + hi / 2.0], vec![sorted.len() as f64], width);
    }
    let quartile = |q: f64| sorted[((sorted.len() - 1) as f64 * q) as usize];
    let rule = 2.0 * (quartile(0.75) - quartile(0.25)) / (sorted.len() as f64).cbrt();
    let want = match bins {
        Some(n) => n.clamp(1, 1000) as f64,
        None if rule > 0.0 => (span / rule).clamp(5.0, 60.0),
        None => 20.0,
    };
    let width = of.unwrap_or_else(|| step(span / want).size());
    let first = (lo / width).floor();
    let number = ((hi / width).floor() - first) as usize + 1;
    let mut height = vec![0.0; number.min(2000)];
    for v in sorted {
        let i = ((v / width).floor() - first) as usize;
        if let Some(h) = height.get_mut(i) {
            *h += 1.0;
        }
    }
    ((0..height.len()).map(|i| (first + i as f64 + 0.5) * width).collect(), height, width)
}

impl Panel {
    /// Whether its axes can show something: a logarithmic axis shows positive values only.
    pub fn has_values(&self) -> bool {
        scales(&Self { x: self.x.without_range(), y: self.y.without_range(), ..self.clone() }, &ordered(self)).is_some()
    }

    /// The ends of the horizontal axis, if it has values.
    pub fn x_ends(&self) -> Option<(f64, f64)> {
        scales(self, &ordered(self)).map(|(x, _)| x.span())
    }

    /// The ends of the vertical axis, if it has values.
    pub fn y_ends(&self) -> Option<(f64, f64)> {
        scales(self, &ordered(self)).map(|(_, y)| y.span())
    }

    /// Whether a part of a mark is within the given ranges of its axes.
    pub fn shows_something(&self) -> bool {
        let full = Self { x: self.x.without_range(), y: self.y.without_range(), ..self.clone() };
        let inside = |range: Option<(f64, f64)>, (lo, hi): (f64, f64)| {
            range.is_none_or(|(a, b)| a.min(b) <= hi && lo <= a.max(b))
        };
        ordered(&full).iter().any(|mark| {
            let alone = Self { marks: vec![mark.as_ref().clone()], ..full.clone() };
            let places = scales(&alone, &ordered(&alone)).map(|(x, y)| (x.span(), y.span()));
            places.is_some_and(|(x, y)| inside(self.x.range, x) && inside(self.y.range, y))
        })
    }

    /// The same curves on the axes of other figures, which name them; values of days in `unit`, if it is set.
    pub fn on_axes_of_others(&mut self, unit: Option<TimeUnit>) {
        self.x.label.clear();
        self.y.label.clear();
        self.title.clear();
        self.x.time = unit;
        if let Some(unit) = unit {
            for mark in &mut self.marks {
                if let Mark::Line { x, .. } | Mark::Band { x, .. } | Mark::Points { x, .. } = mark {
                    x.iter_mut().for_each(|v| *v = TimeUnit::Day.convert(*v, unit));
                }
            }
        }
    }

    /// The axes of its places have dates, which are numbers of days: the horizontal one, and the vertical one of a map
    /// with the same places.
    pub fn on_dates(&mut self) {
        self.x.time = Some(TimeUnit::Day);
        let same = |mark: &Mark| matches!(mark, Mark::Heat { x, y, .. } if x == y);
        if self.marks.iter().any(same) {
            self.y.time = Some(TimeUnit::Day);
        }
    }

    /// How many of its values are on the axes, and how many of these a logarithmic axis cannot show.
    pub fn beyond_logarithms(&self) -> (usize, usize) {
        let (mut all, mut beyond) = (0, 0);
        let mut count = |x: &[f64], y: &[f64]| {
            for (x, y) in pairs(x, y).filter(|(x, y)| x.is_finite() && y.is_finite()) {
                all += 1;
                beyond += usize::from((self.x.log && x <= 0.0) || (self.y.log && y <= 0.0));
            }
        };
        for mark in &ordered(self) {
            match mark.as_ref() {
                Mark::Points { x, y, .. } | Mark::Line { x, y, .. } | Mark::Trail { x, y, .. } => count(x, y),
                // an empty bar of a histogram has nothing to show
                Mark::Bars { x, height, .. } => {
                    let full: (Vec<f64>, Vec<f64>) = pairs(x, height).filter(|(_, height)| *height != 0.0).unzip();
                    count(&full.0, &full.1);
                }
                Mark::Heat { x, y, .. } | Mark::Plane { x, y, .. } => {
                    let at = |own: &[f64], other: &[f64]| vec![own.to_vec(); other.len()].concat();
                    let rows = y.iter().flat_map(|y| vec![*y; x.len()]).collect::<Vec<_>>();
                    count(&at(x, y), &rows);
                }
                _ => {}
            }
        }
        (all, beyond)
    }
}

/// The scales of a panel, or `None` if it has nothing to show. A `y` outside a given range of `x` is ignored.
pub(super) fn scales(panel: &Panel, marks: &[Cow<'_, Mark>]) -> Option<(Scale, Scale)> {
    let mut seen: Vec<Point> = Vec::new();
    let (mut pad_x, mut pad_y, mut base) = (0.0, 0.05, 0.05);
    for mark in marks {
        match mark.as_ref() {
            Mark::Points { x, y, .. } => {
                pad_x = 0.02;
                seen.extend(pairs(x, y));
            }
            Mark::Line { x, y, .. } | Mark::Trail { x, y, .. } => seen.extend(pairs(x, y)),
            Mark::Band { x, lo, hi, .. } => {
                let sides = pairs(x, lo).zip(pairs(x, hi)).filter(|(a, b)| a.1.is_finite() && b.1.is_finite());
                seen.extend(sides.flat_map(|(a, b)| [a, b]));
            }
            Mark::Bars { x, height, width, .. } => {
                pad_x = 0.02;
                if !height.iter().any(|h| *h < 0.0) {
                    base = 0.0;
                }
                let shown = pairs(x, height).filter(|(x, _)| !panel.x.log || *x > 0.0);
                seen.extend(shown.flat_map(|(x, h)| [(x - width / 2.0, h), (x + width / 2.0, 0.0)]));
            }
            Mark::Heat { x, y, .. } | Mark::Plane { x, y, .. } => {
                (pad_y, base) = (0.0, 0.0);
                let (ex, ey) = (edges(x, panel.x.log), edges(y, panel.y.log));
                if let ([x0, .., x1], [y0, .., y1]) = (ex.as_slice(), ey.as_slice()) {
                    seen.extend([(*x0, *y0), (*x1, *y1)]);
                }
            }
            Mark::Nodes { x, y, .. } => {
                (pad_x, pad_y, base) = (0.08, 0.08, 0.08);
                seen.extend(pairs(x, y));
            }
            // It has its own space instead of axes.
            Mark::Mesh { vertices, .. } if !vertices.is_empty() => seen.extend([(0.0, 0.0), (1.0, 1.0)]),
            Mark::Rule { .. } | Mark::Rug { .. } | Mark::Histogram { .. } | Mark::Mesh { .. } => {}
        }
    }
    let positive = |log: bool, v: f64| v.is_finite() && (!log || v > 0.0);
    seen.retain(|&(x, y)| positive(panel.x.log, x) && positive(panel.y.log, y));
    if marks.iter().any(|m| matches!(m.as_ref(), Mark::Heat { .. } | Mark::Plane { .. })) {
        pad_x = 0.0;
    }
    let rules = |wanted: Across| {
        marks.iter().filter_map(move |m| match m.as_ref() {
            Mark::Rule { at, across, .. } if *across == wanted => Some(*at),
            _ => None,
        })
    };
    let x = Scale::over(&panel.x, seen.iter().map(|p| p.0).chain(rules(Across::Vertical)), (pad_x, pad_x))?;
    let within = |p: &&Point| panel.x.range.is_none() || (-1e-9..=1.0 + 1e-9).contains(&x.at(p.0));
    let y =
        Scale::over(&panel.y, seen.iter().filter(within).map(|p| p.1).chain(rules(Across::Horizontal)), (base, pad_y))?;
    Some((x, y))
}

/// The pairs of two columns, up to the shorter.
pub(super) fn pairs<'a>(x: &'a [f64], y: &'a [f64]) -> impl Iterator<Item = Point> + 'a {
    x.iter().copied().zip(y.iter().copied())
}

/// The edges of cells centred at `centres`: half-way between them, and at the same distance at the ends; half-way on the
/// axis if it is logarithmic.
pub(super) fn edges(centres: &[f64], log: bool) -> Vec<f64> {
    if log && centres.iter().all(|v| *v > 0.0) {
        let powers: Vec<f64> = centres.iter().map(|v| v.log10()).collect();
        return edges(&powers, false).into_iter().map(|power| 10f64.powf(power)).collect();
    }
    let half = |a: f64, b: f64| a / 2.0 + b / 2.0;
    match centres {
        [] => Vec::new(),
        [one] => vec![one - 0.5, one + 0.5],
        [first, second, .., last] | [first, second @ last] => {
            let before = centres[centres.len() - 2];
            let inner = centres.windows(2).map(|w| half(w[0], w[1]));
            let start = first - (half(*first, *second) - first);
            let end = last + (last - half(before, *last));
            std::iter::once(start).chain(inner).chain(std::iter::once(end)).collect()
        }
    }
}

/// Splits a line at missing values.
pub(super) fn runs(points: impl Iterator<Item = Point>) -> Vec<Vec<Point>> {
    let mut all = vec![Vec::new()];
    for p in points {
        if p.0.is_finite() && p.1.is_finite() {
            if let Some(run) = all.last_mut() {
                run.push(p);
            }
        } else if all.last().is_some_and(|run| !run.is_empty()) {
            all.push(Vec::new());
        }
    }
    all.retain(|run| !run.is_empty());
    all
}

/// A line in pixels with at most four points in each column of `wide` pixels: first, least, greatest, last (Jugel et
/// al., M4, 2014). With columns of one pixel it looks the same.
pub(super) fn thin_line(points: &[Point], wide: f64) -> Vec<Point> {
    let of = |p: &Point| (p.0 / wide).floor();
    let mut out: Vec<Point> = Vec::with_capacity(points.len().min(8192));
    let mut i = 0;
    while i < points.len() {
        let column = of(&points[i]);
        let end = points[i..].iter().position(|p| of(p) != column).map_or(points.len(), |n| i + n);
        let run = &points[i..end];
        if run.len() <= 4 {
            out.extend(run);
        } else {
            let by_y = |&a: &usize, &b: &usize| run[a].1.total_cmp(&run[b].1);
            let low = (0..run.len()).min_by(by_y).unwrap_or(0);
            let high = (0..run.len()).max_by(by_y).unwrap_or(0);
            let mut keep = [0, low, high, run.len() - 1];
            keep.sort_unstable();
            out.extend(keep.iter().map(|&k| run[k]));
            out.dedup();
        }
        i = end;
    }
    out
}

/// Points in pixels, at most one in each square of `cell` pixels.
pub(super) fn thin_points(points: impl Iterator<Item = Point>, cell: f64) -> Vec<Point> {
    let mut taken = HashSet::new();
    let place = |v: f64| (v / cell).floor() as i64;
    points.filter(|&(x, y)| taken.insert((place(x), place(y)))).collect()
}

/// Cuts a line into dashes of `on` pixels with gaps of `off`; the pattern continues over corners.
pub(super) fn dashes(points: &[Point], on: f64, off: f64) -> Vec<Vec<Point>> {
    let mut out = Vec::new();
    let Some(&first) = points.first() else { return out };
    let (mut current, mut drawing, mut left) = (vec![first], true, on);
    for w in points.windows(2) {
        let (mut a, b) = (w[0], w[1]);
        let mut length = (b.0 - a.0).hypot(b.1 - a.1);
        while length > left && out.len() < 20_000 {
            let t = left / length;
            a = (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t);
            length -= left;
            if drawing {
                current.push(a);
                out.push(std::mem::take(&mut current));
            } else {
                current = vec![a];
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
        left -= length;
        if drawing {
            current.push(b);
        }
    }
    if drawing && current.len() > 1 {
        out.push(current);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_round_and_keep_every_value() {
        let values: Vec<f64> = (0..500).map(|i| f64::from(i) * 0.013 - 3.0).chain([f64::NAN]).collect();
        let (x, height, width) = counts(&values, Some(10), None);
        assert_eq!(height.iter().sum::<f64>(), 500.0);
        assert_eq!(width, 1.0);
        assert_eq!(x[0], -2.5);
        let (x, height, _) = counts(&[4.0; 7], None, None);
        assert_eq!((x, height), (vec![4.0], vec![7.0]));
        assert!(counts(&[], None, None).0.is_empty());
    }

    #[test]
    fn a_line_breaks_where_it_has_no_value() {
        let points = [(0.0, 1.0), (1.0, f64::NAN), (2.0, f64::INFINITY), (3.0, 2.0), (4.0, 3.0)];
        assert_eq!(runs(points.into_iter()), [vec![(0.0, 1.0)], vec![(3.0, 2.0), (4.0, 3.0)]]);
    }

    #[test]
    fn thinning_keeps_the_extremes() {
        let points: Vec<Point> = (0..100_000).map(|i| (f64::from(i) / 1000.0, f64::from(i % 977))).collect();
        let thin = thin_line(&points, 1.0);
        assert!(thin.len() <= 400, "{}", thin.len());
        assert!(thin.iter().any(|p| p.1 == 976.0) && thin.iter().any(|p| p.1 == 0.0));
        assert!(thin_points(points.into_iter(), 2.0).len() <= 51 * 490);
    }

    #[test]
    fn dashes_run_on_over_corners() {
        let line = [(0.0, 0.0), (3.0, 0.0), (3.0, 9.0)];
        let cut = dashes(&line, 5.0, 2.0);
        assert_eq!(cut[0], [(0.0, 0.0), (3.0, 0.0), (3.0, 2.0)]);
        assert_eq!(cut[1], [(3.0, 4.0), (3.0, 9.0)]);
    }

    #[test]
    fn cells_meet_halfway() {
        assert_eq!(edges(&[1.0, 2.0, 4.0], false), [0.5, 1.5, 3.0, 5.0]);
        assert_eq!(edges(&[1.0, 3.0], false), [0.0, 2.0, 4.0]);
        assert_eq!(edges(&[5.0], false), [4.5, 5.5]);
        let logarithmic = edges(&[1.0, 100.0], true);
        assert!((logarithmic[0] - 0.1).abs() < 1e-12 && (logarithmic[1] - 10.0).abs() < 1e-12, "{logarithmic:?}");
    }
}
