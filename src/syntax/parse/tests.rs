use std::fmt::Write;

use super::*;

/// A tree as nested lists, which show precedence.
fn sexp(expr: &Expr) -> String {
    let list = |items: &[String]| format!("({})", items.join(" "));
    match &expr.node {
        ExprKind::Number(number) => number.to_string(),
        ExprKind::Str(text) => format!("{text:?}"),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Name(name) => name.to_string(),
        ExprKind::List(items) => format!("[{}]", items.iter().map(sexp).collect::<Vec<_>>().join(" ")),
        ExprKind::Comprehension { body, clauses } => {
            let mut out = format!("(each {}", sexp(body));
            for clause in clauses {
                let vars: Vec<&str> = clause.vars.iter().map(|name| &*name.node).collect();
                let _ = write!(out, " {} {}", vars.join(","), sexp(&clause.over));
                if let Some(cond) = &clause.cond {
                    let _ = write!(out, " {}", sexp(cond));
                }
            }
            out + ")"
        }
        ExprKind::Lambda(lambda) => {
            let params: Vec<&str> = lambda.params.iter().map(|param| &*param.name.node).collect();
            format!("({} -> {})", params.join(","), sexp(&lambda.body))
        }
        ExprKind::If { cond, then, otherwise } => list(&["if".into(), sexp(cond), sexp(then), sexp(otherwise)]),
        ExprKind::Chain { first, rest } => {
            let mut items = vec![sexp(first)];
            for (op, operand) in rest {
                items.extend([op.node.sign().to_owned(), sexp(operand)]);
            }
            list(&items)
        }
        ExprKind::Unary { op, operand } => list(&[format!("{:?}", op.node), sexp(operand)]),
        ExprKind::Range { start, end, inclusive } => {
            list(&[if *inclusive { "..=" } else { ".." }.into(), sexp(start), sexp(end)])
        }
        ExprKind::Prior { value, prior } => list(&["~".into(), value.as_deref().map_or("_".into(), sexp), sexp(prior)]),
        ExprKind::Call { callee, args } => {
            let mut items = vec!["call".into(), sexp(callee)];
            for arg in args {
                let name = arg.name.as_ref().map_or(String::new(), |name| format!("{}=", name.node));
                items.push(name + &sexp(&arg.value));
            }
            list(&items)
        }
        ExprKind::Index { value, index } => list(&["at".into(), sexp(value), sexp(index)]),
        ExprKind::Member { value, member } => format!("{}.{}", sexp(value), member.node),
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let program = parse(text, SourceId(0)).unwrap_or_else(|fault| panic!("{text}: {}", fault.message));
    let [Statement { node: StatementKind::Expr(expr), .. }] = program.statements.as_slice() else {
        panic!("{text}: not one expression");
    };
    assert_eq!(sexp(expr), expected, "{text}");
}

#[test]
fn precedence() {
    check("a + b * c ^ d - e", "(a + (b * (c ^ d)) - e)");
    check("-2^2", "(Neg (2 ^ 2))");
    check("2^-1", "(2 ^ (Neg 1))");
    check("2^-3^2", "(2 ^ (Neg (3 ^ 2)))");
    check("a^b^c", "(a ^ (b ^ c))");
    check("a % b * c / -d + e % f", "((a % b * c / (Neg d)) + (e % f))");
    check("-a % b^c", "((Neg a) % (b ^ c))");
    check("a * -b", "(a * (Neg b))");
    check("- -a.b[0](c)", "(Neg (Neg (call (at a.b 0) c)))");
    check("not a == b and c or d", "(((Not (a == b)) and c) or d)");
    check("not not a", "(Not (Not a))");
    check("a or b and not c", "(a or (b and (Not c)))");
    check("0..n - 1", "(.. 0 (n - 1))");
    check("1..=4 |> f >> g |> h(2)", "((..= 1 4) |> (f >> g) |> (call h 2))");
    check("x -> x + 1 |> f", "(x -> ((x + 1) |> f))");
    check("(x, y) -> z -> x", "(x,y -> (z -> x))");
    check("() -> 1", "( -> 1)");
    check("if a then b else if c then d else e + 1", "(if a b (if c d (e + 1)))");
    check("if a then x -> x else y -> y |> z", "(if a (x -> x) (y -> (y |> z)))");
    check("(a + b) * c", "((a + b) * c)");
    check("(a + b) + c", "((a + b) + c)");
    check("(1..2) == c", "((.. 1 2) == c)");
}

#[test]
fn operands() {
    check("[1, \"a\\n\\u{3c3}\", true, inf, pi,]", "[1 \"a\\nσ\" true inf 3.141592653589793]");
    check("[SE(d) for d in 0..4 if d > 0]", "(each (call SE d) d (.. 0 4) (d > 0))");
    check("[a for a, b in if c then d else e]", "(each a a,b (if c d e))");
    check("[f(x, y) for x in xs if x for a, y in ys]", "(each (call f x y) x xs x a,y ys)");
    check("[x -> x for x in xs]", "(each (x -> x) x xs)");
    check("f(1, b=2, c=x -> x,)", "(call f 1 b=2 c=(x -> x))");
    check("f(a==b, c=d==e)", "(call f (a == b) c=(d == e))");
    check("SE(l=2 ~ LogNormal(0, 1))", "(call SE l=(~ 2 (call LogNormal 0 1)))");
    check("SE(year, l ~ LogNormal(0, 1))", "(call SE year l=(~ _ (call LogNormal 0 1)))");
    check("SE(2 ~ p, (l) ~ p, ~ p)", "(call SE (~ 2 p) (~ l p) (~ _ p))");
    check("[1 ~ LogNormal(0, 1), fixed(2), ~ p, a ~ p]", "[(~ 1 (call LogNormal 0 1)) (call fixed 2) (~ _ p) (~ a p)]");
    check("σ_长 + lettuce + iff + information", "(σ_长 + lettuce + iff + information)");
    check("1e-3 + 1.5e3 + 2E+2", "(0.001 + 1500 + 200)");
    check("xs [0] (1)", "(call (at xs 0) 1)");
}

#[test]
fn statements_have_places() {
    let program = parse("let a, b = 1, 2 # c\nfn f(x, y=2) = x\nimport \"a.mer\"; (a)", SourceId(7)).unwrap();
    let places: Vec<_> = program.statements.iter().map(|s| (s.span.start, s.span.end)).collect();
    assert_eq!(places, [(0, 15), (20, 36), (37, 51), (53, 56)]);
    assert_eq!(program.statements[0].span.source, SourceId(7));
    let StatementKind::Fn { name, function } = &program.statements[1].node else { panic!() };
    assert_eq!((&*name.node, function.params.len(), function.params[1].default.is_some()), ("f", 2, true));
    let StatementKind::Expr(expr) = &program.statements[3].node else { panic!() };
    assert_eq!((expr.span.start, expr.span.end), (53, 56), "brackets belong to the place");
}

#[test]
fn one_wrong_statement_does_not_hide_the_next() {
    let parsed = parse_all("let x = = 1\nlet y = 2\nz z\nw", SourceId(0));
    assert_eq!((parsed.program.statements.len(), parsed.diagnostics.len()), (2, 2));
}

/// The message, the first span, and the help of an error in a text.
fn fault(text: &str) -> String {
    let fault = parse(text, SourceId(0)).expect_err(text);
    let span = fault.labels[0].span;
    let place = &text[span.start..span.end];
    let label = &fault.labels[0].text;
    format!("{} <{place}: {label}> {}", fault.message, fault.help.as_deref().unwrap_or(""))
}

#[test]
fn messages() {
    let texts = include_str!("wrong.txt").lines().map(|line| line.replace("\\n", "\n"));
    let report: String = texts.map(|text| format!("{text}\n    {}\n", fault(&text))).collect();
    // SNAPSHOTS=overwrite writes the actual text
    snapbox::assert_data_eq!(report, snapbox::file!["wrong.out"].raw());
}

fn survives(text: &str) {
    match parse(text, SourceId(0)) {
        Ok(program) => assert_eq!(program, program.clone()),
        Err(fault) => assert!(!fault.labels.is_empty()),
    }
}

#[test]
fn deep_and_long_texts_are_answered() {
    let n = 40_000;
    let repeated = [
        "(",
        "[",
        "f(",
        "(a",
        "[a,",
        "f(b=",
        "[x for x in ",
        "for x in xs ",
        "a % ",
        "-",
        "- ",
        "not ",
        "a^",
        "2^-",
        "x->",
        "(x,y)->",
        "if ",
        "if a then ",
        "if a then b else ",
        "a|>",
        "a>>",
        "a+",
        "a*",
        "a or ",
        "a and ",
        "a ..",
        "a==",
        "a.",
        "a[0]",
        "if (",
        "[[1],",
        "a,",
        "a;",
        "a=",
        "let a=",
        "fn f(a=",
        "\"",
        "'",
        "}",
        ")",
        "]",
        "\\",
        "~",
        "1.",
        "a ~ ",
        "#",
    ];
    for part in repeated {
        survives(&part.repeat(n));
        survives(&(part.repeat(n) + "a"));
    }
    for (open, close) in
        [("(", ")"), ("[", "]"), ("f(", ")"), ("x[", "]"), ("if ", " then a else b"), ("[a for a in ", "]")]
    {
        survives(&format!("{}a{}", open.repeat(n), close.repeat(n)));
        let fine = format!("{}a{}", open.repeat(150), close.repeat(150));
        assert!(parse(&fine, SourceId(0)).is_ok(), "{open}");
    }
    survives(&format!("[a {}]", "for x in xs ".repeat(n)));
    survives(&("f".to_owned() + &"()".repeat(n)));
    survives(&("a".to_owned() + &"[0]".repeat(n)));
    survives(&("a".to_owned() + &".b".repeat(n)));
}

#[test]
fn faults_without_end_are_cut_off() {
    assert_eq!(parse_all(&"1 1\n".repeat(100_000), SourceId(0)).diagnostics.len(), MOST_FAULTS);
}

#[test]
fn a_hundred_thousand_terms_are_one_chain() {
    for sign in [" + ", " * ", " |> ", "\n+ "] {
        let program = parse(&vec!["SE(1)"; 100_000].join(sign), SourceId(0)).unwrap();
        let [Statement { node: StatementKind::Expr(Expr { node: ExprKind::Chain { rest, .. }, .. }), .. }] =
            program.statements.as_slice()
        else {
            panic!("not a chain");
        };
        assert_eq!(rest.len(), 99_999);
    }
}
