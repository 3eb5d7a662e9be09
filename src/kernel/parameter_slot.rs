//! The parameters of a bound kernel: one slot for each number on which the kernel depends.

use std::sync::Arc;

use super::bind_error::Origin;
use super::family::ParamSpec;
use crate::calendar::TimeUnit;
use crate::param::{Domain, Measure, Param};

/// Whether a fit optimises a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotState {
    Free,
    /// Fixed by the user.
    Fixed,
    /// Held at 1: an unset variance that a product does not need.
    Held,
}

/// One number on which a bound kernel depends. Tied parameters share a slot.
#[derive(Debug, Clone)]
pub struct Slot {
    /// The name of the family or wrap.
    pub family: &'static str,
    pub spec: &'static ParamSpec,
    /// The index, for a parameter with several values.
    pub element: Option<usize>,
    /// The level of a categorical input to which it belongs.
    pub level: Option<Arc<str>>,
    pub param: Param,
    pub state: SlotState,
    pub domain: Domain,
    /// The written value, or the default of the family.
    pub value: f64,
    /// The columns of the data on which its node depends.
    pub columns: Vec<usize>,
    /// Whether its node receives these through a user's function or mapped to a circle, so that their units are lost.
    pub warped: bool,
    /// If `warped`: the root of the summed variances of the transformed columns of its node.
    pub width: Option<f64>,
    /// The least training row, where an unwritten process starts.
    pub start: Option<f64>,
    /// The unit, if it is a length or a location on inputs that are times.
    pub time: Option<TimeUnit>,
    /// The labels of the kernels around its node, outermost first.
    pub labels: Vec<Arc<str>>,
    pub origin: Option<Origin>,
    /// The number of parameters of the tree that share it.
    pub uses: usize,
    /// Whether its node is one of several factors, so that a variance of it is not identifiable alone.
    pub in_product: bool,
}

impl Slot {
    /// The written parameter, with times converted to the unit of the input.
    pub(super) fn measured(&self, written: &Param) -> Param {
        let Some(unit) = self.time else { return written.clone() };
        let measure = if self.spec.role.is_place() { Measure::Date(unit) } else { Measure::Length(unit) };
        Param { time: Some(measure), ..written.in_unit(unit) }
    }
}
