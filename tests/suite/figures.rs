//! Figures through the language: requested ranges, axes of forecasts, levels of categories, text in XML.

use mercer::figure::{Figure, Mark, Size, to_svg, to_text};
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
        ("plot(SE(0, l=2), x=[0, 1, 0.5])", 0.0, 1.0),
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
