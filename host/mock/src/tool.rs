//! Tools that a request offers, and the call that an answer makes.

use serde_json::{Map, Value};

use crate::script::Tools;

/// The tools of a request.
#[derive(Debug)]
pub(crate) struct Offer {
    /// The tool to call: the one demanded by name, or the first.
    pub(crate) name: String,
    /// JSON Schema of its arguments.
    pub(crate) schema: Value,
    pub(crate) choice: Choice,
    /// Whether the last message is a tool's result.
    pub(crate) answered: bool,
}

/// Who decides whether a tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The request forbids it.
    Forbidden,
    /// The model.
    Free,
    /// The request demands it.
    Demanded,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

impl Offer {
    pub(crate) fn call(&self, tools: Tools) -> Option<Call> {
        let calls = match self.choice {
            Choice::Forbidden => false,
            Choice::Demanded => true,
            Choice::Free => tools == Tools::Always && !self.answered,
        };
        calls.then(|| Call { name: self.name.clone(), arguments: sample(&self.schema) })
    }
}

/// The smallest value that a schema's types, `enum` and `required` allow. The nesting is bounded by the
/// JSON parser's own depth.
fn sample(schema: &Value) -> Value {
    if let Some(first) = schema.get("enum").and_then(|values| values.get(0)) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") | None => Value::Object(sample_object(schema)),
        Some("array") => Value::Array(Vec::new()),
        Some("integer" | "number") => Value::from(1),
        Some("boolean") => Value::Bool(true),
        Some("null") => Value::Null,
        Some(_) => Value::from("mock"),
    }
}

fn sample_object(schema: &Value) -> Map<String, Value> {
    let required = schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| {
        let property = schema.get("properties").and_then(|properties| properties.get(name));
        (name.to_owned(), property.map_or(Value::from("mock"), sample))
    };
    names.map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn offer(choice: Choice, answered: bool) -> Offer {
        Offer { name: "get_weather".to_owned(), schema: json!({}), choice, answered }
    }

    #[test]
    fn demand_wins_over_the_script_and_a_ban_over_both() {
        assert!(offer(Choice::Demanded, true).call(Tools::Asked).is_some());
        assert!(offer(Choice::Free, false).call(Tools::Asked).is_none());
        assert!(offer(Choice::Free, false).call(Tools::Always).is_some());
        assert!(offer(Choice::Free, true).call(Tools::Always).is_none());
        assert!(offer(Choice::Forbidden, false).call(Tools::Always).is_none());
    }

    #[test]
    fn arguments_satisfy_the_schema() {
        let schema = json!({
            "type": "object",
            "properties": {
                "city": { "type": "string" },
                "unit": { "type": "string", "enum": ["celsius", "kelvin"] },
                "days": { "type": "integer" },
                "where": { "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] },
            },
            "required": ["city", "unit", "where"],
        });
        let arguments = json!({ "city": "mock", "unit": "celsius", "where": { "x": 1 } });
        assert_eq!(sample(&schema), arguments);
    }
}
