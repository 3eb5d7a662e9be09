//! Values: what a user may hold, one kind a file.

pub mod classes;
pub mod crossed;
pub mod display;
pub mod drawn;
pub mod explanation;
pub mod function;
pub mod json;
pub mod list;
pub mod members;
pub mod pipeline;
pub mod searched;
pub mod sheet;
pub mod value;
