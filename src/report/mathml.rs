//! Kernels in MathML, which browsers display directly.

use maud::{Markup, html};

use crate::kernel::{InputRef, Inputs, Kernel, Leaf, Node, Wrapped, number};
use crate::model::Link;

/// `target = f + ε`, or P(target = class) = Φ(f), and the prior of f, as displayed formulas. Without a kernel f is the
/// mean function.
pub fn model(target: &str, class: Option<(&str, Link)>, mean: Option<&str>, kernel: Option<&Kernel>) -> Markup {
    let process = html! { mi mathvariant="normal" { "GP" } };
    html! {
        div.wide tabindex="0" {
            math display="block" {
                @match class {
                    None => { mtext { (target) } mo { "=" } mi { "f" } mo { "+" } mi { "ε" } mo { "," } }
                    Some((class, link)) => {
                        mi mathvariant="normal" { "P" } mo { "(" } mtext { (target) } mo { "=" } mtext { (class) } mo { ")" }
                        mo { "=" }
                        mi mathvariant="normal" { (match link { Link::Probit => "Φ", Link::Logistic => "σ" }) }
                        mo { "(" } mi { "f" } mo { ")" } mo { "," }
                    }
                }
                mspace width="1em" {}
                @if kernel.is_some() {
                    mi { "f" } mo { "∼" } (process)
                    mo { "(" }
                    @match mean { Some(mean) => { mi { (mean) } } None => { mn { "0" } } }
                    mo { "," } mi { "k" } mo { ")" }
                } @else {
                    mi { "f" } mo { "=" }
                    @match mean { Some(mean) => { mi { (mean) } } None => { mn { "0" } } }
                }
            }
            @if let Some(kernel) = kernel {
                math display="block" {
                    mi { "k" } mo { "=" } (sum(kernel))
                }
            }
        }
    }
}

/// k = …, as a displayed formula in MathML.
pub fn kernel_formula(kernel: &Kernel) -> String {
    html! { math display="block" { mi { "k" } mo { "=" } (sum(kernel)) } }.into_string()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    Product,
    Atom,
}

/// A kernel by the names of its families, without values.
pub fn sum(kernel: &Kernel) -> Markup {
    write(kernel, Level::Sum)
}

fn write(kernel: &Kernel, least: Level) -> Markup {
    let bracketed = |inner: Markup, level: Level| {
        if level < least {
            html! { mrow { mo { "(" } (inner) mo { ")" } } }
        } else {
            inner
        }
    };
    match kernel.node() {
        Node::Leaf(leaf) => match kernel.as_number() {
            Some(value) => html! { mn { (number(value)) } },
            None => name(leaf),
        },
        Node::Sum(_) => {
            let terms = joined(kernel.summands().into_iter().map(|term| write(term, Level::Product)), "+");
            bracketed(terms, Level::Sum)
        }
        Node::Product(_) => {
            let factors = joined(kernel.factors().into_iter().map(|factor| write(factor, Level::Atom)), "×");
            bracketed(factors, Level::Product)
        }
        Node::Wrap(wrapped) => match (wrapped.wrap.exponent(), &wrapped.children[..]) {
            (Some(n), [base]) => html! {
                msup { mrow { mo { "(" } (write(base, Level::Sum)) mo { ")" } } mn { (n) } }
            },
            _ => call(wrapped),
        },
    }
}

fn call(wrapped: &Wrapped) -> Markup {
    let wrap = &wrapped.wrap;
    let mut args: Vec<Markup> = wrap.leading().into_iter().map(|text| html! { mtext { (text) } }).collect();
    args.extend(wrapped.children.iter().map(|child| write(child, Level::Sum)));
    args.extend(wrap.function().map(|f| html! { mtext { (f.source()) } }));
    args.extend(wrap.extras(wrapped.inputs.written()).into_iter().map(|text| html! { mtext { (text) } }));
    let head = html! { mi mathvariant="normal" { (wrap.spec().name) } };
    html! {
        mrow { (below(head, &wrapped.inputs)) mo { "(" } (joined(args.into_iter(), ",")) mo { ")" } }
    }
}

fn name(leaf: &Leaf) -> Markup {
    let spec = leaf.family.spec();
    let flag = spec.flag.filter(|flag| flag.on).map(|flag| flag.name);
    let marks: Vec<&str> = leaf.ard.then_some("ARD").into_iter().chain(flag).collect();
    let head = html! { mi mathvariant="normal" { (spec.name) } };
    let marked = match marks.is_empty() {
        true => head,
        false => html! { msup { (head) mtext { (marks.join(", ")) } } },
    };
    below(marked, &leaf.inputs)
}

/// With the inputs as a subscript, if they are written.
fn below(head: Markup, inputs: &Inputs) -> Markup {
    let Inputs::These(these) = inputs else { return head };
    let names: Vec<String> = these
        .iter()
        .map(|input| match input {
            InputRef::Index(at) => at.to_string(),
            InputRef::Name(name) => name.to_string(),
        })
        .collect();
    html! { msub { (head) mtext { (names.join(", ")) } } }
}

fn joined(all: impl Iterator<Item = Markup>, sign: &str) -> Markup {
    html! {
        mrow { @for (i, one) in all.enumerate() { @if i > 0 { mo { (sign) } } (one) } }
    }
}
