//! Integrals as text, tables and figures.

use super::english::words::listed;
use super::numbers::{digits_beside, percent, rounded, significant};
use crate::data::write::Table;
use crate::figure::{Across, Axis, Figure, Mark, Panel, Role};
use crate::kernel::Kernel;
use crate::quadrature::{Ended, Integral, Warp};

/// The number of points of a curve over one input.
const GRID: usize = 300;

/// The posterior of the integral, with its settings and evaluations.
pub fn integral(z: &Integral) -> String {
    let posterior = &z.posterior;
    let sd = posterior.sd();
    let mean = with_digits(posterior.mean(), sd);
    let error = if sd.is_finite() { significant(sd, 2) } else { "infinite".to_string() };
    let (lo, hi) = posterior.interval(0.95);
    let inputs = listed(z.evaluations.names());
    let mut text = match &z.ratio {
        None => format!("integral over {inputs}, {}\n", z.settings.density),
        Some(_) => format!("expectation over {inputs}, {} times a factor\n", z.settings.density),
    };
    text += &format!("mean {mean}, standard deviation {error}");
    text += &format!("\n95 % interval from {} to {}", with_digits(lo, sd), with_digits(hi, sd));
    text += &match (posterior.components().len(), posterior.degrees()) {
        (1, Some(degrees)) => format!(", by a Student-t distribution with {degrees} degrees of freedom"),
        (1, None) if posterior.is_log_normal() => ", by a log-normal distribution".to_string(),
        (1, None) => ", by a normal distribution".to_string(),
        (many, _) if z.settings.integrated => format!(", by a mixture over {many} sets of parameters"),
        (many, _) => format!(", by a mixture over {many} kernels"),
    };
    text += &format!("\n{}", course(z));
    text += &format!("\nkernel {}", shown(z.kernel()));
    for other in &z.kernels[1..] {
        text += &format!("\nand with weight {} {}", percent(other.weight), shown(&other.written));
    }
    if let Some(ratio) = &z.ratio {
        text += &format!("\nintegral of the factor: {}", rounded(ratio.normaliser));
    }
    if let Some(share) = z.share_left {
        let share = if share < 1e-3 { format!("{share:.1e}") } else { percent(share) };
        text += &format!("\nshare of the prior variance that is left: {share}");
    }
    match z.settings.warp {
        Warp::None => {}
        Warp::SquareRoot => text += "\nthe process models the square root of twice the integrand above a floor",
        Warp::Log => text += "\nthe process models the logarithm of the integrand plus 1e-6 of its largest evaluation",
    }
    if z.numerical_error.0 > 0.0 {
        text += &format!("\nnumerical integrals of the kernel: error of the mean at most {:.1e}", z.numerical_error.0);
    }
    if z.jitter > 0.0 {
        text += &format!("\n{:.1e} was added to the diagonal of the covariance matrix (jitter)", z.jitter);
    }
    if z.misfit > 1e-6 * largest(z.evaluations.y()) {
        text += &format!(
            "\nthe kernel has no function through all evaluations: they differ from the process by up to {}, which the \
             interval counts as error",
            significant(z.misfit, 2)
        );
    }
    if let Some(value) = z.constant().filter(|_| !z.has_no_scale()) {
        text += &format!(
            "\nall evaluations are {}: the mean is that of a constant, and the kernel of its uncertainty is not fitted",
            rounded(value)
        );
    }
    if z.has_no_scale() {
        text += &format!(
            "\nall evaluations are {}, which leaves open how large the integrand is elsewhere: the standard deviation of 0 \
             is not an error bar",
            z.evaluations.y().first().map_or_else(String::new, |y| rounded(*y))
        );
    }
    text
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |size, value| size.max(value.abs()))
}

/// How many evaluations there are, and why there are no more.
fn course(z: &Integral) -> String {
    let made = z.evaluations.n();
    let many = if made == 1 { "1 evaluation".into() } else { format!("{made} evaluations") };
    let asked = z.course.asked;
    match z.course.ended {
        Ended::Given => format!("{many}, as given"),
        Ended::AllMade => format!("{many}, as many as asked for"),
        Ended::Precise => format!("{many} of at most {asked}: the interval is as narrow as `tol` asks"),
        Ended::NothingToGain => {
            format!("{many} of at most {asked}: under the kernel further ones would change nothing but rounding")
        }
        Ended::Stopped => format!("{many} of {asked}: stopped by the user"),
    }
}

/// A kernel with its values at six significant digits.
fn shown(kernel: &Kernel) -> Kernel {
    kernel.map_params(&mut |param| match param.value().map(|value| format!("{value:.5e}").parse()) {
        Some(Ok(value)) => param.with_value(value),
        _ => param.clone(),
    })
}

/// A number with two significant digits of its error, and at least three of its own.
fn with_digits(value: f64, error: f64) -> String {
    digits_beside(value, error).map_or_else(|| rounded(value), |digits| significant(value, digits.max(3)))
}

/// The evaluations, one row each.
pub fn evaluations_table(z: &Integral) -> Table {
    let mut table = Table::new();
    for (name, x) in z.evaluations.names().iter().zip(z.evaluations.x()) {
        table = table.numbers(name.as_str(), x);
    }
    table = table.numbers("f", z.evaluations.y());
    match &z.ratio {
        None => table,
        Some(ratio) => table.numbers("factor", &ratio.factor),
    }
}

/// For one input: the integrand with its posterior, the density, and the posterior of the integral (Duvenaud 2014, Fig.
/// A.1). For several: the evaluated points in the first two inputs, and the posterior of the integral.
pub fn integral_figure(z: &Integral) -> Figure {
    let what = if z.ratio.is_some() { "expectation" } else { "integral" };
    let title = format!("{what}, {} evaluations", z.evaluations.n());
    let mut panels = Vec::new();
    match z.evaluations.x() {
        [x] => panels.extend(curve_panels(z, x)),
        [x, y, ..] => {
            let names = z.evaluations.names();
            let marks =
                vec![Mark::Points { x: x.clone(), y: y.clone(), label: "evaluations".into(), role: Role::Data }];
            panels.push(Panel::new(names[0].clone(), names[1].clone(), marks));
        }
        [] => {}
    }
    panels.push(posterior_panel(z));
    Figure::grid(title, 2, panels)
}

fn curve_panels(z: &Integral, x: &[f64]) -> Vec<Panel> {
    let (mut lo, mut hi) = z.settings.density.range(0);
    // nine standard deviations contain all mass, but are too wide for a figure
    let (mean, sd) = z.settings.density.moments(0);
    let outermost = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(*x), hi.max(*x)));
    lo = lo.max((mean - 4.0 * sd).min(outermost.0));
    hi = hi.min((mean + 4.0 * sd).max(outermost.1));
    let grid: Vec<f64> = (0..=GRID).map(|i| lo + (hi - lo) * i as f64 / GRID as f64).collect();
    let name = &z.evaluations.names()[0];
    let mut marks = Vec::new();
    if let Ok(band) = z.band(std::slice::from_ref(&grid), 2.0) {
        let of = |place: usize| band.iter().map(|ends| ends[place]).collect();
        let (middle, ends) = match z.settings.warp {
            Warp::None => ("posterior mean", "mean ± 2 sd"),
            Warp::SquareRoot | Warp::Log => ("mean of the process", "± 2 sd of the process"),
        };
        marks.push(Mark::Band { x: grid.clone(), lo: of(0), hi: of(2), label: ends.into(), role: Role::Band });
        marks.push(Mark::Line { x: grid.clone(), y: of(1), label: middle.into(), role: Role::Mean, dashed: false });
    }
    let (x, y) = (x.to_vec(), z.integrand_values().unwrap_or_default());
    marks.push(Mark::Points { x, y, label: "evaluations".into(), role: Role::Data });
    let density: Vec<f64> = grid.iter().map(|x| z.settings.density.at(&[*x])).collect();
    let below = vec![0.0; grid.len()];
    let area = Mark::Band { x: grid, lo: below, hi: density, label: "density".into(), role: Role::Component(1) };
    vec![
        match z.ratio {
            None => Panel::new(name.clone(), "f", marks).titled("integrand"),
            Some(_) => Panel::new(name.clone(), "(f − E) ℓ", marks).titled("deviation from the expectation"),
        },
        Panel::new(name.clone(), "p", vec![area]).titled("density"),
    ]
}

fn posterior_panel(z: &Integral) -> Panel {
    let (lo, hi) = z.posterior.interval(0.999);
    let grid: Vec<f64> = (0..=GRID).map(|i| lo + (hi - lo) * i as f64 / GRID as f64).collect();
    let density: Vec<f64> = grid.iter().map(|x| z.posterior.density(*x)).collect();
    let (low, high) = z.posterior.interval(0.95);
    let rule = |at: f64, label: &str| Mark::Rule {
        at,
        across: Across::Vertical,
        label: label.to_string(),
        role: Role::Reference,
    };
    let what = if z.ratio.is_some() { "expectation" } else { "integral" };
    // without a scale there is no density
    let marks = match z.has_no_scale() {
        true => vec![rule(low, "mean")],
        false => vec![
            Mark::Line { x: grid, y: density, label: "posterior".into(), role: Role::Mean, dashed: false },
            rule(low, "95 % interval"),
            rule(high, ""),
        ],
    };
    let mut panel = Panel::new(what, "density", marks);
    panel.y = Axis { label: "density".into(), ..panel.y };
    panel.titled(format!("posterior of the {what}"))
}
