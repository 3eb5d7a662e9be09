//! The quantities of an input column from which starting values are computed.

use super::periodogram::peaks;
use super::spacing::{grid_step, median_distance, moments, recurring_gap, span};
use crate::calendar::TimeUnit;
use crate::model::Problem;

/// The quantities of a column that starts need.
#[derive(Debug, Clone)]
pub struct Column {
    pub middle: f64,
    pub variance: f64,
    pub span: f64,
    /// The least recurring gap between neighbouring values.
    pub gap: f64,
    /// The step of the grid on which the values lie, if they do.
    pub grid: Option<f64>,
    /// The median distance between two rows.
    pub distance: f64,
    pub least: f64,
    /// Candidate periods: the strongest first, then halves and doubles of the strongest.
    pub periods: Vec<f64>,
}

/// The units of time after which things repeat.
const CALENDAR: [TimeUnit; 3] = [TimeUnit::Year, TimeUnit::Week, TimeUnit::Day];

impl Column {
    /// The quantities of the d-th input of a problem; periods are searched only if required.
    pub fn new(problem: &Problem, d: usize, wants_period: bool) -> Self {
        let (x, y) = (problem.x()[d], problem.y());
        let (middle, variance) = moments(x);
        let span = span(x).unwrap_or(1.0);
        let recurring = recurring_gap(x);
        let (gap, grid) = (recurring.unwrap_or(1.0), grid_step(x, recurring));
        let mut periods = Vec::new();
        if wants_period {
            let found = peaks(x, y, 4);
            periods.extend(found.iter().map(|p| p.period));
            if let Some(unit) = problem.time_unit(d) {
                periods.extend(calendar(x, unit).into_iter().map(|of| of.convert(1.0, unit)));
            }
            if let Some(first) = found.first().map(|p| p.period) {
                periods.extend([2.0 * first, 0.5 * first].into_iter().filter(|&p| p >= 2.0 * gap && p <= span));
            }
        }
        let distance = median_distance(&[x]).unwrap_or(1.0);
        let least = x.iter().copied().fold(f64::INFINITY, f64::min);
        Self { middle, variance, span, gap, grid, distance, least, periods }
    }
}

/// The periods of the calendar that values of this unit can show: no shorter than two of their gaps, no longer than half
/// of their span.
pub fn calendar(values: &[f64], unit: TimeUnit) -> Vec<TimeUnit> {
    let (Some(gap), Some(span)) = (recurring_gap(values), span(values)) else { return Vec::new() };
    let fits = |period: f64| period >= 2.0 * gap * (1.0 - 1e-6) && period <= 0.5 * span;
    CALENDAR.into_iter().filter(|of| fits(of.convert(1.0, unit))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_of_the_calendar_fit_the_rows() {
        let every = |gap: f64, count: u32| (0..count).map(|i| f64::from(i) * gap).collect::<Vec<f64>>();
        use TimeUnit::{Day, Hour, Week, Year};
        // monthly rows over 12 years; daily rows over half a year; half-hours over three weeks; yearly rows
        assert_eq!(calendar(&every(1.0 / 12.0, 144), Year), [Year]);
        assert_eq!(calendar(&every(1.0, 180), Day), [Week]);
        assert_eq!(calendar(&every(0.5, 1008), Hour), [Week, Day]);
        assert_eq!(calendar(&every(1.0, 100), Year), []);
    }
}
