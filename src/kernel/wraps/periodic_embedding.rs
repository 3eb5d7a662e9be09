//! Kernels of functions on circles, cylinders, tori, Möbius strips and spheres.
//!
//! An input x that is mapped to a circle is passed to the inner kernel as the pair (sin, cos)(2πx/p), so that functions
//! have period p (Duvenaud, "Expressing Structure with Kernels", 1.22). A torus maps two inputs to circles, a cylinder
//! the first of two. A Möbius strip maps both to circles with one period and is symmetric: f(x, y) = f(y, x)
//! (1.31–1.33). A sphere maps a latitude and a longitude, in degrees, to the point in space.

use std::sync::Arc;

use super::combinations::Weighted;
use super::invariant::{moved_pair, pairs, with_multiplicity};
use crate::kernel::bind_error::{BindError, Cause, Place};
use crate::kernel::families;
use crate::kernel::family::{P, ParamSpec, Size, Spec};
use crate::kernel::group::{Move, MoveKind, group};
use crate::kernel::input_view::ViewMap;
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::{InputRef, Inputs};
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::tree::{InputsShown, Wrap};
use crate::kernel::tree::{Kernel, Leaf, Node, Wrapped};
use crate::kernel::values::Values;
use crate::param::Param;

const EACH: ParamSpec = ParamSpec { size: Size::Each, help: "the period of each input", ..P };
const TURN: ParamSpec = ParamSpec { help: "the period", ..P };

pub(super) static PERIODIC: Spec = Spec {
    stationary: true,
    infinitely_divisible: true,
    ..Spec::wrap(
        "periodic",
        "a kernel of an input mapped onto a circle, so that its functions are periodic",
        Wording::moving("{k}, made periodic in {x}[ with period {p}]"),
        "k(u, u'), u = (sin(2 pi x/p), cos(2 pi x/p))",
        r"k(u, u'),\ u = (\sin(2\pi x/p), \cos(2\pi x/p))",
        &[EACH],
        "periodic(SE(0), 0, p=2)",
    )
};

pub(super) static TORUS: Spec = Spec {
    stationary: true,
    infinitely_divisible: true,
    ..Spec::wrap(
        "torus",
        "functions on a torus: both inputs are periodic",
        Wording::moving("{k}, on a torus where {x} are periodic[ with period {p}]"),
        "k(u, u') with both inputs mapped onto circles",
        r"k(u, u'),\ u = (\sin(2\pi x/p), \cos(2\pi x/p))",
        &[EACH],
        "torus(SE, 0, 1)",
    )
};

pub(super) static CYLINDER: Spec = Spec {
    stationary: true,
    infinitely_divisible: true,
    ..Spec::wrap(
        "cylinder",
        "functions on a cylinder: the first input is periodic, the second is not",
        Wording::moving("{k}, on a cylinder of {x} where the first is periodic[ with period {p}]"),
        "k(u, u') with the first input mapped onto a circle",
        r"k(u, u'),\ u = (\sin(2\pi x/p), \cos(2\pi x/p), y)",
        &[TURN],
        "cylinder(SE, 0, 1)",
    )
};

pub(super) static MOBIUS: Spec = Spec {
    ..Spec::wrap(
        "mobius",
        "functions on a Möbius strip: both inputs are periodic, and the function is symmetric in them",
        Wording::moving("{k}, on a Möbius strip where {x} are periodic[ with period {p}] and may be exchanged"),
        "sum of k(u, v, u', v') over both exchanges of x and y",
        r"\sum_{g, h \in \{1, \mathrm{swap}\}} k(g u, h u'),\ u = (\sin(2\pi x/p), \cos(2\pi x/p))",
        &[TURN],
        "mobius(SE, 0, 1)",
    )
};

pub(super) static SPHERE: Spec = Spec {
    infinitely_divisible: true,
    ..Spec::wrap(
        "sphere",
        "functions on a sphere, of latitude and longitude in degrees",
        Wording::moving("{k}, on a sphere of {x} in degrees"),
        "k(u, u'), u = (cos a cos b, cos a sin b, sin a) of latitude a and longitude b",
        r"k(u, u'),\ u = (\cos a \cos b, \cos a \sin b, \sin a)",
        &[],
        "sphere(SE, 0, 1)",
    )
};

/// The map of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodicEmbedding {
    /// Each input mapped to its own circle.
    Periodic,
    Torus,
    Cylinder,
    Mobius,
    Sphere,
}

impl PeriodicEmbedding {
    fn spec(self) -> &'static Spec {
        match self {
            PeriodicEmbedding::Periodic => &PERIODIC,
            PeriodicEmbedding::Torus => &TORUS,
            PeriodicEmbedding::Cylinder => &CYLINDER,
            PeriodicEmbedding::Mobius => &MOBIUS,
            PeriodicEmbedding::Sphere => &SPHERE,
        }
    }

    /// The number of inputs it needs; `None` for any number.
    pub fn inputs(self) -> Option<usize> {
        match self {
            PeriodicEmbedding::Periodic => None,
            _ => Some(2),
        }
    }
}

/// `kernel` with `inputs` mapped to circles; `params` are the periods.
pub fn periodic_embedding(embedding: PeriodicEmbedding, kernel: Kernel, inputs: Inputs, params: Vec<Values>) -> Kernel {
    Kernel::wrap(Arc::new(embedding), vec![kernel], inputs, params)
}

impl PeriodicEmbedding {
    /// The inputs that are mapped to circles, each with its period; `None` if the inputs are not named, if their periods
    /// are tied as a whole, and for other embeddings.
    fn turned(self, wrapped: &Wrapped) -> Option<Vec<(InputRef, Param)>> {
        let inputs = wrapped.inputs.written();
        let inputs = match self {
            PeriodicEmbedding::Periodic | PeriodicEmbedding::Torus => inputs,
            PeriodicEmbedding::Cylinder => inputs.get(..1)?,
            PeriodicEmbedding::Mobius | PeriodicEmbedding::Sphere => return None,
        };
        let periods = match wrapped.params.first()? {
            _ if inputs.is_empty() => return None,
            Values::One(param) if inputs.len() == 1 => vec![param.clone()],
            Values::One(param) if param.tie.is_none() => vec![param.clone(); inputs.len()],
            Values::Each(each) if each.is_empty() => vec![Param::default(); inputs.len()],
            Values::Each(each) if each.len() == inputs.len() => each.clone(),
            _ => return None,
        };
        Some(inputs.iter().cloned().zip(periods).collect())
    }

    /// Circles of some inputs around circles of others as one map.
    fn joined(self, wrapped: &Wrapped) -> Option<Kernel> {
        let [child] = &wrapped.children[..] else { return None };
        let Node::Wrap(inner) = child.node() else { return None };
        let within = PeriodicEmbedding::Periodic;
        if self != within || !std::ptr::eq(inner.wrap.spec(), within.spec()) || child.label().is_some() {
            return None;
        }
        let (mut all, own) = (within.turned(inner)?, self.turned(wrapped)?);
        // a name and an index may be the same input
        let is_name = |(input, _): &(InputRef, Param)| matches!(input, InputRef::Name(_));
        let apart = |one: &(InputRef, Param)| all.iter().all(|two| two.0 != one.0 && is_name(two) == is_name(one));
        if !own.iter().all(apart) {
            return None;
        }
        all.extend(own);
        Some(periodic(inner.children.first()?.clone(), all))
    }
}

/// A kernel with these inputs mapped to circles, in a fixed order.
fn periodic(kernel: Kernel, mut turned: Vec<(InputRef, Param)>) -> Kernel {
    turned.sort_by_key(place);
    let (inputs, periods) = turned.into_iter().unzip();
    let params = vec![Values::Each(periods)];
    periodic_embedding(PeriodicEmbedding::Periodic, kernel, Inputs::These(inputs), params)
}

/// By which inputs are sorted.
fn place((input, _): &(InputRef, Param)) -> String {
    format!("{input:?}")
}

impl Wrap for PeriodicEmbedding {
    fn spec(&self) -> &'static Spec {
        PeriodicEmbedding::spec(*self)
    }

    fn inputs_shown(&self) -> InputsShown {
        if self.inputs().is_some() { InputsShown::Each } else { InputsShown::Place }
    }

    fn moves_arguments_separately(&self) -> bool {
        *self == PeriodicEmbedding::Mobius
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn joins_inputs(&self) -> bool {
        matches!(self, PeriodicEmbedding::Sphere | PeriodicEmbedding::Mobius)
    }

    /// The map of a product or a sum is that of each part, and a squared exponential on a circle is the periodic kernel:
    /// the chord is 2 sin(πr/p).
    fn written_out(&self, wrapped: &Wrapped) -> Option<Kernel> {
        let [child] = &wrapped.children[..] else { return None };
        let mapped = |part: &Kernel| {
            let whole = Wrapped { children: vec![part.clone()], ..wrapped.clone() };
            let kept = || Node::Wrap(whole.clone()).into();
            self.reduced(&whole, true).unwrap_or_else(kept)
        };
        match child.node() {
            _ if !matches!(
                self,
                PeriodicEmbedding::Periodic | PeriodicEmbedding::Torus | PeriodicEmbedding::Cylinder
            ) =>
            {
                None
            }
            Node::Sum(terms) => Kernel::sum(terms.iter().map(mapped)),
            Node::Product(factors) => Kernel::product(factors.iter().map(mapped)),
            _ => {
                let known = |turned: &[(InputRef, Param)]| *self == Self::Periodic && turned.is_sorted_by_key(place);
                self.turned(wrapped).filter(|turned| !known(turned)).map(|turned| periodic(child.clone(), turned))
            }
        }
        .map(|whole| match child.label() {
            Some(label) => whole.labelled(label.clone()),
            None => whole,
        })
    }

    fn reduced(&self, wrapped: &Wrapped, _strict: bool) -> Option<Kernel> {
        let [child] = &wrapped.children[..] else { return None };
        if let Some(joined) = self.joined(wrapped) {
            return Some(joined);
        }
        let turned = match self {
            PeriodicEmbedding::Periodic | PeriodicEmbedding::Torus => wrapped.inputs.written(),
            PeriodicEmbedding::Cylinder => wrapped.inputs.written().get(..1)?,
            PeriodicEmbedding::Mobius | PeriodicEmbedding::Sphere => return None,
        };
        let Node::Leaf(leaf) = child.node() else { return None };
        if !leaf.family.spec().reads_inputs {
            return Some(child.clone());
        }
        // a name and an index may be the same input
        let is_name = |input: &InputRef| matches!(input, InputRef::Name(_));
        let [input] = leaf.inputs.written() else { return None };
        if turned.is_empty() || turned.iter().any(|other| is_name(other) != is_name(input)) {
            return None;
        }
        let Some(at) = turned.iter().position(|other| other == input) else { return Some(child.clone()) };
        if !std::ptr::eq(leaf.family.spec(), families::FAMILIES[0].spec()) {
            return None;
        }
        let period = match wrapped.params.first()? {
            Values::One(param) if *self == PeriodicEmbedding::Cylinder => param.clone(),
            // a tie joins the periods of all inputs with those of another kernel
            Values::One(param) if turned.len() == 1 && param.tie.is_none() => param.clone(),
            Values::Each(each) if each.is_empty() && turned.len() == 1 => Param::default(),
            // the periods of several inputs cannot be tied to that of one
            Values::Each(each) => each.get(at).filter(|p| turned.len() == 1 || p.tie.is_none())?.clone(),
            Values::One(_) => return None,
        };
        let family = families::family("Per")?;
        let param = |spec: &ParamSpec| {
            if spec.short == "p" {
                return Some(Values::One(period.clone()));
            }
            let at = leaf.family.spec().params.iter().position(|p| p.short == spec.short)?;
            match &leaf.params[at] {
                Values::Each(each) if each.is_empty() => Some(Values::One(Param::default())),
                Values::Each(each) => Some(Values::One(each.first()?.clone())),
                one => Some(one.clone()),
            }
        };
        let params = family.spec().params.iter().map(param).collect::<Option<Vec<_>>>()?;
        Some(child.with_node(Node::Leaf(Leaf { family, inputs: leaf.inputs.clone(), ard: false, params })))
    }

    fn listed(&self, wrapped: &Wrapped) -> Option<Wrapped> {
        let n = match self {
            PeriodicEmbedding::Periodic | PeriodicEmbedding::Torus => wrapped.inputs.written().len(),
            _ => return None,
        };
        let period = match wrapped.params.first()? {
            _ if n == 0 => return None,
            Values::Each(each) if each.is_empty() => Param::default(),
            Values::One(param) if param.tie.is_none() => param.clone(),
            _ => return None,
        };
        Some(Wrapped { params: vec![Values::Each(vec![period; n])], ..wrapped.clone() })
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError> {
        let spec = self.spec();
        let inputs = plan.inputs(node.origin(), &wrapped.inputs)?;
        plan.numbers(node.origin(), &inputs, "cannot be mapped onto a circle")?;
        plan.not_embedded(node.origin(), &inputs, views.left, spec.name)?;
        if let Some(wanted) = self.inputs().filter(|&wanted| wanted != inputs.len()) {
            let cause = Cause::Inputs { family: spec.name, wanted, found: inputs.len() };
            return Err(BindError { origin: node.origin(), place: Place::Node, cause });
        }
        let child = &wrapped.children[0];
        if *self == PeriodicEmbedding::Sphere {
            let (lat, lon) = (inputs[0], inputs[1]);
            let round = plan.mapped_views(node.origin(), views, &inputs, 3, || ViewMap::Sphere { lat, lon })?;
            let register = plan.child(wrapped, 0, round)?;
            plan.no_params();
            return Ok(register);
        }
        let (params, deferred) = plan.params_before_children(node, wrapped, &inputs, inputs.len())?;
        let mut periods = plan.periods(&params.0);
        let turned = if *self == PeriodicEmbedding::Cylinder { &inputs[..1] } else { &inputs[..] };
        if let &[one] = &periods[..] {
            periods = vec![one; turned.len()];
        }
        let map = || ViewMap::Circle { columns: turned.to_vec(), periods: periods.clone() };
        if *self != PeriodicEmbedding::Mobius {
            let round = plan.mapped_views(node.origin(), views, turned, 2, map)?;
            let register = plan.child(wrapped, 0, round)?;
            plan.insert_params(deferred);
            return Ok(register);
        }
        let swap = Move { kind: MoveKind::Swap, inputs: wrapped.inputs.written().to_vec(), about: Vec::new() };
        let error = |e| BindError { origin: node.origin(), place: Place::Node, cause: Cause::Move(e) };
        let swaps = group(&[swap], std::slice::from_ref(&inputs), plan.width()).map_err(error)?;
        let pairs = pairs(plan, child, &swaps, true);
        let mut moved_views = Vec::new();
        for (g, h, _) in &pairs {
            let moved = moved_pair(plan, views, g, h);
            moved_views.push(plan.mapped_views(node.origin(), moved, turned, 2, map)?);
        }
        let registers = plan.copies(wrapped, 0, &moved_views)?;
        plan.insert_params(deferred);
        let (args, counts) = with_multiplicity(&registers, pairs.iter().map(|p| p.2));
        let weights = counts.iter().map(|&n| n as f64).collect();
        Ok(plan.elementwise(Box::new(Weighted(weights)), Parts::of(args, views)))
    }
}
