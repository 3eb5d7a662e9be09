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

impl Program {
    /// The instructions whose values the backward pass reads: leaves, the factors of products and what is inside wraps, and
    /// what these need. `of_pairs` says of an instruction whether it is evaluated for each pair of rows.
    pub fn read_backwards(&self, of_pairs: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut read = vec![false; self.instructions.len()];
        for (i, instruction) in self.instructions.iter().enumerate().rev() {
            if !of_pairs(i) {
                continue;
            }
            let itself = matches!(instruction.op, Op::Leaf(_));
            if read[i] || !matches!(instruction.op, Op::Leaf(_) | Op::Sum) {
                instruction.args.iter().for_each(|&a| read[a] = true);
            }
            read[i] |= itself;
        }
        read
    }
}

/// The view and the column of which an instruction depends on the difference of two rows only, if it is so: a stationary
/// family of one input, or a sum or product of such.
pub(super) fn lag_of(instructions: &[Instruction], views: &[View], i: usize) -> Option<(usize, usize)> {
    match &instructions[i].op {
        Op::Leaf(leaf) => {
            let spec = leaf.family.spec();
            let ViewPair { left, right } = leaf.views;
            let one = spec.stationary && spec.reads_inputs && left == right && !views[left].moving;
            (one && leaf.columns.len() == 1).then(|| (left, leaf.columns[0]))
        }
        Op::Sum | Op::Product => {
            let mut args = instructions[i].args.iter().map(|&a| lag_of(instructions, views, a));
            let first = args.next()??;
            args.all(|other| other == Some(first)).then_some(first)
        }
        Op::Elementwise { .. } => None,
    }
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
