//! Training and test rows.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::dataset::Dataset;
use super::error::DataError;

/// Row indices of one fold, each in the order of the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    pub train: Vec<usize>,
    pub test: Vec<usize>,
}

impl Dataset {
    /// The first share of the rows and the others; with a seed, a random choice of the same number. Both keep the order
    /// of rows.
    ///
    /// # Errors
    /// A share outside (0, 1), or one that leaves a part empty.
    pub fn split(&self, share: f64, seed: Option<u64>) -> Result<(Self, Self), DataError> {
        if !(share > 0.0 && share < 1.0) {
            return Err(DataError::Share { share });
        }
        let n = self.n();
        let first = (share * n as f64).round() as usize;
        if first == 0 || first >= n {
            return Err(DataError::EmptySide { n, share });
        }
        let order = order(n, seed);
        let (train, test) = order.split_at(first);
        Ok((self.take(&sorted(train)), self.take(&sorted(test))))
    }

    /// `k` parts of almost equal size, each the test rows of one fold: random with a seed, otherwise consecutive rows.
    ///
    /// # Errors
    /// Fewer than two folds, or more than rows.
    pub fn folds(&self, k: usize, seed: Option<u64>) -> Result<Vec<Fold>, DataError> {
        let n = self.n();
        if k < 2 || k > n {
            return Err(DataError::Folds { k, n });
        }
        let order = order(n, seed);
        let start = |i: usize| i * (n / k) + i.min(n % k);
        let fold = |i| {
            let test = sorted(&order[start(i)..start(i + 1)]);
            let train = sorted(&[&order[..start(i)], &order[start(i + 1)..]].concat());
            Fold { train, test }
        };
        Ok((0..k).map(fold).collect())
    }
}

impl Dataset {
    /// As [`folds`](Self::folds), with almost the same share of every class of the target in each fold: rows of a class
    /// are assigned to the folds in turn.
    ///
    /// # Errors
    /// As [`folds`](Self::folds); no target.
    pub fn stratified_folds(&self, k: usize, seed: Option<u64>) -> Result<Vec<Fold>, DataError> {
        let n = self.n();
        if k < 2 || k > n {
            return Err(DataError::Folds { k, n });
        }
        let classes = self.target().ok_or(DataError::Untargeted)?.values();
        let mut order = order(n, seed);
        order.sort_by(|&a, &b| classes[a].total_cmp(&classes[b]));
        let mut fold_of = vec![0; n];
        order.iter().enumerate().for_each(|(at, &row)| fold_of[row] = at % k);
        Ok(folds_of(&fold_of, k))
    }

    /// Whether the target is a class: it is categorical, or has at most two distinct numbers.
    pub fn has_classes(&self) -> bool {
        self.target().is_some_and(|target| {
            let mut seen: Vec<f64> = Vec::with_capacity(3);
            target.is_categories()
                || target.values().iter().all(|v| {
                    if !seen.contains(v) {
                        seen.push(*v);
                    }
                    seen.len() <= 2
                })
        })
    }
}

/// The folds for rows that are each assigned to the fold in which they are test rows, counted from 0.
pub fn folds_of(fold_of: &[usize], k: usize) -> Vec<Fold> {
    let rows = |keep: &dyn Fn(usize) -> bool| (0..fold_of.len()).filter(|&row| keep(fold_of[row])).collect();
    (0..k).map(|i| Fold { train: rows(&|fold| fold != i), test: rows(&|fold| fold == i) }).collect()
}

/// 0 to n − 1, shuffled by a fixed generator so that a seed gives the same result everywhere.
fn order(n: usize, seed: Option<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    if let Some(seed) = seed {
        order.shuffle(&mut Pcg64::seed_from_u64(seed));
    }
    order
}

fn sorted(rows: &[usize]) -> Vec<usize> {
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    fn data(n: usize) -> Dataset {
        Dataset::new(vec![Column::numeric("x", (0..n).map(|i| i as f64).collect())], None, None).unwrap()
    }

    #[test]
    fn a_split_keeps_order_and_every_row() {
        let (train, test) = data(10).split(0.8, None).unwrap();
        assert_eq!((train.x()[0].last(), test.x()[0]), (Some(&7.0), &[8.0, 9.0][..]));
        let (train, test) = data(10).split(0.75, Some(3)).unwrap();
        assert!(train.x()[0].is_sorted() && test.x()[0].is_sorted());
        let mut all = [train.x()[0], test.x()[0]].concat();
        all.sort_unstable_by(f64::total_cmp);
        assert_eq!((all.as_slice(), train.n()), (data(10).x()[0], 8));
        assert_eq!(data(10).split(0.75, Some(3)).unwrap(), (train, test));
    }

    #[test]
    fn folds_part_the_rows() {
        for seed in [None, Some(0)] {
            let folds = data(11).folds(4, seed).unwrap();
            let mut tests: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
            assert!(folds.iter().all(|f| f.train.len() + f.test.len() == 11 && (2..=3).contains(&f.test.len())));
            tests.sort_unstable();
            assert_eq!(tests, (0..11).collect::<Vec<_>>());
        }
    }

    #[test]
    fn strata_have_every_class_in_its_share() {
        let label = |i: usize| if i % 6 == 5 { "b" } else { "a" };
        let columns = vec![
            Column::numeric("x", (0..60).map(|i| i as f64).collect()),
            Column::categories("c", (0..60).map(|i| Some(label(i)))),
        ];
        let data = Dataset::new(columns, Some("c"), None).unwrap();
        assert!(data.has_classes());
        for seed in [None, Some(3)] {
            let folds = data.stratified_folds(5, seed).unwrap();
            let count = |fold: &Fold| fold.test.iter().filter(|&&i| label(i) == "b").count();
            assert!(folds.iter().all(|f| f.test.len() == 12 && f.train.len() == 48 && count(f) == 2));
            let mut tests: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
            tests.sort_unstable();
            assert_eq!(tests, (0..60).collect::<Vec<_>>());
        }
    }

    #[test]
    fn impossible_parts_are_refused() {
        let text = |r: Result<(Dataset, Dataset), DataError>| r.unwrap_err().to_string();
        assert_eq!(text(data(4).split(1.5, None)), "the share of rows to train on must lie between 0 and 1, found 1.5");
        assert_eq!(text(data(4).split(0.01, None)), "a split of 4 rows at 0.01 leaves one side empty");
        assert_eq!(
            data(4).folds(5, None).unwrap_err().to_string(),
            "the number of folds for 4 rows must be from 2 to 4, found 5"
        );
    }

    /// A seed must always give the same rows: this test fails if the generator or the shuffle changes.
    #[test]
    fn a_seed_means_the_same_rows_for_ever() {
        let (_, test) = data(12).split(0.75, Some(0)).unwrap();
        assert_eq!(test.x()[0], [3.0, 10.0, 11.0]);
    }
}
