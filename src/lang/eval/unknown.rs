//! Messages about unknown names, with the nearest name or the correct form.

use super::evaluator::{Entry, Library, Sort, names};
use crate::lang::error::LangError;
use crate::lang::values::value::Kind;
use crate::lang::wording::{did_you_mean, nearest, nearest_column};

/// The error for an unknown name. `user` are the names that the user has bound.
pub fn name<'a>(library: &dyn Library, name: &str, user: impl Iterator<Item = &'a str>) -> LangError {
    if let Some(error) = paper_notation(library, name) {
        return error;
    }
    let mut known: Vec<&str> = user.collect();
    known.extend(names(library).map(|name| -> &'a str { name }));
    let error = LangError::new(format!("unknown name `{name}`")).label("not defined");
    match nearest(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// The error for an unknown name before `(`.
pub fn callee<'a>(library: &dyn Library, name: &str, user: impl Iterator<Item = &'a str>) -> LangError {
    if let Some(error) = paper_notation(library, name) {
        return error;
    }
    let capital = name.chars().next().is_some_and(char::is_uppercase);
    let what = if capital { "kernel family" } else { "function" };
    let error = LangError::new(format!("unknown {what} `{name}`")).label("not defined");
    let known: Vec<&str> = if capital {
        library.all().iter().filter(|e| e.is_family()).flat_map(|e| e.names()).collect()
    } else {
        Vec::new()
    };
    let mut all: Vec<&str> = user.collect();
    all.extend(names(library).map(|name| -> &'a str { name }));
    match nearest(name, known).or_else(|| nearest(name, all)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if capital => {
            let families = library.all().iter().filter(|e| e.is_family()).map(|e| e.signature.name);
            error.note(format!("the families are {}", families.collect::<Vec<_>>().join(", ")))
        }
        None => error,
    }
}

/// The error for an unknown name after `~` and before `(`.
pub fn prior<'a>(library: &dyn Library, name: &str, user: impl Iterator<Item = &'a str>) -> LangError {
    let is_prior = |entry: &&Entry| entry.signature.result == Some(Kind::Dist);
    let priors: Vec<&'static str> = library.all().iter().filter(is_prior).map(|entry| entry.signature.name).collect();
    let error = LangError::new(format!("unknown prior `{name}`"))
        .label("not defined")
        .note(format!("the priors are {}", priors.join(", ")));
    match nearest(name, priors.into_iter().map(|prior| -> &'a str { prior }).chain(user)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// The error for an unknown bare name among the arguments of a user's function.
pub fn bare_argument(error: LangError, name: &str, function: &str) -> LangError {
    error
        .note("a bare word is a column's name only as an argument of a kernel or a verb, not of a user function")
        .help(format!("if `{name}` is a column, write it as text: `{function}(\"{name}\", …)`"))
}

/// The error for an input that the data do not have; it may be their target.
pub fn input(name: &str, known: &[String], target: Option<&str>) -> LangError {
    let shown: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let error = LangError::new(format!("there is no input `{name}`: the data have {}", shown.join(", ")));
    if target == Some(name) {
        return error.help(target_as_input(name));
    }
    match nearest_column(name, known.iter().map(String::as_str)) {
        Some(near) => error.help(did_you_mean(near)),
        None => error,
    }
}

/// The message for a kernel that depends on the target.
pub fn target_as_input(name: &str) -> String {
    format!("`{name}` is the target, which cannot be an input of a kernel: choose another with `target=`")
}

/// The error for `SE_1`, the notation of papers.
fn paper_notation(library: &dyn Library, name: &str) -> Option<LangError> {
    let (family, input) = name.rsplit_once('_')?;
    let entry = library.find(family).filter(|entry| entry.is_family())?;
    if input.is_empty() {
        return None;
    }
    let family = entry.names().find(|n| *n == family)?;
    let error = LangError::new(format!("unknown name `{name}`")).label("the notation of papers");
    Some(if input.chars().all(|c| c.is_ascii_digit()) {
        error.help(format!("write `{family}({input})`: inputs are counted from 0")).note(format!(
            "where papers count inputs from 1, `{name}` is `{family}({})`",
            input.parse::<u64>().map_or(0, |i| i.saturating_sub(1))
        ))
    } else {
        error.help(format!("write `{family}({input})`"))
    })
}

/// The error for an unknown member of a value. `open` are the members that only this value has.
pub fn member(library: &dyn Library, kind: Kind, member: &str, open: &[String]) -> LangError {
    let known: Vec<&str> =
        kind.members().iter().map(|(name, _)| *name).chain(open.iter().map(String::as_str)).collect();
    let error = LangError::new(format!("{} has no member `{member}`", kind.noun()));
    if kind == Kind::DeepFit && ["lml", "evidence", "bic", "bound"].contains(&member) {
        return error.help(
            "`objective` is the value that training maximises; models are compared on held-out rows, by `score`, \
             `crossval` or `compare(data, [model, …])`",
        );
    }
    let members = format!("its members are {}", known.join(", "));
    let takes = |entry: &Entry| entry.signature.places.first().is_some_and(|place| place.want.allows(kind));
    if let Some(entry) = library.find(member).filter(|entry| matches!(entry.sort, Sort::Builtin)) {
        return match takes(entry) {
            true => error.help(format!("`{member}` is a function: write `value |> {member}`")),
            false => error.note(members),
        };
    }
    match (nearest(member, known.iter().copied()), known.is_empty()) {
        (Some(near), _) => error.help(format!("did you mean `{near}`?")),
        (None, false) => error.note(members),
        (None, true) => error,
    }
}
