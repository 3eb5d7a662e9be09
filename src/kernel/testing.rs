//! Kernels and functions for the tests of this room.

use std::sync::Arc;

use super::families::family;
use super::inputs::{InputRef, Inputs};
use super::row_function::{Cell, FunctionError, RowFunction};
use super::tree::{Kernel, Node};
use super::values::Values;
use crate::param::Param;

/// The input with this name.
pub fn named(name: &str) -> Inputs {
    Inputs::These(vec![InputRef::Name(name.into())])
}

/// The input with this index.
pub fn at(place: usize) -> Inputs {
    Inputs::These(vec![InputRef::Index(place)])
}

/// A family on inputs with some parameters set, by their short names.
pub fn leaf(name: &str, inputs: Inputs, params: &[(&str, Param)]) -> Kernel {
    let kernel = Kernel::leaf(family(name).unwrap_or_else(|| panic!("no family {name}")), inputs);
    let Node::Leaf(mut leaf) = kernel.node().clone() else { unreachable!() };
    for (short, param) in params {
        let at = leaf.family.spec().params.iter().position(|p| p.short == *short).unwrap();
        leaf.params[at] = Values::One(param.clone());
    }
    Node::Leaf(leaf).into()
}

/// A family on the first input.
pub fn of(name: &str, params: &[(&str, Param)]) -> Kernel {
    leaf(name, at(0), params)
}

pub fn sum(terms: impl IntoIterator<Item = Kernel>) -> Kernel {
    Kernel::sum(terms).unwrap()
}

pub fn product(factors: impl IntoIterator<Item = Kernel>) -> Kernel {
    Kernel::product(factors).unwrap()
}

/// The parameter with this start, free.
pub fn free(value: f64) -> Param {
    Param::free(value)
}

/// `SE(1) * Per(2) + Lin`
pub fn example() -> Kernel {
    let product = Kernel::product([leaf("SE", at(1), &[]), leaf("Per", at(2), &[])]);
    Kernel::sum([product.unwrap(), leaf("Lin", Inputs::All, &[])]).unwrap()
}

/// A user's function: the logarithm of each number, with any source text.
pub fn function(source: &'static str) -> Arc<dyn RowFunction> {
    Arc::new(Stub(source))
}

#[derive(Debug)]
struct Stub(&'static str);

impl RowFunction for Stub {
    fn source(&self) -> String {
        self.0.to_string()
    }

    fn apply(&self, row: &[Cell<'_>], _theta: &[f64]) -> Result<Vec<f64>, FunctionError> {
        let number = |cell: &Cell<'_>| match cell {
            Cell::Number(x) => (1.0 + x * x).ln(),
            Cell::Category(text) => text.len() as f64,
        };
        Ok(row.iter().map(number).collect())
    }
}
