//! A deep Gaussian process as written.

use std::fmt;

use crate::data::Step;
use crate::kernel::Kernel;
use crate::model::{NOISE, parameter_text, step_text};
use crate::param::Param;

/// The default number of inducing inputs of each layer.
pub const DEFAULT_INDUCING: usize = 10;
/// The default number of samples of the hidden layers.
pub const DEFAULT_SAMPLES: usize = 5;
/// The largest number of layers.
const MOST_LAYERS: usize = 1_000;
/// The largest number of units of a layer.
const MOST_UNITS: usize = 10_000;
/// Samples of the hidden layers by which the likelihood is estimated.
const MOST_SAMPLES: usize = 10_000;

/// The number of independent Gaussian processes in each layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Units {
    /// The same number for every hidden layer. In a fit the last layer has one unit; in a prior it has this number too.
    Same(usize),
    /// One number for each hidden layer, or for each layer.
    Each(Vec<usize>),
}

/// The approximation of the pseudo outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inference {
    /// Their posterior is approximated by normal distributions, and a lower bound of the log marginal likelihood is
    /// maximised (Salimbeni & Deisenroth, 2017). The best distribution of the last layer has a closed form (Titsias,
    /// 2009).
    #[default]
    Variational,
    /// They are parameters: the estimate of the log likelihood plus their log prior density is maximised (Vafa's DGPS).
    Dgps,
}

impl Inference {
    /// Its name in the language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Variational => "variational",
            Self::Dgps => "dgps",
        }
    }
}

/// The density of the pseudo outputs in the training objective of [`Inference::Dgps`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PseudoPrior {
    /// log N(v; 0, I), where the pseudo outputs are L v and L is the Cholesky factor of their prior covariance.
    ///
    /// The prior of the pseudo outputs is the same; the objective is a density of v rather than of the outputs. The
    /// density of the outputs contains −½ log |K|, which increases without bound as inducing inputs coincide or
    /// length-scales increase.
    #[default]
    Whitened,
    /// log N(ȳ; 0, K), as in Vafa (4.25).
    Outputs,
    /// None: only the likelihood is maximised (Vafa, 5.1.2).
    Nothing,
}

/// The starting values of training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartsFrom {
    /// Most starts are computed from the data; after the first two, every third is random.
    #[default]
    Mixed,
    Data,
    Random,
}

/// The optimiser of the training objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Optimizer {
    #[default]
    Bfgs,
    Adam,
}

/// A deep Gaussian process as written: y = f_L(… f_2(f_1(x)) …) + noise.
#[derive(Debug, Clone, PartialEq)]
pub struct DeepModel {
    /// The preprocessing of the data.
    pub steps: Vec<Step>,
    pub layers: usize,
    pub units: Units,
    /// One for all layers, or one per layer.
    pub kernels: Vec<Kernel>,
    /// Whether every layer after the first also receives the inputs.
    pub connected: bool,
    /// The number of inducing inputs of each layer, which its units share.
    pub inducing: usize,
    /// The number of samples of the hidden layers for the estimate of the likelihood.
    pub samples: usize,
    /// The variance of the noise of observations.
    pub noise: Param,
    pub inference: Inference,
    pub prior: PseudoPrior,
    pub optimizer: Optimizer,
    pub starts: StartsFrom,
}

/// Why a deep model is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    #[error("a deep GP has at least one layer")]
    NoLayers,
    #[error("a deep GP has at most {MOST_LAYERS} layers, found {0}")]
    TooManyLayers(usize),
    #[error("a layer has 1 to {MOST_UNITS} units, found {0}")]
    Units(usize),
    #[error("{layers} layers need {} or {layers} numbers of units, found {found}", layers - 1)]
    UnitsCount { layers: usize, found: usize },
    #[error("{layers} layers need one kernel or {layers} kernels, found {found}")]
    KernelsCount { layers: usize, found: usize },
    #[error("a layer has at least one inducing input")]
    NoInducing,
    #[error("the likelihood is estimated from at least one sample")]
    NoSamples,
    #[error("the likelihood is estimated from at most {MOST_SAMPLES} samples, found {0}")]
    TooManySamples(usize),
    #[error(
        "`prior` is for the point estimates of `inference=\"dgps\"`; the variational bound contains the prior of the model"
    )]
    PriorOfVariational,
}

impl DefinitionError {
    /// The argument of `deepgp` with the error.
    pub fn argument(&self) -> &'static str {
        match self {
            Self::NoLayers | Self::TooManyLayers(_) => "layers",
            Self::Units(_) | Self::UnitsCount { .. } => "units",
            Self::KernelsCount { .. } => "kernel",
            Self::NoInducing => "inducing",
            Self::NoSamples | Self::TooManySamples(_) => "samples",
            Self::PriorOfVariational => "prior",
        }
    }
}

impl DeepModel {
    /// Layers with one unit and one kernel, and defaults otherwise.
    pub fn new(layers: usize, kernel: Kernel) -> Self {
        Self {
            steps: Vec::new(),
            layers,
            units: Units::Same(1),
            kernels: vec![kernel],
            connected: false,
            inducing: DEFAULT_INDUCING,
            samples: DEFAULT_SAMPLES,
            noise: Param::default(),
            inference: Inference::default(),
            prior: PseudoPrior::default(),
            optimizer: Optimizer::default(),
            starts: StartsFrom::default(),
        }
    }

    /// The same model, if it is valid.
    ///
    /// # Errors
    /// [`DefinitionError`] names the invalid part.
    pub fn checked(self) -> Result<Self, DefinitionError> {
        let layers = self.layers;
        match layers {
            0 => return Err(DefinitionError::NoLayers),
            1..=MOST_LAYERS => {}
            _ => return Err(DefinitionError::TooManyLayers(layers)),
        }
        let units = match &self.units {
            Units::Same(units) => std::slice::from_ref(units),
            Units::Each(units) if units.len() == layers || units.len() + 1 == layers => units,
            Units::Each(units) => return Err(DefinitionError::UnitsCount { layers, found: units.len() }),
        };
        if let Some(odd) = units.iter().find(|units| !(1..=MOST_UNITS).contains(*units)) {
            return Err(DefinitionError::Units(*odd));
        }
        if self.kernels.len() != 1 && self.kernels.len() != layers {
            return Err(DefinitionError::KernelsCount { layers, found: self.kernels.len() });
        }
        if self.inducing == 0 {
            return Err(DefinitionError::NoInducing);
        }
        match self.samples {
            0 => return Err(DefinitionError::NoSamples),
            1..=MOST_SAMPLES => {}
            _ => return Err(DefinitionError::TooManySamples(self.samples)),
        }
        if self.inference == Inference::Variational && self.prior != PseudoPrior::default() {
            return Err(DefinitionError::PriorOfVariational);
        }
        Ok(self)
    }

    /// The kernel of a layer, counted from 0.
    pub fn kernel(&self, layer: usize) -> &Kernel {
        &self.kernels[if self.kernels.len() == 1 { 0 } else { layer }]
    }

    /// The numbers of units of the hidden layers, first to last.
    pub fn hidden_units(&self) -> Vec<usize> {
        let hidden = self.layers - 1;
        match &self.units {
            Units::Same(units) => vec![*units; hidden],
            Units::Each(units) => units[..hidden].to_vec(),
        }
    }

    /// The number of units of the last layer, if written.
    pub fn output_units(&self) -> Option<usize> {
        match &self.units {
            Units::Each(units) => units.get(self.layers - 1).copied(),
            Units::Same(_) => None,
        }
    }

    /// The numbers of units of all layers of the prior. By default the last layer has the width of the others.
    pub fn prior_units(&self) -> Vec<usize> {
        let mut units = self.hidden_units();
        units.push(self.output_units().unwrap_or(match &self.units {
            Units::Same(units) => *units,
            Units::Each(_) => 1,
        }));
        units
    }
}

/// The source form. It parses back to the same model.
impl fmt::Display for DeepModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            write!(f, "{} >> ", step_text(step))?;
        }
        write!(f, "deepgp(layers={}", self.layers)?;
        match &self.units {
            Units::Same(1) => {}
            Units::Same(units) => write!(f, ", units={units}")?,
            Units::Each(units) => write!(f, ", units={units:?}")?,
        }
        match &self.kernels[..] {
            [kernel] => write!(f, ", kernel={kernel}")?,
            kernels => {
                let kernels: Vec<String> = kernels.iter().map(Kernel::to_string).collect();
                write!(f, ", kernel=[{}]", kernels.join(", "))?;
            }
        }
        if self.connected {
            f.write_str(", connected=true")?;
        }
        if self.inducing != DEFAULT_INDUCING {
            write!(f, ", inducing={}", self.inducing)?;
        }
        if self.samples != DEFAULT_SAMPLES {
            write!(f, ", samples={}", self.samples)?;
        }
        if self.noise != Param::default() {
            write!(f, ", {}", parameter_text(&NOISE, &self.noise))?;
        }
        if self.inference == Inference::Dgps {
            f.write_str(", inference=\"dgps\"")?;
        }
        match self.prior {
            PseudoPrior::Whitened => {}
            PseudoPrior::Outputs => f.write_str(", prior=\"outputs\"")?,
            PseudoPrior::Nothing => f.write_str(", prior=\"none\"")?,
        }
        if self.optimizer == Optimizer::Adam {
            f.write_str(", optimizer=\"adam\"")?;
        }
        match self.starts {
            StartsFrom::Mixed => {}
            StartsFrom::Data => f.write_str(", starts=\"data\"")?,
            StartsFrom::Random => f.write_str(", starts=\"random\"")?,
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::families::family;

    fn se() -> Kernel {
        Kernel::family(family("SE").unwrap())
    }

    #[test]
    fn parts_must_fit_together() {
        let model = |layers| DeepModel::new(layers, se());
        assert_eq!(model(0).checked(), Err(DefinitionError::NoLayers));
        let units = |units: Vec<usize>| DeepModel { units: Units::Each(units), ..model(3) }.checked();
        assert_eq!(units(vec![2]), Err(DefinitionError::UnitsCount { layers: 3, found: 1 }));
        assert_eq!(units(vec![2, 0]), Err(DefinitionError::Units(0)));
        let hidden = units(vec![2, 3]).unwrap();
        assert_eq!((hidden.hidden_units(), hidden.output_units()), (vec![2, 3], None));
        assert_eq!(hidden.prior_units(), [2, 3, 1]);
        assert_eq!(units(vec![2, 3, 4]).unwrap().prior_units(), [2, 3, 4]);
        let two = DeepModel { kernels: vec![se(), se()], ..model(3) };
        assert_eq!(two.checked(), Err(DefinitionError::KernelsCount { layers: 3, found: 2 }));
        let silent = DeepModel { samples: 0, ..model(2) };
        assert_eq!(silent.checked(), Err(DefinitionError::NoSamples));
    }

    #[test]
    fn what_is_usual_is_not_written() {
        let model = DeepModel { units: Units::Same(2), connected: true, ..DeepModel::new(2, se()) };
        assert_eq!(model.to_string(), "deepgp(layers=2, units=2, kernel=SE, connected=true)");
        let one = DeepModel { inducing: 5, samples: 1, ..DeepModel::new(1, se()) };
        assert_eq!(one.to_string(), "deepgp(layers=1, kernel=SE, inducing=5, samples=1)");
    }
}
