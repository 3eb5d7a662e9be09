//! Functions of the user as moves of a search.

use std::sync::{Arc, Mutex, PoisonError};

use crate::kernel::Kernel;
use crate::lang::eval::{Evaluator, Globals};
use crate::lang::function::Function;
use crate::lang::host::Host;
use crate::lang::span::Span;
use crate::lang::trouble::{Res, Trouble};
use crate::lang::value::Value;
use crate::lang::{fill, stack};
use crate::progress::Silent;
use crate::search::{EDIT_NAMES, Edit};

/// How often a function was asked, and what it said when it gave no kernel.
pub struct Tally {
    name: String,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    asked: usize,
    failed: usize,
    first: String,
}

impl Tally {
    fn note(&self, result: &Result<Kernel, String>) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.asked += 1;
        if let Err(why) = result {
            if counts.failed == 0 {
                counts.first.clone_from(why);
            }
            counts.failed += 1;
        }
    }

    /// What is to be told of failures, where there were some.
    pub fn text(&self) -> Option<String> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let Counts { asked, failed, first } = &*counts;
        let name = &self.name;
        match (*failed, *asked) {
            (0, _) => None,
            (1, 1) => Some(format!("the move `{name}` gave no kernel: {first}")),
            (failed, asked) if failed == asked => {
                Some(format!("the move `{name}` gave no kernel, all {asked} times that it was asked: {first}"))
            }
            (failed, asked) => {
                Some(format!("the move `{name}` gave no kernel {failed} of {asked} times; the first time: {first}"))
            }
        }
    }
}

/// A function from kernel to kernel.
pub struct OwnMove {
    function: Function,
    /// What the session has bound, for functions that mention names bound after them.
    globals: Arc<Globals>,
    tally: Arc<Tally>,
}

impl OwnMove {
    /// The edit that a function makes, and the count of its failures. It goes by the function's name, or its text.
    pub fn edit(function: Function, eval: &Evaluator<'_>) -> Res<(Edit, Arc<Tally>)> {
        if let Function::Known(entry) = &function
            && EDIT_NAMES.contains(&entry.signature.name)
        {
            let name = entry.signature.name;
            let text = format!("`{name}` is a function that does not take a kernel alone");
            return Err(Trouble::new(text).help(format!("the move of that name is written \"{name}\"")));
        }
        let name = function.name().map_or_else(|| fill::expression(&function), str::to_string);
        let tally = Arc::new(Tally { name: name.clone(), counts: Mutex::default() });
        let own = Self { function, globals: Arc::new(eval.globals().clone()), tally: tally.clone() };
        let apply = move |kernel: &Kernel| {
            let result = own.apply(kernel);
            own.tally.note(&result);
            result
        };
        Ok((Edit::Own { name: name.into(), apply: Arc::new(apply) }, tally))
    }

    fn apply(&self, kernel: &Kernel) -> Result<Kernel, String> {
        let mut host = Host::default();
        let mut out = |_| {};
        let args = vec![Value::Kernel(kernel.clone())];
        let value = stack::shallow(|| {
            let mut eval = Evaluator::new(&mut host, &self.globals, &Silent, &mut out);
            eval.apply(&self.function, args, Span::default())
        });
        match value {
            Ok(Value::Kernel(kernel)) => Ok(kernel),
            Ok(Value::Number(x)) if x.is_finite() && x >= 0.0 => Ok(Kernel::number(x)),
            Ok(other) => Err(format!("it gave {}", other.kind().noun())),
            Err(trouble) => Err(trouble.message().to_string()),
        }
    }
}
