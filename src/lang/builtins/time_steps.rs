//! The times of a range of dates without `n`: those at the usual step of the training rows.

use crate::calendar::{Moment, Resolution, TimeScale, TimeUnit};
use crate::fit::spacing::{distinct, grid_step, recurring_gap};
use crate::lang::error::Res;
use crate::lang::payload::range::Range;
use crate::lang::values::value::check_length;

/// Fewer distinct times have no usual step.
const LEAST_TIMES: usize = 4;
/// Steps are whole numbers of this many nanoseconds, so that repeated ones do not drift.
const FINEST: f64 = 1000.0;
/// A range ends after a whole number of steps up to this share of one.
const SLACK: f64 = 1e-6;

/// The step from a row to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// From the first day of a month to that of a later one, counted on the calendar from a month of the training rows.
    Months {
        step: i64,
        from: i64,
    },
    Nanoseconds(i128),
}

/// The days since 1970 of a range, from its start on by the step that recurs in the training rows: hours, days, weeks,
/// months or years. Of training rows without one, by the longest of a day, an hour, a minute and a second that is not
/// longer than their usual gap; whole days for rows at dates.
pub(super) fn times(range: &Range, rows: &[f64], scale: TimeScale) -> Res<Vec<f64>> {
    match usual_step(rows, scale) {
        Step::Months { step, from } => {
            check_length(range.len())?;
            let days = (0..range.len()).map(|i| range.at(i));
            let (first, all): (Vec<f64>, Vec<f64>) =
                (days.clone().filter(|day| begins(*day, step, from)).collect(), days.collect());
            Ok(if first.is_empty() { all } else { first })
        }
        Step::Nanoseconds(step) => even(range, step),
    }
}

fn even(range: &Range, step: i128) -> Res<Vec<f64>> {
    let steps = (range.end - range.start) * TimeUnit::Day.seconds() * 1e9 / step as f64;
    let count = if range.inclusive { (steps + SLACK).floor() + 1.0 } else { (steps - SLACK).ceil() }.max(1.0) as usize;
    check_length(count)?;
    let start = Moment::from(range.start, TimeUnit::Day);
    let at = |i: usize| start.and_then(|start| start.plus(step.checked_mul(i as i128)?));
    Ok((0..count).map_while(at).map(|at| at.to(TimeUnit::Day)).collect())
}

fn usual_step(rows: &[f64], scale: TimeScale) -> Step {
    let places = distinct(rows);
    let nanoseconds = |amount: f64| ((amount * scale.unit.seconds() * 1e9 / FINEST).round().max(1.0) * FINEST) as i128;
    let finest = TimeScale { resolution: Resolution::Quarter, ..scale }.covering(&places).resolution;
    if finest <= Resolution::Month {
        let months: Vec<f64> =
            places.iter().filter_map(|&at| month(Moment::from(at, scale.unit)?)).map(|m| m as f64).collect();
        let step = recurring_gap(&months).filter(|_| places.len() >= LEAST_TIMES);
        let least = if scale.resolution == Resolution::Quarter { 3.0 } else { 1.0 };
        let step = step.filter(|step| grid_step(&months, Some(*step)).is_some()).unwrap_or(least);
        return Step::Months { step: step.round() as i64, from: months.first().map_or(0, |first| *first as i64) };
    }
    let gap = recurring_gap(&places);
    if let Some(step) = grid_step(&places, gap.filter(|_| places.len() >= LEAST_TIMES)) {
        // over the whole length the step has more digits
        let span = places[places.len() - 1] - places[0];
        return Step::Nanoseconds(nanoseconds(span / (span / step).round()));
    }
    let gap = gap.filter(|_| finest > Resolution::Day).map_or(f64::INFINITY, |gap| gap * scale.unit.seconds());
    let units = [TimeUnit::Day, TimeUnit::Hour, TimeUnit::Minute];
    let unit = units.into_iter().find(|unit| unit.seconds() <= gap * (1.0 + SLACK)).unwrap_or(TimeUnit::Second);
    Step::Nanoseconds((unit.seconds() * 1e9) as i128)
}

/// The number of the month of a moment at its beginning, up to rounding.
fn month(at: Moment) -> Option<i64> {
    let date = at.plus(i128::from(TimeUnit::Hour.whole_seconds()) * 1_000_000_000)?.civil()?.date();
    Some(i64::from(date.year()) * 12 + i64::from(date.month()))
}

/// Whether a day is the first of a month of the training rows' calendar.
fn begins(day: f64, step: i64, from: i64) -> bool {
    let at = Moment::from(day, TimeUnit::Day).filter(|at| at.begins(Resolution::Month));
    at.and_then(month).is_some_and(|month| (month - from).rem_euclid(step.max(1)) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar;

    /// The texts of the times of a range for training rows at these times, in a unit.
    fn texts(rows: &[String], unit: TimeUnit, resolution: Resolution, ends: [&str; 2], inclusive: bool) -> Vec<String> {
        let at = |text: &str| calendar::date(text).unwrap();
        let rows: Vec<f64> = rows.iter().map(|text| at(text).to(unit)).collect();
        let [start, end] = ends.map(|text| at(text).to(TimeUnit::Day));
        let range = Range { start, end, inclusive, dates: true };
        let found = times(&range, &rows, TimeScale { unit, resolution }).unwrap();
        TimeScale { unit: TimeUnit::Day, resolution: Resolution::Day }.texts(&found).into_iter().flatten().collect()
    }

    fn rows(of: impl Fn(u32) -> String, count: u32) -> Vec<String> {
        (0..count).map(of).collect()
    }

    #[test]
    fn hours_step_by_hours_in_every_unit() {
        // two hours are missing
        let hours: Vec<String> = rows(|i| format!("2024-03-{:02} {:02}:00", 1 + i / 24, i % 24), 60)
            .into_iter()
            .filter(|h| !h.contains("11:"))
            .collect();
        for unit in [TimeUnit::Hour, TimeUnit::Day, TimeUnit::Second, TimeUnit::Year] {
            let found = texts(&hours, unit, Resolution::Second, ["2024-03-03 00:00", "2024-03-03 06:00"], false);
            let wanted = ["2024-03-03T00:00:00", "2024-03-03T01:00:00", "2024-03-03T02:00:00"];
            assert_eq!(
                (&found[..3], found.len(), &*found[5]),
                (&wanted.map(String::from)[..], 6, "2024-03-03T05:00:00")
            );
            assert_eq!(texts(&hours, unit, Resolution::Second, ["2024-03-03", "2024-03-04"], true).len(), 25, "{unit}");
        }
    }

    #[test]
    fn days_weeks_months_and_years_step_by_their_own() {
        let day = |rows: &[String], ends| texts(rows, TimeUnit::Day, Resolution::Day, ends, false);
        let days = rows(|i| format!("2024-01-{:02}", 1 + i), 20);
        assert_eq!(day(&days, ["2024-02-28", "2024-03-02"]), ["2024-02-28", "2024-02-29", "2024-03-01"]);
        let weeks = rows(|i| format!("2024-01-{:02}", 1 + 7 * i), 4);
        assert_eq!(day(&weeks, ["2024-02-05", "2024-02-20"]), ["2024-02-05", "2024-02-12", "2024-02-19"]);
        let months = rows(|i| format!("20{:02}-{:02}-01", 20 + i / 12, 1 + i % 12), 40);
        assert_eq!(day(&months, ["2024-01-15", "2024-04-01"]), ["2024-02-01", "2024-03-01"]);
        let years = rows(|i| format!("20{:02}-01-01", 10 + i), 12);
        assert_eq!(day(&years, ["2024-01-01", "2027-01-01"]), ["2024-01-01", "2025-01-01", "2026-01-01"]);
        // where no month begins, days
        assert_eq!(day(&months, ["2024-01-15", "2024-01-17"]), ["2024-01-15", "2024-01-16"]);
    }

    #[test]
    fn uneven_times_step_by_a_plain_unit() {
        let dates = ["2024-01-03", "2024-01-04", "2024-01-09", "2024-01-20", "2024-02-11"].map(String::from);
        let ends = ["2024-03-01", "2024-03-03"];
        assert_eq!(texts(&dates, TimeUnit::Day, Resolution::Day, ends, false), ["2024-03-01", "2024-03-02"]);
        let clock = ["00:00", "02:10", "03:45", "07:05", "08:30", "11:59"].map(|at| format!("2024-01-01 {at}"));
        let found = texts(&clock, TimeUnit::Hour, Resolution::Second, ["2024-01-02", "2024-01-02 03:00"], false);
        assert_eq!(found, ["2024-01-02T00:00:00", "2024-01-02T01:00:00", "2024-01-02T02:00:00"]);
        // too few rows have no step
        assert_eq!(texts(&dates[..2], TimeUnit::Day, Resolution::Day, ends, false).len(), 2);
    }
}
