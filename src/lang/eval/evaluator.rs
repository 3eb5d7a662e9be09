//! The evaluator, the calls that it makes, the library in which it looks up names, and the bindings of names. These
//! types refer to one another, so they are in one file; expressions are in [`super::expressions`], calls in
//! [`super::call`].

use std::collections::HashMap;
use std::sync::Arc;

use crate::kernel::{Family, Kernel, Size};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::host::{Host, Item};
use crate::lang::payload::function::Callable;
use crate::lang::signature::{Group, Place, Signature};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Closure, Function, Kind, List, Value};
use crate::progress::{Progress, abandonable};
use crate::syntax::ast::{Lambda, Name};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::free_names::free_names;
use crate::syntax::span::{Span, Spanned};

/// The bindings of a session.
pub type Globals = HashMap<Arc<str>, Value>;

/// The number of steps between two checks for a stop by the user.
const STRIDE: u64 = 1024;

/// Evaluates expressions of one statement.
pub struct Evaluator<'a> {
    /// The entries of the language.
    pub library: &'static dyn Library,
    pub host: &'a mut Host,
    pub progress: &'a dyn Progress,
    pub(super) globals: &'a Globals,
    out: &'a mut (dyn FnMut(Item) + Send),
    /// Parameters and loop variables; those of the running function start at `base`.
    pub(super) locals: Vec<(Arc<str>, Value)>,
    pub(super) base: usize,
    pub(super) running: Option<Arc<Closure>>,
    pub(super) calls: usize,
    steps: u64,
    /// The largest number of steps, for text from a file that is not trusted.
    most_steps: u64,
}

impl<'a> Evaluator<'a> {
    pub fn new(
        library: &'static dyn Library,
        host: &'a mut Host,
        globals: &'a Globals,
        progress: &'a dyn Progress,
        out: &'a mut (dyn FnMut(Item) + Send),
    ) -> Self {
        Self {
            library,
            host,
            progress,
            globals,
            out,
            locals: Vec::new(),
            base: 0,
            running: None,
            calls: 0,
            steps: 0,
            most_steps: u64::MAX,
        }
    }

    /// Limits the number of steps, beyond which evaluation fails. A step is an expression, or an iteration of a loop.
    pub fn at_most(mut self, steps: u64) -> Self {
        self.most_steps = steps;
        self
    }

    pub fn emit(&mut self, item: Item) {
        (self.out)(item);
    }

    /// The entry that defines a function of the language.
    ///
    /// # Errors
    /// The library of this evaluation does not have it.
    pub fn entry(&self, known: &dyn Callable) -> Res<&'static Entry> {
        self.library.find(known.name()).ok_or_else(|| withheld(known.name()))
    }

    pub fn globals(&self) -> &'a Globals {
        self.globals
    }

    /// Ends the evaluation with an error if the user has stopped it. Must be called in every loop.
    pub fn poll(&mut self) -> Res<()> {
        self.steps += 1;
        if self.steps > self.most_steps {
            let most = self.most_steps;
            return Err(LangError::new(format!("evaluation was ended after {most} steps: it may not end")));
        }
        if self.steps.is_multiple_of(STRIDE) && self.progress.stop() {
            return Err(LangError::stopped());
        }
        Ok(())
    }

    /// The user's binding of a name, the innermost first. The flag is true for names of the session.
    pub fn user(&self, name: &str) -> Option<(&Value, bool)> {
        if let Some((_, value)) = self.locals[self.base..].iter().rev().find(|(n, _)| &**n == name) {
            return Some((value, false));
        }
        if let Some(value) = self.running.as_ref().and_then(|closure| closure.captured(name)) {
            return Some((value, false));
        }
        self.globals.get(name).map(|value| (value, true))
    }

    /// The running function, if it has this name and no other binding hides it.
    fn itself(&self, name: &str) -> Option<Value> {
        let running = self.running.as_ref()?;
        (running.name.as_deref() == Some(name)).then(|| Value::Function(Function::Closure(running.clone())))
    }

    /// As [`user`](Self::user), including the name of the running function.
    pub fn bound_value(&self, name: &str) -> Option<Value> {
        match self.user(name) {
            Some((value, false)) => Some(value.clone()),
            outer => self.itself(name).or_else(|| outer.map(|(value, _)| value.clone())),
        }
    }

    /// A function with the values of the free names of its body.
    ///
    /// # Errors
    /// Functions that capture functions, nested too deeply.
    pub fn closure(&mut self, lambda: &Arc<Lambda>, name: Option<Arc<str>>) -> Res<Arc<Closure>> {
        let mut captured = Vec::new();
        for free in free_names(lambda) {
            if name.as_ref() == Some(&free) {
                continue;
            }
            if let Some(value) = self.bound_value(&free) {
                captured.push((free, value));
            }
        }
        let closure = Closure::new(lambda.clone(), name, captured);
        if closure.depth() > List::MAX_DEPTH {
            let error = LangError::new(format!("functions are nested more than {} deep", List::MAX_DEPTH));
            return Err(error.at(lambda.body.span));
        }
        Ok(Arc::new(closure))
    }
}

/// One call of a builtin: its arguments, each of the kind that its place accepts, and the evaluator.
pub struct Call<'e, 'a> {
    pub eval: &'e mut Evaluator<'a>,
    pub entry: &'static Entry,
    pub signature: &'static Signature,
    /// The whole call.
    pub span: Span,
    /// The arguments by place.
    pub(super) args: Vec<Option<Spanned<Value>>>,
    /// The spans of arguments that were taken.
    pub(super) taken: Vec<(usize, Span)>,
    pub(super) many: Vec<Spanned<Value>>,
    /// For a place with a list: the spans of the items.
    pub(super) parts: Vec<(usize, Vec<Span>)>,
    pub(super) keywords: Vec<(Name, Spanned<Value>)>,
}

impl Call<'_, '_> {
    /// What work gives that cannot ask whether to stop; given up soon after the user stops it.
    pub fn unless_stopped<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Res<T> {
        abandonable(self.eval.progress, work).ok_or_else(LangError::stopped)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.signature.places.iter().position(|place| place.name == name)
    }

    pub fn value(&self, name: &str) -> Option<&Value> {
        self.place(name).and_then(|i| self.args[i].as_ref()).map(|arg| &arg.node)
    }

    /// The span of an argument, or of the call if it was left out.
    pub fn span_of(&self, name: &str) -> Span {
        let Some(place) = self.place(name) else { return self.span };
        let taken = || self.taken.iter().find(|(at, _)| *at == place).map(|(_, span)| *span);
        self.args[place].as_ref().map(|arg| arg.span).or_else(taken).unwrap_or(self.span)
    }

    /// The spans of the items of a list in this place.
    pub fn parts_of(&mut self, name: &str) -> Vec<Span> {
        let Some(place) = self.place(name) else { return Vec::new() };
        self.parts.iter().find(|(at, _)| *at == place).map(|(_, spans)| spans.clone()).unwrap_or_default()
    }

    /// An argument; `None` if it was left out.
    pub fn maybe<T: FromValue>(&mut self, name: &'static str) -> Res<Option<T>> {
        let Some(place) = self.place(name) else { return Ok(None) };
        let Some(arg) = self.args[place].take() else { return Ok(None) };
        self.taken.push((place, arg.span));
        T::from_value(arg.node).map(Some).map_err(|t| t.at(arg.span))
    }

    /// An argument, or its default if it was left out.
    pub fn or<T: FromValue>(&mut self, name: &'static str, default: T) -> Res<T> {
        Ok(self.maybe(name)?.unwrap_or(default))
    }

    /// A required argument.
    pub fn arg<T: FromValue>(&mut self, name: &'static str) -> Res<T> {
        self.maybe(name)?.ok_or_else(|| {
            LangError::new(format!("`{}` needs `{name}`", self.signature.name)).label("it is missing here")
        })
    }

    /// The arguments of a place that accepts any number.
    pub fn many(&mut self) -> Vec<Spanned<Value>> {
        std::mem::take(&mut self.many)
    }

    /// The keyword arguments whose names are not in the signature.
    pub fn keywords(&mut self) -> Vec<(Name, Spanned<Value>)> {
        std::mem::take(&mut self.keywords)
    }

    /// Calls a function value.
    pub fn apply(&mut self, function: &Function, args: Vec<Value>) -> Res<Value> {
        self.eval.poll()?;
        self.eval.apply(function, args, self.span)
    }

    pub fn emit(&mut self, item: Item) {
        self.eval.emit(item);
    }

    /// A note at the call.
    pub fn remark(&mut self, message: impl Into<String>) {
        let remark = Diagnostic::remark(message).label(self.span, "here");
        self.eval.emit(Item::Diagnostic(remark));
    }

    /// A warning at the call.
    pub fn warn(&mut self, message: impl Into<String>) {
        let warning = Diagnostic::warning(message).label(self.span, "here");
        self.eval.emit(Item::Diagnostic(warning));
    }
}

/// A builtin function: its signature and its implementation.
pub struct Builtin {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub group: Group,
    pub places: &'static [Place],
    pub result: Option<Kind>,
    pub summary: &'static str,
    pub help: &'static str,
    pub examples: &'static [&'static str],
    pub touches: Touches,
    pub run: fn(&mut Call<'_, '_>) -> Res<Value>,
}

/// What a builtin accesses outside of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touches {
    Nothing,
    /// It reads or writes files.
    Files,
    /// It shows something in addition to its value.
    Session,
}

/// What a name of the language refers to.
pub struct Entry {
    pub signature: Signature,
    pub touches: Touches,
    pub sort: Sort,
    /// Runs a call whose arguments have the right kinds.
    pub run: fn(&mut Call<'_, '_>) -> Res<Value>,
}

/// The kinds of entries.
#[derive(Clone, Copy)]
pub enum Sort {
    Builtin,
    Family(&'static dyn Family),
    Combinator,
}

impl Entry {
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        std::iter::once(self.signature.name).chain(self.signature.aliases.iter().copied())
    }

    /// The value of its bare name.
    pub fn as_value(&'static self) -> Value {
        match self.sort {
            Sort::Builtin | Sort::Combinator => Value::Function(Function::Known(self)),
            Sort::Family(family) => Value::Kernel(Kernel::family(family)),
        }
    }

    /// Families are reserved words: their names cannot be bound.
    pub fn is_family(&self) -> bool {
        self.family().is_some()
    }

    pub fn family(&self) -> Option<&'static dyn Family> {
        match self.sort {
            Sort::Family(family) => Some(family),
            Sort::Builtin | Sort::Combinator => None,
        }
    }

    /// Whether it is a family that `ARD` affects.
    pub fn takes_ard(&self) -> bool {
        self.family().is_some_and(|family| family.spec().params.iter().any(|p| p.size == Size::EachIfArd))
    }
}

impl Callable for Entry {
    fn name(&self) -> &'static str {
        self.signature.name
    }

    fn params(&self) -> Vec<&'static str> {
        self.signature.places.iter().map(|place| place.name).collect()
    }
}

/// A library of names. The registry is one; evaluation can use a smaller one.
pub trait Library: Sync {
    /// The entry with this name or alias.
    fn find(&self, name: &str) -> Option<&'static Entry>;

    /// All entries, in order of declaration.
    fn all(&self) -> &'static [Entry];

    /// The part of it without access to files and output. Functions inside kernels and the texts of saved files can use
    /// only this.
    fn pure(&self) -> &'static dyn Library;

    /// Whether it is such a part.
    fn is_pure(&self) -> bool;
}

/// The error for a name that the whole library has and a part lacks.
fn withheld(name: &str) -> LangError {
    LangError::new(format!("`{name}` cannot be called here"))
        .help("functions inside a kernel, the moves of a search and the texts of saved files cannot use files or print")
}

/// All names and aliases of a library.
pub fn names(library: &dyn Library) -> impl Iterator<Item = &'static str> + use<> {
    library.all().iter().flat_map(Entry::names)
}
