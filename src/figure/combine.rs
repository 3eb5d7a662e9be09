//! Several figures in one: over one another with shared axes, or side by side.

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
    /// The axes have different scales.
    #[error("the axes `{one}` and `{other}` have different scales")]
    Axes {
        /// The label of an axis of the first figure.
        one: String,
        /// That of another one.
        other: String,
    },
}

/// Figures over one another, panel by panel. Each has its own colour, and its curves have its name in the legend. Marks
/// that several of them have, such as the same data, are drawn once. The meaning of bands is in the note.
///
/// # Errors
/// [`OverlayError`] if they cannot share axes.
pub fn overlay(parts: Vec<(String, Figure)>) -> Result<Figure, OverlayError> {
    let mut parts = parts.into_iter().enumerate();
    let Some((_, (name, first))) = parts.next() else { return Ok(Figure::default()) };
    let mut bands = Vec::new();
    let mut whole = Figure { panels: Vec::new(), ..first.clone() };
    whole.panels = first.panels.into_iter().map(|panel| own(panel, 0, &name, &mut bands)).collect::<Result<_, _>>()?;
    for (i, (name, figure)) in parts {
        let (one, other) = (whole.panels.len(), figure.panels.len());
        if one != other {
            return Err(OverlayError::Panels { one, other });
        }
        if whole.title != figure.title {
            whole.title.clear();
        }
        if whole.note != figure.note {
            whole.note.clear();
        }
        for (below, above) in whole.panels.iter_mut().zip(figure.panels) {
            let above = own(above, i, &name, &mut bands)?;
            merge_axis(&mut below.x, &above.x)?;
            merge_axis(&mut below.y, &above.y)?;
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

/// The panel of figure `i` in its own colour, with its name at its first curve.
fn own(mut panel: Panel, i: usize, name: &str, bands: &mut Vec<(String, String)>) -> Result<Panel, OverlayError> {
    let mut named = false;
    let mut name_once = |label: &mut String| {
        *label = if named { String::new() } else { name.to_string() };
        named = true;
    };
    // the curve that represents a figure in the legend: its mean if it has one
    let is_mean = |mark: &Mark| matches!(mark, Mark::Line { role: Role::Mean | Role::Component(_), .. });
    let has_mean = panel.marks.iter().any(is_mean);
    for mark in &mut panel.marks {
        match mark {
            Mark::Heat { .. } | Mark::Plane { .. } | Mark::Mesh { .. } | Mark::Nodes { .. } | Mark::Trail { .. } => {
                return Err(OverlayError::Maps);
            }
            Mark::Band { label, role, .. } => {
                if let Some(text) = Some(label.trim_start_matches("band: ").to_string()).filter(|t| !t.is_empty()) {
                    if !bands.iter().any(|(of, known)| of == name && *known == text) {
                        bands.push((name.to_string(), text));
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
                if matches!(role, Role::Mean | Role::Component(_) | Role::Draw(_)) =>
            {
                name_once(label);
                *role = Role::Component(i);
            }
            _ => {}
        }
    }
    Ok(panel)
}

fn merge_axis(one: &mut Axis, other: &Axis) -> Result<(), OverlayError> {
    if one.log != other.log || one.time != other.time || one.names != other.names || one.reversed != other.reversed {
        return Err(OverlayError::Axes { one: one.label.clone(), other: other.label.clone() });
    }
    if one.label.is_empty() {
        one.label.clone_from(&other.label);
    } else if one.label != other.label && !other.label.is_empty() && !one.label.split(", ").any(|l| l == other.label) {
        one.label = format!("{}, {}", one.label, other.label);
    }
    one.range = match (one.range, other.range) {
        (Some((a, b)), Some((c, d))) => Some((a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))),
        _ => None,
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
        let both = overlay(vec![("a".into(), one), ("b".into(), other)]).unwrap();
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
        let of = |other: Figure| overlay(vec![("a".into(), plain()), ("b".into(), other)]);
        assert!(matches!(of(log), Err(OverlayError::Axes { .. })));
        assert_eq!(of(two), Err(OverlayError::Panels { one: 1, other: 2 }));
        let plane = figure(vec![Mark::Plane { x: vec![0.0], y: vec![0.0], places: vec![[0.0, 0.0]] }]);
        assert_eq!(of(plane), Err(OverlayError::Maps));
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
