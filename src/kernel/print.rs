//! The source form of a kernel. What is printed parses back to the same kernel, to the last bit.
//!
//! Only what was written is printed. Sums and products are printed flat: brackets and labels that do not change the
//! kernel are dropped. The form, for its parser:
//!
//! - A family: `SE`, `SE(0)`, `SE(year, l=2)`, `SE([0, 1])`, `Per("fly ash", p=1, centred=true)`: the input or a list
//!   of inputs; then parameters by their short names in the order of the family's spec; then the flag, if it is not the
//!   default. An input is an index, a bare word, or a string where it is not a plain word.
//! - With one number per input: `ARD(SE)`, `ARD(SE([0, 1], v=2), l=[1, fixed(2)])`. Parameters that have a number per
//!   input only because of `ARD` are arguments of `ARD` (`l`, the `v` of `Lin`); the others stay in the family. Without
//!   brackets, `ARD(SE, l=2)`, the number is the starting value of each. The locations of `Lin([0, 1], c=[0.1, 0.2])`
//!   and `Poly` are always in the family.
//! - A parameter: `l=2` is free, `l=fixed(2)`, `l=between(0.1, 10)`, `l=between(0.1, 10, 2.3)`; with a prior `l=2 ~
//!   LogNormal(0, 1)`, or without a value `l ~ LogNormal(0, 1)`. A degree is `degree=3`.
//! - A tie: complete at its first occurrence, `l=param(s)`, `l=param(s, 1.3)`, `l=param(s, fixed(2))`, `l=param(s, 1.3
//!   ~ LogNormal(0, 1))`, `l=param(s, ~ LogNormal(0, 1))`; afterwards `l=param(s)`. Names are made distinct: `s`, `s2`.
//! - An item of a list has the form that it has after `=`, or `~ LogNormal(0, 1)` if it has no value.
//! - A number in kernel algebra: `2.5 * SE`, `SE + 0.1`. Where it would be read as arithmetic of numbers (first in a
//!   sum, after another number, alone, under `^`) it is `Const(v=fixed(2.5))`.
//! - A wrap: kernels, then the function, then the input, then parameters, then further arguments: `changepoint(SE, Lin,
//!   year, at=1950, width=2)`, `warp(SE(0), x -> log(x))`, `basis(x -> [x, x^2], 0, v=2)`. A power is `SE^3`, `(SE +
//!   Lin)^2`, `(SE^2)^3`.

use std::collections::HashMap;
use std::fmt;

use super::family::{Domains, ParamSpec, Size};
use super::inputs::Inputs;
use super::names::{input, inputs, number, quoted, word};
use super::tree::InputsShown;
use super::tree::{Kernel, Leaf, Node, Wrapped};
use super::values::Values;
use crate::param::{Param, State, Tie};

/// The source form: see the [module](self).
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::default();
        printer.kernel(self, Level::Sum);
        f.write_str(&printer.out)
    }
}

/// The precedence of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    Product,
    Power,
    Atom,
}

#[derive(Default)]
struct Printer {
    out: String,
    /// The printed names of ties.
    ties: HashMap<Tie, String>,
}

impl Printer {
    /// Writes a kernel, in brackets if its precedence is lower than `least`.
    fn kernel(&mut self, kernel: &Kernel, least: Level) {
        match kernel.node() {
            Node::Leaf(leaf) => self.leaf(leaf),
            Node::Sum(_) => self.bracketed(least > Level::Sum, |p| {
                // the language would add a leading number to a number before it
                let mut number_before = true;
                for (i, term) in kernel.summands().into_iter().enumerate() {
                    if i > 0 {
                        p.out.push_str(" + ");
                    }
                    number_before = p.operand(term, number_before, Level::Product);
                }
            }),
            Node::Product(_) => self.bracketed(least > Level::Product, |p| {
                let mut number_before = false;
                for (i, factor) in kernel.factors().into_iter().enumerate() {
                    if i > 0 {
                        p.out.push_str(" * ");
                    }
                    number_before = p.operand(factor, number_before, Level::Power);
                }
            }),
            Node::Wrap(wrapped) => match wrapped.wrap.exponent() {
                Some(exponent) => self.bracketed(least > Level::Power, |p| {
                    for base in &wrapped.children {
                        p.kernel(base, Level::Atom);
                    }
                    p.out.push_str(&format!("^{exponent}"));
                }),
                None => self.wrap(wrapped),
            },
        }
    }

    fn bracketed(&mut self, brackets: bool, inside: impl FnOnce(&mut Self)) {
        if brackets {
            self.out.push('(');
        }
        inside(self);
        if brackets {
            self.out.push(')');
        }
    }

    /// Writes a term or a factor, which may be a bare number. Returns whether it was a number.
    fn operand(&mut self, kernel: &Kernel, number_before: bool, least: Level) -> bool {
        match kernel.as_number() {
            Some(value)
                if !number_before && matches!(kernel.node(), Node::Leaf(leaf) if leaf.inputs == Inputs::All) =>
            {
                self.out.push_str(&number(value));
                true
            }
            found => {
                self.kernel(kernel, least);
                found.is_some()
            }
        }
    }

    fn leaf(&mut self, leaf: &Leaf) {
        let spec = leaf.family.spec();
        let of_ard = |p: &ParamSpec| leaf.ard && p.size == Size::EachIfArd;
        if leaf.ard {
            self.out.push_str("ARD(");
        }
        self.out.push_str(spec.name);
        let mut args = Args::default();
        if let Some(inputs) = inputs(&leaf.inputs) {
            args.push(self, |p| p.out.push_str(&inputs));
        }
        let params = || spec.params.iter().zip(&leaf.params);
        for (param, values) in params().filter(|(p, _)| !of_ard(p)) {
            self.param(&mut args, param, values);
        }
        let usual = super::families::family(spec.name).and_then(|f| f.spec().flag).map(|flag| flag.on);
        if let Some(flag) = spec.flag.filter(|flag| usual != Some(flag.on)) {
            args.push(self, |p| p.out.push_str(&format!("{}={}", flag.name, flag.on)));
        }
        args.close(self);
        if leaf.ard {
            let mut args = Args { open: true };
            for (param, values) in params().filter(|(p, _)| of_ard(p)) {
                self.param(&mut args, param, values);
            }
            args.close(self);
        }
    }

    fn wrap(&mut self, wrapped: &Wrapped) {
        let spec = wrapped.wrap.spec();
        self.out.push_str(spec.name);
        let mut args = Args::default();
        if let Some(leading) = wrapped.wrap.leading() {
            args.push(self, |p| p.out.push_str(&leading));
        }
        if wrapped.wrap.lists_children() {
            args.push(self, |p| {
                p.out.push('[');
                for (i, child) in wrapped.children.iter().enumerate() {
                    if i > 0 {
                        p.out.push_str(", ");
                    }
                    p.kernel(child, Level::Sum);
                }
                p.out.push(']');
            });
        } else {
            for child in wrapped.children.iter().filter(|child| !wrapped.wrap.hides_child(child)) {
                args.push(self, |p| p.kernel(child, Level::Sum));
            }
        }
        if let Some(function) = wrapped.wrap.function() {
            args.push(self, |p| p.out.push_str(&function.source()));
        }
        if let Some(inputs) = inputs(&wrapped.inputs) {
            match wrapped.wrap.inputs_shown() {
                InputsShown::Place => args.push(self, |p| p.out.push_str(&inputs)),
                InputsShown::Each => {
                    for one in wrapped.inputs.written() {
                        args.push(self, |p| p.out.push_str(&input(one)));
                    }
                }
                InputsShown::Keyword(word) => args.push(self, |p| p.out.push_str(&format!("{word}={inputs}"))),
                InputsShown::Extras => {}
            }
        }
        for (param, values) in spec.params.iter().zip(&wrapped.params) {
            self.param(&mut args, param, values);
        }
        for extra in wrapped.wrap.extras(wrapped.inputs.written()) {
            args.push(self, |p| p.out.push_str(&extra));
        }
        if !args.open {
            // a bare name would be the function that builds the kernel
            self.out.push('(');
            args.open = true;
        }
        args.close(self);
    }

    /// Writes a parameter as an argument, if anything of it is set.
    fn param(&mut self, args: &mut Args, spec: &ParamSpec, values: &Values) {
        if !values.is_unset() {
            args.push(self, |p| p.named(spec, values));
        }
    }

    fn named(&mut self, spec: &ParamSpec, values: &Values) {
        self.out.push_str(spec.short);
        match values {
            Values::One(param) if param.state == State::Unset && param.tie.is_none() => self.out.push(' '),
            _ => self.out.push('='),
        }
        match values {
            Values::One(param) => self.value(spec, param),
            Values::Each(params) => {
                self.out.push('[');
                for (i, param) in params.iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    match param.is_unset() {
                        // a list has no gaps
                        true => self.out.push_str(&number(spec.default)),
                        false => self.value(spec, param),
                    }
                }
                self.out.push(']');
            }
        }
    }

    fn value(&mut self, spec: &ParamSpec, param: &Param) {
        let Some(tie) = &param.tie else {
            self.out.push_str(&untied(spec, param));
            return;
        };
        if let Some(name) = self.ties.get(tie) {
            let again = format!("param({name})");
            self.out.push_str(&again);
            return;
        }
        let name = self.name(tie, spec);
        self.out.push_str(&format!("param({name}"));
        let known = untied(spec, param);
        if !known.is_empty() {
            self.out.push_str(", ");
            self.out.push_str(&known);
        }
        self.out.push(')');
    }

    /// A name for a tie, different from those of earlier ties.
    fn name(&mut self, tie: &Tie, spec: &ParamSpec) -> String {
        let base = if tie.name.is_empty() { spec.short } else { &tie.name };
        let numbered = (2..).map(|n| word(&format!("{base}{n}")));
        let taken = |name: &String| self.ties.values().any(|t| t == name);
        let name = std::iter::once(word(base)).chain(numbered).find(|n| !taken(n)).unwrap_or_default();
        self.ties.insert(tie.clone(), name.clone());
        name
    }
}

/// A parameter without its tie: nothing, a value, a prior, or both.
fn untied(spec: &ParamSpec, param: &Param) -> String {
    let number = |x: f64| match param.time.and_then(|measure| measure.text(x)) {
        Some(text) => quoted(&text),
        None => number(x),
    };
    let value = match param.state {
        State::Unset => String::new(),
        State::Free(value) => number(value),
        State::Fixed(value) if spec.domain == Domains::Count => number(value),
        State::Fixed(value) => format!("fixed({})", number(value)),
        State::Bounded { lo, hi, value: None } => format!("between({}, {})", number(lo), number(hi)),
        State::Bounded { lo, hi, value: Some(value) } => {
            format!("between({}, {}, {})", number(lo), number(hi), number(value))
        }
    };
    match param.prior {
        None => value,
        Some(prior) if value.is_empty() => format!("~ {prior}"),
        Some(prior) => format!("{value} ~ {prior}"),
    }
}

/// A parameter outside a kernel as a keyword argument: `noise=0.1`, `noise ~ HalfNormal(1)`.
pub(crate) fn keyword(spec: &ParamSpec, param: &Param) -> String {
    let mut printer = Printer::default();
    printer.named(spec, &Values::One(param.clone()));
    printer.out
}

/// Parameters outside a kernel as a list: `[1, fixed(2)]`.
pub(crate) fn list(spec: &ParamSpec, params: &[Param]) -> String {
    let mut printer = Printer::default();
    printer.named(spec, &Values::Each(params.to_vec()));
    printer.out
}

/// Parameters of a function outside a kernel as keyword arguments. An unset one is written with its default, because
/// it is a parameter only if it is named.
pub(crate) fn arguments(specs: &[ParamSpec], values: &[Values]) -> Vec<String> {
    let mut printer = Printer::default();
    let named = |(spec, values): (&ParamSpec, &Values)| {
        let written = values.map(|param| match param.is_unset() {
            true => Param::free(spec.default),
            false => param.clone(),
        });
        printer.named(spec, &written);
        std::mem::take(&mut printer.out)
    };
    specs.iter().zip(values).map(named).collect()
}

/// The arguments of a call, whose brackets are written only if there are any.
#[derive(Default)]
struct Args {
    open: bool,
}

impl Args {
    fn push(&mut self, printer: &mut Printer, write: impl FnOnce(&mut Printer)) {
        printer.out.push_str(if self.open { ", " } else { "(" });
        self.open = true;
        write(printer);
    }

    fn close(self, printer: &mut Printer) {
        if self.open {
            printer.out.push(')');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::families::family;
    use super::super::inputs::InputRef;
    use super::super::testing::{self, named};
    use super::super::wraps;
    use super::*;
    use crate::param::Density;

    fn check(kernel: &Kernel, expected: &str) {
        assert_eq!(kernel.to_string(), expected);
    }

    fn leaf(name: &str, params: &[(&str, Param)]) -> Kernel {
        testing::leaf(name, Inputs::All, params)
    }

    fn ard(name: &str, inputs: Inputs, params: Vec<Values>) -> Kernel {
        Node::Leaf(Leaf { family: family(name).unwrap(), inputs, ard: true, params }).into()
    }

    #[test]
    fn nothing_unwritten_is_printed() {
        check(&testing::example(), "SE(1) * Per(2) + Lin");
        check(&leaf("Poly", &[("degree", Param::fixed(3.0))]), "Poly(degree=3)");
    }

    #[test]
    fn inputs_are_places_words_or_strings() {
        for (name, text) in
            [("year", "Lin(year)"), ("SE", "Lin(\"SE\")"), ("fly ash", "Lin(\"fly ash\")"), ("σ2", "Lin(σ2)")]
        {
            check(&testing::leaf("Lin", named(name), &[]), text);
        }
        check(&testing::leaf("Lin", named("a\"b\\"), &[]), r#"Lin("a\"b\\")"#);
        check(&testing::leaf("Lin", Inputs::These(vec![InputRef::Index(0), InputRef::Index(2)]), &[]), "Lin([0, 2])");
    }

    #[test]
    fn a_parameter_shows_what_is_known_of_it() {
        let prior = Some(Density::LogNormal { mean: 0.0, sd: 1.0 }.into());
        let bounded = |value| Param::from(State::Bounded { lo: 0.1, hi: 10.0, value });
        for (param, text) in [
            (Param::free(2.0), "SE(l=2)"),
            (Param::fixed(1e-7), "SE(l=fixed(1e-7))"),
            (bounded(None), "SE(l=between(0.1, 10))"),
            (bounded(Some(2.3)), "SE(l=between(0.1, 10, 2.3))"),
            (Param { prior, ..Param::free(2.0) }, "SE(l=2 ~ LogNormal(0, 1))"),
            (Param { prior, ..Param::default() }, "SE(l ~ LogNormal(0, 1))"),
        ] {
            check(&leaf("SE", &[("l", param)]), text);
        }
    }

    #[test]
    fn a_tie_is_described_where_it_first_stands() {
        let tied = |tie: &Tie, state: State| Param { tie: Some(tie.clone()), ..state.into() };
        let (s, other) = (Tie::new("s"), Tie::new("s"));
        let se = |tie, state| leaf("SE", &[("l", tied(tie, state))]);
        let free = State::Free(1.3);
        let sum =
            Kernel::sum([se(&s, free), se(&s, free), se(&other, State::Fixed(2.0)), se(&other, State::Fixed(2.0))]);
        check(&sum.unwrap(), "SE(l=param(s, 1.3)) + SE(l=param(s)) + SE(l=param(s2, fixed(2))) + SE(l=param(s2))");
        check(&se(&s, State::Unset), "SE(l=param(s))");
        let prior = Some(Density::HalfNormal { sd: 2.0 }.into());
        check(&leaf("SE", &[("l", Param { prior, ..tied(&s, State::Unset) })]), "SE(l=param(s, ~ HalfNormal(2)))");
    }

    #[test]
    fn numbers_are_bare_where_they_stay_kernels() {
        let se = || leaf("SE", &[]);
        let number = Kernel::number;
        check(&number(2.5), "Const(v=fixed(2.5))");
        check(&Kernel::product([number(2.5), se()]).unwrap(), "2.5 * SE");
        check(&Kernel::product([number(2.0), number(1e21), se()]).unwrap(), "2 * Const(v=fixed(1e21)) * SE");
        check(&Kernel::sum([se(), number(0.1)]).unwrap(), "SE + 0.1");
        check(&Kernel::sum([number(0.1), se()]).unwrap(), "Const(v=fixed(0.1)) + SE");
        check(&wraps::power(number(2.0), 3), "Const(v=fixed(2))^3");
    }

    #[test]
    fn brackets_stand_where_precedence_needs_them() {
        let (a, b, c) = (leaf("SE", &[]), leaf("Lin", &[]), leaf("WN", &[]));
        let sum = Kernel::sum([a.clone(), b.clone()]).unwrap();
        let product = Kernel::product([a.clone(), b]).unwrap();
        check(&Kernel::product([sum.clone(), c.clone()]).unwrap(), "(SE + Lin) * WN");
        check(&Kernel::sum([sum.clone().labelled("trend"), c.clone()]).unwrap(), "SE + Lin + WN");
        check(&wraps::power(sum, 2), "(SE + Lin)^2");
        check(&wraps::power(product, 2), "(SE * Lin)^2");
        check(&wraps::power(wraps::power(a, 2), 3), "(SE^2)^3");
        check(&Kernel::product([wraps::power(c.clone(), 2), c]).unwrap(), "WN^2 * WN");
    }

    #[test]
    fn ard_holds_what_is_one_for_each() {
        let one = |x| Values::One(Param::free(x));
        let two = Inputs::These(vec![InputRef::Index(0), InputRef::Index(1)]);
        let each = Values::Each(vec![Param::free(1.0), Param::fixed(2.0)]);
        check(&ard("SE", Inputs::All, vec![Values::Each(vec![]), one(2.0)]), "ARD(SE(v=2))");
        check(
            &ard("SE", two.clone(), vec![each.clone(), Values::One(Param::default())]),
            "ARD(SE([0, 1]), l=[1, fixed(2)])",
        );
        check(&ard("SE", Inputs::All, vec![each.clone(), one(2.0)]), "ARD(SE(v=2), l=[1, fixed(2)])");
        check(&ard("SE", Inputs::All, vec![one(3.0), one(2.0)]), "ARD(SE(v=2), l=3)");
        check(
            &ard("Lin", two, vec![one(1.0), each.clone(), each]),
            "ARD(Lin([0, 1], b=1, c=[1, fixed(2)]), v=[1, fixed(2)])",
        );
        check(&ard("onehot", named("c"), vec![Values::Each(vec![]), Values::One(Param::default())]), "ARD(onehot(c))");
    }

    #[test]
    fn wraps_and_flags() {
        let se = leaf("SE", &[]);
        let function = || testing::function("x -> log(x)");
        check(&wraps::warp(se.clone(), function(), Vec::new()), "warp(SE, x -> log(x))");
        check(
            &wraps::basis(function(), named("year"), vec![Values::One(Param::free(2.0))]),
            "basis(x -> log(x), year, v=2)",
        );
        let params = vec![Values::One(Param::free(-1950.0)), Values::One(Param::default())];
        check(&wraps::changepoint(se.clone(), se, named("year"), params), "changepoint(SE, SE, year, at=-1950)");
        let centred = (family("Per").unwrap().spec().flag.unwrap().other)();
        check(&Kernel::leaf(centred, named("year")), "Per(year, centred=true)");
    }

    #[test]
    fn equality_is_blind_to_labels_brackets_and_names_of_ties() {
        let (a, b, c) = (leaf("SE", &[]), leaf("Lin", &[]), leaf("WN", &[]));
        let inner = Kernel::sum([b.clone(), c.clone()]).unwrap().labelled("noise");
        assert_eq!(Kernel::sum([a.clone(), inner]), Kernel::sum([a.clone(), b.clone(), c]));
        assert_ne!(Kernel::sum([a.clone(), b.clone()]), Kernel::sum([b, a]));
        let pair = |one: &Tie, two: &Tie| {
            let se = |t: &Tie| leaf("SE", &[("l", Param { tie: Some(t.clone()), ..Param::free(1.0) })]);
            Kernel::sum([se(one), se(two)])
        };
        let (s, t) = (Tie::new("s"), Tie::new("t"));
        assert_eq!(pair(&s, &s), pair(&t, &t));
        assert_eq!(pair(&s, &t), pair(&t, &s));
        assert_ne!(pair(&s, &t), pair(&s, &s));
    }
}
