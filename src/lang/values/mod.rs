//! Values: what a user may hold.

pub mod classes;
pub mod crossed;
mod display;
pub mod drawn;
mod explanation;
pub mod function_source;
pub mod json;
pub mod members;
mod model;
mod record;
pub mod searched;
pub mod value;
