//! The state of the page, as the browser sends it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value as Json;

use super::fault::Fault;

/// The longest text of an expression in bytes.
const LONGEST_TEXT: usize = 20_000;
/// The longest name of a page in bytes.
const LONGEST_NAME: usize = 64;
/// The longest text of a place in bytes; numbers have at most 327.
const LONGEST_PLACE: usize = 400;
/// The largest number of points that are set by hand.
const MOST_POINTS: usize = 500;
/// The largest number of drawn functions.
const MOST_DRAWS: usize = 20;
/// The narrowest and the widest figure in pixels.
const WIDTHS: (u32, u32) = (240, 1600);

/// A place on an axis, as it was typed: a number, or a text such as a date.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Place {
    Number(f64),
    Text(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// All that the answer depends on. Fields that are left out have defaults.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct State {
    /// Which page asks: a name that the browser chose.
    pub page: String,
    /// The program whose last value is the kernel or model.
    pub text: String,
    /// The values of parameters that were moved, by name.
    pub values: BTreeMap<String, f64>,
    /// The point x₀ of k(·, x₀); the middle of the range if it is left out.
    pub at: Option<Place>,
    /// The ends of the range of the figures; those of the data where they are left out.
    pub range: (Option<Place>, Option<Place>),
    /// A shipped set or a file.
    pub data: Option<String>,
    pub target: Option<String>,
    pub inputs: Vec<String>,
    /// Points that were added.
    pub points: Vec<(f64, f64)>,
    /// Rows of the data that were left out, counted from 0.
    pub removed: Vec<usize>,
    pub draws: usize,
    pub seed: u64,
    /// The width of the figures in pixels; their natural sizes if it is left out.
    pub width: Option<u32>,
    /// The width of figures that stand alone in a row.
    pub wide: Option<u32>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            page: String::new(),
            text: String::new(),
            values: BTreeMap::new(),
            at: None,
            range: (None, None),
            data: None,
            target: None,
            inputs: Vec::new(),
            points: Vec::new(),
            removed: Vec::new(),
            draws: 3,
            seed: 0,
            width: None,
            wide: None,
        }
    }
}

impl State {
    /// Reads a state.
    ///
    /// # Errors
    /// [`Fault::Malformed`]: text that is not a state; [`Fault::State`]: one beyond a limit. Both have the reason.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let malformed = |error: serde_json::Error| Fault::Malformed(error.to_string());
        let json: Json = serde_json::from_slice(bytes).map_err(malformed)?;
        // a list would be taken as the fields in their order
        if !json.is_object() {
            return Err(Fault::Malformed("a state is an object".into()));
        }
        let mut state: Self = serde_json::from_value(json).map_err(malformed)?;
        let refuse = |why: String| Err(Fault::State(why));
        if state.page.len() > LONGEST_NAME {
            return refuse(format!("the name of a page has at most {LONGEST_NAME} bytes"));
        }
        if state.text.len() > LONGEST_TEXT {
            return refuse(format!("an expression has at most {LONGEST_TEXT} bytes"));
        }
        if state.points.len() > MOST_POINTS {
            return refuse(format!("at most {MOST_POINTS} points are set by hand"));
        }
        if state.draws > MOST_DRAWS {
            return refuse(format!("at most {MOST_DRAWS} functions are drawn"));
        }
        if state.seed > mercer::session::LARGEST_SEED {
            return refuse(format!("the largest seed is {}", mercer::session::LARGEST_SEED));
        }
        let places = [&state.at, &state.range.0, &state.range.1];
        if places.into_iter().flatten().any(|place| place.to_string().len() > LONGEST_PLACE) {
            return refuse(format!("a place on an axis has at most {LONGEST_PLACE} bytes"));
        }
        let within = |width: u32| width.clamp(WIDTHS.0, WIDTHS.1);
        (state.width, state.wide) = (state.width.map(within), state.wide.or(state.width).map(within));
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_a_default() {
        let state = State::read(br#"{"text": "SE", "values": {"SE.l": 2}, "width": 9}"#).unwrap();
        assert_eq!((state.draws, state.values["SE.l"], state.width), (3, 2.0, Some(240)));
    }

    #[test]
    fn what_is_no_state_is_refused_with_a_reason() {
        for (text, why) in [
            (r#""SE""#, "a state is an object"),
            ("[]", "a state is an object"),
            ("{\"text\": ", "EOF"),
            (r#"{"txt": "SE"}"#, "unknown field `txt`"),
            (r#"{"range": [2]}"#, "invalid length"),
            (r#"{"draws": 1000}"#, "at most 20 functions"),
            (r#"{"seed": 18446744073709551615}"#, "the largest seed"),
        ] {
            let fault = State::read(text.as_bytes()).unwrap_err().to_string();
            assert!(fault.contains(why), "{text}: {fault}");
        }
        let many = format!(r#"{{"points": [{}[0, 0]]}}"#, "[1, 1],".repeat(500));
        assert!(State::read(many.as_bytes()).is_err());
    }
}
