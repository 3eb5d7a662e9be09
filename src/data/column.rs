//! A named column: numbers, categories or times, all stored as `f64`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::DataError;
use crate::calendar::{Form, Moment, Resolution, TimeScale, TimeUnit, names, plausible, time_of_day};

/// The meaning of the numbers of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Plain numbers.
    Numeric,
    /// Codes 0, 1, … into `levels`, in order of first appearance; days of the week and months in calendar order.
    Categories { levels: Arc<[Arc<str>]> },
    /// Times, in some unit since 1970-01-01T00:00 (see [`calendar`](crate::calendar)).
    Time(TimeScale),
}

/// A named column. The values are shared, so cloning is cheap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Column {
    name: Arc<str>,
    kind: Kind,
    unit: Option<Arc<str>>,
    #[serde(serialize_with = "exact::serialize")]
    values: Arc<Vec<f64>>,
    #[serde(skip)]
    missing: usize,
}

/// Why a column of dates in a file of an earlier version cannot be read, and a way out.
pub(crate) const DECIMAL_YEARS: &str = "an earlier version wrote it, with dates as decimal years: load the data again and fit \
                                        the model that the file has under `asked`";

/// The kinds of columns in files, including those of earlier versions.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum SavedKind {
    Numeric,
    Categories {
        levels: Arc<[Arc<str>]>,
    },
    Time(TimeScale),
    /// Decimal years, which are no longer supported.
    Date {
        #[serde(rename = "resolution")]
        _resolution: serde::de::IgnoredAny,
    },
}

/// A column in a file, which may have been edited.
#[derive(Deserialize)]
struct Saved {
    name: Arc<str>,
    kind: SavedKind,
    unit: Option<Arc<str>>,
    #[serde(deserialize_with = "exact::deserialize")]
    values: Arc<Vec<f64>>,
}

impl TryFrom<Saved> for Column {
    type Error = DataError;

    fn try_from(Saved { name, kind, unit, values }: Saved) -> Result<Self, DataError> {
        let kind = match kind {
            SavedKind::Numeric => Kind::Numeric,
            SavedKind::Categories { levels } => Kind::Categories { levels },
            SavedKind::Time(scale) => Kind::Time(scale),
            SavedKind::Date { .. } => return Err(DataError::Broken { why: DECIMAL_YEARS }),
        };
        if let Kind::Categories { levels } = &kind {
            let known = |v: &f64| v.is_nan() || (*v >= 0.0 && *v < levels.len() as f64 && v.fract() == 0.0);
            if !values.iter().all(known) {
                return Err(DataError::Broken { why: "a code has no category" });
            }
        }
        let missing = values.iter().filter(|v| v.is_nan()).count();
        Ok(Self { name, kind, unit, values, missing })
    }
}

impl Column {
    /// Plain numbers; NaN is a missing value.
    pub fn numeric(name: impl Into<Arc<str>>, values: Vec<f64>) -> Self {
        Self::of(name.into(), Kind::Numeric, values)
    }

    /// Categories from text, `None` for missing values; levels in order of first appearance.
    pub fn categories<S: AsRef<str>>(name: impl Into<Arc<str>>, texts: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut levels = Levels::default();
        let values = texts.into_iter().map(|text| text.map_or(f64::NAN, |text| levels.code(text.as_ref()))).collect();
        levels.into_column(name.into(), values)
    }

    /// Times as numbers on a time scale.
    pub fn times(name: impl Into<Arc<str>>, scale: TimeScale, values: Vec<f64>) -> Self {
        Self::of(name.into(), Kind::Time(scale), values)
    }

    /// Times, `None` for missing values, in a unit that suits their span.
    pub fn moments(name: impl Into<Arc<str>>, resolution: Resolution, moments: &[Option<Moment>]) -> Self {
        let seconds = |at: Option<Moment>| at.map_or(0.0, |at| at.to(TimeUnit::Second));
        let (first, last) = (moments.iter().flatten().min(), moments.iter().flatten().max());
        let unit = TimeUnit::of_span(seconds(last.copied()) - seconds(first.copied()));
        let values = moments.iter().map(|at| at.map_or(f64::NAN, |at| at.to(unit))).collect();
        Self::times(name, TimeScale { unit, resolution }, values)
    }

    /// Hours since midnight from texts; `None` unless all that are not missing are times of day.
    pub fn times_of_day<S: AsRef<str>>(name: &str, texts: &[Option<S>]) -> Option<Self> {
        let hours = |text: &Option<S>| text.as_ref().map_or(Some(f64::NAN), |text| time_of_day(text.as_ref()));
        let values: Vec<f64> = texts.iter().map(hours).collect::<Option<_>>()?;
        values.iter().any(|v| !v.is_nan()).then(|| Self::numeric(name, values).with_unit("h"))
    }

    /// Times from texts; `None` unless all that are not missing are dates in one format.
    pub fn dated<S: AsRef<str>>(name: &str, texts: &[Option<S>]) -> Option<Self> {
        let form = |form: &Form| {
            let read = |text: &Option<S>| match text.as_ref().map(|text| text.as_ref().trim()) {
                Some(text) => form.read(text, None).filter(|_| plausible(text)).map(Some),
                None => Some(None),
            };
            texts.iter().map(read).collect::<Option<Vec<_>>>()
        };
        let mut found = Form::ALL.iter().filter_map(form).filter(|read| read.iter().any(Option::is_some));
        let read = found.next()?;
        let moments = |read: &[Option<(Moment, Resolution)>]| -> Vec<Option<Moment>> {
            read.iter().map(|one| one.map(|(at, _)| at)).collect()
        };
        if found.any(|other| moments(&other) != moments(&read)) {
            return None;
        }
        let finest = read.iter().flatten().map(|(_, resolution)| *resolution).max()?;
        Some(Self::moments(name, finest, &moments(&read)))
    }

    pub(super) fn of(name: Arc<str>, kind: Kind, values: Vec<f64>) -> Self {
        let missing = values.iter().filter(|v| v.is_nan()).count();
        let unit = match kind {
            Kind::Time(scale) => Some(scale.unit.name().into()),
            _ => None,
        };
        Self { name, kind, unit, values: Arc::new(values), missing }
    }

    /// The same column with this unit; an empty text means none. The unit of times does not change.
    pub fn with_unit(mut self, unit: &str) -> Self {
        if self.time().is_none() {
            self.unit = (!unit.is_empty()).then(|| unit.into());
        }
        self
    }

    pub(super) fn renamed(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// Other values with the same kind, name and unit.
    pub(super) fn with_values(&self, values: Vec<f64>) -> Self {
        Self { unit: self.unit.clone(), ..Self::of(self.name.clone(), self.kind.clone(), values) }
    }

    /// The rows at these indices, in this order. Levels, and so the codes, do not change.
    pub(super) fn take(&self, rows: &[usize]) -> Self {
        self.with_values(rows.iter().map(|&i| self.values[i]).collect())
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The unit of the values if it is known, such as `ppm`.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Numbers, codes of categories, or times in their unit since 1970; NaN for missing values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of missing values.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The levels of a categorical column.
    pub fn levels(&self) -> Option<&[Arc<str>]> {
        match &self.kind {
            Kind::Categories { levels } => Some(levels),
            _ => None,
        }
    }

    /// Whether its values are codes of categories.
    pub fn is_categories(&self) -> bool {
        self.levels().is_some()
    }

    /// The unit of time of its values: that of dates, or of numbers whose unit or, without one, whose name is a unit of
    /// time, such as `year`.
    pub fn time_unit(&self) -> Option<TimeUnit> {
        match (&self.kind, self.unit()) {
            (Kind::Time(scale), _) => Some(scale.unit),
            (Kind::Numeric, Some(unit)) => TimeUnit::parse(unit),
            (Kind::Numeric, None) => TimeUnit::ALL.into_iter().find(|unit| unit.name() == self.name()),
            _ => None,
        }
    }

    /// The scale of times; `None` for other columns.
    pub fn time(&self) -> Option<TimeScale> {
        match self.kind {
            Kind::Time(scale) => Some(scale),
            _ => None,
        }
    }

    /// The coarsest scale at which all times of the column can be written.
    pub fn written_scale(&self) -> Option<TimeScale> {
        self.time().map(|scale| scale.covering(&self.values))
    }

    /// Times in another unit; other columns are unchanged.
    pub fn in_unit(&self, unit: TimeUnit) -> Self {
        match self.kind {
            Kind::Time(scale) if scale.unit != unit => {
                let at = |v: &f64| Moment::from(*v, scale.unit).map_or(f64::NAN, |at| at.to(unit));
                let values = self.values.iter().map(at).collect();
                Self::times(self.name.clone(), TimeScale { unit, ..scale }, values)
            }
            _ => self.clone(),
        }
    }

    /// The text of row `i` of a categorical column; `None` for other kinds and missing values.
    pub fn level(&self, i: usize) -> Option<&str> {
        let code = self.values.get(i).filter(|v| !v.is_nan())?;
        self.levels()?.get(*code as usize).map(AsRef::as_ref)
    }

    /// The number of distinct values that are not missing.
    pub fn distinct(&self) -> usize {
        let mut seen: Vec<f64> = self.values.iter().copied().filter(|v| !v.is_nan()).collect();
        seen.sort_unstable_by(f64::total_cmp);
        seen.dedup();
        seen.len()
    }

    /// The value of a column whose values are all equal, apart from missing ones.
    pub fn constant(&self) -> Option<f64> {
        let mut present = self.values.iter().copied().filter(|v| !v.is_nan());
        let first = present.next()?;
        present.all(|v| v == first).then_some(first)
    }
}

/// Assigns codes to texts, in order of first appearance.
#[derive(Debug, Default)]
pub(super) struct Levels {
    codes: std::collections::HashMap<Arc<str>, usize>,
    levels: Vec<Arc<str>>,
}

impl Levels {
    pub(super) fn code(&mut self, text: &str) -> f64 {
        if let Some(&code) = self.codes.get(text) {
            return code as f64;
        }
        let text: Arc<str> = text.into();
        self.codes.insert(text.clone(), self.levels.len());
        self.levels.push(text);
        (self.levels.len() - 1) as f64
    }

    /// The column of these codes. Days of the week and months are put in calendar order.
    pub(super) fn into_column(self, name: Arc<str>, mut values: Vec<f64>) -> Column {
        let mut levels = self.levels;
        if let Some(places) = calendar_places(&levels) {
            let mut order: Vec<usize> = (0..levels.len()).collect();
            order.sort_by_key(|&code| places[code]);
            let mut codes = vec![0.0; levels.len()];
            order.iter().enumerate().for_each(|(new, &old)| codes[old] = new as f64);
            levels = order.iter().map(|&old| levels[old].clone()).collect();
            values.iter_mut().filter(|v| !v.is_nan()).for_each(|v| *v = codes[*v as usize]);
        }
        Column::of(name, Kind::Categories { levels: levels.into() }, values)
    }
}

/// The position of each level in the week or in the year, if all are days of the week or all are months, in full or
/// abbreviated to three letters.
fn calendar_places(levels: &[Arc<str>]) -> Option<Vec<usize>> {
    let of = |of: &[&str]| levels.iter().map(|level| names::position(of, level)).collect::<Option<Vec<usize>>>();
    if levels.len() < 2 { None } else { of(&names::DAYS).or_else(|| of(&names::MONTHS)) }
}

/// JSON has no NaN and no infinity: a missing value is `null`, an infinite one a text.
mod exact {
    use std::sync::Arc;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Cell {
        Number(f64),
        Infinite(Sign),
        Missing(()),
    }

    #[derive(Serialize, Deserialize)]
    enum Sign {
        #[serde(rename = "inf")]
        Plus,
        #[serde(rename = "-inf")]
        Minus,
    }

    pub fn serialize<S: Serializer>(values: &Arc<Vec<f64>>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(|&v| match v {
            v if v.is_nan() => Cell::Missing(()),
            f64::INFINITY => Cell::Infinite(Sign::Plus),
            f64::NEG_INFINITY => Cell::Infinite(Sign::Minus),
            v => Cell::Number(v),
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Vec<f64>>, D::Error> {
        let cells = Vec::<Cell>::deserialize(from).map_err(|error| match error.to_string().contains("enum Cell") {
            true => D::Error::custom("a value of a column is a number, \"inf\", \"-inf\" or null"),
            false => error,
        })?;
        Ok(Arc::new(
            cells
                .into_iter()
                .map(|cell| match cell {
                    Cell::Number(v) => v,
                    Cell::Infinite(Sign::Plus) => f64::INFINITY,
                    Cell::Infinite(Sign::Minus) => f64::NEG_INFINITY,
                    Cell::Missing(()) => f64::NAN,
                })
                .collect(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stand_in_order_of_first_appearance() {
        let c = Column::categories("c", [Some("b"), Some("a"), None, Some("b")]);
        assert_eq!(c.levels().unwrap().iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["b", "a"]);
        assert_eq!((c.level(1), c.level(2), c.missing(), c.distinct()), (Some("a"), None, 1, 2));
    }

    #[test]
    fn days_and_months_stand_in_their_own_order() {
        let levels = |texts: &[&str]| {
            let column = Column::categories("c", texts.iter().map(|t| Some(*t)));
            let back: Vec<&str> = (0..column.len()).filter_map(|i| column.level(i)).collect();
            assert_eq!(back, texts);
            column.levels().unwrap().iter().map(|l| l.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(levels(&["Sun", "Tue", "Mon", "Sun"]), ["Mon", "Tue", "Sun"]);
        assert_eq!(levels(&["May", "April", "sept."]), ["April", "May", "sept."]);
        assert_eq!(levels(&["Sun", "Moon"]), ["Sun", "Moon"]);
    }

    #[test]
    fn a_column_survives_json_to_the_bit() {
        let c =
            Column::numeric("x", vec![0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e-310]).with_unit("m");
        let back: Column = serde_json::from_str(&serde_json::to_string(&c).unwrap()).unwrap();
        let bits = |c: &Column| c.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&c), c.unit(), c.missing()), (bits(&back), back.unit(), back.missing()));
    }

    #[test]
    fn an_edited_column_is_checked() {
        let text = r#"{"name":"c","kind":{"categories":{"levels":["a"]}},"unit":null,"values":[0,1]}"#;
        let error = serde_json::from_str::<Column>(text).unwrap_err().to_string();
        assert!(error.contains("a code has no category"), "{error}");
    }

    #[test]
    fn times_keep_their_unit_and_read_back() {
        let days = Column::dated("d", &[Some("2019-01-01"), Some("2019-01-02"), Some("2022-07-23")]).unwrap();
        assert_eq!((days.unit(), days.values()), (Some("day"), &[17_897.0, 17_898.0, 19_196.0][..]));
        let back: Column = serde_json::from_str(&serde_json::to_string(&days).unwrap()).unwrap();
        assert_eq!(back, days);
        assert_eq!(days.take(&[2]).time(), days.time());
        assert_eq!(days.in_unit(TimeUnit::Hour).values()[0], 17_897.0 * 24.0);
        let short = Column::dated("d", &[Some("2019-01-01 00:15"), Some("2019-01-01 00:30:00.5")]).unwrap();
        assert_eq!((short.unit(), short.values()[1] - short.values()[0]), (Some("second"), 900.5));
        assert_eq!(Column::dated("d", &[Some("01/02/2020")]), None);
        assert!(Column::dated("d", &[Some("01/02/2020"), Some("13/02/2020")]).is_some());
        assert_eq!(Column::dated("d", &[Some("2020-01-01"), Some("red")]), None);
        let gap = Column::dated("d", &[Some("2020-01-01"), None]).unwrap();
        assert_eq!((gap.len(), gap.missing(), Column::dated::<&str>("d", &[None])), (2, 1, None));
        let hours = Column::times_of_day("t", &[Some("13:45"), None]).unwrap();
        assert_eq!((hours.values()[0], hours.missing(), hours.unit()), (13.75, 1, Some("h")));
    }

    #[test]
    fn constants_are_told_apart() {
        assert_eq!(Column::numeric("x", vec![2.0, f64::NAN, 2.0]).constant(), Some(2.0));
        assert_eq!(Column::numeric("x", vec![2.0, 3.0]).constant(), None);
    }
}
