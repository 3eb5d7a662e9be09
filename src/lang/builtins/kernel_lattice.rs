//! The products of inputs that a kernel adds up, as a lattice.

use crate::figure::{Mark, Panel};
use crate::kernel::InputRef;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::kernel_rows::Rows;

use super::kernel_figures::Shown;

impl Shown<'_> {
    /// Products of inputs as nodes, each with its share of k(x₀, x₀), and lines to those with one more input.
    pub(super) fn terms_panel(&self) -> Res<Panel> {
        const MOST_INPUTS: usize = 6;
        let width = self.at.len();
        if width > MOST_INPUTS {
            let text = format!("the products of at most {MOST_INPUTS} inputs are drawn, and this kernel has {width}");
            return Err(LangError::new(text).argument("show"));
        }
        let terms = self.kernel.expand_all().map_err(|error| LangError::new(error.to_string()))?.terms().to_vec();
        let (mentioned, _) = self.kernel.mentioned();
        let mut values = vec![0.0; 1 << width];
        for term in &terms {
            let (inputs, all) = term.mentioned();
            if all {
                let text = format!("the inputs of `{term}` are not written, so its products are not known");
                let help = "write the inputs, as in `additive([SE(0), SE(1), SE(2)])`";
                return Err(LangError::new(text).argument("show").help(help));
            }
            let place = |input: &InputRef| mentioned.iter().position(|known| known == input).unwrap_or(0);
            let set: usize = inputs.iter().map(|input| 1 << place(input)).fold(0, |a, b| a | b);
            let whole = self.of_part(term);
            let mut own: Vec<Vec<f64>> = inputs.iter().map(|input| vec![self.at[place(input)]]).collect();
            if own.is_empty() {
                own.push(vec![0.0]);
            }
            values[set] += whole.variances(&Rows::numbers(1, own))?[0];
        }
        let order = |set: usize| set.count_ones();
        // without a constant there is no node for it
        let mut sets: Vec<usize> = (0..1 << width).filter(|set| *set > 0 || values[0] != 0.0).collect();
        // 0 × 3 before 1 × 2
        sets.sort_by_key(|set| (0..width).filter(|i| set >> i & 1 == 1).collect::<Vec<_>>());
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for set in &sets {
            let row: Vec<usize> = sets.iter().copied().filter(|other| order(*other) == order(*set)).collect();
            let place = row.iter().position(|other| other == set).unwrap_or(0);
            x.push((place as f64 + 0.5) / row.len() as f64);
            y.push(f64::from(order(*set)));
        }
        let name = |i: usize| match mentioned.get(i) {
            Some(InputRef::Name(name)) => name.to_string(),
            Some(InputRef::Index(at)) => at.to_string(),
            None => i.to_string(),
        };
        let names = sets.iter().map(|set| match set {
            0 => "constant".to_string(),
            _ => (0..width).filter(|i| set >> i & 1 == 1).map(name).collect::<Vec<_>>().join(" × "),
        });
        let below = |a: usize, b: usize| sets[a] & sets[b] == sets[a] && order(sets[b]) == order(sets[a]) + 1;
        let pairs = (0..sets.len()).flat_map(|a| (0..sets.len()).map(move |b| [a, b]));
        let nodes = Mark::Nodes {
            names: names.collect(),
            edges: pairs.filter(|[a, b]| below(*a, *b)).collect(),
            values: sets.iter().map(|set| values[*set]).collect(),
            label: "variance".into(),
            x,
            y,
        };
        let title = format!("Products of inputs, and their variance at {}", self.point());
        Ok(Panel::new("", "", vec![nodes]).titled(title))
    }
}
