//! Integrals in files. Their texts are also checked when they are written.

use std::path::Path;

use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::lang::payload::integral::Integrated;
use crate::lang::values::cast::FromValue;
use crate::lang::values::function_source;
use crate::lang::values::value::Value;
use crate::quadrature::Density;
use crate::results::{SaveError, SavedIntegral};

use super::densities::density_of;
use super::saved_texts::{SavedTexts, read_back};

/// The text of the file, and a warning if the integrand cannot be saved. An integral without it cannot be continued,
/// but its evaluations are saved.
pub(super) fn integral_text(reader: &SavedTexts<'_>, z: &Integrated<Value>) -> Res<(String, Option<String>)> {
    let (function, left_out) = match z.function.as_ref().map(function_source::expression) {
        None => (None, None),
        Some(text) => match reader.harmless_function(&text) {
            Ok(_) => (Some(text), None),
            Err(error) => {
                let why =
                    format!("the integral is kept by its evaluations alone and cannot go on: {}", error.message());
                (None, Some(why))
            }
        },
    };
    let saved = SavedIntegral::of(&z.integral, function);
    // An integral that cannot be read back is not written.
    let density = density(reader, &saved.density)?;
    reader.same_text(&saved.density, &density.to_string())?;
    for text in [&saved.kernel, &saved.fitted_kernel] {
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
    let function = saved.integrand.as_ref().map(|text| reader.harmless_function(text)).transpose()?;
    let (asked, fitted) = (kernel(reader, &saved.kernel)?, kernel(reader, &saved.fitted_kernel)?);
    let integral = saved.restore(density(reader, &saved.density)?, asked, &fitted, path).map_err(at_path)?;
    Ok(Integrated { integral, function })
}

fn density(reader: &SavedTexts<'_>, text: &str) -> Res<Density> {
    read_back("density", text, reader.value(text).and_then(density_of))
}

fn kernel(reader: &SavedTexts<'_>, text: &str) -> Res<Kernel> {
    read_back("kernel", text, reader.value(text).and_then(Kernel::from_value))
}
