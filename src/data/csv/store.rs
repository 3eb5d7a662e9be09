//! The second pass over a column: its values.

use super::cell::{Cell, Missing};
use super::notation::Notation;
use super::scan::Plan;
use crate::calendar::{Moment, Resolution, compact, compact_month, time_of_day};
use crate::data::column::{Column, Kind, Levels};
use crate::data::units;

/// A column while its cells are stored.
pub(super) struct Store {
    plan: Plan,
    notation: Notation,
    values: Vec<f64>,
    moments: Vec<Option<Moment>>,
    levels: Levels,
}

impl Store {
    pub(super) fn new(plan: Plan, notation: Notation, n: usize) -> Self {
        Self { plan, notation, values: Vec::with_capacity(n), moments: Vec::new(), levels: Levels::default() }
    }

    /// Stores a cell. Returns `false` if it is not of the kind found in the first pass.
    pub(super) fn keep(&mut self, missing: &Missing, text: &str) -> bool {
        if matches!(self.plan, Plan::Dates(..) | Plan::Days | Plan::Months) {
            let moment = match (self.plan, missing.read(text, self.notation)) {
                (_, Cell::Missing) => None,
                (Plan::Dates(form, _), Cell::Text(text)) => match form.read(text, missing.dates) {
                    Some((at, _)) => Some(at),
                    None => return false,
                },
                (Plan::Days, Cell::Number(v)) if compact(v).is_some() => compact(v),
                (Plan::Months, Cell::Number(v)) if compact_month(v).is_some() => compact_month(v),
                _ => return false,
            };
            self.moments.push(moment);
            return true;
        }
        let value = match (self.plan, missing.read(text, self.notation)) {
            (_, Cell::Missing) => f64::NAN,
            (Plan::Categories, _) => self.levels.code(text.trim()),
            (Plan::Numbers, Cell::Number(v)) => v,
            (Plan::Hours, Cell::Text(text)) => match time_of_day(text) {
                Some(hours) => hours,
                None => return false,
            },
            _ => return false,
        };
        self.values.push(value);
        true
    }

    /// The column, with the unit below its name or, in brackets, in its name.
    pub(super) fn column(self, name: &str, unit: &str) -> Column {
        let kind = match self.plan {
            Plan::Numbers | Plan::Hours => Kind::Numeric,
            Plan::Dates(_, resolution) => return Column::moments(name, resolution, &self.moments),
            Plan::Days => return Column::moments(name, Resolution::Day, &self.moments),
            Plan::Months => return Column::moments(name, Resolution::Month, &self.moments),
            Plan::Categories => return self.levels.into_column(name.into(), self.values),
        };
        let column = Column::of(name.into(), kind, self.values);
        match self.plan {
            Plan::Hours => column.with_unit("h"),
            Plan::Numbers if !unit.is_empty() => column.with_unit(unit),
            Plan::Numbers => column.with_unit(units::in_name(name).unwrap_or_default()),
            _ => column,
        }
    }
}
