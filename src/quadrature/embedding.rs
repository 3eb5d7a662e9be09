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
use crate::kernel::{Coordinate, Factor, Form, GroupSum, InputRef, Inputs, Kernel, Leaf, Node, Values};
use crate::param::Param;

/// A kernel with a density.
#[derive(Debug)]
pub struct Embedding {
    density: Density,
    terms: Vec<Term>,
    orbits: Vec<Orbit>,
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

/// A kernel summed over a group, Σ_g Σ_h k(gx, hx′), times a number. Its integrals are those of k against the density
/// averaged over the moved ones: z(x) = |G| Σ_g z_k(gx), V₀ = |G|² V_k.
#[derive(Debug)]
struct Orbit {
    scale: f64,
    elements: Vec<Vec<Coordinate>>,
    inside: Box<Embedding>,
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
        let (mut terms, mut orbits) = (Vec::new(), Vec::new());
        let mut noise = 0;
        for factors in kernel.sums_of_factors(&words)? {
            if let Some(orbit) = Orbit::new(&factors, names, density)? {
                orbits.push(orbit);
            } else if factors.iter().all(|factor| factor.form != Form::Noise) {
                terms.push(Term::new(factors, names)?);
            } else {
                noise += 1;
            }
        }
        if terms.is_empty() && orbits.is_empty() && noise > 0 {
            return Err(QuadratureError::OnlyNoise(kernel.to_string()));
        }
        Ok(Self { density: density.clone(), terms, orbits, prior: OnceLock::new() })
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
        for orbit in &self.orbits {
            for (sum, value) in sum.iter_mut().zip(orbit.means(x)?) {
                sum.value += value.value;
                sum.error += value.error;
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
        for orbit in &self.orbits {
            let value = orbit.prior_variance()?;
            sum.value += value.value;
            sum.error += value.error;
        }
        Ok(*self.prior.get_or_init(|| sum))
    }
}

impl Orbit {
    /// A product of numbers and one kernel that is summed over a group. `None` for other products.
    fn new(factors: &[Factor], names: &[String], density: &Density) -> Result<Option<Self>, QuadratureError> {
        let words: Vec<&str> = names.iter().map(String::as_str).collect();
        let (mut scale, mut found) = (1.0, None);
        for factor in factors {
            match (&factor.form, &found) {
                (Form::Constant(v), _) => scale *= v,
                (_, Some(_)) => return Ok(None),
                (_, None) => match factor.kernel.group_sum(&words)? {
                    Some(sum) => found = Some(sum),
                    None => return Ok(None),
                },
            }
        }
        let Some(GroupSum { inside, elements, scale: of_sum }) = found else { return Ok(None) };
        let share = 1.0 / elements.len() as f64;
        let moved = |element: &Vec<Coordinate>| -> Vec<Component> {
            let one = |c: &Component| Component {
                weight: share * c.weight,
                marginals: element.iter().map(|to| c.marginals[to.from].moved(to.sign, to.add)).collect(),
            };
            density.components().iter().map(one).collect()
        };
        let mut components: Vec<Component> = Vec::new();
        for one in elements.iter().flat_map(moved) {
            // a density with the symmetry is its own image
            match components.iter_mut().find(|known| known.marginals == one.marginals) {
                Some(known) => known.weight += one.weight,
                None => components.push(one),
            }
        }
        let inside = Box::new(Embedding::new(&inside, names, &Density::mixture(components)?)?);
        let scale = scale * of_sum * elements.len() as f64;
        Ok(Some(Self { scale, elements, inside }))
    }

    fn means(&self, x: &[Vec<f64>]) -> Result<Vec<Estimate>, QuadratureError> {
        let n = x.first().map_or(0, Vec::len);
        let mut sum = vec![Estimate::exact(0.0); n];
        for element in &self.elements {
            let column = |to: &Coordinate| x[to.from].iter().map(|x| to.sign * x + to.add).collect();
            let moved: Vec<Vec<f64>> = element.iter().map(column).collect();
            for (sum, value) in sum.iter_mut().zip(self.inside.means(&moved)?) {
                sum.value += self.scale * value.value;
                sum.error += self.scale.abs() * value.error;
            }
        }
        Ok(sum)
    }

    fn prior_variance(&self) -> Result<Estimate, QuadratureError> {
        let inside = self.inside.prior_variance()?;
        let scale = self.scale * self.elements.len() as f64;
        Ok(Estimate { value: scale * inside.value, error: scale.abs() * inside.error })
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
    use crate::kernel::wraps::{Method, invariant};
    use crate::kernel::{Move, MoveKind, Schema, families};

    fn named(d: usize) -> Vec<String> {
        (0..d).map(|i| format!("x{i}")).collect()
    }

    /// z and V₀ of kernels summed over a group, against plain sums over nodes.
    #[test]
    fn kernels_summed_over_a_group_have_closed_forms() {
        let se = || Kernel::product([family("SE", &[0], &[0.9, 1.3]), family("SE", &[1], &[0.6, 1.0])]).unwrap();
        let inputs = |at: &[usize]| at.iter().map(|i| InputRef::Index(*i)).collect::<Vec<_>>();
        let swap = || Move::new(MoveKind::Swap, inputs(&[0, 1]), Vec::new()).unwrap();
        let flip = || Move::new(MoveKind::Flip, inputs(&[0]), vec![0.3]).unwrap();
        let sum = |moves, normalize| invariant(se(), moves, Method::Sum, normalize).unwrap();
        let kernels = [
            sum(vec![swap()], false),
            sum(vec![flip()], true),
            Kernel::sum([sum(vec![swap(), flip()], false), se()]).unwrap(),
        ];
        let marginals = [Marginal::normal(0.2, 0.7).unwrap(), Marginal::uniform(-0.5, 1.0).unwrap()];
        let density = Density::product(marginals.to_vec()).unwrap();
        let names = named(2);
        let rules = marginals.map(|marginal| super::super::rules::Rule::gauss(&marginal, 48));
        let (nodes, weights) = super::super::rules::tensor(&rules, 1.0);
        for kernel in &kernels {
            let found = Embedding::new(kernel, &names, &density).unwrap();
            let origin = [0.0];
            let bound = kernel.bind(&Schema::unnamed(&names, &[&origin, &origin])).unwrap();
            let points = |x: &[Vec<f64>]| bound.points(&x.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
            let cross = |a: &[Vec<f64>], b: &[Vec<f64>]| bound.cross(&bound.values(), &points(a), &points(b)).unwrap();
            let x = [vec![0.4, -1.0], vec![0.1, 2.0]];
            let k = cross(&nodes, &x);
            for (j, z) in found.means(&x).unwrap().into_iter().enumerate() {
                let right: f64 = k.column(j).iter().zip(&weights).map(|(k, w)| k * w).sum();
                assert!((z.value - right).abs() < 1e-11 * right, "{kernel}: {} {right}", z.value);
                assert_eq!(z.error, 0.0);
            }
            let k = cross(&nodes, &nodes);
            let right: f64 = k
                .column_iter()
                .zip(&weights)
                .map(|(c, v)| v * c.iter().zip(&weights).map(|(k, w)| k * w).sum::<f64>())
                .sum();
            let v = found.prior_variance().unwrap();
            // a normal against a uniform density is a sum over panels
            assert!(
                (v.value - right).abs() < 1e-11 * right && v.error < 1e-11 * right,
                "{kernel}: {} {right}",
                v.value
            );
        }
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
