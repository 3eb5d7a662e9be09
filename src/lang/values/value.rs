//! Values: what a user may hold.
//!
//! Large values are shared and immutable; nothing changes behind a name. [`FromValue`] is the only cast, and words the
//! failure. There is no arithmetic here (`ops`), no text form (`display`) and no JSON (`json`).

use std::fmt;
use std::sync::Arc;

use crate::data::Dataset;
use crate::figure::Figure;
use crate::fit::Fit;
use crate::kernel::{Kernel, Move};
use crate::lang::payload::explanation::Explanation;
use crate::lang::payload::function;
pub use crate::lang::payload::list::check_length;
use crate::lang::payload::list::{self, Nested};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::range::Range;
use crate::lang::payload::record;
use crate::lang::payload::sheet::Sheet;
use crate::lang::trouble::{Res, Trouble};
use crate::param::{Measure, Param, Prior};
use crate::results::{
    ClassPrediction, CrossValidation, Decomposition, Features, Fitted, OneVsRest, Prediction, Residuals, SampledSurface,
};
use crate::search::Search;

pub type List = list::List<Value>;
pub type ListBuilder = list::ListBuilder<Value>;
pub type Record = record::Record<Value>;
pub type Function = function::Function<Value>;
pub type Closure = function::Closure<Value>;

/// One value of the language.
#[derive(Clone)]
pub enum Value {
    /// What a call gives that has nothing to give, such as `print`. It is never shown.
    Nothing,
    Number(f64),
    Bool(bool),
    Str(Arc<str>),
    List(List),
    Range(Range),
    Function(Function),
    Kernel(Kernel),
    Data(Arc<Dataset>),
    /// A pipeline that is not yet fitted.
    Model(Arc<Pipeline>),
    Fit(Arc<Fit>),
    /// What `fit` gives where the target has more than two classes: of the kind of fits, and a fit for each class.
    OneVsRest(Arc<OneVsRest>),
    /// Where a fit is wanted it stands for its best.
    Search(Arc<Search>),
    Prediction(Arc<Prediction>),
    /// And what `predict` gives then: of the kind of predictions.
    ClassPrediction(Arc<ClassPrediction>),
    Decomposition(Arc<Decomposition>),
    Residuals(Arc<Residuals>),
    /// A kernel or a fit in words.
    Explanation(Arc<Explanation>),
    /// A mesh drawn from a kernel.
    Surface(Arc<SampledSurface>),
    /// A kernel as an inner product.
    Features(Arc<Features>),
    /// Models scored fold by fold.
    CrossValidation(Arc<CrossValidation>),
    Figure(Arc<Figure>),
    Table(Arc<Sheet>),
    /// A few values under names: a row of a table, a component.
    Record(Arc<Record>),
    /// A prior over a parameter.
    Dist(Prior),
    /// What `fixed`, `between`, `param` and `~` give: a parameter not yet in a kernel or a model.
    Param(Arc<Param>),
    /// What may be done to the inputs: a symmetry.
    Move(Arc<Move>),
}

/// The kinds of value, by the names that a user sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Nothing,
    Number,
    Bool,
    String,
    List,
    Range,
    Function,
    Kernel,
    Data,
    Model,
    Fit,
    Search,
    Prediction,
    Decomposition,
    Residuals,
    Explanation,
    Surface,
    Features,
    CrossValidation,
    Figure,
    Table,
    Record,
    Dist,
    Param,
    Move,
}

impl Kind {
    /// As `:type` and JSON say it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Nothing => "Nothing",
            Kind::Number => "Number",
            Kind::Bool => "Bool",
            Kind::String => "String",
            Kind::List => "List",
            Kind::Range => "Range",
            Kind::Function => "Function",
            Kind::Kernel => "Kernel",
            Kind::Data => "Data",
            Kind::Model => "Model",
            Kind::Fit => "Fit",
            Kind::Search => "Search",
            Kind::Prediction => "Prediction",
            Kind::Decomposition => "Decomposition",
            Kind::Residuals => "Residuals",
            Kind::Explanation => "Explanation",
            Kind::Surface => "Surface",
            Kind::Features => "Features",
            Kind::CrossValidation => "CrossValidation",
            Kind::Figure => "Figure",
            Kind::Table => "Table",
            Kind::Record => "Record",
            Kind::Dist => "Dist",
            Kind::Param => "Param",
            Kind::Move => "Move",
        }
    }

    /// Whether values of it can stand before `(`.
    pub fn is_callable(self) -> bool {
        matches!(self, Kind::Function | Kind::Kernel)
    }

    /// Whether its members differ from value to value.
    pub fn has_open_members(self) -> bool {
        matches!(self, Kind::Data | Kind::Table | Kind::Record)
    }

    /// As a message says it.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Nothing => "nothing",
            Kind::Number => "a number",
            Kind::Bool => "true or false",
            Kind::String => "a string",
            Kind::List => "a list",
            Kind::Range => "a range",
            Kind::Function => "a function",
            Kind::Kernel => "a kernel",
            Kind::Data => "data",
            Kind::Model => "a model",
            Kind::Fit => "a fit",
            Kind::Search => "a search",
            Kind::Prediction => "a prediction",
            Kind::Decomposition => "a decomposition",
            Kind::Residuals => "residuals",
            Kind::Explanation => "an explanation",
            Kind::Surface => "a surface",
            Kind::Features => "features",
            Kind::CrossValidation => "a cross-validation",
            Kind::Figure => "a figure",
            Kind::Table => "a table",
            Kind::Record => "a record",
            Kind::Dist => "a prior",
            Kind::Param => "a parameter",
            Kind::Move => "a move",
        }
    }
}

impl Value {
    pub fn kind(&self) -> Kind {
        match self {
            Value::Nothing => Kind::Nothing,
            Value::Number(_) => Kind::Number,
            Value::Bool(_) => Kind::Bool,
            Value::Str(_) => Kind::String,
            Value::List(_) => Kind::List,
            Value::Range(_) => Kind::Range,
            Value::Function(_) => Kind::Function,
            Value::Kernel(_) => Kind::Kernel,
            Value::Data(_) => Kind::Data,
            Value::Model(_) => Kind::Model,
            Value::Fit(_) | Value::OneVsRest(_) => Kind::Fit,
            Value::Search(_) => Kind::Search,
            Value::Prediction(_) | Value::ClassPrediction(_) => Kind::Prediction,
            Value::Decomposition(_) => Kind::Decomposition,
            Value::Residuals(_) => Kind::Residuals,
            Value::Explanation(_) => Kind::Explanation,
            Value::Surface(_) => Kind::Surface,
            Value::Features(_) => Kind::Features,
            Value::CrossValidation(_) => Kind::CrossValidation,
            Value::Figure(_) => Kind::Figure,
            Value::Table(_) => Kind::Table,
            Value::Record(_) => Kind::Record,
            Value::Dist(_) => Kind::Dist,
            Value::Param(_) => Kind::Param,
            Value::Move(_) => Kind::Move,
        }
    }

    pub fn table(table: impl Into<Sheet>) -> Self {
        Value::Table(Arc::new(table.into()))
    }

    pub fn str(text: impl Into<Arc<str>>) -> Self {
        Value::Str(text.into())
    }

    /// A list of numbers. Longer than [`List::MAX`] is refused.
    pub fn numbers(numbers: impl IntoIterator<Item = f64>) -> Res<Self> {
        List::collect(numbers.into_iter().map(|x| Ok(Value::Number(x)))).map(Value::List)
    }

    /// The items of a list or of a range, one after the other; `None` for anything else.
    pub fn items(&self) -> Option<Items> {
        match self {
            Value::List(list) => Some(Items::List(list.clone(), 0)),
            Value::Range(range) => Some(Items::Range(*range, 0)),
            _ => None,
        }
    }

    /// Whether it can stand before `(`.
    pub fn is_callable(&self) -> bool {
        match self {
            // Steps alone are a function of data; a whole model is fitted with `fit`.
            Value::Model(pipeline) => pipeline.gp.is_none(),
            other => other.kind().is_callable(),
        }
    }

    /// `==`: by what is inside, and false between kinds (but a range equals the list of its numbers).
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Nothing, Value::Nothing) => true,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Range(a), Value::Range(b)) if a == b => true,
            (Value::List(_) | Value::Range(_), Value::List(_) | Value::Range(_)) => match (self.items(), other.items())
            {
                (Some(a), Some(b)) => a.len() == b.len() && a.zip(b).all(|(a, b)| a.same(&b)),
                _ => false,
            },
            (Value::Function(a), Value::Function(b)) => a == b,
            (Value::Kernel(a), Value::Kernel(b)) => a == b,
            (Value::Data(a), Value::Data(b)) => a == b,
            (Value::Model(a), Value::Model(b)) => a == b,
            (Value::Fit(a), Value::Fit(b)) => Arc::ptr_eq(a, b),
            (Value::OneVsRest(a), Value::OneVsRest(b)) => Arc::ptr_eq(a, b),
            (Value::ClassPrediction(a), Value::ClassPrediction(b)) => Arc::ptr_eq(a, b),
            (Value::Search(a), Value::Search(b)) => Arc::ptr_eq(a, b),
            (Value::Prediction(a), Value::Prediction(b)) => Arc::ptr_eq(a, b),
            (Value::Decomposition(a), Value::Decomposition(b)) => Arc::ptr_eq(a, b),
            (Value::Residuals(a), Value::Residuals(b)) => Arc::ptr_eq(a, b),
            (Value::Explanation(a), Value::Explanation(b)) => a.text == b.text,
            (Value::Surface(a), Value::Surface(b)) => a == b,
            (Value::Features(a), Value::Features(b)) => a == b,
            (Value::CrossValidation(a), Value::CrossValidation(b)) => a == b,
            (Value::Figure(a), Value::Figure(b)) => a == b,
            (Value::Table(a), Value::Table(b)) => a == b,
            (Value::Record(a), Value::Record(b)) => a.same(b),
            (Value::Dist(a), Value::Dist(b)) => a == b,
            (Value::Param(a), Value::Param(b)) => a == b,
            (Value::Move(a), Value::Move(b)) => a == b,
            _ => false,
        }
    }
}

impl Range {
    /// A number of it as a value: a date in a range of days.
    pub fn value(&self, x: f64) -> Value {
        self.date(x).map_or(Value::Number(x), Value::str)
    }
}

/// Walks over the items of a list or a range.
pub enum Items {
    List(List, usize),
    Range(Range, usize),
}

impl Items {
    /// How many are left.
    pub fn len(&self) -> usize {
        match self {
            Items::List(list, at) => list.len() - at,
            Items::Range(range, at) => range.len() - at,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Iterator for Items {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.is_empty() {
            return None;
        }
        Some(match self {
            Items::List(list, at) => {
                *at += 1;
                list.items()[*at - 1].clone()
            }
            Items::Range(range, at) => {
                *at += 1;
                range.value(range.at(*at - 1))
            }
        })
    }
}

impl Nested for Value {
    fn depth(&self) -> usize {
        match self {
            Value::List(list) => list.depth(),
            Value::Function(function) => function.depth(),
            Value::Record(record) => record.depth(),
            _ => 0,
        }
    }

    fn size(&self) -> usize {
        match self {
            Value::List(list) => list.size() + 1,
            Value::Record(record) => record.size() + 1,
            Value::Str(text) => 1 + text.len() / 64,
            _ => 1,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({self})", self.kind().name())
    }
}

/// A cast from a value. The error says what was expected and what was found.
pub trait FromValue: Sized {
    fn from_value(value: Value) -> Res<Self>;
}

/// `expected a kernel, found a list`.
pub fn expected(what: &str, found: &Value) -> Trouble {
    // of kind Fit too, so that its kind would not tell it from what is expected
    if let Value::OneVsRest(rest) = found {
        let text = format!("expected {what}, found one fit for each of {} classes", rest.classes.len());
        let trouble = Trouble::new(text).saying("these are several fits");
        return trouble.help(format!("take one: `.fits[0]` is that of {} against the rest", rest.classes[0]));
    }
    expected_kind(what, found.kind())
}

pub fn expected_kind(what: &str, found: Kind) -> Trouble {
    let trouble = Trouble::new(format!("expected {what}, found {}", found.noun()));
    trouble.saying(format!("this is {}", found.noun()))
}

impl FromValue for Value {
    fn from_value(value: Value) -> Res<Self> {
        Ok(value)
    }
}

macro_rules! cast {
    ($kind:ident, $type:ty, $what:literal) => {
        impl FromValue for $type {
            fn from_value(value: Value) -> Res<Self> {
                match value {
                    Value::$kind(inner) => Ok(inner),
                    other => Err(expected($what, &other)),
                }
            }
        }
    };
}

cast!(Number, f64, "a number");
cast!(Bool, bool, "true or false");
cast!(Str, Arc<str>, "a string");
cast!(Range, Range, "a range");
cast!(Function, Function, "a function");
cast!(Kernel, Kernel, "a kernel");
cast!(Data, Arc<Dataset>, "data");
cast!(Search, Arc<Search>, "a search");
cast!(Table, Arc<Sheet>, "a table");
cast!(Dist, Prior, "a prior");
cast!(Move, Arc<Move>, "a move such as `swap(0, 1)`");

impl FromValue for Arc<Fit> {
    /// A search stands for its best fit.
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Fit(fit) => Ok(fit),
            Value::Search(search) => Ok(search.best.clone()),
            other => Err(expected("a fit", &other)),
        }
    }
}

impl FromValue for Fitted {
    /// One fit or one for each class; a search stands for its best fit.
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::OneVsRest(rest) => Ok(Self::Rest(rest)),
            other => <Arc<Fit>>::from_value(other).map(Self::One),
        }
    }
}

impl FromValue for usize {
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Number(x) if x >= 0.0 && x.fract() == 0.0 && x < 9e15 => Ok(x as usize),
            Value::Number(x) => {
                Err(Trouble::new(format!("expected a whole number from 0, found {}", crate::lang::numerals::number(x))))
            }
            other => Err(expected("a whole number", &other)),
        }
    }
}

impl FromValue for Items {
    fn from_value(value: Value) -> Res<Self> {
        value.items().ok_or_else(|| expected("a list", &value))
    }
}

impl FromValue for Vec<f64> {
    /// Numbers of a list or a range; a bare number is a list of one.
    fn from_value(value: Value) -> Res<Self> {
        if let Value::Number(x) = value {
            return Ok(vec![x]);
        }
        let items = value.items().ok_or_else(|| expected("numbers", &value))?;
        check_length(items.len())?;
        items.map(|item| f64::from_value(item).map_err(|t| t.within("in the list").saying("in this list"))).collect()
    }
}

/// A text that is neither a length of time nor a date.
pub fn no_time(text: &str) -> Trouble {
    Trouble::new(format!(
        "expected a number, a length such as \"7 days\" or a date such as \"2020-03-15\", found {text:?}"
    ))
    .help("the units are seconds, minutes, hours, days, weeks, months and years")
}

impl FromValue for Param {
    /// A bare number is a free parameter that starts there; a prior alone leaves the start open.
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Number(x) => Ok(Param::free(x)),
            Value::Str(text) => match Measure::read(&text) {
                Some((x, measure)) => Ok(Param { time: Some(measure), ..Param::free(x) }),
                None => Err(no_time(&text)),
            },
            Value::Dist(prior) => Ok(Param { prior: Some(prior), ..Param::default() }),
            Value::Param(param) => Ok(Arc::unwrap_or_clone(param)),
            other => Err(expected("a number, `fixed(…)`, `between(…)` or `param(…)`", &other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cross_threads() {
        fn assert<T: Send + Sync>() {}
        assert::<Value>();
    }

    #[test]
    fn casts_word_their_failure() {
        let failure = f64::from_value(Value::Bool(true)).unwrap_err();
        assert_eq!(failure.message(), "expected a number, found true or false");
    }
}
