//! Figures through the language: requested ranges, axes of forecasts, levels of categories, text in XML.

use mercer::figure::{Figure, Mark, Role, Size, to_svg, to_text};
use mercer::lang::values::value::Value;
use mercer::progress::Silent;
use mercer::session::Session;

/// The figure that a script binds to `f`.
fn figure(text: &str) -> Figure {
    let mut session = Session::default();
    let output = session.run(text, "test", &Silent);
    match session.get("f") {
        Some(Value::Figure(figure)) => (**figure).clone(),
        _ => panic!("no figure: {}", output.text()),
    }
}

/// The values of `x` of the first mark for which `is` is true.
fn along(figure: &Figure, panel: usize, is: fn(&Mark) -> bool) -> Vec<f64> {
    let mark = figure.panels[panel].marks.iter().find(|mark| is(mark)).expect("such a mark");
    match mark {
        Mark::Points { x, .. } | Mark::Line { x, .. } | Mark::Band { x, .. } => x.clone(),
        _ => Vec::new(),
    }
}

fn is_line(mark: &Mark) -> bool {
    matches!(mark, Mark::Line { .. })
}

#[test]
fn kernels_are_shown_over_the_range_that_is_asked_for() {
    for (call, lo, hi) in [
        ("plot(SE(0, l=0.3))", -5.0, 5.0),
        ("plot(SE(0, l=2))", -5.0, 5.0),
        ("plot(SE(0, l=2), x=-3..=3)", -3.0, 3.0),
        ("plot(SE(0, l=2), x=[0, 1])", 0.0, 1.0),
        ("explain(SE(0)) |> plot(x=-2.5..=2.5)", -2.5, 2.5),
        ("plot(Per(0, p=30))", -50.0, 50.0),
    ] {
        let figure = figure(&format!("let f = {call}"));
        for panel in 0..2 {
            let x = along(&figure, panel, is_line);
            assert_eq!((x[0], x[x.len() - 1]), (lo, hi), "{call}");
        }
    }
    // 60 periods in the range: each has its points
    let x = along(&figure("let f = plot(Per(0, p=0.1), x=-3..=3)"), 0, is_line);
    assert!(x.len() >= 60 * 16, "{}", x.len());
}

/// A weekly pattern over two years: every week of the curve reaches the maximum and the minimum of the pattern.
#[test]
fn curves_show_every_period() {
    let figure = figure(
        "let d = data(day=0..728, y=[sin(2*pi*i/7) for i in 0..728])\n\
         let f = d |> condition(gp(Per(day, p=7, l=1, v=1), noise=0.01, mean=0)) |> plot",
    );
    let Some(Mark::Line { x, y, .. }) = figure.panels[0].marks.iter().find(|mark| is_line(mark)) else {
        panic!("a curve")
    };
    for week in 0..103 {
        let within = |x: f64| (f64::from(week) * 7.0..f64::from(week + 1) * 7.0).contains(&x);
        let values: Vec<f64> = x.iter().zip(y).filter(|(x, _)| within(**x)).map(|(_, y)| *y).collect();
        let (lo, hi) = values.iter().fold((1.0f64, -1.0f64), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        assert!(lo < -0.9 && hi > 0.9, "week {week}: {lo} to {hi}");
    }
}

const SHOPS: &str = "let d = data(day=0..60, shop=[if i < 30 then \"N\" else \"S\" for i in 0..60], \
                     temp=[sin(i*i) for i in 0..60], y=[0.1*i + (if i < 30 then 1 else -1) + sin(i*i) for i in 0..60])\n\
                     let m = d |> condition(gp(SE(day, l=20, v=4) + Indicator(shop, v=1) + SE(temp, l=1, v=1), noise=0.1))\n";

#[test]
fn forecasts_of_several_inputs_have_a_time_axis() {
    let figure = figure(&format!(
        "{SHOPS}let new = data(day=60..80, shop=[\"S\" for i in 0..20], temp=[cos(i*i) for i in 0..20])\n\
         let f = m |> predict(new) |> plot"
    ));
    assert_eq!(figure.panels[0].x.label, "day");
    let x = along(&figure, 0, |mark| matches!(mark, Mark::Band { .. }));
    assert_eq!((x.len(), x[0], x[19]), (20, 60.0, 79.0));
    assert_eq!(along(&figure, 0, |mark| matches!(mark, Mark::Points { .. })).len(), 60);
    // the only input that varies
    let figure = self::figure(&format!(
        "{SHOPS}let new = data(day=[60 for i in 0..5], shop=[\"S\" for i in 0..5], temp=[0.2, 0.1, 0.4, 0.3, 0.5])\n\
         let f = m |> predict(new) |> plot"
    ));
    assert_eq!(figure.panels[0].x.label, "temp");
    assert_eq!(along(&figure, 0, is_line), [0.1, 0.2, 0.3, 0.4, 0.5]);
}

#[test]
fn parts_on_categories_have_a_level_for_each() {
    let figure = figure(&format!("{SHOPS}let f = m |> decompose |> plot"));
    let panel = &figure.panels[1];
    assert_eq!(panel.x.names, [(0.0, "N".to_string()), (1.0, "S".to_string())]);
    let means: Vec<&Vec<f64>> = panel
        .marks
        .iter()
        .filter_map(|mark| match mark {
            Mark::Points { y, label, .. } if label == "posterior mean" => Some(y),
            _ => None,
        })
        .collect();
    assert_eq!(means.len(), 1);
    assert!(means[0].len() == 2 && means[0][0] > means[0][1], "{means:?}");
    // the parts of several inputs share a scale by default
    let range = |figure: &Figure| figure.panels.iter().map(|panel| panel.y.range).collect::<Vec<_>>();
    assert!(range(&figure).iter().all(|one| one.is_some() && *one == range(&figure)[0]));
    let free = self::figure(&format!("{SHOPS}let f = m |> decompose |> plot(scales=\"free\")"));
    assert!(range(&free).iter().all(Option::is_none));
    let shared = self::figure(
        "let m = load(\"nile\") |> condition(gp(SE(year, l=10, v=1e4) + Lin(year, b=1, v=1, c=1900), noise=1e4))\n\
         let f = m |> decompose |> plot(scales=\"shared\")",
    );
    assert!(range(&shared)[0].is_some() && range(&shared)[0] == range(&shared)[1]);
}

/// Names of classes with control characters: neither the image nor the terminal output contains them.
#[test]
fn names_with_control_characters_are_drawn_as_text() {
    let mut figure = figure(
        "let d = data(x=[1, 2, 3, 4], y=[\"a\", \"a\", \"b\", \"b\"], target=\"y\")\n\
         let m = d |> condition(gp(SE(x, l=1, v=1), likelihood=\"bernoulli\"))\n\
         let f = m |> confusion |> plot",
    );
    let bad = ["\u{1}\u{1b}[31mred", "b\u{fffe}\u{8}"];
    for axis in figure.panels.iter_mut().flat_map(|panel| [&mut panel.x, &mut panel.y]) {
        axis.names = bad.iter().enumerate().map(|(i, name)| (i as f64, name.to_string())).collect();
    }
    for mark in figure.panels.iter_mut().flat_map(|panel| &mut panel.marks) {
        if let Mark::Heat { texts, .. } = mark {
            texts.iter_mut().for_each(|text| text.insert(0, '\u{2}'));
        }
    }
    figure.title = bad.concat();
    let svg = to_svg(&figure, Size::of(&figure)).unwrap();
    let allowed =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(svg.contains("red") && svg.chars().all(allowed));
    let text = to_text(&figure, 80, 20, false);
    assert!(text.contains("red") && !text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}

/// The labels of the legend with the roles of their marks, in the first panel.
fn named(figure: &Figure) -> Vec<(String, Role)> {
    let label = |mark: &Mark| match mark {
        Mark::Points { label, role, .. } | Mark::Line { label, role, .. } => Some((label.clone(), *role)),
        _ => None,
    };
    figure.panels[0].marks.iter().filter_map(label).filter(|(label, _)| !label.is_empty()).collect()
}

const NILE: &str = "let d = load(\"nile\")\nlet m = d |> condition(gp(SE(year, l=10, v=1e4), noise=1e4, mean=900))\n";

#[test]
fn a_kernel_beside_a_fit_is_its_prior() {
    let figure = figure(&format!("{NILE}let f = plot(record(prior=SE(year, l=10, v=1e4), posterior=m))"));
    assert_eq!((figure.panels.len(), &*figure.panels[0].x.label), (1, "year"));
    let named = named(&figure);
    let labels: Vec<(&str, Role)> = named.iter().map(|(label, role)| (&**label, *role)).collect();
    assert_eq!(labels, [("prior", Role::Thin(0)), ("data", Role::Data), ("posterior", Role::Component(1))]);
    let x = along(&figure, 0, is_line);
    assert!(x[0] <= 1871.0 && x[x.len() - 1] >= 1970.0 && x[0] > 1860.0, "{:?}", (x[0], x[x.len() - 1]));
    // the mean plus and minus two standard deviations
    let bands = figure.panels[0].marks.iter().filter_map(|mark| match mark {
        Mark::Band { lo, hi, role: Role::Component(0), .. } => Some((lo[0], hi[0])),
        _ => None,
    });
    assert_eq!(bands.collect::<Vec<_>>(), [(-200.0, 200.0)]);
}

#[test]
fn draws_stand_beside_lists() {
    let figure = figure("let f = plot(record(prior=sample(SE(0), 0..4, n=2), posterior=[1, 2, 3]))");
    let lines = figure.panels[0].marks.iter().filter(|mark| is_line(mark)).count();
    assert_eq!((lines, named(&figure).len()), (3, 2));
}

#[test]
fn data_sets_have_colours_and_names() {
    let figure = figure(&format!("{NILE}let f = plot([d, load(\"airline\")], names=[\"one\", \"other\"])"));
    assert_eq!(named(&figure), [("one".to_string(), Role::Component(0)), ("other".to_string(), Role::Component(1))]);
    let figure = self::figure(&format!("{NILE}let f = plot([d, m], names=[\"flow\", \"fit\"])"));
    assert_eq!(named(&figure), [("flow".to_string(), Role::Data), ("fit".to_string(), Role::Component(1))]);
}

#[test]
fn points_lie_over_one_map() {
    let map = "plot([[1, 2, 3], [3, 4, 5]], mark=\"map\")";
    let figure = figure(&format!("let f = plot([{map}, plot([0, 1], mark=\"points\")], names=[\"height\", \"well\"])"));
    let heat = figure.panels[0].marks.iter().find_map(|mark| match mark {
        Mark::Heat { label, .. } => Some(label.clone()),
        _ => None,
    });
    assert_eq!((heat.as_deref(), named(&figure)), (Some("height"), vec![("well".to_string(), Role::Component(1))]));
}

#[test]
fn notes_count_what_is_left_out() {
    let note = |call: &str| figure(&format!("let f = {call}")).note;
    assert_eq!(note("plot([1, 0/0, 2])"), "1 of 3 values is not finite and is left out.");
    assert_eq!(note("plot([1, -2, 2], log=\"y\")"), "Logarithmic axes show positive values only: 1 of 3 are left out.");
    assert_eq!(note("plot([1, 2, 2], log=\"y\")"), "");
}

#[test]
fn correlations_follow_the_decomposed_rows() {
    let parts = "let parts = load(\"airline\") |> condition(gp(Lin(year, b=1, v=100, c=1950) + SE(year, l=2, v=1e4), \
                 noise=100)) |> decompose(at=1948..=1965, n=30)\n";
    let figure = figure(&format!("{parts}let f = plot(parts, show=\"correlation\")"));
    let Some(Mark::Heat { x, .. }) = figure.panels[0].marks.first() else { panic!("a map") };
    assert_eq!((x[0], x[x.len() - 1]), (1948.0, 1965.0));
}

#[test]
fn draws_and_deciles_follow_the_input_of_the_axis() {
    let text = "let d = data(a=[cos(i) for i in 0..30], b=[sin(i*i) for i in 0..30], y=[sin(i) for i in 0..30])\n\
                let m = d |> condition(gp(SE(a, l=1, v=1) * SE(b, l=1), noise=0.1, mean=0))\n\
                let p = m |> predict(data(a=[0.1*i for i in 0..10], b=[0.5 for i in 0..10]))\n";
    let figure = figure(&format!("{text}let f = plot(p, draws=4, deciles=true)"));
    let lines = figure.panels[0].marks.iter().filter(|mark| is_line(mark)).count();
    let bands = figure.panels[0].marks.iter().filter(|mark| matches!(mark, Mark::Band { .. })).count();
    assert_eq!((&*figure.panels[0].x.label, lines, bands), ("a", 5, 4));
}

/// Figures of 100,000 numbers in many forms.
#[test]
fn figures_of_many_numbers_are_small_files() {
    for call in [
        "plot([[sin(i*i*j) for i in 0..1000] for j in 1..101])",
        "plot([[sin(i*j) for i in 0..10] for j in 0..10000])",
        "plot([[sin(i*i*j) for i in 0..10000] for j in 1..11])",
        "plot([sin(i*i) for i in 0..100000], mark=\"bars\")",
        "plot([[sin(i*i + j) for i in 0..1000] for j in 0..100], mark=\"bars\")",
        "plot([[sin(i*i*j) for i in 0..316] for j in 0..316], mark=\"map\")",
        "plot([sin(i*i) for i in 0..100000], mark=\"points\")",
    ] {
        let figure = figure(&format!("let f = {call}"));
        let svg = to_svg(&figure, Size::of(&figure)).unwrap();
        assert!(svg.len() < 2_000_000, "{call}: {} bytes", svg.len());
    }
}
