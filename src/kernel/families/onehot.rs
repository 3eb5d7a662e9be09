//! A kernel over the categories of one column: the squared exponential of their one-of-k encoding.
//!
//! k = v for equal categories a = b, otherwise v·exp(−1/2l_a² − 1/2l_b²). With a short length-scale a category is
//! almost independent of the others. All categories have one length-scale; with `ARD(onehot(col))` each has its own, in
//! the order of the sorted values of the column. Source: Duvenaud, "Expressing Structure with Kernels", categorical
//! variables.

use crate::kernel::family::{Domains, Family, Pairs, ParamSpec, Role, Rows, Scratch, Size, Spec, Theta, V};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// k = v for equal categories a = b, otherwise v·exp(−1/2l_a² − 1/2l_b²).
#[derive(Debug)]
pub struct OneHot;

const SHARING: ParamSpec = ParamSpec {
    name: "lengthscale",
    short: "l",
    domain: Domains::Positive,
    role: Role::Shape,
    size: Size::EachIfArd,
    default: 1.0,
    help: "how strongly categories are correlated: 0 for a short length-scale, fully for a long one",
};

static SPEC: Spec = Spec {
    name: "onehot",
    aliases: &["OneHot"],
    summary: "one level for each category, with correlated levels",
    wording: Wording::family(Head::Levels, "level for each category of {x}", &[])
        .doing("that differs from one category of {x} to another", "that differs from one category of {x} to another"),
    formula: "v if x = x' else v exp(-1/(2 l_x^2) - 1/(2 l_x'^2))",
    latex: r"v \exp\left(-\sum_c \frac{(\delta_{xc} - \delta_{x'c})^2}{2 l_c^2}\right)",
    params: &[SHARING, V],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: false,
    infinitely_divisible: false,
    example: "onehot(0)",
    points: &[(&[1.0, 2.0], 0.0, 1.0, 0.735_758_882_342_884_6), (&[1.0, 2.0], 1.0, 1.0, 2.0)],
};

/// Rows: the index of the category among those learnt, and its exp(−1/2l²).
const CODE: usize = 0;
const FACTOR: usize = 1;

impl Family for OneHot {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn takes_categories(&self) -> bool {
        true
    }

    /// The distinct values, sorted.
    fn learn(&self, x: &[&[f64]]) -> Vec<f64> {
        let mut levels: Vec<f64> = x.first().map_or_else(Vec::new, |column| column.to_vec());
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        levels
    }

    fn elements(&self, _inputs: usize, learnt: &[f64]) -> usize {
        learnt.len()
    }

    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]], learnt: &[f64]) -> Result<Rows, String> {
        let l = theta.each(0);
        let (mut codes, mut factors) = (Vec::with_capacity(x[0].len()), Vec::with_capacity(x[0].len()));
        for value in x[0] {
            let Ok(code) = learnt.binary_search_by(|level| level.total_cmp(value)) else {
                return Err(format!("a category ({value}) that was not among the training rows"));
            };
            let l = l[if l.len() == 1 { 0 } else { code }];
            codes.push(code as f64);
            factors.push((-0.5 / (l * l)).exp());
        }
        Ok(vec![codes, factors])
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]) {
        let (v, len) = (theta.one(1), out.len());
        let (code, factor) = (pairs.right(CODE), pairs.right(FACTOR));
        for ((out, c), f) in out.iter_mut().zip(pairs.left(CODE, len)).zip(pairs.left(FACTOR, len)) {
            *out = if *c == code { v } else { v * f * factor };
        }
    }

    fn diagonal(&self, theta: Theta<'_>, _rows: &Rows, out: &mut [f64]) {
        out.fill(theta.one(1));
    }

    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &mut [f64],
        _scratch: &mut Scratch,
        gradient: &mut [f64],
    ) {
        let l = theta.range(0);
        let v = l.end;
        gradient[v] += vector::dot(w, k) / theta.all[v];
        let own = pairs.right(CODE);
        for ((c, k), w) in pairs.left(CODE, k.len()).iter().zip(k).zip(&*w) {
            if *c == own {
                continue;
            }
            for code in [*c, own] {
                let at = if l.len() == 1 { l.start } else { l.start + code as usize };
                gradient[at] += w * k / theta.all[at].powi(3);
            }
        }
    }
}
