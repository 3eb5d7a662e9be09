//! Joins a date in one column and a time of day in another to one column of times.

use super::column::Column;
use super::dataset::Dataset;
use super::error::DataError;
use crate::calendar::{Moment, Resolution, clock};

impl Dataset {
    /// These data with the times of day in column `time` added to the dates in column `date`; `time` is removed. Times
    /// are texts such as `18:30`, or numbers of hours.
    ///
    /// # Errors
    /// An unknown column, values that are not dates, or values that are not times of day.
    pub fn join_time(&self, date: &str, time: &str) -> Result<Self, DataError> {
        const HOUR: f64 = 3.6e12;
        let (days, times) = (self.find(date)?, self.find(time)?);
        let scale = days.time().ok_or_else(|| DataError::NoDates { column: date.into() })?;
        let mut moments = Vec::with_capacity(self.n());
        for (i, (&day, &hour)) in days.values().iter().zip(times.values()).enumerate() {
            let nanoseconds = match times.level(i) {
                Some(text) => clock(text),
                None if times.is_categories() || hour.is_nan() => {
                    moments.push(None);
                    continue;
                }
                None => (0.0..=24.0).contains(&hour).then(|| (hour * HOUR).round() as i128),
            };
            let Some(nanoseconds) = nanoseconds else {
                let value = times.level(i).map_or_else(|| hour.to_string(), Into::into);
                return Err(DataError::NotAClock { column: time.into(), row: self.row(i), value });
            };
            moments.push(Moment::from(day, scale.unit).and_then(|day| day.plus(nanoseconds)));
        }
        let joined = Column::moments(date, Resolution::Second, &moments);
        let kept: Vec<&str> = self.input_names().into_iter().filter(|name| *name != time).collect();
        self.clone().with_column(joined)?.with_inputs(&kept)
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Options, parse};

    #[test]
    fn a_date_and_a_time_become_one_column() {
        let read = |text: &str| parse("f.csv", text, &Options::default()).unwrap();
        let data = read("day,clock,y\n2020-01-01,00:15,1\n2020-01-01,6:30 PM,2\n2020-01-02,18.30.00,3\n");
        let joined = data.join_time("day", "clock").unwrap();
        assert_eq!(joined.input_names(), ["day"]);
        let column = joined.column("day").unwrap();
        let texts: Vec<String> = column.time().unwrap().texts(column.values()).into_iter().flatten().collect();
        assert_eq!(texts, ["2020-01-01T00:15:00", "2020-01-01T18:30:00", "2020-01-02T18:30:00"]);
        let hours = read("day,hour,y\n2020-01-01,0,1\n2020-01-01,13.5,2\n").join_time("day", "hour").unwrap();
        assert_eq!(hours.x()[0][1] - hours.x()[0][0], 13.5);
        let error = read("day,clock,y\n2020-01-01,noon,1\n").join_time("day", "clock").unwrap_err().to_string();
        assert_eq!(error, "`noon` in column `clock`, line 2, is not a time of day such as `18:30`");
        assert_eq!(data.join_time("y", "clock").unwrap_err().to_string(), "column `y` holds no dates");
    }
}
