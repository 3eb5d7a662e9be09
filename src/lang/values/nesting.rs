//! The depth and size of values.

use super::value::Value;
use crate::lang::payload::list::Nested;

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
