//! Features of kernels, and how plausible they are after a search.

use std::sync::Arc;

use crate::kernel::{Inputs, Kernel, Leaf, Node};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::value::{Function, Kind, Value};
use crate::model::ModelError;
use crate::search::{self, Search};

use super::saved_texts::SavedTexts;

/// Whether some part of a kernel is of the family of another one, on its inputs if it names some.
fn contains(kernel: &Kernel, wanted: &Leaf) -> bool {
    kernel.any_leaf(&|leaf| {
        leaf.family.spec().name == wanted.family.spec().name
            && (wanted.inputs == Inputs::All || wanted.inputs == leaf.inputs)
    })
}

fn family_of<'k>(part: &'k Kernel, place: &'static str) -> Res<&'k Leaf> {
    match part.node() {
        Node::Leaf(leaf) => Ok(leaf),
        _ => Err(LangError::new(format!("expected one family, found `{part}`"))
            .argument(place)
            .help("write `has(k, Per)`, or combine: `k -> has(k, Per) and has(k, Lin)`")),
    }
}

fn has(call: &mut Call<'_, '_>) -> Res<Value> {
    let (first, second): (Kernel, Option<Kernel>) = (call.arg("kernel")?, call.maybe("part")?);
    if let Some(part) = second {
        return Ok(Value::Bool(contains(&first, family_of(&part, "part")?)));
    }
    // with one kernel: the function that asks others for it
    family_of(&first, "kernel")?;
    let text = format!("k -> has(k, {first})");
    SavedTexts::new(call.eval).function(&text).map(Value::Function)
}

/// Why a feature has no probability.
enum Failure {
    Model(ModelError),
    Language(LangError),
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

fn plausible(call: &mut Call<'_, '_>) -> Res<Value> {
    let search: Arc<Search> = call.arg("search")?;
    let feature: Value = call.arg("feature")?;
    let stop = call.eval.progress.stop_handle();
    let mut asked = |kernel: &Kernel| -> Result<bool, Failure> {
        match &feature {
            Value::Kernel(part) => {
                family_of(part, "feature").map(|leaf| contains(kernel, leaf)).map_err(Failure::Language)
            }
            Value::Function(function) => answer(call, function, kernel).map_err(Failure::Language),
            other => Err(Failure::Language(expected("a kernel or a function of a kernel", other).argument("feature"))),
        }
    };
    let found = search::plausible(&search, &mut asked, &stop);
    found.map(Value::Number).map_err(|failure| match failure {
        Failure::Model(error) => super::models::lang_error(call.eval, error),
        Failure::Language(error) => error,
    })
}

fn answer(call: &mut Call<'_, '_>, function: &Function, kernel: &Kernel) -> Res<bool> {
    match call.apply(function, vec![Value::Kernel(kernel.clone())])? {
        Value::Bool(yes) => Ok(yes),
        other => Err(expected("true or false from the function", &other).argument("feature")),
    }
}

pub static FEATURES: &[Builtin] = &[
    Builtin {
        name: "has",
        aliases: &[],
        group: Group::Search,
        places: &[
            Place::required("kernel", Want::Kind(Kind::Kernel), "a kernel"),
            Place::optional("part", Want::Kind(Kind::Kernel), "", "a family, on any input or on those that it names"),
        ],
        result: None,
        summary: "whether a kernel has a part of a family",
        help: "With one family it is the function that asks this of a kernel: `has(Per)` is `k -> has(k, Per)`.",
        examples: &["has(SE(x) * Per(x) + Lin(x), Per)", "filter([SE(x), SE(x) * Per(x)], has(Per))"],
        touches: Touches::Nothing,
        run: has,
    },
    Builtin {
        name: "plausible",
        aliases: &[],
        group: Group::Search,
        places: &[
            Place::required("search", Want::Kind(Kind::Search), "a search"),
            Place::required(
                "feature",
                Want::Either(&[Want::Kind(Kind::Kernel), Want::FUNCTION]),
                "a family, or a function from a kernel to true or false, such as `has(Per)`",
            ),
        ],
        result: Some(Kind::Number),
        summary: "the probability that the kernel has a feature, over the models of a search",
        help: "Each model that the search kept is weighted by its evidence, with its parameters integrated out by Laplace's \
               method and a central composite design under weak priors. Models that the search did not reach have no \
               probability, so it says how well the kept models agree.",
        examples: &["let s = load(\"nile\") |> search([SE, Lin], depth=2, budget=500)\nplausible(s, has(Lin)) < 0.5"],
        touches: Touches::Nothing,
        run: plausible,
    },
];
