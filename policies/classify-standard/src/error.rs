//! The innermost error of a body.

use weir_sdk::serde_json::{self, Map, Value};

/// How deep an error is looked for.
const DEPTH: usize = 8;

/// How many codes and messages are kept.
const KEPT: usize = 32;

/// What was found in a body, in lower case.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Machine codes: types, codes, statuses, reasons.
    pub(crate) codes: Vec<String>,
    /// The messages, one a line; the whole body when it is no JSON.
    pub(crate) text: String,
    /// Values of fields that say how long to wait, by name.
    pub(crate) waits: Vec<(String, Value)>,
}

impl Found {
    pub(crate) fn new(body: &str) -> Self {
        let mut found = Self::default();
        if !found.read(body, 0) {
            found.text = body.to_lowercase();
        }
        found
    }

    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.codes.iter().any(|own| own == code)
    }

    /// Reads JSON, or the `data:` lines of a stream. Whether there was any.
    fn read(&mut self, text: &str, depth: usize) -> bool {
        let text = text.trim();
        if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
            self.walk(&value, depth);
            return true;
        }
        let mut any = false;
        for data in text.lines().filter_map(|line| line.strip_prefix("data:")) {
            if let Ok(value @ Value::Object(_)) = serde_json::from_str(data.trim()) {
                self.walk(&value, depth);
                any = true;
            }
        }
        any
    }

    fn walk(&mut self, value: &Value, depth: usize) {
        if depth > DEPTH {
            return;
        }
        match value {
            Value::Object(map) => self.object(map, depth),
            Value::Array(list) => {
                list.iter().take(KEPT).for_each(|entry| self.walk(entry, depth + 1))
            }
            _ => {}
        }
    }

    fn object(&mut self, map: &Map<String, Value>, depth: usize) {
        for (key, value) in map {
            match (key.to_lowercase().as_str(), value) {
                (name, Value::Object(_) | Value::Array(_)) if name != "headers" => {
                    self.walk(value, depth + 1);
                }
                (name, value) if is_wait(name) => self.waits.push((name.to_owned(), value.clone())),
                (name, Value::Number(number)) if is_code(name) => self.code(&number.to_string()),
                (name, Value::String(code)) if is_code(name) => self.code(code),
                ("error", Value::String(words)) => {
                    self.code(words);
                    self.message(words, depth);
                }
                (name, Value::String(words)) if is_message(name) => self.message(words, depth),
                _ => {}
            }
        }
    }

    fn code(&mut self, code: &str) {
        if self.codes.len() < KEPT {
            self.codes.push(code.to_lowercase());
        }
    }

    /// A message, which can itself be an error as JSON.
    fn message(&mut self, words: &str, depth: usize) {
        if depth < DEPTH
            && words.trim_start().starts_with(['{', '['])
            && self.read(words, depth + 1)
        {
            return;
        }
        self.text.push_str(&words.to_lowercase());
        self.text.push('\n');
    }
}

fn is_code(key: &str) -> bool {
    let codes =
        ["type", "code", "status", "reason", "error_code", "error_type", "quotaid", "__type"];
    codes.contains(&key)
}

fn is_message(key: &str) -> bool {
    ["message", "detail", "msg", "error_description", "error_message", "title"].contains(&key)
}

fn is_wait(key: &str) -> bool {
    let seconds = ["resets_in_seconds", "retry_after", "retryafter", "retry_after_seconds"];
    let others = ["retry_after_ms", "retrydelay", "quotaresetdelay"];
    seconds.contains(&key) || others.contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_inside_a_message_is_found() {
        let found = Found::new(
            r#"{"error":{"message":"{\"error\":{\"code\":\"SLOW\",\"message\":\"Wait\"}}"}}"#,
        );
        assert_eq!((found.codes, found.text.as_str()), (vec!["slow".to_owned()], "wait\n"));
    }

    #[test]
    fn the_lines_of_a_stream_are_read() {
        let found = Found::new(
            "event: error\ndata: {\"error\":{\"type\":\"x\",\"message\":\"Y\"}}\n\ndata: [DONE]\n",
        );
        assert!(found.has_code("x"));
        assert_eq!(found.text, "y\n");
    }

    #[test]
    fn what_is_no_json_is_text() {
        assert_eq!(Found::new("<html>Bad Gateway").text, "<html>bad gateway");
        assert_eq!(Found::new("{\"error\": {\"mess").text, "{\"error\": {\"mess");
    }

    #[test]
    fn nesting_without_end_is_cut() {
        let body = "[".repeat(100) + &"]".repeat(100);
        assert_eq!(Found::new(&body), Found::default());
    }
}
