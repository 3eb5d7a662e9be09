//! Arguments by name that belong to another call: `fit(SE, noise=0.1)` for `fit(gp(SE, noise=0.1))`.

use crate::lang::signature::{Group, Signature};

/// Some arguments of one builtin that are often given to another one.
pub struct Owner {
    pub name: &'static str,
    pub arguments: &'static [&'static str],
    /// How the owner is written with one of them, which replaces `…`.
    form: &'static str,
    /// Whether the argument may have been meant for the owner in a call of this signature.
    applies: fn(&Signature) -> bool,
}

/// Calls with a model or a kernel.
fn takes_model(signature: &Signature) -> bool {
    signature.name != "gp" && (signature.group == Group::Models || signature.group == Group::Results)
}

fn is_kernel(signature: &Signature) -> bool {
    matches!(signature.group, Group::Families | Group::Combinators)
}

fn is_model(signature: &Signature) -> bool {
    matches!(signature.name, "gp" | "deepgp" | "linear" | "logistic") || is_kernel(signature)
}

pub static OWNERS: &[Owner] = &[
    Owner {
        name: "gp",
        arguments: &["noise", "noise_sd", "mean", "likelihood", "inference", "link", "positive"],
        form: "gp(kernel, …)",
        applies: |signature| takes_model(signature) || is_kernel(signature),
    },
    Owner {
        name: "gp",
        arguments: &["inducing"],
        form: "gp(kernel, inference=\"vfe\", …)",
        applies: |signature| takes_model(signature) || is_kernel(signature),
    },
    Owner {
        name: "deepgp",
        arguments: &["layers", "units", "optimizer", "connected"],
        form: "deepgp(…)",
        applies: |signature| signature.group == Group::Models,
    },
    Owner {
        name: "fit",
        arguments: &["restarts", "maxiter", "seed"],
        form: "data |> fit(model, …)",
        applies: is_model,
    },
    Owner {
        name: "crossval",
        arguments: &["restarts", "maxiter", "seed", "folds", "metrics"],
        form: "crossval(data, models, …)",
        applies: |signature| signature.name == "compare",
    },
    Owner {
        name: "search",
        arguments: &["budget", "depth", "moves", "base", "beam"],
        form: "data |> search(…)",
        applies: |signature| signature.name == "fit" || is_model(signature),
    },
    Owner {
        name: "load",
        arguments: &["target", "inputs"],
        form: "load(\"file.csv\", …)",
        applies: |signature| signature.name == "fit" || is_model(signature),
    },
    Owner {
        name: "plot",
        arguments: &["band", "view", "show", "title", "scales"],
        form: "… |> plot(…)",
        applies: |signature| signature.group == Group::Results,
    },
];

/// The help for an argument that this signature lacks, if it is an argument of another builtin.
pub fn owner_help(signature: &Signature, argument: &str) -> Option<String> {
    let owner = OWNERS.iter().find(|owner| owner.arguments.contains(&argument) && (owner.applies)(signature))?;
    let given = format!("{argument}=…");
    let form = match owner.form.strip_prefix("… ") {
        Some(rest) => format!("… {}", rest.replace('…', &given)),
        None => owner.form.replace('…', &given),
    };
    Some(format!("`{argument}` is an argument of `{}`: write `{form}`", owner.name))
}
