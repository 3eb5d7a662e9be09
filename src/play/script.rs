//! The statements that give the figures of a state. The page runs them and shows them as a script.

use std::fmt::Write;

use mercer::kernel::{Kernel, Node};
use mercer::model::{Model, step_text};
use mercer::syntax::scan::is_word_char;

/// The names that scripts bind themselves.
const OWN: [&str; 5] = ["d", "m", "prior", "before", "after"];

/// The statements that give names to parts of a model, and the model by these names. Names inside of constructions such
/// as `reflect` are left out.
pub fn labelled(model: &Model) -> (Vec<String>, String) {
    let mut names = Names::default();
    let kernel = names.write(&model.kernel, Level::Sum);
    if names.lets.is_empty() || names.clash || model.baseline().is_some() {
        return (Vec::new(), model.to_string());
    }
    let steps: String = model.steps.iter().map(|step| format!("{} >> ", step_text(step))).collect();
    let further = model.arguments();
    let separator = if further.is_empty() { "" } else { ", " };
    let lets = names.lets.into_iter().map(|(name, text)| format!("let {name} = {text}"));
    (lets.collect(), format!("{steps}gp({kernel}{separator}{further})"))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    Product,
    Atom,
}

/// The names of parts, in the order in which they are bound.
#[derive(Default)]
struct Names {
    lets: Vec<(String, String)>,
    /// Whether a name is that of two parts, or cannot be bound.
    clash: bool,
}

impl Names {
    fn write(&mut self, kernel: &Kernel, least: Level) -> String {
        let Some(label) = kernel.label() else { return self.node(kernel, least) };
        let text = self.node(kernel, Level::Sum);
        let known = self.lets.iter().find(|(name, _)| *name == **label).map(|(_, known)| *known == text);
        self.clash |= known == Some(false) || OWN.contains(&&**label) || !label.chars().all(is_word_char);
        if known.is_none() {
            self.lets.push((label.to_string(), text));
        }
        label.to_string()
    }

    fn node(&mut self, kernel: &Kernel, least: Level) -> String {
        let (text, level) = match kernel.node() {
            Node::Sum(terms) => {
                let terms: Vec<String> = terms.iter().map(|term| self.write(term, Level::Product)).collect();
                (terms.join(" + "), Level::Sum)
            }
            Node::Product(factors) => {
                let factors: Vec<String> = factors.iter().map(|factor| self.write(factor, Level::Atom)).collect();
                (factors.join(" * "), Level::Product)
            }
            Node::Leaf(_) | Node::Wrap(_) => (kernel.to_string(), Level::Atom),
        };
        if level < least { format!("({text})") } else { text }
    }
}

/// A figure: its name, and the call of `plot` before and after the place of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    pub name: &'static str,
    /// What is drawn, with a bar that leads it to `plot`.
    value: String,
    options: String,
}

impl Drawing {
    pub fn new(name: &'static str, value: impl Into<String>, options: impl Into<String>) -> Self {
        Self { name, value: value.into(), options: options.into() }
    }

    /// The call that gives the figure.
    pub fn call(&self) -> String {
        format!("{} |> plot({})", self.value, self.options)
    }

    /// The call that writes the figure to a file.
    fn writing(&self) -> String {
        let separator = if self.options.is_empty() { "" } else { ", " };
        format!("{} |> plot(\"{}.svg\"{separator}{})", self.value, self.name, self.options)
    }
}

/// The script of a state: statements, the fit, and its figures as files.
pub fn script(statements: &[String], drawings: &[Drawing]) -> String {
    let mut text = String::from("# a state of `mercer play`\n");
    for line in statements {
        // a String takes all that is written
        let _ = writeln!(text, "{line}");
    }
    text.push_str("m\n");
    for drawing in drawings {
        let _ = writeln!(text, "{}", drawing.writing());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer::lang::values::value::Value;
    use mercer::progress::Silent;
    use mercer::session::Session;

    fn model(text: &str) -> Model {
        let mut session = Session::default();
        let Ok(Value::Kernel(kernel)) = session.value_of(text, "test", &Silent) else { panic!("{text}") };
        Model::new(kernel)
    }

    #[test]
    fn names_of_parts_are_kept_and_the_kernel_is_the_same() {
        for (text, lets) in [
            ("let season = Per(x, p=2)\n(season + Lin(x)) * SE(x, l=3) + season", 1),
            ("let a = SE(x)\nlet b = a * Lin(x) + 0.5\n2 * b + a", 2),
            ("let a = SE(x)\nreflect(a + Lin(x), x)", 0),
            // the page binds this name itself
            ("let d = SE(x)\nd + Lin(x)", 0),
            ("SE(x)", 0),
        ] {
            let model = model(text);
            let (names, written) = labelled(&model);
            assert_eq!(names.len(), lets, "{text}: {names:?}");
            let mut session = Session::default();
            let script = [names, vec![written]].concat().join("\n");
            let again = match session.value_of(&script, "test", &Silent) {
                Ok(Value::Model(again)) => std::sync::Arc::unwrap_or_clone(again).model().ok(),
                _ => None,
            };
            assert_eq!(again, Some(model), "{script}");
        }
    }
}
