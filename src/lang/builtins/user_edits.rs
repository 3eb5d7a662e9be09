//! User-written functions as edits of a search.

use std::sync::Arc;

use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Evaluator, Globals, Library};
use crate::lang::eval::host::Host;
use crate::lang::values::function_source;
use crate::lang::values::value::{Function, Value};
use crate::progress::StopHandle;
use crate::search::{EDIT_NAMES, Edit, Refusals, UserEdit};
use crate::syntax;
use crate::syntax::span::Span;

/// The edit of a function. Its name is that of the function, or its text. It captures the session's bindings, for
/// functions that mention names bound after them.
pub fn edit_of(function: Function, eval: &Evaluator<'_>) -> Res<Edit> {
    if let Function::Known(entry) = &function
        && EDIT_NAMES.contains(&entry.name())
    {
        let name = entry.name();
        let text = format!("`{name}` is a function that does not take a kernel alone");
        return Err(LangError::new(text).help(format!("the edit of that name is written \"{name}\"")));
    }
    let name = function.name().map_or_else(|| function_source::expression(&function), str::to_string);
    let globals = Arc::new(eval.globals().clone());
    Ok(edit(function, name, globals, eval.library.pure(), eval.progress.stop_handle()))
}

/// The edit of a function with a name. The library contains what the function can call.
pub fn edit(
    function: Function,
    name: String,
    globals: Arc<Globals>,
    library: &'static dyn Library,
    stop: StopHandle,
) -> Edit {
    let source = function_source::expression(&function);
    let apply = move |kernel: &Kernel| apply(library, &function, &globals, &stop, kernel);
    Edit::Own(Arc::new(UserEdit::new(name, source, Arc::new(apply))))
}

fn apply(
    library: &'static dyn Library,
    function: &Function,
    globals: &Globals,
    stop: &StopHandle,
    kernel: &Kernel,
) -> Result<Kernel, String> {
    let mut host = Host::default();
    let mut out = |_| {};
    let args = vec![Value::Kernel(kernel.clone())];
    let value = syntax::shallow(|| {
        Evaluator::new(library, &mut host, globals, stop, &mut out).apply(function, args, Span::default())
    });
    match value {
        Ok(Value::Kernel(kernel)) => Ok(kernel),
        Ok(other) => Err(format!("it returned {}", other.kind().noun())),
        Err(error) => Err(error.message().to_string()),
    }
}

/// A warning about the failed calls of a user-written edit since the last warning.
pub fn refusals(edit: &Edit) -> Option<String> {
    let Edit::Own(own) = edit else { return None };
    let (name, Refusals { asked, refused, first }) = (&own.name, own.take_refusals());
    match (refused, asked) {
        (0, _) => None,
        (1, 1) => Some(format!("the edit `{name}` failed: {first}")),
        _ if refused == asked => Some(format!("the edit `{name}` failed in all {asked} calls: {first}")),
        _ => Some(format!("the edit `{name}` failed in {refused} of {asked} calls, first with: {first}")),
    }
}
