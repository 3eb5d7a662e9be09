//! A search as a file: settings, data, all candidates and the models found, with kernels as source text. A search that
//! is read back continues like the original.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Budget, Candidate, ComparedScale, Criterion, Edit, Ended, Found, Level, Reached, Search, Settings};
use crate::data::{DECIMAL_YEARS, Step};
use crate::kernel::Kernel;
use crate::kernel::families::family;
use crate::model::{Model, ModelError};
use crate::results::{SaveError, SavedFit};

/// The contents of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedSearch {
    /// The version of the program that wrote it.
    pub mercer: String,
    settings: SavedSettings,
    ended: Ended,
    evaluations: usize,
    seconds: f64,
    models: Vec<SavedFound>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unfinished: Vec<SavedFound>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    outlying: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scales: Vec<ComparedScale>,
    #[serde(default)]
    scales_open: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<usize>,
    levels: Vec<SavedLevel>,
    /// With the data of the search.
    best: SavedFit,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedSettings {
    base: Vec<String>,
    inputs: Option<Vec<String>>,
    moves: Vec<SavedMove>,
    depth: usize,
    criterion: String,
    beam: usize,
    restarts: usize,
    seed: u64,
    budget_seconds: Option<f64>,
    budget_evaluations: Option<usize>,
    /// A model with the steps, the noise and the mean that all models share.
    model: String,
    /// How many of its steps are those of the search; those before them are its transform of the target.
    #[serde(default)]
    steps: usize,
    /// The kernel with which it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
}

/// An edit by its name, or a user's function.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged, expecting = "a move is a name, or a name with a function")]
enum SavedMove {
    Named(String),
    Own { name: String, function: String },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedFound {
    model: String,
    /// The number, if the kernel is a number, which the language does not accept as a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<f64>,
    lml: f64,
    parameters: usize,
    score: f64,
    weight: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedLevel {
    depth: usize,
    expanded: Vec<String>,
    candidates: Vec<SavedCandidate>,
    best: SavedFound,
    evaluations: usize,
    seconds: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedCandidate {
    kernel: String,
    edit: String,
    lml: Option<f64>,
    score: Option<f64>,
    reached: Reached,
}

/// Why a file cannot be read as a search.
#[derive(Debug, thiserror::Error)]
pub enum SavedSearchError {
    #[error("cannot read `{path}`: {reason}")]
    Read { path: String, reason: String },
    #[error("`{path}` is not a saved search: {reason}")]
    NotASearch { path: String, reason: String },
    #[error(transparent)]
    Fit(#[from] SaveError),
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Reads the source texts in a saved file.
pub trait Reader {
    /// The model of a source text; a kernel is accepted as a model.
    ///
    /// # Errors
    /// A sentence with the reason why the text cannot be read.
    fn model(&self, text: &str) -> Result<Model, String>;

    /// The edit by a user's function.
    ///
    /// # Errors
    /// A sentence with the reason why the text cannot be read.
    fn edit(&self, name: &str, function: &str) -> Result<Edit, String>;
}

impl SavedFound {
    fn of(found: &Found) -> Self {
        let number = found.model.kernel.as_number();
        let model = match number {
            Some(_) => Model { kernel: unread_kernel(), ..found.model.clone() },
            None => found.model.clone(),
        };
        let (lml, parameters, score, weight) = (found.lml, found.parameters, found.score, found.weight);
        Self { model: model.to_string(), number, lml, parameters, score, weight }
    }

    fn restore(&self, reader: &dyn Reader) -> Result<Found, String> {
        let mut model = reader.model(&self.model)?;
        if let Some(number) = self.number {
            model.kernel = Kernel::number(number);
        }
        let (lml, parameters, score, weight) = (self.lml, self.parameters, self.score, self.weight);
        Ok(Found { model, lml, parameters, score, weight })
    }
}

/// The kernel of a model from which only noise and mean are read.
fn unread_kernel() -> Kernel {
    family("SE").map_or_else(|| Kernel::number(1.0), Kernel::family)
}

impl SavedSearch {
    /// The contents of the file for a search.
    pub fn of(search: &Search) -> Self {
        let settings = &search.settings;
        let texts = |kernels: &[Kernel]| kernels.iter().map(ToString::to_string).collect::<Vec<_>>();
        let shared = settings.model(unread_kernel());
        let candidate = |c: &Candidate| SavedCandidate {
            kernel: c.kernel.to_string(),
            edit: c.edit.clone(),
            lml: c.lml,
            score: c.score,
            reached: c.reached.clone(),
        };
        let level = |level: &Level| SavedLevel {
            depth: level.depth,
            expanded: texts(&level.expanded),
            candidates: level.candidates.iter().map(candidate).collect(),
            best: SavedFound::of(&level.best),
            evaluations: level.evaluations,
            seconds: level.seconds,
        };
        let step = |edit: &Edit| match edit {
            Edit::Own(own) => SavedMove::Own { name: own.name.to_string(), function: own.source.to_string() },
            edit => SavedMove::Named(edit.name().to_string()),
        };
        Self {
            mercer: env!("CARGO_PKG_VERSION").to_string(),
            settings: SavedSettings {
                base: texts(&settings.base),
                inputs: settings.inputs.clone(),
                moves: settings.moves.iter().map(step).collect(),
                depth: settings.depth,
                criterion: settings.criterion.name().to_string(),
                beam: settings.beam,
                restarts: settings.restarts,
                seed: settings.seed,
                budget_seconds: settings.budget.seconds,
                budget_evaluations: settings.budget.evaluations,
                model: shared.to_string(),
                steps: settings.steps.len(),
                start: settings.start.as_ref().map(ToString::to_string),
            },
            ended: search.ended,
            evaluations: search.evaluations,
            seconds: search.seconds,
            models: search.models.iter().map(SavedFound::of).collect(),
            outlying: search.outlying.clone(),
            unfinished: search.unfinished.iter().map(SavedFound::of).collect(),
            scales: search.scales.clone(),
            scales_open: search.scales_open,
            rows: search.rows,
            levels: search.levels.iter().map(level).collect(),
            best: SavedFit::of(&search.best),
        }
    }

    /// Whether the search was stopped early.
    pub fn was_stopped(&self) -> bool {
        self.ended == Ended::Stopped
    }

    /// Checks that all its texts can be read back.
    ///
    /// # Errors
    /// A sentence that names the text and the reason.
    pub fn check(&self, reader: &dyn Reader) -> Result<(), String> {
        self.settings.restore(reader)?;
        self.levels.iter().try_for_each(|level| level.restore(reader).map(drop))?;
        self.models.iter().chain(&self.unfinished).try_for_each(|found| found.restore(reader).map(drop))?;
        reader.model(&self.best.model)?;
        reader.model(&self.best.asked).map(drop)
    }

    /// The text of the file.
    ///
    /// # Errors
    /// None for a search of finite data.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`SavedSearchError::Read`], or [`SavedSearchError::NotASearch`] with the reason.
    pub fn read(path: &Path) -> Result<Self, SavedSearchError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|e| SavedSearchError::Read { path: shown.clone(), reason: e.to_string() })?;
        serde_json::from_str(&text).map_err(|e| {
            let reason = match e.is_data() {
                true if e.to_string().contains(DECIMAL_YEARS) => DECIMAL_YEARS.to_string(),
                true => format!("its contents are different ({e})"),
                false => format!("it is not JSON, see line {}", e.line()),
            };
            SavedSearchError::NotASearch { path: shown, reason }
        })
    }

    /// The search; the language reads its source texts.
    ///
    /// # Errors
    /// [`SavedSearchError::NotASearch`] for texts that cannot be read, or an error of restoring its best fit.
    pub fn restore(&self, reader: &dyn Reader, path: &Path) -> Result<Search, SavedSearchError> {
        let wrong = |reason: String| SavedSearchError::NotASearch { path: path.display().to_string(), reason };
        let settings = self.settings.restore(reader).map_err(wrong)?;
        let levels = self.levels.iter().map(|level| level.restore(reader)).collect::<Result<_, _>>().map_err(wrong)?;
        let restored = |all: &[SavedFound]| -> Result<Vec<Found>, SavedSearchError> {
            all.iter().map(|found| found.restore(reader)).collect::<Result<_, _>>().map_err(wrong)
        };
        let (models, unfinished) = (restored(&self.models)?, restored(&self.unfinished)?);
        if models.is_empty() {
            return Err(wrong("it contains no model".into()));
        }
        let model = reader.model(&self.best.model).map_err(wrong)?;
        let asked = reader.model(&self.best.asked).map_err(wrong)?;
        Ok(Search {
            settings,
            data: self.best.data.clone(),
            levels,
            models,
            unfinished,
            outlying: self.outlying.clone(),
            best: self.best.restore(&model, asked, path)?,
            ended: self.ended,
            scales: self.scales.clone(),
            scales_open: self.scales_open,
            rows: self.rows,
            evaluations: self.evaluations,
            seconds: self.seconds,
        })
    }
}

impl SavedSettings {
    fn restore(&self, reader: &dyn Reader) -> Result<Settings, String> {
        let mut shared = reader.model(&self.model)?;
        let own = shared.steps.split_off(shared.steps.len().saturating_sub(self.steps));
        let step = |saved: &SavedMove| match saved {
            SavedMove::Named(name) => {
                Edit::named(present_name(name)).ok_or_else(|| format!("there is no edit `{name}`"))
            }
            SavedMove::Own { name, function } => reader.edit(name, function),
        };
        let criterion = Criterion::named(&self.criterion);
        Ok(Settings {
            base: kernels(&self.base, reader)?,
            inputs: self.inputs.clone(),
            moves: self.moves.iter().map(step).collect::<Result<_, _>>()?,
            depth: self.depth,
            criterion: criterion.ok_or_else(|| format!("there is no criterion `{}`", self.criterion))?,
            beam: self.beam,
            restarts: self.restarts,
            seed: self.seed,
            budget: Budget { seconds: self.budget_seconds, evaluations: self.budget_evaluations },
            likelihood: shared.likelihood,
            mean: shared.mean,
            transform: match shared.steps.first() {
                Some(Step::Transform { function, .. }) => Some(function.clone()),
                _ => None,
            },
            steps: own,
            start: self.start.as_ref().map(|text| Ok::<_, String>(reader.model(text)?.kernel)).transpose()?,
        })
    }
}

/// The current name of an edit, for a file with an earlier name.
fn present_name(name: &str) -> &str {
    if name == "wind" { "periodic" } else { name }
}

/// The description of an edit, with its current name.
fn present_edit(text: &str) -> String {
    match text.strip_prefix("wind(") {
        Some(rest) => format!("periodic({rest}"),
        None => present_name(text).to_string(),
    }
}

impl SavedLevel {
    fn restore(&self, reader: &dyn Reader) -> Result<Level, String> {
        let candidate = |saved: &SavedCandidate| -> Result<Candidate, String> {
            Ok(Candidate {
                kernel: reader.model(&saved.kernel)?.kernel,
                edit: present_edit(&saved.edit),
                lml: saved.lml,
                score: saved.score,
                reached: saved.reached.clone(),
            })
        };
        Ok(Level {
            depth: self.depth,
            expanded: kernels(&self.expanded, reader)?,
            candidates: self.candidates.iter().map(candidate).collect::<Result<_, _>>()?,
            best: self.best.restore(reader)?,
            evaluations: self.evaluations,
            seconds: self.seconds,
        })
    }
}

fn kernels(texts: &[String], reader: &dyn Reader) -> Result<Vec<Kernel>, String> {
    texts.iter().map(|text| Ok(reader.model(text)?.kernel)).collect()
}
