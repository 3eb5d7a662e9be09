//! The types behind values that no room below declares: lists, records, ranges, functions, models with steps, tables
//! and explanations. Those that hold values are generic in the value, so that the values can be made of them.

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
