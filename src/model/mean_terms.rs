//! The terms of a linear mean function: a slope for each numeric input, and for a categorical input an effect of every
//! category but the first (treatment coding with the first category as reference).

use std::sync::Arc;

/// One term other than the offset.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanTerm {
    /// The index of its input.
    pub input: usize,
    /// For a categorical input: the code of the category, and its text.
    pub level: Option<(usize, Arc<str>)>,
}

/// The terms for inputs, given the categories of the categorical ones.
pub(super) fn mean_terms<'l>(levels: impl Iterator<Item = Option<&'l [Arc<str>]>>) -> Vec<MeanTerm> {
    let mut terms = Vec::new();
    for (input, levels) in levels.enumerate() {
        match levels {
            None => terms.push(MeanTerm { input, level: None }),
            Some(levels) => {
                let beside_first = levels.iter().enumerate().skip(1);
                terms.extend(beside_first.map(|(code, text)| MeanTerm { input, level: Some((code, text.clone())) }));
            }
        }
    }
    terms
}

impl MeanTerm {
    /// `slope(x)`, or `shop[north]` for a category.
    pub fn name(&self, inputs: &[String]) -> String {
        match &self.level {
            None => format!("slope({})", inputs[self.input]),
            Some((_, level)) => format!("{}[{level}]", inputs[self.input]),
        }
    }

    /// The values of the term in each row, given the inputs as one slice per column.
    pub fn column<C: AsRef<[f64]>>(&self, x: &[C]) -> Vec<f64> {
        let column = x[self.input].as_ref();
        match &self.level {
            None => column.to_vec(),
            Some((code, _)) => column.iter().map(|&v| f64::from(u8::from(v == *code as f64))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::data::{Column, Dataset};
    use crate::fit::{Fit, Options, fit};
    use crate::model::{Mean, Model, ModelError};
    use crate::param::Param;
    use crate::progress::Silent;
    use crate::results::{At, predict};

    fn data(shops: &[&str], x: &[f64], y: &[f64]) -> Dataset {
        let columns = vec![
            Column::categories("shop", shops.iter().map(|s| Some(*s))),
            Column::numeric("x", x.to_vec()),
            Column::numeric("y", y.to_vec()),
        ];
        Dataset::new(columns, Some("y"), None).unwrap()
    }

    fn fitted(model: &Model, data: &Dataset) -> Arc<Fit> {
        Arc::new(fit(model, data, Options { restarts: 1, ..Options::default() }, &Silent).unwrap())
    }

    /// y = 2 + 3x, plus 5 in `b` and minus 1 in `c`, with residuals that are orthogonal to all columns.
    #[test]
    fn categories_add_to_the_first_of_them() {
        let shops: Vec<&str> = (0..12).map(|i| ["a", "b", "c"][i / 4]).collect();
        let x: Vec<f64> = (0..12).map(|i| [-1.0, 1.0, -1.0, 1.0][i % 4]).collect();
        let left: Vec<f64> = (0..12).map(|i| [0.1, -0.1, -0.1, 0.1][i % 4]).collect();
        let y: Vec<f64> = (0..12).map(|i| 2.0 + 3.0 * x[i] + [0.0, 5.0, -1.0][i / 4] + left[i]).collect();
        let all = data(&shops, &x, &y);
        let line = fitted(&Model::linear(), &all);
        let names: Vec<&str> = line.parameters().iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names[names.len() - 4..], ["mean", "shop[b]", "shop[c]", "slope(x)"]);
        let found = &line.values()[names.len() - 4..];
        assert!(found.iter().zip([2.0, 5.0, -1.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
        assert!((line.noise().unwrap() - 0.01).abs() < 1e-6);
        // matched by text, whatever the codes of the new rows
        let new = data(&["c", "a"], &[0.0, 2.0], &[0.0, 0.0]);
        let predicted = predict(&line, At::Rows(new)).unwrap().mean;
        assert!((predicted[0] - 1.0).abs() < 1e-6 && (predicted[1] - 8.0).abs() < 1e-6, "{predicted:?}");
        let unknown = predict(&line, At::Rows(data(&["d"], &[0.0], &[0.0]))).unwrap_err().to_string();
        assert_eq!(unknown, "`d` in column `shop`, row 0, is not a category of that column: `a`, `b`, `c`");
        // one value per term
        let short = Model { mean: Mean::Linear(vec![Param::free(1.0); 3]), ..Model::linear() };
        let error = fit(&short, &all, Options::default(), &Silent).unwrap_err();
        assert_eq!(
            error,
            ModelError::MeanLength {
                found: 3,
                coefficients: vec!["shop[b]".into(), "shop[c]".into(), "slope(x)".into()]
            }
        );
        // the written form of a fit is the same model
        let again = crate::fit::condition(&line.model, &all).unwrap();
        assert_eq!(again.lml(), line.lml());
    }
}
