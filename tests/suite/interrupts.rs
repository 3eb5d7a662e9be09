//! Ctrl-C ends whatever runs, within about a second.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use snapbox::cmd::cargo_bin;

/// How long the program may take to end: on a machine with other work, some times the usual.
const LATEST: Duration = Duration::from_secs(3);
/// How long it runs before.
const BEFORE: Duration = Duration::from_millis(400);

/// Runs a program until it prints `0` and then some more, interrupts it, and gives how long it took to end and the rest of
/// its output.
fn interrupted(text: &str, before: Duration) -> (Duration, String) {
    let mut command = Command::new(cargo_bin!("mercer"));
    let mut child =
        command.args(["eval", text]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a process");
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    assert_eq!(first, "0\n", "{text}");
    std::thread::sleep(before);
    assert!(child.try_wait().expect("a status").is_none(), "{text} ended by itself");
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
    let from = Instant::now();
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        out.read_to_string(&mut rest).map(|_| rest)
    });
    while from.elapsed() < 10 * LATEST && child.try_wait().expect("a status").is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let took = from.elapsed();
    let _ = child.kill();
    (took, rest.join().expect("a thread").expect("text"))
}

#[track_caller]
fn ends(text: &str) {
    let (took, _) = interrupted(text, BEFORE);
    assert!(took < LATEST, "{text} ended {took:?} after Ctrl-C");
}

/// Rows that are not evenly spaced: the others take little time.
const WAVE: &str = "let d = data(x=[i + 0.2 * sin(i) for i in 0..N], y=[sin(i) for i in 0..N])\n";

fn wave(rows: usize, then: &str) -> String {
    format!("{}{then}", WAVE.replace('N', &rows.to_string()))
}

/// One factorisation takes several seconds here.
#[test]
fn a_matrix_of_many_rows() {
    ends(&wave(6000, "print(0)\nlml(d, gp(SE(x, l=2, v=1), noise=0.1, mean=0))"));
    ends(&wave(4000, "print(0)\ngradient(d, gp(SE(x, l=2, v=1), noise=0.1, mean=0))"));
    ends(&wave(4000, "print(0)\nd |> fit(SE(x))"));
}

#[test]
fn results_of_many_rows() {
    let model = "let m = d |> condition(gp(SE(x, l=2, v=1) + Lin(x, v=1), noise=0.1, mean=0))\nprint(0)\n";
    ends(&wave(4000, &format!("{model}m |> decompose")));
    ends(&wave(1000, &format!("{model}m |> predict(grid(0..1000, 200000))")));
    ends(
        "let m = load(\"nile\") |> condition(gp(SE(year, l=10, v=1e4), noise=1e4))\nprint(0)\nm |> checks(draws=100000)",
    );
}

#[test]
fn features_and_symmetries() {
    ends("print(0)\nfeatures(SE(0), 0..2000, m=2000)");
    ends("let d = load(\"concrete\")\nprint(0)\nsymmetries(d, gp(ARD(SE)))");
}

/// Functions of the user inside kernels, and as moves of a search.
#[test]
fn functions_of_the_user() {
    let slow = "sum([x * i for i in 0..100000])";
    ends(&wave(2000, &format!("print(0)\nd |> fit(warp(SE(x), x -> {slow} / 1e9))")));
    ends(&wave(2000, &format!("print(0)\nd |> fit(basis(x -> [{slow} / 1e9, 1], x))")));
    // with derivatives, at the start of a fit and during it
    ends(&wave(2000, &format!("print(0)\nd |> fit(warp(SE(x), x -> q * {slow} / 1e9, q=1))")));
    ends(&wave(20, &format!("print(0)\nd |> fit(warp(SE(x), x -> q * {slow} / 1e9, q=1))")));
    ends(&wave(20, &format!("print(0)\nd |> fit(gp(SE(x), mean=x -> q * {slow} / 1e9, q=1))")));
    let edit = "k -> k * SE(x, l=1 + 1e-12 * sum([1 for i in 0..10000000]))";
    ends(&wave(50, &format!("print(0)\nd |> search(SE, depth=2, moves=[{edit}])")));
}

/// A script that is stopped shows what the interrupted `let` has so far.
#[test]
fn bound_results() {
    let (took, rest) = interrupted("print(0)\nlet z = integrate(x -> sin(x), over=normal(0, 1), n=2000)\nz", BEFORE);
    assert!(took < LATEST, "ended {took:?} after Ctrl-C");
    assert!(rest.contains("evaluations"), "{rest}");
}

/// Many draws, panels, frames, and maps of a posterior of many rows.
#[test]
fn figures() {
    ends("print(0)\nplot(SE([0, 1, 2]), \"target/interrupted.png\", frames=1000)");
    ends("print(0)\nlet f = panels([SE([0, 1], l=1 + i / 100) for i in 0..500])");
    ends(&wave(
        3000,
        "let e = d |> mutate(z=cos(x))\nlet m = e |> condition(gp(SE(x, l=2) * SE(z, l=1, v=1), noise=0.1, mean=0))\nprint(0)\nlet f = plot(m, n=500)",
    ));
}

/// The fit is the best one until then, whether layers are trained one after another or all starts compete.
#[test]
fn training_of_deep_models() {
    let fit = "print(0)\nload(\"step\") |> fit(deepgp(layers=3, inducing=40, samples=10), restarts=6)";
    for (algorithm, before) in [("variational", BEFORE), ("variational", 6 * BEFORE), ("dgps", BEFORE)] {
        let fit = fit.replace("samples=10", &format!("samples=10, inference=\"{algorithm}\""));
        let (took, rest) = interrupted(&fit, before);
        assert!(took < LATEST, "{algorithm}: ended {took:?} after Ctrl-C");
        assert!(rest.contains("objective") && rest.contains("stopped by the user"), "{algorithm}: {rest}");
    }
}
