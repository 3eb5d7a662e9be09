//! Random kernels as programs of the language, over every family and every combinator.
//!
//! Columns: `x` and `fly ash` are numeric, `c` is categorical, and `z` is never mentioned.

use std::fmt;

use mercer::kernel::families::FAMILIES;
use mercer::kernel::family::{Domains, Family, ParamSpec, Size};
use proptest::prelude::*;
use proptest::sample::select;

/// A program that binds `k` to a kernel.
#[derive(Clone)]
pub struct Case {
    lets: Vec<String>,
    expr: String,
}

impl Case {
    pub fn program(&self) -> String {
        let lets: String = self.lets.iter().map(|line| format!("{line}\n")).collect();
        format!("let s = param(1.3)\nlet r = param(0.2)\n{lets}let k = {}", self.expr)
    }

    fn of(tree: &Tree) -> Self {
        let mut lets = Vec::new();
        let expr = tree.write(&mut lets);
        Self { lets, expr }
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program())
    }
}

/// A kernel before its names are assigned.
#[derive(Debug, Clone)]
enum Tree {
    Text(String),
    /// A text with `{}` for each part in order.
    Of(String, Vec<Tree>),
    Named(&'static str, Box<Tree>),
}

impl Tree {
    fn write(&self, lets: &mut Vec<String>) -> String {
        match self {
            Tree::Text(text) => text.clone(),
            Tree::Of(pattern, parts) => {
                parts.iter().fold(pattern.clone(), |text, part| text.replacen("{}", &part.write(lets), 1))
            }
            Tree::Named(name, inner) => {
                let value = inner.write(lets);
                let name = format!("{name}{}", lets.len());
                lets.push(format!("let {name} = {value}"));
                name
            }
        }
    }

    fn of(pattern: impl Into<String>, parts: impl IntoIterator<Item = Tree>) -> Self {
        Tree::Of(pattern.into(), parts.into_iter().collect())
    }

    /// Whether some family in it depends on `x`.
    fn mentions_x(&self) -> bool {
        match self {
            Tree::Text(text) => text.contains("(x"),
            Tree::Of(_, parts) => parts.iter().any(Tree::mentions_x),
            Tree::Named(_, inner) => inner.mentions_x(),
        }
    }
}

/// The inputs on which the families of a kernel may depend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sees {
    /// Columns by index, by name, or by lists of these; categories too.
    Some,
    /// The same without categories, and all inputs at once.
    All,
    /// Only `x`, for kernels inside a function of one number.
    X,
}

/// A kernel with at most four levels.
pub fn kernel(sees: Sees) -> impl Strategy<Value = Case> {
    tree(sees, 3).prop_map(|tree| Case::of(&tree))
}

/// A family with all possible settings.
pub fn family(family: &'static dyn Family, sees: Sees) -> impl Strategy<Value = Case> {
    leaf(family, sees).prop_map(|tree| Case::of(&tree))
}

fn tree(sees: Sees, depth: u32) -> BoxedStrategy<Tree> {
    let leaves = select(FAMILIES)
        .prop_filter("categories are seen in one scope", move |f| sees == Sees::Some || !f.takes_categories())
        .prop_flat_map(move |f| leaf(f, sees));
    let basis = param_text(&VARIANCE, true).prop_map(|v| {
        let comma = if v.is_empty() { "" } else { ", " };
        Tree::Text(format!("basis(x -> [1, x, 0.5 * x^2], x{comma}{v})"))
    });
    let bottom = prop_oneof![12 => leaves, 1 => basis];
    if depth == 0 {
        return bottom.boxed();
    }
    bottom.prop_recursive(depth, 12, 3, move |inner| composed(inner, sees, depth)).boxed()
}

/// An open call with one more argument, if there is one, and closed.
fn call(open: &str, argument: &str) -> String {
    let comma = if argument.is_empty() { "" } else { ", " };
    format!("{open}{comma}{argument})")
}

/// Symmetries of two inputs, around any kernel.
const MOVED: &[&str] = &[
    "reflect({}, x, \"fly ash\")",
    "invariant({}, swap(0, 1), flip(x))",
    "invariant({}, rotate(x, \"fly ash\", about=[0.2, -0.1]))",
    "invariant({}, permute(0, 1), method=\"fold\")",
    "invariant({}, flip(1, about=0.5), method=\"fold\")",
    "invariant({}, shift(x, \"fly ash\"), normalize=true)",
];

/// Kernels of numbers on both inputs, without a function of one coordinate around them.
const NUMERIC: &[&str] = &[
    "SE([x, \"fly ash\"])",
    "RQ([0, 1], l=2)",
    "ARD(SE([0, 1]))",
    "(SE(x) * Matern52(\"fly ash\") + Lin([0, 1]))",
    "(Poly([x, \"fly ash\"]) + WN)",
    "deep(2, Lin([0, 1]), connected=true)",
];

/// Inputs mapped to circles, before the period.
const WOUND: &[&str] = &[
    "periodic({}, x",
    "periodic({}, [x, \"fly ash\"]",
    "torus({}, x, \"fly ash\"",
    "cylinder({}, 1, 0",
    "mobius({}, 0, 1",
    "sphere({}, x, \"fly ash\"",
];

/// Around kernels of numbers on both inputs.
const WHOLE: &[&str] = &[
    "translate({})",
    "translate({}, normalize=true)",
    "conv({}, rows=1, cols=2)",
    "conv({}, rows=2, cols=1, radius=1, edges=\"zero\", normalize=true)",
    "deep(3, {}, connected=true, l=2)",
    "deep(inf, {}, connected=true)",
    "compose(SE, {}, l=2)",
    "compose(RQ(v=1.5), {})",
    "compose(Matern52, {})",
    "compose(Lin(b=0.5), {})",
    "compose(Poly, {})",
    "warp({}, (a, b) -> [cos(a), sin(a), b])",
    "warp({}, (a, b) -> [cos(t) * a - sin(t) * b, sin(t) * a + cos(t) * b], t=0.4)",
    "warp({}, (a, b) -> sum([w[0] * a, w[1] * b]), w=[0.6, fixed(-0.3)])",
    "scale({}, (a, b) -> exp(s * a * b), s=0.2)",
    "additive(SE, order=2, dims=[x, \"fly ash\"])",
    "additive(RQ(l=2), dims=[0, 1], weights=[1, 0.5])",
    "anova(SE, dims=[0, 1], alpha=0.4)",
    "dropout(Matern32, dims=[0, 1])",
    "invariant(SE([0, 1]) * Matern32(x), swap(0, 1), flip(x), method=\"product\")",
];

/// The period of such an input.
const PERIOD: ParamSpec = ParamSpec {
    name: "period",
    short: "p",
    domain: Domains::Positive,
    role: mercer::kernel::Role::Period,
    size: Size::One,
    default: 1.0,
    help: "",
};

/// The variance of a wrap, declared like that of a family.
const VARIANCE: ParamSpec = ParamSpec {
    name: "variance",
    short: "v",
    domain: Domains::Positive,
    role: mercer::kernel::Role::Variance,
    size: Size::One,
    default: 1.0,
    help: "",
};

fn composed(inner: BoxedStrategy<Tree>, sees: Sees, depth: u32) -> BoxedStrategy<Tree> {
    let two = (inner.clone(), inner.clone());
    let three = (inner.clone(), inner.clone(), inner.clone());
    let names = select(vec!["trend", "season", "σ", "rest_1"]);
    let number = || select(vec!["2.5", "0.1", "1e-3", "3"]);
    let at = (number_text(Domains::Real), number_text(Domains::Positive));
    // inside a function of one number only `x` is mentioned
    let through = if sees == Sees::X { inner.clone() } else { tree(Sees::X, depth - 1) };
    let seen = through.clone().prop_map(|t| if t.mentions_x() { t } else { Tree::of("(SE(x) + {})", [t]) });
    let warps = select(vec![
        "x -> log(1 + x^2)",
        "x -> 0.5 * x - 1",
        "x -> if x > 0 then sqrt(x) else 0",
        "x -> q * x + sin(x), q=0.7",
    ]);
    let scales = select(vec!["x -> 1 + 0.5 * x", "x -> exp(-x)", "x -> if x > 0 then 1 else 2"]);
    let turned = select(vec![
        "warp(SE([x, \"fly ash\"]) + {}, (a, b) -> [a + b, a - b])",
        "scale(Matern32([\"fly ash\", x]) * {}, (b, a) -> a * b + 1)",
    ]);
    let both = [
        (4, two.clone().prop_map(|(a, b)| Tree::of("({} + {})", [a, b])).boxed()),
        (4, two.clone().prop_map(|(a, b)| Tree::of("({} * {})", [a, b])).boxed()),
        (1, three.clone().prop_map(|(a, b, c)| Tree::of("({} * {} + {})", [a, b, c])).boxed()),
        (1, three.prop_map(|(a, b, c)| Tree::of("({} + {} + {})", [a, b, c])).boxed()),
        (1, (number(), inner.clone()).prop_map(|(n, k)| Tree::of(format!("({n} * {{}})"), [k])).boxed()),
        (1, (inner.clone(), number()).prop_map(|(k, n)| Tree::of(format!("({{}} + {n})"), [k])).boxed()),
        (1, (inner.clone(), 1..4).prop_map(|(k, n)| Tree::of(format!("({{}}^{n})"), [k])).boxed()),
        (
            1,
            (two, at)
                .prop_map(|((a, b), (at, w))| {
                    Tree::of(format!("changepoint({{}}, {{}}, x, at={at}, width={w})"), [a, b])
                })
                .boxed(),
        ),
        (1, (names, inner.clone()).prop_map(|(name, k)| Tree::Named(name, Box::new(k))).boxed()),
        (1, (seen.clone(), warps).prop_map(|(k, f)| Tree::of(format!("warp({{}}, {f})"), [k])).boxed()),
        (1, (seen, scales).prop_map(|(k, f)| Tree::of(format!("scale({{}}, {f})"), [k])).boxed()),
    ];
    let deep = (inner.clone(), param_text(&VARIANCE, true)).prop_map(|(k, v)| Tree::of(call("deep(2, {}", &v), [k]));
    let mirrored = (inner.clone(), select(vec!["reflect({}, x)", "invariant({}, flip(x, about=0.3), normalize=true)"]))
        .prop_map(|(k, text)| Tree::of(text, [k]));
    let lists = (inner.clone(), inner.clone(), param_text(&VARIANCE, true)).prop_flat_map(|(a, b, v)| {
        let lists = select(vec![
            "additive([{}, {}]",
            "additive([{}, {}], order=1",
            "anova([{}, {}]",
            "dropout([{}, {}], keep=0.8",
        ]);
        lists.prop_map(move |text| {
            let v = if text.starts_with("additive") { "" } else { &v };
            Tree::of(call(text, v), [a.clone(), b.clone()])
        })
    });
    let mut both = both.to_vec();
    both.extend([(1, deep.boxed()), (1, mirrored.boxed()), (1, lists.boxed())]);
    if sees != Sees::X {
        let moved = (inner.clone(), select(MOVED)).prop_map(|(k, text)| Tree::of(text, [k]));
        let wound = (select(NUMERIC), select(WOUND), param_text(&PERIOD, false)).prop_map(|(k, text, p)| {
            Tree::Text(call(&text.replace("{}", k), if text.contains("sphere") { "" } else { &p }))
        });
        let whole = (select(NUMERIC), select(WHOLE)).prop_map(|(k, text)| Tree::Text(text.replace("{}", k)));
        both.extend([(1, moved.boxed()), (1, wound.boxed()), (1, whole.boxed())]);
    }
    let any = prop::strategy::Union::new_weighted(both);
    if sees == Sees::Some {
        prop_oneof![16 => any, 1 => (through, turned).prop_map(|(k, f)| Tree::of(f, [k]))].boxed()
    } else {
        any.boxed()
    }
}

/// The text of the inputs, and their number.
fn inputs(family: &'static dyn Family, sees: Sees) -> BoxedStrategy<(&'static str, usize)> {
    let spec = family.spec();
    let one = || select(vec![("x", 1), ("0", 1), ("\"fly ash\"", 1), ("1", 1)]);
    let several = || select(vec![("[0, 1]", 2), ("[\"fly ash\", x]", 2), ("[x]", 1)]);
    match sees {
        _ if !spec.reads_inputs => Just(("", 0)).boxed(),
        _ if family.takes_categories() => Just(("c", 1)).boxed(),
        Sees::X => Just(("x", 1)).boxed(),
        _ if !spec.several_inputs => one().boxed(),
        Sees::Some => prop_oneof![3 => one(), 1 => several()].boxed(),
        Sees::All => prop_oneof![2 => one(), 1 => several(), 2 => Just(("", 2))].boxed(),
    }
}

fn leaf(family: &'static dyn Family, sees: Sees) -> BoxedStrategy<Tree> {
    let spec = family.spec();
    let each = spec.params.iter().position(|p| p.size == Size::EachIfArd);
    (inputs(family, sees), prop::bool::weighted(0.3), any::<bool>())
        .prop_flat_map(move |((input, count), ard, flag)| {
            let each = each.filter(|_| ard && count == 2);
            let params: Vec<BoxedStrategy<String>> = spec
                .params
                .iter()
                .enumerate()
                .filter(|(i, _)| each != Some(*i))
                .map(|(_, p)| match p.size {
                    Size::Each if count != 1 => several_text(p, count),
                    _ => param_text(p, true).boxed(),
                })
                .collect();
            let lists = match each {
                Some(i) => several_text(&spec.params[i], count),
                None => Just(String::new()).boxed(),
            };
            (params, lists).prop_map(move |(params, lists)| {
                let flag = spec.flag.filter(|_| flag).map(|f| format!("{}=true", f.name)).unwrap_or_default();
                let written = std::iter::once(input.to_string()).chain(params).chain([flag]);
                let args: Vec<String> = written.filter(|text| !text.is_empty()).collect();
                let leaf =
                    if args.is_empty() { spec.name.into() } else { format!("{}({})", spec.name, args.join(", ")) };
                Tree::Text(match each {
                    None => leaf,
                    Some(_) if lists.is_empty() => format!("ARD({leaf})"),
                    Some(_) => format!("ARD({leaf}, {lists})"),
                })
            })
        })
        .boxed()
}

fn number_text(domain: Domains) -> BoxedStrategy<String> {
    match domain {
        Domains::Real => (-2.0..2.0f64).prop_map(|x| format!("{x:?}")).boxed(),
        Domains::Positive => {
            prop_oneof![(0.4..3.0f64).prop_map(|x| format!("{x:?}")), select(vec!["1", "2"]).prop_map(str::to_owned)]
                .boxed()
        }
        Domains::Count => (1..4u32).prop_map(|n| n.to_string()).boxed(),
    }
}

/// `l=…` in every form, or nothing.
fn param_text(spec: &'static ParamSpec, tied: bool) -> impl Strategy<Value = String> {
    let number = || number_text(spec.domain);
    let short = spec.short;
    if spec.domain == Domains::Count {
        return prop_oneof![Just(String::new()), number().prop_map(move |x| format!("{short}={x}"))].boxed();
    }
    let (lo, prior, tie) = match spec.domain {
        Domains::Real => ("-5", "Normal(0.5, 2)", "r"),
        Domains::Positive | Domains::Count => ("0.1", "LogNormal(0.1, 1)", "s"),
    };
    let tie = if tied { format!("{short}={tie}") } else { String::new() };
    prop_oneof![
        5 => Just(String::new()),
        3 => number().prop_map(move |x| format!("{short}={x}")),
        1 => number().prop_map(move |x| format!("{}={x}", spec.name)),
        1 => number().prop_map(move |x| format!("{short}=fixed({x})")),
        1 => Just(format!("{short}=between({lo}, 10)")),
        1 => number().prop_map(move |x| format!("{short}=between({lo}, 10, {x})")),
        1 => number().prop_map(move |x| format!("{short}={x} ~ {prior}")),
        1 => Just(format!("{short} ~ {prior}")),
        1 => Just(tie),
    ]
    .boxed()
}

/// A list with an entry for each input, or nothing.
fn several_text(spec: &'static ParamSpec, count: usize) -> BoxedStrategy<String> {
    let entry = prop_oneof![
        2 => number_text(spec.domain),
        1 => number_text(spec.domain).prop_map(|x| format!("fixed({x})")),
    ];
    let short = spec.short;
    prop_oneof![
        Just(String::new()),
        number_text(spec.domain).prop_map(move |x| format!("{short}={x}")),
        prop::collection::vec(entry, count).prop_map(move |list| format!("{short}=[{}]", list.join(", "))),
    ]
    .boxed()
}
