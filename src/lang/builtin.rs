//! What can be called by name: signatures, and the one registry of them.
//!
//! A builtin is declared once, as a [`Builtin`] beside its function. Calls are checked, help and the language reference
//! are written and completion is fed from its [`Signature`] alone.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::builtins;
use super::trouble::Res;
use crate::kernel::{Family, Kernel};
use crate::lang::eval::call::Call;
use crate::lang::eval::combinators::{COMBINATORS, Combinator};
use crate::lang::eval::family_calls;
use crate::lang::values::function::Function;
use crate::lang::values::value::{Kind, Value};
use crate::search::Budget;

/// What a place of a signature accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Want {
    Any,
    Kind(Kind),
    /// A whole number from 0.
    Count,
    /// A list or a range.
    Items,
    /// Numbers: a list or a range of them, or a single one.
    Numbers,
    /// A column or an input: an index from 0, a column's name, or a list of these. A bare word is a column's name,
    /// unless the user has bound it to such a value.
    Input,
    /// A new name, written as a bare word; otherwise as [`Want::Param`].
    Word,
    /// A parameter: a number, `fixed(…)`, `between(…)`, `param(…)`, a prior, or a list of these.
    Param,
    /// A whole number from 1.
    Positive,
    /// One of these, or a list of them that is not empty.
    Each(&'static Want),
    /// What a search may cost: a time such as "60s", or a number of evaluations.
    Budget,
    /// One of these words, as a string.
    Choice(&'static [&'static str]),
    /// The path of a file; completion offers file names.
    Path,
    Either(&'static [Want]),
}

impl Want {
    pub const NUMBER: Want = Want::Kind(Kind::Number);
    pub const BOOL: Want = Want::Kind(Kind::Bool);
    pub const STRING: Want = Want::Kind(Kind::String);
    pub const FUNCTION: Want = Want::Kind(Kind::Function);
    /// Where a search is more than its best fit.
    pub const FIT_OR_SEARCH: Want = Want::Either(&[Want::Kind(Kind::Fit), Want::Kind(Kind::Search)]);

    /// Whether a value of a kind could be right. Values themselves are looked at by [`admits`](Self::admits).
    pub fn allows(self, kind: Kind) -> bool {
        match self {
            Want::Any => kind != Kind::Nothing,
            // a search stands for its best fit
            Want::Kind(Kind::Fit) => matches!(kind, Kind::Fit | Kind::Search),
            Want::Kind(wanted) => kind == wanted,
            Want::Budget => matches!(kind, Kind::Number | Kind::String),
            Want::Each(want) => kind == Kind::List || want.allows(kind),
            Want::Count | Want::Positive => kind == Kind::Number,
            Want::Items => matches!(kind, Kind::List | Kind::Range),
            Want::Numbers => matches!(kind, Kind::Number | Kind::List | Kind::Range),
            Want::Input => matches!(kind, Kind::Number | Kind::String | Kind::List | Kind::Range),
            Want::Word => matches!(kind, Kind::String | Kind::Number | Kind::Param | Kind::Dist),
            Want::Param => matches!(kind, Kind::Number | Kind::Param | Kind::Dist | Kind::List),
            Want::Choice(_) | Want::Path => kind == Kind::String,
            Want::Either(wants) => wants.iter().any(|want| want.allows(kind)),
        }
    }

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

    /// Whether a bare word in this place may be a column's name.
    pub fn is_input(self) -> bool {
        match self {
            Want::Input => true,
            Want::Either(wants) => wants.iter().any(|want| want.is_input()),
            _ => false,
        }
    }

    /// Whether a fit is wanted and a search is not: then the search stands for its best fit.
    pub fn takes_best(self) -> bool {
        match self {
            Want::Kind(kind) => kind == Kind::Fit,
            Want::Either(wants) => {
                wants.iter().any(|want| want.takes_best()) && !wants.contains(&Want::Kind(Kind::Search))
            }
            _ => false,
        }
    }

    /// As a message says it: "a kernel", `"a" or "b"`.
    pub fn noun(self) -> String {
        match self {
            Want::Any => "a value".into(),
            Want::Kind(kind) => kind.noun().into(),
            Want::Count => "a whole number from 0".into(),
            Want::Positive => "a whole number from 1".into(),
            Want::Budget => "a time such as \"60s\", or a whole number of evaluations".into(),
            Want::Each(want) => format!("{} or a list of these", want.noun()),
            Want::Items => "a list".into(),
            Want::Numbers => "numbers".into(),
            Want::Word => "a name or a number".into(),
            Want::Input | Want::Param | Want::Choice(_) | Want::Either(_) => join_or(self.nouns()),
            Want::Path => "a file name".into(),
        }
    }

    /// The words that could stand here.
    pub fn choices(self) -> Vec<&'static str> {
        match self {
            Want::Choice(words) => words.to_vec(),
            Want::Either(wants) => wants.iter().flat_map(|want| want.choices()).collect(),
            Want::Each(want) => want.choices(),
            _ => Vec::new(),
        }
    }

    /// What could stand here, each for itself.
    fn nouns(self) -> Vec<String> {
        match self {
            Want::Choice(words) => words.iter().map(|word| format!("\"{word}\"")).collect(),
            Want::Either(wants) => wants.iter().flat_map(|want| want.nouns()).collect(),
            Want::Param => ["a number", "`fixed(…)`", "`between(…)`", "`param(…)`", "a prior"].map(String::from).into(),
            Want::Input => ["a column's name", "an index from 0", "a list of these"].map(String::from).into(),
            want => vec![want.noun()],
        }
    }
}

/// A budget from a value: a time in a string, or a whole number of evaluations.
pub fn read_budget(value: &Value) -> Option<Budget> {
    match value {
        Value::Number(x) if *x >= 1.0 && x.fract() == 0.0 && *x < 9e15 => {
            Some(Budget { seconds: None, evaluations: Some(*x as usize) })
        }
        Value::Str(text) => text.parse().ok(),
        _ => None,
    }
}

/// `a, b or c`.
pub fn join_or(words: impl IntoIterator<Item = String>) -> String {
    let mut words: Vec<String> = words.into_iter().collect();
    match words.pop() {
        None => String::new(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
    }
}

/// Whether an argument must be given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Need {
    Required,
    /// Left out it is this, in the language's own notation; empty where there is nothing to write.
    Optional(&'static str),
    /// Any number of positional arguments.
    Many,
    /// Any keyword that is no other place's name.
    Keywords,
}

/// One place for an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub name: &'static str,
    /// Other names that a keyword may use.
    pub short: &'static [&'static str],
    pub want: Want,
    pub need: Need,
    pub help: &'static str,
    /// Can be given by keyword only.
    pub keyword: bool,
}

impl Place {
    pub const fn required(name: &'static str, want: Want, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Required, help, keyword: false }
    }

    pub const fn optional(name: &'static str, want: Want, default: &'static str, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Optional(default), help, keyword: false }
    }

    /// An optional one that can be given by keyword only.
    pub const fn keyword(name: &'static str, want: Want, default: &'static str, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Optional(default), help, keyword: true }
    }

    pub const fn many(name: &'static str, want: Want, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Many, help, keyword: false }
    }

    pub const fn keywords(name: &'static str, want: Want, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Keywords, help, keyword: true }
    }

    /// With other names that a keyword may use.
    pub const fn or(mut self, short: &'static [&'static str]) -> Self {
        self.short = short;
        self
    }

    pub fn is_named(&self, name: &str) -> bool {
        self.need != Need::Many && self.need != Need::Keywords && (self.name == name || self.short.contains(&name))
    }

    /// As a signature shows it: `n=5`, `functions…`, `name=…`.
    pub fn shown(&self) -> String {
        match self.need {
            Need::Required => self.name.into(),
            // Defaults in words are for the help text.
            Need::Optional(default) if default.is_empty() || default.contains(' ') => format!("{}=…", self.name),
            Need::Optional(default) => format!("{}={default}", self.name),
            Need::Many => format!("{}…", self.name),
            Need::Keywords => format!("{}=…", self.name),
        }
    }
}

/// The chapters of the language reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Families,
    Combinators,
    Moves,
    Kernels,
    Parameters,
    Data,
    Models,
    Search,
    Results,
    Lists,
    Numbers,
    Session,
}

impl Group {
    pub const ALL: [Group; 12] = [
        Group::Families,
        Group::Combinators,
        Group::Moves,
        Group::Kernels,
        Group::Parameters,
        Group::Data,
        Group::Models,
        Group::Search,
        Group::Results,
        Group::Lists,
        Group::Numbers,
        Group::Session,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Group::Families => "Kernel families",
            Group::Combinators => "Kernel combinators",
            Group::Moves => "Moves of the inputs",
            Group::Kernels => "Looking at kernels",
            Group::Parameters => "Parameters and priors",
            Group::Data => "Data",
            Group::Models => "Models and fits",
            Group::Search => "Structure search",
            Group::Results => "Results",
            Group::Lists => "Lists and functions",
            Group::Numbers => "Numbers",
            Group::Session => "Session",
        }
    }

    /// The words under which help lists the chapter.
    pub fn topics(self) -> &'static [&'static str] {
        match self {
            Group::Families => &["families"],
            Group::Combinators => &["combinators", "wraps"],
            Group::Moves => &["moves"],
            Group::Kernels => &["kernels"],
            Group::Parameters => &["priors"],
            Group::Data => &["tables"],
            Group::Models => &["models", "fits"],
            Group::Search => &["searching", "structure"],
            Group::Results => &["results"],
            Group::Lists => &["lists", "functions"],
            Group::Numbers => &["numbers"],
            Group::Session => &["session"],
        }
    }
}

/// Everything that is to be known of a callable before it is called.
#[derive(Debug, Clone)]
pub struct Signature {
    pub name: &'static str,
    pub aliases: Vec<&'static str>,
    pub group: Group,
    pub places: Vec<Place>,
    /// What it gives, where it is always of one kind.
    pub result: Option<Kind>,
    pub summary: &'static str,
    /// Further paragraphs; may be empty.
    pub help: String,
    /// Programs to try, each of which runs.
    pub examples: Vec<&'static str>,
}

impl Signature {
    /// `map(list, function)`.
    pub fn shown(&self) -> String {
        let places: Vec<String> = self.places.iter().map(Place::shown).collect();
        format!("{}({})", self.name, places.join(", "))
    }

    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.iter().position(|place| place.is_named(name))
    }

    /// Every name that a keyword may use.
    pub fn keywords(&self) -> impl Iterator<Item = &'static str> + '_ {
        let named = self.places.iter().filter(|p| !matches!(p.need, Need::Many | Need::Keywords));
        named.flat_map(|p| std::iter::once(p.name).chain(p.short.iter().copied()))
    }
}

/// A builtin function: its signature and what it does.
pub struct Builtin {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub group: Group,
    pub places: &'static [Place],
    pub result: Option<Kind>,
    pub summary: &'static str,
    pub help: &'static str,
    pub examples: &'static [&'static str],
    pub run: fn(&mut Call<'_, '_>) -> Res<Value>,
}

/// What a name of the language stands for.
pub struct Entry {
    pub signature: Signature,
    pub action: Action,
}

#[derive(Clone, Copy)]
pub enum Action {
    Builtin(fn(&mut Call<'_, '_>) -> Res<Value>),
    Family(&'static dyn Family),
    Combinator(&'static Combinator),
}

impl Entry {
    fn builtin(builtin: &Builtin) -> Self {
        let signature = Signature {
            name: builtin.name,
            aliases: builtin.aliases.to_vec(),
            group: builtin.group,
            places: builtin.places.to_vec(),
            result: builtin.result,
            summary: builtin.summary,
            help: builtin.help.into(),
            examples: builtin.examples.to_vec(),
        };
        Self { signature, action: Action::Builtin(builtin.run) }
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        std::iter::once(self.signature.name).chain(self.signature.aliases.iter().copied())
    }

    /// What its bare name stands for.
    pub fn as_value(&'static self) -> Value {
        match self.action {
            Action::Builtin(_) | Action::Combinator(_) => Value::Function(Function::Known(self)),
            Action::Family(family) => Value::Kernel(Kernel::family(family)),
        }
    }

    /// Families are reserved words: their names cannot be bound.
    pub fn is_family(&self) -> bool {
        self.family().is_some()
    }

    pub fn family(&self) -> Option<&'static dyn Family> {
        match self.action {
            Action::Family(family) => Some(family),
            Action::Builtin(_) | Action::Combinator(_) => None,
        }
    }
}

struct Registry {
    entries: Vec<Entry>,
    by_name: HashMap<&'static str, usize>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let families = family_calls::families()
        .map(|family| Entry { signature: family_calls::family_signature(family), action: Action::Family(family) });
    let combinators = COMBINATORS.iter().filter_map(|combinator| {
        let signature = family_calls::combinator_signature(combinator)?;
        Some(Entry { signature, action: Action::Combinator(combinator) })
    });
    let builtins = builtins::ALL.iter().flat_map(|group| group.iter()).map(Entry::builtin);
    let entries: Vec<Entry> = families.chain(combinators).chain(builtins).collect();
    let mut by_name = HashMap::new();
    for (i, entry) in entries.iter().enumerate() {
        for name in std::iter::once(&entry.signature.name).chain(&entry.signature.aliases) {
            by_name.insert(*name, i);
        }
    }
    Registry { entries, by_name }
});

/// The callable of a name or of an alias.
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.by_name.get(name).map(|&i| &REGISTRY.entries[i])
}

/// Everything that can be called, in order of declaration.
pub fn all() -> &'static [Entry] {
    &REGISTRY.entries
}

/// Every name and alias.
pub fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY.by_name.keys().copied()
}

/// The name nearest to a misspelt one, if any is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let allowed = match name.chars().count() {
        0 => return None,
        1..=2 => 0,
        3..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_documented() {
        let mut seen = HashSet::new();
        for entry in all() {
            let signature = &entry.signature;
            for name in std::iter::once(&signature.name).chain(&signature.aliases) {
                assert!(seen.insert(*name), "{name} is declared twice");
            }
            assert!(!signature.summary.is_empty() && !signature.summary.ends_with('.'), "{}", signature.name);
            assert!(!signature.examples.is_empty(), "{} has no example", signature.name);
            let mut keywords = HashSet::new();
            assert!(signature.keywords().all(|keyword| keywords.insert(keyword)), "{}", signature.name);
            assert!(signature.places.iter().all(|p| !p.help.is_empty()), "{}", signature.name);
        }
    }

    #[test]
    fn nearest_names() {
        let known = ["SE", "predict", "Per"];
        assert_eq!(nearest("predct", known), Some("predict"));
        assert_eq!(nearest("Sqe", known), Some("SE"));
        assert_eq!(nearest("xyzzy", known), None);
    }
}
