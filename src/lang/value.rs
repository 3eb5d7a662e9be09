//! Values: what a user may hold.
//!
//! Large values are shared and immutable; nothing changes behind a name. [`FromValue`] is the only cast, and words the
//! failure. There is no arithmetic here (`ops`), no text form (`display`) and no JSON (`json`).

use std::fmt;
use std::sync::Arc;

use super::function::Function;
use super::pipeline::Pipeline;
use super::sheet::Sheet;
use super::trouble::{Res, Trouble};
use crate::data::Dataset;
use crate::figure::Figure;
use crate::fit::Fit;
use crate::kernel::Kernel;
use crate::param::{Param, Prior};
use crate::results::{Decomposition, Prediction, Residuals};

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
    Prediction(Arc<Prediction>),
    Decomposition(Arc<Decomposition>),
    Residuals(Arc<Residuals>),
    Figure(Arc<Figure>),
    Table(Arc<Sheet>),
    /// A prior over a parameter.
    Dist(Prior),
    /// What `fixed`, `between`, `param` and `~` give: a parameter not yet in a kernel or a model.
    Param(Arc<Param>),
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
    Prediction,
    Decomposition,
    Residuals,
    Figure,
    Table,
    Dist,
    Param,
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
            Kind::Prediction => "Prediction",
            Kind::Decomposition => "Decomposition",
            Kind::Residuals => "Residuals",
            Kind::Figure => "Figure",
            Kind::Table => "Table",
            Kind::Dist => "Dist",
            Kind::Param => "Param",
        }
    }

    /// Whether values of it can stand before `(`.
    pub fn is_callable(self) -> bool {
        matches!(self, Kind::Function | Kind::Kernel)
    }

    /// Whether its members differ from value to value.
    pub fn has_open_members(self) -> bool {
        matches!(self, Kind::Data | Kind::Table)
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
            Kind::Prediction => "a prediction",
            Kind::Decomposition => "a decomposition",
            Kind::Residuals => "residuals",
            Kind::Figure => "a figure",
            Kind::Table => "a table",
            Kind::Dist => "a prior",
            Kind::Param => "a parameter",
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
            Value::Fit(_) => Kind::Fit,
            Value::Prediction(_) => Kind::Prediction,
            Value::Decomposition(_) => Kind::Decomposition,
            Value::Residuals(_) => Kind::Residuals,
            Value::Figure(_) => Kind::Figure,
            Value::Table(_) => Kind::Table,
            Value::Dist(_) => Kind::Dist,
            Value::Param(_) => Kind::Param,
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

    /// How deep lists and functions are nested in it; 0 for plain values.
    pub fn depth(&self) -> usize {
        match self {
            Value::List(list) => list.depth as usize,
            Value::Function(function) => function.depth(),
            _ => 0,
        }
    }

    /// How many values a copy of everything in it would hold.
    fn size(&self) -> usize {
        match self {
            Value::List(list) => list.size + 1,
            Value::Str(text) => 1 + text.len() / 64,
            _ => 1,
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
            (Value::Prediction(a), Value::Prediction(b)) => Arc::ptr_eq(a, b),
            (Value::Decomposition(a), Value::Decomposition(b)) => Arc::ptr_eq(a, b),
            (Value::Residuals(a), Value::Residuals(b)) => Arc::ptr_eq(a, b),
            (Value::Figure(a), Value::Figure(b)) => a == b,
            (Value::Table(a), Value::Table(b)) => a == b,
            (Value::Dist(a), Value::Dist(b)) => a == b,
            (Value::Param(a), Value::Param(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({self})", self.kind().name())
    }
}

/// An immutable list, with what it costs to walk through all of it.
#[derive(Clone, Default)]
pub struct List {
    items: Arc<Vec<Value>>,
    depth: u32,
    size: usize,
}

impl List {
    /// The most values that one list may hold, those of the lists in it included.
    pub const MAX: usize = 10_000_000;
    /// How deep lists may be nested.
    pub const MAX_DEPTH: usize = 500;

    pub fn new(items: Vec<Value>) -> Res<Self> {
        let mut builder = ListBuilder::default();
        builder.measure(&items)?;
        builder.items = items;
        Ok(builder.finish())
    }

    pub fn collect(items: impl Iterator<Item = Res<Value>>) -> Res<Self> {
        let mut builder = ListBuilder::default();
        for item in items {
            builder.push(item?)?;
        }
        Ok(builder.finish())
    }

    pub fn items(&self) -> &[Value] {
        &self.items
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// Builds a list and refuses one that grows beyond all measure.
#[derive(Default)]
pub struct ListBuilder {
    items: Vec<Value>,
    depth: usize,
    size: usize,
}

impl ListBuilder {
    pub fn push(&mut self, item: Value) -> Res<()> {
        self.measure(std::slice::from_ref(&item))?;
        self.items.push(item);
        Ok(())
    }

    fn measure(&mut self, items: &[Value]) -> Res<()> {
        for item in items {
            self.depth = self.depth.max(item.depth() + 1);
            self.size += item.size();
        }
        check_length(self.size)?;
        if self.depth > List::MAX_DEPTH {
            return Err(Trouble::new(format!("lists are nested more than {} deep", List::MAX_DEPTH)));
        }
        Ok(())
    }

    pub fn finish(self) -> List {
        List { items: Arc::new(self.items), depth: self.depth.max(1) as u32, size: self.size }
    }
}

/// Refuses a list of more than [`List::MAX`] values.
pub fn check_length(n: usize) -> Res<()> {
    if n <= List::MAX {
        return Ok(());
    }
    Err(Trouble::new(format!(
        "a list of {} values or more does not fit: at most {} are held",
        super::display::grouped(n),
        super::display::grouped(List::MAX)
    )))
}

/// `a..b` or `a..=b`: the numbers a, a + 1, … up to b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    pub start: f64,
    pub end: f64,
    pub inclusive: bool,
}

impl Range {
    /// How many numbers there are. Bounds that are not finite are answered with 2^63.
    pub fn len(&self) -> usize {
        let span = self.end - self.start;
        if span < 0.0 || span.is_nan() {
            return 0;
        }
        let count = if self.inclusive { span.floor() + 1.0 } else { span.ceil() };
        count.min(9.3e18) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at a place, from 0.
    pub fn at(&self, i: usize) -> f64 {
        self.start + i as f64
    }

    /// `n` evenly spaced numbers: a + i(b−a)/n, or with the end included a + i(b−a)/(n−1).
    pub fn grid(&self, n: usize) -> Vec<f64> {
        let width = self.end - self.start;
        let steps = if self.inclusive { n.saturating_sub(1).max(1) } else { n.max(1) };
        (0..n).map(|i| self.start + width * (i as f64) / (steps as f64)).collect()
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
                list.items[*at - 1].clone()
            }
            Items::Range(range, at) => {
                *at += 1;
                Value::Number(range.at(*at - 1))
            }
        })
    }
}

/// A cast from a value. The error says what was expected and what was found.
pub trait FromValue: Sized {
    fn from_value(value: Value) -> Res<Self>;
}

/// `expected a kernel, found a list`.
pub fn expected(what: &str, found: &Value) -> Trouble {
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
cast!(Fit, Arc<Fit>, "a fit");
cast!(Table, Arc<Sheet>, "a table");
cast!(Dist, Prior, "a prior");

impl FromValue for usize {
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Number(x) if x >= 0.0 && x.fract() == 0.0 && x < 9e15 => Ok(x as usize),
            Value::Number(x) => {
                Err(Trouble::new(format!("expected a whole number from 0, found {}", super::display::number(x))))
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
        let items = Items::from_value(value)?;
        check_length(items.len())?;
        items.map(|item| f64::from_value(item).map_err(|t| t.within("in the list"))).collect()
    }
}

impl FromValue for Param {
    /// A bare number is a free parameter that starts there; a prior alone leaves the start open.
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Number(x) => Ok(Param::free(x)),
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
    fn ranges_count_and_grid() {
        let range = |start, end, inclusive| Range { start, end, inclusive };
        assert_eq!(range(0.0, 4.0, false).len(), 4);
        assert_eq!(range(0.0, 4.0, true).len(), 5);
        assert_eq!(range(4.0, 0.0, false).len(), 0);
        assert_eq!(range(0.0, 1.0, false).grid(4), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(range(0.0, 1.0, true).grid(5), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(range(0.0, 1.0, true).grid(1), [0.0]);
    }

    #[test]
    fn casts_word_their_failure() {
        let failure = f64::from_value(Value::Bool(true)).unwrap_err();
        assert_eq!(failure.message(), "expected a number, found true or false");
    }
}
