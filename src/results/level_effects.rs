//! Parts of a sum with a categorical input: their posterior at each category.

use super::decompose::Decomposition;
use super::grids::{Beyond, range};
use crate::data::Column;
use crate::kernel::InputRef;
use crate::model::{ModelError, has_white_noise};

/// The posterior of a part at each category of an input.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelEffects {
    /// The categorical input.
    pub input: String,
    /// Its categories.
    pub levels: Vec<String>,
    /// The numeric input of the part, if it has one, with the values of the grid.
    pub along: Option<(String, Vec<f64>)>,
    /// Mean and variance: a list for each category, with one value, or one per grid point.
    pub mean: Vec<Vec<f64>>,
    pub var: Vec<Vec<f64>>,
}

impl Decomposition {
    /// All inputs of a part, categorical ones included; none for a part with white noise.
    pub fn all_inputs_of(&self, part: usize) -> Vec<String> {
        let Some(component) = self.components.get(part).filter(|c| !has_white_noise(&c.kernel)) else {
            return Vec::new();
        };
        let names = self.fit.problem().names();
        let (mentioned, all) = component.kernel.mentioned();
        if all {
            return names.to_vec();
        }
        let name = |input: &InputRef| match input {
            InputRef::Index(i) => names.get(*i).cloned(),
            InputRef::Name(name) => Some(name.to_string()),
        };
        let mut found: Vec<String> = Vec::new();
        for name in mentioned.iter().filter_map(name) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// The single categorical input of a part, with its numeric input if there is one. `None` for parts with other
    /// inputs.
    pub fn categorical_input_of(&self, part: usize) -> Option<(String, Option<String>)> {
        let data = self.fit.problem().data();
        let categorical = |name: &String| data.column(name).is_some_and(Column::is_categories);
        match &self.all_inputs_of(part)[..] {
            [one] if categorical(one) => Some((one.clone(), None)),
            [one, other] if categorical(one) && !categorical(other) => Some((one.clone(), Some(other.clone()))),
            [one, other] if !categorical(one) && categorical(other) => Some((other.clone(), Some(one.clone()))),
            _ => None,
        }
    }

    /// The posterior of a part at each category of its categorical input, and if it has a numeric input, at `points`
    /// values of that. `None` for parts with other inputs, and for more than `most` categories.
    ///
    /// # Errors
    /// As [`decompose`](super::decompose).
    pub fn level_effects(&self, part: usize, points: usize, most: usize) -> Result<Option<LevelEffects>, ModelError> {
        let Some((input, along)) = self.categorical_input_of(part) else { return Ok(None) };
        let (problem, component) = (self.fit.problem(), &self.components[part]);
        let column = problem.data().find(&input)?;
        let levels: Vec<String> = column.levels().unwrap_or_default().iter().map(ToString::to_string).collect();
        if levels.is_empty() || levels.len() > most {
            return Ok(None);
        }
        let grid: Vec<f64> = match &along {
            None => vec![0.0],
            Some(name) => range(problem.data(), name, points, Beyond::default()),
        };
        let n = levels.len() * grid.len();
        let texts = levels.iter().flat_map(|level| grid.iter().map(move |_| Some(level.as_str())));
        let mut rows = problem.data().take(&vec![0; n]).without_target();
        rows = rows.with_column(Column::categories(input.as_str(), texts))?;
        if let Some(name) = &along {
            let values = levels.iter().flat_map(|_| grid.iter().copied()).collect();
            rows = rows.with_column(Column::numeric(name.as_str(), values))?;
        }
        let x = problem.inputs_of(&rows)?;
        let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
        let found = self.fit.posterior.parts(std::slice::from_ref(&component.kernel), &x, false)?;
        let by_level = |values: &[f64]| values.chunks(grid.len()).map(<[f64]>::to_vec).collect::<Vec<_>>();
        Ok(found.into_iter().next().map(|part| LevelEffects {
            mean: by_level(&part.mean),
            var: by_level(&part.var),
            along: along.map(|name| (name, grid.clone())),
            input,
            levels,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::decompose::{By, decompose};
    use super::super::predict::At;
    use crate::data::{Column, Dataset};
    use crate::fit::condition;
    use crate::kernel::{InputRef, Inputs, Kernel, families};
    use crate::model::Model;

    /// A part of categories has one value per category: that of every row of the category.
    #[test]
    fn levels_are_those_of_the_rows() {
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let texts = (0..12).map(|i| Some(["a", "b", "c"][i % 3]));
        let y = x.iter().enumerate().map(|(i, x)| 0.3 * x + [1.0, -2.0, 0.5][i % 3]).collect();
        let columns = vec![Column::numeric("x", x), Column::categories("shop", texts), Column::numeric("y", y)];
        let data = Dataset::new(columns, Some("y"), None).unwrap();
        let of = |family: &str, name: &str| {
            Kernel::leaf(families::family(family).unwrap(), Inputs::These(vec![InputRef::Name(name.into())]))
        };
        let product = Kernel::product([of("SE", "x"), of("Indicator", "shop")]).unwrap();
        let kernel = Kernel::sum([of("SE", "x"), of("Indicator", "shop"), product]).unwrap();
        let fit = Arc::new(condition(&Model::new(kernel), &data).unwrap());
        let parts = decompose(&fit, At::Training, By::Term).unwrap();
        assert_eq!(parts.level_effects(0, 12, 9).unwrap(), None);
        let shop = parts.level_effects(1, 12, 9).unwrap().unwrap();
        assert_eq!((shop.levels.len(), &shop.along), (3, &None));
        let both = parts.level_effects(2, 12, 9).unwrap().unwrap();
        for i in 0..12 {
            assert!((shop.mean[i % 3][0] - parts.components[1].mean[i]).abs() < 1e-9);
            assert!((shop.var[i % 3][0] - parts.components[1].var[i]).abs() < 1e-9);
            assert!((both.mean[i % 3][i] - parts.components[2].mean[i]).abs() < 1e-9);
        }
        assert_eq!(parts.level_effects(1, 12, 2).unwrap(), None);
    }
}
