//! The parameters of a kernel as plain records, with distinct names.

use std::collections::HashMap;
use std::sync::Arc;

use super::family::{Domains, ParamSpec, Role};
use super::inputs::Inputs;
use super::tree::{Kernel, Node};
use super::values::Values;
use crate::param::{Param, Prior, State, Tie};

/// One parameter of a kernel, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamInfo {
    /// Unique in the kernel: `SE(year).l`; `season.l` if the family has a label; `season.SE(year).l` inside a labelled
    /// sum or product; `ARD(SE([0, 1])).l[1]` for one of several values. A second part of the same name is `SE(year)
    /// (2).l`.
    pub name: String,
    /// The name of the family or wrap in the language.
    pub family: &'static str,
    /// The long name of the parameter.
    pub parameter: &'static str,
    pub short: &'static str,
    /// The index, for a parameter with one value per input.
    pub element: Option<usize>,
    pub inputs: Inputs,
    /// "free", "fixed", "bounded" or "held".
    pub state: &'static str,
    /// Whether no value was written.
    pub unset: bool,
    /// The written value, or the default.
    pub value: f64,
    pub bounds: Option<(f64, f64)>,
    pub prior: Option<Prior>,
    /// The name of the tie.
    pub tie: Option<Arc<str>>,
}

impl Kernel {
    /// The ties of its parameters, each once.
    pub fn ties(&self) -> Vec<Tie> {
        let mut ties: Vec<Tie> = Vec::new();
        self.rewrite_params(&mut |_, values| {
            for tie in values.as_slice().iter().filter_map(|param| param.tie.as_ref()) {
                if !ties.contains(tie) {
                    ties.push(tie.clone());
                }
            }
            values.clone()
        });
        ties
    }

    /// All parameters in the order in which a fit lists them: depth first, those of a wrap after those of its children,
    /// within a node in the order of its spec. Numbers in kernel algebra are not parameters. A parameter with one value
    /// per input for which nothing is written is one record.
    pub fn params(&self) -> Vec<ParamInfo> {
        let mut list = List::default();
        list.walk(self, None, false);
        list.out
    }
}

#[derive(Default)]
struct List {
    out: Vec<ParamInfo>,
    /// The number of parts with each name.
    seen: HashMap<String, usize>,
}

impl List {
    /// `outer` is the label of the innermost labelled kernel around this one; `unit_variance` is true if unset
    /// variances in it are held at 1.
    fn walk(&mut self, kernel: &Kernel, outer: Option<&str>, unit_variance: bool) {
        let inner = kernel.label().map(|label| &**label).or(outer);
        for (child, unit_variance) in kernel.children().iter().zip(kernel.children_at_unit_variance(unit_variance)) {
            self.walk(child, inner, unit_variance);
        }
        let (family, inputs, params) = match kernel.node() {
            Node::Leaf(_) if kernel.as_number().is_some() => return,
            Node::Leaf(leaf) => (leaf.family.spec(), &leaf.inputs, &leaf.params),
            Node::Wrap(wrapped) => (wrapped.wrap.spec(), &wrapped.inputs, &wrapped.params),
            Node::Sum(_) | Node::Product(_) => return,
        };
        if params.is_empty() {
            return;
        }
        let part = self.part(kernel, outer);
        for (spec, values) in family.params.iter().zip(params) {
            let unwritten = [Param::default()];
            let (written, several) = match values {
                Values::Each(params) if !params.is_empty() => (&params[..], true),
                Values::Each(_) => (&unwritten[..], false),
                Values::One(param) => (std::slice::from_ref(param), false),
            };
            for (i, param) in written.iter().enumerate() {
                let element = several.then_some(i);
                let index = element.map_or(String::new(), |i| format!("[{i}]"));
                self.out.push(ParamInfo {
                    name: format!("{part}.{}{index}", spec.short),
                    family: family.name,
                    parameter: spec.name,
                    short: spec.short,
                    element,
                    inputs: inputs.clone(),
                    state: state(spec, param, unit_variance),
                    unset: param.value().is_none(),
                    value: param.value().unwrap_or(spec.default),
                    bounds: match param.state {
                        State::Bounded { lo, hi, .. } => Some((lo, hi)),
                        _ => None,
                    },
                    prior: param.prior,
                    tie: param.tie.as_ref().map(|tie| tie.name.clone()),
                });
            }
        }
    }

    /// A name for a node that has parameters.
    fn part(&mut self, kernel: &Kernel, outer: Option<&str>) -> String {
        let heading = || match kernel.node() {
            Node::Wrap(wrapped) => wrapped.wrap.spec().name.to_string(),
            _ => kernel.without_parameters(),
        };
        let name = match (kernel.label(), outer) {
            (Some(label), _) => label.to_string(),
            (None, Some(outer)) => format!("{outer}.{}", heading()),
            (None, None) => heading(),
        };
        let count = self.seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 { format!("{name} ({count})") } else { name }
    }
}

fn state(spec: &ParamSpec, param: &Param, unit_variance: bool) -> &'static str {
    match param.state {
        State::Fixed(_) => "fixed",
        _ if spec.domain == Domains::Count => "fixed",
        State::Unset if spec.role == Role::Start && param.prior.is_none() => "fixed",
        State::Bounded { .. } => "bounded",
        State::Unset if unit_variance && spec.is_variance() && param.is_unset() => "held",
        State::Unset | State::Free(_) => "free",
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, leaf, named};
    use super::super::{Inputs, Kernel};
    use crate::param::Param;

    #[test]
    fn names_are_unique_and_states_plain() {
        let season = leaf("Per", named("year"), &[("l", Param::fixed(2.0))]).labelled("season");
        let se = || leaf("SE", named("year"), &[]);
        let pair = Kernel::product([Kernel::number(2.0), season, leaf("Lin", Inputs::All, &[])]).unwrap();
        let kernel = Kernel::sum([se(), pair, se(), se().labelled("slow")]).unwrap();
        let list = kernel.params();
        let names: Vec<&str> = list.iter().map(|p| &p.name[..]).collect();
        let expected = "SE(year).l SE(year).v season.p season.l season.v Lin.b Lin.v Lin.c SE(year) (2).l \
                        SE(year) (2).v slow.l slow.v";
        assert_eq!(names.join(" "), expected);
        let states: Vec<&str> = list.iter().map(|p| p.state).collect();
        assert_eq!(states[2..8], ["free", "fixed", "free", "free", "held", "free"]);
    }

    #[test]
    fn inside_a_label_the_family_is_named_too() {
        let both = Kernel::sum([leaf("SE", at(0), &[]), leaf("WN", Inputs::All, &[])]).unwrap().labelled("rest");
        let names: Vec<String> = both.params().into_iter().map(|p| p.name).collect();
        assert_eq!(names, ["rest.SE(0).l", "rest.SE(0).v", "rest.WN.v"]);
    }
}
