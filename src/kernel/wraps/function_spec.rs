//! The declarations of wraps around users' functions with parameters of their own.
//!
//! The parameters of a function are parameters of its wrap, after those that the wrap has anyway. Declarations are
//! static, so each different list of parameters is declared once and
//! kept.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::kernel::family::{Domains, ParamSpec, Role, Size, Spec};
use crate::kernel::row_function::{FunctionParameter, RowFunction};

/// The name of the wrap, and the parameters of the function.
type Key = (&'static str, Vec<FunctionParameter>);

static DECLARED: LazyLock<Mutex<HashMap<Key, &'static Spec>>> = LazyLock::new(Mutex::default);

/// The declaration of a wrap with the parameters of this function.
pub fn with_parameters(base: &'static Spec, function: &dyn RowFunction) -> &'static Spec {
    let parameters = function.parameters();
    if parameters.is_empty() {
        return base;
    }
    let mut declared = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    declared.entry((base.name, parameters.to_vec())).or_insert_with_key(|(_, parameters)| {
        let own = base.params.iter().map(|param| ParamSpec { ..*param });
        let of_function = parameters.iter().map(|FunctionParameter { name, length }| {
            let name: &'static str = name.to_string().leak();
            ParamSpec {
                name,
                short: name,
                domain: Domains::Real,
                role: Role::Coefficient,
                size: length.map_or(Size::One, Size::List),
                default: 1.0,
                help: "a parameter of the function",
            }
        });
        let params: Vec<ParamSpec> = own.chain(of_function).collect();
        Box::leak(Box::new(Spec { params: params.leak(), ..*base }))
    })
}
