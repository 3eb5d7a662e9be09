//! The value of the language and its kinds.
//!
//! What a kind is (its name, members, shown form, JSON, figure and table) is one implementation of [`ValueKind`] in a file
//! of its own beside this one. Here are the list of the kinds, and the functions on any value.

use std::fmt;
use std::sync::{Arc, LazyLock};

use serde_json::Value as Json;

use crate::data::Dataset;
use crate::data::write::Table;
use crate::deep::{DeepFit, DeepModel, Jacobian, PlaneMap};
use crate::figure::Figure;
use crate::fit::Fit;
use crate::kernel::{Kernel, Move};
use crate::lang::error::Res;
use crate::lang::payload::explanation::Explanation;
use crate::lang::payload::function;
use crate::lang::payload::integral::Integrated;
use crate::lang::payload::items;
use crate::lang::payload::list;
pub use crate::lang::payload::list::check_length;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::lang::payload::range::Range;
use crate::lang::payload::record;
use crate::lang::payload::sheet::Sheet;
use crate::param::{Param, Prior};
use crate::quadrature::Density;
use crate::results::{
    ClassPrediction, CrossValidation, Decomposition, Features, OneVsRest, Prediction, Residuals, SampledSurface,
};
use crate::search::Search;

pub type List = list::List<Value>;
pub type Items = items::Items<Value>;
pub type ListBuilder = list::ListBuilder<Value>;
pub type Record = record::Record<Value>;
pub type Function = function::Function<Value>;
pub type Closure = function::Closure<Value>;

/// A kind of value, declared for the type that its values hold.
pub trait ValueKind: Send + Sync + Sized + 'static {
    /// As `:type` and JSON say it.
    const NAME: &'static str;
    /// As a message says it: "a kernel".
    const NOUN: &'static str;
    /// How a value of it comes about, for the language reference.
    const MADE_BY: &'static str;
    const MEMBERS: &'static [Member<Self>] = &[];
    /// Whether further members differ from value to value, as the columns of data do.
    const OPEN_MEMBERS: bool = false;
    /// Whether its values can stand before `(`.
    const CALLABLE: bool = false;
    /// Whether JSON of it reads back with nothing lost.
    const PLAIN: bool = false;
    /// The arguments of `plot` that apply to it; `None` where there is no figure of it.
    const PLOT: Option<&'static [&'static str]> = None;
    /// Whether `write` makes a table of it.
    const TABLE: bool = false;
    /// The endings of files that `write` makes of it in its own format.
    const FORMATS: &'static [&'static str] = &[];

    fn members() -> &'static [Member<Self>] {
        Self::MEMBERS
    }

    /// A member that only this value has.
    fn open_member(&self, _name: &str) -> Option<Res<Value>> {
        None
    }

    /// The names of such members.
    fn open_members(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether this value can stand before `(`.
    fn is_callable(&self) -> bool {
        Self::CALLABLE
    }

    /// Its text.
    fn show(&self) -> String;

    fn json(&self) -> Json;

    /// `==`. Without a notion of its own: one and the same.
    fn same(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }

    /// What `plot` draws.
    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Err(PlotError::NoFigure)
    }

    /// What `write` puts into a table.
    fn table(&self) -> Option<Table> {
        None
    }

    /// The text of a file in one of its [`FORMATS`](Self::FORMATS).
    fn file(&self, _ending: &str) -> Option<String> {
        None
    }
}

/// A member that every value of a kind has.
pub struct Member<T: 'static> {
    pub name: &'static str,
    pub help: &'static str,
    get: Getter<T>,
}

enum Getter<T: 'static> {
    Value(fn(&T) -> Value),
    Checked(fn(&T) -> Res<Value>),
    Named(fn(&T, &str) -> Res<Value>),
}

impl<T: 'static> Member<T> {
    pub const fn new(name: &'static str, help: &'static str, get: fn(&T) -> Value) -> Self {
        Self { name, help, get: Getter::Value(get) }
    }

    /// One that may fail, as a list can be too long.
    pub const fn checked(name: &'static str, help: &'static str, get: fn(&T) -> Res<Value>) -> Self {
        Self { name, help, get: Getter::Checked(get) }
    }

    /// One of several that are found by their name.
    pub const fn named(name: &'static str, help: &'static str, get: fn(&T, &str) -> Res<Value>) -> Self {
        Self { name, help, get: Getter::Named(get) }
    }

    fn of(&self, held: &T) -> Res<Value> {
        match self.get {
            Getter::Value(get) => Ok(get(held)),
            Getter::Checked(get) => get(held),
            Getter::Named(get) => get(held, self.name),
        }
    }
}

/// A kind apart from its values.
pub struct KindInfo {
    pub name: &'static str,
    pub noun: &'static str,
    pub made_by: &'static str,
    /// Names of members, each with a line of help.
    pub members: Vec<(&'static str, &'static str)>,
    pub open_members: bool,
    pub callable: bool,
    pub plain: bool,
    pub plot: Option<&'static [&'static str]>,
    pub table: bool,
    pub formats: &'static [&'static str],
}

impl KindInfo {
    fn of<T: ValueKind>() -> Self {
        Self {
            name: T::NAME,
            noun: T::NOUN,
            made_by: T::MADE_BY,
            members: T::members().iter().map(|member| (member.name, member.help)).collect(),
            open_members: T::OPEN_MEMBERS,
            callable: T::CALLABLE,
            plain: T::PLAIN,
            plot: T::PLOT,
            table: T::TABLE,
            formats: T::FORMATS,
        }
    }
}

/// What a value holds, its type forgotten.
pub trait Held {
    fn is_callable(&self) -> bool;
    fn show(&self) -> String;
    fn json(&self) -> Json;
    fn member(&self, name: &str) -> Option<Res<Value>>;
    fn open_members(&self) -> Vec<String>;
    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError>;
    fn table(&self) -> Option<Table>;
    fn file(&self, ending: &str) -> Option<String>;
}

impl<T: ValueKind> Held for T {
    fn is_callable(&self) -> bool {
        ValueKind::is_callable(self)
    }

    fn show(&self) -> String {
        ValueKind::show(self)
    }

    fn json(&self) -> Json {
        ValueKind::json(self)
    }

    fn member(&self, name: &str) -> Option<Res<Value>> {
        match T::members().iter().find(|member| member.name == name) {
            Some(member) => Some(member.of(self)),
            None => self.open_member(name),
        }
    }

    fn open_members(&self) -> Vec<String> {
        ValueKind::open_members(self)
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        ValueKind::figure(self, options)
    }

    fn table(&self) -> Option<Table> {
        ValueKind::table(self)
    }

    fn file(&self, ending: &str) -> Option<String> {
        ValueKind::file(self, ending)
    }
}

/// Declares [`Value`] and [`Kind`] from the list of kinds: what each holds, by itself or shared, and further forms of a
/// kind.
macro_rules! kinds {
    (
        held { $($(#[$held_doc:meta])* $held:ident($held_type:ty) => $held_kind:ident,)* }
        shared { $($(#[$shared_doc:meta])* $shared:ident($shared_type:ty) => $shared_kind:ident,)* }
        forms { $($(#[$form_doc:meta])* $form:ident($form_type:ty) => $form_kind:ident,)* }
    ) => {
        /// One value of the language.
        #[derive(Clone)]
        pub enum Value {
            /// What a call gives that has nothing to give, such as `print`. It is never shown.
            Nothing,
            $($(#[$held_doc])* $held($held_type),)*
            $($(#[$shared_doc])* $shared(Arc<$shared_type>),)*
            $($(#[$form_doc])* $form($form_type),)*
        }

        /// The kinds of value.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            Nothing,
            $($held_kind,)*
            $($shared_kind,)*
        }

        impl Kind {
            pub const ALL: &'static [Kind] = &[Kind::Nothing, $(Kind::$held_kind,)* $(Kind::$shared_kind,)*];

            /// What is declared of it.
            pub fn info(self) -> &'static KindInfo {
                static INFOS: LazyLock<Vec<KindInfo>> = LazyLock::new(|| {
                    vec![
                        KindInfo::of::<()>(),
                        $(KindInfo::of::<$held_type>(),)*
                        $(KindInfo::of::<$shared_type>(),)*
                    ]
                });
                &INFOS[self as usize]
            }

            /// Further forms of it, under the names of [`Value`]: each must have the members of the kind.
            pub fn forms(self) -> Vec<(&'static str, KindInfo)> {
                [$((Kind::$form_kind, stringify!($form), KindInfo::of::<$form_type>()),)*]
                    .into_iter()
                    .filter(|(kind, ..)| *kind == self)
                    .map(|(_, name, info)| (name, info))
                    .collect()
            }
        }

        impl Value {
            pub fn kind(&self) -> Kind {
                match self {
                    Value::Nothing => Kind::Nothing,
                    $(Value::$held(_) => Kind::$held_kind,)*
                    $(Value::$shared(_) => Kind::$shared_kind,)*
                    $(Value::$form(_) => Kind::$form_kind,)*
                }
            }

            fn held(&self) -> &dyn Held {
                match self {
                    Value::Nothing => &(),
                    $(Value::$held(held) => held,)*
                    $(Value::$shared(held) => &**held,)*
                    $(Value::$form(held) => held,)*
                }
            }

            /// `==`: by what is inside, and false between kinds (but a range equals the list of its numbers).
            pub fn same(&self, other: &Value) -> bool {
                match (self, other) {
                    (Value::Nothing, Value::Nothing) => true,
                    $((Value::$held(a), Value::$held(b)) => a.same(b),)*
                    $((Value::$shared(a), Value::$shared(b)) => a.same(b),)*
                    $((Value::$form(a), Value::$form(b)) => a.same(b),)*
                    _ => match (self.items(), other.items()) {
                        (Some(a), Some(b)) => a.len() == b.len() && a.zip(b).all(|(a, b)| a.same(&b)),
                        _ => false,
                    },
                }
            }
        }
    };
}

kinds! {
    held {
        Number(f64) => Number,
        Bool(bool) => Bool,
        Str(Arc<str>) => String,
        List(List) => List,
        Range(Range) => Range,
        Function(Function) => Function,
        Kernel(Kernel) => Kernel,
        /// A prior over a parameter.
        Dist(Prior) => Dist,
        /// Held as shared: results of a fit share it.
        Fit(Arc<Fit>) => Fit,
    }
    shared {
        Data(Dataset) => Data,
        /// A pipeline that is not yet fitted.
        Model(Pipeline) => Model,
        DeepModel(DeepModel) => DeepModel,
        DeepFit(DeepFit) => DeepFit,
        /// Where a fit is wanted it stands for its best.
        Search(Search) => Search,
        Prediction(Prediction) => Prediction,
        Decomposition(Decomposition) => Decomposition,
        Residuals(Residuals) => Residuals,
        /// A kernel or a fit in words.
        Explanation(Explanation) => Explanation,
        /// A mesh drawn from a kernel.
        Surface(SampledSurface) => Surface,
        /// A kernel as an inner product.
        Features(Features) => Features,
        /// Models scored fold by fold.
        CrossValidation(CrossValidation) => CrossValidation,
        /// Singular values of a deep model's derivatives.
        Jacobian(Jacobian) => Jacobian,
        /// The plane sent through a deep model.
        PlaneMap(PlaneMap) => PlaneMap,
        /// What functions are integrated against.
        Density(Density) => Density,
        /// An integral with an error bar.
        Integral(Integrated<Value>) => Integral,
        Figure(Figure) => Figure,
        Table(Sheet) => Table,
        /// A few values under names: a row of a table, a component.
        Record(Record) => Record,
        /// What `fixed`, `between`, `param` and `~` give: a parameter not yet in a kernel or a model.
        Param(Param) => Param,
        /// A transformation of the inputs: a symmetry.
        Move(Move) => Move,
    }
    forms {
        /// What `fit` gives where the target has more than two classes: a fit of each class against the rest.
        OneVsRest(Arc<OneVsRest>) => Fit,
        /// What `predict` gives of it.
        ClassPrediction(Arc<ClassPrediction>) => Prediction,
    }
}

impl Kind {
    /// As `:type` and JSON say it.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// As a message says it.
    pub fn noun(self) -> &'static str {
        self.info().noun
    }

    /// Names of members, each with a line of help.
    pub fn members(self) -> &'static [(&'static str, &'static str)] {
        &self.info().members
    }
}

impl Value {
    pub fn table(table: impl Into<Sheet>) -> Self {
        Value::Table(Arc::new(table.into()))
    }

    pub fn str(text: impl Into<Arc<str>>) -> Self {
        Value::Str(text.into())
    }

    /// A text, or nothing.
    pub fn maybe_str(text: Option<impl Into<Arc<str>>>) -> Self {
        text.map_or(Value::Nothing, Value::str)
    }

    /// A number, or nothing.
    pub fn maybe_number(number: Option<f64>) -> Self {
        number.map_or(Value::Nothing, Value::Number)
    }

    /// A list of numbers. Longer than [`List::MAX`] is refused.
    pub fn numbers(numbers: impl IntoIterator<Item = f64>) -> Res<Self> {
        List::collect(numbers.into_iter().map(|x| Ok(Value::Number(x)))).map(Value::List)
    }

    /// A list of values. Longer than [`List::MAX`] is refused.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Res<Self> {
        List::collect(items.into_iter().map(Ok)).map(Value::List)
    }

    /// The same of items that may fail.
    pub fn checked_list(items: impl IntoIterator<Item = Res<Value>>) -> Res<Self> {
        List::collect(items.into_iter()).map(Value::List)
    }

    /// The items of a list or of a range, one after the other; `None` for anything else.
    pub fn items(&self) -> Option<Items> {
        match self {
            Value::List(list) => Some(Items::List(list.clone(), 0)),
            Value::Range(range) => Some(Items::Range(*range, 0)),
            _ => None,
        }
    }

    /// `value.name`.
    pub fn member(&self, name: &str) -> Option<Res<Value>> {
        self.held().member(name)
    }

    /// The names of members that only this value has.
    pub fn open_members(&self) -> Vec<String> {
        self.held().open_members()
    }

    /// Whether it can stand before `(`.
    pub fn is_callable(&self) -> bool {
        self.held().is_callable()
    }

    /// The value alone, without its kind. A number that JSON cannot hold (`inf`, `nan`) is null.
    pub fn json(&self) -> Json {
        self.held().json()
    }

    /// What `plot` draws.
    pub fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        self.held().figure(options)
    }

    /// What `write` puts into a table.
    pub fn to_table(&self) -> Option<Table> {
        self.held().table()
    }

    /// The text of a file in one of the formats of its kind.
    pub fn file(&self, ending: &str) -> Option<String> {
        self.held().file(ending)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::str(text)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.held().show())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({self})", self.kind().name())
    }
}
