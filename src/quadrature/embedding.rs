//! The integrals of a kernel against a density: z(x) = ∫ k(x, x′) p(x′) dx′ and V₀ = ∬ k(x, x′) p(x) p(x′) dx dx′.
//!
//! Source: Duvenaud (2014), A.7 and A.8. A sum of products is integrated term by term; within a product, groups of
//! factors without common inputs are integrated separately. White noise is omitted, because its integral is 0.

use std::sync::OnceLock;

use super::axis::{Axis, Matern, Polynomial};
use super::density::{Component, Density, Marginal};
use super::error::QuadratureError;
use super::estimate::Estimate;
use super::group::Group;
use crate::kernel::{Factor, Form, InputRef, Inputs, Kernel, Leaf, Node, Values};
use crate::param::Param;

/// A kernel with a density.
#[derive(Debug)]
pub struct Embedding {
    density: Density,
    terms: Vec<Term>,
    /// V₀, once it is computed.
    prior: OnceLock<Estimate>,
}

/// One product of a sum: a number, and factors grouped by inputs.
#[derive(Debug)]
struct Term {
    scale: f64,
    axes: Vec<(usize, Axis)>,
    groups: Vec<Group>,
}

impl Embedding {
    /// The embedding of a kernel over inputs with these names. All parameters must have values.
    ///
    /// # Errors
    /// [`QuadratureError`]: a number of inputs that differs from that of the density, an input that does not exist,
    /// a family for categories, or a kernel of white noise only.
    pub fn new(kernel: &Kernel, names: &[String], density: &Density) -> Result<Self, QuadratureError> {
        if names.len() != density.inputs() {
            return Err(QuadratureError::Inputs { density: density.inputs(), points: names.len() });
        }
        refuse_categories(kernel)?;
        let words: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut terms = Vec::new();
        let mut noise = 0;
        for factors in kernel.sums_of_factors(&words)? {
            if factors.iter().all(|factor| factor.form != Form::Noise) {
                terms.push(Term::new(factors, names)?);
            } else {
                noise += 1;
            }
        }
        if terms.is_empty() && noise > 0 {
            return Err(QuadratureError::OnlyNoise(kernel.to_string()));
        }
        Ok(Self { density: density.clone(), terms, prior: OnceLock::new() })
    }

    /// z for each row, given by columns.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn means(&self, x: &[Vec<f64>]) -> Result<Vec<Estimate>, QuadratureError> {
        let n = x.first().map_or(0, Vec::len);
        let mut sum = vec![Estimate::exact(0.0); n];
        for component in self.density.components() {
            for term in &self.terms {
                let values = term.means(x, component)?;
                for (sum, value) in sum.iter_mut().zip(values) {
                    sum.value += component.weight * value.value;
                    sum.error += component.weight * value.error;
                }
            }
        }
        Ok(sum)
    }

    /// The prior variance V₀.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn prior_variance(&self) -> Result<Estimate, QuadratureError> {
        if let Some(known) = self.prior.get() {
            return Ok(*known);
        }
        let mut sum = Estimate::exact(0.0);
        for (i, p) in self.density.components().iter().enumerate() {
            for (j, q) in self.density.components().iter().enumerate().take(i + 1) {
                let twice = if i == j { 1.0 } else { 2.0 };
                for term in &self.terms {
                    let value = term.variance(p, q)?;
                    sum.value += twice * p.weight * q.weight * value.value;
                    sum.error += twice * p.weight * q.weight * value.error;
                }
            }
        }
        Ok(*self.prior.get_or_init(|| sum))
    }
}

fn refuse_categories(kernel: &Kernel) -> Result<(), QuadratureError> {
    match kernel.node() {
        Node::Leaf(leaf) if leaf.family.takes_categories() => {
            Err(QuadratureError::Categories(leaf.family.spec().name.to_owned()))
        }
        _ => kernel.children().iter().try_for_each(refuse_categories),
    }
}

/// The product of two numbers, with its error.
fn times(a: Estimate, b: Estimate) -> Estimate {
    Estimate { value: a.value * b.value, error: a.value.abs() * b.error + b.value.abs() * a.error + a.error * b.error }
}

impl Term {
    fn new(factors: Vec<Factor>, names: &[String]) -> Result<Self, QuadratureError> {
        let mut scale = 1.0;
        // factors that share an input, directly or through others, are integrated together
        let mut sets: Vec<(Vec<usize>, Vec<Factor>)> = Vec::new();
        for factor in factors {
            if let Form::Constant(v) = factor.form {
                scale *= v;
                continue;
            }
            // a squared exponential of several inputs is one of each input
            for factor in split(factor) {
                let touches = |set: &(Vec<usize>, Vec<Factor>)| factor.columns.iter().any(|c| set.0.contains(c));
                let (joined, apart): (Vec<_>, Vec<_>) = sets.into_iter().partition(touches);
                sets = apart;
                let mut columns = factor.columns.clone();
                let mut members = vec![factor];
                for (others, factors) in joined {
                    columns.extend(others);
                    members.extend(factors);
                }
                columns.sort_unstable();
                columns.dedup();
                sets.push((columns, members));
            }
        }
        sets.sort_by(|a, b| a.0.cmp(&b.0));
        let (mut axes, mut groups) = (Vec::new(), Vec::new());
        for (columns, members) in sets {
            let scaled = scale_of(&members);
            match columns[..] {
                [column] => {
                    let general = members.iter().any(|f| matches!(f.form, Form::General));
                    let mut axis = Axis::default();
                    if general {
                        axis.general = Some(whole(&members, names, columns)?);
                    } else {
                        scale *= scaled;
                        members.iter().for_each(|factor| add(&mut axis, &factor.form));
                    }
                    axes.push((column, axis));
                }
                _ => groups.push(whole(&members, names, columns)?),
            }
        }
        Ok(Self { scale, axes, groups })
    }

    fn means(&self, x: &[Vec<f64>], p: &Component) -> Result<Vec<Estimate>, QuadratureError> {
        let n = x.first().map_or(0, Vec::len);
        let mut product = vec![Estimate::exact(self.scale); n];
        let mut multiply = |values: Vec<Estimate>| {
            product.iter_mut().zip(values).for_each(|(all, one)| *all = times(*all, one));
        };
        for (column, axis) in &self.axes {
            multiply(axis.means(&x[*column], &p.marginals[*column])?);
        }
        for group in &self.groups {
            let columns: Vec<Vec<f64>> = group.columns().iter().map(|c| x[*c].clone()).collect();
            multiply(group.means(&columns, &marginals(p, group.columns()))?);
        }
        Ok(product)
    }

    fn variance(&self, p: &Component, q: &Component) -> Result<Estimate, QuadratureError> {
        let mut product = Estimate::exact(self.scale);
        for (column, axis) in &self.axes {
            product = times(product, axis.variance(&p.marginals[*column], &q.marginals[*column])?);
        }
        for group in &self.groups {
            let (p, q) = (marginals(p, group.columns()), marginals(q, group.columns()));
            product = times(product, group.variance(&p, &q)?);
        }
        Ok(product)
    }
}

fn marginals(component: &Component, columns: &[usize]) -> Vec<Marginal> {
    columns.iter().map(|c| component.marginals[*c]).collect()
}

/// A squared exponential of several inputs as one factor per input, with the variance in the first.
fn split(factor: Factor) -> Vec<Factor> {
    let (Form::SquaredExponential { v, l }, Node::Leaf(leaf)) = (&factor.form, factor.kernel.node()) else {
        return vec![factor];
    };
    if l.len() == 1 {
        return vec![factor];
    }
    let one = |(i, (column, l)): (usize, (&usize, &f64))| {
        let v = if i == 0 { *v } else { 1.0 };
        let fixed = |value: f64| Values::One(Param::fixed(value));
        let inputs = Inputs::These(vec![InputRef::Index(*column)]);
        let piece = Leaf { family: leaf.family, inputs, ard: false, params: vec![fixed(*l), fixed(v)] };
        Factor {
            kernel: Node::Leaf(piece).into(),
            columns: vec![*column],
            form: Form::SquaredExponential { v, l: vec![*l] },
        }
    };
    factor.columns.iter().zip(l).enumerate().map(one).collect()
}

/// The product of the variances of factors with closed forms.
fn scale_of(factors: &[Factor]) -> f64 {
    let one = |factor: &Factor| match &factor.form {
        Form::SquaredExponential { v, .. } | Form::Matern { v, .. } => *v,
        _ => 1.0,
    };
    factors.iter().map(one).product()
}

fn add(axis: &mut Axis, form: &Form) {
    match form {
        Form::SquaredExponential { l, .. } => axis.precision += l.iter().map(|l| 1.0 / (l * l)).sum::<f64>(),
        Form::Polynomial { c, a } => axis.polynomials.push(Polynomial { c: *c, a: a.clone() }),
        Form::Matern { rate, a, .. } => axis.matern.push(Matern { rate: *rate, a }),
        Form::Constant(_) | Form::Noise | Form::General => {}
    }
}

/// The product of factors as one kernel.
fn whole(factors: &[Factor], names: &[String], columns: Vec<usize>) -> Result<Group, QuadratureError> {
    let product = Kernel::product(factors.iter().map(|factor| factor.kernel.clone()));
    Group::new(&product.unwrap_or_else(|| Kernel::number(1.0)), names, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Schema, families};

    fn named(d: usize) -> Vec<String> {
        (0..d).map(|i| format!("x{i}")).collect()
    }

    fn family(name: &str, inputs: &[usize], params: &[f64]) -> Kernel {
        let family = families::family(name).unwrap();
        let inputs = Inputs::These(inputs.iter().map(|i| InputRef::Index(*i)).collect());
        let params = params.iter().map(|p| Values::One(Param::fixed(*p))).collect();
        Node::Leaf(Leaf { family, inputs, ard: false, params }).into()
    }

    /// Compares z and V₀ with sums over Gauss nodes or, for kernels that are not smooth, panels.
    fn check(kernel: &Kernel, density: &Density, xs: &[f64]) {
        let names = named(1);
        let found = Embedding::new(kernel, &names, density).unwrap();
        let origin = [0.0];
        let bound = kernel.bind(&Schema::unnamed(&names, &[&origin])).unwrap();
        let at = |a: &[f64], b: &[f64]| {
            bound.cross(&bound.values(), &bound.points(&[a]).unwrap(), &bound.points(&[b]).unwrap()).unwrap()
        };
        let mean = |x: f64| -> f64 {
            let one = |c: &Component| {
                let rule = super::super::rules::Rule::under(&c.marginals[0], &[x], 40);
                c.weight * at(&[x], &rule.at).iter().zip(&rule.weights).map(|(k, w)| k * w).sum::<f64>()
            };
            density.components().iter().map(one).sum()
        };
        for (x, z) in xs.iter().zip(found.means(&[xs.to_vec()]).unwrap()) {
            let right = mean(*x);
            assert!(
                (z.value - right).abs() < 1e-11 * right.abs().max(1.0),
                "{kernel} {density:?}: z({x}) {} {right}",
                z.value
            );
            assert!(z.error < 1e-10, "{kernel}: stated error {}", z.error);
        }
        // ∫ k(x, x′) p(x′) dx′ is not smooth at the ends of a uniform density
        let ends: Vec<f64> =
            density.components().iter().map(|c| c.marginals[0].range()).flat_map(|(a, b)| [a, b]).collect();
        let outer = |c: &Component| {
            let rule = super::super::rules::Rule::under(&c.marginals[0], &ends, 20);
            c.weight * rule.sum(mean)
        };
        let right: f64 = density.components().iter().map(outer).sum();
        let v = found.prior_variance().unwrap();
        assert!((v.value - right).abs() < 1e-9 * right.abs().max(1.0), "{kernel}: V {} {right}", v.value);
    }

    #[test]
    fn one_input_agrees_with_fine_sums() {
        let normal = Density::product(vec![Marginal::normal(0.3, 1.4).unwrap()]).unwrap();
        let uniform = Density::product(vec![Marginal::uniform(-0.5, 2.0).unwrap()]).unwrap();
        let one = |weight, m| Component { weight, marginals: vec![m] };
        let mixture = Density::mixture(vec![
            one(0.3, Marginal::normal(-1.0, 0.5).unwrap()),
            one(0.7, Marginal::uniform(0.0, 1.0).unwrap()),
        ])
        .unwrap();
        let se = family("SE", &[0], &[0.7, 1.3]);
        let lin = family("Lin", &[0], &[0.4, 1.2, 0.2]);
        let kernels = [
            se.clone(),
            family("Matern12", &[0], &[0.8, 1.1]),
            family("Matern32", &[0], &[0.8, 1.1]),
            family("Matern52", &[0], &[0.8, 1.1]),
            family("Poly", &[0], &[0.6, 0.5, 0.1, 3.0]),
            Kernel::sum([se.clone(), lin.clone()]).unwrap(),
            Kernel::product([se.clone(), lin.clone()]).unwrap(),
            Kernel::product([se.clone(), family("SE", &[0], &[2.0, 0.5]), lin]).unwrap(),
            family("RQ", &[0], &[0.9, 1.5, 1.0]),
            family("Per", &[0], &[1.1, 0.9, 1.0]),
            Kernel::product([se, family("Matern32", &[0], &[0.8, 1.1])]).unwrap(),
        ];
        for kernel in &kernels {
            for density in [&normal, &uniform, &mixture] {
                check(kernel, density, &[-1.0, 0.1, 0.9, 3.0]);
            }
        }
    }
}
