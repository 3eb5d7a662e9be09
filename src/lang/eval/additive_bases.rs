//! The base kernels of additive, ANOVA and dropout kernels: one that is repeated on each input, or a list.

use crate::kernel::wraps::{self, Bases};
use crate::kernel::{Inputs, Kernel};
use crate::lang::error::{LangError, Res};

use crate::lang::eval::evaluator::Call;
use crate::lang::eval::kernel_spans::Mark;
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::Value;

/// The bases that a call of the combinator `name` has; `inputs` are those that it names.
pub fn bases(call: &mut Call<'_, '_>, name: &str, inputs: &Inputs) -> Res<Bases> {
    let (span, parts) = (call.span_of("base"), call.parts_of("base"));
    let base: Option<Value> = call.maybe("base")?;
    let bases = match base {
        None => {
            let origin = call.eval.host.origins.mark(Mark::new(call.span));
            Bases::Like(wraps::default_base().with_origin(origin))
        }
        Some(Value::List(list)) => {
            let kernels = list.items().iter().enumerate().map(|(i, item)| {
                let at = parts.get(i).copied();
                Kernel::from_value(item.clone()).map_err(|t| match at {
                    Some(at) => t.at(at),
                    None => t.within("in the list").at(span),
                })
            });
            let kernels = kernels.collect::<Res<Vec<_>>>()?;
            if *inputs != Inputs::All {
                let lang_error = LangError::new("kernels in a list name their own inputs");
                return Err(lang_error.at(call.span_of("dims")).help("leave `dims` out"));
            }
            Bases::Each(kernels)
        }
        Some(Value::Kernel(kernel)) => Bases::Like(kernel),
        Some(other) => return Err(expected("a kernel, or a list of kernels", &other).at(span)),
    };
    if let Bases::Like(kernel) = &bases
        && let Some(input) = kernel.mentioned().0.first()
    {
        let lang_error = LangError::new(format!(
            "the base kernel of `{name}` is applied to each input in turn, and here it names input {input}"
        ));
        let help = format!("leave the input out, as in `{name}(SE)`, or write a list: `{name}([SE(0), SE(1)])`");
        return Err(lang_error.at(span).help(help));
    }
    Ok(bases)
}
