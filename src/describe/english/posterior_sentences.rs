//! Sentences about the posterior of a part: its direction with its probability, its amplitude within a period, the
//! effects of its inputs.

use super::data_context::{DataContext, Input};
use super::factor::{Factor, Product};
use super::noun_phrase::change_of;
use super::quantity::{DIGITS, amount, place, short, single, two_amounts};
use super::words::{capital, join_and};
use crate::describe::numbers::percent;
use crate::fit::{Fit, gap_of_jump};
use crate::kernel::{Head, Kernel, Node, Role};
use crate::results::{
    ComponentShape, MainEffect, Over, PeriodicShape, Shape, TURN, component_shape, inputs_of, main_effects,
    order_shares, periodic_shape,
};

/// The largest number of inputs of a part whose effects are computed.
const MOST: usize = 16;
/// The largest number of effects in a sentence.
const MOST_EFFECTS: usize = 6;
/// The smallest effect in a sentence, as a share of the largest.
const SMALL: f64 = 0.02;
/// A side of a changepoint is called flat if its spread is a smaller share of that of the whole.
const FLAT: f64 = 0.02;
/// From these probabilities a direction is called certain, or likely.
const SURE: f64 = 0.975;
const LIKELY: f64 = 0.5;
/// Amplitudes with a smaller ratio are called equal.
const EQUAL: f64 = 1.15;

/// Sentences about the posterior of a part of a fit.
pub fn posterior_sentences(fit: &Fit, kernel: &Kernel, context: &DataContext) -> Vec<String> {
    let product = Product::of(kernel, context);
    let Some(head) = product.factors.first() else { return Vec::new() };
    if matches!(head.head, Head::Noise | Head::Constant) {
        return Vec::new();
    }
    match &inputs_of(fit, kernel)[..] {
        &[one] => {
            let Some(input) = context.column(one) else { return Vec::new() };
            match (head.head, head.number(Role::Period)) {
                (Head::Periodic(_), Some(period)) => periodic(fit, kernel, head, period, (one, input), context),
                _ => match component_shape(fit, kernel, one, None) {
                    Ok(Some(found)) => {
                        let sides = sides(fit, kernel, &found, input, context);
                        vec![sides.unwrap_or_else(|| format!("It {}.", along(&found, &product, input, context)))]
                    }
                    _ => Vec::new(),
                },
            }
        }
        several if (2..=MOST).contains(&several.len()) => match main_effects(fit, kernel, several) {
            Ok(found) => orders(fit, kernel).into_iter().chain(over(&found, context)).collect(),
            Err(_) => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A changepoint along its only input: the function before and after it.
fn sides(fit: &Fit, kernel: &Kernel, whole: &ComponentShape, input: &Input, context: &DataContext) -> Option<String> {
    let Node::Wrap(wrapped) = kernel.node() else { return None };
    let (at, width) = change_of(wrapped)?;
    let side = |child: &Kernel, within: (f64, f64)| {
        let found = component_shape(fit, kernel, whole.input, Some(within)).ok()??;
        if found.spread < FLAT * whole.spread {
            return Some(format!("hardly changes with {}", input.name));
        }
        Some(along(&found, &Product::of(child, context), input, context))
    };
    let [before, after] = &wrapped.children[..] else { return None };
    // the transition is a few widths long
    let (lo, hi) = whole.range;
    let before = side(before, (lo, at - 2.0 * width))?;
    let after = side(after, (at + 2.0 * width, hi))?;
    let name = &input.name;
    Some(match gap_of_jump(&input.rows, at, width) {
        Some((lower, upper)) => {
            let (lower, upper) = (input.place(lower), input.place(upper));
            format!("Up to {name} = {lower} it {before}. From {name} = {upper} on it {after}.")
        }
        None => format!("Before about {name} = {} it {before}. After that it {after}.", input.place(at)),
    })
}

/// The share of each order of interaction in the variance of an additive part.
fn orders(fit: &Fit, kernel: &Kernel) -> Option<String> {
    let shares = order_shares(fit, kernel).ok()?;
    let shares_in_words = shares.iter().filter(|(_, share)| *share >= SMALL).enumerate().map(|(i, (order, share))| {
        let what = match order {
            1 => "main effects".into(),
            2 => "two-way interactions".into(),
            n => format!("{n}-way interactions"),
        };
        let verb = if i == 0 { "account for " } else { "" };
        let of = if i == 0 { " of its variance" } else { "" };
        format!("{what} {verb}{}{of}", percent(*share))
    });
    let shares_in_words: Vec<String> = shares_in_words.collect();
    (shares.len() > 1 && !shares_in_words.is_empty()).then(|| format!("{}.", capital(&join_and(&shares_in_words))))
}

/// The shape of a part along its single input, to follow "it".
fn along(found: &ComponentShape, product: &Product<'_>, input: &Input, context: &DataContext) -> String {
    let size = |value: f64| amount(value.abs(), context.target.as_deref(), DIGITS);
    let (change, sd) = found.change;
    let straight = matches!(&product.factors[..], [Factor { head: Head::Polynomial, degree: 1, .. }]);
    let (verb, sure) = match found.shape {
        Shape::Rises => ("increases", found.monotonic.map(|m| m.increase)),
        Shape::Falls => ("decreases", found.monotonic.map(|m| m.decrease)),
        Shape::Peaks(at) => return turn(["increases", "decreases"], at, found.uneven, input),
        Shape::Dips(at) => return turn(["decreases", "increases"], at, found.uneven, input),
        Shape::Turns { count: 0, .. } => return format!("hardly changes with {}", input.name),
        Shape::Turns { count, at_least } => return turns(count, at_least, found, input, context),
    };
    let by = |value: f64, sd: f64, per: &str| format!("{}{per} (standard deviation {})", size(value), short(sd, 2));
    if straight {
        let length = found.range.1 - found.range.0;
        let per = single(input.unit.as_deref())
            .map_or(format!(" for each 1 of {}", input.name), |unit| format!(" per {unit}"));
        let sure = sure.filter(|sure| *sure < SURE);
        let sure = sure.map_or(String::new(), |sure| format!("; the probability that it {verb} is {sure:.2}"));
        return format!("{verb} by {}{sure}", by(change / length, sd / length, &per));
    }
    let steps = match found.monotonic.map(|monotonic| monotonic.over) {
        Some(Over::Rows) => "from each row to the next",
        Some(Over::Range) | None => "monotonically",
    };
    let how = match sure {
        Some(SURE..) => steps,
        Some(sure @ LIKELY..) => &format!("{steps} (with probability {sure:.2})"),
        _ => "overall",
    };
    format!("{verb} {how}, by {} in total", by(change, sd, ""))
}

fn turn([first, then]: [&str; 2], at: f64, uneven: bool, input: &Input) -> String {
    let overall = if uneven { "overall " } else { "" };
    format!("{first} {overall}until about {} = {}, then {then}", input.name, input.place(at))
}

fn turns(n: usize, at_least: bool, found: &ComponentShape, input: &Input, context: &DataContext) -> String {
    let size = |value: f64| amount(value, context.target.as_deref(), DIGITS);
    let at_least = if at_least { "at least " } else { "" };
    let points = if n == 1 { "point" } else { "points" };
    let count = format!("{at_least}{n} turning {points} of at least {} of its range", percent(TURN));
    let (first, second) = found.halves;
    let spread = match second / first {
        ratio if !(0.5..=2.0).contains(&ratio) => format!(
            "{} in the first half of the range of {} and {} in the second",
            size(first),
            input.name,
            size(second)
        ),
        _ => size(found.spread),
    };
    format!("has {count}; the standard deviation of its posterior mean is {spread}")
}

fn periodic(
    fit: &Fit,
    kernel: &Kernel,
    head: &Factor<'_>,
    period: f64,
    (at, input): (usize, &Input),
    context: &DataContext,
) -> Vec<String> {
    let unit = input.unit.as_deref();
    let mut out = Vec::new();
    let known = fit.parameters().iter().zip(fit.values()).zip(&fit.standard_errors);
    let error = known
        .filter(|((parameter, value), _)| parameter.role == Role::Period && **value == period)
        .find_map(|(_, error)| *error);
    match error {
        Some(error) => {
            let digits = ((period / error).log10().ceil() + 1.0).clamp(3.0, 8.0) as usize;
            let length = amount(period, unit, digits);
            let error = amount(error, unit, 2);
            out.push(format!("Its period is {length} (standard error {error})."));
        }
        None if head.cycle().is_some() => out.push(format!("Its period is {}.", amount(period, unit, 4))),
        None => {}
    }
    // months of the extremes are known only if the input is in years
    let calendar = head.cycle() == Some("yearly") && unit.is_some_and(|unit| unit.trim_end_matches('s') == "year");
    if let Ok(Some(found)) = periodic_shape(fit, kernel, at, period, if calendar { 1.0 } else { period }) {
        let when = if calendar { seasons(&found) } else { None };
        out.extend(swings(&found, context).map(|swings| match when {
            Some(when) => format!("{swings}; it is {when}."),
            None => format!("{swings}."),
        }));
    }
    out
}

fn swings(found: &PeriodicShape, context: &DataContext) -> Option<String> {
    let size = |value: f64| amount(value, context.target.as_deref(), DIGITS);
    let two = |values| two_amounts(values, context.target.as_deref(), 3);
    let (first, last) = (*found.sizes.first()?, *found.sizes.last()?);
    let least = found.sizes.iter().copied().fold(f64::INFINITY, f64::min);
    let most = found.sizes.iter().copied().fold(0.0, f64::max);
    Some(match (first, last) {
        _ if most <= EQUAL * least => format!("Its peak-to-peak amplitude within each period is {}", size(first)),
        _ if first <= least * EQUAL && last * EQUAL >= most => {
            let [first, last] = two([first, last]);
            format!("Its peak-to-peak amplitude within a period grows from {first} to {last}")
        }
        _ if last <= least * EQUAL && first * EQUAL >= most => {
            let [first, last] = two([first, last]);
            format!("Its peak-to-peak amplitude within a period shrinks from {first} to {last}")
        }
        _ => {
            let [least, most] = two([least, most]);
            format!("Its peak-to-peak amplitude within a period lies between {least} and {most}")
        }
    })
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const QUARTERS: [&str; 4] = ["first", "second", "third", "fourth"];

/// The months or quarters of its maximum and minimum. Rows of a month are often dated at its beginning.
fn seasons(found: &PeriodicShape) -> Option<String> {
    let nth =
        |phase: f64, of: usize, slack: f64| (phase * of as f64 + slack).floor().rem_euclid(of as f64) as usize % of;
    let season = |phase: f64| match found.quarters {
        true => format!("the {} quarter", QUARTERS[nth(phase, QUARTERS.len(), 0.5)]),
        false => MONTHS[nth(phase, MONTHS.len(), 0.25)].to_string(),
    };
    match (found.highest.map(season), found.lowest.map(season)) {
        (Some(highest), Some(lowest)) => Some(format!("highest in {highest} and lowest in {lowest}")),
        (Some(highest), None) => Some(format!("highest in {highest}")),
        (None, Some(lowest)) => Some(format!("lowest in {lowest}")),
        (None, None) => None,
    }
}

/// The effect of each of several inputs, the largest first within each kind.
fn over(found: &[MainEffect], context: &DataContext) -> Option<String> {
    let largest = found.first()?.size;
    let shown: Vec<&MainEffect> =
        found.iter().filter(|effect| effect.size > SMALL * largest).take(MOST_EFFECTS).collect();
    let name = |effect: &MainEffect| context.column(effect.input).map_or_else(String::new, |input| input.name.clone());
    let size = |effect: &MainEffect| amount(effect.size, context.target.as_deref(), DIGITS);
    let by = |effect: &&MainEffect| format!("{} (by {})", name(effect), size(effect));
    let near = |effect: &MainEffect, at: f64| {
        let place = match context.column(effect.input) {
            Some(input) => Input { range: Some(effect.range), ..input.clone() }.place(at),
            None => place(at, Some(effect.range)),
        };
        format!("{} = {place} (by {})", name(effect), size(effect))
    };
    let of = |is: fn(Shape) -> bool| shown.iter().filter(|e| is(e.shape)).map(by).collect::<Vec<_>>();
    let rises = of(|shape| shape == Shape::Rises);
    let falls = of(|shape| shape == Shape::Falls);
    let turns = of(|shape| matches!(shape, Shape::Turns { count: 1.., .. }));
    let peaks: Vec<String> =
        shown.iter().filter_map(|e| if let Shape::Peaks(at) = e.shape { Some(near(e, at)) } else { None }).collect();
    let dips: Vec<String> =
        shown.iter().filter_map(|e| if let Shape::Dips(at) = e.shape { Some(near(e, at)) } else { None }).collect();
    let groups = [
        ("increases with", rises),
        ("decreases with", falls),
        ("is highest near", peaks),
        ("is lowest near", dips),
        ("varies non-monotonically with", turns),
    ];
    let said: Vec<String> = groups
        .into_iter()
        .filter(|(_, some)| !some.is_empty())
        .map(|(verb, some)| format!("{verb} {}", join_and(&some)))
        .collect();
    (!said.is_empty()).then(|| format!("Averaged over the rows it {}.", said.join("; it ")))
}
