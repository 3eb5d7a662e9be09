//! Several figures in one: over one another with shared axes, or side by side.

use super::shapes::{ordered, scales};
use super::spec::{Axis, Figure, Mark, Panel, Role};

/// Why figures cannot share axes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverlayError {
    /// They have different numbers of panels.
    #[error("figures of {one} and of {other} panels cannot share axes")]
    Panels {
        /// The panels of the first figure.
        one: usize,
        /// Those of another one.
        other: usize,
    },
    /// A map or a surface would hide the others.
    #[error("maps and surfaces cannot be drawn over one another")]
    Maps,
    /// Bands, bars and surfaces would hide a map.
    #[error("only points and lines can be drawn over a map")]
    OverMap,
    /// The axes have different scales.
    #[error("the axes `{one}` and `{other}` have different scales")]
    Axes {
        /// The label of an axis of the first figure.
        one: String,
        /// That of another one.
        other: String,
    },
}

/// Figures over one another, panel by panel. Each has its own colour, and its curves, or the points of data alone, have
/// its name in the legend. Marks that several of them have, such as the same data, are drawn once; `given` names are
/// also those of such data and of the colours of a map. The meaning of bands is in the note. One of the figures may be a
/// map, below the points and lines of the others.
///
/// # Errors
/// [`OverlayError`] if they cannot share axes.
pub fn overlay(mut parts: Vec<(String, Figure)>, given: bool) -> Result<Figure, OverlayError> {
    let maps = parts.iter().filter(|(_, figure)| marks(figure).any(is_map)).count();
    if let [(name, figure)] = &mut parts[..]
        && marks(figure).any(|mark| is_map(mark) || is_space(mark))
    {
        if given {
            figure.title = std::mem::take(name);
        }
        return Ok(std::mem::take(figure));
    }
    if maps > 1 || parts.iter().any(|(_, figure)| marks(figure).any(is_space)) {
        return Err(OverlayError::Maps);
    }
    let hides = |mark: &Mark| !matches!(mark, Mark::Points { .. } | Mark::Line { .. } | Mark::Rule { .. });
    let over = |figure: &Figure| !marks(figure).any(is_map) && marks(figure).any(hides);
    if maps == 1 && parts.iter().any(|(_, figure)| over(figure)) {
        return Err(OverlayError::OverMap);
    }
    let shared = name_shared(&mut parts, given);
    let mut parts = parts
        .into_iter()
        .zip(shared)
        .enumerate()
        .map(|(i, ((name, figure), shared))| (Naming { i, name, given, shared }, figure));
    let Some((naming, first)) = parts.next() else { return Ok(Figure::default()) };
    let mut bands = Vec::new();
    let mut whole = Figure { panels: Vec::new(), ..first.clone() };
    whole.panels = first.panels.into_iter().map(|panel| own(panel, &naming, &mut bands)).collect();
    for (naming, figure) in parts {
        let (one, other) = (whole.panels.len(), figure.panels.len());
        if one != other {
            return Err(OverlayError::Panels { one, other });
        }
        if whole.title != figure.title {
            whole.title.clear();
        }
        if !whole.note.contains(&figure.note) {
            whole.note = format!("{} {}", whole.note, figure.note).trim().to_string();
        }
        for (below, above) in whole.panels.iter_mut().zip(figure.panels) {
            let above = own(above, &naming, &mut bands);
            let ends = [&*below, &above].map(|panel| scales(panel, &ordered(panel)));
            merge_axis(&mut below.x, &above.x, ends.each_ref().map(|ends| ends.as_ref().map(|(x, _)| x.span())))?;
            merge_axis(&mut below.y, &above.y, ends.each_ref().map(|ends| ends.as_ref().map(|(_, y)| y.span())))?;
            if below.title != above.title {
                below.title.clear();
            }
            below.square |= above.square;
            for mark in above.marks {
                if !below.marks.contains(&mark) {
                    below.marks.push(mark);
                }
            }
        }
    }
    if !bands.is_empty() {
        let said = match &bands[..] {
            [(_, only)] => format!("Bands: {only}."),
            several if several.iter().all(|(_, text)| *text == several[0].1) => format!("Bands: {}.", several[0].1),
            several => {
                let each: Vec<String> = several.iter().map(|(name, text)| format!("{name}, {text}")).collect();
                format!("Bands: {}.", each.join("; "))
            }
        };
        whole.note = if whole.note.is_empty() { said } else { format!("{} {said}", whole.note) };
    }
    Ok(whole)
}

fn marks(figure: &Figure) -> impl Iterator<Item = &Mark> {
    figure.panels.iter().flat_map(|panel| &panel.marks)
}

fn is_map(mark: &Mark) -> bool {
    matches!(mark, Mark::Heat { .. } | Mark::Plane { .. })
}

fn is_space(mark: &Mark) -> bool {
    matches!(mark, Mark::Mesh { .. } | Mark::Nodes { .. } | Mark::Trail { .. })
}

fn is_data(mark: &Mark) -> bool {
    matches!(mark, Mark::Points { role: Role::Data, .. })
}

/// Whether each figure shows only points that another one shows too, as data beside their fit. Such points keep their
/// colour, and have the name of their figure if it is given.
fn name_shared(parts: &mut [(String, Figure)], given: bool) -> Vec<bool> {
    let mut shared = vec![false; parts.len()];
    for i in 0..parts.len() {
        let points: Vec<Mark> = marks(&parts[i].1).cloned().collect();
        let known = |other: &Figure| points.iter().all(|mark| marks(other).any(|known| known == mark));
        let elsewhere = (0..parts.len()).any(|j| j != i && known(&parts[j].1) && !marks(&parts[j].1).all(is_data));
        if points.is_empty() || !points.iter().all(is_data) || !elsewhere {
            continue;
        }
        shared[i] = true;
        let name = parts[i].0.clone();
        let all = parts.iter_mut().flat_map(|(_, figure)| &mut figure.panels).flat_map(|panel| &mut panel.marks);
        for mark in all.filter(|mark| given && points.contains(mark)) {
            if let Mark::Points { label, .. } = mark {
                label.clone_from(&name);
            }
        }
    }
    shared
}

/// The place of a figure among others.
struct Naming {
    i: usize,
    name: String,
    given: bool,
    /// Whether its points are those of another figure.
    shared: bool,
}

/// The panel of a figure in its own colour, with its name at its first curve.
fn own(mut panel: Panel, naming: &Naming, bands: &mut Vec<(String, String)>) -> Panel {
    let Naming { i, name, given, shared } = naming;
    let i = *i;
    let mut named = false;
    let mut name_once = |label: &mut String| {
        *label = if named { String::new() } else { name.clone() };
        named = true;
    };
    let ours = |role: &Role| matches!(role, Role::Mean | Role::Component(_) | Role::Draw(_));
    // the curve that represents a figure in the legend: its mean if it has one
    let is_mean = |mark: &Mark| matches!(mark, Mark::Line { role: Role::Mean | Role::Component(_), .. });
    let has_mean = panel.marks.iter().any(is_mean);
    let represents = |mark: &Mark| match mark {
        Mark::Points { role, .. }
        | Mark::Bars { role, .. }
        | Mark::Histogram { role, .. }
        | Mark::Line { role, .. } => ours(role),
        mark => is_map(mark),
    };
    // data alone represent themselves
    let only_data = !shared && !panel.marks.iter().any(represents);
    for mark in &mut panel.marks {
        match mark {
            Mark::Heat { label, .. } if *given => label.clone_from(name),
            Mark::Band { label, role, .. } => {
                if let Some(text) = Some(label.trim_start_matches("band: ").to_string()).filter(|t| !t.is_empty()) {
                    if !bands.iter().any(|(of, known)| of == name && *known == text) {
                        bands.push((name.clone(), text));
                    }
                    label.clear();
                }
                *role = Role::Component(i);
            }
            Mark::Line { label, role, .. } => match role {
                Role::Mean | Role::Component(_) => {
                    name_once(label);
                    *role = Role::Component(i);
                }
                Role::Draw(_) if has_mean => {
                    label.clear();
                    *role = Role::Thin(i);
                }
                Role::Draw(_) => {
                    name_once(label);
                    *role = Role::Thin(i);
                }
                _ => {}
            },
            Mark::Points { label, role, .. } | Mark::Bars { label, role, .. } | Mark::Histogram { label, role, .. }
                if ours(role) || (only_data && *role == Role::Data) =>
            {
                name_once(label);
                *role = Role::Component(i);
            }
            _ => {}
        }
    }
    panel
}

/// One axis for two panels with these ends of their values. A range that is given contains the values of the other.
fn merge_axis(one: &mut Axis, other: &Axis, ends: [Option<(f64, f64)>; 2]) -> Result<(), OverlayError> {
    if one.log != other.log || one.time != other.time || one.names != other.names || one.reversed != other.reversed {
        return Err(OverlayError::Axes { one: one.label.clone(), other: other.label.clone() });
    }
    if one.label.is_empty() {
        one.label.clone_from(&other.label);
    } else if one.label != other.label && !other.label.is_empty() && !one.label.split(", ").any(|l| l == other.label) {
        one.label = format!("{}, {}", one.label, other.label);
    }
    let both = |(a, b): (f64, f64), (c, d): (f64, f64)| (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
    one.range = match (one.range, other.range) {
        (None, None) => None,
        (first, second) => {
            let first = first.or(ends[0]);
            let second = second.or(ends[1]);
            first.zip(second).map(|(first, second)| both(first, second)).or(first).or(second)
        }
    };
    one.whole &= other.whole;
    Ok(())
}

/// Figures side by side, `columns` panels in a row; by default a figure of several panels has a row of its own. The
/// title of a figure is that of its panel, or stands before the titles of its panels.
pub fn panels(parts: Vec<Figure>, columns: Option<usize>) -> Figure {
    let most = parts.iter().map(|figure| figure.panels.len()).max().unwrap_or(1);
    let natural = match (most, parts.len()) {
        (0 | 1, n @ 1..=3) => n,
        (0 | 1, 4) => 2,
        (0 | 1, _) => 3,
        (several, _) => several.min(4),
    };
    let mut notes: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for figure in parts {
        if !figure.note.is_empty() && !notes.contains(&figure.note) {
            notes.push(figure.note.clone());
        }
        let several = figure.panels.len() > 1;
        for (i, mut panel) in figure.panels.into_iter().enumerate() {
            if !figure.title.is_empty() {
                panel.title = match (panel.title.is_empty(), several) {
                    (true, _) if i == 0 => figure.title.clone(),
                    (true, _) => String::new(),
                    (false, _) => format!("{}: {}", figure.title, lower_first(&panel.title)),
                };
            }
            all.push(panel);
        }
    }
    Figure { columns: columns.unwrap_or(natural), note: notes.join(" "), panels: all, ..Figure::default() }
}

/// A title as the continuation of another one; formulas and abbreviations keep their capitals.
fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_string(),
    }
}

/// Gives the panels of frames, figure by figure, the same axes, so that only what moves is seen to move.
pub fn share_axes(frames: &mut [Figure]) {
    let panels = frames.iter().map(|frame| frame.panels.len()).min().unwrap_or(0);
    for p in 0..panels {
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in frames.iter().flat_map(|frame| &frame.panels[p].marks).flat_map(heights).filter(|v| v.is_finite()) {
            (lo, hi) = (lo.min(v), hi.max(v));
        }
        if lo < hi {
            let pad = 0.05 * (hi - lo);
            for panel in frames.iter_mut().map(|frame| &mut frame.panels[p]).filter(|panel| panel.y.range.is_none()) {
                panel.y.range = Some((lo - pad, hi + pad));
            }
        }
    }
}

/// The vertical positions of a mark in data units.
fn heights(mark: &Mark) -> Vec<f64> {
    match mark {
        Mark::Points { y, .. } | Mark::Line { y, .. } => y.clone(),
        Mark::Band { lo, hi, .. } => [&lo[..], hi].concat(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(y: &[f64], role: Role) -> Mark {
        let x = (0..y.len()).map(|i| i as f64).collect();
        Mark::Line { x, y: y.to_vec(), label: String::new(), role, dashed: false }
    }

    fn figure(marks: Vec<Mark>) -> Figure {
        Figure::single("title", Panel::new("x", "y", marks))
    }

    #[test]
    fn figures_share_axes_and_keep_their_names() {
        let data = Mark::Points { x: vec![0.0], y: vec![1.0], label: "data".into(), role: Role::Data };
        let one = figure(vec![data.clone(), line(&[1.0, 2.0], Role::Mean)]);
        let other = figure(vec![data.clone(), line(&[3.0, 4.0], Role::Mean)]);
        let both = overlay(vec![("a".into(), one), ("b".into(), other)], false).unwrap();
        let marks = &both.panels[0].marks;
        assert_eq!((both.panels.len(), marks.len(), &*both.title), (1, 3, "title"));
        assert_eq!(marks[0], data);
        for (i, (mark, name)) in marks[1..].iter().zip(["a", "b"]).enumerate() {
            let Mark::Line { label, role, .. } = mark else { panic!("a line") };
            assert_eq!((&**label, *role), (name, Role::Component(i)));
        }
    }

    #[test]
    fn what_cannot_share_axes_is_refused() {
        let plain = || figure(vec![line(&[1.0, 2.0], Role::Mean)]);
        let mut log = plain();
        log.panels[0].y.log = true;
        let two = Figure { panels: [plain().panels, plain().panels].concat(), ..plain() };
        let of = |other: Figure| overlay(vec![("a".into(), plain()), ("b".into(), other)], true);
        assert!(matches!(of(log), Err(OverlayError::Axes { .. })));
        assert_eq!(of(two), Err(OverlayError::Panels { one: 1, other: 2 }));
        let plane = || figure(vec![Mark::Plane { x: vec![0.0], y: vec![0.0], places: vec![[0.0, 0.0]] }]);
        // a line lies on one map
        assert_eq!(of(plane()).map(|figure| figure.panels[0].marks.len()), Ok(2));
        let maps = overlay(vec![("a".into(), plane()), ("b".into(), plane())], true);
        assert_eq!(maps, Err(OverlayError::Maps));
        let bars =
            figure(vec![Mark::Histogram { values: vec![1.0], bins: None, label: String::new(), role: Role::Mean }]);
        assert_eq!(overlay(vec![("a".into(), plane()), ("b".into(), bars)], true), Err(OverlayError::OverMap));
    }

    fn data(y: f64, label: &str, role: Role) -> Mark {
        Mark::Points { x: vec![0.0], y: vec![y], label: label.into(), role }
    }

    #[test]
    fn data_alone_have_a_colour_and_a_name() {
        let of = |y: f64| figure(vec![data(y, "data", Role::Data)]);
        let both = overlay(vec![("a".into(), of(1.0)), ("b".into(), of(2.0))], true).unwrap();
        let named = [data(1.0, "a", Role::Component(0)), data(2.0, "b", Role::Component(1))];
        assert_eq!(both.panels[0].marks, named);
        // beside their fit they are its data
        let fit = || figure(vec![data(1.0, "data", Role::Data), line(&[1.0, 2.0], Role::Mean)]);
        let both = overlay(vec![("a".into(), of(1.0)), ("b".into(), fit())], true).unwrap();
        assert_eq!((both.panels[0].marks.len(), &both.panels[0].marks[0]), (2, &data(1.0, "a", Role::Data)));
        let both = overlay(vec![("1".into(), fit()), ("2".into(), of(1.0))], false).unwrap();
        assert_eq!((both.panels[0].marks.len(), &both.panels[0].marks[0]), (2, &data(1.0, "data", Role::Data)));
    }

    #[test]
    fn the_range_of_one_figure_contains_the_other() {
        let mut given = figure(vec![line(&[1.0, 2.0], Role::Mean)]);
        given.panels[0].x.range = Some((0.0, 5.0));
        let other = figure(vec![line(&[1.0; 9], Role::Mean)]);
        let both = overlay(vec![("a".into(), given), ("b".into(), other)], true).unwrap();
        assert_eq!((both.panels[0].x.range, both.panels[0].y.range), (Some((0.0, 8.0)), None));
    }

    #[test]
    fn panels_carry_the_titles_of_their_figures() {
        let one = figure(vec![line(&[1.0, 2.0], Role::Mean)]);
        let mut two = Figure { panels: [one.panels.clone(), one.panels.clone()].concat(), ..one.clone() };
        two.panels[1].title = "Draws".into();
        let all = panels(vec![one.clone(), two], None);
        let titles: Vec<&str> = all.panels.iter().map(|panel| &*panel.title).collect();
        assert_eq!((titles, all.columns), (vec!["title", "title", "title: draws"], 2));
        assert_eq!(panels(vec![one.clone(), one], None).columns, 2);
    }

    #[test]
    fn frames_have_one_axis() {
        let mut frames = [[0.0, 1.0], [2.0, 10.0]].map(|y| figure(vec![line(&y, Role::Draw(0))]));
        share_axes(&mut frames);
        assert_eq!(frames[0].panels[0].y.range, Some((-0.5, 10.5)));
        assert_eq!(frames[0].panels[0].y, frames[1].panels[0].y);
    }
}
