//! Figures of a search: the fit of the best model at each depth, and the score by depth.

use std::sync::Arc;

use super::figure_labels::title;
use super::result_figures::{BandOf, fit_beyond};
use crate::figure::{Figure, Mark, Panel, Role};
use crate::fit::condition;
use crate::model::ModelError;
use crate::results::Beyond;
use crate::search::{Level, Search};

/// The largest number of panels of a figure; of more depths, some in the middle are left out.
const MOST_PANELS: usize = 12;

/// The levels with a new best model.
pub fn turning_points(search: &Search) -> Vec<&Level> {
    let mut known: Option<&Level> = None;
    let mut levels = Vec::new();
    for level in &search.levels {
        if known.is_none_or(|known| known.best.model != level.best.model) {
            levels.push(level);
        }
        known = Some(level);
    }
    levels
}

/// One panel for each depth with a new best model: data, posterior mean and band, extended beyond the data along the
/// single input; predicted against observed values for several inputs (Duvenaud, structure-search chapter, Fig. 4.3).
///
/// # Errors
/// As [`fit_beyond`].
pub fn depths(search: &Search, band: BandOf, beyond: Beyond) -> Result<Figure, ModelError> {
    let mut levels = turning_points(search);
    if levels.len() > MOST_PANELS {
        let last = levels.split_off(levels.len() - MOST_PANELS / 2);
        levels.truncate(MOST_PANELS - last.len());
        levels.extend(last);
    }
    let mut panels = Vec::new();
    for level in levels {
        let fit = Arc::new(condition(&level.best.model, &search.data)?);
        let heading = format!(
            "Depth {}: {}, {} {}",
            level.depth,
            level.best.model.kernel.heading(),
            search.settings.criterion.title(),
            format_args!("{:.2}", level.best.score)
        );
        panels.extend(fit_beyond(&fit, band, beyond)?.panels.into_iter().map(|panel| panel.titled(heading.clone())));
    }
    let columns = if panels.len() > 3 { 2 } else { 1 };
    Ok(Figure::grid(title(&search.data), columns, panels))
}

/// The best score so far, by depth.
pub fn scores(search: &Search) -> Figure {
    let depth: Vec<f64> = search.levels.iter().map(|level| level.depth as f64).collect();
    let score: Vec<f64> = search.levels.iter().map(|level| level.best.score).collect();
    let marks = vec![
        Mark::Line { x: depth.clone(), y: score.clone(), label: String::new(), role: Role::Mean, dashed: false },
        Mark::Points { x: depth, y: score, label: String::new(), role: Role::Mean },
    ];
    let mut panel = Panel::new("depth", search.settings.criterion.title(), marks);
    panel.x.names = search.levels.iter().map(|level| (level.depth as f64, level.depth.to_string())).collect();
    Figure::single(title(&search.data), panel)
}
