//! Common kernels: their names, their expressions and their meaning.
//!
//! Source: Duvenaud, structure-search chapter, "Example expressions", with those of the chapter "Expressing Structure
//! with Kernels".

use crate::data::write::Table;
use crate::describe::Grid;

/// A motif.
#[derive(Debug)]
pub struct Motif {
    pub name: &'static str,
    /// An expression of the language that can be run.
    pub expression: &'static str,
    pub says: &'static str,
}

const fn motif(name: &'static str, expression: &'static str, says: &'static str) -> Motif {
    Motif { name, expression, says }
}

pub const MOTIFS: &[Motif] = &[
    motif("linear regression", "Lin", "straight lines in every input"),
    motif("polynomial regression", "Lin(0)^3", "polynomials: a product of lines for each degree"),
    motif("known basis functions", "basis(x -> [1, x, sin(x)], 0)", "known functions with unknown weights"),
    motif("signal and noise", "SE(0) + WN", "a smooth function and an error of each observation"),
    motif("several scales", "SE(0, l=1) + SE(0, l=10)", "fast and slow variation, separated"),
    motif("Fourier decomposition", "Per(0, p=1) + Per(0, p=7)", "periodic functions of several periods, of any shape"),
    motif("additive model (GAM)", "SE(0) + SE(1)", "the effect of one input does not depend on the other"),
    motif("relevance of inputs (ARD)", "SE(0) * SE(1)", "all interactions; long length-scales switch inputs off"),
    motif(
        "additive and interacting",
        "SE(0) + SE(1) + SE(0) * SE(1)",
        "main effects, and an interaction separate from them",
    ),
    motif("trend with deviations", "Lin(0) + SE(0)", "a line, and smooth deviations from it"),
    motif("growing amplitude", "Lin(0) * SE(0)", "smooth changes that become larger along a line"),
    motif("growing season", "Lin(0) * Per(0, centred=true)", "a pattern whose size grows along a line"),
    motif("local periodicity", "SE(0) * Per(0)", "a pattern that slowly changes its shape"),
    motif("bilinear", "Lin(0) * Lin(1)", "a line in each input, with slopes that depend on the other"),
    motif("varying slope", "SE(0) * Lin(1)", "a line in one input whose slope changes with the other"),
    motif("groups", "SE(0) + SE(0) * onehot(1)", "a curve common to all categories, and deviations of each"),
    motif("noise that grows", "SE(0) + WN * Lin(0)", "errors that become larger along an input"),
    motif("change of regime", "changepoint(SE(0, l=5), SE(0, l=0.5), 0, at=2)", "another kernel after a changepoint"),
    motif(
        "changing pace",
        "warp(SE(0), x -> log(x + 1))",
        "fast changes where the function is steep, slow ones elsewhere",
    ),
    motif("mirror", "reflect(SE(0), 0, about=2)", "the function is symmetric about a point"),
    motif("exchange", "reflect(SE, 0, 1)", "the function is symmetric in two inputs"),
    motif("round a circle", "periodic(SE(0), 0, p=24)", "any kernel of a cyclic input: hours, angles"),
    motif("orders of interaction", "additive(order=2)", "main effects and pairs, with a variance for each order"),
    motif("deep network", "deep(3, SE, connected=true)", "a deep kernel: draws become rougher with every layer"),
    motif("levels of categories", "onehot(1)", "a value for each category, with a common correlation"),
    motif(
        "signal anywhere",
        "translate(SE([0, 1, 2, 3]))",
        "a signal in a cyclic sequence of pixels or times, at any position",
    ),
];

/// The motifs as a table.
pub fn table() -> Table {
    let column = |of: fn(&Motif) -> &'static str| MOTIFS.iter().map(|m| Some(of(m).to_string())).collect();
    Table::new()
        .texts("motif", column(|m| m.name))
        .texts("expression", column(|m| m.expression))
        .texts("says", column(|m| m.says))
}

/// All motifs, one per line.
pub fn grid() -> Grid {
    let mut grid = Grid::new(["motif", "expression", "says"]);
    MOTIFS.iter().for_each(|m| grid.row([m.name, m.expression, m.says]));
    grid
}
