//! Kernels in LaTeX math mode, without packages.

use super::family::Spec;
use super::inputs::{InputRef, Inputs};
use super::names::number;
use super::tree::InputsShown;
use super::tree::{Kernel, Leaf, Node, Wrapped};
use super::unit_variance::{mark, unmark};

impl Kernel {
    /// The expression in the names of the families, with their inputs as subscripts and without parameters:
    /// `\mathrm{SE}_{\mathrm{year}} \times \mathrm{Per}_{\mathrm{year}}`.
    pub fn latex(&self) -> String {
        write(self, Level::Sum, &mut Pen { formula: false, leaf: &mut |leaf, _| leaf_name(leaf) })
    }

    /// The expression with the formula of every family in place of its name. If there are several, their parameters are
    /// numbered by family in reading order, and inputs have their names. A length-scale for each input is explained at
    /// the end.
    pub fn latex_formula(&self) -> String {
        let whole = unmark(&mark(&self.listed()).reduced());
        let several = count_leaves(&whole) > 1;
        let mut n = 0;
        let mut scales = Vec::new();
        let mut leaf = |leaf: &Leaf, least: Level| {
            n += 1;
            let number = several.then_some(n);
            let text = formula(leaf.family.spec(), &leaf.inputs, number);
            if leaf.ard {
                scales.push(separate_scales(&leaf.inputs, number));
            }
            // a formula that is a sum, or that explains a letter, is one factor or one term in brackets
            if is_sum(&text) && least > Level::Sum { format!(r"\left[{text}\right]") } else { text }
        };
        let whole = write(&whole, Level::Sum, &mut Pen { formula: true, leaf: &mut leaf });
        std::iter::once(whole).chain(scales).collect::<Vec<_>>().join(r",\quad ")
    }
}

/// How the parts are written.
struct Pen<'a> {
    /// Whether formulas are written in place of names.
    formula: bool,
    leaf: &'a mut dyn FnMut(&Leaf, Level) -> String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    Product,
    Atom,
}

fn write(kernel: &Kernel, least: Level, pen: &mut Pen<'_>) -> String {
    let bracketed = |text: String, level: Level| if level < least { format!(r"\left({text}\right)") } else { text };
    match kernel.node() {
        Node::Leaf(leaf) => match kernel.as_number() {
            Some(value) => bracketed(numeral(value), Level::Product),
            None => (pen.leaf)(leaf, least),
        },
        Node::Sum(_) => {
            let terms: Vec<String> = kernel.summands().into_iter().map(|t| write(t, Level::Product, pen)).collect();
            bracketed(terms.join(" + "), Level::Sum)
        }
        Node::Product(_) => {
            let factor = |f: &Kernel| match f.as_number() {
                Some(value) => numeral(value),
                None => write(f, Level::Atom, pen),
            };
            let factors: Vec<String> = kernel.factors().into_iter().map(factor).collect();
            bracketed(factors.join(r" \times "), Level::Product)
        }
        Node::Wrap(wrapped) => match (wrapped.wrap.exponent(), &wrapped.children[..]) {
            (Some(n), [base]) => {
                // an exponent inside, or a name with a superscript, would give a double superscript
                let text = write(base, Level::Sum, pen);
                format!(r"{{\left({text}\right)}}^{{{n}}}")
            }
            _ if pen.formula => match as_sum(wrapped, pen) {
                Some(text) => bracketed(text, Level::Sum),
                None => call(wrapped, pen),
            },
            _ => call(wrapped, pen),
        },
    }
}

/// The formula of a wrap as a sum, if it has one.
fn as_sum(wrapped: &Wrapped, pen: &mut Pen<'_>) -> Option<String> {
    // asked before its kernels are written, which counts them
    wrapped.wrap.latex_sum(wrapped, &vec![String::new(); wrapped.children.len()])?;
    let children: Vec<String> = wrapped.children.iter().map(|c| write(c, Level::Atom, pen)).collect();
    wrapped.wrap.latex_sum(wrapped, &children).filter(|text| text.len() <= LONGEST)
}

/// A longer formula of a wrap is not written out: nested sums would grow without bound.
const LONGEST: usize = 5000;

fn call(wrapped: &Wrapped, pen: &mut Pen<'_>) -> String {
    // a number of layers, or the name of a family
    let set = |text: String| match text.parse::<f64>() {
        Ok(n) if n.is_finite() => text,
        Ok(_) => r"\infty".to_string(),
        Err(_) => format!(r"\mathrm{{{}}}", math_mode(&text)),
    };
    let mut args: Vec<String> = wrapped.wrap.leading().into_iter().map(set).collect();
    args.extend(wrapped.children.iter().map(|c| write(c, Level::Sum, pen)));
    args.extend(wrapped.wrap.function().map(|f| format!(r"\texttt{{{}}}", text_mode(&f.source()))));
    args.extend(wrapped.wrap.extras(wrapped.inputs.written()).iter().map(|e| format!(r"\texttt{{{}}}", text_mode(e))));
    let at = match wrapped.wrap.inputs_shown() {
        InputsShown::Extras => String::new(),
        _ => subscript(&wrapped.inputs),
    };
    let name = math_mode(wrapped.wrap.spec().name);
    format!(r"\mathrm{{{name}}}{at}\left({}\right)", args.join(", "))
}

fn count_leaves(kernel: &Kernel) -> usize {
    match kernel.node() {
        Node::Leaf(_) => usize::from(kernel.as_number().is_none()),
        _ => kernel.children().iter().map(count_leaves).sum(),
    }
}

fn leaf_name(leaf: &Leaf) -> String {
    let spec = leaf.family.spec();
    let flag = spec.flag.filter(|flag| flag.on).map(|flag| flag.name);
    let marks: Vec<&str> = leaf.ard.then_some("ARD").into_iter().chain(flag).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(r"^{{\mathrm{{{}}}}}", marks.join(r",\ ")) };
    format!(r"\mathrm{{{}}}{marks}{}", math_mode(spec.name), subscript(&leaf.inputs))
}

fn subscript(inputs: &Inputs) -> String {
    match inputs {
        Inputs::All => String::new(),
        Inputs::These(these) => format!("_{{{}}}", these.iter().map(input).collect::<Vec<_>>().join(",")),
    }
}

/// An input in math mode: its index, or its name in roman.
pub(super) fn input(input: &InputRef) -> String {
    match input {
        InputRef::Index(at) => at.to_string(),
        InputRef::Name(name) => format!(r"\mathrm{{{}}}", math_mode(name)),
    }
}

/// The formula of a family with distinct letters: parameters with the number of the family, inputs with their names.
fn formula(spec: &Spec, inputs: &Inputs, n: Option<usize>) -> String {
    let at = subscript(inputs);
    let number = n.map_or(String::new(), |n| format!("_{{{n}}}"));
    let mut out = String::new();
    let mut chars = spec.latex.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == '\\' {
            // a command, whose letters are not letters of the formula
            while let Some(letter) = chars.next_if(char::is_ascii_alphabetic) {
                out.push(letter);
            }
            continue;
        }
        while let Some(prime) = chars.next_if_eq(&'\'') {
            out.push(prime);
        }
        // a letter that already has a subscript
        if chars.peek() == Some(&'_') {
            continue;
        }
        let mut letter = [0; 4];
        let letter = &*c.encode_utf8(&mut letter);
        let degree = letter == "d" && spec.params.iter().any(|p| p.short == "degree");
        if degree || spec.params.iter().any(|p| p.short == letter) {
            out.push_str(&number);
        } else if matches!(letter, "r" | "x") && spec.reads_inputs {
            out.push_str(&at);
        }
    }
    out
}

/// What r and l stand for where each input has a length-scale.
fn separate_scales(inputs: &Inputs, n: Option<usize>) -> String {
    let at = subscript(inputs);
    let (number, item) = n.map_or((String::new(), "i".into()), |n| (format!("_{{{n}}}"), format!("{n},i")));
    format!(r"\frac{{r{at}^2}}{{l{number}^2}} = \sum_i \frac{{r_i^2}}{{l_{{{item}}}^2}}")
}

/// Whether a formula has a plus or a comma outside of all brackets.
fn is_sum(formula: &str) -> bool {
    let mut depth = 0_usize;
    let mut chars = formula.chars();
    while let Some(c) = chars.next() {
        match c {
            // a command, or a space such as `\,`
            '\\' => {
                chars.next();
            }
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            '+' | ',' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

fn numeral(x: f64) -> String {
    let text = number(x);
    match text.split_once('e') {
        Some(("1", power)) => format!("10^{{{power}}}"),
        Some((digits, power)) => format!(r"{digits} \cdot 10^{{{power}}}"),
        None => text,
    }
}

/// A name inside `\mathrm`.
fn math_mode(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '_' | '%' | '#' | '&' | '$' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str(r"\backslash "),
            '~' => out.push_str(r"{\sim}"),
            '^' => out.push_str(r"{\wedge}"),
            c if c.is_whitespace() || c.is_control() => out.push_str(r"\ "),
            c => out.push(c),
        }
    }
    out
}

/// Text inside `\texttt`.
fn text_mode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '_' | '%' | '#' | '&' | '$' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str(r"\textbackslash{}"),
            '~' => out.push_str(r"\textasciitilde{}"),
            '^' => out.push_str(r"\textasciicircum{}"),
            '-' | '<' | '>' => out.extend(['{', c, '}']),
            c if c.is_whitespace() || c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, at, leaf, named};
    use super::super::wraps;
    use super::*;

    #[test]
    fn names_with_inputs_below() {
        assert_eq!(testing::example().latex(), r"\mathrm{SE}_{1} \times \mathrm{Per}_{2} + \mathrm{Lin}");
        let ash = leaf("Lin", named("fly_ash %"), &[]);
        assert_eq!(ash.latex(), r"\mathrm{Lin}_{\mathrm{fly\_ash\ \%}}");
        let sum = Kernel::sum([leaf("SE", at(0), &[]), Kernel::number(1e-7)]).unwrap();
        assert_eq!(wraps::power(sum, 2).latex(), r"{\left(\mathrm{SE}_{0} + 10^{-7}\right)}^{2}");
    }

    #[test]
    fn functions_are_set_as_text() {
        let warped = wraps::warp(leaf("SE", at(0), &[]), testing::function("x_1 -> x_1^2"), Vec::new());
        let text = r"\mathrm{warp}\left(\mathrm{SE}_{0}, \texttt{x\_1 {-}{>} x\_1\textasciicircum{}2}\right)";
        assert_eq!(warped.latex(), text);
    }

    #[test]
    fn formulas_tell_letters_apart() {
        let se = leaf("SE", named("year"), &[]);
        let at = r"r_{\mathrm{year}}";
        assert_eq!(se.latex_formula(), format!(r"v \exp\left(-\frac{{{at}^2}}{{2 l^2}}\right)"));
        let product = Kernel::product([se, leaf("Const", Inputs::All, &[])]).unwrap();
        let first = format!(r"v_{{1}} \exp\left(-\frac{{{at}^2}}{{2 l_{{1}}^2}}\right)");
        assert_eq!(product.latex_formula(), format!(r"{first} \times v_{{2}}"));
        // a formula that is a sum stays together in a product
        let lines = Kernel::product([leaf("Lin", testing::at(0), &[]), leaf("Lin", testing::at(1), &[])]).unwrap();
        let line = |i: usize, n: usize| {
            let side = |prime: &str| format!("(x{prime}_{{{i}}} - c_{{{n}}})");
            format!(r"\left[b_{{{n}}} + v_{{{n}}} {}{}\right]", side(""), side("'"))
        };
        assert_eq!(lines.latex_formula(), format!(r"{} \times {}", line(0, 1), line(1, 2)));
        assert!(!leaf("Lin", testing::at(0), &[]).latex_formula().contains("left["));
        assert!(is_sum("b + v x") && is_sum("a, b") && !is_sum(r"v \left(1 + r\right)") && !is_sum(r"v \, [x]"));
        assert!(!is_sum(r"v \, \delta"));
    }

    #[test]
    fn additive_kernels_are_written_as_sums() {
        let bases = wraps::Bases::Each(vec![leaf("Const", Inputs::All, &[]), leaf("Const", Inputs::All, &[])]);
        let weights = vec![crate::kernel::Values::Each(Vec::new())];
        let form = wraps::AdditiveForm::Additive(None);
        let additive = wraps::additive(form, bases, Inputs::All, weights).unwrap();
        let (a, b) = ("v_{1}", "v_{2}");
        let text = format!(r"w_{{1}} \left({a} + {b}\right) + w_{{2}} \times {a} \times {b}");
        assert_eq!(additive.latex_formula(), text);
    }

    /// Braces and `\left`/`\right` are balanced, and no script is doubled.
    #[test]
    fn groups_are_closed() {
        for family in super::super::families::FAMILIES {
            let kernel = Kernel::leaf(*family, named("a_b"));
            let all = Kernel::sum([kernel.clone(), wraps::power(kernel, 3)]).unwrap();
            for text in [all.latex(), all.latex_formula()] {
                let bare = text.replace(r"\{", "").replace(r"\}", "");
                assert_eq!(bare.matches('{').count(), bare.matches('}').count(), "{text}");
                assert_eq!(text.matches(r"\left").count(), text.matches(r"\right").count(), "{text}");
                assert!(!text.contains("}_{2}_") && !text.contains("}_{1}_"), "{text}");
            }
        }
    }
}
