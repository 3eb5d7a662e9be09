//! The models of a search in order: which expressions are the same kernel, which come first, and their weights.

use std::collections::HashSet;

use super::{Found, Search};
use crate::calendar::TimeUnit;
use crate::kernel::Kernel;

/// The number of models kept.
pub const KEPT: usize = 20;
/// The least improvement of a score.
pub const WORTH: f64 = 1e-6;

/// What two expressions share that are the same kernel.
pub fn structure(kernel: &Kernel) -> String {
    key(&kernel.simplify_structure())
}

/// The same of an expression that is simplified already. A fixed time has one text, whatever its unit.
pub fn key(simple: &Kernel) -> String {
    simple.map_params(&mut |param| param.in_unit(TimeUnit::Second)).to_string()
}

/// A search with the models of another of the same rows. The depths are those of the first.
pub fn joined(mut search: Search, other: Search) -> Search {
    let score = |search: &Search| search.models.first().map_or(f64::INFINITY, |best| best.score);
    if score(&other) < score(&search) {
        search.best = other.best;
    }
    search.models.extend(other.models);
    rank(&mut search.models);
    weigh(&mut search.models);
    search
}

/// Weights by the scores, of models that are ranked.
pub fn weigh(models: &mut [Found]) {
    let least = models.first().map_or(0.0, |found| found.score);
    let weight = |found: &Found| (-0.5 * (found.score - least)).exp();
    let total: f64 = models.iter().map(weight).sum();
    for found in models {
        found.weight = weight(found) / total;
    }
}

/// Sorts the models: best first, the smaller first of two that tie; of equal structures only the best is kept.
pub fn rank(pool: &mut Vec<Found>) {
    let key = |found: &Found| structure(&found.model.kernel);
    pool.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.parameters.cmp(&b.parameters)));
    let mut first = 0;
    while first < pool.len() {
        let least = pool[first].score;
        let tied = pool[first..].iter().take_while(|found| found.score - least <= WORTH).count().max(1);
        pool[first..first + tied].sort_by_key(|found| found.parameters);
        first += tied;
    }
    let mut seen = HashSet::new();
    pool.retain(|found| seen.insert(key(found)));
    pool.truncate(KEPT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::families::family;
    use crate::kernel::{Role, Values};
    use crate::param::{Measure, Param};

    fn with(name: &str, role: Role, param: Param) -> Kernel {
        Kernel::family(family(name).expect("a family")).rewrite_params(&mut |at, values| match at.spec.role == role {
            true => Values::One(param.clone()),
            false => values.clone(),
        })
    }

    #[test]
    fn times_do_not_make_another_structure() {
        let in_days = |days: f64| Param { time: Some(Measure::Length(TimeUnit::Day)), ..Param::free(days) };
        let smooth = |days: f64| with("SE", Role::LengthScale, in_days(days));
        assert_eq!(structure(&smooth(10.0)), structure(&smooth(20.0)));
        let product = Kernel::product([smooth(10.0), smooth(20.0)]).expect("a product");
        assert_eq!(structure(&product), structure(&smooth(5.0)));
        let fixed = |period: f64, unit| {
            let time = Some(Measure::Length(unit));
            with("Per", Role::Period, Param { time, ..Param::fixed(period) })
        };
        assert_eq!(structure(&fixed(1.0, TimeUnit::Year)), structure(&fixed(365.25, TimeUnit::Day)));
        assert_ne!(structure(&fixed(1.0, TimeUnit::Year)), structure(&fixed(1.0, TimeUnit::Week)));
    }
}
