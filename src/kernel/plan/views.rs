//! Views of the rows. Each is created once and identified by its content.

use std::sync::Arc;

use super::Plan;
use crate::kernel::bind_error::{BindError, Cause, Origin, Place};
use crate::kernel::group::Placement;
use crate::kernel::input_view::{FunctionError, Period, RowFunction, View, ViewMap, ViewPair};

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
            ViewMap::Function { columns, replace: true, .. } if columns.contains(&input) => None,
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
            _ => false,
        } || self.views[parent].moving;
        if moving && matches!(map, ViewMap::Function { .. }) {
            return Err(BindError { origin, place: Place::Function, cause: Cause::MovingFunction });
        }
        let values: Vec<f64> = self.slots.iter().map(|s| s.value).collect();
        let columns = map.apply(&self.columns[parent], &values).map_err(|e| BindError {
            origin,
            place: Place::Function,
            cause: match e.error {
                FunctionError::Stopped => Cause::Stopped,
                FunctionError::Failed(message) => Cause::Function { row: e.row, message },
            },
        })?;
        let mut ids = self.ids[parent].clone();
        let kept = match &map {
            ViewMap::Circle { .. } | ViewMap::Indicators(_) | ViewMap::Sphere { .. } => ids.len(),
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

    /// A view of the same rows through a user's function.
    ///
    /// With `replace` the results replace the `inputs`; otherwise the view consists of the results only.
    ///
    /// # Errors
    /// The function fails at a row or has the wrong number of results, or the inputs are embedded in other coordinates.
    pub fn function_views(
        &mut self,
        origin: Option<Origin>,
        views: ViewPair,
        function: &Arc<dyn RowFunction>,
        inputs: &[usize],
        replace: bool,
    ) -> Result<ViewPair, BindError> {
        for view in [views.left, views.right] {
            if let Some(&embedded) = inputs.iter().find(|&&input| self.views[view].shown[input] != [input]) {
                let cause = Cause::Embedded { family: "a function".into(), input: self.name(embedded).to_string() };
                return Err(BindError { origin, place: Place::Function, cause });
            }
        }
        let map = |view: usize| ViewMap::Function {
            function: function.clone(),
            columns: inputs.to_vec(),
            levels: inputs.iter().map(|&input| self.levels(view, input).map(Arc::from)).collect(),
            replace,
        };
        let (left_map, right_map) = (map(views.left), map(views.right));
        let left = self.view(origin, views.left, left_map, None)?;
        let right = if views.right == views.left { left } else { self.view(origin, views.right, right_map, None)? };
        Ok(ViewPair { left, right })
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
