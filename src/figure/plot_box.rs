//! The axes of a drawn figure in pixels, so that a place in its image can be read in data units.

use serde::Serialize;

use super::layout;
use super::spec::{Figure, Size};

/// The axes of one panel: a box in pixels from the top left of the image, and the values at its sides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PlotBox {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// The values at the left and at the right side.
    pub across: (f64, f64),
    /// The values at the lower and at the upper side.
    pub up: (f64, f64),
    /// Whether the horizontal and the vertical axis are logarithmic.
    pub log: (bool, bool),
}

/// The axes of the panels of a figure at a size, in their order.
pub fn plot_boxes(figure: &Figure, size: Size) -> Vec<PlotBox> {
    let page = layout::place(figure, size);
    let boxes = page.panels.iter().map(|panel| {
        let ((across, log_x), (up, log_y)) = (panel.x.ends(), panel.y.ends());
        let layout::Frame { x, y, w: width, h: height } = panel.frame;
        PlotBox { x, y, width, height, across, up, log: (log_x, log_y) }
    });
    boxes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Mark, Panel, Role};

    #[test]
    fn sides_have_the_values_of_the_axes() {
        let mark = Mark::Points { x: vec![1.0, 3.0], y: vec![0.1, 10.0], label: String::new(), role: Role::Data };
        let mut panel = Panel::new("x", "y", vec![mark]);
        panel.x = Axis { range: Some((0.0, 4.0)), ..panel.x };
        panel.y = Axis { range: Some((0.1, 10.0)), log: true, reversed: true, ..panel.y };
        let size = Size { width: 400, height: 300 };
        let [found] = plot_boxes(&Figure::single("", panel), size)[..] else { panic!("one panel") };
        assert_eq!((found.across, found.log), ((0.0, 4.0), (false, true)));
        assert!(found.up.0 > found.up.1, "the axis is reversed: {found:?}");
        assert!(found.x > 0.0 && found.x + found.width < 400.0 && found.y + found.height < 300.0);
    }
}
