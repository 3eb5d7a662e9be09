//! Values for a script from outside: `folds=1..3` replaces the value in `let folds =`.

use crate::lang::wording::nearest;
use crate::syntax::ast::{Expr, Program, StatementKind};
use crate::syntax::diagnostic::{Diagnostic, Sources};
use crate::syntax::parse::parse_all;

/// A name of a script and the text of an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    name: String,
    text: String,
}

impl Setting {
    /// Parses `name=expression`.
    ///
    /// # Errors
    /// A sentence, if the name or the expression is missing.
    pub fn read(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                Ok(Self { name: name.trim().into(), text: value.trim().into() })
            }
            _ => Err(format!("`--set {text}` is not of the form NAME=VALUE")),
        }
    }
}

/// Replaces the values of top-level names of a program. The error is the first one.
pub fn apply(settings: &[Setting], program: &mut Program, sources: &mut Sources) -> Result<(), Diagnostic> {
    settings.iter().try_for_each(|setting| one(setting, program, sources))
}

fn one(setting: &Setting, program: &mut Program, sources: &mut Sources) -> Result<(), Diagnostic> {
    let name = &setting.name;
    let source = sources.add(format!("--set {name}"), setting.text.as_str());
    let parsed = parse_all(&setting.text, source);
    if let Some(fault) = parsed.diagnostics.into_iter().next() {
        return Err(fault);
    }
    let value = match <[_; 1]>::try_from(parsed.program.statements) {
        Ok([statement]) => match statement.node {
            StatementKind::Expr(value) => value,
            _ => {
                return Err(Diagnostic::error(format!("`{name}` must be set to one expression"))
                    .label(statement.span, "this is none"));
            }
        },
        Err(_) => return Err(Diagnostic::error(format!("`{name}` must be set to one expression"))),
    };
    let mut known = Vec::new();
    for statement in &mut program.statements {
        let StatementKind::Let { names, values } = &mut statement.node else { continue };
        if let Some(at) = names.iter().position(|known| *known.node == **name) {
            return put(values, names.len(), at, value).ok_or_else(|| {
                Diagnostic::error(format!("`{name}` cannot be set alone"))
                    .label(statement.span, "it is one of several names bound together")
            });
        }
        known.extend(names.iter().map(|name| name.node.to_string()));
    }
    let missing = Diagnostic::error(format!("there is no `let {name} = …` that could be set"));
    Err(match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => missing.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => missing,
        None => missing.help(format!("the script binds {}", known.join(", "))),
    })
}

/// `None` if all names are bound to the items of one list.
fn put(values: &mut [Expr], names: usize, at: usize, value: Expr) -> Option<()> {
    if values.len() != names {
        return None;
    }
    values.get_mut(at).map(|old| *old = value)
}
