//! White noise: an independent value for every observation.
//!
//! k = v·δ(same observation). Two rows with the same inputs do not share it; it is 0 between training and test rows.

use crate::kernel::family::{Family, Form, Pairs, Rows, Scratch, Spec, Theta, V};
use crate::kernel::phrasing::{Head, Wording};

/// k = v·δ(same observation).
#[derive(Debug)]
pub struct WhiteNoise;

static SPEC: Spec = Spec {
    name: "WN",
    aliases: &["WhiteNoise"],
    summary: "noise, independent from one observation to the next",
    wording: Wording::family(Head::Noise, "uncorrelated noise", &[]),
    formula: "v if both are the same observation, else 0",
    latex: r"v \, \delta",
    params: &[V],
    flag: None,
    stationary: true,
    derivatives: f64::INFINITY,
    reads_inputs: false,
    several_inputs: true,
    infinitely_divisible: false,
    example: "WN(v=0.1)",
    points: &[(&[0.229], 1.0, 1.0, 0.0)],
};

impl WhiteNoise {
    /// The index in the slice of the pair that is one observation.
    fn own(pairs: Pairs<'_>, len: usize) -> Option<usize> {
        let at = pairs.j.checked_sub(pairs.from)?;
        (pairs.same && at < len).then_some(at)
    }
}

impl Family for WhiteNoise {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn tells_rows_apart(&self) -> bool {
        true
    }

    fn prepare(&self, _theta: Theta<'_>, _x: &[&[f64]], _learnt: &[f64]) -> Result<Rows, String> {
        Ok(Vec::new())
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(0.0);
        if let Some(at) = Self::own(pairs, out.len()) {
            out[at] = theta.one(0);
        }
    }

    fn diagonal(&self, theta: Theta<'_>, _rows: &Rows, out: &mut [f64]) {
        out.fill(theta.one(0));
    }

    fn pull(
        &self,
        _theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &mut [f64],
        _scratch: &mut Scratch,
        gradient: &mut [f64],
    ) {
        if let Some(at) = Self::own(pairs, k.len()) {
            gradient[0] += w[at];
        }
    }

    fn form(&self, _theta: Theta<'_>, _inputs: usize) -> Form {
        Form::Noise
    }
}
