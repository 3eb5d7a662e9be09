//! The path of an optimiser: the objective and the parameters at each improvement.

/// The largest number of stored points. Beyond it every second one is dropped.
const MOST: usize = 400;

/// Points in the order in which they were found; the objective increases along them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    points: Vec<Point>,
    /// The number of points found per stored point.
    every: usize,
    found: usize,
}

/// One point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The number of evaluations of the objective so far.
    pub evaluation: usize,
    /// The log marginal likelihood (for VFE its bound), plus the log density of the priors.
    pub objective: f64,
    /// The values of all parameters.
    pub values: Vec<f64>,
}

impl Trace {
    /// The stored points, in order.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Adds a point. The last point is always stored; of the earlier ones, every n-th.
    pub fn push(&mut self, point: Point) {
        self.every = self.every.max(1);
        let kept = self.found > 0 && (self.found - 1).is_multiple_of(self.every);
        if self.found > 0 && !kept {
            self.points.pop();
        }
        self.points.push(point);
        self.found += 1;
        if self.points.len() > MOST {
            self.every *= 2;
            let last = self.points.len() - 1;
            let mut places = 0usize..;
            self.points.retain(|_| places.next().is_some_and(|at| at.is_multiple_of(2) || at == last));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_way_is_thinned_and_keeps_its_ends() {
        let mut trace = Trace::default();
        for i in 0..5000 {
            trace.push(Point { evaluation: i, objective: i as f64, values: vec![0.0] });
            assert!(trace.points().len() <= MOST);
            assert_eq!((trace.points()[0].evaluation, trace.points().last().unwrap().evaluation), (0, i));
        }
        assert!(trace.points().len() > MOST / 3);
        assert!(trace.points().windows(2).all(|pair| pair[0].evaluation < pair[1].evaluation));
        let mut short = Trace::default();
        (0..5).for_each(|i| short.push(Point { evaluation: i, objective: 0.0, values: Vec::new() }));
        assert_eq!(short.points().len(), 5);
    }
}
