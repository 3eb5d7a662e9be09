//! Random kernels over three inputs: `x` and `y` are numbers, `c` is a category (as a code).
//!
//! A kernel's text is its display, so that a test can also take it through the language.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use mercer::kernel::families::FAMILIES;
use mercer::kernel::family::{Domains, Size};
use mercer::kernel::{
    Bound, Column, Gram, InputRef, Inputs, Kernel, Leaf, Node, Schema, SlotState, Values, Wrapped, wraps,
};
use mercer::kernel::{Cell, FunctionError, RowFunction};
use mercer::linalg::Matrix;
use mercer::param::{Density, Param, Prior, State, Tie};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A kernel that is displayed as text.
#[derive(Clone)]
pub struct Case(pub Kernel);

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        labels(&self.0, f)
    }
}

/// The meaning of each label, which the text does not contain.
fn labels(kernel: &Kernel, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(label) = kernel.label() {
        write!(f, " [{label}: {kernel}]")?;
    }
    kernel.children().iter().try_for_each(|child| labels(child, f))
}

impl Deref for Case {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.0
    }
}

/// A kernel with at most four levels, and parameters of every kind.
pub fn kernel() -> impl Strategy<Value = Case> {
    let case = |(kernel, at, tied): (Kernel, [Index; 3], bool)| Case(if tied { tie(&kernel, at) } else { kernel });
    (tree(), any::<[Index; 3]>(), any::<bool>()).prop_map(case)
}

fn tree() -> impl Strategy<Value = Kernel> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        let several = || prop::collection::vec(inner.clone(), 2..4);
        let label = prop::option::weighted(0.2, select(vec!["trend", "season", "rest"]));
        let any = prop_oneof![
            4 => several().prop_filter_map("a sum", Kernel::sum),
            4 => several().prop_filter_map("a product", Kernel::product),
            1 => (number(), inner.clone()).prop_filter_map("a multiple", |(n, k)| Kernel::product([n, k])),
            1 => (inner.clone(), number()).prop_filter_map("with a constant", |(k, n)| Kernel::sum([k, n])),
            1 => (inner.clone(), 2..4u32).prop_map(|(k, n)| wraps::power(k, n)),
            1 => (inner.clone(), inner.clone(), param(Domains::Real), param(Domains::Positive)).prop_map(|(k, l, at, width)| {
                wraps::changepoint(k, l, index(0), vec![Values::One(at), Values::One(width)])
            }),
            1 => (inner.clone(), any::<bool>()).prop_map(|(k, squash)| match squash {
                true => wraps::warp(k, Function::squash(), Vec::new()),
                false => wraps::scale(k, Function::amplitude(), Vec::new()),
            }),
        ];
        (any, label).prop_map(|(kernel, label)| match label {
            Some(label) => kernel.labelled(label),
            None => kernel,
        })
    })
}

fn number() -> impl Strategy<Value = Kernel> {
    select(vec![0.5, 2.0, 3.25]).prop_map(Kernel::number)
}

fn index(i: usize) -> Inputs {
    Inputs::These(vec![InputRef::Index(i)])
}

fn inputs(several: bool) -> BoxedStrategy<Inputs> {
    let x = || InputRef::Name("x".into());
    let one = select(vec![index(0), index(1), Inputs::These(vec![x()])]);
    let two = Inputs::These(vec![x(), InputRef::Index(1)]);
    if several { prop_oneof![3 => one, 1 => Just(two), 1 => Just(Inputs::All)].boxed() } else { one.boxed() }
}

fn leaf() -> impl Strategy<Value = Kernel> {
    let basis =
        param(Domains::Positive).prop_map(|v| wraps::basis(Function::features(), index(0), vec![Values::One(v)]));
    prop_oneof![12 => select(FAMILIES).prop_flat_map(family), 1 => basis]
}

/// A family with all possible settings.
fn family(family: &'static dyn mercer::kernel::Family) -> impl Strategy<Value = Kernel> {
    let spec = family.spec();
    let each_if_ard = spec.params.iter().any(|p| p.size == Size::EachIfArd);
    let categories = family.takes_categories();
    let inputs = if categories { Just(index(2)).boxed() } else { inputs(spec.several_inputs) };
    (inputs, prop::bool::weighted(0.25), any::<bool>()).prop_flat_map(move |(inputs, ard, other)| {
        let ard = ard && each_if_ard;
        let n = match (&inputs, categories) {
            (_, true) => 3,
            (Inputs::These(these), _) => these.len(),
            (Inputs::All, _) => 3,
        };
        let params: Vec<BoxedStrategy<Values>> = spec
            .params
            .iter()
            .map(|p| match p.size {
                _ if p.domain == Domains::Count => {
                    select(vec![1.0, 2.0, 3.0]).prop_map(|d| Values::One(Param::fixed(d))).boxed()
                }
                Size::One => param(p.domain).prop_map(Values::One).boxed(),
                Size::EachIfArd if !ard => param(p.domain).prop_map(Values::One).boxed(),
                Size::Each | Size::EachIfArd | Size::List(_) => prop_oneof![
                    Just(Values::Each(Vec::new())),
                    value(p.domain).prop_map(|x| Values::One(Param::free(x))),
                    prop::collection::vec(value(p.domain).prop_map(Param::free), n).prop_map(Values::Each),
                ]
                .boxed(),
            })
            .collect();
        let inputs = if spec.reads_inputs { inputs } else { Inputs::All };
        params.prop_map(move |params| {
            let family = match family.spec().flag {
                Some(flag) if other => (flag.other)(),
                _ => family,
            };
            Node::Leaf(Leaf { family, inputs: inputs.clone(), ard, params }).into()
        })
    })
}

fn value(domain: Domains) -> BoxedStrategy<f64> {
    match domain {
        Domains::Real => (-2.0..2.0).boxed(),
        // some round values, so that kernels coincide
        Domains::Positive | Domains::Count => prop_oneof![0.4..3.0, select(vec![1.0, 2.0])].boxed(),
    }
}

fn param(domain: Domains) -> impl Strategy<Value = Param> {
    let state = prop_oneof![
        4 => Just(State::Unset),
        3 => value(domain).prop_map(State::Free),
        1 => value(domain).prop_map(State::Fixed),
        1 => prop::option::of(value(domain)).prop_map(move |value| {
            let lo = if domain == Domains::Real { -5.0 } else { 0.1 };
            State::Bounded { lo, hi: 10.0, value }
        }),
    ];
    let prior = prop::option::weighted(
        0.1,
        match domain {
            Domains::Real => Just(Density::Normal { mean: 0.5, sd: 2.0 }),
            Domains::Positive | Domains::Count => Just(Density::LogNormal { mean: 0.1, sd: 1.0 }),
        },
    );
    (state, prior).prop_map(|(state, prior)| Param { state, prior: prior.map(Prior::from), tie: None, time: None })
}

/// Ties some of the length-scales (and other positive numbers) to each other.
fn tie(kernel: &Kernel, at: [Index; 3]) -> Kernel {
    let alike = |param: &Param| param.state == State::Unset && param.prior.is_none() && param.tie.is_none();
    let mut count = 0;
    let _ = length_scales(kernel, &mut |param| {
        count += usize::from(alike(param));
        param.clone()
    });
    if count == 0 {
        return kernel.clone();
    }
    let (chosen, tie) = (at.map(|i| i.index(count)), Tie::new("s"));
    let mut seen = 0;
    length_scales(kernel, &mut |param| {
        if !alike(param) {
            return param.clone();
        }
        seen += 1;
        let tied = Param { tie: Some(tie.clone()), ..Param::free(1.5) };
        if chosen.contains(&(seen - 1)) { tied } else { param.clone() }
    })
}

/// The kernel with the length-scales of its leaves replaced.
fn length_scales(kernel: &Kernel, f: &mut dyn FnMut(&Param) -> Param) -> Kernel {
    let mut below = |children: &[Kernel]| children.iter().map(|c| length_scales(c, f)).collect();
    let node = match kernel.node() {
        Node::Sum(children) => Node::Sum(below(children)),
        Node::Product(children) => Node::Product(below(children)),
        Node::Wrap(wrapped) => {
            let children = below(&wrapped.children);
            Node::Wrap(Wrapped { children, ..wrapped.clone() })
        }
        Node::Leaf(leaf) => {
            let params = leaf.family.spec().params.iter().zip(&leaf.params);
            let params = params.map(|(spec, values)| match values {
                Values::One(param) if spec.short == "l" => Values::One(f(param)),
                other => other.clone(),
            });
            Node::Leaf(Leaf { params: params.collect(), ..leaf.clone() })
        }
    };
    kernel.with_node(node)
}

/// A user's function with its text.
#[derive(Debug)]
struct Function {
    source: &'static str,
    apply: fn(&[f64]) -> Vec<f64>,
}

impl Function {
    fn squash() -> Arc<dyn RowFunction> {
        Arc::new(Function { source: "squash", apply: |row| row.iter().map(|x| (0.5 * x).sin()).collect() })
    }

    fn amplitude() -> Arc<dyn RowFunction> {
        Arc::new(Function { source: "amplitude", apply: |row| vec![0.5 + row.iter().map(|x| x.cos()).sum::<f64>()] })
    }

    fn features() -> Arc<dyn RowFunction> {
        Arc::new(Function { source: "x -> [1, x, x * x]", apply: |row| vec![1.0, row[0], row[0] * row[0]] })
    }
}

impl RowFunction for Function {
    fn source(&self) -> String {
        self.source.to_string()
    }

    fn apply(&self, row: &[Cell<'_>], _theta: &[f64]) -> Result<Vec<f64>, FunctionError> {
        let number = |cell: &Cell<'_>| match cell {
            Cell::Number(x) => *x,
            Cell::Category(text) => text.len() as f64,
        };
        Ok((self.apply)(&row.iter().map(number).collect::<Vec<_>>()))
    }
}

const NAMES: [&str; 3] = ["x", "y", "c"];
const ROWS: [[f64; 9]; 3] = [
    [0.0, 0.3, 0.3, 1.1, -0.8, 2.0, 1.7, -1.4, 0.6],
    [1.0, -0.2, -0.2, 0.4, 0.9, -1.1, 0.0, 1.6, -0.5],
    [0.0, 1.0, 1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 2.0],
];

fn bound(kernel: &Kernel) -> Bound {
    let columns = NAMES.iter().zip(&ROWS);
    let columns =
        columns.map(|(name, values)| Column { name, values: &values[..], levels: None, time: None }).collect();
    kernel.bind(&Schema { columns }).unwrap_or_else(|e| panic!("{kernel}: {e}"))
}

/// The Gram matrix of nine rows, two of which have the same inputs, at the written values.
pub fn gram(kernel: &Kernel) -> Matrix {
    let bound = bound(kernel);
    let x: Vec<&[f64]> = ROWS.iter().map(|c| &c[..]).collect();
    let points = bound.points(&x).unwrap();
    let mut out = Matrix::zeros(points.n(), points.n());
    Gram::new(&bound, &points).evaluate(&bound.values(), &mut out).unwrap();
    out.fill_upper_triangle_with_lower_triangle();
    out
}

/// The number of parameters that a fit optimises.
pub fn free_parameters(kernel: &Kernel) -> usize {
    bound(kernel).slots().iter().filter(|s| s.state == SlotState::Free).count()
}

/// The kernel with the values of all free parameters written, as after a fit.
pub fn written(kernel: &Kernel) -> Kernel {
    let bound = bound(kernel);
    bound.with_values(&bound.values())
}

/// A family with this length-scale, if it has one, and all other parameters unset.
pub fn leaf_on(name: &str, inputs: Inputs, l: f64) -> Kernel {
    let family = *FAMILIES.iter().find(|f| f.spec().name == name).unwrap_or_else(|| panic!("no family {name}"));
    let spec = family.spec();
    let param = |p: &mercer::kernel::family::ParamSpec| match p.short {
        "l" => Values::One(Param::free(l)),
        _ => p.unset(false),
    };
    let inputs = if spec.reads_inputs { inputs } else { Inputs::All };
    Node::Leaf(Leaf { family, inputs, ard: false, params: spec.params.iter().map(param).collect() }).into()
}
