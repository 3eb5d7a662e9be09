//! Maps values to positions on an axis, and chooses ticks.

use super::calendar_ticks;
use super::spec::Axis;

/// A span below this share of the values counts as constant: the remaining digits are noise.
const FLAT: f64 = 1e-12;
/// Below this a span has lost digits to subnormal numbers.
const SMALLEST: f64 = 1e-300;

/// The range of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    lo: f64,
    hi: f64,
    log: bool,
    reversed: bool,
}

/// A tick: its position (0 to 1 along the axis) and its label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub at: f64,
    pub text: String,
}

impl Scale {
    /// The scale of an axis over `values` that can be shown, with `pad` of the span added below and above. `None` if
    /// nothing can be shown and the axis has no given range.
    pub fn over(axis: &Axis, values: impl Iterator<Item = f64>, pad: (f64, f64)) -> Option<Self> {
        let shown = |v: &f64| v.is_finite() && (!axis.log || *v > 0.0);
        let given = axis.range.map(|(a, b)| (a.min(b), a.max(b))).filter(|(a, b)| shown(a) && shown(b) && a < b);
        let (lo, hi) = match given {
            Some((lo, hi)) if axis.log => widen_log(lo, hi, (0.0, 0.0)),
            Some((lo, hi)) => widen(lo, hi, (0.0, 0.0)),
            None => {
                let (lo, hi) =
                    values.filter(shown).fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
                if lo > hi {
                    return None;
                }
                if axis.log { widen_log(lo, hi, pad) } else { widen(lo, hi, pad) }
            }
        };
        Some(Self { lo, hi, log: axis.log, reversed: axis.reversed })
    }

    pub fn is_log(&self) -> bool {
        self.log
    }

    /// The values at its ends, the smaller first.
    pub fn span(&self) -> (f64, f64) {
        (self.lo, self.hi)
    }

    /// The scale for an axis without values.
    pub fn empty() -> Self {
        Self { lo: 0.0, hi: 1.0, log: false, reversed: false }
    }

    /// The values at the start and at the end of the axis, and whether it is logarithmic.
    pub fn ends(&self) -> ((f64, f64), bool) {
        (if self.reversed { (self.hi, self.lo) } else { (self.lo, self.hi) }, self.log)
    }

    /// The position of a value, 0 at the start of the axis and 1 at its end; not finite for a value that cannot be
    /// shown.
    pub fn at(&self, v: f64) -> f64 {
        let t = if self.log {
            if v <= 0.0 {
                return f64::NAN;
            }
            (v.log10() - self.lo.log10()) / (self.hi.log10() - self.lo.log10())
        } else {
            // Halves, because the whole span may overflow.
            (v / 2.0 - self.lo / 2.0) / (self.hi / 2.0 - self.lo / 2.0)
        };
        if self.reversed { 1.0 - t } else { t }
    }

    /// The position of the edge of a bar or cell: one that a logarithmic axis cannot show is far before its start.
    pub fn edge(&self, v: f64) -> f64 {
        let t = self.at(v);
        if t.is_nan() && v.is_finite() { self.at(f64::MIN_POSITIVE) } else { t }
    }

    /// About `want` ticks or fewer at round values, or the axis's own names.
    pub fn ticks(&self, axis: &Axis, want: usize) -> Vec<Tick> {
        let want = want.max(2);
        if !axis.names.is_empty() {
            let stride = axis.names.len().div_ceil(want);
            let named = axis.names.iter().step_by(stride).map(|(v, name)| Tick { at: self.at(*v), text: name.clone() });
            return named.filter(|t| (-1e-9..=1.0 + 1e-9).contains(&t.at)).collect();
        }
        if let Some(unit) = axis.time {
            let ticks = calendar_ticks::ticks(self.lo, self.hi, unit, want).into_iter();
            let ticks: Vec<Tick> = ticks.map(|(v, text)| Tick { at: self.at(v), text }).collect();
            if !ticks.is_empty() {
                return ticks;
            }
        }
        let decades = if self.log { self.decades(want) } else { Vec::new() };
        let mut ticks: Vec<Tick> = if decades.len() >= 2 {
            decades.into_iter().map(|v| Tick { at: self.at(v), text: short(v) }).collect()
        } else {
            self.round_values(want, axis.whole)
        };
        ticks.retain(|t| (-1e-9..=1.0 + 1e-9).contains(&t.at));
        ticks
    }

    fn round_values(&self, want: usize, whole: bool) -> Vec<Tick> {
        let half = self.hi / 2.0 - self.lo / 2.0;
        let raw = half / want as f64 * 2.0;
        let step = step(if whole { raw.max(1.0) } else { raw });
        let size = step.size();
        let (first, last) = ((self.lo / size - 1e-9).ceil(), (self.hi / size + 1e-9).floor());
        // Beyond 2^53 the steps no longer increase; such a range was widened before, unless a user set it.
        let count = (last - first).clamp(-1.0, 4.0 * want as f64);
        let values = (0..=(count.max(0.0) as usize)).map(|i| (first + i as f64) * size).filter(|v| v.is_finite());
        let largest = self.lo.abs().max(self.hi.abs());
        values.map(|v| Tick { at: self.at(v), text: step.write(v, largest) }).collect()
    }

    fn decades(&self, want: usize) -> Vec<f64> {
        let (first, last) = ((self.lo.log10() - 1e-9).ceil() as i32, (self.hi.log10() + 1e-9).floor() as i32);
        let count = (last - first + 1).max(0) as usize;
        if count >= 3 {
            return (first..=last).step_by(count.div_ceil(want).max(1)).map(power).collect();
        }
        (first - 1..=last)
            .flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * power(e)))
            .filter(|v| (self.lo..=self.hi).contains(v))
            .collect()
    }
}

fn widen(lo: f64, hi: f64, pad: (f64, f64)) -> (f64, f64) {
    let half = hi / 2.0 - lo / 2.0;
    let largest = lo.abs().max(hi.abs());
    if half * 2.0 <= largest * FLAT || half < SMALLEST {
        let by = if largest < SMALLEST { 1.0 } else { largest * 0.1 };
        return ((lo - by).max(f64::MIN), (hi + by).min(f64::MAX));
    }
    ((lo - half * 2.0 * pad.0).max(f64::MIN), (hi + half * 2.0 * pad.1).min(f64::MAX))
}

fn widen_log(lo: f64, hi: f64, pad: (f64, f64)) -> (f64, f64) {
    let (a, b) = (lo.log10(), hi.log10());
    let (below, above) = if b - a < FLAT { (0.5, 0.5) } else { ((b - a) * pad.0, (b - a) * pad.1) };
    (10f64.powf((a - below).max(-307.0)), 10f64.powf((b + above).min(308.0)))
}

/// A round step: 1, 2 or 5 times a power of ten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    digit: f64,
    exponent: i32,
}

/// The round step nearest to `raw`, which is positive: at least four fifths of it.
pub(super) fn step(raw: f64) -> Step {
    let exponent = raw.log10().floor().clamp(-307.0, 307.0) as i32;
    let share = raw / power(exponent);
    let (digit, up) = match share {
        s if s <= 1.25 => (1.0, 0),
        s if s <= 2.5 => (2.0, 0),
        s if s <= 6.25 => (5.0, 0),
        _ => (1.0, 1),
    };
    Step { digit, exponent: exponent + up }
}

impl Step {
    /// The step as a number.
    pub fn size(self) -> f64 {
        self.digit * power(self.exponent)
    }

    /// A multiple of the step with enough digits to distinguish it from its neighbours: `1950`, `0.25`, `1.5e6`,
    /// `2e-9`.
    fn write(self, v: f64, largest: f64) -> String {
        if v.abs() < self.size() * 0.5 {
            return "0".into();
        }
        let order = largest.max(f64::MIN_POSITIVE).log10().floor() as i32;
        let digits = order - self.exponent;
        let long = order >= 15 || (order >= 6 && digits < 5);
        if long || order < -3 {
            let own = v.abs().log10().floor() as i32;
            let text = format!("{v:.*e}", usize::try_from((own - self.exponent).clamp(0, 15)).unwrap_or(0));
            return trim_mantissa(&text);
        }
        format!("{v:.*}", usize::try_from(-self.exponent).unwrap_or(0))
    }
}

/// `1.50e6` → `1.5e6`.
fn trim_mantissa(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) if mantissa.contains('.') => {
            format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text.to_string(),
    }
}

/// A power of ten to the last bit, unlike `powi`.
fn power(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::MAX)
}

/// A number with at most four digits: `0.25`, `1000`, `1e-9`.
pub(super) fn short(v: f64) -> String {
    let trim = |text: String| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    };
    match v.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e6).contains(&size) => {
            let whole = size.log10().floor() as i32;
            trim(format!("{v:.*}", usize::try_from(3 - whole).unwrap_or(0)))
        }
        _ => trim_mantissa(&format!("{v:.3e}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lo: f64, hi: f64, want: usize) -> Vec<String> {
        let axis = Axis { range: Some((lo, hi)), ..Axis::default() };
        let scale = Scale::over(&axis, std::iter::empty(), (0.0, 0.0)).expect("a range was given");
        scale.ticks(&axis, want).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn ticks_are_round_and_short() {
        assert_eq!(texts(1949.0, 1961.0, 7), ["1950", "1952", "1954", "1956", "1958", "1960"]);
        assert_eq!(
            texts(0.0, 1.0, 5),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(|s| if s == "0.0" { "0" } else { s })
        );
        assert_eq!(texts(0.0, 3e6, 6), ["0", "5e5", "1e6", "1.5e6", "2e6", "2.5e6", "3e6"]);
        assert_eq!(texts(-2e-9, 2e-9, 4), ["-2e-9", "-1e-9", "0", "1e-9", "2e-9"]);
        assert_eq!(texts(20_200_101.0, 20_200_105.0, 4)[0], "20200101");
        assert_eq!(texts(90_000.0, 130_000.0, 4), ["90000", "100000", "110000", "120000", "130000"]);
    }

    #[test]
    fn ticks_of_counts_are_whole() {
        let axis = Axis { range: Some((1.0, 3.0)), ..Axis::counts("layers") };
        let scale = Scale::over(&axis, std::iter::empty(), (0.0, 0.0)).expect("a range was given");
        let texts: Vec<String> = scale.ticks(&axis, 7).into_iter().map(|tick| tick.text).collect();
        assert_eq!(texts, ["1", "2", "3"]);
    }

    #[test]
    fn extremes_stay_finite() {
        for (lo, hi) in [
            (-1e308, 1e308),
            (1e-300, 1e300),
            (0.0, 1e-299),
            (f64::MAX, f64::MAX),
            (f64::MIN, f64::MAX),
            (-1e300, -1e299),
            (5e-324, 5e-324),
            (7.0, 7.0),
        ] {
            let axis = Axis::default();
            let scale = Scale::over(&axis, [lo, hi].into_iter(), (0.05, 0.05)).expect("finite values");
            let ticks = scale.ticks(&axis, 6);
            assert!(ticks.len() >= 2 && ticks.len() < 20, "{lo:e}..{hi:e}: {ticks:?}");
            assert!(ticks.iter().all(|t| t.at.is_finite() && t.text.len() < 20), "{ticks:?}");
            assert!((0.0..=1.0).contains(&scale.at(lo)) && (0.0..=1.0).contains(&scale.at(hi)));
        }
    }

    #[test]
    fn a_log_axis_counts_decades() {
        let axis = Axis { log: true, ..Axis::default() };
        let scale = Scale::over(&axis, [0.01, 1000.0, -3.0].into_iter(), (0.0, 0.0)).expect("positive values");
        let ticks: Vec<String> = scale.ticks(&axis, 8).into_iter().map(|t| t.text).collect();
        assert_eq!(ticks, ["0.01", "0.1", "1", "10", "100", "1000"]);
        assert!(scale.at(-1.0).is_nan());
    }

    #[test]
    fn short_numbers_have_four_digits() {
        let written = [0.0, 1.0, -0.25, 123456.0, 0.001, 2.34567, 1e-9, -2.5e7].map(short);
        assert_eq!(written, ["0", "1", "-0.25", "123456", "0.001", "2.346", "1e-9", "-2.5e7"]);
    }

    #[test]
    fn nothing_to_show_has_no_scale() {
        assert_eq!(Scale::over(&Axis::default(), [f64::NAN, f64::INFINITY].into_iter(), (0.0, 0.0)), None);
    }
}
