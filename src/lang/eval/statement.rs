//! Execution of statements.

use std::sync::Arc;

use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Evaluator, Globals, Library};
use crate::lang::eval::expressions::take_apart;
use crate::lang::eval::host::{Host, Item};
use crate::lang::values::value::{Function, Value};
use crate::param::Param;
use crate::progress::Progress;
use crate::syntax::ast::{Expr, Name, Statement, StatementKind};

/// The name of the last shown value.
pub const LAST: &str = "_";

/// Runs one statement. Bindings change only if the whole statement succeeds. The session handles imports, which need
/// files.
pub fn execute(
    library: &'static dyn Library,
    statement: &Statement,
    globals: &mut Globals,
    host: &mut Host,
    progress: &dyn Progress,
    out: &mut (dyn FnMut(Item) + Send),
) -> Res<()> {
    host.begin();
    let bound = {
        let mut eval = Evaluator::new(library, host, globals, progress, out);
        match &statement.node {
            StatementKind::Let { names, values } => bind(&mut eval, names, values)?,
            StatementKind::Fn { name, function } => {
                let closure = eval.closure(function, Some(name.node.clone()))?;
                vec![(name.node.clone(), Value::Function(Function::Closure(closure)))]
            }
            StatementKind::Import(path) => {
                return Err(LangError::new("`import` is a statement of its own").at(path.span));
            }
            StatementKind::Expr(expr) => {
                let value = eval.eval(expr)?;
                if matches!(value, Value::Nothing) {
                    return Ok(());
                }
                eval.emit(Item::Shown(value.clone()));
                vec![(LAST.into(), value)]
            }
        }
    };
    globals.extend(bound);
    Ok(())
}

fn bind(eval: &mut Evaluator<'_>, names: &[Name], values: &[Expr]) -> Res<Vec<(Arc<str>, Value)>> {
    let mut found = Vec::with_capacity(names.len());
    match values {
        [list] if names.len() > 1 => {
            let value = eval.eval(list)?;
            found = take_apart(&value, names.len()).map_err(|t| t.at(list.span))?;
        }
        _ if values.len() == names.len() => {
            for value in values {
                found.push(eval.eval(value)?);
            }
        }
        _ => {
            let error = LangError::new(format!("{} names cannot hold {} values", names.len(), values.len()));
            return Err(error.at(names[0].span.to(names[names.len() - 1].span)));
        }
    }
    for (name, value) in names.iter().zip(&found) {
        if matches!(value, Value::Nothing) {
            return Err(LangError::new(format!("there is no value to call `{}`", name.node)).at(name.span));
        }
    }
    Ok(names.iter().zip(found).map(|(name, value)| (name.node.clone(), named(value, &name.node))).collect())
}

/// A value that gets the name to which it is bound, if it has none: kernels as a label, shared parameters as their
/// name.
fn named(value: Value, name: &Arc<str>) -> Value {
    match value {
        Value::Param(param) => match &param.tie {
            Some(tie) if tie.name.is_empty() => {
                let mut tie = tie.clone();
                tie.name = name.clone();
                Value::Param(Arc::new(Param { tie: Some(tie), ..(*param).clone() }))
            }
            _ => Value::Param(param),
        },
        Value::Kernel(kernel) => Value::Kernel(kernel.labelled(name.clone())),
        other => other,
    }
}
