//! Named nodes with lines between them.

use kuva::render::render::Scene;

use super::layout::{Anchor, Frame, Text};
use super::palette::{self, Shades};
use super::primitives::{draw_text, line, rectangle};
use super::shapes::Point;
use super::text::{width, wrap};

/// Boxes with names, coloured by values, above the lines between them. A name that is too wide has several lines, and
/// all have the largest size at which they fit.
pub(super) fn draw_nodes(
    scene: &mut Scene,
    frame: Frame,
    at: &[Point],
    values: &[f64],
    names: &[String],
    edges: &[[usize; 2]],
    shades: Shades,
) {
    const SIZES: [u32; 4] = [12, 11, 10, 9];
    for [a, b] in edges {
        if let (Some(a), Some(b)) = (at.get(*a), at.get(*b)) {
            line(scene, *a, *b, palette::pale(palette::QUIET, 0.4), 1.0);
        }
    }
    let rooms = rooms(at, frame);
    let sizes = SIZES.into_iter().filter(|size| {
        names.iter().zip(&rooms).all(|(name, room)| Label::fitting(name, *room, *size).is_some_and(|label| label.whole))
    });
    let size = sizes.max().unwrap_or(SIZES[SIZES.len() - 1]);
    for (((place, value), name), room) in at.iter().zip(values).zip(names).zip(&rooms) {
        let Some(label) = Label::fitting(name, *room, size) else { continue };
        let (x, y) = (place.0 - label.wide / 2.0, place.1 - label.high / 2.0);
        let fill = shades.of(*value);
        let outline = Frame { x: x - 1.0, y: y - 1.0, w: label.wide + 2.0, h: label.high + 2.0 };
        rectangle(scene, outline, palette::QUIET, None);
        rectangle(scene, Frame { x, y, w: label.wide, h: label.high }, fill, None);
        let first = place.1 - label.step * (label.lines.len() as f64 - 1.0) / 2.0 + f64::from(size) * 0.36;
        for (i, line) in label.lines.into_iter().enumerate() {
            let (x, y, colour) = (place.0, first + label.step * i as f64, palette::ink_on(fill));
            draw_text(scene, &Text { x, y, text: line, size, anchor: Anchor::Middle, bold: false, colour });
        }
    }
}

/// Width and height of the box that a node may fill without touching others.
fn rooms(at: &[Point], frame: Frame) -> Vec<(f64, f64)> {
    const GAP: f64 = 6.0;
    let least = |own: f64, whole: f64, others: &mut dyn Iterator<Item = f64>| {
        others.map(|other| (other - own).abs()).filter(|gap| *gap > 1e-6).fold(whole, f64::min)
    };
    let room = |place: &Point| {
        let mut row = at.iter().filter(|other| (other.1 - place.1).abs() < 1e-6).map(|other| other.0);
        let across = least(place.0, frame.w, &mut row);
        // as far as the frame goes on both sides
        let sides = 2.0 * (place.0 - frame.x).min(frame.x + frame.w - place.0);
        let up = least(place.1, frame.h, &mut at.iter().map(|other| other.1));
        (across.min(sides.max(across.min(40.0))) - GAP, up * 0.7)
    };
    at.iter().map(room).collect()
}

/// The name of a node in lines, and the size of its box.
struct Label {
    lines: Vec<String>,
    wide: f64,
    high: f64,
    /// From a line to the next.
    step: f64,
    /// Whether nothing of the name is left out.
    whole: bool,
}

impl Label {
    /// A name in a box of this width and height; `None` without room for one line.
    fn fitting(name: &str, (wide, high): (f64, f64), size: u32) -> Option<Self> {
        const AROUND: f64 = 5.0;
        const LEAST: f64 = 22.0;
        let step = f64::from(size) * 1.2;
        let most = ((high - 2.0 * AROUND) / step).floor().max(1.0) as usize;
        let room = wide - 2.0 * AROUND;
        let lines = wrap(name, room, size, false, most);
        let whole =
            lines.concat().split_whitespace().collect::<String>() == name.split_whitespace().collect::<String>();
        let longest = lines.iter().map(|line| width(line, size, false)).fold(0.0, f64::max);
        let known = room > 0.0 && !lines.is_empty();
        known.then(|| Self {
            wide: (longest + 2.0 * AROUND).max(LEAST.min(wide)),
            high: (step * lines.len() as f64 + 2.0 * AROUND - 3.0).max(LEAST),
            step,
            whole,
            lines,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of twenty products of three inputs.
    #[test]
    fn boxes_of_a_row_do_not_overlap() {
        let frame = Frame { x: 0.0, y: 0.0, w: 800.0, h: 400.0 };
        let at: Vec<Point> = (0..20).map(|i| (60.0 + 36.0 * f64::from(i), 200.0)).chain([(400.0, 50.0)]).collect();
        let rooms = rooms(&at, frame);
        for name in ["0 × 1 × 2", "cement × water × superplasticizer", "a"] {
            let labels = rooms.iter().map(|room| Label::fitting(name, *room, 9).expect("room"));
            let wide: Vec<f64> = labels.map(|label| label.wide).collect();
            assert!(wide[..20].iter().all(|wide| *wide + 2.0 < 36.0), "{name}: {wide:?}");
        }
        assert!(Label::fitting("0 × 1 × 2", rooms[0], 9).expect("room").whole);
        assert!(Label::fitting("cement × water × superplasticizer", rooms[20], 12).expect("room").whole);
    }
}
