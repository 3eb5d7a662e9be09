//! The cells that were run, and the answers to requests for them.

use std::collections::HashSet;

use jupyter_protocol::{HistoryEntry, HistoryReply, HistoryRequest};
use serde_json::{Value as Json, json};

/// A cell that was run.
struct Line {
    number: usize,
    input: String,
    /// The text of its result; empty without one.
    output: String,
}

/// The cells of a session.
#[derive(Default)]
pub struct History {
    lines: Vec<Line>,
}

impl History {
    pub fn push(&mut self, number: usize, input: &str) {
        self.lines.push(Line { number, input: input.to_owned(), output: String::new() });
    }

    /// Keeps the text of the result of the cell with a number.
    pub fn keep_output(&mut self, number: usize, output: String) {
        if let Some(line) = self.lines.last_mut().filter(|line| line.number == number) {
            line.output = output;
        }
    }

    pub fn answer(&self, asked: &HistoryRequest) -> HistoryReply {
        let all = || self.lines.iter();
        let (found, with_output): (Vec<&Line>, bool) = match asked {
            HistoryRequest::Range { start, stop, output, .. } => {
                let inside = |number: usize| {
                    let number = i32::try_from(number).unwrap_or(i32::MAX);
                    *start <= number && (number < *stop || *stop <= 0)
                };
                (all().filter(|line| inside(line.number)).collect(), *output)
            }
            HistoryRequest::Tail { n, output, .. } => (last(all().collect(), *n), *output),
            HistoryRequest::Search { pattern, n, unique, output, .. } => {
                let mut found: Vec<_> =
                    all().filter(|line| matches(pattern.as_bytes(), line.input.as_bytes())).collect();
                if *unique {
                    let mut seen = HashSet::new();
                    found.reverse();
                    found.retain(|line| seen.insert(&line.input));
                    found.reverse();
                }
                (last(found, *n), *output)
            }
        };
        let entry = |line: &Line| {
            let (number, input) = (line.number, line.input.clone());
            match with_output {
                true => HistoryEntry::InputOutput(0, number, (input, line.output.clone())),
                false => HistoryEntry::Input(0, number, input),
            }
        };
        HistoryReply::new(found.into_iter().map(entry).collect())
    }
}

/// The last `n` of some lines.
fn last(mut lines: Vec<&Line>, n: i32) -> Vec<&Line> {
    let n = usize::try_from(n).unwrap_or(0);
    lines.split_off(lines.len().saturating_sub(n))
}

/// The content of a request with the parts that clients may leave out or send as null.
pub fn completed(mut content: Json) -> Json {
    let defaults = match content.get("hist_access_type").and_then(Json::as_str) {
        Some("search") => json!({ "pattern": "*", "unique": false, "n": i32::MAX }),
        Some("tail") => json!({ "n": i32::MAX }),
        _ => json!({ "hist_access_type": "range", "session": 0, "start": 0, "stop": 0 }),
    };
    if let (Some(content), Json::Object(defaults)) = (content.as_object_mut(), defaults) {
        let common = [("output".to_owned(), false.into()), ("raw".to_owned(), true.into())];
        for (name, value) in defaults.into_iter().chain(common) {
            let found = content.entry(name).or_insert(Json::Null);
            if found.is_null() {
                *found = value;
            }
        }
    }
    content
}

/// Whether a text matches a pattern in which `*` is any text and `?` any byte.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    // The places of the pattern that the text read so far can have reached.
    let skip = |mut reached: Vec<bool>| {
        for at in 0..pattern.len() {
            reached[at + 1] |= reached[at] && pattern[at] == b'*';
        }
        reached
    };
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    reached = skip(reached);
    for byte in text {
        let mut next = vec![false; pattern.len() + 1];
        for at in 0..pattern.len() {
            match pattern[at] {
                b'*' => next[at] |= reached[at],
                c => next[at + 1] |= reached[at] && (c == b'?' || c == *byte),
            }
        }
        reached = skip(next);
    }
    reached[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_stars() {
        for (pattern, text, fits) in [
            ("1?2*", "1+2+3", true),
            ("*", "", true),
            ("*fit*", "air |> fit(SE)", true),
            ("fit", "fits", false),
            ("a*b*c", "axxbyy", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), fits, "{pattern} {text}");
        }
    }

    /// The history of three cells, as JSON, after a request as a client writes it.
    fn answered(request: Json) -> Json {
        let mut history = History::default();
        for (number, input) in [(1, "6 * 7"), (2, "let a = 1"), (3, "6 * 7")] {
            history.push(number, input);
        }
        history.keep_output(3, "42".into());
        let asked = serde_json::from_value(completed(request)).expect("a request");
        serde_json::to_value(history.answer(&asked)).expect("a reply")["history"].clone()
    }

    #[test]
    fn requests_may_leave_parts_out() {
        let (first, second, third) = (json!([0, 1, "6 * 7"]), json!([0, 2, "let a = 1"]), json!([0, 3, "6 * 7"]));
        for (request, expected) in [
            (json!({ "hist_access_type": "search", "pattern": "6 ? 7*" }), json!([first, third])),
            (json!({ "hist_access_type": "search", "pattern": "6*", "unique": true, "n": null }), json!([third])),
            (json!({ "hist_access_type": "search", "pattern": "*", "n": 2 }), json!([second, third])),
            (json!({ "hist_access_type": "tail", "n": 1, "output": true }), json!([[0, 3, ["6 * 7", "42"]]])),
            (json!({ "hist_access_type": "range", "start": 2 }), json!([second, third])),
            (json!({ "hist_access_type": "range", "start": 1, "stop": 2, "session": 0 }), json!([first])),
        ] {
            assert_eq!(answered(request.clone()), expected, "{request}");
        }
    }
}
