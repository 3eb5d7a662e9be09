//! Members of surfaces and features.

use crate::lang::values::value::{List, Value};
use crate::results::{Features, SampledSurface};

fn list(items: impl Iterator<Item = Option<Value>>) -> Option<Value> {
    List::new(items.collect::<Option<Vec<_>>>()?).ok().map(Value::List)
}

fn numbers(values: impl IntoIterator<Item = f64>) -> Option<Value> {
    Value::numbers(values).ok()
}

fn indices(values: &[u32]) -> Option<Value> {
    numbers(values.iter().map(|i| f64::from(*i)))
}

pub(super) fn of_surface(drawn: &SampledSurface, name: &str) -> Option<Value> {
    let (surface, mesh) = (&drawn.surface, &drawn.surface.mesh);
    match name {
        "shape" => Some(Value::str(mesh.shape.name())),
        "n" => Some(Value::Number(mesh.vertices.len() as f64)),
        "vertices" => list(mesh.vertices.iter().map(|p| numbers(*p))),
        "faces" => list(mesh.faces.iter().map(|face| indices(face.corners()))),
        "places" => list(surface.places.iter().map(|p| numbers(*p))),
        "rims" => list(mesh.rims.iter().map(|rim| indices(rim))),
        "euler" => Some(Value::Number(mesh.shape.euler as f64)),
        "gap" => Some(Value::Number(surface.gap)),
        "kernel" => Some(Value::Kernel(drawn.kernel.clone())),
        "seed" => Some(Value::Number(drawn.seed as f64)),
        _ => None,
    }
}

pub(super) fn of_features(features: &Features, name: &str) -> Option<Value> {
    let plain = |values: &[f64]| numbers(values.iter().copied());
    match name {
        "values" => plain(features.values()),
        "functions" => list(features.functions.iter().map(|f| plain(f))),
        "spectrum" => plain(&features.spectrum),
        "at" => match &features.at[..] {
            [only] => plain(only),
            columns => {
                let rows = columns.first().map_or(0, Vec::len);
                list((0..rows).map(|row| numbers(columns.iter().map(|c| c[row]))))
            }
        },
        "kernel" => Some(Value::Kernel(features.kernel.clone())),
        _ => None,
    }
}
