//! Functions.

use std::fmt;

use serde_json::Value as Json;

use super::function_source;
use super::value::{Function, Member, Value, ValueKind};
use crate::describe::Markup;
use crate::lang::error::Res;

impl ValueKind for Function {
    const NAME: &'static str = "Function";
    const NOUN: &'static str = "a function";
    const MADE_BY: &'static str = "`x -> x^2`, `fn`, and every name of the language";
    const CALLABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("name", "the name of the function", |function| Value::maybe_str(function.name())),
        Member::checked("params", "the names of its arguments", params),
    ];

    fn show(&self) -> Markup {
        self.to_string().into()
    }

    fn json(&self) -> Json {
        Json::String(self.to_string())
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

fn params(function: &Function) -> Res<Value> {
    match function {
        Function::Closure(closure) => {
            Value::list(closure.lambda.params.iter().map(|param| Value::Str(param.name.node.clone())))
        }
        Function::Known(known) => Value::list(known.params().into_iter().map(Value::str)),
        Function::Steps(steps) => steps.first().map_or(Ok(Value::Nothing), params),
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Function::Closure(closure) => f.write_str(&function_source::shown(closure)),
            Function::Known(entry) => f.write_str(entry.name()),
            Function::Steps(steps) => {
                for (i, step) in steps.iter().enumerate() {
                    let text = step.to_string();
                    let arrow = matches!(step, Function::Closure(c) if c.name.is_none());
                    let text = if arrow { format!("({text})") } else { text };
                    write!(f, "{}{text}", if i == 0 { "" } else { " >> " })?;
                }
                Ok(())
            }
        }
    }
}
