//! Plans the evaluation of a tree: leaves, sums, products and the kernels inside wraps.

use super::bind_error::{BindError, Cause, Place};
use super::family::Size;
use super::input_view::ViewPair;
use super::parameter_slot::SlotState;
use super::plan::{DeferredParams, Element, InputColumns, Key, OwnParams, Plan};
use super::program::{LeafOp, Op, lag_of};
use super::row_function::level_text;
use super::tree::{Kernel, Leaf, Node, Wrapped};

/// The number of nodes of a kernel that can have parameters.
fn nodes(kernel: &Kernel) -> usize {
    let own = matches!(kernel.node(), Node::Leaf(_) | Node::Wrap(_));
    usize::from(own) + kernel.children().iter().map(nodes).sum::<usize>()
}

impl Plan<'_> {
    /// Plans the evaluation of a kernel through a pair of views, and returns the register of its values.
    ///
    /// # Errors
    /// [`BindError`]: a part that does not fit the data set.
    pub fn kernel(&mut self, kernel: &Kernel, views: ViewPair) -> Result<usize, BindError> {
        self.check_size(kernel.origin())?;
        let labels = self.labels.len();
        self.labels.extend(kernel.label().cloned());
        let (unit_variance, in_product) = (self.unit_variance, self.in_product);
        let register = match kernel.node() {
            Node::Leaf(leaf) => self.leaf(kernel, leaf, views)?,
            Node::Sum(children) | Node::Product(children) => {
                let mut args = Vec::with_capacity(children.len());
                self.operands(kernel, views, &mut args)?;
                let sum = matches!(kernel.node(), Node::Sum(_));
                let args = self.with_parts_of_a_lag_together(args, sum);
                self.joined(args, sum)
            }
            Node::Wrap(wrapped) => wrapped.wrap.plan(self, kernel, wrapped, views)?,
        };
        (self.unit_variance, self.in_product) = (unit_variance, in_product);
        self.labels.truncate(labels);
        Ok(register)
    }

    /// Plans the evaluation of a kernel inside a wrap.
    ///
    /// # Errors
    /// [`BindError`]: a part that does not fit the data set.
    pub fn child(&mut self, wrapped: &Wrapped, child: usize, views: ViewPair) -> Result<usize, BindError> {
        // nested symmetries evaluate the same kernel repeatedly through the same views
        let places = if self.copying { nodes(&wrapped.children[child]) } else { 0 };
        let key = (self.reused_place.unwrap_or(self.places.len()), places, views);
        if let (true, Some(place), Some(&register)) = (self.copying, self.reused_place, self.laid_out.get(&key)) {
            self.reused_place = Some(place + places);
            return Ok(register);
        }
        let (unit_variance, in_product) = (self.unit_variance, self.in_product);
        self.unit_variance = wrapped.wrap.unit_variance_inside(unit_variance);
        let register = self.kernel(&wrapped.children[child], views)?;
        (self.unit_variance, self.in_product) = (unit_variance, in_product);
        if self.copying {
            self.laid_out.insert(key, register);
        }
        Ok(register)
    }

    /// Plans the evaluation of one kernel inside a wrap through several pairs of views. All copies have the same
    /// parameters, and parts that two of them share are evaluated once. Returns one register per copy.
    ///
    /// # Errors
    /// [`BindError`]: a part that does not fit the data set.
    pub fn copies(&mut self, wrapped: &Wrapped, child: usize, views: &[ViewPair]) -> Result<Vec<usize>, BindError> {
        let mut registers = Vec::with_capacity(views.len());
        self.repeated(views, |plan, views| {
            registers.push(plan.child(wrapped, child, views)?);
            Ok(())
        })?;
        Ok(registers)
    }

    /// Creates the slots of a kernel inside a wrap without planning its evaluation. Its values do not matter, so its
    /// parameters are not optimised.
    ///
    /// # Errors
    /// [`BindError`]: a part that does not fit the data set.
    pub fn only_parameters(&mut self, wrapped: &Wrapped, child: usize, views: ViewPair) -> Result<(), BindError> {
        let (instructions, first) = (self.instructions.len(), self.slots.len());
        self.child(wrapped, child, views)?;
        self.instructions.truncate(instructions);
        self.made.retain(|_, register| *register < instructions);
        self.laid_out.retain(|_, register| *register < instructions);
        for slot in &mut self.slots[first..] {
            if slot.state == SlotState::Free {
                slot.state = SlotState::Held;
            }
        }
        Ok(())
    }

    /// Plans the operands of a sum or product. A labelled sum inside a sum is flattened, so that a label does not
    /// change the order of rounding.
    fn operands(&mut self, kernel: &Kernel, views: ViewPair, args: &mut Vec<usize>) -> Result<(), BindError> {
        let product = matches!(kernel.node(), Node::Product(_));
        let children = kernel.children();
        self.in_product |= product && children.iter().filter(|c| c.as_number().is_none()).count() > 1;
        for (child, unit_variance) in children.iter().zip(kernel.children_at_unit_variance(self.unit_variance)) {
            let before = std::mem::replace(&mut self.unit_variance, unit_variance);
            match (kernel.node(), child.node()) {
                (Node::Sum(_), Node::Sum(_)) | (Node::Product(_), Node::Product(_)) => {
                    let labels = self.labels.len();
                    self.labels.extend(child.label().cloned());
                    self.operands(child, views, args)?;
                    self.labels.truncate(labels);
                }
                _ => args.push(self.kernel(child, views)?),
            }
            self.unit_variance = before;
        }
        Ok(())
    }

    /// The sum or product of some registers.
    fn joined(&mut self, args: Vec<usize>, sum: bool) -> usize {
        let key = if sum { Key::Sum(args.clone()) } else { Key::Product(args.clone()) };
        self.once(key, if sum { Op::Sum } else { Op::Product }, args, None)
    }

    /// The operands of a sum or product, those that depend on a difference of one input joined to one: of evenly spaced rows
    /// it is evaluated once for each lag.
    fn with_parts_of_a_lag_together(&mut self, args: Vec<usize>, sum: bool) -> Vec<usize> {
        let inputs: Vec<_> = args.iter().map(|&a| lag_of(&self.instructions, &self.views, a)).collect();
        let Some(input) = inputs.iter().flatten().next() else { return args };
        let (together, mut rest): (Vec<usize>, Vec<usize>) =
            (0..args.len()).partition(|&place| inputs[place].as_ref() == Some(input));
        if together.len() < 2 || rest.is_empty() {
            return args;
        }
        let joined = self.joined(together.iter().map(|&place| args[place]).collect(), sum);
        rest.iter_mut().for_each(|place| *place = args[*place]);
        rest.insert(0, joined);
        rest
    }

    fn leaf(&mut self, kernel: &Kernel, leaf: &Leaf, views: ViewPair) -> Result<usize, BindError> {
        let spec = leaf.family.spec();
        let error = |place, cause| BindError { origin: kernel.origin(), place, cause };
        let nothing = InputColumns::none(&[]);
        let coded = leaf.ard && leaf.family.takes_indicators();
        let views = match coded {
            true => self.indicator_views(kernel.origin(), views, &self.inputs(kernel.origin(), &leaf.inputs)?)?,
            false => views,
        };
        let columns =
            if spec.reads_inputs { self.input_columns(kernel.origin(), &leaf.inputs, views.left)? } else { nothing };
        if spec.reads_inputs {
            if columns.columns.is_empty() {
                return Err(error(Place::Node, Cause::NoInputs { family: spec.name }));
            }
            if columns.columns.len() > 1 && !spec.several_inputs {
                if columns.inputs.len() == 1 {
                    let input = self.name(columns.inputs[0]).to_string();
                    return Err(error(Place::Node, Cause::Embedded { family: format!("`{}`", spec.name), input }));
                }
                let inputs = columns.inputs.iter().map(|&c| self.name(c).to_string()).collect();
                return Err(error(Place::Node, Cause::SeveralInputs { family: spec.name, inputs }));
            }
            if !leaf.family.takes_categories() && !coded {
                let ard = leaf.family.takes_indicators();
                let cause = |column| Cause::Categories { family: spec.name, column, ard };
                let as_categories: Vec<usize> =
                    columns.inputs.iter().copied().filter(|&input| self.levels(views.left, input).is_some()).collect();
                self.no_categories(kernel.origin(), &as_categories, cause)?;
            }
        }
        let place = self.reused_place.unwrap_or(self.places.len());
        let learnt = match self.reused_place {
            Some(place) => self.learnt[place].clone(),
            None => {
                let shown = &self.columns[views.left];
                // coordinates on a circle are centred at 0 already; a centre that depended on the period would change
                // the last bit of a kernel that is saved and read back
                let moving = self.views[views.left].moving;
                let appended = |c: usize| moving && c >= self.schema.columns.len();
                leaf.family.learn(
                    &columns
                        .columns
                        .iter()
                        .map(|&c| if appended(c) { &[0.0][..] } else { &shown[c][..] })
                        .collect::<Vec<_>>(),
                )
            }
        };
        let each = |size: Size| size == Size::Each || (size == Size::EachIfArd && leaf.ard);
        let (places, mut elements) = columns.elements();
        let count = leaf.family.elements(elements.len(), &learnt);
        if count != elements.len() {
            let input = columns.inputs.first().copied();
            let levels = input.and_then(|input| self.levels(views.left, input)).unwrap_or_default();
            let element = |code: &f64| Element { input, level: Some(level_text(levels, *code)) };
            elements = learnt.iter().map(element).collect();
        }
        let view = (views.left != 0 || views.right != 0).then_some(views.left);
        let (slots, ranges) =
            self.params(kernel.origin(), spec.name, spec.params, &leaf.params, &elements, leaf.ard, &columns, view)?;
        self.learn(place, learnt.clone());
        // columns that together represent one input share its parameter
        let (mut spread, mut spread_ranges) = (Vec::new(), Vec::new());
        for (param, range) in spec.params.iter().zip(&ranges) {
            let own = &slots[range.clone()];
            let start = spread.len();
            match each(param.size) && own.len() == count && places.len() > own.len() {
                true => spread.extend(places.iter().map(|&i| own[i])),
                false => spread.extend_from_slice(own),
            }
            spread_ranges.push(start..spread.len());
        }
        let key = Key::Node {
            place,
            args: Vec::new(),
            left: self.ids_of(views.left, &columns.columns),
            right: self.ids_of(views.right, &columns.columns),
        };
        let op = LeafOp {
            family: leaf.family,
            columns: columns.columns,
            learnt,
            slots: spread,
            ranges: spread_ranges,
            views,
            keep: !self.copying,
            origin: kernel.origin(),
        };
        Ok(self.once(key, Op::Leaf(op), Vec::new(), None))
    }

    /// The parameters of the wrap itself, after those of its children. Returns their slots and the range of each
    /// parameter.
    ///
    /// # Errors
    /// A parameter outside its domain, or contradictory ties.
    pub fn own_params(
        &mut self,
        kernel: &Kernel,
        wrapped: &Wrapped,
        inputs: &[usize],
        elements: usize,
    ) -> Result<OwnParams, BindError> {
        let spec = wrapped.wrap.spec();
        let columns = InputColumns::none(inputs);
        let element = |e: usize| Element { input: inputs.get(e).copied(), level: None };
        let elements: Vec<Element> = (0..elements).map(element).collect();
        self.params(kernel.origin(), spec.name, spec.params, &wrapped.params, &elements, false, &columns, None)
    }

    /// The parameters of a wrap that measures features of its child rather than inputs: they have no unit, and a scale
    /// near 1.
    ///
    /// # Errors
    /// As [`own_params`](Self::own_params).
    pub fn feature_params(&mut self, kernel: &Kernel, wrapped: &Wrapped) -> Result<OwnParams, BindError> {
        let first = self.slots.len();
        let made = self.own_params(kernel, wrapped, &[], 1)?;
        for slot in &mut self.slots[first..] {
            (slot.warped, slot.width) = (true, Some(1.0));
        }
        Ok(made)
    }

    /// The parameters of a wrap whose children depend on them. They are created before those of the children;
    /// [`insert_params`](Plan::insert_params) then puts them after these in the order of nodes.
    ///
    /// # Errors
    /// As [`own_params`](Self::own_params).
    pub(super) fn params_before_children(
        &mut self,
        kernel: &Kernel,
        wrapped: &Wrapped,
        inputs: &[usize],
        elements: usize,
    ) -> Result<(OwnParams, DeferredParams), BindError> {
        let reused = self.reused_place;
        if let Some(place) = reused {
            self.reused_place = Some(place + wrapped.children.iter().map(nodes).sum::<usize>());
        }
        let made = self.own_params(kernel, wrapped, inputs, elements)?;
        self.reused_place = reused;
        Ok((made, DeferredParams(if reused.is_none() { self.places.pop() } else { None })))
    }
}
