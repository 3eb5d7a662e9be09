//! Signatures: the declared properties of callables.
//!
//! Checks of calls, help, the language reference and completion use only signatures.

use crate::lang::values::value::Kind;
use crate::lang::wording::join_or;

/// What a place of a signature accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Want {
    Any,
    Kind(Kind),
    /// A non-negative whole number.
    Count,
    /// A list or a range.
    Items,
    /// Numbers: a list or a range of them, or a single one.
    Numbers,
    /// A column or an input: an index from 0, the name of a column, or a list of these. A bare word is the name of a
    /// column, unless the user has bound it to such a value.
    Input,
    /// An expression of columns, or a function whose parameters are columns; also a value, or the name of a column.
    /// Bare words in it are columns.
    Row,
    /// A new name, written as a bare word; otherwise as [`Want::Param`].
    Word,
    /// A parameter: a number, `fixed(…)`, `between(…)`, `param(…)`, a prior, or a list of these.
    Param,
    /// A positive whole number.
    Positive,
    /// One of these, or a non-empty list of them.
    Each(&'static Want),
    /// The budget of a search: a time such as "60s", or a number of evaluations.
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
    /// A value that can predict.
    pub const PREDICTOR: Want =
        Want::Either(&[Want::Kind(Kind::Fit), Want::Kind(Kind::Search), Want::Kind(Kind::DeepFit)]);
    /// A fit, or a search where it is more than its best fit.
    pub const FIT_OR_SEARCH: Want = Want::Either(&[Want::Kind(Kind::Fit), Want::Kind(Kind::Search)]);
    /// A kernel, or a model where it is more than its kernel.
    pub const KERNEL_OR_MODEL: Want = Want::Either(&[Want::Kind(Kind::Kernel), Want::Kind(Kind::Model)]);

    /// A value that can be saved.
    pub const SAVED: Want = Want::Either(&[
        Want::Kind(Kind::Fit),
        Want::Kind(Kind::Search),
        Want::Kind(Kind::DeepFit),
        Want::Kind(Kind::Integral),
    ]);

    /// Whether a value of a kind may be accepted. Values themselves are checked by [`admits`](Self::admits).
    pub fn allows(self, kind: Kind) -> bool {
        match self {
            Want::Any => kind != Kind::Nothing,
            // a search is accepted as its best fit
            Want::Kind(Kind::Fit) => matches!(kind, Kind::Fit | Kind::Search),
            Want::Kind(wanted) => kind == wanted,
            Want::Budget => matches!(kind, Kind::Number | Kind::String),
            Want::Each(want) => kind == Kind::List || want.allows(kind),
            Want::Count | Want::Positive => kind == Kind::Number,
            Want::Items => matches!(kind, Kind::List | Kind::Range),
            Want::Numbers => matches!(kind, Kind::Number | Kind::List | Kind::Range),
            Want::Input => matches!(kind, Kind::Number | Kind::String | Kind::List | Kind::Range),
            Want::Row => {
                matches!(kind, Kind::Function | Kind::Number | Kind::String | Kind::Bool | Kind::List | Kind::Range)
            }
            Want::Word => matches!(kind, Kind::String | Kind::Number | Kind::Param | Kind::Dist),
            Want::Param => matches!(kind, Kind::Number | Kind::Param | Kind::Dist | Kind::List | Kind::String),
            Want::Choice(_) | Want::Path => kind == Kind::String,
            Want::Either(wants) => wants.iter().any(|want| want.allows(kind)),
        }
    }

    /// Whether a bare word in this place may be the name of a column.
    pub fn is_input(self) -> bool {
        match self {
            Want::Input => true,
            Want::Either(wants) => wants.iter().any(|want| want.is_input()),
            _ => false,
        }
    }

    /// Whether this place accepts an expression of columns.
    pub fn is_row(self) -> bool {
        match self {
            Want::Row => true,
            Want::Either(wants) => wants.iter().any(|want| want.is_row()),
            _ => false,
        }
    }

    /// Whether a fit is accepted and a search is not: a search is then replaced by its best fit.
    pub fn takes_best(self) -> bool {
        match self {
            Want::Kind(kind) => kind == Kind::Fit,
            Want::Either(wants) => {
                wants.iter().any(|want| want.takes_best()) && !wants.contains(&Want::Kind(Kind::Search))
            }
            _ => false,
        }
    }

    /// In the words of a message: "a kernel", `"a" or "b"`.
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
            Want::Row => "an expression of columns".into(),
            Want::Word => "a name or a number".into(),
            Want::Input | Want::Param | Want::Choice(_) | Want::Either(_) => join_or(self.nouns()),
            Want::Path => "a file name".into(),
        }
    }

    /// The words that are accepted.
    pub fn choices(self) -> Vec<&'static str> {
        match self {
            Want::Choice(words) => words.to_vec(),
            Want::Either(wants) => wants.iter().flat_map(|want| want.choices()).collect(),
            Want::Each(want) => want.choices(),
            _ => Vec::new(),
        }
    }

    /// All that is accepted, one by one.
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

/// Whether an argument must be given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Need {
    Required,
    /// May be left out; the default in the notation of the language, or empty if it cannot be written.
    Optional(&'static str),
    /// Any number of positional arguments.
    Many,
    /// Any keyword that is not the name of another place. With the name of an argument: only beside this argument.
    Keywords(Option<&'static str>),
}

/// One place for an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub name: &'static str,
    /// Other names that can be used as a keyword.
    pub short: &'static [&'static str],
    pub want: Want,
    pub need: Need,
    pub help: &'static str,
    /// Whether it can be given only as a keyword.
    pub keyword: bool,
    /// The place whose positional argument it takes if that place is given as a keyword.
    pub instead_of: Option<&'static str>,
}

impl Place {
    pub const fn required(name: &'static str, want: Want, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Required, help, keyword: false, instead_of: None }
    }

    pub const fn optional(name: &'static str, want: Want, default: &'static str, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Optional(default), help, keyword: false, instead_of: None }
    }

    /// An optional place that can be given only as a keyword.
    pub const fn keyword(name: &'static str, want: Want, default: &'static str, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Optional(default), help, keyword: true, instead_of: None }
    }

    pub const fn many(name: &'static str, want: Want, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Many, help, keyword: false, instead_of: None }
    }

    pub const fn keywords(name: &'static str, want: Want, help: &'static str) -> Self {
        Self { name, short: &[], want, need: Need::Keywords(None), help, keyword: true, instead_of: None }
    }

    /// The same, for keywords that are accepted only beside the argument of this name.
    pub const fn beside(mut self, argument: &'static str) -> Self {
        self.need = Need::Keywords(Some(argument));
        self
    }

    /// The same with other names that can be used as a keyword.
    pub const fn or(mut self, short: &'static [&'static str]) -> Self {
        self.short = short;
        self
    }

    /// The same, which takes the positional argument of a place that is itself given as a keyword.
    pub const fn instead_of(mut self, place: &'static str) -> Self {
        self.instead_of = Some(place);
        self
    }

    pub fn is_named(&self, name: &str) -> bool {
        !matches!(self.need, Need::Many | Need::Keywords(_)) && (self.name == name || self.short.contains(&name))
    }

    /// In the form of a signature: `n=5`, `functions…`, `name=…`.
    pub fn shown(&self) -> String {
        match self.need {
            Need::Required => self.name.into(),
            // Defaults in words are in the help text.
            Need::Optional(default) if default.is_empty() || default.contains(' ') => format!("{}=…", self.name),
            Need::Optional(default) => format!("{}={default}", self.name),
            Need::Many => format!("{}…", self.name),
            Need::Keywords(_) => format!("{}=…", self.name),
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
            Group::Kernels => "Kernel values and structure",
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

    /// The words that lead to the chapter in help.
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

/// The declaration of a callable.
#[derive(Debug, Clone)]
pub struct Signature {
    pub name: &'static str,
    pub aliases: Vec<&'static str>,
    pub group: Group,
    pub places: Vec<Place>,
    /// The kind of the result, if it is always the same.
    pub result: Option<Kind>,
    pub summary: &'static str,
    /// Further paragraphs; may be empty.
    pub help: String,
    /// Example programs, each of which can be run.
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

    /// All names that can be used as a keyword.
    pub fn keywords(&self) -> impl Iterator<Item = &'static str> + '_ {
        let named = self.places.iter().filter(|p| !matches!(p.need, Need::Many | Need::Keywords(_)));
        named.flat_map(|p| std::iter::once(p.name).chain(p.short.iter().copied()))
    }
}
