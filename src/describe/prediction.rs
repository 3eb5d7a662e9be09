//! Predictions, decompositions and residuals as text.

use super::markup::Markup;
use super::numbers::{percent, rounded, row_count};
use super::short_table::show_table;
use super::tables;
use super::text_table::Grid;
use crate::fit::spacing::variance;
use crate::model::is_noise;
use crate::results::{Cross, Decomposition, Prediction, Residuals};

/// The predicted rows; a long table is shortened.
pub fn prediction(prediction: &Prediction) -> Markup {
    let target = prediction.fit.problem().data().target();
    let unit = target.and_then(|t| t.unit()).map_or(String::new(), |u| format!(" ({u})"));
    let name = target.map_or("y", |t| t.name());
    let of = match prediction.includes_noise() {
        true if prediction.members.is_empty() && prediction.fit.is_noise_free() => {
            "the function: the model has no noise"
        }
        true => "a new observation, noise included",
        false => "the function, as the noise of these rows is not known",
    };
    let by = match (prediction.members.len(), prediction.models) {
        (0, _) => String::new(),
        (n, 1) => format!(", averaged over {n} values of the parameters"),
        (n, models) if n == models => format!(", averaged over {n} models"),
        (n, models) => format!(", averaged over {models} models and {n} values of their parameters"),
    };
    if let Some(classes) = prediction.fit.problem().classes() {
        let what = format!(
            "prediction of {name}{by}: the probability is that of {}, mean and var_f are of the latent function",
            classes.positive()
        );
        return Markup::from(what).then(show_table(&tables::prediction(prediction)));
    }
    let what = format!("prediction of {name}{unit}{by}: sd is that of {of}");
    let mut lines = Markup::from(what).then(show_table(&tables::prediction(prediction)));
    lines.extend(untypical_means(prediction));
    lines
}

/// Under a transform of the target a long tail can pull the mean beyond most of what is expected.
fn untypical_means(prediction: &Prediction) -> Option<String> {
    let rows = prediction.at.n();
    let mean = match prediction.quantiles.as_ref()?.untypical_means() {
        0 => return None,
        all if all == rows => "the mean".to_string(),
        some => format!("in {some} of {} the mean", row_count(rows)),
    };
    Some(format!("note: {mean} lies outside the central 50 % interval; the median is the typical value"))
}

/// The parts of a sum with their shares.
pub fn decomposition(parts: &Decomposition) -> Markup {
    let mut lines = Markup::default();
    let target = parts.fit.problem().data().target().map_or("y", |t| t.name());
    lines.push(match parts.transformed {
        true if parts.fit.problem().classes().is_some() => format!("parts of the latent function of {target}"),
        true => format!("parts of {target}, on the scale of the model"),
        false => format!("parts of {target}"),
    });
    lines.push(decomposition_grid(parts));
    lines.push(share_means(parts));
    if parts.components.iter().any(|component| is_noise(&component.kernel)) {
        lines.push("white noise is noise: it is no part of the function, and has no share of it");
    }
    lines.extend(beside(parts));
    lines.extend(entangled(parts));
    lines
}

/// The meaning of the share of a part.
pub fn share_means(parts: &Decomposition) -> &'static str {
    match parts.fit.problem().classes() {
        Some(_) => "share: variance of a part's mean over that of the latent function's; shares need not add to 100 %",
        None => "share: variance of a part's mean over that of the target; shares need not add to 100 %",
    }
}

/// The parts of a sum as a grid.
pub fn decomposition_grid(parts: &Decomposition) -> Grid {
    let unit = parts.unit.as_deref().map_or(String::new(), |u| format!(" ({u})"));
    let mut grid =
        Grid::new(["part".to_string(), "share".into(), format!("sd of its mean{unit}"), format!("typical sd{unit}")]);
    for component in &parts.components {
        let n = component.mean.len().max(1) as f64;
        let sd = variance(&component.mean).sqrt();
        let typical = component.var.iter().map(|v| v.sqrt()).sum::<f64>() / n;
        let share = if is_noise(&component.kernel) { "noise".into() } else { percent(component.share) };
        grid.row([component.label.clone(), share, rounded(sd), rounded(typical)]);
    }
    if let Some(share) = parts.mean_share {
        let sd = variance(&parts.mean_function).sqrt();
        grid.row(["mean function".into(), percent(share), rounded(sd), "–".into()]);
    }
    grid
}

/// The mean function, which is added to the parts.
fn beside(parts: &Decomposition) -> Option<String> {
    let means: Vec<String> = parts
        .fit
        .parameters()
        .iter()
        .zip(parts.fit.values())
        .filter(|(p, _)| p.kind.is_mean())
        .map(|(p, v)| format!("{} {}", p.name, rounded(*v)))
        .collect();
    (!means.is_empty()).then(|| format!("besides the parts: {}", means.join(", ")))
}

/// Pairs of parts with a strong posterior correlation; noise is the rest of every other part.
pub fn entangled(parts: &Decomposition) -> Vec<String> {
    let signal = |i: usize| !is_noise(&parts.components[i].kernel);
    let pairs = parts.cross.iter().filter(|c| signal(c.one) && signal(c.other));
    let strongest = pairs.filter_map(|c| {
        let mean = c.corr.iter().sum::<f64>() / c.corr.len().max(1) as f64;
        (mean.abs() > 0.5).then_some((c, mean))
    });
    let sentence = |(cross, mean): (&Cross, f64)| {
        format!(
            "{} and {} are hard to distinguish: their posterior correlation is {mean:.2} on average",
            parts.components[cross.one].label, parts.components[cross.other].label
        )
    };
    strongest.map(sentence).collect()
}

/// Statistics of residuals.
pub fn residuals(residuals: &Residuals) -> String {
    let problem = residuals.fit.problem();
    let unit = problem.pipeline().target().unit(problem.data().target().and_then(|t| t.unit()));
    let unit = unit.map_or(String::new(), |u| format!(" {u}"));
    let n = residuals.standardized.len();
    let far = residuals.standardized.iter().filter(|z| z.abs() > 2.0).count();
    let largest = residuals.standardized.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    if let Some(classes) = problem.classes() {
        // The Pearson residual of a row with probability p is √((1 − p)/p), which exceeds 1 for p below one half.
        let wrong = residuals.standardized.iter().filter(|z| z.abs() > 1.0).count();
        let mut lines = vec![
            format!(
                "residuals of {n} rows: 1 for {}, 0 for {}, less the probability; standard deviation {}",
                classes.positive(),
                classes.negative(),
                rounded(residuals.sd)
            ),
            format!("  {wrong} of {n} are misclassified in leave-one-out prediction"),
            format!("  lag-1 autocorrelation {:.2}", residuals.autocorrelation),
        ];
        if let Some((row, z)) = largest {
            let (row, odds) = (problem.data().row(row), rounded(1.0 / (1.0 + z * z)));
            lines.push(format!("  least probable class: {row}, with probability {odds}"));
        }
        return lines.join("\n");
    }
    let mut lines = vec![
        format!("residuals of {n} rows: standard deviation {}{unit}", rounded(residuals.sd)),
        format!(
            "  {far} of {n} lie more than 2 sd from what the other rows predict ({} expected)",
            rounded(0.0455 * n as f64)
        ),
        format!("  lag-1 autocorrelation {:.2}", residuals.autocorrelation),
    ];
    if let Some((row, z)) = largest {
        lines.push(format!("  largest: {}, {} sd", problem.data().row(row), rounded(*z)));
    }
    lines.join("\n")
}
