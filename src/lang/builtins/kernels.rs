//! Kernel values and structure: values, matrices, parts, draws.

use crate::data::Dataset;
use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::family_calls;
use crate::lang::eval::kernel_rows::{Placed, Rows};
use crate::lang::numerals::number;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Function, Items, Kind, List, Value, check_length};
use crate::linalg::{Matrix, Vector, pivoted_cholesky};
use crate::progress::abandonable;

pub const KERNEL: Place = Place::required("kernel", Want::Kind(Kind::Kernel), "a kernel");
/// Rows, or data.
pub const ROWS: Place = Place::required(
    "xs",
    Want::Either(&[Want::Items, Want::Kind(Kind::Data)]),
    "numbers, rows with inputs in the order in which the kernel first mentions them, or data",
);
/// The rows of a matrix as lists.
pub fn rows(matrix: &Matrix) -> Res<Value> {
    check_length(matrix.nrows() * matrix.ncols())?;
    let row = |i: usize| Value::numbers(matrix.row(i).iter().copied());
    List::collect((0..matrix.nrows()).map(row)).map(Value::List)
}

/// Rejects a matrix that is too large for a list before it is computed.
fn fits(n: usize, m: usize) -> Res<()> {
    check_length(n.saturating_mul(m)).map_err(|t| t.argument("xs"))
}

/// The matrix of a kernel at rows, with both halves.
pub fn own_gram(call: &mut Call<'_, '_>, kernel: &Kernel, rows: &Rows) -> Res<Matrix> {
    fits(rows.n, rows.n)?;
    let placed = Placed::new(kernel, rows, true, &call.eval.host.origins)?;
    matrix(call, placed, rows.clone(), None)
}

/// The matrix between rows and themselves or others; given up when the user stops it, as deep kernels may take long.
fn matrix(call: &Call<'_, '_>, placed: Placed, xs: Rows, ys: Option<Rows>) -> Res<Matrix> {
    let stop = call.eval.progress.stop_handle();
    let computed = call.unless_stopped(move || match &ys {
        None => placed.gram(&xs, &stop),
        Some(ys) => placed.cross(&xs, ys),
    })?;
    computed.map_err(|error| call.eval.host.origins.eval_error(&error))
}

fn gram(call: &mut Call<'_, '_>) -> Res<Value> {
    if let Some(Value::Function(function)) = call.value("kernel") {
        let function = function.clone();
        return gram_of_function(call, &function);
    }
    let kernel: Kernel = call.arg("kernel")?;
    let ys: Option<Value> = call.maybe("ys")?;
    if let Some(Value::Data(data)) = call.value("xs") {
        let data = data.clone();
        return gram_on_data(call, &kernel, &data, ys);
    }
    let xs = Rows::from_list(call.arg("xs")?).map_err(|t| t.argument("xs"))?;
    let Some(ys) = ys else {
        return rows(&own_gram(call, &kernel, &xs)?);
    };
    if let Value::Data(_) = ys {
        let lang_error = LangError::new("`ys` is a data set, and `xs` is a list of rows").argument("ys");
        return Err(lang_error.help("give the data first, as `gram(k, data, rows)`, or two data sets"));
    }
    let ys = Rows::from_list(ys).map_err(|t| t.argument("ys"))?;
    fits(xs.n, ys.n)?;
    if xs.n == 0 || ys.n == 0 {
        return List::collect((0..xs.n).map(|_| Ok(Value::List(List::default())))).map(Value::List);
    }
    let all = xs.then(&ys).map_err(|t| t.argument("ys"))?;
    let placed = Placed::new(&kernel, &all, true, &call.eval.host.origins)?;
    rows(&matrix(call, placed, xs, Some(all.last(ys.n)))?)
}

/// The matrix between the rows of data and themselves, other data, or rows with the inputs of the data in order.
fn gram_on_data(call: &mut Call<'_, '_>, kernel: &Kernel, data: &Dataset, ys: Option<Value>) -> Res<Value> {
    let xs = Rows::of_data(data);
    let others = match ys {
        None => None,
        Some(Value::Data(other)) => {
            let aligned =
                other.aligned(data, |_| true).map_err(|error| LangError::new(error.to_string()).argument("ys"))?;
            Some(Rows::of_data(&aligned))
        }
        Some(list) => {
            let ys = Rows::from_list(list).map_err(|t| t.argument("ys"))?;
            if ys.n == 0 {
                return List::collect((0..xs.n).map(|_| Ok(Value::List(List::default())))).map(Value::List);
            }
            Some(xs.then(&ys).map_err(|t| t.argument("ys"))?.last(ys.n))
        }
    };
    fits(xs.n, others.as_ref().map_or(xs.n, |others| others.n))?;
    let (placed, xs) = Placed::on_data(kernel, data, &call.eval.host.origins)?;
    rows(&matrix(call, placed, xs, others)?)
}

/// The matrix of a user's function of two rows, which need not be a kernel.
fn gram_of_function(call: &mut Call<'_, '_>, function: &Function) -> Res<Value> {
    let xs: Vec<Value> = call.arg::<Items>("xs")?.collect();
    let ys = match call.maybe::<Items>("ys")? {
        Some(ys) => ys.collect(),
        None => xs.clone(),
    };
    fits(xs.len(), ys.len())?;
    let span = call.span_of("kernel");
    let mut all = Vec::with_capacity(xs.len());
    for x in &xs {
        let mut row = Vec::with_capacity(ys.len());
        for y in &ys {
            let value = call.apply(function, vec![x.clone(), y.clone()])?;
            row.push(f64::from_value(value).map_err(|t| t.within("as the value of the function").at(span))?);
        }
        all.push(Value::numbers(row));
    }
    List::collect(all.into_iter()).map(Value::List)
}

/// A symmetric matrix from a list of rows.
fn symmetric(value: Value) -> Res<Matrix> {
    let rows: Vec<Vec<f64>> =
        Items::from_value(value)?.map(Vec::<f64>::from_value).collect::<Res<_>>().map_err(|t| t.within("as a row"))?;
    let n = rows.len();
    if let Some(row) = rows.iter().find(|row| row.len() != n) {
        let text = format!("the matrix has {n} rows, and one of them has {} numbers", row.len());
        return Err(LangError::new(text).help("eigenvalues are those of a square, symmetric matrix"));
    }
    let size = rows.iter().flatten().fold(0.0f64, |size, x| size.max(x.abs()));
    for (i, row) in rows.iter().enumerate() {
        for (j, (&here, other)) in row.iter().zip(&rows).enumerate().take(i) {
            let mirrored = other[i];
            let apart = (here - mirrored).abs();
            if apart.is_nan() || apart > 1e-9 * size {
                let text = format!("the matrix is not symmetric: row {i} has {} in place {j}", number(here));
                let other = format!("row {j} has {} in place {i}", number(mirrored));
                return Err(LangError::new(text).note(other));
            }
        }
    }
    Ok(Matrix::from_fn(n, n, |i, j| rows[i.max(j)][i.min(j)]))
}

fn eigen(call: &mut Call<'_, '_>) -> Res<Value> {
    if let Some(Value::List(_)) = call.value("kernel") {
        if call.value("xs").is_some() {
            return Err(LangError::new("a matrix has its eigenvalues without rows").argument("xs"));
        }
        let matrix = symmetric(call.arg("kernel")?).map_err(|t| t.argument("kernel"))?;
        check_rows(matrix.nrows()).map_err(|t| t.argument("kernel"))?;
        return eigenvalues(call, matrix);
    }
    let kernel: Kernel = call.arg("kernel")?;
    let Some(xs) = call.maybe::<Value>("xs")? else {
        return Err(LangError::new("the eigenvalues of a kernel are those of its matrix, which needs rows")
            .help("such as `eigen(SE(0), [0, 1, 2])`"));
    };
    let xs = Rows::from_list(xs).map_err(|t| t.argument("xs"))?;
    check_rows(xs.n).map_err(|t| t.argument("xs"))?;
    let matrix = own_gram(call, &kernel, &xs)?;
    eigenvalues(call, matrix)
}

fn check_rows(n: usize) -> Res<()> {
    const MOST: usize = 2000;
    match n <= MOST {
        true => Ok(()),
        false => Err(LangError::new(format!("eigenvalues are found for up to {MOST} rows, found {n}"))),
    }
}

fn eigenvalues(call: &mut Call<'_, '_>, matrix: Matrix) -> Res<Value> {
    if matrix.nrows() == 0 {
        return Value::numbers([]);
    }
    if !matrix.iter().all(|x| x.is_finite()) {
        return Err(LangError::new("a matrix with eigenvalues has finite numbers only"));
    }
    let found = abandonable(call.eval.progress, move || matrix.symmetric_eigenvalues());
    let mut values: Vec<f64> = found.ok_or_else(LangError::stopped)?.iter().copied().collect();
    values.sort_by(|a, b| b.total_cmp(a));
    Value::numbers(values)
}

/// Draws of a kernel at the rows of a call of `sample`, one list per draw.
pub fn draws(call: &mut Call<'_, '_>, kernel: &Kernel) -> Res<Value> {
    let xs = Rows::from_list(call.arg("at")?).map_err(|t| t.argument("at"))?;
    let n: usize = call.or("n", 1)?;
    fits(xs.n, n)?;
    let factor = pivoted_cholesky(&own_gram(call, kernel, &xs)?, 1e-12);
    let mut normal = super::random_numbers::normals(call)?;
    let draws = (0..n).map(|_| {
        let z = Vector::from_fn(factor.ncols(), |_, _| normal());
        Value::numbers((&factor * z).iter().copied())
    });
    List::collect(draws).map(Value::List)
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
        help: "A linear kernel gets one slope variance for each input. A single number is the starting value of each.",
        examples: &["ARD(SE, l=[1, fixed(2)])"],
        touches: Touches::Nothing,
        run: family_calls::ard,
    },
    Builtin {
        name: "gram",
        aliases: &[],
        group: Group::Kernels,
        places: &[
            Place::required(
                "kernel",
                Want::Either(&[Want::Kind(Kind::Kernel), Want::FUNCTION]),
                "a kernel, or a function of two rows, which need not be a kernel",
            ),
            ROWS,
            Place::optional(
                "ys",
                Want::Either(&[Want::Items, Want::Kind(Kind::Data)]),
                "xs",
                "other rows, or other data; then none of them is an observation of `xs`",
            ),
        ],
        result: Some(Kind::List),
        summary: "the matrix of a kernel's values between rows",
        help: "A list of rows. Without data an unset parameter is 1, a location 0, a degree 2.",
        examples: &[
            "gram(SE(0), [0, 1, 2])",
            "gram(Lin(0), [1, 2], [3])",
            "gram(onehot(0), [\"A\", \"C\"])",
            "gram((a, b) -> min(a, b), [1, 2])",
        ],
        touches: Touches::Nothing,
        run: gram,
    },
    Builtin {
        name: "eigen",
        aliases: &["eigenvalues"],
        group: Group::Kernels,
        places: &[
            Place::required(
                "kernel",
                Want::Either(&[Want::Kind(Kind::Kernel), Want::Kind(Kind::List)]),
                "a kernel, or a symmetric matrix, a list of rows",
            ),
            Place::optional("xs", Want::Items, "", "the rows of the kernel's matrix, a list"),
        ],
        result: Some(Kind::List),
        summary: "the eigenvalues of a kernel's matrix or of another symmetric matrix, the largest first",
        help: "A function of two rows is a kernel only if no such matrix has a negative eigenvalue.",
        examples: &["eigen(Lin(0, b=fixed(0.5)), [1, 2])", "eigen([[2, 1], [1, 2]])"],
        touches: Touches::Nothing,
        run: eigen,
    },
];
