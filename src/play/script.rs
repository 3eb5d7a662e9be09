//! The statements that give the figures of a state. The page runs them and shows them as a script.

use std::fmt::Write;

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
