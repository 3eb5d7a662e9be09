//! The wording of descriptions of kernels. Sessions are in
//! `tests/transcripts/kernels/describe.mer`, and random kernels in `tests/voice.rs`.

use std::sync::Arc;

use super::data_context::DataContext;
use super::noun_phrase::noun_phrase;
use super::posterior_sentences::posterior_sentences;
use super::words::{capital, join_and, with_article};
use super::{describe_fit, describe_kernel};
use crate::data::{Column, Dataset};
use crate::fit::condition;
use crate::kernel::families::FAMILIES;
use crate::kernel::wraps::{WRAPS, changepoint};
use crate::kernel::{Head, Inputs, Kernel, Role, Spec, Values};
use crate::model::Model;
use crate::param::Param;

fn said(names: &[&str]) -> String {
    let find = |name: &&str| crate::kernel::families::family(name).unwrap_or_else(|| panic!("{name}"));
    let kernel = Kernel::product(names.iter().map(|name| Kernel::leaf(find(name), Inputs::default())));
    describe_kernel(&kernel.unwrap()).text()
}

#[test]
fn words_are_joined() {
    let words = ["a", "b", "c"].map(String::from);
    assert_eq!([0, 1, 2, 3].map(|n| join_and(&words[..n])), ["", "a", "a and b", "a, b and c"].map(String::from));
    assert_eq!(
        ["hourly pattern", "yearly pattern", "irregular one"].map(with_article).map(|w| capital(&w)),
        ["An hourly pattern", "A yearly pattern", "An irregular one"]
    );
}

#[test]
fn the_noun_is_the_first_in_the_order_of_preference() {
    assert_eq!(said(&["Lin", "SE", "Per"]), said(&["Per", "SE", "Lin"]));
    assert!(said(&["SE", "Per"]).starts_with("A periodic function of the input whose shape drifts"));
    assert!(said(&["Lin", "Matern12", "SE"]).starts_with("A rough function of the inputs"));
    assert_eq!(said(&["SE", "WN", "Per", "Const"]), "Uncorrelated noise.");
    assert_eq!(said(&["Const", "Lin", "Lin"]), "A quadratic function of the inputs.");
}

#[test]
fn kernels_in_wraps_are_told_by_what_they_see() {
    let find = |name: &str| Kernel::family(crate::kernel::families::family(name).unwrap());
    let each = DataContext::default().each();
    assert_eq!(noun_phrase(&find("SE"), &each), "a smooth function of it");
    let sum = Kernel::sum([find("Matern12"), find("Lin")]).unwrap();
    let text = "the sum of (1) a rough function of it that has no slope anywhere and (2) a linear function of it";
    assert_eq!(noun_phrase(&sum, &each), text);
}

#[test]
fn a_mixture_of_one_scale_is_told_by_it() {
    let with = |shape: f64| {
        Kernel::family(crate::kernel::families::family("RQ").unwrap()).rewrite_params(&mut |at, values| match at
            .spec
            .role
        {
            Role::Shape => Values::One(Param::free(shape)),
            Role::LengthScale => Values::One(Param::free(3.0)),
            _ => values.clone(),
        })
    };
    let said = |kernel: &Kernel| noun_phrase(kernel, &DataContext::default());
    assert!(said(&with(0.5)).contains("varies on many scales around 3"), "{}", said(&with(0.5)));
    assert!(said(&with(1e8)).contains("varies over about 3"), "{}", said(&with(1e8)));
}

/// The first part of a kernel in the description of rows at 0, 1, …, 29.
fn of_rows(kernel: Kernel) -> String {
    let x: Vec<f64> = (0..30).map(f64::from).collect();
    let y = x.iter().map(|x| if *x < 12.5 { 0.1 * x.sin() } else { 8.0 + (3.0 * x).cos() }).collect();
    let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap();
    let fit = Arc::new(condition(&Model::new(kernel), &data).unwrap());
    let context = DataContext::of_fit(&fit);
    let sentences = posterior_sentences(&fit, &fit.model.kernel, &context).join(" ");
    format!("{}\n{sentences}", describe_fit(&fit).text())
}

fn with_values(name: &str, values: &[f64]) -> Kernel {
    let mut values = values.iter();
    Kernel::leaf(crate::kernel::families::family(name).unwrap(), Inputs::All)
        .map_params(&mut |param| values.next().map_or(param.clone(), |v| Param::free(*v)))
}

#[test]
fn a_jump_is_between_rows_in_every_sentence() {
    let change = |at: f64, width: f64| {
        let params = [at, width].map(|value| Values::One(Param::free(value))).to_vec();
        let (before, after) = (with_values("SE", &[5.0, 1.0]), with_values("SE", &[2.0, 40.0]));
        of_rows(changepoint(before, after, Inputs::All, params))
    };
    let (jump, slow) = (change(12.4, 0.01), change(12.4, 1.5));
    assert!(jump.contains("A change between the rows at x = 12 and 13 from a smooth"), "{jump}");
    assert!(jump.contains("Up to x = 12 it") && jump.contains("From x = 13 on it"), "{jump}");
    assert!(slow.contains("A change near x = 12.4 over about 1.5 from"), "{slow}");
    assert!(slow.contains("Before about x = 12.4 it"), "{slow}");
}

#[test]
fn a_trend_that_forgets_its_slope_between_rows_is_told_as_a_random_walk() {
    let short = of_rows(with_values("DampedTrend", &[1e-6, 2e6]));
    assert!(short.contains("random walk in x (standard deviation 2)") && !short.contains("slope"), "{short}");
    let long = of_rows(with_values("DampedTrend", &[4.0, 2.0]));
    assert!(long.contains("whose slope changes over about 4"), "{long}");
}

/// The placeholders of a template.
fn places(template: &str) -> Vec<&str> {
    template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

#[test]
fn voices_mention_what_there_is() {
    let family: Vec<&'static Spec> = FAMILIES
        .iter()
        .flat_map(|f| {
            let other = f.spec().flag.map(|flag| (flag.other)().spec());
            std::iter::once(f.spec()).chain(other)
        })
        .collect();
    for spec in family.iter().chain(WRAPS) {
        let voice = &spec.wording;
        let wrap = matches!(voice.head, Head::Whole(_));
        let own = ["x", "degree", "grows"];
        let wraps = ["x", "k", "all", "f", "n", "1", "2", "3", "4", "lower", "upper"];
        let all = voice.details.iter().copied().chain([voice.noun, voice.own, voice.other]);
        for name in all.flat_map(places) {
            let known = if wrap { wraps.contains(&name) } else { own.contains(&name) };
            assert!(
                known || spec.params.iter().any(|p| [p.short, p.name].contains(&name)),
                "{}: {{{name}}}",
                spec.name
            );
        }
        assert!(!voice.noun.is_empty(), "{}", spec.name);
        assert_eq!(voice.own.is_empty(), voice.other.is_empty(), "{}", spec.name);
        // without values, only placeholders that are always known may be outside of brackets
        let always = if wrap { &wraps[..] } else { &own[..] };
        let outside: String = voice.noun.split('[').map(|t| t.split_once(']').map_or(t, |(_, rest)| rest)).collect();
        assert!(places(&outside).iter().all(|name| always.contains(name)), "{}: {outside}", spec.name);
    }
}
