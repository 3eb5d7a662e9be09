use std::time::Instant;
use mercer::kernel::families::family;
use mercer::kernel::*;
use mercer::linalg::{Cholesky, Matrix};

fn main() {
    let n_list = [144, 500, 1000, 2000];
    for n in n_list {
        let x: Vec<f64> = (0..n).map(|i| 1949.0 + i as f64 / 12.0).collect();
        let names = vec!["x".to_string()];
        let leaf = |n: &str| Kernel::family(family(n).unwrap());
        let k = Kernel::sum([leaf("SE"), Kernel::product([leaf("Per"), leaf("Lin")]).unwrap(), leaf("RQ")]).unwrap();
        run("SE+PerLin+RQ", &k, &names, &[&x], n);
        let cols: Vec<Vec<f64>> = (0..8).map(|d| (0..n).map(|i| ((i * (d + 3)) as f64 * 0.37).sin()).collect()).collect();
        let names: Vec<String> = (0..8).map(|d| format!("x{d}")).collect();
        let refs: Vec<&[f64]> = cols.iter().map(|c| &c[..]).collect();
        let fam = family("SE").unwrap();
        let params = fam.spec().params.iter().map(|p| p.unset(true)).collect();
        let ard: Kernel = Node::Leaf(Leaf { family: fam, inputs: Inputs::All, ard: true, params }).into();
        run("ARD(SE) 8", &ard, &names, &refs, n);
    }
}

fn run(name: &str, k: &Kernel, names: &[String], x: &[&[f64]], n: usize) {
    let bound = k.bind(&Schema::unnamed(names, x)).unwrap();
    let sites = bound.sites(x).unwrap();
    let theta = bound.values();
    let mut gram = Gram::new(&bound, &sites);
    let reps = (40_000_000 / (n * n)).clamp(3, 300);
    let (mut t_eval, mut t_chol, mut t_inv, mut t_pull) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    let (mut b0, mut b1, mut b2, mut b3) = (f64::MAX, f64::MAX, f64::MAX, f64::MAX);
    for _ in 0..reps {
        let t = Instant::now();
        let mut m = Matrix::zeros(n, n);
        gram.evaluate(&theta, &mut m).unwrap();
        for i in 0..n { m[(i, i)] += 0.1; }
        let e0 = t.elapsed().as_secs_f64() * 1e3;
        let t = Instant::now();
        let c = Cholesky::without_jitter(m).unwrap();
        let e1 = t.elapsed().as_secs_f64() * 1e3;
        let t = Instant::now();
        let inv = c.inverse_lower();
        let e2 = t.elapsed().as_secs_f64() * 1e3;
        let t = Instant::now();
        let mut g = vec![0.0; theta.len()];
        gram.pull(|j, w| { let col = &inv.as_slice()[j * n + j..(j + 1) * n]; for (w, v) in w.iter_mut().zip(col) { *w = -v; } w[0] *= 0.5; }, &mut g);
        let e3 = t.elapsed().as_secs_f64() * 1e3;
        t_eval += e0; t_chol += e1; t_inv += e2; t_pull += e3;
        b0 = b0.min(e0); b1 = b1.min(e1); b2 = b2.min(e2); b3 = b3.min(e3);
    }
    let r = reps as f64;
    println!("{name:14} n={n:5} mean eval {:.2} chol {:.2} inv {:.2} pull {:.2} | best {b0:.2} {b1:.2} {b2:.2} {b3:.2} ratio {:.2}", t_eval / r, t_chol / r, t_inv / r, t_pull / r, (b0 + b1 + b2 + b3) / (b1 + b2));
}
