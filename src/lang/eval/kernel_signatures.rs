//! The entries of families and combinators, from the specs of the kernel room.

use super::combinators::{COMBINATORS, Combinator, build_combinator};
use super::evaluator::{Entry, Sort, Touches};
use super::family_calls::build_family;
use crate::kernel::families::FAMILIES;
use crate::kernel::{Domains, Family, ParamSpec, Spec};
use crate::lang::signature::{Group, Place, Signature, Want};
use crate::lang::values::value::Kind;

/// All kernel families.
pub fn families() -> impl Iterator<Item = Entry> {
    FAMILIES.iter().copied().map(|family| Entry {
        signature: family_signature(family),
        touches: Touches::Nothing,
        sort: Sort::Family(family),
        run: build_family,
    })
}

/// All combinators that the kernel room declares.
pub fn combinators() -> impl Iterator<Item = Entry> {
    let entry = |combinator: &Combinator| {
        let signature = combinator_signature(combinator)?;
        Some(Entry { signature, touches: Touches::Nothing, sort: Sort::Combinator, run: build_combinator })
    };
    COMBINATORS.iter().filter_map(entry)
}

fn param_place(param: &'static ParamSpec) -> Place {
    let help = param.help;
    let place = match param.domain {
        Domains::Count => Place::keyword(param.name, Want::Param, "2", help),
        Domains::Real | Domains::Positive => Place::keyword(param.name, Want::Param, "", help),
    };
    if param.short == param.name { place } else { place.or(std::slice::from_ref(&param.short)) }
}

/// The signature of a family: its input, its parameters, its flag.
fn family_signature(family: &'static dyn Family) -> Signature {
    let spec = family.spec();
    let about = if spec.reads_inputs {
        "the input that the kernel depends on; all inputs if left out"
    } else {
        "not used: the kernel is the same for all inputs"
    };
    let mut places = vec![Place::optional("input", Want::Input, "", about)];
    places.extend(spec.params.iter().map(param_place));
    if let Some(flag) = spec.flag {
        places.push(Place::keyword(flag.name, Want::BOOL, if flag.on { "true" } else { "false" }, flag.help));
    }
    signature(spec, Group::Families, places)
}

/// The signature of a combinator, or `None` if the kernel room does not declare it.
fn combinator_signature(combinator: &Combinator) -> Option<Signature> {
    let mut places = combinator.places.to_vec();
    for param in combinator.specs().flat_map(|spec| spec.params) {
        if !places.iter().any(|place| place.name == param.name) {
            places.push(param_place(param));
        }
    }
    let mut all = combinator.specs();
    let mut signature = signature(all.next()?, Group::Combinators, places);
    for variant in all {
        signature.help.push_str(&format!("\n\nor k(x, x') = {}", variant.formula));
        signature.examples.push(variant.example);
    }
    Some(signature)
}

fn signature(spec: &'static Spec, group: Group, places: Vec<Place>) -> Signature {
    Signature {
        name: spec.name,
        aliases: spec.aliases.to_vec(),
        group,
        places,
        result: Some(Kind::Kernel),
        summary: spec.summary,
        help: format!("k(x, x') = {}", spec.formula),
        examples: vec![spec.example],
    }
}
