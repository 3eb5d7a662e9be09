//! The same rows in other columns: transformed by a user function, moved, folded, or mapped onto a circle.

use std::f64::consts::TAU;
use std::sync::Arc;

use super::group::Placement;
use super::row_function::{FunctionError, FunctionMap, Levels, RowFailure};

/// The views for the first and the second argument of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ViewPair {
    pub left: usize,
    pub right: usize,
}

impl ViewPair {
    /// The same view for both arguments.
    pub const fn both(view: usize) -> Self {
        Self { left: view, right: view }
    }
}

/// A view of the rows: columns computed from those of the data.
#[derive(Debug)]
pub(super) struct View {
    pub parent: usize,
    pub map: ViewMap,
    /// For each input of the data, the columns of this view that represent it.
    pub shown: Vec<Vec<usize>>,
    /// Whether its columns depend on parameters and so change between evaluations.
    pub moving: bool,
}

#[derive(Debug)]
pub(super) enum ViewMap {
    Identity,
    Function(FunctionMap),
    /// The first columns are computed by the map; the others are unchanged.
    Placed(Placement),
    /// Each row is replaced by the representative of its orbit.
    Folded {
        group: Vec<Placement>,
        /// Columns that some element mirrors: for these the greater value is taken, for others the lesser.
        mirrored: Vec<bool>,
    },
    /// Adds sin and cos of 2πx/p of some columns after the columns of the parent.
    Circle {
        columns: Vec<usize>,
        periods: Vec<Period>,
    },
    /// Adds a column of 0 and 1 for each level of categorical columns after the columns of the parent.
    Indicators(Vec<Indicators>),
    /// Adds the point on the unit sphere at a latitude and a longitude in degrees after the columns of the parent.
    Sphere {
        lat: usize,
        lon: usize,
    },
}

/// The indicator columns of a categorical column.
#[derive(Debug)]
pub(super) struct Indicators {
    pub column: usize,
    /// The name of the column, and the texts of its categories.
    pub name: Arc<str>,
    pub levels: Levels,
    /// The codes that occur in the training rows, ascending.
    pub known: Vec<f64>,
}

impl Indicators {
    /// The codes that have a column: all codes, or the second of two, since one column then determines the other.
    pub fn shown(&self) -> &[f64] {
        if let [_, second @ ..] = &self.known[..]
            && second.len() == 1
        {
            second
        } else {
            &self.known
        }
    }

    fn columns(&self, codes: &[f64]) -> Result<Vec<Vec<f64>>, RowFailure> {
        if let Some(row) = codes.iter().position(|code| !self.known.contains(code)) {
            let level = self.levels.get(codes[row] as usize).map_or("a category", |level| level);
            let message =
                format!("`{level}` in column `{}` was not among the categories of the training rows", self.name);
            return Err(RowFailure { row, error: FunctionError::Failed(message) });
        }
        let indicator = |level: &f64| codes.iter().map(|code| f64::from(u8::from(code == level))).collect();
        Ok(self.shown().iter().map(indicator).collect())
    }
}

/// The period: a number, or the value of a slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Period {
    Number(f64),
    Slot(usize),
}

impl Period {
    fn value(self, values: &[f64]) -> f64 {
        match self {
            Period::Number(p) => p,
            Period::Slot(slot) => values.get(slot).copied().unwrap_or(f64::NAN),
        }
    }
}

impl ViewMap {
    /// The columns of this view, computed from those of its parent and the values of all slots.
    pub fn apply(&self, parent: &[Vec<f64>], values: &[f64]) -> Result<Vec<Vec<f64>>, RowFailure> {
        match self {
            ViewMap::Identity => Ok(parent.to_vec()),
            ViewMap::Function(map) => map.apply(parent, values),
            ViewMap::Placed(placement) => Ok(placed(placement, parent)),
            ViewMap::Folded { group, mirrored } => Ok(folded(group, mirrored, parent)),
            ViewMap::Circle { columns, periods } => {
                let mut shown = parent.to_vec();
                for (&column, period) in columns.iter().zip(periods) {
                    let turns = TAU / period.value(values);
                    shown.push(parent[column].iter().map(|x| (turns * x).sin()).collect());
                    shown.push(parent[column].iter().map(|x| (turns * x).cos()).collect());
                }
                Ok(shown)
            }
            ViewMap::Indicators(all) => {
                let mut shown = parent.to_vec();
                for indicators in all {
                    shown.extend(indicators.columns(&parent[indicators.column])?);
                }
                Ok(shown)
            }
            ViewMap::Sphere { lat, lon } => {
                let mut shown = parent.to_vec();
                let angles = || parent[*lat].iter().zip(&parent[*lon]).map(|(a, b)| (on_sphere(*a), on_sphere(*b)));
                shown.push(angles().map(|((_, cos_lat), (_, cos_lon))| cos_lat * cos_lon).collect());
                shown.push(angles().map(|((_, cos_lat), (sin_lon, _))| cos_lat * sin_lon).collect());
                shown.push(angles().map(|((sin_lat, _), _)| sin_lat).collect());
                Ok(shown)
            }
        }
    }

    /// Passes derivatives in the columns of this view to the columns of its parent and to the slots that it depends on.
    pub fn pull(
        &self,
        parent: &[Vec<f64>],
        values: &[f64],
        adjoint: &[Vec<f64>],
        to_parent: &mut [Vec<f64>],
        gradient: &mut [f64],
    ) {
        let add = |to: &mut Vec<f64>, from: &[f64], sign: f64| {
            for (to, from) in to.iter_mut().zip(from) {
                *to += sign * from;
            }
        };
        match self {
            ViewMap::Placed(placement) => {
                for (c, adjoint) in adjoint.iter().enumerate() {
                    match placement.0.get(c) {
                        Some(place) if place.sign != 0.0 => add(&mut to_parent[place.from], adjoint, place.sign),
                        Some(_) => {}
                        None => add(&mut to_parent[c], adjoint, 1.0),
                    }
                }
            }
            ViewMap::Folded { group, mirrored } => pull_folded(group, mirrored, parent, adjoint, to_parent),
            ViewMap::Function(map) => map.pull(parent, values, adjoint, to_parent, gradient),
            ViewMap::Identity | ViewMap::Circle { .. } | ViewMap::Indicators(_) | ViewMap::Sphere { .. } => {
                for (to, from) in to_parent.iter_mut().zip(adjoint) {
                    add(to, from, 1.0);
                }
            }
        }
        if let ViewMap::Sphere { lat, lon } = self {
            let [x, y, z] = [0, 1, 2].map(|i| &adjoint[parent.len() + i]);
            let radian = 1f64.to_radians();
            for i in 0..x.len() {
                let ((sin_lat, cos_lat), (sin_lon, cos_lon)) = (on_sphere(parent[*lat][i]), on_sphere(parent[*lon][i]));
                to_parent[*lat][i] += radian * (z[i] * cos_lat - sin_lat * (x[i] * cos_lon + y[i] * sin_lon));
                to_parent[*lon][i] += radian * cos_lat * (y[i] * cos_lon - x[i] * sin_lon);
            }
        }
        let ViewMap::Circle { columns, periods } = self else { return };
        for (i, (&column, period)) in columns.iter().zip(periods).enumerate() {
            let p = period.value(values);
            let (by_sin, by_cos) = (&adjoint[parent.len() + 2 * i], &adjoint[parent.len() + 2 * i + 1]);
            let mut by_period = 0.0;
            let to_column = &mut to_parent[column];
            for (j, x) in parent[column].iter().enumerate() {
                let angle = TAU * x / p;
                let by_angle = by_sin[j] * angle.cos() - by_cos[j] * angle.sin();
                to_column[j] += by_angle * TAU / p;
                by_period -= by_angle * angle / p;
            }
            if let Period::Slot(slot) = period {
                gradient[*slot] += by_period;
            }
        }
    }
}

/// Sine and cosine of degrees, exact at multiples of 90 so that a full turn closes.
fn on_sphere(degrees: f64) -> (f64, f64) {
    match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        other => other.to_radians().sin_cos(),
    }
}

fn placed(placement: &Placement, parent: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = parent.first().map_or(0, Vec::len);
    let moved = |c: usize| match placement.0.get(c) {
        None => parent[c].clone(),
        Some(place) if place.sign == 0.0 => vec![0.0; n],
        Some(place) => parent[place.from].iter().map(|x| place.sign * x + place.add).collect(),
    };
    (0..parent.len()).map(moved).collect()
}

/// The element that maps a row to the representative of its orbit.
fn first_of_orbit<'g>(group: &'g [Placement], mirrored: &[bool], row: &[f64]) -> Option<(&'g Placement, Vec<f64>)> {
    let before = |a: &[f64], b: &[f64]| {
        let by = |c: usize| if mirrored[c] { b[c].total_cmp(&a[c]) } else { a[c].total_cmp(&b[c]) };
        (0..mirrored.len()).map(by).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    group.iter().map(|element| (element, element.apply(row))).min_by(|(_, a), (_, b)| before(a, b))
}

fn folded(group: &[Placement], mirrored: &[bool], parent: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut shown = parent.to_vec();
    for i in 0..parent.first().map_or(0, Vec::len) {
        let row: Vec<f64> = parent[..mirrored.len()].iter().map(|column| column[i]).collect();
        if let Some((_, first)) = first_of_orbit(group, mirrored, &row) {
            for (column, value) in shown.iter_mut().zip(first) {
                column[i] = value;
            }
        }
    }
    shown
}

fn pull_folded(
    group: &[Placement],
    mirrored: &[bool],
    parent: &[Vec<f64>],
    adjoint: &[Vec<f64>],
    to_parent: &mut [Vec<f64>],
) {
    let width = mirrored.len();
    for i in 0..parent.first().map_or(0, Vec::len) {
        let row: Vec<f64> = parent[..width].iter().map(|column| column[i]).collect();
        let Some((element, _)) = first_of_orbit(group, mirrored, &row) else { continue };
        for (c, adjoint) in adjoint.iter().enumerate() {
            match element.0.get(c) {
                Some(place) => to_parent[place.from][i] += place.sign * adjoint[i],
                None => to_parent[c][i] += adjoint[i],
            }
        }
    }
}
