//! A session of the language for tests.

use mercer::lang::eval::host::Item;
use mercer::progress::Silent;
use mercer::session::{Output, Session};
use serde_json::Value as Json;

pub struct Talk(Session);

impl Talk {
    /// A session after a program.
    pub fn new(program: &str) -> Self {
        let mut talk = Self(Session::default());
        talk.says(program);
        talk
    }

    fn run(&mut self, program: &str) -> Output {
        self.0.run(program, "talk", &Silent)
    }

    /// The output of a program that succeeds.
    pub fn says(&mut self, program: &str) -> String {
        let output = self.run(program);
        assert!(!output.failed, "{program}\n{}", output.text());
        output.text()
    }

    /// The diagnostics of a program that fails: messages, notes and help.
    pub fn fails(&mut self, program: &str) -> String {
        let output = self.run(program);
        assert!(output.failed, "{program}\n{}", output.text());
        let parts = output.diagnostics().map(|d| {
            let labels = d.labels.iter().map(|label| label.text.as_str());
            let texts = std::iter::once(d.message.as_str()).chain(labels).chain(d.notes.iter().map(|n| n.as_str()));
            texts.chain(d.help.as_deref()).collect::<Vec<_>>().join("\n")
        });
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The value of an expression.
    pub fn value(&mut self, expr: &str) -> Json {
        let output = self.run(expr);
        assert!(!output.failed, "{expr}\n{}", output.text());
        let shown = output.items.iter().rev().find_map(|item| match item {
            Item::Shown(value) => Some(value.json()),
            _ => None,
        });
        shown.unwrap_or_else(|| panic!("{expr} has no value"))
    }

    pub fn number(&mut self, expr: &str) -> f64 {
        let value = self.value(expr);
        value.as_f64().unwrap_or_else(|| panic!("{expr} is {value}"))
    }

    pub fn numbers(&mut self, expr: &str) -> Vec<f64> {
        let value = self.value(expr);
        let list = value.as_array().unwrap_or_else(|| panic!("{expr} is {value}"));
        list.iter().map(|x| x.as_f64().unwrap_or_else(|| panic!("{expr} holds {x}"))).collect()
    }

    /// Names and values of a fit's parameters.
    pub fn params(&mut self, fit: &str) -> Vec<(String, f64)> {
        let names = self.value(&format!("{fit}.params.parameter"));
        let names = names.as_array().expect("a list").iter().map(|n| n.as_str().expect("a name").to_owned());
        names.zip(self.numbers(&format!("{fit}.params.value"))).collect()
    }
}
