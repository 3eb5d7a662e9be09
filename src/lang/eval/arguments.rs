//! Matching of arguments to parameters by position and name, with errors. Nothing is evaluated here, so that calls
//! and the checker share it.

use std::sync::Arc;

use super::argument_owners::owner_help;
use crate::lang::error::{LangError, Res};
use crate::lang::signature::{Need, Place, Signature, Want};
use crate::lang::values::cast::of_deep_gps;
use crate::lang::values::value::{Kind, Value};
use crate::lang::wording::nearest;
use crate::search::Budget;
use crate::syntax::ast::Name;
use crate::syntax::span::Span;

/// An argument before evaluation: its name, if it has one, and its place in the text.
pub struct ArgShape<'s> {
    pub name: Option<&'s Name>,
    pub span: Span,
}

/// The properties of a place that matching needs.
struct Slot<'s> {
    name: &'s str,
    short: &'s [&'s str],
    need: Need,
    keyword: bool,
    instead_of: Option<&'s str>,
}

/// The index of the place for each argument. Calls and the checker use it before anything is evaluated.
pub fn match_arguments(signature: &Signature, args: &[ArgShape<'_>], call: Span) -> Res<Vec<usize>> {
    let slot =
        |p: &Place| Slot { name: p.name, short: p.short, need: p.need, keyword: p.keyword, instead_of: p.instead_of };
    let slots: Vec<Slot> = signature.places.iter().map(slot).collect();
    let callee = format!("`{}`", signature.name);
    let owner = |name: &str| owner_help(signature, name);
    match_slots(&callee, &slots, args, call, &owner).map_err(|t| t.or_help(|| format!("write `{}`", signature.shown())))
}

/// As [`match_arguments`], for a user's function.
pub fn match_parameters(name: &str, params: &[(Arc<str>, bool)], args: &[ArgShape<'_>], call: Span) -> Res<Vec<usize>> {
    let need = |required: bool| if required { Need::Required } else { Need::Optional("") };
    let slots: Vec<Slot> = params
        .iter()
        .map(|(name, req)| Slot { name, short: &[], need: need(*req), keyword: false, instead_of: None })
        .collect();
    // A function without a name is described by words.
    let callee = if name.contains(' ') { name.to_owned() } else { format!("`{name}`") };
    match_slots(&callee, &slots, args, call, &|_| None).map_err(|error| {
        let params: Vec<&str> = params.iter().map(|(name, _)| &**name).collect();
        match callee.strip_prefix('`').and_then(|name| name.strip_suffix('`')) {
            Some(name) => error.or_help(|| format!("it is `{name}({})`", params.join(", "))),
            None => error,
        }
    })
}

/// The help for a name that is an argument of another call.
type OwnerHelp<'s> = &'s dyn Fn(&str) -> Option<String>;

fn match_slots(
    callee: &str,
    slots: &[Slot<'_>],
    args: &[ArgShape<'_>],
    call: Span,
    owner: OwnerHelp<'_>,
) -> Res<Vec<usize>> {
    let mut taken = vec![false; slots.len()];
    // the place of a positional argument whose own place is given by name
    let stand_in = |i: usize| {
        let is_named = args.iter().any(|arg| arg.name.is_some_and(|name| *name.node == *slots[i].name));
        slots.iter().position(|slot| is_named && slot.instead_of == Some(slots[i].name))
    };
    let mut places = Vec::with_capacity(args.len());
    for arg in args {
        let place = match arg.name {
            Some(name) => named_slot(callee, slots, args, name, owner)?,
            None => {
                let free = |i: &usize| {
                    let slot = &slots[*i];
                    let by_position = !slot.keyword && !matches!(slot.need, Need::Keywords(_));
                    slot.need == Need::Many || (!taken[*i] && by_position && stand_in(*i).is_none_or(|at| !taken[at]))
                };
                let own = (0..slots.len()).find(free).ok_or_else(|| too_many(callee, slots, args, arg.span))?;
                stand_in(own).unwrap_or(own)
            }
        };
        let slot = &slots[place];
        if taken[place] && !matches!(slot.need, Need::Many | Need::Keywords(_)) {
            return Err(LangError::new(format!("`{}` of {callee} is given twice", slot.name)).at(arg.span));
        }
        taken[place] = true;
        places.push(place);
    }
    if let Some(missing) = (0..slots.len()).find(|&i| slots[i].need == Need::Required && !taken[i]) {
        let missing = slots[missing].name;
        return Err(LangError::new(format!("{callee} needs `{missing}`")).label("it is missing here").at(call));
    }
    Ok(places)
}

fn named_slot(
    callee: &str,
    slots: &[Slot<'_>],
    args: &[ArgShape<'_>],
    name: &Name,
    owner: OwnerHelp<'_>,
) -> Res<usize> {
    let named = |slot: &&Slot| !matches!(slot.need, Need::Many | Need::Keywords(_));
    let exact = |slot: &Slot| named(&slot) && (slot.name == &*name.node || slot.short.contains(&&*name.node));
    let beside = |argument: &str| args.iter().any(|arg| arg.name.is_some_and(|name| *name.node == *argument));
    let any = || slots.iter().position(|slot| matches!(slot.need, Need::Keywords(with) if with.is_none_or(beside)));
    if let Some(found) = slots.iter().position(exact).or_else(any) {
        return Ok(found);
    }
    let known: Vec<&str> =
        slots.iter().filter(named).flat_map(|s| std::iter::once(s.name).chain(s.short.iter().copied())).collect();
    let error = LangError::new(format!("{callee} has no argument `{}`", name.node)).at(name.span);
    if let Some(help) = owner(&name.node) {
        return Err(error.help(help));
    }
    Err(match nearest(&name.node, known.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => error.note("it takes no arguments by name"),
        None => error,
    })
}

fn too_many(callee: &str, slots: &[Slot<'_>], args: &[ArgShape<'_>], extra: Span) -> LangError {
    let most = slots.iter().filter(|slot| !slot.keyword && !matches!(slot.need, Need::Keywords(_))).count();
    let found = args.iter().filter(|arg| arg.name.is_none()).count();
    let most = match most {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        n => format!("{n} arguments"),
    };
    let by_position = if slots.iter().any(|slot| slot.keyword) { " without a name" } else { "" };
    LangError::new(format!("{callee} takes {most}{by_position}, found {found}")).label("one too many").at(extra)
}

/// The error for an argument of a wrong kind, or of the right kind with an invalid value.
pub fn misfit(signature: &Signature, place: usize, kind: Kind, value: Option<&Value>) -> LangError {
    let place = &signature.places[place];
    let each = |want: &Want| matches!(want, Want::Each(_));
    let lists = each(&place.want) || matches!(place.want, Want::Either(wants) if wants.iter().any(each));
    if let (true, Some(Value::List(list))) = (lists, value)
        && list.items().is_empty()
    {
        let text = format!("`{}` of `{}` needs at least one, found an empty list", place.name, signature.name);
        let error = LangError::new(text).label("this is empty");
        return match place.need {
            Need::Optional(default) if !default.is_empty() => error.help(format!("the default is {default}")),
            _ => error,
        };
    }
    let of = format!("for `{}` of `{}`", place.name, signature.name);
    let error = unfitting(place.want, &of, kind, value);
    if signature.name == "compare" && kind == Kind::DeepFit {
        return error.help(
            "deep GPs and GPs are compared by the density of held-out rows: `compare(data, [deepgp(layers=2), gp(SE)])`",
        );
    }
    error
}

/// The same for an argument with a name, in a place that accepts any name: it may be a misspelt name of another
/// argument.
pub fn misspelt(error: LangError, signature: &Signature, place: usize, name: Option<&Name>) -> LangError {
    let (Need::Keywords(_), Some(name)) = (signature.places[place].need, name) else { return error };
    let others = signature.places.iter().filter(|p| p.keyword && !matches!(p.need, Need::Keywords(_))).map(|p| p.name);
    match nearest(&name.node, others) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// The error for a piped value of a wrong kind, if the call lacks arguments.
pub fn piped_misfit(signature: &Signature, kind: Kind) -> Option<LangError> {
    let first = signature.places.iter().position(|place| !place.keyword)?;
    let wrong = signature.places[first].need == Need::Required && !signature.places[first].want.allows(kind);
    wrong.then(|| misfit(signature, first, kind, None))
}

/// The error for an item of a list that does not fit its place.
pub fn misfit_item(signature: &Signature, place: usize, want: Want, kind: Kind, value: Option<&Value>) -> LangError {
    let of = format!("in `{}` of `{}`", signature.places[place].name, signature.name);
    unfitting(want, &of, kind, value)
}

fn unfitting(want: Want, of: &str, kind: Kind, value: Option<&Value>) -> LangError {
    let found = match value {
        Some(value @ (Value::Number(_) | Value::Str(_))) if want.allows(kind) => format!("`{value}`"),
        _ => kind.noun().into(),
    };
    let what = want.noun();
    let error = LangError::new(format!("expected {what} {of}, found {found}"));
    // A value is in the message; a kind is in the label.
    let error = if found.starts_with('`') { error } else { error.label(format!("this is {found}")) };
    let near = match value {
        Some(Value::Str(word)) => nearest(word, want.choices()),
        _ => None,
    };
    if let Some(help) = of_deep_gps(kind) {
        return error.help(help);
    }
    if kind == Kind::Table && want.allows(Kind::List) {
        return error.help("a column of a table is a list: `search_moves().move` is the column `move`");
    }
    let from_data = matches!(kind, Kind::Data | Kind::Kernel | Kind::Model);
    let help = match (near, want) {
        (Some(near), _) => format!("did you mean \"{near}\"?"),
        (None, Want::Kind(Kind::Data)) if kind == Kind::Fit => "`.data` of the fit are its training rows".into(),
        (None, Want::Kind(Kind::Fit)) if from_data => "a fit is made by `data |> fit(model)`".into(),
        (None, Want::FIT_OR_SEARCH | Want::PREDICTOR) if from_data => {
            "a fit is made by `data |> fit(model)`, a search by `data |> search`".into()
        }
        (None, Want::FUNCTION) => "a function is written `x -> …`, or `(x, y) -> …`".into(),
        (None, Want::Kind(Kind::Kernel) | Want::Each(Want::Kind(Kind::Kernel)))
            if matches!(kind, Kind::Fit | Kind::Search | Kind::Model) =>
        {
            "`.kernel` of the fit is its kernel, with its values".into()
        }
        (None, Want::KERNEL_OR_MODEL | Want::Each(&Want::KERNEL_OR_MODEL))
            if matches!(kind, Kind::Fit | Kind::Search) =>
        {
            "`.kernel` of the fit is its kernel, with its values, and `.model` its model".into()
        }
        (None, Want::Budget) if kind == Kind::String => {
            "a time has a number and one of s, min and h; a number without quotes counts evaluations".into()
        }
        _ => return error,
    };
    error.help(help)
}

impl Want {
    /// Whether a value is accepted in the place; [`allows`](Self::allows) checks only its kind.
    pub fn admits(self, value: &Value) -> bool {
        match (self, value) {
            (Want::Count, Value::Number(x)) => *x >= 0.0 && x.fract() == 0.0 && *x < 9e15,
            (Want::Positive, Value::Number(x)) => *x >= 1.0 && x.fract() == 0.0 && *x < 9e15,
            (Want::Budget, value) => read_budget(value).is_some(),
            (Want::Each(want), Value::List(list)) => {
                !list.items().is_empty() && list.items().iter().all(|item| want.admits(item))
            }
            (Want::Each(want), value) => want.admits(value),
            (Want::Choice(words), Value::Str(word)) => words.contains(&&**word),
            (Want::Either(wants), value) => wants.iter().any(|want| want.admits(value)),
            (want, value) => want.allows(value.kind()),
        }
    }
}

/// A budget in a value: a time in a string, or a whole number of evaluations.
pub fn read_budget(value: &Value) -> Option<Budget> {
    match value {
        Value::Number(x) if *x >= 1.0 && x.fract() == 0.0 && *x < 9e15 => {
            Some(Budget { seconds: None, evaluations: Some(*x as usize) })
        }
        Value::Str(text) => text.parse().ok(),
        _ => None,
    }
}
