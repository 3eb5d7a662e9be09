//! Values of the language. A kind of value is one file, with one implementation of [`value::ValueKind`]; the list
//! of the kinds is in [`value`].

mod boolean;
pub mod cast;
mod class_prediction;
mod cross_validation;
pub mod data;
mod decomposition;
mod deep_fit;
mod deep_model;
mod dist;
mod explanation;
mod features;
mod figure;
pub mod fit;
mod function;
pub mod function_source;
mod input_move;
mod jacobian;
pub mod json;
mod kernel;
mod list;
mod model;
mod nesting;
mod nothing;
mod number;
mod one_vs_rest;
mod param;
mod plane_map;
mod prediction;
mod range;
mod record;
mod residuals;
mod search;
mod string;
mod surface;
mod table;
pub mod value;
