//! Reads the source texts in saved files.

use std::sync::Arc;

use crate::deep::DeepModel;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Evaluator, Globals, Library};
use crate::lang::eval::host::Host;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Function, Value};
use crate::model::Model;
use crate::progress::Progress;
use crate::search::{Edit, Reader};
use crate::syntax::ast::StatementKind;
use crate::syntax::free_names::free_names;
use crate::syntax::parse::parse;
use crate::syntax::span::SourceId;

use super::user_edits;

/// Reads the texts of a saved file. Files are not trusted: texts are evaluated without the names of the session,
/// without builtins that access files or show something, for a limited number of steps, and until the user stops it.
pub(super) struct SavedTexts<'a> {
    globals: Arc<Globals>,
    library: &'static dyn Library,
    progress: &'a dyn Progress,
}

/// A text of a model takes a few steps per character; this limit is far higher.
const STEPS: u64 = 1_000_000;
const STEPS_A_BYTE: u64 = 10;

impl<'a> SavedTexts<'a> {
    /// A reader that uses the session's names for functions of a search, and its means to stop.
    pub(super) fn new(eval: &Evaluator<'a>) -> Self {
        let globals = Arc::new(eval.globals().clone());
        Self { globals, library: eval.library.pure(), progress: eval.progress }
    }

    /// The model of a text.
    pub(super) fn saved_model(&self, text: &str) -> Res<Model> {
        read_back("model", text, self.value(text).and_then(Pipeline::from_value).and_then(Pipeline::model))
    }

    /// The deep GP of a text.
    pub(super) fn deep_model(&self, text: &str) -> Res<Arc<DeepModel>> {
        read_back("model", text, self.value(text).and_then(<Arc<DeepModel>>::from_value))
    }

    /// Checks that the model of a text prints as the same text.
    pub(super) fn same_model(&self, text: &str) -> Res<()> {
        self.same_text(text, &self.saved_model(text)?.to_string())
    }

    /// Checks that the value of a text prints as the same text.
    pub(super) fn same_text(&self, text: &str, found: &str) -> Res<()> {
        if found == text {
            return Ok(());
        }
        let (text, found) = (shortened(text), shortened(found));
        Err(LangError::new(format!("`{text}` cannot be saved: it would read back as `{found}`")))
    }

    /// The function of a text.
    pub(super) fn function(&self, text: &str) -> Res<Function> {
        let function = self.value(text).and_then(FromValue::from_value);
        function.map_err(|error| {
            let text = shortened(text);
            LangError::new(format!("the function `{text}` does not read back: {}", error.message()))
        })
    }

    /// A function that can be called with all capabilities of the session. Every name that it mentions must be in the
    /// library without access to files and output.
    pub(super) fn harmless_function(&self, text: &str) -> Res<Function> {
        let function = self.function(text)?;
        match self.foreign_name(&function) {
            None => Ok(function),
            Some(name) => {
                let text = shortened(text);
                Err(LangError::new(format!("the function `{text}` does not read back: it needs `{name}`")))
            }
        }
    }

    /// The first name in a function that is not in the library.
    fn foreign_name(&self, function: &Function) -> Option<Arc<str>> {
        match function {
            Function::Known(_) => None,
            Function::Steps(steps) => steps.iter().find_map(|step| self.foreign_name(step)),
            Function::Closure(closure) => {
                free_names(&closure.lambda).into_iter().find(|name| self.library.find(name).is_none())
            }
        }
    }

    /// The value of a text that is a single expression.
    pub(super) fn value(&self, text: &str) -> Res<Value> {
        let program = parse(text, SourceId::default()).map_err(|diagnostic| LangError::new(diagnostic.message))?;
        let [statement] = program.statements.as_slice() else {
            return Err(LangError::new("it is not a single expression"));
        };
        let StatementKind::Expr(expr) = &statement.node else {
            return Err(LangError::new("it is not an expression"));
        };
        let (globals, mut host, mut out) = (Globals::new(), Host::default(), |_| {});
        let eval = Evaluator::new(self.library, &mut host, &globals, self.progress, &mut out);
        eval.at_most(STEPS + STEPS_A_BYTE * text.len() as u64).eval(expr)
    }
}

impl Reader for SavedTexts<'_> {
    fn model(&self, text: &str) -> Result<Model, String> {
        self.saved_model(text).map_err(|error| error.message().to_string())
    }

    fn edit(&self, name: &str, function: &str) -> Result<Edit, String> {
        match self.function(function) {
            Ok(value) => {
                let stop = self.progress.stop_handle();
                Ok(user_edits::edit(value, name.to_string(), self.globals.clone(), self.library, stop))
            }
            Err(error) => Err(error.message().to_string()),
        }
    }
}

/// The value of a text; an error is reported as a text that cannot be read back.
pub(super) fn read_back<T>(what: &str, text: &str, found: Res<T>) -> Res<T> {
    found.map_err(|error| {
        if error.is_stop() {
            return error;
        }
        let text = shortened(text);
        LangError::new(format!("the saved {what} `{text}` does not read back: {}", error.message()))
    })
}

/// The beginning of a text, for a message.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
