//! The parameters of a bound kernel: one slot for each number that the kernel depends on.

use std::sync::Arc;

use super::bind_error::Origin;
use super::family::{ParamSpec, Role};
use crate::calendar::TimeUnit;
use crate::param::{Domain, Measure, Param};

/// Whether a fit moves a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotState {
    Free,
    /// By the user.
    Fixed,
    /// An unset variance that a product does not need.
    Held,
}

/// One number that a bound kernel depends on. Tied parameters share one.
#[derive(Debug, Clone)]
pub struct Slot {
    /// The name of the family or wrap.
    pub family: &'static str,
    pub spec: &'static ParamSpec,
    /// For a parameter of one-for-each: which.
    pub element: Option<usize>,
    /// The level of a categorical input that it belongs to.
    pub level: Option<Arc<str>>,
    pub param: Param,
    pub state: SlotState,
    pub domain: Domain,
    /// What was written, or the default of the family.
    pub value: f64,
    /// The columns of the data that its node depends on.
    pub columns: Vec<usize>,
    /// Its node gets them through a user function or on a circle, so their units are lost.
    pub warped: bool,
    /// Then: the spacing of the rows in the inputs of its node.
    pub width: Option<f64>,
    /// It is a length or a place on inputs that are times in this unit.
    pub time: Option<TimeUnit>,
    /// Names around its node, outermost first.
    pub labels: Vec<Arc<str>>,
    pub origin: Option<Origin>,
    /// How many parameters of the tree it stands for.
    pub uses: usize,
    /// Its node is a factor among others, so that a variance has no meaning of its own.
    pub in_product: bool,
}

impl Slot {
    /// What was written, as a time in the unit of the input where it is one.
    pub(super) fn measured(&self, written: &Param) -> Param {
        let Some(unit) = self.time else { return written.clone() };
        let measure = if self.spec.role == Role::Location { Measure::Date(unit) } else { Measure::Length(unit) };
        Param { time: Some(measure), ..written.in_unit(unit) }
    }
}
