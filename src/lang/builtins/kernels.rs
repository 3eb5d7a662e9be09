//! Looking at kernels: values, matrices, parts, draws.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use crate::kernel::Kernel;
use crate::lang::builtin::{Builtin, Group, Place, Want};
use crate::lang::call::Call;
use crate::lang::kernels;
use crate::lang::rows::{Placed, Rows};
use crate::lang::trouble::{Res, Trouble};
use crate::lang::value::{Kind, List, Value, check_length};
use crate::linalg::{Matrix, pivoted_cholesky};

const KERNEL: Place = Place::required("kernel", Want::Kind(Kind::Kernel), "a kernel");
const XS: Place = Place::required("xs", Want::Items, "where: numbers, or rows in the order of first mention");

/// The rows of a matrix as lists.
pub fn rows(matrix: &Matrix) -> Res<Value> {
    check_length(matrix.nrows() * matrix.ncols())?;
    let row = |i: usize| Value::numbers(matrix.row(i).iter().copied());
    List::collect((0..matrix.nrows()).map(row)).map(Value::List)
}

/// Refuses a matrix that no list can hold, before it is computed.
fn fits(n: usize, m: usize) -> Res<()> {
    check_length(n.saturating_mul(m)).map_err(|t| t.blame("xs"))
}

fn own_gram(call: &mut Call<'_, '_>, kernel: &Kernel, rows: &Rows) -> Res<Matrix> {
    fits(rows.n, rows.n)?;
    let origins = &call.eval.host.origins;
    Placed::new(kernel, rows, origins)?.gram(rows).map_err(|error| origins.eval_error(&error))
}

fn gram(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    let xs = Rows::from_list(call.arg("xs")?).map_err(|t| t.blame("xs"))?;
    let Some(ys) = call.maybe::<Value>("ys")? else {
        return rows(&own_gram(call, &kernel, &xs)?);
    };
    let ys = Rows::from_list(ys).map_err(|t| t.blame("ys"))?;
    fits(xs.n, ys.n)?;
    if xs.n == 0 || ys.n == 0 {
        return List::collect((0..xs.n).map(|_| Ok(Value::List(List::default())))).map(Value::List);
    }
    if xs.columns.len() != ys.columns.len() {
        return Err(Trouble::new("`xs` and `ys` must have rows of one width").blame("ys"));
    }
    let columns = xs.columns.iter().zip(&ys.columns).map(|(a, b)| [&a[..], b].concat()).collect();
    let all = Rows { n: xs.n + ys.n, columns };
    let origins = &call.eval.host.origins;
    let matrix = Placed::new(&kernel, &all, origins)?.cross(&xs, &ys).map_err(|error| origins.eval_error(&error))?;
    rows(&matrix)
}

fn eigen(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    let xs = Rows::from_list(call.arg("xs")?).map_err(|t| t.blame("xs"))?;
    const MOST: usize = 2000;
    if xs.n > MOST {
        return Err(Trouble::new(format!("eigenvalues are found for up to {MOST} rows, found {}", xs.n)).blame("xs"));
    }
    let matrix = own_gram(call, &kernel, &xs)?;
    let mut values: Vec<f64> = matrix.symmetric_eigenvalues().iter().copied().collect();
    values.sort_by(|a, b| b.total_cmp(a));
    Value::numbers(values)
}

fn sample(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    let xs = Rows::from_list(call.arg("xs")?).map_err(|t| t.blame("xs"))?;
    let n: usize = call.or("n", 1)?;
    fits(xs.n, n)?;
    let factor = pivoted_cholesky(&own_gram(call, &kernel, &xs)?, 1e-12);
    let host = &mut call.eval.host;
    let mut random = rand_pcg::Pcg64::seed_from_u64(host.seed);
    random.advance(u128::from(host.next_draw()) << 64);
    let draws = (0..n).map(|_| {
        let z = (0..factor.ncols()).map(|_| StandardNormal.sample(&mut random));
        let z = crate::linalg::Vector::from_iterator(factor.ncols(), z);
        Value::numbers((&factor * z).iter().copied())
    });
    List::collect(draws).map(Value::List)
}

fn terms(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    List::new(kernel.terms().iter().cloned().map(Value::Kernel).collect()).map(Value::List)
}

pub static KERNELS: &[Builtin] = &[
    Builtin {
        name: "ARD",
        aliases: &["ard"],
        group: Group::Combinators,
        places: &[
            KERNEL,
            Place::keywords("parameter", Want::Param, "a parameter, with a list of one value for each input"),
        ],
        result: Some(Kind::Kernel),
        summary: "one length-scale for each input",
        help: "A linear kernel gets one slope variance for each input. A single number is the start of each.",
        examples: &["ARD(SE, l=[1, fixed(2)])"],
        run: kernels::ard,
    },
    Builtin {
        name: "gram",
        aliases: &[],
        group: Group::Kernels,
        places: &[
            KERNEL,
            XS,
            Place::optional("ys", Want::Items, "xs", "other rows; then none of them is an observation of `xs`"),
        ],
        result: Some(Kind::List),
        summary: "the matrix of a kernel's values between rows",
        help: "A list of rows. Without data an unset parameter is 1, a location 0, a degree 2.",
        examples: &["gram(SE(0), [0, 1, 2])", "gram(Lin(0), [1, 2], [3])"],
        run: gram,
    },
    Builtin {
        name: "eigen",
        aliases: &["eigenvalues"],
        group: Group::Kernels,
        places: &[KERNEL, XS],
        result: Some(Kind::List),
        summary: "the eigenvalues of a kernel's matrix, the largest first",
        help: "",
        examples: &["eigen(Lin(0, b=fixed(0.5)), [1, 2])"],
        run: eigen,
    },
    Builtin {
        name: "sample",
        aliases: &["draw"],
        group: Group::Kernels,
        places: &[KERNEL, XS, Place::optional("n", Want::Count, "1", "how many draws")],
        result: Some(Kind::List),
        summary: "random functions of a kernel, as a list of draws",
        help: "Draws come from the session's random stream, which `:seed` begins anew. They keep the invariances of \
               the kernel: no jitter is added.",
        examples: &["sample(SE(0), [0, 0, 1], n=2)"],
        run: sample,
    },
    Builtin {
        name: "terms",
        aliases: &[],
        group: Group::Kernels,
        places: &[KERNEL],
        result: Some(Kind::List),
        summary: "the parts of a kernel that are added",
        help: "",
        examples: &["terms(SE(0) + Per(0) * Lin(0))"],
        run: terms,
    },
];
