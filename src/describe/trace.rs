//! The path of an optimiser as a table and as a figure.

use super::tables::own_parameters;
use crate::data::write::Table;
use crate::deep::DeepFit;
use crate::figure::{Axis, Figure, Mark, Panel, Role};
use crate::fit::Fit;
use crate::kernel::SlotState;

/// The largest number of panels of a figure.
const PANELS: usize = 9;

/// Named columns of numbers: the step, the objective, and the parameters that were optimised.
pub struct Traced(Vec<(String, Vec<f64>)>);

impl Traced {
    pub fn table(&self) -> Table {
        self.0.iter().fold(Table::new(), |table, (name, values)| table.numbers(name, values))
    }

    /// Whether nothing was optimised.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, values)| values.is_empty())
    }

    /// A panel for the objective and for each parameter, up to the largest number.
    pub fn figure(&self) -> Figure {
        let Some(((along, steps), columns)) = self.0.split_first() else { return Figure::grid("", 1, Vec::new()) };
        let panel = |(name, values): &(String, Vec<f64>)| {
            let (x, y) = (steps.clone(), values.clone());
            let line = Mark::Line { x, y, label: String::new(), role: Role::Mean, dashed: false };
            Panel { x: Axis::counts(along.clone()), ..Panel::new("", name.clone(), vec![line]) }
        };
        let panels: Vec<Panel> = columns.iter().take(PANELS).map(panel).collect();
        Figure::grid("", if panels.len() == 1 { 1 } else { 2 }, panels)
    }
}

/// The objective and the free parameters of a fit at each improvement of its best run.
pub fn fit_trace(fit: &Fit) -> Traced {
    let points = fit.trace.points();
    let of = |f: &dyn Fn(&crate::fit::Point) -> f64| points.iter().map(f).collect::<Vec<f64>>();
    let mut columns = vec![
        ("evaluation".to_string(), of(&|point| point.evaluation as f64)),
        ("objective".to_string(), of(&|point| point.objective)),
    ];
    for i in own_parameters(fit).into_iter().filter(|&i| fit.parameters()[i].state == SlotState::Free) {
        let values = of(&|point| point.values.get(i).copied().unwrap_or(f64::NAN));
        columns.push((fit.parameters()[i].name.clone(), values));
    }
    Traced(columns)
}

/// The objective, the noise and the kernels' parameters after each step of the training of a deep GP.
pub fn deep_trace(fit: &DeepFit) -> Traced {
    let all = || fit.trace.iter();
    let mut columns = vec![
        ("step".to_string(), (0..fit.trace.len()).map(|i| i as f64).collect()),
        ("objective".to_string(), all().map(|(value, _)| *value).collect()),
    ];
    for (at, layer) in fit.problem.layers.iter().enumerate() {
        for (i, slot) in layer.bound.slots().iter().enumerate().filter(|(_, slot)| slot.state == SlotState::Free) {
            let element = slot.element.map_or_else(String::new, |i| format!("[{i}]"));
            let name = format!("layer {} {}.{}{element}", at + 1, slot.family, slot.spec.short);
            columns.push((name, all().map(|(_, values)| values.layers[at].theta[i]).collect()));
        }
    }
    columns.push(("noise".to_string(), all().map(|(_, values)| values.noise).collect()));
    Traced(columns)
}
