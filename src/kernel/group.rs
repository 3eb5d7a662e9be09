//! Moves of the inputs, and the finite groups that they generate.
//!
//! A function is invariant under a group if and only if its kernel is, in each argument (Ginsbourger et al. 2012;
//! Duvenaud, "Expressing Structure with Kernels", 1.20). All moves here map each coordinate to one coordinate, with a
//! sign and a shift: swaps, mirrors, quarter turns, permutations.

use std::fmt;

use super::inputs::InputRef;
use super::names::{input_list, number};

/// The largest number of elements of a group.
pub const LARGEST_GROUP: usize = 1000;

/// The greatest distance from 0 of the point of a mirror. Farther away, rounding would give all inputs the same image.
pub const FARTHEST: f64 = 1e100;

/// The action of a move on its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveKind {
    /// Exchanges two inputs.
    Swap,
    /// Mirrors one input about a point.
    Flip,
    /// A quarter turn of the plane of two inputs about a point.
    Rotate,
    /// All orders of the inputs.
    Permute,
    /// Shifts the inputs by one place, the last to the front.
    Shift,
}

impl MoveKind {
    /// All kinds of moves.
    pub const ALL: [MoveKind; 5] =
        [MoveKind::Swap, MoveKind::Flip, MoveKind::Rotate, MoveKind::Permute, MoveKind::Shift];

    /// The name in the language.
    pub const fn name(self) -> &'static str {
        match self {
            MoveKind::Swap => "swap",
            MoveKind::Flip => "flip",
            MoveKind::Rotate => "rotate",
            MoveKind::Permute => "permute",
            MoveKind::Shift => "shift",
        }
    }

    /// The constraint on the function, as a sentence.
    pub const fn summary(self) -> &'static str {
        match self {
            MoveKind::Swap => "two inputs exchanged: f(x, y) = f(y, x)",
            MoveKind::Flip => "an input mirrored about a point: f(c + x) = f(c - x)",
            MoveKind::Rotate => "a quarter turn of the plane of two inputs: f(x, y) = f(-y, x)",
            MoveKind::Permute => "the inputs in any order",
            MoveKind::Shift => "the inputs shifted in a circle: f(x1, x2, x3) = f(x3, x1, x2)",
        }
    }
}

/// One symmetry: an action on some inputs, about a point in the units of these inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    pub kind: MoveKind,
    pub inputs: Vec<InputRef>,
    /// One number per input of a flip or a rotation; empty for other moves.
    pub about: Vec<f64>,
}

/// Why moves are not valid, or generate no finite group.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MoveError {
    #[error("`{name}` takes {expected}, found {found}")]
    Inputs { name: &'static str, expected: &'static str, found: usize },
    #[error("input {0} is named twice in one transformation")]
    Twice(String),
    #[error("`about` needs one number for each input: found {found} for {expected}")]
    About { expected: usize, found: usize },
    #[error("`about` must be at most {FARTHEST:e} in absolute value")]
    NotFinite,
    #[error("the transformations generate a group of more than {LARGEST_GROUP} elements")]
    TooLarge,
    #[error("the transformations generate an infinite group")]
    Endless,
}

impl Move {
    /// A move of some inputs. `about` is 0 by default.
    ///
    /// # Errors
    /// The wrong number of inputs or of coordinates, or an input named twice.
    pub fn new(kind: MoveKind, inputs: Vec<InputRef>, about: Vec<f64>) -> Result<Self, MoveError> {
        let expected = match kind {
            MoveKind::Swap | MoveKind::Rotate if inputs.len() != 2 => "two inputs",
            MoveKind::Flip if inputs.len() != 1 => "one input",
            MoveKind::Permute | MoveKind::Shift if inputs.len() < 2 => "two inputs or more",
            _ => "",
        };
        if !expected.is_empty() {
            return Err(MoveError::Inputs { name: kind.name(), expected, found: inputs.len() });
        }
        if let Some(at) = (1..inputs.len()).find(|&i| inputs[..i].contains(&inputs[i])) {
            return Err(MoveError::Twice(inputs[at].to_string()));
        }
        let about = match (kind, about.len()) {
            (MoveKind::Flip | MoveKind::Rotate, 0) => vec![0.0; inputs.len()],
            (_, found) if found > 0 && found != inputs.len() => {
                return Err(MoveError::About { expected: inputs.len(), found });
            }
            _ => about,
        };
        if about.iter().any(|c| c.is_nan() || c.abs() > FARTHEST) {
            return Err(MoveError::NotFinite);
        }
        Ok(Self { kind, inputs, about })
    }

    /// Its generators, if its inputs are at the indices `at` of `width` coordinates.
    fn generators(&self, at: &[usize], width: usize) -> Vec<Placement> {
        let mut one = Placement::identity(width);
        match self.kind {
            MoveKind::Swap => {
                one.0[at[0]].from = at[1];
                one.0[at[1]].from = at[0];
            }
            MoveKind::Flip => one.0[at[0]] = Coordinate { from: at[0], sign: -1.0, add: 2.0 * self.about[0] },
            MoveKind::Rotate => {
                let (a, b) = (self.about[0], self.about[1]);
                one.0[at[0]] = Coordinate { from: at[1], sign: -1.0, add: a + b };
                one.0[at[1]] = Coordinate { from: at[0], sign: 1.0, add: b - a };
            }
            MoveKind::Shift | MoveKind::Permute => {
                for (i, &to) in at.iter().enumerate() {
                    one.0[to].from = at[(i + at.len() - 1) % at.len()];
                }
            }
        }
        let mut all = vec![one];
        if self.kind == MoveKind::Permute && at.len() > 2 {
            let mut swap = Placement::identity(width);
            swap.0[at[0]].from = at[1];
            swap.0[at[1]].from = at[0];
            all.push(swap);
        }
        all
    }
}

impl Move {
    /// A form that is equal for moves that generate the same group: the order of inputs of a swap or a permutation does
    /// not matter, and rotations in both directions are the same.
    pub fn canonical(&self) -> String {
        let mut order: Vec<usize> = (0..self.inputs.len()).collect();
        if self.kind != MoveKind::Shift {
            order.sort_by_key(|&i| self.inputs[i].to_string());
        }
        let inputs = order.iter().map(|&i| self.inputs[i].clone()).collect();
        let about = order.iter().filter_map(|&i| self.about.get(i).copied()).collect();
        Move { kind: self.kind, inputs, about }.to_string()
    }

    /// The action as a phrase of a template: "exchange of x and y". An input given by index is `{input 0}`.
    pub fn phrase(&self) -> String {
        let names: Vec<String> = self.inputs.iter().map(input_name).collect();
        let about = |c: f64| if c == 0.0 { "0".to_string() } else { number(c) };
        let all = match &names[..] {
            [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
            names => names.concat(),
        };
        match self.kind {
            MoveKind::Swap => format!("exchange of {all}"),
            MoveKind::Flip => format!("reflection of {all} about {}", about(self.about[0])),
            MoveKind::Rotate => format!("quarter turns of the plane of {all}"),
            MoveKind::Permute => format!("permutations of {all}"),
            MoveKind::Shift => format!("circular shifts of {all}"),
        }
    }
}

/// The name of an input in a template, without characters that the template would read as a placeholder.
fn input_name(input: &InputRef) -> String {
    match input {
        InputRef::Index(at) => format!("{{input {at}}}"),
        InputRef::Name(name) => name.replace(['{', '['], "(").replace(['}', ']'], ")"),
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}", self.kind.name(), input_list(&self.inputs))?;
        match &self.about[..] {
            about if about.iter().all(|c| *c == 0.0) => {}
            [one] => write!(f, ", about={}", number(*one))?,
            many => write!(f, ", about=[{}]", many.iter().map(|c| number(*c)).collect::<Vec<_>>().join(", "))?,
        }
        f.write_str(")")
    }
}

/// The origin of one coordinate: sign · x\[from\] + add. A sign of 0 is a blank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coordinate {
    pub from: usize,
    pub sign: f64,
    pub add: f64,
}

/// A map of rows in which each coordinate is computed from one coordinate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placement(pub Vec<Coordinate>);

impl Placement {
    /// The identity on `width` coordinates.
    pub fn identity(width: usize) -> Self {
        Self((0..width).map(|from| Coordinate { from, sign: 1.0, add: 0.0 }).collect())
    }

    pub fn is_identity(&self) -> bool {
        self.0.iter().enumerate().all(|(i, c)| c.from == i && c.sign == 1.0 && c.add == 0.0)
    }

    /// The composition: `first`, then this map.
    pub fn after(&self, first: &Placement) -> Placement {
        let then = |c: &Coordinate| {
            let inner = first.0[c.from];
            Coordinate { from: inner.from, sign: c.sign * inner.sign, add: c.sign * inner.add + c.add }
        };
        Placement(self.0.iter().map(then).collect())
    }

    /// The inverse; `None` if a coordinate is lost.
    pub fn inverse(&self) -> Option<Placement> {
        let mut back: Vec<Option<Coordinate>> = vec![None; self.0.len()];
        for (to, c) in self.0.iter().enumerate() {
            if c.sign != 0.0 && back[c.from].is_none() {
                back[c.from] = Some(Coordinate { from: to, sign: c.sign, add: -c.sign * c.add });
            }
        }
        back.into_iter().collect::<Option<Vec<_>>>().map(Placement)
    }

    /// Whether it maps coordinate `i` to itself.
    pub fn keeps(&self, i: usize) -> bool {
        let c = self.0[i];
        c.from == i && c.sign == 1.0 && c.add == 0.0
    }

    /// Whether two maps are equal, up to rounding of shifts of this size.
    pub fn same(&self, other: &Placement, size: f64) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| {
            (a.sign == 0.0 && b.sign == 0.0 || a.from == b.from && a.sign == b.sign)
                && (a.add - b.add).abs() <= ROUNDING * size
        })
    }

    /// The same map, with shifts at the level of rounding set to 0.
    fn settled(mut self, size: f64) -> Self {
        for c in self.0.iter_mut().filter(|c| c.add.abs() <= ROUNDING * size) {
            c.add = 0.0;
        }
        self
    }

    /// Whether it only shifts coordinates, so that its order is infinite.
    fn only_shifts(&self) -> bool {
        self.0.iter().enumerate().all(|(i, c)| c.from == i && c.sign == 1.0) && !self.is_identity()
    }

    /// The image of a row.
    pub fn apply(&self, row: &[f64]) -> Vec<f64> {
        self.0.iter().map(|c| if c.sign == 0.0 { 0.0 } else { c.sign * row[c.from] + c.add }).collect()
    }
}

/// The largest shift of any coordinate.
pub(super) fn largest_shift(all: &[Placement]) -> f64 {
    all.iter().flat_map(|p| &p.0).fold(0.0, |size, c| size.max(c.add.abs()))
}

/// Two shifts are equal if they differ by less than this share of the largest.
const ROUNDING: f64 = 1e-9;

/// The group generated by these moves, with inputs at the indices `at` (one list per move) of `width` coordinates. The
/// first element is the identity.
///
/// # Errors
/// [`MoveError::Endless`] if the group is infinite, [`MoveError::TooLarge`] if it has more than [`LARGEST_GROUP`]
/// elements.
pub(super) fn group(moves: &[Move], at: &[Vec<usize>], width: usize) -> Result<Vec<Placement>, MoveError> {
    let generators: Vec<Placement> = moves.iter().zip(at).flat_map(|(m, at)| m.generators(at, width)).collect();
    let size = largest_shift(&generators);
    let mut all = vec![Placement::identity(width)];
    let mut next = 0;
    while next < all.len() {
        for generator in &generators {
            let image = generator.after(&all[next]).settled(size);
            if !all.iter().any(|known| known.same(&image, size)) {
                if image.only_shifts() {
                    return Err(MoveError::Endless);
                }
                if all.len() == LARGEST_GROUP {
                    return Err(MoveError::TooLarge);
                }
                all.push(image);
            }
        }
        next += 1;
    }
    Ok(all)
}

/// The order of the group generated by some moves, with all named inputs different.
///
/// # Errors
/// [`MoveError::Endless`], [`MoveError::TooLarge`].
pub fn order(moves: &[Move]) -> Result<usize, MoveError> {
    let mut inputs: Vec<&InputRef> = Vec::new();
    let at: Vec<Vec<usize>> = moves
        .iter()
        .map(|m| {
            let place = |input| match inputs.iter().position(|known| *known == input) {
                Some(at) => at,
                None => {
                    inputs.push(input);
                    inputs.len() - 1
                }
            };
            m.inputs.iter().map(place).collect()
        })
        .collect();
    group(moves, &at, inputs.len()).map(|group| group.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: MoveKind, inputs: &[usize]) -> Move {
        Move::new(kind, inputs.iter().map(|&i| InputRef::Index(i)).collect(), Vec::new()).unwrap()
    }

    #[test]
    fn groups_close() {
        let all = |n: usize| (0..n).collect::<Vec<_>>();
        for (moves, size) in [
            (vec![of(MoveKind::Swap, &[0, 1])], 2),
            (vec![of(MoveKind::Flip, &[0]), of(MoveKind::Flip, &[1])], 4),
            (vec![of(MoveKind::Rotate, &[0, 1])], 4),
            (vec![of(MoveKind::Rotate, &[0, 1]), of(MoveKind::Flip, &[0])], 8),
            (vec![of(MoveKind::Permute, &all(4))], 24),
            (vec![of(MoveKind::Permute, &all(6))], 720),
            (vec![of(MoveKind::Shift, &all(5))], 5),
            (vec![of(MoveKind::Permute, &all(3)), of(MoveKind::Flip, &[0])], 48),
        ] {
            assert_eq!(order(&moves), Ok(size), "{moves:?}");
        }
        assert_eq!(order(&[of(MoveKind::Permute, &all(7))]), Err(MoveError::TooLarge));
        let about = |c| Move::new(MoveKind::Flip, vec![InputRef::Index(0)], vec![c]).unwrap();
        assert_eq!(order(&[about(0.0), about(1.0)]), Err(MoveError::Endless));
    }

    #[test]
    fn rounding_makes_no_new_elements() {
        let inputs = || vec![InputRef::Index(0), InputRef::Index(1)];
        let turn = Move::new(MoveKind::Rotate, inputs(), vec![0.2, -0.1]).unwrap();
        assert_eq!(order(std::slice::from_ref(&turn)), Ok(4));
        let flip = Move::new(MoveKind::Flip, vec![InputRef::Index(0)], vec![0.2]).unwrap();
        assert_eq!(order(&[turn, flip]), Ok(8));
        let far = Move::new(MoveKind::Rotate, inputs(), vec![1955.123, 0.3]).unwrap();
        assert_eq!(order(&[far]), Ok(4));
    }

    #[test]
    fn every_element_is_undone() {
        let turn = Move::new(MoveKind::Rotate, vec![InputRef::Index(0), InputRef::Index(2)], vec![1.0, -3.0]).unwrap();
        for element in group(&[turn], &[vec![0, 2]], 3).unwrap() {
            let there = element.apply(&[0.3, 5.0, 0.7]);
            let back = element.inverse().unwrap().apply(&there);
            assert!(back.iter().zip([0.3, 5.0, 0.7]).all(|(a, b)| (a - b).abs() < 1e-14), "{element:?}");
        }
    }

    #[test]
    fn moves_are_checked_and_printed() {
        assert!(Move::new(MoveKind::Swap, vec![InputRef::Index(0)], Vec::new()).is_err());
        let twice = vec![InputRef::Index(1), InputRef::Index(1)];
        assert!(matches!(Move::new(MoveKind::Swap, twice, Vec::new()), Err(MoveError::Twice(_))));
        assert_eq!(of(MoveKind::Swap, &[0, 1]).to_string(), "swap(0, 1)");
        assert_eq!(of(MoveKind::Shift, &[0, 1, 2]).to_string(), "shift([0, 1, 2])");
        let flip = Move::new(MoveKind::Flip, vec![InputRef::Name("year".into())], vec![1955.5]).unwrap();
        assert_eq!(flip.to_string(), "flip(year, about=1955.5)");
        assert!(Move::new(MoveKind::Flip, vec![InputRef::Index(0)], vec![1e308]).is_err());
    }

    #[test]
    fn the_order_of_inputs_matters_only_for_shifts() {
        let canonical = |kind, inputs: &[usize]| of(kind, inputs).canonical();
        for kind in [MoveKind::Swap, MoveKind::Rotate, MoveKind::Permute] {
            assert_eq!(canonical(kind, &[1, 0]), canonical(kind, &[0, 1]), "{kind:?}");
        }
        assert_ne!(canonical(MoveKind::Shift, &[0, 2, 1]), canonical(MoveKind::Shift, &[0, 1, 2]));
        let turn = |inputs: [usize; 2], about: [f64; 2]| {
            Move::new(MoveKind::Rotate, inputs.map(InputRef::Index).to_vec(), about.to_vec()).unwrap().canonical()
        };
        assert_eq!(turn([0, 1], [1.0, 2.0]), turn([1, 0], [2.0, 1.0]));
        assert_ne!(turn([0, 1], [1.0, 2.0]), turn([1, 0], [1.0, 2.0]));
    }
}
