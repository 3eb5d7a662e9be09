//! Integrals in files. Their texts are also checked when they are written.

use std::path::Path;

use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::lang::payload::integral::Integrated;
use crate::lang::values::cast::FromValue;
use crate::lang::values::function_source;
use crate::lang::values::value::{Function, Value};
use crate::quadrature::Density;
use crate::results::{SaveError, SavedIntegral};

use super::densities::density_of;
use super::saved_texts::{SavedTexts, read_back};

/// The text of the file, and a warning if the integrand cannot be saved. An integral without it cannot be continued,
/// but its evaluations are saved.
pub(super) fn integral_text(reader: &SavedTexts<'_>, z: &Integrated<Value>) -> Res<(String, Option<String>)> {
    let text_of = |function: &Option<Function>| {
        let text = function.as_ref().map(function_source::expression);
        match text.as_ref().map(|text| reader.harmless_function(text)) {
            Some(Err(error)) => {
                Err(format!("the integral is kept by its evaluations alone and cannot go on: {}", error.message()))
            }
            _ => Ok(text),
        }
    };
    let (functions, left_out) = match (text_of(&z.function), text_of(&z.under)) {
        (Ok(function), Ok(under)) => ((function, under), None),
        (Err(why), _) | (_, Err(why)) => ((None, None), Some(why)),
    };
    let saved = SavedIntegral::of(&z.integral, functions.0, functions.1);
    // What cannot be read back is not written.
    let density = density(reader, &saved.density)?;
    reader.same_text(&saved.density, &density.to_string())?;
    for text in saved.kernels.iter().chain(&saved.fitted_kernels) {
        reader.same_text(text, &kernel(reader, text)?.to_string())?;
    }
    let text = saved.to_json().map_err(|error| LangError::new(format!("the integral cannot be written: {error}")))?;
    Ok((text, left_out))
}

/// The integral in a file.
pub(super) fn read_integral(
    reader: &SavedTexts<'_>,
    saved: &SavedIntegral,
    path: &Path,
    at_path: impl Fn(SaveError) -> LangError,
) -> Res<Integrated<Value>> {
    let function_of = |text: &Option<String>| text.as_ref().map(|text| reader.harmless_function(text)).transpose();
    let (function, under) = (function_of(&saved.integrand)?, function_of(&saved.under)?);
    let kernels_of = |texts: &[String]| texts.iter().map(|text| kernel(reader, text)).collect::<Res<Vec<_>>>();
    let (asked, fitted) = (kernels_of(&saved.kernels)?, kernels_of(&saved.fitted_kernels)?);
    let integral = saved.restore(density(reader, &saved.density)?, asked, fitted, path).map_err(at_path)?;
    // an expectation goes on with both of its functions
    let both = function.is_some() && under.is_some() == integral.ratio.is_some();
    let (function, under) = if both { (function, under) } else { (None, None) };
    Ok(Integrated { integral, function, under })
}

fn density(reader: &SavedTexts<'_>, text: &str) -> Res<Density> {
    read_back("density", text, reader.value(text).and_then(density_of))
}

fn kernel(reader: &SavedTexts<'_>, text: &str) -> Res<Kernel> {
    read_back("kernel", text, reader.value(text).and_then(Kernel::from_value))
}
