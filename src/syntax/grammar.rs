//! The parser generated from the grammar file.

#[derive(pest_derive::Parser)]
#[grammar = "../grammar/mercer.pest"]
pub struct Grammar;
