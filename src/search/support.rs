//! Whether the rows support what a model says: its patterns repeat, and its structure is not that of outliers.

use std::f64::consts::PI;
use std::sync::Arc;

use super::Found;
use super::score::ROUGH;
use super::setup::{Setup, null_model};
use crate::data::Dataset;
use crate::fit::spacing::{OF_MEDIAN, median};
use crate::fit::{Beyond, Fit, Options, Stretch, fit_beyond};
use crate::kernel::Role;
use crate::model::{Model, Noise};
use crate::progress::{Progress, Quiet};

/// The longest period, as a share of the data: two whole periods, and a little more.
const MOST_SPAN: f64 = 0.52;
/// A pattern that repeats does so in some row within so many periods.
const MOST_PERIODS: u32 = 7;
/// Rows whose correlation has a smaller logarithm than minus this have none.
const FORGOTTEN: f64 = 4.0;
/// A row whose target is so many robust standard deviations from the median lies outside of the others,
const OUTSIDE: f64 = 8.0;
/// if no more rows than this do: three may well be a pattern, or noise with longer tails. Beside values that are all the same,
/// where two may be a step, it is one row.
const FEW: usize = 2;
/// By how much the score of a structure must be better than that of noise alone.
const WORTH: f64 = 2.0;

/// A row or two that lie outside of the others.
pub struct Outliers {
    /// Their targets,
    pub targets: Vec<f64>,
    /// the other rows,
    others: Dataset,
    /// and the score of noise alone there; `None` if their targets are all the same: nothing is left to explain.
    null: Option<f64>,
}

impl Outliers {
    /// `None` if no row lies outside or more than two do, or where the noise is known, which cannot explain them.
    pub fn find(setup: &Setup<'_>, progress: &dyn Progress) -> Option<Self> {
        let model = null_model(setup.settings);
        if !matches!(model.noise(), Some(Noise::Variance(noise)) if !noise.is_fixed()) {
            return None;
        }
        let y = setup.data.y()?;
        let centre = median(&mut y.to_vec())?;
        let away: Vec<f64> = y.iter().map(|y| (y - centre).abs()).collect();
        let usual = OF_MEDIAN * median(&mut away.clone())?;
        let (others, outside): (Vec<usize>, Vec<usize>) = (0..y.len()).partition(|&row| away[row] <= OUTSIDE * usual);
        let most = if usual > 0.0 { FEW } else { 1 };
        if !(1..=most).contains(&outside.len()) {
            return None;
        }
        let targets = outside.into_iter().map(|row| y[row]).collect();
        let others = setup.data.take(&others);
        let null = match usual > 0.0 {
            true => Some(score_on(&others, &model, setup, progress)?),
            false => None,
        };
        Some(Self { targets, others, null })
    }

    /// Whether a model's structure is theirs alone: without them, noise alone is as good.
    pub fn are_all_of(&self, found: &Found, setup: &Setup<'_>, progress: &dyn Progress) -> bool {
        let Some(null) = self.null else { return true };
        let without = score_on(&self.others, &found.model, setup, progress);
        without.is_some_and(|score| score >= null - WORTH)
    }
}

/// The score of a model that is fitted to some rows, from its values.
fn score_on(rows: &Dataset, model: &Model, setup: &Setup<'_>, progress: &dyn Progress) -> Option<f64> {
    let options = Options { restarts: 1, least_noise: setup.least_noise, ..Options::default() };
    let columns = Some(&setup.columns[..]);
    let beyond = Beyond { tolerance: ROUGH, stretch: Stretch::Way, columns, ..Beyond::default() };
    let fit = fit_beyond(model, rows, options, beyond, &Quiet(progress)).ok()??;
    Some(setup.scored(&Arc::new(fit))?.score)
}

/// Whether its patterns repeat: rows some periods apart are correlated. One that is too rough for it fits noise, for which the
/// likelihood may well have a maximum.
pub fn repeats(fit: &Fit, setup: &Setup<'_>) -> bool {
    let (parameters, values) = (fit.problem().parameters(), fit.values());
    let lost = |i: usize| {
        let (period, roughness) = (&parameters[i], parameters.get(i + 1));
        let [column] = period.columns[..] else { return false };
        let is_pattern = period.role == Role::Period && !period.warped;
        if !is_pattern || !roughness.is_some_and(|p| p.role == Role::Roughness && p.is_free()) {
            return false;
        }
        let (p, l, column) = (values[i], values[i + 1], &setup.columns[column]);
        let longest = MOST_SPAN * (column.span + column.gap);
        if p > longest {
            return true;
        }
        // how far from some periods later the nearest row is
        let away = |periods: u32| match column.grid.map(|step| (step, f64::from(periods) * p / step)) {
            Some((step, steps)) => (steps - steps.round()).abs() * step,
            None => 0.5 * column.gap,
        };
        // what repeats only after more than half of the data is a pattern of that length
        let mut turns = (1..=MOST_PERIODS).take_while(|&periods| f64::from(periods) * p <= longest);
        turns.all(|periods| 2.0 * ((PI * away(periods) / p).sin() / l).powi(2) > FORGOTTEN)
    };
    !(0..parameters.len()).any(lost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;
    use crate::fit::condition;
    use crate::kernel::families::family;
    use crate::kernel::{Kernel, Values};
    use crate::param::Param;
    use crate::progress::Silent;
    use crate::search::{Settings, search};

    #[test]
    fn patterns_repeat_in_some_row() {
        let x: Vec<f64> = (0..48).map(f64::from).collect();
        let y = x.iter().map(|x| (x / 3.0).sin() + (x * x).cos()).collect();
        let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).expect("data");
        let settings = Settings::default();
        let setup = Setup::new(&data, &settings).expect("a setup");
        let told = |period: f64, roughness: f64| {
            let per =
                Kernel::family(family("Per").expect("a family")).rewrite_params(&mut |at, values| match at.spec.role {
                    Role::Period => Values::One(Param::free(period)),
                    Role::Roughness => Values::One(Param::free(roughness)),
                    _ => values.clone(),
                });
            repeats(&condition(&settings.model(per), &data).expect("a fit"), &setup)
        };
        // independent levels of twelve months, also where they are those of a fifth of the year; a shape between the rows
        assert!(told(12.0, 0.1) && told(2.4, 0.1) && told(11.7, 0.8));
        // two whole periods
        assert!(told(24.0, 0.8) && !told(26.0, 0.8));
        assert!(!told(29.011, 8e-5) && !told(11.7, 0.01));
        // it repeats in rows that are 40 steps apart only
        assert!(!told(13.3334, 2e-4));
    }

    #[test]
    fn a_structure_of_one_row_is_not_told() {
        let t: Vec<f64> = (0..60).map(f64::from).collect();
        // chance values about 20, of which the last is 60
        let chance = |i: usize| 20.0 + ((i * i * 7919 + 13 * i) % 101) as f64 / 50.0 - 1.0;
        let y: Vec<f64> = (0..60).map(|i| if i == 59 { 60.0 } else { chance(i) }).collect();
        let line: Vec<f64> = t.iter().zip(&y).map(|(t, y)| y + 0.5 * t).collect();
        let found = |y: &[f64]| {
            let columns = vec![Column::numeric("t", t.clone()), Column::numeric("y", y.to_vec())];
            let data = Dataset::new(columns, Some("y"), None).expect("a data set");
            let budget = crate::search::Budget { seconds: None, evaluations: Some(1500) };
            let settings = Settings { depth: 2, budget, ..Settings::default() };
            search(&data, &settings, &Silent).expect("a search").best.model.kernel.heading()
        };
        assert_eq!(found(&y), "WN");
        assert_ne!(found(&line), "WN");
        let mut two = y.clone();
        two[20] = -30.0;
        assert_eq!(found(&two), "WN");
        // beside values that are all the same
        let one: Vec<f64> = (0..60).map(|i| if i == 40 { 7.0 } else { 3.0 }).collect();
        assert_eq!(found(&one), "WN");
        let step: Vec<f64> = (0..60).map(|i| if i > 57 { 7.0 } else { 3.0 }).collect();
        assert_ne!(found(&step), "WN");
    }
}
