//! Surfaces and features of kernels.

use std::sync::Arc;

use crate::kernel::{InputRef, Inputs, Kernel, Node, Role, Spec, Values};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::kernel_rows::{Placed, Rows};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::value::{Kind, Value};
use crate::progress::abandonable;
use crate::results::{Features, SampledSurface};
use crate::surface::{self, Domain, Hints, SurfaceError};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use super::kernels::{KERNEL, ROWS, own_gram};

/// The largest number of rows for features; with more, the eigenvectors take minutes.
const MOST_ROWS: usize = 2000;

fn surface(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    let res: usize = call.or("res", 40)?;
    let seed = call.or("seed", call.eval.host.seed as usize)? as u64;
    let inputs = two_inputs(&kernel).map_err(|t| t.argument("kernel"))?;
    let x = range(call, "x")?;
    let y = range(call, "y")?;
    let columns = Rows::numbers(2, vec![vec![0.0, 1.0]; 2]);
    let placed = Placed::new(&kernel, &columns, false, &call.eval.host.origins)?;
    let eval = &mut *call.eval;
    let mut covariance = |a: &[surface::Place], b: &[surface::Place]| {
        eval.poll()?;
        let rows = |places: &[surface::Place]| {
            Rows::numbers(places.len(), (0..2).map(|axis| places.iter().map(|p| p[axis]).collect()).collect())
        };
        placed.cross(&rows(a), &rows(b)).map_err(|error| eval.host.origins.eval_error(&error))
    };
    let domain = Domain::choose(&mut covariance, &hints(&kernel, x, y));
    let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
    let drawn = surface::draw(&mut covariance, domain, res, &mut || StandardNormal.sample(&mut random));
    let surface = drawn.map_err(|error| match error {
        SurfaceError::Kernel(lang_error) => lang_error,
        SurfaceError::Res { .. } => LangError::new(error_text(&error)).argument("res"),
        SurfaceError::Rough { .. } => {
            LangError::new(error_text(&error)).argument("kernel").help("give a smaller `res`, or a smoother kernel")
        }
        SurfaceError::Flat(_) => {
            LangError::new(error_text(&error)).argument("kernel").help("`x=` and `y=` set other ranges: `x=0..10`")
        }
    })?;
    Ok(Value::Surface(Arc::new(SampledSurface { kernel, seed, surface, inputs })))
}

fn error_text(error: &SurfaceError<LangError>) -> String {
    match error {
        SurfaceError::Kernel(lang_error) => lang_error.message().to_string(),
        SurfaceError::Res { found } => {
            format!("a surface has from {} to {} points along a side, found {found}", surface::LEAST, surface::MOST)
        }
        SurfaceError::Rough { res } => {
            format!("functions drawn from this kernel are too rough for {res} points along a side")
        }
        SurfaceError::Flat(_) => "functions drawn from this kernel do not vary here: there is no surface".into(),
    }
}

/// The names of the two inputs of a kernel, in the order of rows.
fn two_inputs(kernel: &Kernel) -> Res<[String; 2]> {
    let (mentioned, all) = kernel.mentioned();
    let name = |input: &InputRef| match input {
        InputRef::Index(at) => format!("input {at}"),
        InputRef::Name(name) => name.to_string(),
    };
    match (&mentioned[..], all) {
        ([one, other], _) => Ok([name(one), name(other)]),
        ([] | [InputRef::Index(0 | 1)], true) => Ok(["input 0".into(), "input 1".into()]),
        _ => {
            let found = match mentioned.len() {
                0 => "none".to_string(),
                1 => format!("1 input ({})", mentioned.iter().map(ToString::to_string).collect::<String>()),
                n => {
                    format!("{n} inputs ({})", mentioned.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
                }
            };
            let help = "a product or sum over two inputs is one: `surface(Per(0) * SE(1))`";
            Err(LangError::new(format!("a surface needs a kernel of two inputs, and this kernel has {found}"))
                .help(help))
        }
    }
}

/// The two ends of a range.
fn range(call: &mut Call<'_, '_>, name: &'static str) -> Res<Option<(f64, f64)>> {
    let ends = match call.maybe::<Value>(name)? {
        None => return Ok(None),
        Some(Value::Range(range)) => [range.start, range.end],
        Some(Value::List(list)) => match list.items() {
            [Value::Number(a), Value::Number(b)] => [*a, *b],
            _ => return Err(LangError::new("a range has two ends, as in `0..2` or `[0, 2]`").argument(name)),
        },
        Some(other) => return Err(expected("a range", &other).argument(name)),
    };
    match ends {
        [a, b] if a.is_finite() && b.is_finite() && a < b => Ok(Some((a, b))),
        _ => Err(LangError::new("a side of the sheet runs from a number to a larger one").argument(name)),
    }
}

/// The periods and length-scales that a kernel has along its two inputs.
fn hints(kernel: &Kernel, x: Option<(f64, f64)>, y: Option<(f64, f64)>) -> Hints {
    let (mentioned, _) = kernel.mentioned();
    let mut found = Found { inputs: mentioned, periods: Vec::new(), lengths: [0.0; 2], longest: 0.0 };
    found.look(kernel);
    let longest = if found.longest > 0.0 { found.longest } else { 1.0 };
    Hints { x, y, periods: found.periods, lengths: found.lengths.map(|l| if l > 0.0 { l } else { longest }) }
}

struct Found {
    inputs: Vec<InputRef>,
    periods: Vec<f64>,
    lengths: [f64; 2],
    longest: f64,
}

impl Found {
    fn look(&mut self, kernel: &Kernel) {
        match kernel.node() {
            Node::Leaf(leaf) => self.note(leaf.family.spec(), &leaf.params, &leaf.inputs),
            Node::Wrap(wrapped) => self.note(wrapped.wrap.spec(), &wrapped.params, &wrapped.inputs),
            Node::Sum(_) | Node::Product(_) => {}
        }
        kernel.children().iter().for_each(|child| self.look(child));
    }

    fn note(&mut self, spec: &Spec, params: &[Values], inputs: &Inputs) {
        let periodic = spec.params.iter().any(|p| p.role == Role::Period);
        for (spec, values) in spec.params.iter().zip(params) {
            let value = |values: &Values, at: usize| {
                let all = values.as_slice();
                let own = if all.len() > 1 { all.get(at) } else { all.first() };
                own.and_then(|param| param.value()).unwrap_or(spec.default)
            };
            match spec.role {
                Role::Period => {
                    let written = values.as_slice().iter().filter_map(|param| param.value());
                    self.periods.extend(written.chain([spec.default]));
                }
                // The length-scale of a periodic kernel has no unit.
                Role::LengthScale if !periodic => {
                    for axis in 0..2 {
                        let at = match (inputs, self.inputs.get(axis)) {
                            (Inputs::All, _) => Some(axis),
                            (Inputs::These(these), Some(input)) => these.iter().position(|i| i == input),
                            (Inputs::These(_), None) => None,
                        };
                        if let Some(at) = at {
                            self.lengths[axis] = self.lengths[axis].max(value(values, at));
                        }
                    }
                    self.longest = self.longest.max(value(values, 0));
                }
                _ => {}
            }
        }
    }
}

fn features(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    let (rows, inputs, gram) = match call.arg::<Value>("xs")? {
        Value::Data(data) => {
            few_enough(data.n())?;
            let origins = &call.eval.host.origins;
            let (placed, rows) = Placed::on_data(&kernel, &data, origins)?;
            let gram = placed.gram(&rows, call.eval.progress).map_err(|error| origins.eval_error(&error))?;
            (rows, data.input_names().into_iter().map(String::from).collect(), gram)
        }
        xs => {
            let rows = Rows::from_list(xs).map_err(|t| t.argument("xs"))?;
            few_enough(rows.n)?;
            let name = |input: &InputRef| match input {
                InputRef::Index(_) => None,
                InputRef::Name(name) => Some(name.to_string()),
            };
            let mentioned = kernel.mentioned().0;
            let single = rows.columns.len() == 1;
            let inputs = (0..rows.columns.len()).map(|i| {
                let plain = if single { "x".to_string() } else { format!("input {i}") };
                mentioned.get(i).and_then(name).unwrap_or(plain)
            });
            (rows.clone(), inputs.collect(), own_gram(call, &kernel, &rows)?)
        }
    };
    let m: usize = call.or("m", 5.min(rows.n))?;
    if m == 0 || m > rows.n {
        let text = format!("{} rows have from 1 to {} features, found {m}", rows.n, rows.n);
        return Err(LangError::new(text).argument("m"));
    }
    let made = abandonable(call.eval.progress, move || Features::new(kernel, rows.columns, inputs, gram, m));
    Ok(Value::Features(Arc::new(made.ok_or_else(LangError::stopped)?)))
}

fn few_enough(n: usize) -> Res<()> {
    match n {
        0 => Err(LangError::new("features need rows, and there are none").argument("xs")),
        n if n > MOST_ROWS => {
            Err(LangError::new(format!("features are found for up to {MOST_ROWS} rows, found {n}")).argument("xs"))
        }
        _ => Ok(()),
    }
}

const RANGE: Want = Want::Either(&[Want::Kind(Kind::Range), Want::Items]);

pub static DRAWING: &[Builtin] = &[
    Builtin {
        name: "surface",
        aliases: &[],
        group: Group::Kernels,
        places: &[
            KERNEL,
            Place::keyword("res", Want::Count, "40", "the number of points along each side of the sheet"),
            Place::keyword("seed", Want::Count, "that of the session", "the seed of the draws"),
            Place::keyword("x", RANGE, "a period or three length-scales", "the range of the first input"),
            Place::keyword("y", RANGE, "a period or three length-scales", "the range of the second input"),
        ],
        result: Some(Kind::Surface),
        summary: "a surface in space whose coordinates are three functions drawn from a kernel over two inputs",
        help: "Points of the sheet that the kernel does not distinguish become one vertex: a \
               period closes the sheet to a cylinder, two periods close it to a torus, and a symmetry in the two \
               inputs makes a Möbius strip of that. `plot` shows it, `write` gives an .obj or .ply file. A larger \
               `res` shows the same surface more finely. White noise is left out.",
        examples: &[
            "surface(Per(0) * SE(1), res=20)",
            "surface(mobius(SE, 0, 1), res=20)",
            "surface(torus(SE, 0, 1), res=20, seed=3) |> plot",
        ],
        touches: Touches::Nothing,
        run: surface,
    },
    Builtin {
        name: "features",
        aliases: &["mercer_features"],
        group: Group::Kernels,
        places: &[KERNEL, ROWS, Place::optional("m", Want::Count, "5", "the number of functions")],
        result: Some(Kind::Features),
        summary: "the leading features of a kernel at some rows: its eigenfunctions and spectrum",
        help: "By Mercer's theorem k(x, x′) is the sum of λ φ(x) φ(x′) over all features. Eigenvalues are those of the \
               matrix over the number of rows, so that they add to the mean variance; functions have a mean square of \
               1.",
        examples: &["features(SE(0), 0..10, m=3)", "features(Matern32(0), 0..10) |> plot"],
        touches: Touches::Nothing,
        run: features,
    },
];
