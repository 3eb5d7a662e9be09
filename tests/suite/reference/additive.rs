//! Sums over orders: values, single orders, derivatives, and accuracy against exact integers.

use mercer::session::Session;
use serde_json::Value;

use super::{array, cases, close, close_all, kernel, list, number, numbers, rows, run, text, tolerance, value};

/// A kernel whose value between 1 and −1 is z, whatever its sign.
fn valued(z: f64) -> String {
    match z {
        z if z > 0.0 => format!("Const(v=fixed({z:?}))"),
        z if z < 0.0 => format!("scale(Const(v=fixed({:?})), x -> x)", -z),
        _ => "scale(Const(v=fixed(1)), x -> x + 1)".into(),
    }
}

fn all_valued(z: &[f64]) -> String {
    let each: Vec<String> = z.iter().map(|&z| valued(z)).collect();
    format!("[{}]", each.join(", "))
}

/// Weights with a single order, counted from 1, out of `of`.
fn only(order: usize, of: usize) -> String {
    let each: Vec<&str> = (1..=of).map(|d| if d == order { "1" } else { "fixed(0)" }).collect();
    format!("[{}]", each.join(", "))
}

fn polynomial(order: usize, z: &[f64]) -> f64 {
    if order == 0 {
        return 1.0;
    }
    value(&format!("additive({}, order={order}, weights={})(1, -1)", all_valued(z), only(order, order)))
}

fn of_type(kind: &str) -> impl Iterator<Item = Value> {
    let found: Vec<Value> = cases("additive").into_iter().filter(|case| case["type"] == kind).collect();
    assert!(!found.is_empty(), "{kind}");
    found.into_iter()
}

#[test]
fn values_and_single_orders() {
    for case in of_type("scalar") {
        let (name, rel) = (text(&case, "name"), tolerance(&case, "rel"));
        let (z, weights) = (numbers(&case["z"]), numbers(&case["order_variances"]));
        let k = value(&format!("additive({}, weights={})(1, -1)", all_valued(&z), list(&weights)));
        close(k, number(&case["k"]), rel, 0.0, name);
        for (order, expected) in numbers(&case["e"]).into_iter().enumerate() {
            close(polynomial(order, &z), expected, rel, 0.0, &format!("{name}: order {order}"));
        }
        // the derivative of an order in one kernel is the order below without this kernel
        for (order, slopes) in array(&case["de_dz"]).iter().enumerate().skip(1) {
            for (j, expected) in numbers(slopes).into_iter().enumerate() {
                let mut others = z.clone();
                others.remove(j);
                close(polynomial(order - 1, &others), expected, rel, 0.0, &format!("{name}: order {order} by {j}"));
            }
        }
    }
}

/// With one row the derivative of the log marginal likelihood in the log of a parameter is its share of the kernel's
/// value times a common factor, ½(α² − 1/(k + noise)).
#[test]
fn derivatives() {
    for case in of_type("scalar") {
        let (name, rel) = (text(&case, "name"), tolerance(&case, "rel"));
        let (z, weights) = (numbers(&case["z"]), numbers(&case["order_variances"]));
        if z.iter().any(|&z| z <= 0.0) {
            continue;
        }
        let free: Vec<String> = z.iter().map(|z| format!("Const(v={z:?})")).collect();
        let base = format!("additive([{}], weights={})", free.join(", "), list(&weights));
        let program = format!("gradient(data(x=[1], y=[30]), gp({base}, noise=fixed(0.5), mean=\"zero\"))");
        let found = run(&mut Session::default(), &program);
        let of = number(&case["k"]) + 0.5;
        let whole = 0.5 * (900.0 / (of * of) - 1.0 / of);
        let slopes = z.iter().zip(numbers(&case["dk_dz"])).map(|(z, slope)| z * slope);
        let shares = weights.iter().zip(numbers(&case["dk_dorder_variance"])).map(|(w, e)| w * e);
        let expected: Vec<f64> = slopes.chain(shares).map(|share| share * whole).collect();
        assert_eq!(array(&found).len(), expected.len(), "{name}");
        for (found, expected) in array(&found).iter().zip(expected) {
            close(number(&found["value"]), expected, 4.0 * rel, 0.0, &format!("{name}: {}", found["param"]));
        }
    }
}

#[test]
fn gram_matrices_by_order() {
    for case in of_type("gram") {
        let (name, rel) = (text(&case, "name"), tolerance(&case, "rel"));
        let kernels: Vec<String> = array(&case["base_kernels"]).iter().map(kernel).collect();
        let order = case["R"].as_u64().expect("an order") as usize;
        let base = format!("additive([{}], order={order}, weights=", kernels.join(", "));
        let mut session = Session::default();
        run(&mut session, &format!("let xs = {}\nlen(xs)", rows(&case["X"])));
        let whole = format!("gram({base}{}), xs)", list(&numbers(&case["order_variances"])));
        close_all(&run(&mut session, &whole), &case["K"], rel, 0.0, name);
        for (d, expected) in array(&case["K_per_order"]).iter().enumerate() {
            let found = run(&mut session, &format!("gram({base}{}), xs)", only(d + 1, order)));
            close_all(&found, expected, rel, 0.0, &format!("{name}: order {}", d + 1));
        }
    }
}

#[test]
fn dropout_and_products() {
    for case in of_type("dropout") {
        let (name, rel) = (text(&case, "name"), tolerance(&case, "rel"));
        let (z, keep) = (numbers(&case["z"]), number(&case["keep_probability"]));
        let found = value(&format!("dropout({}, keep={keep:?})(1, -1)", all_valued(&z)));
        close(found, number(&case["covariance"]), rel, 0.0, name);
        // the same as an additive kernel with these weights of the orders, plus a constant
        let weights = numbers(&case["weight_of_each_order_n_term"]);
        let sum = format!("({} + additive({}, weights={}))(1, -1)", weights[0], all_valued(&z), list(&weights[1..]));
        close(value(&sum), number(&case["covariance"]), rel, 0.0, name);
    }
    for case in of_type("product_form") {
        let (name, rel) = (text(&case, "name"), tolerance(&case, "rel"));
        let (alpha, v) = (number(&case["alpha"]), number(&case["scale"]));
        let z = all_valued(&numbers(&case["z"]));
        let found = value(&format!("anova({z}, alpha={alpha:?}, v={v:?})(1, -1)"));
        close(found, number(&case["k"]), rel, 0.0, name);
    }
}

/// A whole number of arbitrary size: digits of 64 bits, the lowest first.
#[derive(Clone, Default)]
struct Whole(Vec<u64>);

impl Whole {
    fn add_product(&mut self, other: &Whole, factor: u64) {
        let mut carry = 0u128;
        for i in 0.. {
            if i >= other.0.len() && carry == 0 {
                break;
            }
            if i == self.0.len() {
                self.0.push(0);
            }
            let digit = other.0.get(i).copied().unwrap_or(0);
            let sum = u128::from(self.0[i]) + u128::from(digit) * u128::from(factor) + carry;
            self.0[i] = sum as u64;
            carry = sum >> 64;
        }
    }

    /// Divided by 2^`bits`, to about two units in the last place.
    fn over(&self, bits: i32) -> f64 {
        let top = |i: usize| self.0.len().checked_sub(i).map_or(0.0, |at| self.0[at] as f64);
        let scale = 64 * (self.0.len() as i32 - 1) - bits;
        (top(1) + top(2) * 2f64.powi(-64) + top(3) * 2f64.powi(-128)) * 2f64.powi(scale)
    }
}

/// The exact elementary symmetric polynomials of numbers in [2⁻¹⁰, 1], which are whole numbers when multiplied by 2⁶³.
fn exact(z: &[f64]) -> Vec<f64> {
    let mut orders = vec![Whole::default(); z.len() + 1];
    orders[0] = Whole(vec![1]);
    for (i, &z) in z.iter().enumerate() {
        assert!((2f64.powi(-10)..=1.0).contains(&z), "{z}");
        let whole = (z * 2f64.powi(63)) as u64;
        for d in (1..=i + 1).rev() {
            let (lower, higher) = orders.split_at_mut(d);
            higher[0].add_product(&lower[d - 1], whole);
        }
    }
    orders.iter().enumerate().map(|(d, e)| e.over(63 * d as i32)).collect()
}

#[test]
fn exact_numbers_are_exact() {
    assert_eq!(exact(&[0.5, 0.25, 1.0]), [1.0, 1.75, 0.875, 0.125]);
    let halves = exact(&[0.5; 32]);
    assert_eq!((halves[16], halves[32]), (601_080_390.0 / 65536.0, 2f64.powi(-32)));
}

#[test]
fn thirty_two_orders_of_thirty_two_inputs_lose_no_digits() {
    let inputs = 32;
    // fractions of the golden ratio fill the interval evenly
    let points: Vec<Vec<f64>> = (1..=6)
        .map(|i| (1..=inputs).map(|d| (f64::from(i * 32 + d) * 0.618_033_988_749_895).fract()).collect())
        .collect();
    let rows: Vec<String> = points.iter().map(|row| list(row)).collect();
    let mut session = Session::default();
    run(&mut session, &format!("let xs = [{}]\nlen(xs)", rows.join(", ")));
    let kernels: Vec<String> = (0..inputs).map(|d| format!("SE({d}, l={:?})", 0.3 + 0.05 * f64::from(d))).collect();
    let each: Vec<Value> = kernels
        .iter()
        .enumerate()
        .map(|(d, k)| run(&mut session, &format!("gram({k}, [x[{d}] for x in xs])")))
        .collect();
    let list = kernels.join(", ");
    for order in [1, 2, 3, 8, 16, 24, 31, 32] {
        let program = format!("gram(additive([{list}], order={order}, weights={}), xs)", only(order, order));
        check_orders(&run(&mut session, &program), &each, |e| e[order], &format!("order {order}"));
    }
    let whole = run(&mut session, &format!("gram(additive([{list}], order=32), xs)"));
    check_orders(&whole, &each, |e| e[1..].iter().sum(), "all orders");
}

/// Compares a matrix with the exact polynomials of the matrices of single inputs.
fn check_orders(found: &Value, each: &[Value], of: impl Fn(&[f64]) -> f64, what: &str) {
    for (i, row) in array(found).iter().enumerate() {
        for (j, found) in numbers(row).into_iter().enumerate() {
            let z: Vec<f64> = each.iter().map(|k| number(&k[i][j])).collect();
            close(found, of(&exact(&z)), 1e-13, 0.0, &format!("{what}, pair ({i}, {j})"));
        }
    }
}
