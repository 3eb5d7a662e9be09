//! Text in figures: sanitised, measured, and truncated or wrapped to the available space.

use kuva::render::layout::{ComputedLayout, Layout};

/// A label that can be drawn: one line, without control characters and others that XML forbids.
pub(super) fn clean(label: &str) -> String {
    let safe = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => '\u{fffd}',
        c => c,
    };
    label.chars().map(safe).collect::<String>().trim().to_string()
}

/// The width of a text in pixels, in the drawn font.
pub(super) fn width(text: &str, size: u32, bold: bool) -> f64 {
    // The crate measures text only to fit its own margins: the space for names of an axis is the width of the widest,
    // but at least two ems, hence the filler.
    const FILLER: &str = "MMM";
    let room = |name: String| {
        let mut layout = Layout::new((0.0, 1.0), (0.0, 1.0)).with_y_categories(vec![name]);
        layout.tick_size = size;
        ComputedLayout::from_layout(&layout).y_tick_label_px
    };
    let plain = room(format!("{FILLER}{text}")) - room(FILLER.to_string());
    // The bold face is about a tenth wider; an overestimate prevents truncated text.
    if bold { plain * 1.13 } else { plain }
}

/// A text in at most `most` lines of at most `room` pixels, broken at spaces; truncated with `…`.
pub(super) fn wrap(text: &str, room: f64, size: u32, bold: bool, most: usize) -> Vec<String> {
    let text = clean(text);
    let fits = |s: &str| width(s, size, bold) <= room;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let room_for_more = lines.len() < most;
        match lines.last_mut() {
            Some(line) if fits(&format!("{line} {word}")) => {
                line.push(' ');
                line.push_str(word);
            }
            _ if room_for_more => lines.push(word.to_string()),
            // The last line may overflow; it is truncated below.
            Some(line) => {
                line.push(' ');
                line.push_str(word);
                break;
            }
            None => break,
        }
    }
    for line in &mut lines {
        if !fits(line) {
            *line = cut(line, &fits);
        }
    }
    lines
}

/// The longest beginning of a text that fits with `…` after it.
fn cut(text: &str, fits: &impl Fn(&str) -> bool) -> String {
    let chars: Vec<char> = text.chars().take(2000).collect();
    let with_end = |n: usize| chars[..n].iter().collect::<String>().trim_end().to_string() + "…";
    let (mut good, mut bad) = (0, chars.len() + 1);
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        if fits(&with_end(middle)) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    with_end(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_one_safe_line() {
        assert_eq!(clean(" a\nb\u{1b}[31m\u{0} "), "a b\u{fffd}[31m\u{fffd}");
        assert_eq!(clean("σ² 中 <b> & $x$"), "σ² 中 <b> & $x$");
    }

    #[test]
    fn width_follows_the_font() {
        assert!(width("iiii", 12, false) < width("mmmm", 12, false) / 2.0);
        assert!((width("1950", 11, false) - 28.0).abs() < 1.0, "{}", width("1950", 11, false));
        assert_eq!(width("", 12, false), 0.0);
    }

    #[test]
    fn long_text_wraps_and_is_cut() {
        let lines = wrap("a long title that needs more than two lines of a panel", 150.0, 12, false, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…'));
        assert!(lines.iter().all(|l| width(l, 12, false) <= 150.0), "{lines:?}");
        let lines = wrap(&"x".repeat(100_000), 100.0, 12, false, 3);
        assert!(lines[0].ends_with('…') && width(&lines[0], 12, false) <= 100.0);
        assert!(wrap("  ", 100.0, 12, false, 2).is_empty());
    }
}
