//! Kernels as noun phrases: "a yearly pattern whose shape drifts over about 3 years".

use super::data_context::{DataContext, Input, overlap};
use super::factor::{Factor, Product, first_value, mentioned_inputs, parameter_text, wording};
use super::quantity::{DIGITS, amount, short, single, spoken};
use super::template::fill;
use super::words::{join_and, with_article};
use crate::fit::gap_of_jump;
use crate::kernel::{Head, InnerInputs, InputRef, Inputs, Kernel, Node, Role, Wrapped};

/// The largest number of terms of a sum that are described inside a phrase.
const MOST: usize = 12;

/// The meaning of a kernel, with an article if needed, and the size of its values if known.
pub fn noun_phrase(kernel: &Kernel, context: &DataContext) -> String {
    if let Node::Sum(_) = kernel.node() {
        return sum(&kernel.summands(), context);
    }
    let product = Product::of(kernel, context);
    let noun = of_product(&product, context);
    let whole = size(&product, context).map_or(noun.clone(), |size| format!("{noun} ({size})"));
    // consecutive brackets are merged
    whole.replace(") (standard", "; standard").replace(") (its", "; its")
}

/// The meaning of a product, with an article if needed.
pub fn of_product(product: &Product<'_>, context: &DataContext) -> String {
    let Some((head, rest)) = product.factors.split_first() else { return "a constant".into() };
    let (noun, mut clauses, included) = subject(head, rest, context);
    clauses.extend(rest[included..].iter().map(|factor| clause(factor, head, context)));
    if clauses.is_empty() { noun } else { format!("{noun} {}", join_and(&clauses)) }
}

fn sum(terms: &[&Kernel], context: &DataContext) -> String {
    format!("the sum of {}", list(terms, context))
}

/// The meanings of several kernels, numbered if there are more than one.
fn list(terms: &[&Kernel], context: &DataContext) -> String {
    if let [one] = terms {
        return noun_phrase(one, context);
    }
    if let Some(alike) = alike(terms, context) {
        return alike;
    }
    let phrases =
        terms.iter().take(MOST).enumerate().map(|(i, term)| format!("({}) {}", i + 1, noun_phrase(term, context)));
    let mut phrases: Vec<String> = phrases.collect();
    if terms.len() > MOST {
        phrases.push(format!("{} more parts", terms.len() - MOST));
    }
    join_and(&phrases)
}

/// Smooth functions of one family, each of another input, as one phrase.
fn alike(terms: &[&Kernel], context: &DataContext) -> Option<String> {
    const FEWEST: usize = 3;
    let mut all: Option<Factor<'_>> = None;
    for term in terms {
        let product = Product::of(term, context);
        let [factor] = &product.factors[..] else { return None };
        let spec = |f: &Factor<'_>| f.leaves.first().map(|(leaf, _)| leaf.family.spec().name);
        if !matches!(factor.head, Head::Smooth)
            || factor.inputs.len() != 1
            || factor.power != 1
            || product.number != 1.0
        {
            return None;
        }
        match &mut all {
            None => all = Some(factor.clone()),
            Some(all) if spec(all) == spec(factor) && !overlap(&all.inputs, &factor.inputs) => {
                all.inputs.extend(factor.inputs.clone());
                all.leaves.extend(factor.leaves.clone());
            }
            Some(_) => return None,
        }
    }
    let all = all.filter(|all| all.leaves.len() >= FEWEST)?;
    let (leaf, _) = all.leaves.first()?;
    let noun = fill(leaf.family.spec().wording.noun, &|name| (name == "x").then(|| "one input each".to_string()))?;
    let noun = noun.replacen("function of", "functions of", 1);
    let names = context.names(&all.inputs);
    Some(match all.value("l", context) {
        Some(scales) => format!("{noun} that vary over about {scales}"),
        None => format!("{noun}: {names}"),
    })
}

/// The noun with its article, its own clauses, and the number of other factors that it includes.
fn subject(head: &Factor<'_>, rest: &[Factor<'_>], context: &DataContext) -> (String, Vec<String>, usize) {
    let Some((leaf, inputs)) = head.leaves.first() else { return (whole(head.kernel, context), Vec::new(), 0) };
    let voice = wording(leaf, inputs);
    if head.head == Head::Polynomial {
        let apart = |f: &&Factor<'_>| f.head == Head::Polynomial && !overlap(&f.inputs, &head.inputs);
        let others: Vec<&Factor<'_>> = rest.iter().take_while(apart).collect();
        if !others.is_empty() {
            let all = std::iter::once(head).chain(others.iter().copied());
            let each: Vec<String> =
                all.map(|f| format!("{} in {}", adjective(f.degree), context.names(&f.inputs))).collect();
            return (format!("a function that is {}", join_and(&each)), Vec::new(), others.len());
        }
    }
    let noun = match (head.head, head.cycle()) {
        (Head::Periodic(noun), Some(cycle)) if context.has_choice() => {
            format!("{cycle} {noun} in {}", context.names(&head.inputs))
        }
        (Head::Periodic(noun), Some(cycle)) => format!("{cycle} {noun}"),
        _ => fill(voice.noun, &|name| value(head, name, context)).unwrap_or_else(|| "function".into()),
    };
    let known = |name: &str| value(head, name, context);
    let far = head.span_far_below_scale();
    let detail = |detail: &&str| match &far {
        Some(span) if detail.contains("{l}") => {
            Some(format!("with a length-scale far beyond the span of the data ({span})"))
        }
        _ => fill(detail, &known),
    };
    let mut clauses: Vec<String> = voice.details.iter().filter_map(detail).collect();
    if head.has_unknown_scales() {
        clauses.push("with a length-scale of its own for each input".into());
    }
    clauses.extend(head.number(Role::Roughness).and_then(roughness).map(str::to_string));
    if is_powered(head) {
        clauses.push(format!("whose covariance is raised to the power {}", head.power));
    }
    let article = if head.head == Head::Noise { noun } else { with_article(&noun) };
    (article, clauses, 0)
}

/// Whether it is a power that is no longer of its family.
fn is_powered(factor: &Factor<'_>) -> bool {
    factor.power > 1 && matches!(factor.head, Head::Periodic(_) | Head::Smooth | Head::Process(_) | Head::Levels)
}

/// The shape of a periodic function within a period, if it is unusual.
fn roughness(l: f64) -> Option<&'static str> {
    match l {
        l if l < 0.4 => Some("that has fine detail within each period"),
        l if l > 2.0 => Some("that is close to a sinusoid"),
        _ => None,
    }
}

/// The effect of a factor on the function of the noun.
fn clause(factor: &Factor<'_>, head: &Factor<'_>, context: &DataContext) -> String {
    let own = overlap(&factor.inputs, &head.inputs) || head.inputs.is_empty();
    let spoken = factor.leaves.first().and_then(|(leaf, inputs)| {
        let voice = wording(leaf, inputs);
        let template = match (own, head.head, factor.head) {
            (true, Head::Smooth, Head::Smooth) => "whose correlation [also fades over about {l}|fades faster still]",
            (true, ..) => voice.own,
            (false, ..) => voice.other,
        };
        if template.contains("{l}") && factor.span_far_below_scale().is_some() {
            return None;
        }
        let text = fill(template, &|name| value(factor, name, context)).filter(|text| !text.is_empty())?;
        Some(if is_powered(factor) { format!("{text} (to the power {})", factor.power) } else { text })
    });
    spoken.unwrap_or_else(|| {
        let alone = match subject(factor, &[], context) {
            (noun, clauses, _) if clauses.is_empty() => noun,
            (noun, clauses, _) => format!("{noun} {}", join_and(&clauses)),
        };
        format!("that is modulated by {alone}")
    })
}

/// The value of a placeholder in the wording of a family.
fn value(factor: &Factor<'_>, name: &str, context: &DataContext) -> Option<String> {
    match name {
        "x" => Some(context.names(&factor.inputs)),
        "degree" => Some(degree(factor.degree)),
        "grows" => Some(grows(factor, context)),
        name => factor.value(name, context),
    }
}

fn degree(degree: u32) -> String {
    match degree {
        1 => "linear".into(),
        2 => "quadratic".into(),
        3 => "cubic".into(),
        4 => "quartic".into(),
        n => format!("degree-{n} polynomial"),
    }
}

fn adjective(degree: u32) -> String {
    match degree {
        ..=4 => self::degree(degree),
        n => format!("of degree {n}"),
    }
}

/// How an amplitude changes along a polynomial factor.
fn grows(factor: &Factor<'_>, context: &DataContext) -> String {
    let names = context.names(&factor.inputs);
    let how = match factor.degree {
        1 => "linearly".into(),
        2 => "quadratically".into(),
        3 => "cubically".into(),
        n => format!("like the power {n} of"),
    };
    // "linearly with x", but "like the power 5 of x"
    let with = if factor.degree > 3 { "" } else { " with" };
    let ([input], Some(crossing)) = (&factor.inputs[..], factor.crossing()) else {
        return format!("grows {how}{with} {names}");
    };
    match input.range {
        _ if input.all => format!("grows {how}{with} {names}"),
        Some((lo, _)) if crossing <= lo => format!("grows {how}{with} {names}"),
        Some((_, hi)) if crossing >= hi && factor.degree <= 3 => format!("shrinks {how} with {names}"),
        _ => format!("grows {how}{with} the distance of {names} from {}", input.place(crossing)),
    }
}

/// The place and the width of a changepoint, if they are known.
pub fn change_of(wrapped: &Wrapped) -> Option<(f64, f64)> {
    let [at, width] = &wrapped.params[..] else { return None };
    (wrapped.wrap.spec().name == "changepoint").then_some(())?;
    first_value(at).zip(first_value(width))
}

/// A wrap by its own phrase; other kernels by their noun phrase.
fn whole(kernel: &Kernel, context: &DataContext) -> String {
    let Node::Wrap(wrapped) = kernel.node() else { return noun_phrase(kernel, context) };
    let spec = wrapped.wrap.spec();
    let inner = match spec.wording.head {
        Head::Whole(InnerInputs::Moved) => context.moved(),
        Head::Whole(InnerInputs::Each) => context.each(),
        _ => context.clone(),
    };
    let inputs = context.inputs(&mentioned_inputs(kernel), spec.several_inputs);
    let child = |i: usize| wrapped.children.get(i).map(|child| noun_phrase(child, &inner));
    let gap =
        change_of(wrapped).zip(inputs.first()).and_then(|((at, width), input)| gap_of_jump(&input.rows, at, width));
    let value = |name: &str| match name {
        "lower" => Some(inputs.first()?.place(gap?.0)),
        "upper" => Some(inputs.first()?.place(gap?.1)),
        "at" | "width" if gap.is_some() => None,
        "k" => child(0),
        "all" => Some(list(&wrapped.children.iter().collect::<Vec<_>>(), &inner)),
        "x" => Some(context.names(&inputs)),
        "f" => wrapped.wrap.function().map(|function| format!("`{}`", function.source())),
        "n" => wrapped.wrap.exponent().map(|n| n.to_string()),
        name if name.starts_with("input ") => {
            let at = InputRef::Index(name["input ".len()..].parse().ok()?);
            Some(context.names(&context.inputs(&Inputs::These(vec![at]), false)))
        }
        name => match name.parse::<usize>() {
            Ok(i) => child(i.checked_sub(1)?),
            Err(_) => {
                let mut params = spec.params.iter().zip(&wrapped.params);
                let (spec, values) = params.find(|(spec, _)| [spec.short, spec.name].contains(&name))?;
                parameter_text(spec, values, &inputs, context)
            }
        },
    };
    fill(&wrapped.wrap.phrase(), &value).unwrap_or_else(|| spec.summary.to_string())
}

/// The size of the values of a product, if its variances are known.
fn size(product: &Product<'_>, context: &DataContext) -> Option<String> {
    let target = context.target.as_deref();
    let Some(variance) = product.variance else {
        let number = short(product.number, 3);
        return (product.number != 1.0).then(|| format!("its variance multiplied by {number}"));
    };
    let sd = variance.sqrt();
    let grows: Vec<&Factor<'_>> = product.factors.iter().filter(|f| f.head == Head::Polynomial).collect();
    match &grows[..] {
        _ if product.factors.iter().any(|f| matches!(f.head, Head::Whole(_))) => None,
        [] => Some(format!("standard deviation {}", amount(sd, target, DIGITS))),
        [Factor { degree: 1, inputs, .. }] => {
            let [Input { all: false, unit, .. }] = &inputs[..] else { return None };
            let per = match (spoken(target), single(unit.as_deref())) {
                (target, Some(unit)) => format!("{} per {unit}", amount(sd, target, DIGITS)),
                (target, None) => amount(sd, target, DIGITS),
            };
            Some(match product.factors[0].head {
                Head::Polynomial => format!("slope of standard deviation {per}"),
                _ => format!("its standard deviation changes by {per}"),
            })
        }
        _ => None,
    }
}
