//! The inside of the axes: a grid of cells of 2 × 4 braille dots, with shades in the background and symbols in front.

use super::super::heat_cells::{cells, plane_cells};
use super::super::mesh;
use super::super::palette::Shades;
use super::super::scale::Scale;
use super::super::shapes::{Point, pairs, runs, thin_line};
use super::super::spec::{Across, Mark, Role};
use super::row::{Ink, shade};

/// Lines extend at most this many dots beyond the canvas.
const FAR: f64 = 4000.0;

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// The braille dots that are set, as the low byte of their character.
    dots: u8,
    /// The dots of a band in the background.
    behind: u8,
    role: Option<Role>,
    band: Option<Role>,
    sign: Option<(char, Role)>,
    rule: Option<(char, Role)>,
    surface: Option<(f64, (u8, u8, u8))>,
}

/// The drawing area, `wide` × `tall` cells.
#[derive(Debug)]
pub(super) struct Canvas {
    wide: usize,
    tall: usize,
    cells: Vec<Cell>,
}

impl Canvas {
    pub fn new(wide: usize, tall: usize) -> Self {
        Self { wide, tall, cells: vec![Cell::default(); wide * tall] }
    }

    /// The character of a cell and its colour.
    pub fn glyph(&self, column: usize, row: usize) -> (char, Ink) {
        let cell = self.cells[row * self.wide + column];
        if let Some((sign, role)) = cell.sign {
            return (sign, Ink::Role(role));
        }
        if cell.dots > 0 {
            let dots = char::from_u32(0x2800 + u32::from(cell.dots)).unwrap_or(' ');
            return (dots, cell.role.map_or(Ink::Plain, Ink::Role));
        }
        if let Some((share, colour)) = cell.surface {
            return (shade(share), Ink::Shade(colour));
        }
        if let Some((rule, role)) = cell.rule {
            return (rule, Ink::Role(role));
        }
        match cell.band {
            Some(role) if cell.behind.count_ones() >= 4 => ('░', Ink::Role(role)),
            _ => (' ', Ink::Plain),
        }
    }

    /// The surface in a cell, if nothing is drawn over it.
    pub fn surface(&self, column: usize, row: usize) -> Option<(f64, (u8, u8, u8))> {
        let cell = self.cells[row * self.wide + column];
        cell.surface.filter(|_| cell.sign.is_none() && cell.dots == 0)
    }

    /// Draws a mark over earlier ones.
    pub fn mark(&mut self, mark: &Mark, x_scale: &Scale, y_scale: &Scale, shades: Option<Shades>) {
        let (w, h) = (self.wide as f64 * 2.0, self.tall as f64 * 4.0);
        let sideways = |t: f64| (t * w).clamp(-FAR, FAR);
        let downward = |t: f64| ((1.0 - t) * h).clamp(-FAR, FAR);
        let (across, down) = (|v: f64| sideways(x_scale.at(v)), |v: f64| downward(y_scale.at(v)));
        let (edge_x, edge_y) = (|v: f64| sideways(x_scale.edge(v)), |v: f64| downward(y_scale.edge(v)));
        let logs = [x_scale.is_log(), y_scale.is_log()];
        let place =
            |(x, y): Point| if x.is_finite() && y.is_finite() { (across(x), down(y)) } else { (f64::NAN, f64::NAN) };
        match mark {
            Mark::Points { x, y, role, .. } => {
                let points: Vec<Point> =
                    pairs(x, y).map(place).filter(|p| p.0.is_finite() && p.1.is_finite()).collect();
                // Symbols if they can be distinguished, otherwise dots.
                let few = points.len() <= (self.wide * self.tall / 6).max(40);
                for (x, y) in points {
                    match (few, *role) {
                        (true, Role::Test) => self.sign(x, y, '○', *role),
                        (true, _) => self.sign(x, y, '•', *role),
                        (false, _) => self.dot(x, y, *role),
                    }
                }
            }
            Mark::Line { x, y, role, .. } => {
                for run in runs(pairs(x, y).map(place)) {
                    self.line(&thin_line(&run, 1.0), *role);
                }
            }
            Mark::Rule { at, across: Across::Horizontal, role, .. } => {
                for column in 0..self.wide {
                    self.rule((column as f64 * 2.0, down(*at)), '┈', *role);
                }
            }
            Mark::Rule { at, across: Across::Vertical, role, .. } => {
                for row in 0..self.tall {
                    self.rule((across(*at), row as f64 * 4.0), '┊', *role);
                }
            }
            Mark::Band { x, lo, hi, role, .. } => {
                let both: Vec<(Point, Point)> =
                    pairs(x, lo).zip(hi).map(|((x, lo), hi)| (place((x, *hi)), place((x, lo)))).collect();
                for pair in both.windows(2) {
                    self.slab(pair[0], pair[1], *role);
                }
            }
            Mark::Bars { x, height, width, role, .. } => {
                for (x, height) in pairs(x, height).filter(|(x, v)| x.is_finite() && v.is_finite()) {
                    let (x0, x1, ground) = (edge_x(x - width / 2.0), edge_x(x + width / 2.0), edge_y(0.0));
                    let (top, foot) = (down(height).min(ground), down(height).max(ground));
                    self.fill((x0.min(x1), x0.max(x1)), (top, foot), *role);
                }
            }
            Mark::Heat { x, y, z, .. } => {
                let Some(shades) = shades else { return };
                for cell in cells(x, y, z, 200, logs).into_iter().filter(|c| c.value.is_finite()) {
                    let ends = [edge_x(cell.x.0), edge_x(cell.x.1), edge_y(cell.y.0), edge_y(cell.y.1)];
                    self.shade(ends, (shades.share(cell.value), shades.of(cell.value)));
                }
            }
            Mark::Plane { x, y, places } => {
                for (cell, colour) in plane_cells(x, y, places, 200, logs) {
                    // Without colours, the lightness represents the colour.
                    let share = f64::from(colour.1) / 255.0;
                    let ends = [edge_x(cell.x.0), edge_x(cell.x.1), edge_y(cell.y.0), edge_y(cell.y.1)];
                    self.shade(ends, (share, colour));
                }
            }
            Mark::Trail { x, y, .. } => {
                for run in runs(pairs(x, y).map(place)) {
                    self.line(&thin_line(&run, 1.0), Role::Mean);
                }
            }
            Mark::Mesh { vertices, faces, shade, rims, view, .. } => {
                self.space(&mesh::patches(mesh::Body { vertices, faces, shade, rims }, *view));
            }
            // Shown along the axis, or as text.
            Mark::Histogram { .. } | Mark::Rug { .. } | Mark::Nodes { .. } => {}
        }
    }

    /// Colours the cells between two edges in each direction, at least one.
    fn shade(&mut self, [x0, x1, y0, y1]: [f64; 4], surface: (f64, (u8, u8, u8))) {
        let ends = |a: f64, b: f64, dots: f64, most: usize| {
            let centre = |v: f64| (v / dots - 0.5).round().clamp(0.0, most as f64) as usize;
            (centre(a.min(b)), centre(a.max(b)).max(centre(a.min(b)) + 1).min(most))
        };
        let (c0, c1) = ends(x0, x1, 2.0, self.wide);
        let (r0, r1) = ends(y0, y1, 4.0, self.tall);
        for r in r0..r1 {
            for c in c0..c1 {
                self.cells[r * self.wide + c].surface = Some(surface);
            }
        }
    }

    /// A surface in space: every cell shows the brightness at the dots that the surface covers.
    fn space(&mut self, patches: &[mesh::Patch]) {
        let Some([left, right, down, up]) = mesh::bounds(patches) else { return };
        let (w, h) = (self.wide * 2, self.tall * 4);
        let fits = |room: usize, size: f64| if size > 0.0 { room as f64 / size } else { f64::INFINITY };
        let scale = fits(w, right - left).min(fits(h, up - down));
        let (x, y) = (w as f64 / 2.0 - scale * (left + right) / 2.0, h as f64 / 2.0 + scale * (down + up) / 2.0);
        let pixels = mesh::seen(patches, w, h, |(u, v)| (x + u * scale, y - v * scale));
        for row in 0..self.tall {
            for column in 0..self.wide {
                let dots = (0..8).filter_map(|i| pixels[(row * 4 + i / 2) * w + column * 2 + i % 2]);
                let seen: Vec<&mesh::Patch> = dots.map(|i| &patches[i]).collect();
                if let Some(patch) = seen.get(seen.len() / 2).filter(|_| seen.len() >= 3) {
                    let light = seen.iter().map(|p| p.light).sum::<f64>() / seen.len() as f64;
                    self.cells[row * self.wide + column].surface = Some((light, patch.fill));
                }
            }
        }
    }

    /// The cell of a dot, and the dot's bit in it.
    fn at(&mut self, x: f64, y: f64) -> Option<(&mut Cell, u8)> {
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let (w, h) = (self.wide as f64 * 2.0, self.tall as f64 * 4.0);
        // The far edges belong to the last cell.
        if !(0.0..=w).contains(&x) || !(0.0..=h).contains(&y) {
            return None;
        }
        let (x, y) = ((x as usize).min(self.wide * 2 - 1), (y as usize).min(self.tall * 4 - 1));
        let cell = self.cells.get_mut(y / 4 * self.wide + x / 2)?;
        Some((cell, BITS[x % 2][y % 4]))
    }

    fn dot(&mut self, x: f64, y: f64, role: Role) {
        if let Some((cell, bit)) = self.at(x, y) {
            cell.dots |= bit;
            cell.role = Some(role);
        }
    }

    fn sign(&mut self, x: f64, y: f64, sign: char, role: Role) {
        if let Some((cell, _)) = self.at(x, y) {
            cell.sign = Some((sign, role));
        }
    }

    fn rule(&mut self, (x, y): Point, glyph: char, role: Role) {
        if let Some((cell, _)) = self.at(x, y) {
            cell.rule = Some((glyph, role));
        }
    }

    /// A line through `points`, which must be finite.
    fn line(&mut self, points: &[Point], role: Role) {
        for w in points.windows(2) {
            let (a, b) = (w[0], w[1]);
            let steps = (b.0 - a.0).abs().max((b.1 - a.1).abs()).ceil().max(1.0) as usize;
            for i in 0..=steps {
                let t = i as f64 / steps as f64;
                self.dot(a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t, role);
            }
        }
        if let [only] = points {
            self.dot(only.0, only.1, role);
        }
    }

    /// The part of a band between two neighbouring points.
    fn slab(&mut self, a: (Point, Point), b: (Point, Point), role: Role) {
        let ends = [a.0.0, a.0.1, a.1.1, b.0.0, b.0.1, b.1.1];
        if ends.iter().any(|v| !v.is_finite()) {
            return;
        }
        let (x0, x1) = (a.0.0.min(b.0.0), a.0.0.max(b.0.0));
        let (first, last) = (x0.floor().max(0.0) as usize, x1.ceil().clamp(0.0, self.wide as f64 * 2.0) as usize);
        for column in first..last {
            let x = column as f64 + 0.5;
            let t = if b.0.0 == a.0.0 { 0.5 } else { ((x - a.0.0) / (b.0.0 - a.0.0)).clamp(0.0, 1.0) };
            let top = a.0.1 + (b.0.1 - a.0.1) * t;
            let foot = a.1.1 + (b.1.1 - a.1.1) * t;
            let (top, foot) = (top.min(foot).max(0.0), top.max(foot).min(self.tall as f64 * 4.0));
            let mut y = top.floor() + 0.5;
            while y < foot {
                if let Some((cell, bit)) = self.at(x, y) {
                    cell.behind |= bit;
                    cell.band = Some(role);
                }
                y += 1.0;
            }
        }
    }

    fn fill(&mut self, (x0, x1): (f64, f64), (top, foot): (f64, f64), role: Role) {
        let (w, h) = (self.wide as f64 * 2.0, self.tall as f64 * 4.0);
        let mut x = x0.max(0.0).round() + 0.5;
        // A gap of one dot separates bars if they are wide enough.
        let end = if x1 - x0 > 3.0 { x1 - 1.0 } else { x1 };
        while x < end.min(w) {
            let mut y = top.max(0.0).round() + 0.5;
            while y < foot.min(h) {
                self.dot(x, y, role);
                y += 1.0;
            }
            x += 1.0;
        }
    }
}
