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
static PARAMETERS: LazyLock<Mutex<HashMap<Vec<FunctionParameter>, &'static [ParamSpec]>>> =
    LazyLock::new(Mutex::default);

/// The declarations of the parameters of a function.
pub fn parameter_specs(function: &dyn RowFunction) -> &'static [ParamSpec] {
    let mut declared = PARAMETERS.lock().unwrap_or_else(PoisonError::into_inner);
    declared.entry(function.parameters().to_vec()).or_insert_with_key(|parameters| {
        let specs: Vec<ParamSpec> = parameters.iter().map(parameter_spec).collect();
        specs.leak()
    })
}

fn parameter_spec(FunctionParameter { name, length }: &FunctionParameter) -> ParamSpec {
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
}

/// The declaration of a wrap with the parameters of this function.
pub fn with_parameters(base: &'static Spec, function: &dyn RowFunction) -> &'static Spec {
    if function.parameters().is_empty() {
        return base;
    }
    let of_function = parameter_specs(function);
    let mut declared = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    declared.entry((base.name, function.parameters().to_vec())).or_insert_with(|| {
        let params: Vec<ParamSpec> =
            base.params.iter().chain(of_function).map(|param| ParamSpec { ..*param }).collect();
        Box::leak(Box::new(Spec { params: params.leak(), ..*base }))
    })
}
