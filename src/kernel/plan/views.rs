//! Views of the rows. Each is created once and identified by its content.

use std::sync::Arc;

use super::Plan;
use crate::kernel::bind_error::{BindError, Cause, Origin, Place};
use crate::kernel::group::Placement;
use crate::kernel::input_view::{Period, View, ViewMap, ViewPair};
use crate::kernel::parameter_slot::SlotState;
use crate::kernel::row_function::{FunctionError, FunctionMap, Results, RowFailure, RowFunction};

impl Plan<'_> {
    /// Rejects inputs that a view embeds in other coordinates, for a wrap that reads them itself.
    ///
    /// # Errors
    /// [`Cause::Embedded`].
    pub fn not_embedded(
        &self,
        origin: Option<Origin>,
        inputs: &[usize],
        view: usize,
        family: &'static str,
    ) -> Result<(), BindError> {
        match inputs.iter().position(|&input| self.views[view].shown[input] != [input]) {
            None => Ok(()),
            Some(i) => {
                let cause = Cause::Embedded { family: format!("`{family}`"), input: self.name(inputs[i]).to_string() };
                Err(BindError { origin, place: Place::Input(i), cause })
            }
        }
    }

    /// The texts of the categories of an input in a view; `None` if a function has replaced them by numbers.
    pub(in crate::kernel) fn levels(&self, view: usize, input: usize) -> Option<&[Arc<str>]> {
        let at = &self.views[view];
        match &at.map {
            ViewMap::Identity => self.schema.columns[input].levels,
            ViewMap::Function(map) if map.results == Results::InPlace && map.columns.contains(&input) => None,
            ViewMap::Function(_) if at.shown[input] != self.views[at.parent].shown[input] => None,
            _ => self.levels(at.parent, input),
        }
    }

    /// The training values of a column of a view.
    pub fn column(&self, view: usize, column: usize) -> &[f64] {
        &self.columns[view][column]
    }

    /// Applies the same map to both views of a pair; `shown` are the inputs represented by columns after those of the
    /// parent.
    pub(in crate::kernel) fn mapped_views(
        &mut self,
        origin: Option<Origin>,
        views: ViewPair,
        shown: &[usize],
        behind: usize,
        map: impl Fn() -> ViewMap,
    ) -> Result<ViewPair, BindError> {
        let mut one = |view: usize| {
            let first = self.columns[view].len();
            let mut all = self.views[view].shown.clone();
            for (i, &input) in shown.iter().enumerate() {
                let at = if behind == 2 { first + 2 * i } else { first };
                all[input] = (at..at + behind).collect();
            }
            self.view(origin, view, map(), Some(all))
        };
        let left = one(views.left)?;
        Ok(ViewPair { left, right: if views.right == views.left { left } else { one(views.right)? } })
    }

    /// A view of a view. When copies are planned, equal views of the same columns are created once.
    pub(in crate::kernel) fn view(
        &mut self,
        origin: Option<Origin>,
        parent: usize,
        map: ViewMap,
        shown: Option<Vec<Vec<usize>>>,
    ) -> Result<usize, BindError> {
        if let ViewMap::Placed(placement) = &map {
            return Ok(self.moved_view(parent, placement.clone()));
        }
        // a kernel that occurs twice has its own parameters at each occurrence
        let key = (self.reused_place.unwrap_or(self.places.len()), self.ids[parent].clone());
        if let Some(&known) = self.known_views.get(&key).filter(|_| self.copying) {
            return Ok(known);
        }
        let moving = match &map {
            ViewMap::Circle { periods, .. } => periods.iter().any(|p| matches!(p, Period::Slot(_))),
            ViewMap::Function(map) => map.slots.iter().any(|&slot| self.slots[slot].state == SlotState::Free),
            _ => false,
        } || self.views[parent].moving;
        let values: Vec<f64> = self.slots.iter().map(|s| s.value).collect();
        let columns = map.apply(&self.columns[parent], &values).map_err(|e| function_failure(origin, e))?;
        let mut ids = self.ids[parent].clone();
        let kept = match &map {
            ViewMap::Circle { .. } | ViewMap::Indicators(_) | ViewMap::Sphere { .. } => ids.len(),
            ViewMap::Function(map) if map.results == Results::Behind => ids.len(),
            _ => 0,
        };
        ids.truncate(kept);
        while ids.len() < columns.len() {
            ids.push(self.next_id);
            self.next_id += 1;
        }
        let shown = shown.unwrap_or_else(|| self.views[parent].shown.clone());
        self.views.push(View { parent, map, shown, moving });
        self.columns.push(columns);
        self.ids.push(ids);
        self.known_views.insert(key, self.views.len() - 1);
        Ok(self.views.len() - 1)
    }

    /// A view with permuted inputs.
    pub(in crate::kernel) fn moved_view(&mut self, parent: usize, placement: Placement) -> usize {
        if placement.is_identity() {
            return parent;
        }
        let mut ids = self.ids[parent].clone();
        for (c, place) in placement.0.iter().enumerate() {
            ids[c] = match (place.sign, place.add) {
                (1.0, 0.0) => self.ids[parent][place.from],
                (sign, add) => {
                    let from = if sign == 0.0 { u64::MAX } else { self.ids[parent][place.from] };
                    let fresh = self.next_id;
                    let id = *self.known_ids.entry((from, sign.to_bits(), (add + 0.0).to_bits())).or_insert(fresh);
                    self.next_id += u64::from(id == fresh);
                    id
                }
            };
        }
        if let Some(known) = self.ids.iter().position(|known| *known == ids) {
            return known;
        }
        let map = ViewMap::Placed(placement);
        // a map of this kind does not fail
        let columns = map.apply(&self.columns[parent], &[]).unwrap_or_default();
        let (shown, moving) = (self.views[parent].shown.clone(), self.views[parent].moving);
        self.views.push(View { parent, map, shown, moving });
        self.columns.push(columns);
        self.ids.push(ids);
        self.views.len() - 1
    }

    /// A view of the same rows through a user's function, whose parameters have these slots.
    ///
    /// With `replace` the results stand for the `inputs`: as many results as arguments replace these one by one;
    /// another number of results represents all `inputs` together. Otherwise the view consists of the results only.
    ///
    /// # Errors
    /// The function fails at a row, or has no derivative where one is needed; the inputs are embedded in other
    /// coordinates.
    pub fn function_views(
        &mut self,
        origin: Option<Origin>,
        views: ViewPair,
        function: &Arc<dyn RowFunction>,
        slots: &[usize],
        inputs: &[usize],
        replace: bool,
    ) -> Result<ViewPair, BindError> {
        let left = self.function_view(origin, views.left, function, slots, inputs, replace)?;
        let right = match views.right == views.left {
            true => left,
            false => self.function_view(origin, views.right, function, slots, inputs, replace)?,
        };
        Ok(ViewPair { left, right })
    }

    fn function_view(
        &mut self,
        origin: Option<Origin>,
        view: usize,
        function: &Arc<dyn RowFunction>,
        slots: &[usize],
        inputs: &[usize],
        replace: bool,
    ) -> Result<usize, BindError> {
        let error = |cause| BindError { origin, place: Place::Function, cause };
        if let Some(&input) = inputs.iter().find(|&&input| self.is_embedded(view, input)) {
            return Err(error(Cause::Embedded { family: "a function".into(), input: self.name(input).to_string() }));
        }
        // an input may be mentioned twice, by its name and by its index
        let inputs = &distinct(inputs.iter().copied())[..];
        let columns = distinct(inputs.iter().flat_map(|&input| self.views[view].shown[input].iter().copied()));
        let mut map = FunctionMap {
            function: function.clone(),
            levels: columns
                .iter()
                .map(|&column| {
                    let input = inputs.iter().find(|&&input| self.views[view].shown[input] == [column])?;
                    self.levels(view, *input).map(Arc::from)
                })
                .collect(),
            results: Results::Alone,
            width: 0,
            slots: slots.to_vec(),
            differentiable: true,
            columns,
        };
        let values: Vec<f64> = self.slots.iter().map(|slot| slot.value).collect();
        let parent = &self.columns[view];
        map.width = map.count(parent, &values).map_err(|e| function_failure(origin, e))?;
        if replace {
            let in_place = map.columns == inputs && map.width == inputs.len();
            map.results = if in_place { Results::InPlace } else { Results::Behind };
        }
        let rows = parent.first().map_or(0, Vec::len);
        if slots.iter().any(|&slot| self.slots[slot].state == SlotState::Free) {
            map.has_slopes(parent, &values, rows).map_err(|e| function_failure(origin, e))?;
        } else if self.views[view].moving {
            map.has_slopes(parent, &values, rows).map_err(|e| match e.error {
                FunctionError::Stopped => function_failure(origin, e),
                FunctionError::Failed(_) => error(Cause::MovingFunction),
            })?;
        } else {
            map.differentiable = map.has_slopes(parent, &values, rows.min(1)).is_ok();
        }
        let shown = (map.results == Results::Behind).then(|| {
            let results: Vec<usize> = (parent.len()..parent.len() + map.width).collect();
            let mut shown = self.views[view].shown.clone();
            for &input in inputs {
                shown[input].clone_from(&results);
            }
            shown
        });
        self.view(origin, view, ViewMap::Function(map), shown)
    }

    /// Whether an input is mapped onto a circle, a sphere or indicators, so that a function cannot receive it.
    fn is_embedded(&self, view: usize, input: usize) -> bool {
        let at = &self.views[view];
        let parent = &self.views[at.parent];
        match &at.map {
            ViewMap::Identity => false,
            _ if at.shown[input] == parent.shown[input] => self.is_embedded(at.parent, input),
            ViewMap::Function(_) => false,
            _ => true,
        }
    }

    /// Rejects a function with several results where one number is required.
    ///
    /// # Errors
    /// The view has more than one column.
    pub fn one_result(&self, origin: Option<Origin>, view: usize) -> Result<(), BindError> {
        match self.column_count(view) {
            1 => Ok(()),
            n => Err(BindError {
                origin,
                place: Place::Function,
                cause: Cause::Rows(format!("the function has to give one number, and gives {n}")),
            }),
        }
    }

    /// The number of columns of a view.
    pub fn column_count(&self, view: usize) -> usize {
        self.columns[view].len()
    }
}

/// The numbers without repetitions, in order.
fn distinct(all: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

fn function_failure(origin: Option<Origin>, failure: RowFailure) -> BindError {
    let cause = match failure.error {
        FunctionError::Stopped => Cause::Stopped,
        FunctionError::Failed(message) => Cause::Function { row: failure.row, message },
    };
    BindError { origin, place: Place::Function, cause }
}
