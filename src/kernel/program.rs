//! The plan of evaluation: a list of instructions over columns of a Gram matrix.
//!
//! A kernel is evaluated one column at a time: every instruction fills a slice with the values of one part of the
//! kernel for many rows against one. The slice stays in cache for the following sums and products, and the backward
//! pass over the same list gives the gradient with respect to all parameters at once.

use std::ops::Range;
use std::sync::Arc;

use super::bind_error::Origin;
use super::elementwise::Elementwise;
use super::family::Family;
use super::input_view::View;
use super::input_view::ViewPair;

#[derive(Debug)]
pub(super) struct Program {
    pub instructions: Vec<Instruction>,
    /// The first view is the data, unchanged.
    pub views: Vec<View>,
    /// Whether some instruction needs the values k(x, x) and k(x′, x′).
    pub needs_diagonals: bool,
    /// The number of input columns of the data.
    pub columns: usize,
}

#[derive(Debug)]
pub(super) struct Instruction {
    pub op: Op,
    /// Earlier instructions whose values it needs.
    pub args: Vec<usize>,
    /// Earlier instructions whose values it needs at k(x, x) and at k(x′, x′).
    pub diagonals: Option<[usize; 2]>,
}

#[derive(Debug)]
pub(super) enum Op {
    Leaf(LeafOp),
    Sum,
    Product,
    Elementwise {
        function: Arc<dyn Elementwise>,
        views: ViewPair,
        columns: Vec<usize>,
        slots: Vec<usize>,
        ranges: Vec<Range<usize>>,
    },
}

#[derive(Debug)]
pub(super) struct LeafOp {
    pub family: &'static dyn Family,
    pub columns: Vec<usize>,
    pub learnt: Vec<f64>,
    pub slots: Vec<usize>,
    pub ranges: Vec<Range<usize>>,
    pub views: ViewPair,
    /// Whether its values are stored between an evaluation and its gradient.
    pub keep: bool,
    pub origin: Option<Origin>,
}
