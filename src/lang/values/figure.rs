//! Figures.

use serde_json::{Value as Json, json};

use super::value::{Member, Value, ValueKind};
use crate::describe::Markup;
use crate::figure::Figure;
use crate::lang::payload::plot::{PlotError, PlotOptions};

impl ValueKind for Figure {
    const NAME: &'static str = "Figure";
    const NOUN: &'static str = "a figure";
    const MADE_BY: &'static str = "`plot(value)`";
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const MEMBERS: &'static [Member<Self>] =
        &[Member::new("title", "the title", |figure| Value::str(figure.title.as_str()))];

    /// A description of the figure, if it cannot be drawn.
    fn show(&self) -> Markup {
        let panels = if self.panels.len() == 1 { "1 panel".into() } else { format!("{} panels", self.panels.len()) };
        match &*self.title {
            "" => format!("figure of {panels}").into(),
            title => format!("figure of {panels}: {title}").into(),
        }
    }

    fn json(&self) -> Json {
        json!({ "title": self.title, "panels": self.panels.len() })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(self.clone())
    }
}
