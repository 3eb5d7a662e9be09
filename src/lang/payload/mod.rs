//! The types of values that no lower room declares: lists, records, ranges, functions, models with steps, tables and
//! descriptions. Those that contain values are generic in the type of the value.

pub mod explanation;
pub mod function;
pub mod integral;
pub mod items;
pub mod list;
pub mod pipeline;
pub mod plot;
pub mod range;
pub mod record;
pub mod sheet;
