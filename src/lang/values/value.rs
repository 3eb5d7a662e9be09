//! The value of the language and its kinds.
//!
//! A kind (its name, members, displayed form, JSON, figure and table) is one implementation of [`ValueKind`] in a
//! separate file of this folder. This file has the list of kinds, and the functions for all values.

use std::fmt;
use std::sync::{Arc, LazyLock};

use serde_json::Value as Json;

use crate::data::Dataset;
use crate::data::write::Table;
use crate::deep::{DeepFit, DeepModel, Jacobian, PlaneMap};
use crate::describe::Markup;
use crate::figure::Figure;
use crate::fit::Fit;
use crate::kernel::{Kernel, Move};
use crate::lang::error::Res;
use crate::lang::payload::explanation::Explanation;
use crate::lang::payload::function;
use crate::lang::payload::integral::Integrated;
use crate::lang::payload::items;
use crate::lang::payload::list;
pub use crate::lang::payload::list::{check_length, limit_lists};
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

/// A kind of value, implemented for the type that its values contain.
pub trait ValueKind: Send + Sync + Sized + 'static {
    /// The name in `:type` and JSON.
    const NAME: &'static str;
    /// The noun in messages: "a kernel".
    const NOUN: &'static str;
    /// How values of the kind are made, for the language reference.
    const MADE_BY: &'static str;
    const MEMBERS: &'static [Member<Self>] = &[];
    /// Whether values have further members of their own, such as the columns of data.
    const OPEN_MEMBERS: bool = false;
    /// Whether its values can be called.
    const CALLABLE: bool = false;
    /// Whether JSON preserves its values completely.
    const PLAIN: bool = false;
    /// The arguments of `plot` that apply to it; `None` if it has no figure.
    const PLOT: Option<&'static [&'static str]> = None;
    /// Whether `write` can write it as a table.
    const TABLE: bool = false;
    /// The extensions of files that `write` can write in its own format.
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

    /// Whether this value can be called.
    fn is_callable(&self) -> bool {
        Self::CALLABLE
    }

    /// The displayed text.
    fn show(&self) -> Markup;

    fn json(&self) -> Json;

    /// `==`. By default two values are equal if they are identical.
    fn same(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }

    /// The figure of `plot`.
    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Err(PlotError::NoFigure)
    }

    /// The table of `write`.
    fn table(&self) -> Option<Table> {
        None
    }

    /// The text of a file in one of its [`FORMATS`](Self::FORMATS).
    fn file(&self, _ending: &str) -> Option<String> {
        None
    }
}

/// A member that all values of a kind have.
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

    /// A member that may fail, for example because a list is too long.
    pub const fn checked(name: &'static str, help: &'static str, get: fn(&T) -> Res<Value>) -> Self {
        Self { name, help, get: Getter::Checked(get) }
    }

    /// One of several members that share a function of the name.
    pub const fn named(name: &'static str, help: &'static str, get: fn(&T, &str) -> Res<Value>) -> Self {
        Self { name, help, get: Getter::Named(get) }
    }

    fn of(&self, contents: &T) -> Res<Value> {
        match self.get {
            Getter::Value(get) => Ok(get(contents)),
            Getter::Checked(get) => get(contents),
            Getter::Named(get) => get(contents, self.name),
        }
    }
}

/// A kind, independent of its values.
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

/// The content of a value, with its type erased.
pub trait Contents {
    fn is_callable(&self) -> bool;
    fn show(&self) -> Markup;
    fn json(&self) -> Json;
    fn member(&self, name: &str) -> Option<Res<Value>>;
    fn open_members(&self) -> Vec<String>;
    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError>;
    fn table(&self) -> Option<Table>;
    fn file(&self, ending: &str) -> Option<String>;
}

impl<T: ValueKind> Contents for T {
    fn is_callable(&self) -> bool {
        ValueKind::is_callable(self)
    }

    fn show(&self) -> Markup {
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

/// Declares [`Value`] and [`Kind`] from the list of kinds: the type of each, owned or shared, and further forms of a
/// kind.
macro_rules! kinds {
    (
        owned { $($(#[$owned_doc:meta])* $owned:ident($owned_type:ty) => $owned_kind:ident,)* }
        shared { $($(#[$shared_doc:meta])* $shared:ident($shared_type:ty) => $shared_kind:ident,)* }
        forms { $($(#[$form_doc:meta])* $form:ident($form_type:ty) => $form_kind:ident,)* }
    ) => {
        /// A value of the language.
        #[derive(Clone)]
        pub enum Value {
            /// The result of a call without a result, such as `print`. It is never displayed.
            Nothing,
            $($(#[$owned_doc])* $owned($owned_type),)*
            $($(#[$shared_doc])* $shared(Arc<$shared_type>),)*
            $($(#[$form_doc])* $form($form_type),)*
        }

        /// The kinds of value.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            Nothing,
            $($owned_kind,)*
            $($shared_kind,)*
        }

        impl Kind {
            pub const ALL: &'static [Kind] = &[Kind::Nothing, $(Kind::$owned_kind,)* $(Kind::$shared_kind,)*];

            /// Its declaration.
            pub fn info(self) -> &'static KindInfo {
                static INFOS: LazyLock<Vec<KindInfo>> = LazyLock::new(|| {
                    vec![
                        KindInfo::of::<()>(),
                        $(KindInfo::of::<$owned_type>(),)*
                        $(KindInfo::of::<$shared_type>(),)*
                    ]
                });
                &INFOS[self as usize]
            }

            /// Further forms of the kind, with their names in [`Value`]: each must have the members of the kind.
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
                    $(Value::$owned(_) => Kind::$owned_kind,)*
                    $(Value::$shared(_) => Kind::$shared_kind,)*
                    $(Value::$form(_) => Kind::$form_kind,)*
                }
            }

            fn contents(&self) -> &dyn Contents {
                match self {
                    Value::Nothing => &(),
                    $(Value::$owned(contents) => contents,)*
                    $(Value::$shared(contents) => &**contents,)*
                    $(Value::$form(contents) => contents,)*
                }
            }

            /// `==`: compares contents; false between kinds (but a range equals the list of its numbers).
            pub fn same(&self, other: &Value) -> bool {
                match (self, other) {
                    (Value::Nothing, Value::Nothing) => true,
                    $((Value::$owned(a), Value::$owned(b)) => a.same(b),)*
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
    owned {
        Number(f64) => Number,
        Bool(bool) => Bool,
        Str(Arc<str>) => String,
        List(List) => List,
        Range(Range) => Range,
        Function(Function) => Function,
        Kernel(Kernel) => Kernel,
        /// A prior of a parameter.
        Dist(Prior) => Dist,
        /// Shared, because results of a fit refer to it.
        Fit(Arc<Fit>) => Fit,
    }
    shared {
        Data(Dataset) => Data,
        /// A pipeline before a fit.
        Model(Pipeline) => Model,
        DeepModel(DeepModel) => DeepModel,
        DeepFit(DeepFit) => DeepFit,
        /// Where a fit is needed it acts as its best fit.
        Search(Search) => Search,
        Prediction(Prediction) => Prediction,
        Decomposition(Decomposition) => Decomposition,
        Residuals(Residuals) => Residuals,
        /// The description of a kernel or a fit in English.
        Explanation(Explanation) => Explanation,
        /// A mesh drawn from a kernel.
        Surface(SampledSurface) => Surface,
        /// A kernel as an inner product.
        Features(Features) => Features,
        /// Scores of models in every fold.
        CrossValidation(CrossValidation) => CrossValidation,
        /// Singular values of the derivatives of a deep model.
        Jacobian(Jacobian) => Jacobian,
        /// The plane mapped through a deep model.
        PlaneMap(PlaneMap) => PlaneMap,
        /// The density of an integral.
        Density(Density) => Density,
        /// An integral with its uncertainty.
        Integral(Integrated<Value>) => Integral,
        Figure(Figure) => Figure,
        Table(Sheet) => Table,
        /// Named values: a row of a table, a component.
        Record(Record) => Record,
        /// The result of `fixed`, `between`, `param` and `~`: a parameter outside of kernels and models.
        Param(Param) => Param,
        /// A transformation of the inputs: a symmetry.
        Move(Move) => Move,
    }
    forms {
        /// The result of `fit` if the target has more than two classes: a fit of each class against the rest.
        OneVsRest(Arc<OneVsRest>) => Fit,
        /// Its result of `predict`.
        ClassPrediction(Arc<ClassPrediction>) => Prediction,
    }
}

impl Kind {
    /// The name in `:type` and JSON.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The noun in messages.
    pub fn noun(self) -> &'static str {
        self.info().noun
    }

    /// Names of members, each with a line of help.
    pub fn members(self) -> &'static [(&'static str, &'static str)] {
        &self.info().members
    }
}

impl Value {
    /// The displayed text, with its tables.
    pub fn markup(&self) -> Markup {
        self.contents().show()
    }

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

    /// A list of numbers. Fails if it is longer than [`List::MAX`].
    pub fn numbers(numbers: impl IntoIterator<Item = f64>) -> Res<Self> {
        List::collect(numbers.into_iter().map(|x| Ok(Value::Number(x)))).map(Value::List)
    }

    /// A list of values. Fails if it is longer than [`List::MAX`].
    pub fn list(items: impl IntoIterator<Item = Value>) -> Res<Self> {
        List::collect(items.into_iter().map(Ok)).map(Value::List)
    }

    /// The same for items that may fail.
    pub fn checked_list(items: impl IntoIterator<Item = Res<Value>>) -> Res<Self> {
        List::collect(items.into_iter()).map(Value::List)
    }

    /// The items of a list or a range, in turn; `None` for other values.
    pub fn items(&self) -> Option<Items> {
        match self {
            Value::List(list) => Some(Items::List(list.clone(), 0)),
            Value::Range(range) => Some(Items::Range(*range, 0)),
            _ => None,
        }
    }

    /// `value.name`.
    pub fn member(&self, name: &str) -> Option<Res<Value>> {
        self.contents().member(name)
    }

    /// The names of members that only this value has.
    pub fn open_members(&self) -> Vec<String> {
        self.contents().open_members()
    }

    /// Whether it can be called.
    pub fn is_callable(&self) -> bool {
        self.contents().is_callable()
    }

    /// The value without its kind. A number that JSON cannot represent (`inf`, `nan`) is null.
    pub fn json(&self) -> Json {
        self.contents().json()
    }

    /// The figure of `plot`.
    pub fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        self.contents().figure(options)
    }

    /// The table of `write`.
    pub fn to_table(&self) -> Option<Table> {
        self.contents().table()
    }

    /// The text of a file in one of the formats of its kind.
    pub fn file(&self, ending: &str) -> Option<String> {
        self.contents().file(ending)
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
        fmt::Display::fmt(&self.markup(), f)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({self})", self.kind().name())
    }
}
