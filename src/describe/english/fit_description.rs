//! A fit in English: its parts in order of importance, with their meaning, posterior and contribution.

use super::data_context::DataContext;
use super::factor::Product;
use super::kernel_description::{MOST, Part, describe, opening};
use super::noun_phrase::of_product;
use super::posterior_sentences::posterior_sentences;
use super::quantity::two_amounts;
use super::words::capital;
use crate::describe::numbers::percent;
use crate::fit::Fit;
use crate::fit::spacing::variance;
use crate::kernel::{Head, Kernel, Node};
use crate::model::{Mean, is_zero_kernel};
use crate::results::{Gain, Importance, Loss, importance};

/// A fit in words.
#[derive(Debug, Clone, PartialEq)]
pub struct FitDescription {
    /// The target, the number of parts, mean and noise, and the explained variance; ends with a colon.
    pub heading: String,
    /// The most important part first; in the order of the kernel if importance cannot be computed.
    pub parts: Vec<PartDescription>,
}

/// One part of a sum, in English.
#[derive(Debug, Clone, PartialEq)]
pub struct PartDescription {
    /// The user's label, or the kernel without values.
    pub name: String,
    /// The kernel with the values of the fit.
    pub kernel: Kernel,
    /// The meaning of the part: a noun phrase without a full stop.
    pub headline: String,
    /// The meaning with the size of its values in brackets.
    pub meaning: String,
    /// Sentences about its posterior, then about its contribution.
    pub sentences: Vec<String>,
    /// The variance of its posterior mean over the rows, divided by that of y around the mean function.
    pub share: Option<f64>,
    /// Its contribution in addition to the parts before it.
    pub gain: Option<Gain>,
}

/// Describes a fit part by part, in the units of its data. The parts that reduce the error on left-out rows most come first.
pub fn fit_description(fit: &Fit) -> FitDescription {
    if let Some(baseline) = fit.model.baseline().filter(|_| is_zero_kernel(&fit.model.kernel)) {
        let target = fit.problem().data().target().map_or("y", |target| target.name());
        return FitDescription {
            heading: format!("The model of {target} is {}.", baseline.description()),
            parts: Vec::new(),
        };
    }
    let context = DataContext::of_fit(fit);
    let parts = describe(&fit.model.kernel, &context).parts;
    let importance = importance(fit).ok().filter(|found| found.gains.len() == parts.len());
    let mut heading = opening(fit, parts.len(), &context);
    let descriptions: Vec<PartDescription> = match &importance {
        None => parts.iter().map(|part| part_description(part, &context)).collect(),
        Some(found) => {
            let each = found.gains.iter().enumerate().map(|(i, gain)| {
                let mut part = part_description(&parts[gain.part], &context);
                if gain.share >= WORTH_A_NUMBER && !is_noise(&part.kernel, &context) {
                    part.sentences = posterior_sentences(fit, &part.kernel, &context);
                }
                part.sentences.extend(contribution(found, i, &part.kernel, &context));
                // variance due to noise is not explained
                let noise = is_noise(&part.kernel, &context);
                part.share = Some(gain.share).filter(|share| share.is_finite() && !noise);
                part.gain = Some(gain.clone());
                part
            });
            each.collect()
        }
    };
    // noise is last, because it does not predict other rows
    let (mut descriptions, noise): (Vec<_>, Vec<_>) =
        descriptions.into_iter().partition(|part| !is_noise(&part.kernel, &context));
    let explained = match noise.is_empty() {
        true => importance.as_ref().and_then(|found| found.gains.last()).map(|gain| gain.explained),
        false => explained_by(fit, &descriptions),
    };
    if let Some(explained) = explained
        && explained.is_finite()
        && !descriptions.is_empty()
        // the parts of a latent function always add up to all of it
        && fit.model.bernoulli().is_none()
    {
        let together = if !noise.is_empty() {
            "Noise aside, it explains"
        } else if descriptions.len() == 1 {
            "It explains"
        } else {
            "Together they explain"
        };
        let order = if descriptions.len() == 1 { "" } else { ORDER };
        let variance = match fit.model.mean {
            Mean::Zero | Mean::Constant(_) => "of its variance",
            Mean::Linear(_) | Mean::Function(_) => "of its variance around the mean function",
        };
        let before = heading.trim_end_matches(':');
        // a posterior mean that is further from the rows than their mean explains nothing
        heading = match explained >= 0.0 {
            true => format!("{before}. {together} {} {variance}{order}:", percent(explained)),
            false => format!("{before}. {together} nothing {variance}{order}:"),
        };
    }
    descriptions.extend(noise);
    FitDescription { heading, parts: descriptions }
}

fn part_description(part: &Part, context: &DataContext) -> PartDescription {
    let headline = match part.kernel.node() {
        Node::Sum(_) => part.meaning.clone(),
        _ => of_product(&Product::of(&part.kernel, context), context),
    };
    PartDescription {
        name: part.title(),
        kernel: part.kernel.clone(),
        headline,
        meaning: part.meaning.clone(),
        sentences: Vec::new(),
        share: None,
        gain: None,
    }
}

/// Whether a part is noise, that is, independent between rows.
fn is_noise(kernel: &Kernel, context: &DataContext) -> bool {
    Product::of(kernel, context).factors.iter().any(|factor| factor.head == Head::Noise)
}

/// The share of the variance of the target around its mean function that some parts explain together.
fn explained_by(fit: &Fit, parts: &[PartDescription]) -> Option<f64> {
    let kernels: Vec<Kernel> = parts.iter().map(|part| part.kernel.clone()).collect();
    let means = fit.posterior.part_means(&kernels).ok()?;
    let mut rest = fit.posterior.explained_beyond_mean().ok()?;
    let whole = variance(&rest);
    for mean in &means {
        rest.iter_mut().zip(mean).for_each(|(rest, mean)| *rest -= mean);
    }
    Some(1.0 - variance(&rest) / whole)
}

/// The least share that is given as a number.
const WORTH_A_NUMBER: f64 = 0.0005;

/// The contribution of a part in addition to the parts before it.
fn contribution(found: &Importance, at: usize, kernel: &Kernel, context: &DataContext) -> Option<String> {
    let gain = &found.gains[at];
    let takes = match gain.of_rest {
        takes if !takes.is_finite() => return None,
        takes if takes < WORTH_A_NUMBER => "almost none".to_string(),
        takes => percent(takes),
    };
    // the headline gives the share of the first part
    let accounts = (at > 0).then(|| format!("It explains {takes} of the remaining variance"));
    if is_noise(kernel, context) {
        return Some("It is noise: it does not help to predict other rows.".into());
    }
    if found.folds == 0 || !gain.lowers.is_finite() {
        return accounts.map(|accounts| format!("{accounts}."));
    }
    let before = if at == 0 { found.without } else { found.gains[at - 1].error };
    let (error, unit) = match found.loss {
        Loss::Absolute => ("error on left-out rows", context.target.as_deref()),
        Loss::LogProbability(_) => ("negative log probability of left-out rows", None),
    };
    let [from, to] = two_amounts([before, gain.error], unit, 3);
    let (link, change) = match gain.lowers {
        less if less >= WORTH_A_NUMBER => {
            ("and", format!("reduces the {error} by {}, from {from} to {to}", percent(less)))
        }
        less if less > -WORTH_A_NUMBER => ("and", format!("does not change the {error}")),
        more => ("but", format!("raises the {error} by {}", percent(-more))),
    };
    Some(match accounts {
        Some(accounts) => format!("{accounts}, {link} {change}."),
        None => format!("It {change}."),
    })
}

/// The part of the heading about the order of parts.
const ORDER: &str = ". The most important part comes first";

impl FitDescription {
    /// The heading as sentences, without the order of the parts.
    pub fn summary(&self) -> String {
        format!("{}.", self.heading.trim_end_matches(['.', ':']).replace(ORDER, ""))
    }

    /// The whole description: the heading, then a numbered paragraph for each of several parts.
    pub fn text(&self) -> String {
        let mut lines = vec![self.heading.clone()];
        if let [part] = &self.parts[..] {
            lines.push(match part.kernel.part_name() {
                Some(name) => format!("{name}: {}.", part.meaning),
                None => format!("{}.", capital(&part.meaning)),
            });
            lines.extend(part.sentences.iter().cloned());
            return lines.join("\n");
        }
        for (i, part) in self.parts.iter().take(MOST).enumerate() {
            let number = format!("{}. ", i + 1);
            lines.push(format!("{number}{}", part.line()));
            lines.extend(part.sentences.iter().map(|sentence| format!("{:1$}{sentence}", "", number.len())));
        }
        if self.parts.len() > MOST {
            lines.push(format!("… and {} more parts.", self.parts.len() - MOST));
        }
        lines.join("\n")
    }
}

impl PartDescription {
    /// The headline with a capital letter and without a full stop, as a title.
    pub fn title(&self) -> String {
        capital(&self.headline)
    }

    fn line(&self) -> String {
        let share = self.share.map_or(String::new(), |share| format!(" ({} of the variance)", percent(share)));
        format!("{}{share}: {}.", self.name, self.meaning)
    }
}
