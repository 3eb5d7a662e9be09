//! Kernels from calls: families and combinators, from the specs of the kernel room.

use crate::data::Dataset;
use crate::kernel::{Domains, InputRef, Inputs, Kernel, Leaf, Node, ParamSpec, Role, Size, Spec, Values};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::kernel_spans::Mark;
use crate::lang::eval::unknown;
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::Value;
use crate::param::{Param, State};
use crate::syntax::span::Span;

/// A family with the parameters in a call.
pub fn build_family(call: &mut Call<'_, '_>) -> Res<Value> {
    let Some(mut family) = call.entry.family() else {
        return Err(LangError::new(format!("`{}` is not a kernel family", call.signature.name)));
    };
    if let Some(flag) = family.spec().flag
        && call.maybe::<bool>(flag.name)?.is_some_and(|on| on != flag.on)
    {
        family = (flag.other)();
    }
    let spec = family.spec();
    let (inputs, input_spans) = call.inputs("input")?;
    let (params, param_spans) = written(call, spec)?;
    let origin = call.eval.host.origins.mark(Mark {
        whole: call.span,
        inputs: input_spans,
        params: param_spans,
        function: None,
    });
    let leaf = Leaf { family, inputs, ard: false, params };
    Ok(Value::Kernel(Kernel::from(Node::Leaf(leaf)).with_origin(origin)))
}

/// The parameters of a spec as written, with their spans.
pub(super) fn written(call: &mut Call<'_, '_>, spec: &'static Spec) -> Res<(Vec<Values>, Vec<Option<Span>>)> {
    let (mut params, mut spans) = (Vec::new(), Vec::new());
    for param in spec.params {
        let span = call.value(param.name).is_some().then(|| call.span_of(param.name));
        let parts = call.parts_of(param.name);
        spans.push(span);
        params.push(match call.maybe::<Value>(param.name)? {
            None => param.unset(false),
            Some(value) => values(spec, param, value, false, &parts).map_err(|t| match span {
                Some(span) => t.at(span),
                None => t,
            })?,
        });
    }
    Ok((params, spans))
}

/// One parameter of a node from a value; `parts` has the spans of the items of a list.
pub(super) fn values(
    spec: &'static Spec,
    param: &'static ParamSpec,
    value: Value,
    ard: bool,
    parts: &[Span],
) -> Res<Values> {
    let each = param.size == Size::Each || (ard && param.size == Size::EachIfArd);
    match value {
        Value::List(list) if each && list.is_empty() => {
            let error = LangError::new(format!("an empty list has no {} for `{}`", param.name, spec.name));
            Err(error.help(format!("leave `{}=` out for values that a fit finds", param.short)))
        }
        Value::List(list) if each => {
            let params = list.items().iter().enumerate().map(|(i, item)| {
                one(spec, param, item.clone()).map_err(|t| match parts.get(i) {
                    Some(&part) => t.at(part),
                    None => t,
                })
            });
            params.collect::<Res<Vec<_>>>().map(Values::Each)
        }
        Value::List(_) => {
            let error = LangError::new(format!("the {} of `{}` is one number, found a list", param.name, spec.name));
            Err(if param.size == Size::EachIfArd {
                error.help(format!("`ARD({}, {}=[…])` has one for each input", spec.name, param.short))
            } else {
                error
            })
        }
        value => one(spec, param, value).map(Values::One),
    }
}

fn one(spec: &'static Spec, param: &'static ParamSpec, value: Value) -> Res<Param> {
    let mut written = Param::from_value(value)?;
    match (param.domain, written.state) {
        (Domains::Count, State::Free(x)) => written.state = State::Fixed(x),
        // a variance of 0 for an order or an offset is fixed, because a fit could not increase it
        (_, State::Free(0.0)) if matches!(param.role, Role::OrderVariance | Role::Bias) => {
            written.state = State::Fixed(0.0)
        }
        _ => {}
    }
    param.check(spec.name, &written).map_err(|error| LangError::new(error.to_string()))?;
    Ok(written)
}

/// A kernel in which every possible family has one length-scale (or slope variance) per input.
pub fn ard(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    let given = call.keywords();
    let mut used = vec![false; given.len()];
    let mut found = false;
    let made = spread(&kernel, &given, &mut used, &mut found)?;
    if !found {
        let families = call.eval.library.all().iter().filter(|e| e.takes_ard()).map(|e| e.signature.name);
        let families: Vec<&str> = families.collect();
        return Err(LangError::new("nothing in this kernel can have one parameter for each input")
            .note(format!("the families that can are {}", families.join(", ")))
            .argument("kernel"));
    }
    if let Some(unused) = used.iter().position(|used| !used) {
        let name = &given[unused].0;
        let error = LangError::new(format!("no part of this kernel can have one `{}` for each input", name.node));
        let help = format!("one for all inputs is written in the kernel itself, as in `ARD(SE({}=1))`", name.node);
        return Err(error.at(name.span).help(help));
    }
    Ok(Value::Kernel(made))
}

type Given = [(crate::syntax::ast::Name, crate::syntax::span::Spanned<Value>)];

fn spread(kernel: &Kernel, given: &Given, used: &mut [bool], found: &mut bool) -> Res<Kernel> {
    let each = |children: &[Kernel], used: &mut [bool], found: &mut bool| {
        children.iter().map(|child| spread(child, given, used, found)).collect::<Res<Vec<_>>>()
    };
    let node = match kernel.node() {
        Node::Leaf(leaf) => {
            let spec = leaf.family.spec();
            if !spec.params.iter().any(|param| param.size == Size::EachIfArd) {
                return Ok(kernel.clone());
            }
            *found = true;
            let mut params = leaf.params.clone();
            for (param, slot) in spec.params.iter().zip(&mut params) {
                if param.size != Size::EachIfArd {
                    continue;
                }
                let written = given.iter().position(|(n, _)| [param.name, param.short].contains(&&*n.node));
                if let Some(at) = written {
                    used[at] = true;
                    let (_, value) = &given[at];
                    *slot = values(spec, param, value.node.clone(), true, &[]).map_err(|t| t.at(value.span))?;
                } else if slot.is_unset() {
                    *slot = param.unset(true);
                }
            }
            Node::Leaf(Leaf { ard: true, params, ..leaf.clone() })
        }
        Node::Sum(children) => Node::Sum(each(children, used, found)?),
        Node::Product(children) => Node::Product(each(children, used, found)?),
        Node::Wrap(wrapped) => {
            let mut wrapped = wrapped.clone();
            wrapped.children = each(&wrapped.children, used, found)?;
            Node::Wrap(wrapped)
        }
    };
    Ok(kernel.with_node(node))
}

impl Call<'_, '_> {
    /// The inputs that an argument names, with their spans.
    pub fn inputs(&mut self, name: &'static str) -> Res<(Inputs, Vec<Span>)> {
        let span = self.span_of(name);
        let parts = self.parts_of(name);
        let Some(value) = self.maybe::<Value>(name)? else {
            return Ok((Inputs::All, Vec::new()));
        };
        let refs = input_refs(&value).map_err(|t| t.at(span))?;
        let spans = if parts.len() == refs.len() { parts } else { vec![span; refs.len()] };
        Ok((Inputs::These(refs), spans))
    }

    /// The names of the inputs of data that an argument names; `None` if it was left out.
    pub fn input_names(&mut self, name: &'static str, data: &Dataset) -> Res<Option<Vec<String>>> {
        let (Inputs::These(these), spans) = self.inputs(name)? else { return Ok(None) };
        let known: Vec<String> = data.inputs().map(|column| column.name().to_string()).collect();
        let find = |(input, span): (&InputRef, &Span)| {
            let (found, written) = match input {
                InputRef::Index(at) => (known.get(*at), at.to_string()),
                InputRef::Name(name) => (known.iter().find(|k| ***k == **name), name.to_string()),
            };
            let missing = || unknown::input(&written, &known, data.target().map(|t| t.name())).at(*span);
            found.cloned().ok_or_else(missing)
        };
        these.iter().zip(&spans).map(find).collect::<Res<Vec<_>>>().map(Some)
    }
}

/// The inputs that a value names.
pub fn input_refs(value: &Value) -> Res<Vec<InputRef>> {
    let one = |value: &Value| match value {
        Value::Number(x) if *x >= 0.0 && x.fract() == 0.0 && *x < 1e9 => Ok(InputRef::Index(*x as usize)),
        Value::Number(_) => {
            let help = "inputs are counted from 0; a length-scale is written `l=…`, and a \
                        column with the name of a binding is written in quotes";
            Err(LangError::new(format!("{value} is not an input")).help(help))
        }
        Value::Str(name) => Ok(InputRef::Name(name.clone())),
        other => Err(expected("a column's name or an index from 0", other)),
    };
    let refs = match value.items() {
        Some(items) if items.is_empty() => return Err(LangError::new("a list of inputs must not be empty")),
        Some(items) if items.len() > 100_000 => return Err(LangError::new("more inputs than any data have")),
        Some(items) => items.map(|item| one(&item)).collect::<Res<Vec<_>>>()?,
        None => vec![one(value)?],
    };
    if let Some(at) = (1..refs.len()).find(|&i| refs[..i].contains(&refs[i])) {
        return Err(LangError::new(format!("input {} is named twice", refs[at])));
    }
    Ok(refs)
}
