use super::palette::{self, Shades};
use super::standard_figures::*;
use super::*;

const NAMES: Names<'static> =
    Names { title: "Air & <script>alert(1)</script>", x: "year", y: "passengers (σ², 中)" };

fn wave(n: usize) -> (Vec<f64>, Vec<f64>) {
    (0..n).map(|i| i as f64 / n as f64 * 12.0 + 1949.0).map(|x| (x, 300.0 + 100.0 * (x * 6.3).sin())).unzip()
}

fn fit(x: &[f64], y: &[f64]) -> Figure {
    let (gx, mean) = wave(200);
    let (lo, hi): (Vec<f64>, Vec<f64>) = mean.iter().map(|m| (m - 20.0, m + 20.0)).unzip();
    let curve = Curve { x: &gx, mean: &mean, lo: &lo, hi: &hi };
    fit_figure(NAMES, Pairs { x, y }, curve, "±2 sd of y", Some(Pairs { x: &gx[190..], y: &mean[190..] }))
}

fn points(x: &[f64], y: &[f64]) -> Figure {
    fit_figure(NAMES, Pairs { x, y }, Curve::default(), "", None)
}

/// Every tag is closed in order, every ampersand starts an entity, no number is NaN or infinite.
fn well_formed(svg: &str) {
    let mut open = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        if tag.starts_with("!--") {
            continue;
        }
        let name = tag.trim_start_matches('/').split_whitespace().next().expect("a tag has a name");
        match tag {
            t if t.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            t if t.ends_with('/') => {}
            _ => open.push(name),
        }
        for entity in text.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;", "apos;"].iter().any(|e| entity.starts_with(e)), "{entity}");
        }
        assert!(!tag.contains("NaN") && !tag.contains("inf"), "{tag}");
    }
    assert!(open.is_empty(), "{open:?}");
}

fn svg(figure: &Figure) -> String {
    let svg = to_svg(figure, Size::of(figure)).expect("draws");
    well_formed(&svg);
    svg
}

/// Draws in all three formats, checks each, and returns the SVG.
fn drawn(figure: &Figure) -> String {
    let size = Size { width: 300, height: 200 };
    let png = to_png(figure, size).expect("paints");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!((&png[16..20], &png[20..24]), (&600u32.to_be_bytes()[..], &400u32.to_be_bytes()[..]));
    for (width, height) in [(80, 24), (30, 8), (1, 1), (200, 60)] {
        let text = to_text(figure, width, height, false);
        assert!(text.lines().all(|l| unicode_width::UnicodeWidthStr::width(l) <= width), "{text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    }
    svg(figure)
}

#[test]
fn labels_are_there_and_escaped() {
    let (x, y) = wave(50);
    let svg = drawn(&fit(&x, &y));
    assert!(!svg.contains("<script"));
    for label in [
        "Air &amp; &lt;script&gt;",
        "year",
        "(σ², 中)",
        "data",
        "held out",
        "posterior mean",
        "band: ±2 sd of y",
        "1950",
    ] {
        assert!(svg.contains(label), "{label} is missing");
    }
    assert!(svg.contains("viewBox=\"0 0 860 520\""));
}

#[test]
fn dollars_stay_dollars() {
    let mut figure = points(&[1.0, 2.0], &[1.0, 2.0]);
    figure.panels[0].y.label = "from $x^2$ to \\$y".into();
    figure.title = "$a_1$ and $b$".into();
    let svg = drawn(&figure);
    assert!(svg.contains("from $x^2$ to \\$y"), "{svg}");
    assert!(svg.contains(">$a_1$ and $b$<"), "{svg}");
}

#[test]
fn odd_data_is_drawn() {
    drawn(&points(&[], &[]));
    assert!(svg(&points(&[], &[])).contains("no data"));
    drawn(&Figure::default());
    drawn(&points(&[1950.0], &[3.0]));
    drawn(&points(&[1.0, 2.0, 3.0], &[7.0, 7.0, 7.0]));
    drawn(&points(&[1.0, f64::NAN, 3.0], &[f64::INFINITY, 2.0, f64::NEG_INFINITY]));
    drawn(&points(&[1e-300, 2e-300], &[-1e300, 1e300]));
    drawn(&points(&[-f64::MAX, f64::MAX], &[f64::MIN_POSITIVE, 0.0]));
    drawn(&points(&[0.0, 1.0], &[1e17, 1e17 + 16.0]));
    drawn(&points(&[-5.0, -4.0], &[-1e-9, -2e-9]));
}

#[test]
fn a_missing_value_breaks_a_line_and_a_band() {
    let x = [0.0, 1.0, 2.0, 3.0, 4.0];
    let y = [0.0, 1.0, f64::NAN, 1.0, 0.0];
    let whole = fit_figure(NAMES, Pairs::default(), Curve { x: &x, mean: &x, lo: &x, hi: &x }, "b", None);
    let broken = fit_figure(NAMES, Pairs::default(), Curve { x: &x, mean: &y, lo: &y, hi: &y }, "b", None);
    let paths = |f: &Figure| drawn(f).matches("<path").count();
    assert_eq!(paths(&broken), paths(&whole) + 2);
}

#[test]
fn long_labels_stay_inside() {
    let long = "a very long label ".repeat(40) + &"x".repeat(5000);
    let mut figure = fit(&[1950.0], &[300.0]);
    figure.title = long.clone();
    figure.note = long.clone();
    let panel = &mut figure.panels[0];
    (panel.title, panel.x.label, panel.y.label) = (long.clone(), long.clone(), long.clone());
    if let Mark::Points { label, .. } = &mut panel.marks[0] {
        *label = long;
    }
    let svg = drawn(&figure);
    assert!(svg.contains('…') && svg.len() < 60_000, "{}", svg.len());
}

#[test]
fn a_line_far_outside_leaves_no_dashes() {
    let line = Mark::Line { x: vec![0.0, 1.0], y: vec![0.0, 1e9], label: "l".into(), role: Role::Mean, dashed: true };
    let mut panel = Panel::new("x", "y", vec![line]);
    panel.y.range = Some((0.0, 1.0));
    assert!(drawn(&Figure::single("", panel)).len() < 30_000);
}

#[test]
fn many_points_are_thinned() {
    let (x, y) = wave(100_000);
    let y: Vec<f64> = y.iter().enumerate().map(|(i, y)| y + ((i * 7919) % 1000) as f64 / 10.0).collect();
    let figure = fit(&x, &y);
    assert!(svg(&figure).len() < 2_500_000);
    assert!(to_text(&figure, 80, 24, false).lines().count() <= 24);
}

#[test]
fn panels_up_to_twelve_keep_their_titles() {
    let (x, y) = wave(30);
    let labels: Vec<String> = (0..12).map(|i| format!("part {i}")).collect();
    let curve = Curve { x: &x, mean: &y, lo: &y, hi: &y };
    let partial = Pairs { x: &x, y: &y };
    let panel = |label: &String| {
        component_panel(NAMES.x, NAMES.y, Part { label, share: Some(0.25), curve, partial }, "±2 sd of f")
    };
    for n in [1, 2, 5, 6, 12] {
        let figure = components_figure(NAMES.title, labels[..n].iter().map(panel).collect(), "a note");
        let svg = drawn(&figure);
        assert!(labels[..n].iter().all(|l| svg.contains(&format!(">{l}: 25.0 %<"))));
    }
}

#[test]
fn ready_figures_are_drawn() {
    let (x, y) = wave(40);
    let gram: Vec<f64> = (0..1600).map(|i| f64::from(i).sin()).collect();
    drawn(&draws_figure(NAMES, &x, &[y.clone(), x.clone()], Some(Pairs { x: &x, y: &y })));
    drawn(&residuals_figure(NAMES, &x, &y, Some(3.0)));
    drawn(&Figure::single("map", map_panel(NAMES, &x, &x, &gram, "covariance", None)));
    drawn(&parity_figure("t", "MPa", &x, &y, true));
    drawn(&parity_figure("t", "", &[], &[], false));
    drawn(&gram_figure("t", "x", &x, &x, &gram));
    drawn(&gram_figure("t", "", &y, &y, &gram));
    drawn(&gram_figure("t", "x", &[1.0], &[1.0], &[0.3]));
    drawn(&gram_figure("t", "x", &[], &[], &[]));
    drawn(&bars_figure(NAMES, &["first".into(), "second".into()], &[0.7, 0.3]));
    drawn(&Figure::single("t", correlation_panel(NAMES, &x, &x, &gram)));
    drawn(&gram_figure("t", "x", &x, &x, &[f64::NAN; 1600]));
}

#[test]
fn log_axes_and_bars_are_drawn() {
    let bars = Mark::Bars {
        x: vec![0.0, 1.0],
        height: vec![3.0, -1.0],
        width: 0.8,
        label: "b".into(),
        role: Role::Component(1),
    };
    let mut panel = Panel::new("input", "size", vec![bars]);
    panel.x.names = vec![(0.0, "cement".into()), (1.0, "fly <ash>".into())];
    assert!(drawn(&Figure::single("", panel.clone())).contains("fly &lt;ash&gt;"));
    panel.y.log = true;
    drawn(&Figure::single("", panel));
    // A bin that extends below zero on a logarithmic axis, and a range too narrow for numbers.
    let counts = Mark::Histogram { values: vec![0.3, 0.7, 40.0], bins: Some(3), label: "h".into(), role: Role::Mean };
    let mut panel = Panel::new("size", "rows", vec![counts]);
    panel.x.log = true;
    panel.y.range = Some((0.0, 5e-324));
    drawn(&Figure::single("", panel));
}

#[test]
fn colour_comes_only_when_asked_for() {
    let (x, y) = wave(40);
    assert!(to_text(&fit(&x, &y), 80, 24, true).contains("\u{1b}[38;5;"));
    let mut figure = fit(&x, &y);
    figure.title = "\u{1b}[31mred".into();
    assert!(!to_text(&figure, 80, 24, false).contains('\u{1b}'));
}

#[test]
fn files_are_written_whole_by_their_ending() {
    let folder = tempfile::tempdir().expect("a folder");
    let figure = points(&[1.0, 2.0], &[1.0, 2.0]);
    for name in ["new/folder/a.svg", "b.PNG"] {
        let path = folder.path().join(name);
        save(&figure, &path).expect("is written");
        assert!(std::fs::metadata(path).expect("is there").len() > 500);
    }
    for name in ["c.pdf", "c", "c.svg.gz"] {
        let error = save(&figure, &folder.path().join(name)).expect_err("is refused").to_string();
        assert!(error.contains(".svg or .png") && error.contains(name), "{error}");
    }
    let blocked = folder.path().join("b.PNG").join("d.svg");
    assert!(matches!(save(&figure, &blocked), Err(FigureError::Write { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).expect("lists").count(), 2);
}

#[test]
fn absurd_sizes_are_refused() {
    let figure = points(&[1.0], &[1.0]);
    for (width, height) in [(0, 10), (10, 0), (8001, 10)] {
        assert!(matches!(to_svg(&figure, Size { width, height }), Err(FigureError::Size { .. })));
    }
    well_formed(&to_svg(&figure, Size { width: 1, height: 1 }).expect("small is no error"));
}

#[test]
fn surfaces_have_a_space_and_no_axes() {
    let mesh = |vertices: Vec<[f64; 3]>| Mark::Mesh {
        vertices,
        faces: vec![vec![0, 1, 2], vec![0, 2, 3], vec![0, 9, 1], vec![3]],
        shade: vec![0.0, 1.0, -1.0, f64::NAN],
        rims: vec![vec![0, 1, 2, 3]],
        names: vec![(0, "top".into()), (9, "nowhere".into())],
        view: None,
    };
    let tent = vec![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0]];
    let svg = drawn(&Figure::single("tent", Panel::new("across", "up", vec![mesh(tent)])));
    assert!(svg.matches("<path").count() >= 2 && !svg.contains("no data"));
    for odd in [vec![], vec![[0.0; 3]; 4], vec![[f64::INFINITY; 3]; 4], vec![[1e308, -1e308, 0.0]; 4]] {
        drawn(&Figure::single("odd", Panel::new("", "", vec![mesh(odd)])));
    }
}

fn hex((r, g, b): palette::Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// One cell per position, with its colour; cells without a position are left out, and large numbers of cells are
/// averaged in blocks.
#[test]
fn a_plane_has_a_cell_for_every_place() {
    let places = vec![[-1.0, -1.0], [1.0, 1.0], [f64::NAN, 0.0], [0.3, -0.4]];
    let plane = |x: Vec<f64>, y: Vec<f64>, places: Vec<[f64; 2]>| {
        Figure::single("", Panel::new("a", "b", vec![Mark::Plane { x, y, places }]))
    };
    let svg = drawn(&plane(vec![0.0, 1.0], vec![0.0, 1.0], places.clone()));
    for place in [0, 1, 3].map(|i| places[i]) {
        assert_eq!(svg.matches(&hex(palette::plane(place[0], place[1]))).count(), 1, "{place:?}");
    }
    assert!(!svg.contains("no data"));
    let many = |n: usize| (0..n).map(|i| i as f64).collect::<Vec<f64>>();
    let svg = drawn(&plane(many(300), many(300), vec![[0.2, 0.1]; 90_000]));
    assert_eq!(svg.matches(&hex(palette::plane(0.2, 0.1))).count(), 100 * 100);
    assert!(drawn(&plane(vec![], vec![], vec![])).contains("no data"));
}

/// A trail has the colours of the values along it, from the least to the greatest, and breaks at missing values.
#[test]
fn a_trail_is_coloured_along() {
    let x = vec![0.0, 1.0, 2.0, f64::NAN, 3.0, 4.0];
    let trail = |x: Vec<f64>, along: Vec<f64>| {
        let y = x.iter().map(|x| x * x).collect();
        Figure::single("", Panel::new("a", "b", vec![Mark::Trail { x, y, along }]))
    };
    let along: Vec<f64> = (0..6).map(|i| 10.0 + f64::from(i)).collect();
    let shades = Shades::along(&along).expect("shades");
    let svg = drawn(&trail(x, along.clone()));
    for (i, seen) in [true, true, false, false, true].into_iter().enumerate() {
        assert_eq!(svg.matches(&hex(shades.of(along[i]))).count(), usize::from(seen), "{i}");
    }
    assert!(drawn(&trail(vec![], vec![])).contains("no data"));
}

/// Triangles below the axis at the values within its range; they do not extend it, and are in the legend.
#[test]
fn a_rug_lies_below_the_axis() {
    let (x, y) = wave(50);
    let plain = drawn(&points(&x, &y));
    let rug = |at: Vec<f64>| {
        let mut figure = points(&x, &y);
        figure.panels[0].marks.push(Mark::Rug { x: at, label: "inducing inputs".into(), role: Role::Inducing });
        figure
    };
    let colour = hex(palette::colour(Role::Inducing));
    let svg = drawn(&rug(vec![1950.0, 1955.0, 1e9, f64::NAN]));
    assert_eq!(svg.matches(&colour).count(), 3, "two and the sign in the legend");
    assert!(svg.contains("inducing inputs") && svg.contains(">1950<") && plain.contains(">1950<"));
    assert_eq!(drawn(&rug(Vec::new())), plain);
    let text = to_text(&rug(vec![1950.0, 1955.0]), 80, 24, false);
    assert_eq!(text.matches('▲').count(), 3, "{text}");
    // there is nothing else, so there is no range
    let alone = Panel::new("x", "y", vec![Mark::Rug { x: vec![1.0], label: String::new(), role: Role::Inducing }]);
    assert!(drawn(&Figure::single("", alone)).contains("no data"));
}

/// A cloud of 100,000 points over a large figure is a file of less than 2 MB, with one panel or several.
#[test]
fn a_cloud_makes_a_small_file() {
    let at = |factor: f64, count: i32| (0..count).map(|i| (f64::from(i) * factor).sin()).collect::<Vec<f64>>();
    let cloud = |count| {
        let mark = Mark::Points { x: at(7.1, count), y: at(3.3, count), label: "rows".into(), role: Role::Data };
        Panel::new("x", "y", vec![mark])
    };
    let mut figure = Figure::single("", cloud(100_000));
    for panels in 1..=4 {
        figure.size = Some(Size { width: 2000, height: 1200 });
        let made = svg(&figure);
        assert!(made.len() < 2_000_000 && made.matches("<circle").count() > 10_000, "{panels}: {}", made.len());
        figure.panels.push(cloud(100_000));
    }
    // a small mark beside a large one keeps its dots
    let mut figure = Figure::single("", cloud(100_000));
    figure.panels.push(cloud(40));
    let alone = svg(&Figure::single("", cloud(40))).matches("<circle").count();
    let large = svg(&Figure::single("", cloud(100_000))).matches("<circle").count();
    let both = svg(&figure).matches("<circle").count();
    assert!(both > 15_000 && alone >= 40 && both <= large + alone + 1, "{both}, {large}, {alone}");
}

#[test]
fn nodes_have_names_and_values_instead_of_axes() {
    let mark = Mark::Nodes {
        x: vec![0.0, 1.0, 0.5],
        y: vec![1.0, 1.0, 2.0],
        values: vec![1.0, 0.0, 0.25],
        names: ["a", "b", "a × b"].map(String::from).to_vec(),
        edges: vec![[0, 2], [1, 2]],
        label: "variance".into(),
    };
    let figure = Figure::single("", Panel::new("", "", vec![mark]));
    let made = svg(&figure);
    for text in [">a × b<", "colour: variance"] {
        assert!(made.contains(text), "{text}");
    }
    let text = to_text(&figure, 40, 12, false);
    assert!(text.contains("a × b: 0.25") && text.contains("a: 1, b: 0"), "{text}");
}
