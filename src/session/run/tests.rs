//! Two helpers: the output of a program, and its diagnostics if it fails.

use super::*;
use crate::progress::Silent;

fn run(source: &str) -> Output {
    Session::default().run(source, "test", &Silent)
}

#[track_caller]
fn check(source: &str, expected: &str) {
    assert_eq!(run(source).text(), expected, "{source}");
}

#[track_caller]
fn fails(source: &str, part: &str) {
    let output = run(source);
    assert!(output.failed, "{source} gives {}", output.text());
    let said: Vec<String> = output
        .diagnostics()
        .map(|d| format!("{} {} {}", d.message, d.notes.join(" "), d.help.clone().unwrap_or_default()))
        .collect();
    assert!(said.iter().any(|text| text.contains(part)), "{source} says {said:?}");
    assert!(output.diagnostics().all(|d| !d.labels.is_empty()), "{source} has no place: {said:?}");
}

#[test]
fn arithmetic() {
    check("1 + 2 * 3", "7");
    check("-2^2", "-4");
    check("2^3^2", "512");
    check("0.1 + 0.2", "0.30000000000000004");
    check("[1, 2, 3] * 2 + [10, 20, 30]", "[12, 24, 36]");
    check("\"a\" + \"b\" + \"c\"", "\"abc\"");
    check("7 / 2; 1e-7; inf; pi", "3.5\n1e-7\ninf\n3.141592653589793");
    check("1 < 2 and not (2 < 1)", "true");
    check("\"a\" < \"b\"; (0..3) == [0, 1, 2]", "true\ntrue");
    fails("1 == \"1\"", "a number and a string are never equal");
    check("1 + \"a\"", "\"1a\"");
    fails("true + \"a\"", "cannot add");
    fails("[1, 2] + [1, 2, 3]", "as many items on both sides");
    fails("not 1", "expected true or false after `not`, found a number");
    fails("log(-1)", "`log` is not defined at -1");
}

#[test]
fn bindings_and_functions() {
    check("let a, b = 1, 2; a + b", "3");
    check("let a, b = [3, 4]; a * b", "12");
    check("let x = 1; let x = x + 1; x", "2");
    check("fn f(x, y=10) = x + y; f(1); f(1, y=2); f(y=1, x=1)", "11\n3\n2");
    check("fn fact(n) = if n < 2 then 1 else n * fact(n - 1); fact(10)", "3628800");
    check(
        "fn even(n) = if n == 0 then true else odd(n - 1)\nfn odd(n) = if n == 0 then false else even(n - 1)\neven(10)",
        "true",
    );
    check("let a = 2; let f = x -> a * x; let a = 3; f(1); f", "2\nx -> 2 * x");
    check("let f = (x, y) -> x - y; f(5, 3)", "2");
    check("let f = x -> y -> x + y; f(1)(2)", "3");
    check("let sum = 3; sum; sum([1, 2])", "3\n3");
    fails("fn f(x) = x; f(1, 2)", "`f` takes 1 argument, found 2");
    fails("fn f(x, y) = x; f(1)", "`f` needs `y`");
    fails("fn f(x) = x; f(z=1)", "`f` has no argument `z`");
    fails("let a, b = [1, 2, 3]", "2 names cannot be bound to a list of 3");
    fails("let a, b, c = 1, 2", "3 names cannot hold 2 values");
    fails("let x = 3; x(1)", "`x` is a number, which cannot be called");
}

#[test]
fn pipes_and_chains() {
    check("[1, 2, 3] |> sum", "6");
    check("0..4 |> map(x -> x^2) |> sum", "14");
    check("let f = map; [1] |> f(x -> x + 1)", "[2]");
    check("let f = sqrt >> abs; f(4); f", "2\nsqrt >> abs");
    check("5 |> (x -> x + 1)", "6");
    check("[0..3 |> sum, 2]", "[3, 2]");
    fails("3 |> 4", "a number cannot be called");
}

#[test]
fn lists() {
    check("[x^2 for x in 0..5 if x > 1]", "[4, 9, 16]");
    check("[a * b for a, b in [[1, 2], [3, 4]]]", "[2, 12]");
    check("[[i * j for j in 0..2] for i in 1..=2]", "[[0, 1],\n [0, 2]]");
    check("let xs = [1, 2, 3]; xs[0]; xs[-1]; xs[1..3]; xs.n", "1\n3\n[2, 3]\n3");
    check("len(0..1000000000)", "1000000000");
    check("mean([1, 2, 6]); min(3, [1, 2]); prod([]); sum([])", "3\n1\n1\n0");
    check("len([0..100 for i in 0..2][0])", "100");
    fails("[1, 2][5]", "index 5 is out of range: there are 2 items");
    fails("[1, 2][0.5]", "an index is a whole number");
    fails("[0 for i in 0..1000000000]", "the limit is 10,000,000");
    fails("map(0..1000000000, x -> x)", "the limit is 10,000,000");
    fails("[1 for i in 3]", "expected a list after `in`, found a number");
    fails("fn f(x, n) = if n == 0 then x else f([x, x], n - 1); f([1, 2, 3, 4], 40)", "the limit is 10,000,000");
    fails("fn f(x, n) = if n == 0 then x else f([x], n - 1); f(1, 5000)", "nested more than");
}

#[test]
fn recursion_without_end_is_an_error() {
    fails("fn f(x) = f(x + 1)\nf(0)", "infinite recursion in `f`");
    fails("fn f(x) = [f(x + 1) for y in [1]][0] + 1\nf(0)", "infinite recursion in `f`");
    fails("fn f(x) = x |> g\nfn g(x) = map([x], f)\nf(0)", "infinite recursion");
}

#[test]
fn checks_before_running() {
    fails("print(1); foo", "unknown name `foo`");
    assert_eq!(run("print(1); foo").text(), "error: unknown name `foo`");
    fails("let predict1 = 3; predikt1", "did you mean `predict1`?");
    fails("map([1])", "`map` needs `function`");
    fails("map([1], x -> x, 3)", "`map` takes 2 arguments, found 3");
    fails("map([1], func=abs)", "`map` has no argument `func`");
    fails("grid(0..1, num=3)", "write `grid(range, n)`");
    fails("map(3, abs)", "expected a list for `list` of `map`, found a number");
    fails("grid(0..1, -2)", "expected a whole number from 0 for `n` of `grid`, found `-2`");
    fails("f(1); let f = x -> x", "unknown function `f`");
    fails("fn f(x) = y; 1", "unknown name `y`");
    fails("if 1 then 2 else 3", "expected true or false, found a number");
    fails("[1].lenght", "a list has no member `lenght`");
}

#[test]
fn last_value_and_prompt_lines() {
    let mut session = Session::default();
    session.run("[1, 2, 3]", "prompt", &Silent);
    assert_eq!(session.run("|> sum", "prompt", &Silent).text(), "6");
    assert_eq!(session.run("_ + 1", "prompt", &Silent).text(), "7");
    assert_eq!(session.run("let x = _", "prompt", &Silent).text(), "");
    assert!(session.run("x + y", "prompt", &Silent).failed);
    assert_eq!(session.run("x", "prompt", &Silent).text(), "7");
    assert_eq!(session.script(Path::new("")), "[1, 2, 3]\n_ |> sum\n_ + 1\nlet x = _\nx\n");
    assert_eq!(session.bindings().len(), 1);
    session.reset();
    assert!(session.bindings().is_empty() && session.get("_").is_none());
}

#[test]
fn a_failing_statement_keeps_what_came_before() {
    let mut session = Session::default();
    let output = session.run("let a = 1\nlet b = [1][a]\nlet c = 3", "test", &Silent);
    assert!(output.failed && session.get("a").is_some() && session.get("b").is_none() && session.get("c").is_none());
}

#[test]
fn stops_when_asked() {
    struct Stop;
    impl Progress for Stop {
        fn report(&self, _done: f64, _note: &str) {}
        fn stop(&self) -> bool {
            true
        }
    }
    let output = Session::default().run("[i for i in 0..1000000000 if i < 0]", "test", &Stop);
    assert_eq!(output.text(), "error: stopped");
}

#[test]
fn long_chains_take_linear_time() {
    let many = vec!["1"; 100_000];
    check(&many.join(" + "), "100000");
    check(&format!("len({})", vec!["\"ab\""; 100_000].join(" + ")), "200000");
}

#[test]
fn completion_knows_names_and_keywords() {
    let mut session = Session::default();
    session.run("let series = [1]", "test", &Silent);
    session.run("let e = data(weight=[1, 2], y=[3, 4])", "test", &Silent);
    let texts = |line: &str| -> Vec<String> {
        session.complete(line, line.len()).candidates.into_iter().map(|c| c.text).collect()
    };
    assert_eq!(texts("1 + ser"), ["series"]);
    assert_eq!(texts("grid(0..1, n"), ["n=", "normal", "not"]);
    assert_eq!(texts("series.n"), ["n"]);
    assert_eq!(texts("e |> fit(SE(wei"), ["weight"]);
    assert_eq!(texts("e |> where(wei"), ["weight"]);
    assert_eq!(texts("e |> transform(wei"), ["weight="]);
    assert!(session.hint("grid").unwrap().starts_with("grid(range, n)"));
}

#[test]
fn imports_bind_and_cycles_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.mer", "import \"b.mer\"\nlet a = b + 1; a; print(\"heard\")");
    write("b.mer", "let b = 1");
    write("c.mer", "import \"d.mer\"");
    write("d.mer", "import \"c.mer\"");
    write("e.mer", "let x = nowhere");
    write("g.mer", "fn g(x) = x + 1");
    let mut session = Session::new(Folders { script: folder.path().to_owned(), ..Folders::default() }, 0);
    assert_eq!(session.run("import \"a.mer\"; a", "test", &Silent).text(), "heard\n2");
    let later = "fn f(x) = g(x)\nimport \"g.mer\"\nf(1)";
    assert_eq!(session.run(later, "test", &Silent).text(), "2");
    let cycle = session.run("import \"c.mer\"", "test", &Silent).text();
    assert_eq!(cycle, "error: a cycle of imports: c.mer → d.mer → c.mer");
    assert_eq!(session.run("import \"e.mer\"", "test", &Silent).text(), "error: unknown name `nowhere`");
    assert_eq!(session.run("import \"f.mer\"", "test", &Silent).text(), "error: there is no file `f.mer`");
}

#[test]
fn kernels_print_as_they_are_written() {
    check("SE(1) * Per(2) + Lin", "SE(1) * Per(2) + Lin");
    check("SE", "SE");
    check("Periodic(year, period=1)", "Per(year, p=1)");
    check("SE(\"fly ash\", l=2, v ~ HalfNormal(1))", "SE(\"fly ash\", l=2, v ~ HalfNormal(1))");
    check("SE([0, cement], l=between(0.1, 10, 2.3))", "SE([0, cement], l=between(0.1, 10, 2.3))");
    check("[SE(d) for d in 0..2]", "[SE(0), SE(1)]");
    check("sum([SE(d) for d in 0..3])", "SE(0) + SE(1) + SE(2)");
    check("2.5 * SE(0) + 0.1", "2.5 * SE(0) + 0.1");
    check("(SE(0) + Lin)^2", "(SE(0) + Lin)^2");
    check("ARD(SE, l=[1, fixed(2)])", "ARD(SE, l=[1, fixed(2)])");
    check(
        "SE(0, l=2 ~ LogNormal(0, 1)); SE(0, l ~ lognormal(0, 1))",
        "SE(0, l=2 ~ LogNormal(0, 1))\nSE(0, l ~ LogNormal(0, 1))",
    );
    check("Per(0, centred=true)", "Per(0, centred=true)");
    check("Poly(0, degree=3)", "Poly(0, degree=3)");
    check("changepoint(SE(0), Lin(0), year, at=1950, width=2)", "changepoint(SE(0), Lin(0), year, at=1950, width=2)");
    check("let a = 2; warp(SE(0), x -> a * log(x))", "warp(SE(0), x -> 2 * log(x))");
    check("fn g(x) = x^2; scale(SE(0), g)", "scale(SE(0), x -> x^2)");
    check("basis(x -> [1, x, x^2], 0)", "basis(x -> [1, x, x^2], 0)");
    check("WN + Const(v=2)", "WN + Const(v=2)");
    check("0 |> SE(l=2)", "SE(0, l=2)");
}

#[test]
fn ties_are_one_and_read_back() {
    let tied = "SE(0, l=param(s, 1)) + SE(1, l=param(s))";
    check("let s = param(1.0); SE(0, l=s) + SE(1, l=s)", tied);
    check(tied, tied);
    check("let s = 3; SE(0, l=param(s, 1.3)); SE(0, l=param(s))", "SE(0, l=param(s, 1.3))\nSE(0, l=param(s, 3))");
    check(&format!("let k = {tied}; k == ({tied})"), "true");
    fails("SE(0, l=param(s, 1)) + SE(1, l=param(s, 2))", "written twice in this statement");
    check("sum([SE(d, l=param(s, 1)) for d in 0..2])", tied);
}

#[test]
fn bare_words_are_columns() {
    check("let d = 1; SE(d)", "note: `d` is read as the value that you gave it, 1\nSE(1)");
    check("let year = Per(year); SE(year)", "SE(year)");
    check("let cols = [a, b]", "error: unknown name `a`\nerror: unknown name `b`");
    check(
        "let cols = [\"a\", \"b\"]; SE(cols)",
        "note: `cols` is read as the value that you gave it, [\"a\", \"b\"]\nSE([a, b])",
    );
    check("fn f(d) = SE(d); f(2)", "SE(2)");
    check("SE(mean)", "SE(mean)");
}

#[test]
fn kernels_have_values() {
    check("let k = SE(0); k(0, 1.5)", "0.32465246735834974");
    check("let k = Per(0); k(0, 1)", "1");
    check("(SE(1) * Lin(0))([2, 3], [4, 3])", "1.353352832366127");
    check("let k = Lin; k([1, 2], [3, 4])", "12");
    check("gram(SE(0), [0, 1])", "[[1, 0.6065306597126334],\n [0.6065306597126334, 1]]");
    check("gram(WN, 0..2); gram(WN, [0], [0])", "[[1, 0],\n [0, 1]]\n[[0]]");
    check("gram(SE([a, b]), [[0, 0], [0, 1]])[0][1]", "0.6065306597126334");
    check("let k = warp(SE(0), x -> 2 * x); k(0, 0.5)", "0.6065306597126334");
    check("len(sample(SE(0), 0..=1, n=3))", "3");
    check("let f = sample(SE(0), [1, 1])[0]; f[0] == f[1]", "true");
    fails("let k = SE(0); k([1, 2], [3, 4])", "this kernel has 1 input (0), found a row of 2");
    fails("let k = SE([a, b]); k(1, 2)", "this kernel has 2 inputs (`a`, `b`), found a number");
    fails("let k = SE(0); k(1)", "evaluated at two rows");
    fails("let k = Per; k([1, 2], [1, 2])", "`Per` takes one input");
    fails("let k = warp(SE(0), x -> log(x)); k(-1, 2)", "`log` is not defined at -1");
}

#[test]
fn mistakes_in_kernels() {
    fails("Sqe(1)", "unknown kernel family `Sqe`");
    fails("Sqe(1)", "did you mean `SE`?");
    fails("SE_1", "write `SE(1)`");
    fails("SE(0) - SE(1)", "additive(order=2)");
    fails("SE(0, l=-1)", "the lengthscale of `SE` must be positive, found -1");
    fails("Per(0, period=-2)", "the period of `Per` must be positive, found -2");
    fails("SE(0, lenthscale=1)", "did you mean `lengthscale`?");
    fails("SE(0, 1)", "`SE` takes 1 argument without a name, found 2");
    fails("SE(0, l=between(2, 1))", "the bounds are the wrong way round: 2 to 1");
    fails("SE(0, l=[1, 2])", "`ARD(SE, l=[…])` has one for each input");
    fails("let SE = 3", "`SE` is the name of a kernel family and cannot be bound");
    fails("0 * SE", "must be positive, found 0");
    fails("SE^0.5", "whole number from 1 to 64, found 0.5");
    fails("ARD(Per)", "nothing in this kernel");
    fails("SE(0, l ~ 3)", "expected a prior after `~`");
    fails("SE(-1)", "-1 is not an input");
    fails("LogNormal(0, -1)", "`sd` of a log-normal distribution must be positive, found -1");
}

#[test]
fn names_become_labels() {
    let mut session = Session::default();
    session.run("let season = Per(year)\nlet other = season", "test", &Silent);
    assert_eq!(session.run("other.label", "test", &Silent).text(), "\"season\"");
}

#[test]
fn kernels_are_not_nested_without_end() {
    fails("fn f(k, n) = if n == 0 then k else f((k + SE) * Lin, n - 1)\nf(SE, 5000)", "nested more than 100 deep");
    fails("fn f(k, n) = if n == 0 then k else f(k^2, n - 1)\nf(SE, 5000)", "nested more than 100 deep");
}

#[test]
fn functions_do_not_hold_one_another_without_end() {
    fails("fn f(g, n) = if n == 0 then g else f(x -> g(x), n - 1)\nf(abs, 5000)", "more than 500 deep");
    let text = run("fn f(g, n) = if n == 0 then g else f(x -> g(x) + g(x), n - 1)\nf(abs, 100)").text();
    assert!(text.len() < 200_000 && text.starts_with("x -> "), "{} bytes", text.len());
}

#[test]
fn a_hundred_thousand_kernels() {
    check(&format!("len(terms({}))", vec!["SE"; 100_000].join(" + ")), "100000");
}

#[test]
fn data_from_lists_and_files() {
    check("data(x=[1, 2, 3], y=[2, 4, 5])", "data: 3 rows, y from x\n x   y\n───────\n 1   2\n 2   4\n 3   5");
    check("load(\"airline\").n; load(\"airline\").target", "144\n\"passengers\"");
    check("let d = data(a=[1, 2], b=[\"u\", \"v\"], y=[1, 2]); d.b; d.inputs", "[\"u\", \"v\"]\n[\"a\", \"b\"]");
    check("let d = data(x=[1, 2, 3], y=[2, 4, 5]) |> where(x -> x > 1); d.y", "[4, 5]");
    check("let a, b = load(\"airline\") |> split(0.5); [a.n, b.n]", "[72, 72]");
    check("len(load(\"airline\") |> folds(4))", "4");
    check("let d = data(x=[1, 2, 3], y=[1, 10, 100]) |> transform(y=log10); d.y", "[0, 1, 2]");
    check("let prep = transform(y=log10) >> standardize; (data(x=[1, 2, 3], y=[1, 10, 100]) |> prep).y", "[-1, 0, 1]");
    fails("load(\"arline\")", "did you mean `airline`?");
    fails("load(\"airline\").yaer", "did you mean `year`?");
    fails("load(\"airline\") |> select(yaer)", "did you mean `year`?");
    fails("load(\"airline\") |> where(yeer -> yeer > 3)", "did you mean `year`?");
    fails("load(\"airline\") |> split(1.5)", "between 0 and 1");
    fails("data(x=[1, 2], y=[1])", "has 1 values, expected 2");
    fails("transform(y=sin)", "one of the functions whose inverse is known");
}

#[test]
fn models_are_values_that_read_back() {
    for text in [
        "gp(SE)",
        "gp(SE(year), noise=0, mean=\"zero\")",
        "transform(y=log) >> standardize >> gp(SE + Per, noise=0.1, mean=[1, 2])",
        "gp(SE, noise=s, mean=\"linear\")",
        "gp(SE, noise=fixed(0.5), mean=12)",
        "gp(SE, noise ~ HalfNormal(1))",
    ] {
        check(text, text);
    }
    check("standardize >> SE", "standardize >> gp(SE)");
    check("let s = fixed(2); gp(SE, noise=s)", "gp(SE, noise=fixed(2))");
    check("gp(SE, noise=sigma)", "gp(SE, noise=sigma)");
    fails("gp(SE) >> standardize", "`gp` is the last step of a model");
    fails("let m = gp(SE); load(\"airline\") |> m", "a model is fitted with `fit`");
    fails("load(\"airline\") |> fit(standardize())", "these are steps without a model");
    fails("gp(SE, noise=-1)", "the noise is a variance and cannot be -1");
    fails("gp(SE, mean=\"lineer\")", "did you mean \"linear\"?");
}

#[test]
fn fits_and_evidence() {
    let data = "let d = data(x=[0, 1, 2, 3], y=[1, 3, 2, 5])\nlet m = gp(SE(x, l=1, v=1), noise=0.1, mean=\"zero\")\n";
    check(&format!("{data}lml(d, m) == (d |> condition(m)).lml"), "true");
    check(&format!("{data}[g.param for g in gradient(d, m)]"), "[\"SE.l\", \"SE.v\", \"noise\"]");
    check(&format!("{data}let f = d |> fit(m); lml(d, f.model) == f.lml"), "true");
    check(&format!("{data}let fit = d |> fit(m, restarts=2); (d |> fit(m)).converged"), "true");
    fails("load(\"airline\") |> fit(SE(1) * Per(2) + Lin)", "there is no input 1: the data have");
    fails("load(\"airline\") |> fit(SE(yeer))", "there is no input `yeer`");
    fails("data(x=[1, 2, 3], y=[1, 1, 1]) |> fit(SE)", "a fit needs a target that varies");
    fails("data(a=[1, 2, 3], b=[1, 2, 4], y=[1, 2, 1]) |> fit(Per)", "`Per` takes one input");
}

#[test]
fn results_of_a_fit() {
    let fit = "let d = data(x=[0, 1, 2, 3], y=[1, 3, 2, 5])\nlet trend, wave = Lin(x), SE(x, l=1, v=2)\n\
               let f = d |> condition(gp(trend + wave, noise=0.1))\n";
    let shows = |line: &str, expected: &str| {
        let text = run(&format!("{fit}{line}")).text();
        assert!(text.ends_with(&format!("\n{expected}")), "{line} gives {text}");
    };
    shows("(f |> predict(0..=1, n=3)).at", "[0, 0.5, 1]");
    shows("len((f |> predict([0.5, 7])).mean)", "2");
    shows("len((f |> predict([[0.5], [7]])).sd)", "2");
    shows("len((f |> predict).mean)", "4");
    shows("(f |> decompose).labels", "[\"trend\", \"wave\"]");
    shows(
        "let p = f |> decompose; let m = p.means; let whole = f |> predict; \
           max(abs(m[0] + m[1] + p.mean - whole.mean)) < 1e-9",
        "true",
    );
    shows("len((f |> residuals).residual); (f |> score).n; (f |> score(d)).rmse < 1", "4\n4\ntrue");
    shows("len(sample(f, 0..3, n=2))", "2");
    shows("compare(f, f).n", "2");
    shows(
        "kind(plot(f)); kind(plot(d)); kind(plot(f |> decompose)); kind(plot(f |> residuals))",
        "\"Figure\"\n\"Figure\"\n\"Figure\"\n\"Figure\"",
    );
}

#[test]
fn much_is_known_before_running() {
    let checked =
        |source: &str| Session::default().check(source, "test").into_iter().map(|d| d.message).collect::<Vec<_>>();
    let one = |source: &str, message: &str| assert_eq!(checked(source), [message], "{source}");
    one("SE(0, l=-1)", "the lengthscale of `SE` must be positive, found -1");
    one("fn f(x) = x + Per(year, p=between(2, 1))", "the bounds are the wrong way round: 2 to 1");
    one("SE(-1)", "-1 is not an input");
    one(
        "let k = Lin(yeer) * Per(year)\nload(\"airline\") |> fit(k + SE)",
        "there is no input `yeer`: the data have `year`",
    );
    one(
        "let a = load(\"airline\")\na |> head(20) |> fit(transform(y=log) >> gp(SE(yaer)))",
        "there is no input `yaer`: the data have `year`",
    );
    one(
        "load(\"airline\") |> fit(3)",
        "expected a model, a kernel, a fit or a deep GP for `model` of `fit`, found a number",
    );
    one("SE(0) - SE(1)", "kernels cannot be subtracted: a difference of covariances need not be a covariance");
    for fine in [
        "let year = 0; load(\"airline\") |> fit(SE(year))",
        "fn f(c) = SE(c); load(\"airline\") |> fit(f(0))",
        "let a = load(\"airline\") |> select(year); a |> fit(SE(year))",
        "let fit = load(\"airline\") |> fit(SE(year)); load(\"airline\") |> fit(SE(year))",
        "let prep = standardize >> transform(y=log); load(\"airline\") |> prep",
        "let k = SE; k(0, 1); reduce([1, 2], (a, b) -> a + b)",
        "if true then 1 else 2; let x = if true then SE else 3; x(0, 1)",
        "SE(0, l=param(s, 1)) + SE(1, l=param(s))",
    ] {
        assert!(checked(fine).is_empty(), "{fine} {:?}", checked(fine));
    }
}

#[test]
fn warnings_of_a_fit() {
    let said = |source: &str| run(source).text();
    let text =
        said("let d = data(a=[1, 2, 3, 4], b=[100, 300, 200, 900], y=[1, 2, 1, 3])\nlet f = d |> fit(SE, restarts=1)");
    assert!(
        text.contains("`SE` has one length-scale for inputs whose standard deviations differ more than tenfold"),
        "{text}"
    );
    let text = said("let d = data(x=[1, 2, 3, 4], y=[1, 2, 1, 3])\nlet f = d |> condition(gp(SE(x, l=1)))");
    assert!(
        text.contains("parameters without a value have those of a fit's first start: `SE.v`, `noise`, `mean`"),
        "{text}"
    );
}

#[test]
fn a_pipeline_goes_on_from_the_last_statement() {
    let mut session = Session::default();
    session.run("[1, 2]", "a", &Silent);
    session.run("let m = [3, 4, 5]", "b", &Silent);
    assert_eq!(session.run("|> sum", "c", &Silent).text(), "12");
    // a value shown since then is the last value
    assert_eq!(session.run("|> str", "d", &Silent).text(), "\"12\"");
    session.run("let m = [3]", "e", &Silent);
    session.run("fn f(x) = x", "f", &Silent);
    assert_eq!(session.run("|> sum", "g", &Silent).text(), "3");
    session.run("let a, b = 1, 2", "h", &Silent);
    assert_eq!(session.run("|> str", "i", &Silent).text(), "\"3\"");
}

#[test]
fn a_saved_session_does_the_same_again() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("a.csv"), "x,y\n1,2\n2,3\n3,5\n").unwrap();
    std::fs::write(folder.path().join("a.mer"), "let d = load(\"a.csv\")\nlet n = len(d)\n").unwrap();
    let mut session = Session::new(Folders::default(), 3);
    assert!(session.run_file(&folder.path().join("a.mer"), &Silent, &mut |_, _| {}));
    session.run("let a = sample(SE(0), [1, 2])", "a", &Silent);
    session.set_seed(7);
    session.run("let b = sample(SE(0), [1, 2])", "b", &Silent);
    let saved = elsewhere.path().join("s.mer");
    session.save(&saved).unwrap();
    let mut again = Session::default();
    assert!(again.run_file(&saved, &Silent, &mut |item, _| if let Item::Diagnostic(d) = item {
        panic!("{d:?}")
    }));
    for name in ["n", "a", "b"] {
        assert!(session.get(name).unwrap().same(again.get(name).unwrap()), "{name}");
    }
    // it replaces only its own files
    session.save(&saved).unwrap();
    let own = folder.path().join("a.mer");
    assert!(matches!(session.save(&own), Err(SaveError::Foreign { .. })));
    assert!(std::fs::read_to_string(&own).unwrap().starts_with("let d"));
}

#[test]
fn of_very_many_errors_the_first_are_shown() {
    let output = run(&"missing\n".repeat(60));
    let said: Vec<&str> = output.diagnostics().map(|d| d.message.as_str()).collect();
    assert_eq!(said.len(), super::MOST_FAULTS + 1);
    assert_eq!(said.last().copied(), Some("and 10 more errors, which `mercer check` lists"));
}
