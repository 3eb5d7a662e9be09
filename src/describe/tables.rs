//! Results as columns, for files and for members of values, not rounded.

use crate::data::write::Table;
use crate::data::{Column, Dataset};
use crate::fit::Fit;
use crate::model::{Parameter, ParameterKind, is_zero_kernel};
use crate::results::{Compared, Decomposition, OrderVariance, Prediction, Residuals, Symmetry};

/// The inputs, and the target if known.
pub(super) fn rows(data: &Dataset) -> Table {
    let target = data.target().into_iter();
    data.inputs().chain(target).fold(Table::new(), column)
}

fn column(table: Table, column: &Column) -> Table {
    if let Some(scale) = column.time() {
        return table.texts(column.name(), scale.texts(column.values()));
    }
    match column.levels() {
        Some(_) => {
            let texts = (0..column.len()).map(|i| column.level(i).map(str::to_string)).collect();
            table.texts(column.name(), texts)
        }
        None => table.numbers(column.name(), column.values()),
    }
}

/// Inputs, target if known, mean, sd, var_f, var_y, and quantiles under a nonlinear transform. For a classifier the
/// probability of the positive class and the more probable class, then mean and variance of the latent function.
pub fn prediction(prediction: &Prediction) -> Table {
    if let (Some(probability), Some(class)) = (&prediction.probability, prediction.class()) {
        return rows(&prediction.at)
            .numbers("probability", probability)
            .texts("class", class.into_iter().map(|name| Some(name.to_string())).collect())
            .numbers("mean", &prediction.mean)
            .numbers("var_f", &prediction.var_f);
    }
    let sd = &prediction.sd;
    let mut table = rows(&prediction.at)
        .numbers_with_errors("mean", &prediction.mean, sd)
        .numbers("sd", &prediction.sd)
        .numbers("var_f", &prediction.var_f)
        .numbers("var_y", &prediction.var_y);
    if let Some(q) = &prediction.quantiles {
        table = table
            .numbers_with_errors("median", &q.median, sd)
            .numbers_with_errors("lower", &q.lower, sd)
            .numbers_with_errors("upper", &q.upper, sd);
    }
    for (p, values) in &prediction.levels {
        table = table.numbers_with_errors(quantile_name(*p), values, sd);
    }
    table
}

/// The name of a column of quantiles: `q0.05`.
pub fn quantile_name(p: f64) -> String {
    format!("q{p}")
}

/// Inputs, then mean and standard deviation of every part.
pub fn decomposition(parts: &Decomposition) -> Table {
    let mut table = rows(&parts.at);
    for component in &parts.components {
        let sd: Vec<f64> = component.var.iter().map(|v| v.sqrt()).collect();
        table = table
            .numbers_with_errors(component.label.clone(), &component.mean, &sd)
            .numbers(format!("{} sd", component.label), &sd);
    }
    if parts.mean_function.iter().any(|&m| m != 0.0) {
        table = table.numbers("mean function", &parts.mean_function);
    }
    table
}

/// Inputs, target, fitted, residual, standardized.
pub fn residuals(residuals: &Residuals) -> Table {
    rows(residuals.fit.problem().data())
        .numbers("fitted", &residuals.fitted)
        .numbers("residual", &residuals.residual)
        .numbers("standardized", &residuals.standardized)
}

/// The indices of the parameters, without those of a zero kernel.
pub(super) fn own_parameters(fit: &Fit) -> Vec<usize> {
    let none = is_zero_kernel(&fit.model.kernel);
    let own = |i: &usize| !(none && matches!(fit.parameters()[*i].kind, ParameterKind::Kernel(_)));
    (0..fit.parameters().len()).filter(own).collect()
}

/// Name, value, standard error, unit, state of every parameter.
pub fn parameters(fit: &Fit) -> Table {
    let own = own_parameters(fit);
    let all: Vec<&Parameter> = own.iter().map(|&i| &fit.parameters()[i]).collect();
    let values: Vec<f64> = own.iter().map(|&i| fit.values()[i]).collect();
    let errors: Vec<f64> = own.iter().map(|&i| fit.standard_errors[i].unwrap_or(f64::NAN)).collect();
    let state = |p: &Parameter| match p.state {
        crate::kernel::SlotState::Free => "free",
        crate::kernel::SlotState::Fixed => "fixed",
        crate::kernel::SlotState::Held => "held",
    };
    Table::new()
        .texts("parameter", all.iter().map(|p| Some(p.name.clone())).collect())
        .numbers_with_errors("value", &values, &errors)
        .numbers("std_error", &errors)
        .texts("unit", all.iter().map(|p| p.unit.clone()).collect())
        .texts("state", all.iter().map(|p| Some(state(p).to_string())).collect())
}

/// One row per fit, with its name if names are given.
pub fn compared(compared: &[Compared], names: Option<&[String]>) -> Table {
    let of = |f: fn(&Compared) -> f64| compared.iter().map(f).collect::<Vec<f64>>();
    let name = |c: &Compared| names.map_or_else(|| Some(c.fit.asked.to_string()), |names| names.get(c.place).cloned());
    let mut table = Table::new().texts("model", compared.iter().map(name).collect());
    if compared.iter().any(|c| c.evidence.is_some()) {
        table = table
            .numbers("log_evidence", &of(|c| c.evidence.map_or(f64::NAN, |found| found.log)))
            .numbers("evidence_sd", &of(|c| c.evidence.and_then(|found| found.sd).unwrap_or(f64::NAN)));
    }
    let table = table
        .numbers("bic", &of(|c| c.fit.information().unwrap_or(f64::NAN)))
        .numbers("delta_bic", &of(|c| c.delta_bic))
        .numbers("lml", &of(|c| c.fit.evidence().unwrap_or(f64::NAN)))
        .numbers("delta_lml", &of(|c| c.delta_lml))
        .numbers("parameters", &of(|c| c.fit.counted() as f64))
        .numbers("loo_nll", &of(|c| c.loo_nll.unwrap_or(f64::NAN)));
    if compared.iter().any(|c| c.fit.problem().classes().is_some()) {
        return table.numbers("loo_error", &of(|c| c.loo_error.unwrap_or(f64::NAN)));
    }
    table.numbers("loo_rmse", &of(|c| c.loo_rmse.unwrap_or(f64::NAN)))
}

/// All columns of a data set.
pub fn dataset(data: &Dataset) -> Table {
    data.columns().iter().fold(Table::new(), column)
}

/// The orders of additive kernels.
pub fn orders(found: &[(String, Vec<OrderVariance>)]) -> Table {
    let rows = || found.iter().flat_map(|(_, rows)| rows);
    let numbers = |of: fn(&OrderVariance) -> f64| rows().map(of).collect::<Vec<_>>();
    let mut table = Table::new();
    if found.len() > 1 {
        let names = found.iter().flat_map(|(name, rows)| rows.iter().map(|_| Some(name.clone()))).collect();
        table = table.texts("part", names);
    }
    table
        .numbers("order", &numbers(|o| o.order as f64))
        .numbers("share", &numbers(|o| o.share))
        .numbers("terms", &numbers(|o| o.terms))
        .numbers("variance", &numbers(|o| o.variance))
}

/// Models with and without symmetries, best first.
pub fn symmetries(found: &[Symmetry]) -> Table {
    let numbers = |of: fn(&Symmetry) -> f64| found.iter().map(of).collect::<Vec<_>>();
    Table::new()
        .texts("symmetry", found.iter().map(|s| Some(symmetry(s).to_string())).collect())
        .numbers("delta_lml", &numbers(|s| s.delta_lml))
        .numbers("lml", &numbers(|s| s.fit.lml()))
        .numbers("bic", &numbers(|s| s.fit.bic()))
        .texts("kernel", found.iter().map(|s| Some(s.fit.model.kernel.to_string())).collect())
}

/// The name of a symmetry, or of the model without one.
pub fn symmetry(symmetry: &Symmetry) -> &str {
    if symmetry.name.is_empty() { "none" } else { &symmetry.name }
}
