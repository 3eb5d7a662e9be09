//! Kernels as trees: families at the leaves, sums and products, and wraps around kernels.
//!
//! A tree is the kernel as written. [`Kernel::bind`] binds it to the columns of a data set and returns a [`Bound`]
//! kernel, which holds numbers. This room has no positions in the text, no data sets, and no rounding for display.
//!
//! Files import downward only: gram, cross_covariance → columns, reverse_mode → lags → evaluate → bind → factors → simplify, expand →
//! wraps → layout → print, terms, equality → tree → plan → program → input_view, parameter_slot → row_function, group, names →
//! families → family → values, inputs. This file lists them.

mod bind;
mod bind_error;
mod column_values;
mod columns;
mod cross_covariance;
mod elementwise;
mod equality;
mod evaluate;
mod expand;
mod factors;
pub mod families;
pub mod family;
mod gram;
mod group;
mod input_view;
mod inputs;
mod lags;
mod latex;
mod layout;
mod named_inputs;
mod names;
mod parameter_checks;
mod parameter_slot;
mod params;
pub mod phrasing;
mod plan;
mod points;
pub mod print;
mod program;
mod reverse_mode;
mod row_function;
mod schema;
mod simplify;
mod slope_variance;
mod slopes;
mod terms;
#[cfg(test)]
pub(crate) mod testing;
mod tree;
mod tree_walk;
mod unit_variance;
mod values;
pub mod wraps;
mod written_out;

pub use bind::Bound;
pub use bind_error::{BindError, Cause, Origin, Place};
pub use cross_covariance::{Cross, CrossGradient};
pub use elementwise::Elementwise;
pub use expand::ExpandError;
pub use factors::{Factor, GroupSum};
pub use family::{Argument, Domains, Family, Form, ParamSpec, Role, Size, Spec};
pub use gram::Gram;
pub use group::{Coordinate, LARGEST_GROUP, Move, MoveError, MoveKind, order as group_order};
pub use input_view::ViewPair;
pub use inputs::{InputRef, Inputs};
pub(crate) use names::word;
pub use names::{is_reserved, number, quoted};
pub use parameter_checks::ParamError;
pub use parameter_slot::{Slot, SlotState};
pub use params::ParamInfo;
pub use phrasing::{Head, InnerInputs, Wording};
pub use plan::{InputColumns, Parts, Plan};
pub use points::{EvalError, Points};
pub use row_function::{Cell, FunctionError, FunctionParameter, RowFunction, Slope};
pub use schema::{Column, Schema};
pub use slope_variance::SlopeError;
pub use slopes::InputSlope;
pub use tree::{InputsShown, Kernel, LARGEST_KERNEL, Leaf, Node, Wrap, Wrapped};
pub use values::Values;
