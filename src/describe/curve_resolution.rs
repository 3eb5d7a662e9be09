//! The number of points of a curve: enough for the shortest length-scale or period of its kernel.

use std::f64::consts::PI;

use crate::fit::Fit;
use crate::kernel::{Head, InnerInputs, InputRef, Inputs, Kernel, Node, ParamSpec, Role, Values};
use crate::results::Beyond;

/// The least number of points of a curve.
const FEWEST: usize = 400;
/// The largest number of points of a curve. A figure is at most 8000 pixels wide.
const MOST: usize = 6000;
/// The largest cost of a curve: the number of points times the squared number of rows.
const WORK: f64 = 4e10;
/// The number of points per length-scale, and per period.
const PER_SCALE: f64 = 6.0;
const PER_PERIOD: f64 = 16.0;
/// If the grid is too coarse for a period, neighbouring points differ in phase by this fraction of a period. With the
/// golden ratio, the phases of any few neighbours are spread evenly, so the curve shows its full range and no aliasing.
const PHASE: f64 = 0.381_966;

/// The finest detail of a kernel along an input.
#[derive(Debug, Clone, Copy)]
struct Finest {
    /// The grid step that resolves it.
    step: f64,
    /// The shortest period.
    period: f64,
}

/// The number of grid points for a kernel of a fit along one of its inputs, over the range of the data and beyond.
pub fn curve_points(fit: &Fit, kernel: &Kernel, input: &str, beyond: Beyond) -> usize {
    let problem = fit.problem();
    let Some(at) = problem.names().iter().position(|name| name == input) else { return FEWEST };
    // the parameters of a kernel have the units of its inputs after the steps of the model
    let column = problem.x().get(at).copied().unwrap_or_default();
    let (lo, hi) = column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    let reads = |inputs: &Inputs| match inputs {
        Inputs::All => true,
        Inputs::These(these) => these.iter().any(|one| match one {
            InputRef::Index(place) => *place == at,
            InputRef::Name(name) => **name == *input,
        }),
    };
    let rows = problem.n() as f64;
    let most = (WORK / (rows * rows)).clamp(FEWEST as f64, MOST as f64) as usize;
    let (first, last) = beyond.ends(lo, hi);
    points(kernel, &reads, last - first, most)
}

/// The number of grid points for a kernel over a range of its inputs.
pub fn kernel_points(kernel: &Kernel, span: f64, most: usize) -> usize {
    points(kernel, &|_| true, span, most)
}

fn points(kernel: &Kernel, reads: &dyn Fn(&Inputs) -> bool, span: f64, most: usize) -> usize {
    let mut finest = Finest { step: f64::INFINITY, period: f64::INFINITY };
    collect(kernel, reads, &mut finest);
    let want = span / finest.step + 1.0;
    if !want.is_finite() || want <= FEWEST as f64 {
        return FEWEST;
    }
    if want <= most as f64 {
        return want.ceil() as usize;
    }
    let steps = span / finest.period / (most.saturating_sub(1).max(1)) as f64;
    if !steps.is_finite() {
        return most;
    }
    let step = finest.period * ((steps - PHASE).ceil().max(0.0) + PHASE);
    let spread = (span / step + 1.0) as usize;
    if spread >= FEWEST { spread.min(most) } else { most }
}

fn collect(kernel: &Kernel, reads: &dyn Fn(&Inputs) -> bool, finest: &mut Finest) {
    let (specs, params): (&[ParamSpec], &[Values]) = match kernel.node() {
        Node::Leaf(leaf) if reads(&leaf.inputs) => (leaf.family.spec().params, &leaf.params),
        Node::Leaf(_) => return,
        Node::Wrap(wrapped) => {
            let spec = wrapped.wrap.spec();
            // the kernels inside receive transformed inputs, with other units
            if !matches!(spec.wording.head, Head::Whole(InnerInputs::Moved)) {
                wrapped.children.iter().for_each(|child| collect(child, reads, finest));
            }
            (spec.params, &wrapped.params)
        }
        Node::Sum(_) | Node::Product(_) => {
            kernel.children().iter().for_each(|child| collect(child, reads, finest));
            return;
        }
    };
    let least = |wanted: Role| {
        let values = specs.iter().zip(params).filter(|(spec, _)| spec.role == wanted);
        let each = values.flat_map(|(spec, values)| match values.as_slice() {
            [] => vec![spec.default],
            some => some.iter().map(|param| param.value().unwrap_or(spec.default)).collect(),
        });
        each.filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min)
    };
    let (scale, period, roughness) = (least(Role::LengthScale), least(Role::Period), least(Role::Roughness));
    finest.step = finest.step.min(scale / PER_SCALE);
    finest.period = finest.period.min(period);
    // within a period the correlation decreases over about l·p/2π
    let detail = if roughness.is_finite() { roughness / (2.0 * PI) * 3.0 } else { 1.0 };
    finest.step = finest.step.min(period / PER_PERIOD * detail.clamp(0.1, 1.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::families;
    use crate::param::Param;

    fn with(name: &str, role: Role, value: f64) -> Kernel {
        let kernel = Kernel::family(families::family(name).unwrap());
        let Node::Leaf(leaf) = kernel.node() else { unreachable!() };
        let mut leaf = leaf.clone();
        for (spec, values) in leaf.family.spec().params.iter().zip(&mut leaf.params) {
            if spec.role == role {
                *values = Values::One(Param::fixed(value));
            }
        }
        kernel.with_node(Node::Leaf(leaf))
    }

    #[test]
    fn short_periods_and_scales_get_more_points() {
        // a week over two years: 104 periods of at least 16 points
        let week = with("Per", Role::Period, 7.0);
        let points = kernel_points(&week, 730.0, MOST);
        assert!((1664..MOST).contains(&points), "{points}");
        assert_eq!(kernel_points(&with("SE", Role::LengthScale, 10.0), 100.0, MOST), FEWEST);
        assert_eq!(kernel_points(&with("SE", Role::LengthScale, 0.1), 100.0, MOST), 6001.min(MOST));
        assert_eq!(kernel_points(&with("SE", Role::LengthScale, 0.2), 100.0, MOST), 3001);
    }

    #[test]
    fn a_grid_that_is_too_coarse_shows_no_beat() {
        let week = with("Per", Role::Period, 1.0);
        let span = 5000.0;
        let points = kernel_points(&week, span, 2000);
        assert!((FEWEST..=2000).contains(&points), "{points}");
        // of any ten neighbours one is near the maximum of a sinusoid, and one near its minimum
        let step = span / (points - 1) as f64;
        let y: Vec<f64> = (0..points).map(|i| (2.0 * PI * step * i as f64).sin()).collect();
        for ten in y.windows(10) {
            let (lo, hi) = ten.iter().fold((1.0f64, -1.0f64), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
            assert!(lo < -0.8 && hi > 0.8, "{lo} {hi}");
        }
    }
}
