//! Colours: roles after Okabe and Ito (Color Universal Design, 2008), surfaces after viridis.

use super::spec::Role;

/// Red, green and blue.
pub(super) type Rgb = (u8, u8, u8);

pub(super) const INK: Rgb = (0x22, 0x22, 0x22);
pub(super) const QUIET: Rgb = (0x55, 0x55, 0x55);
pub(super) const GRID: Rgb = (0xe8, 0xe8, 0xe8);
pub(super) const MISSING: Rgb = (0xdd, 0xdd, 0xdd);

const CLOUD: Rgb = (0xcb, 0xcb, 0xcb);
const BLUE: Rgb = (0x00, 0x72, 0xb2);
const SKY: Rgb = (0x56, 0xb4, 0xe9);
const VERMILION: Rgb = (0xd5, 0x5e, 0x00);
const GREEN: Rgb = (0x00, 0x9e, 0x73);

/// Without yellow, which is hardly visible on white.
const CYCLE: [Rgb; 6] = [BLUE, (0xe6, 0x9f, 0x00), GREEN, (0xcc, 0x79, 0xa7), VERMILION, SKY];

/// The colour of a role.
pub(super) fn colour(role: Role) -> Rgb {
    match role {
        Role::Data => INK,
        Role::Faint => (0xe3, 0xb0, 0x8a),
        Role::Test => VERMILION,
        Role::Mean => BLUE,
        Role::Band => SKY,
        Role::Inducing => GREEN,
        Role::Cloud => CLOUD,
        Role::Contour => (0x30, 0x30, 0x30),
        Role::Draw(i) | Role::Component(i) | Role::Thin(i) => CYCLE[i % CYCLE.len()],
        Role::Reference => (0x76, 0x76, 0x76),
    }
}

/// A colour mixed with white; `share` is the share of the colour.
pub(super) fn pale((r, g, b): Rgb, share: f64) -> Rgb {
    let thin = |c: u8| (255.0 - (255.0 - f64::from(c)) * share).round() as u8;
    (thin(r), thin(g), thin(b))
}

/// A colour at a brightness `share`. Shadows are slightly blue.
pub(super) fn lit((r, g, b): Rgb, share: f64) -> Rgb {
    let lit = |c: u8, rest: f64| (f64::from(c) * (share + (1.0 - share) * rest)).round().clamp(0.0, 255.0) as u8;
    (lit(r, 0.0), lit(g, 0.05), lit(b, 0.22))
}

/// The colour of a body in space, from blue over cream to vermilion: safe for colour-blind readers, and light, so that
/// shading shows its shape.
pub(super) fn body(share: f64) -> Rgb {
    const STOPS: [Rgb; 5] =
        [(0x3b, 0x7f, 0xc4), (0x86, 0xc5, 0xe3), (0xf6, 0xee, 0xd8), (0xf6, 0xbf, 0x73), (0xe0, 0x7b, 0x3f)];
    mix(&STOPS, share.clamp(0.0, 1.0))
}

/// The colour of a position in the square from −1 to 1: `u` determines the hue and `v` the lightness. Positions outside
/// have the colour of the edge.
pub(super) fn plane(u: f64, v: f64) -> Rgb {
    const DARK: [Rgb; 3] = [(0x10, 0x3f, 0x8a), (0x5b, 0x2a, 0x86), (0xa6, 0x2b, 0x1f)];
    const LIGHT: [Rgb; 3] = [(0x8f, 0xf0, 0xe0), (0xf2, 0xf2, 0xe6), (0xff, 0xd9, 0x66)];
    let share = |place: f64| ((place + 1.0) / 2.0).clamp(0.0, 1.0);
    mix(&[mix(&DARK, share(u)), mix(&LIGHT, share(u))], share(v))
}

/// Whether a curve of this role is dashed to distinguish it from an earlier one of the same colour.
pub(super) fn dashed(role: Role) -> bool {
    matches!(role, Role::Draw(i) | Role::Component(i) | Role::Thin(i) if (i / CYCLE.len()) % 2 == 1)
}

const VIRIDIS: [Rgb; 9] = [
    (0x44, 0x01, 0x54),
    (0x47, 0x2d, 0x7b),
    (0x3b, 0x52, 0x8b),
    (0x2c, 0x72, 0x8e),
    (0x21, 0x91, 0x8c),
    (0x28, 0xae, 0x80),
    (0x5e, 0xc9, 0x62),
    (0xad, 0xdc, 0x30),
    (0xfd, 0xe7, 0x25),
];
/// From ColorBrewer's PuOr with blue for purple: safe for colour-blind readers, white at zero.
const TWO_SIDED: [Rgb; 5] =
    [(0x05, 0x50, 0x8c), (0x7a, 0xb3, 0xd9), (0xf7, 0xf7, 0xf7), (0xf1, 0xa8, 0x5b), (0xa3, 0x4d, 0x05)];

/// A difference of values below this share of them is rounding.
const FLAT: f64 = 1e-9;

/// The range of a surface's values and the colours over it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shades {
    pub lo: f64,
    pub hi: f64,
    two_sided: bool,
    /// Whether the least value is white.
    from_white: bool,
}

/// The text colour on a background colour.
pub(super) fn ink_on((r, g, b): Rgb) -> Rgb {
    let light = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
    if light > 120.0 { INK } else { (255, 255, 255) }
}

impl Shades {
    /// Shades over the finite ones of `values`; diverging about zero if they have both signs. `None` if there are none.
    pub fn over(values: &[f64]) -> Option<Self> {
        let finite = values.iter().copied().filter(|v| v.is_finite());
        let (lo, hi) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let largest = lo.abs().max(hi.abs());
        match () {
            () if lo > hi => None,
            // A difference that is rounding is none.
            () if hi - lo <= FLAT * largest => Some(Self::flat(lo, hi)),
            // Rounding noise below zero in a covariance is not a second sign.
            () if lo < -1e-9 * largest && hi > 1e-9 * largest => {
                Some(Self { lo: -largest, hi: largest, two_sided: true, from_white: false })
            }
            // If the least value is close to zero, the scale starts at zero.
            () if lo > 0.0 && lo < hi * 1e-3 => Some(Self { lo: 0.0, hi, two_sided: false, from_white: false }),
            () => Some(Self { lo, hi, two_sided: false, from_white: false }),
        }
    }

    fn flat(lo: f64, hi: f64) -> Self {
        let middle = lo / 2.0 + hi / 2.0;
        Self { lo: middle, hi: middle, two_sided: false, from_white: false }
    }

    /// Shades from the least to the greatest value, whatever their signs.
    pub fn along(values: &[f64]) -> Option<Self> {
        let finite = values.iter().copied().filter(|v| v.is_finite());
        let (lo, hi) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        (lo <= hi).then_some(Self { lo, hi, two_sided: false, from_white: false })
    }

    /// Shades over a given range, or over the values; `split` has white in the middle.
    pub fn within(values: &[f64], range: Option<(f64, f64)>, split: bool) -> Option<Self> {
        let over = match range {
            Some((lo, hi)) => Self::over(&[lo, hi]),
            None => Self::over(values),
        };
        over.map(|shades| Self { two_sided: shades.two_sided || split, ..shades })
    }

    /// Shades from white at zero to the largest value. `None` if no value is positive.
    pub fn from_white(values: &[f64]) -> Option<Self> {
        let hi = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
        (hi > 0.0).then_some(Self { lo: 0.0, hi, two_sided: false, from_white: true })
    }

    /// The colour of a value; values outside the range have that of its end.
    pub fn of(self, v: f64) -> Rgb {
        if !v.is_finite() {
            return MISSING;
        }
        match self.from_white {
            true => mix(&TWO_SIDED[2..], self.share(v)),
            false => mix(if self.two_sided { &TWO_SIDED } else { &VIRIDIS }, self.share(v)),
        }
    }

    /// The position of a value in the range, 0 to 1.
    pub fn share(self, v: f64) -> f64 {
        let span = self.hi / 2.0 - self.lo / 2.0;
        if span > 0.0 { ((v / 2.0 - self.lo / 2.0) / span).clamp(0.0, 1.0) } else { 0.5 }
    }
}

fn mix(stops: &[Rgb], t: f64) -> Rgb {
    let place = t * (stops.len() - 1) as f64;
    let i = (place as usize).min(stops.len() - 2);
    let part = place - i as f64;
    let blend = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
    let (a, b) = (stops[i], stops[i + 1]);
    (blend(a.0, b.0), blend(a.1, b.1), blend(a.2, b.2))
}

/// The nearest of a terminal's 256 colours.
pub(super) fn ansi(colour: Rgb) -> u8 {
    let (r, g, b) = colour;
    if r == g && g == b {
        return if r < 8 { 16 } else { 232 + (r - 8).min(230) / 10 };
    }
    let level = |c: u8| u8::try_from((u16::from(c) * 5 + 127) / 255).unwrap_or(5);
    16 + 36 * level(r) + 6 * level(g) + level(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_differ_from_each_other() {
        let roles = [Role::Data, Role::Test, Role::Mean, Role::Band, Role::Inducing, Role::Cloud, Role::Reference];
        for (i, a) in roles.iter().enumerate() {
            for b in &roles[i + 1..] {
                assert_ne!(colour(*a), colour(*b), "{a:?} {b:?}");
            }
        }
        assert!(!dashed(Role::Draw(5)) && dashed(Role::Draw(6)));
    }

    #[test]
    fn shades_take_both_signs_about_zero() {
        let shades = Shades::over(&[-1.0, 3.0, f64::NAN]).expect("finite values");
        assert_eq!((shades.lo, shades.hi), (-3.0, 3.0));
        assert_eq!(shades.of(0.0), (0xf7, 0xf7, 0xf7));
        assert_eq!(shades.of(f64::NAN), MISSING);
        assert_eq!(Shades::over(&[2.0]).map(|s| s.share(2.0)), Some(0.5));
        assert_eq!(Shades::over(&[]), None);
        let flat = Shades::over(&[1.0, 1.0 + f64::EPSILON, 1.0 - f64::EPSILON]).expect("finite values");
        assert_eq!((flat.lo, flat.hi, flat.share(1.0 + f64::EPSILON)), (1.0, 1.0, 0.5));
        let pale = Shades::from_white(&[0.5, 2.0]).expect("a positive value");
        assert_eq!((pale.lo, pale.hi, pale.of(0.0)), (0.0, 2.0, (0xf7, 0xf7, 0xf7)));
        assert_eq!(Shades::from_white(&[-1.0]), None);
    }

    #[test]
    fn every_colour_has_a_place_in_256() {
        assert_eq!(ansi((0, 0, 0)), 16);
        assert_eq!(ansi((255, 255, 255)), 255);
        assert_eq!(ansi((255, 0, 0)), 196);
    }
}
