//! Scripts that repeat a fit or a search.

use super::document::Source;
use crate::data::write::digits;
use crate::data::{Dataset, Function};
use crate::fit::{Fit, Options};
use crate::kernel::Kernel;
use crate::kernel::quoted;
use crate::search::{Edit, Search, Settings};

/// The largest number of data values in a script.
const MOST_VALUES: usize = 600;

/// A script that fits the same model to the same data.
pub fn fitting(fit: &Fit, source: &Source) -> String {
    let usual = Options::default();
    let Options { restarts, seed, max_iter, .. } = fit.options;
    let mut call = format!("fit({}, restarts={restarts}, seed={seed}", fit.asked);
    if max_iter != usual.max_iter {
        call.push_str(&format!(", maxiter={max_iter}"));
    }
    script(fit, source, &format!("{call})"))
}

/// A script that uses the fitted values without optimising.
pub fn conditioning(fit: &Fit, source: &Source) -> String {
    script(fit, source, &format!("condition({})", fit.model))
}

/// A script that repeats a search.
pub fn searching(search: &Search, source: &Source) -> String {
    let settings = &search.settings;
    let Settings { base, inputs, moves, depth, criterion, beam, restarts, seed, budget, .. } = settings;
    let usual = Settings::for_data(&search.data, inputs.clone(), &settings.steps);
    let list = |all: Vec<String>| format!("[{}]", all.join(", "));
    let mut call = format!("search(base={}, depth={depth}", list(base.iter().map(ToString::to_string).collect()));
    let mut say = |unusual: bool, text: String| {
        if unusual {
            call.push_str(", ");
            call.push_str(&text);
        }
    };
    say(*criterion != usual.criterion, format!("criterion={}", quoted(criterion.name())));
    say(*beam != usual.beam, format!("beam={beam}"));
    say(*restarts != usual.restarts, format!("restarts={restarts}"));
    say(true, format!("seed={seed}"));
    if let Some(seconds) = budget.seconds {
        say(true, format!("budget=\"{}s\"", digits(seconds)));
    }
    if let Some(evaluations) = budget.evaluations {
        say(true, format!("budget={evaluations}"));
    }
    if let Some(inputs) = inputs {
        say(true, format!("inputs={}", list(inputs.iter().map(|input| quoted(input)).collect())));
    }
    say(*moves != usual.moves, format!("moves={}", list(moves.iter().map(move_text).collect())));
    let scale = settings.transform.as_ref().map_or("none", Function::name);
    // a transform among the steps of the model is not given again
    let own = settings.transform.is_none() && settings.target_transform(&search.data).is_some();
    say(search.scales.is_empty() && !own, format!("transform={}", quoted(scale)));
    match settings.begun_with() {
        Some(model) => say(true, format!("model={model}")),
        None => {
            // likelihood and mean as arguments of a model
            let rest = settings.model(Kernel::number(1.0)).arguments();
            say(!rest.is_empty(), rest);
        }
    }
    script(&search.best, source, &format!("{call})"))
}

fn script(fit: &Fit, source: &Source, call: &str) -> String {
    let data = source.expression.clone().or_else(|| data_expression(fit.problem().data(), MOST_VALUES));
    let data = data.map_or_else(|| elsewhere(fit.problem().data()), |data| format!("let d = {data}\n"));
    format!("{data}let m = d |> {call}\nm\n")
}

/// A placeholder for data that did not come from a file.
fn elsewhere(data: &Dataset) -> String {
    let name = data.about().name.as_deref().unwrap_or("data");
    format!(
        "# the {} rows of this report were made or chosen in a session;\n# there, `write(d, \"rows.csv\")` keeps them\n\
         let d = load(\"rows.csv\")  # {}\n",
        data.n(),
        name.replace(['\n', '\r'], " "),
    )
}

/// A data set of at most `most` values as an expression, if every column has a name that can be written.
pub fn data_expression(data: &Dataset, most: usize) -> Option<String> {
    let plain = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|c| c.is_ascii_alphabetic())
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let target = data.target()?;
    let columns: Vec<_> = data.inputs().chain([target]).collect();
    let reserved = |name: &str| matches!(name, "target" | "inputs");
    let fits = columns.iter().all(|c| plain(c.name()) && !reserved(c.name()) && !c.is_categories());
    if !fits || columns.len() != data.columns().len() || columns.len() * data.n() > most {
        return None;
    }
    let column = |c: &&crate::data::Column| {
        let values: Vec<String> = c.values().iter().map(|v| digits(*v)).collect();
        format!("{}=[{}]", c.name(), values.join(", "))
    };
    let columns: Vec<String> = columns.iter().map(column).collect();
    Some(format!("data({}, target=\"{}\")", columns.join(", "), target.name()))
}

/// An edit as an argument: its name, or the source of a user's function.
fn move_text(edit: &Edit) -> String {
    match edit {
        Edit::Own(own) => own.source.to_string(),
        edit => quoted(edit.name()),
    }
}
