//! Counting text in JSON without keeping it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Keys whose values are no text of a prompt or an answer.
const NO_TEXT: [&str; 9] = [
    "role",
    "type",
    "id",
    "index",
    "finish_reason",
    "logprobs",
    "media_type",
    "cache_control",
    "signature",
];

/// The bytes of the strings in any JSON value, found in one pass that allocates nothing.
/// Keys, ids and inline files (`data:` addresses) do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// Bytes of text.
    pub(crate) bytes: u64,
    /// Elements, when the value is an array.
    pub(crate) items: u32,
}

impl Text {
    const NONE: Self = Self { bytes: 0, items: 0 };
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Count)
    }
}

struct Count;

impl<'de> Visitor<'de> for Count {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        let bytes = if text.starts_with("data:") { 0 } else { text.len() as u64 };
        Ok(Text { bytes, items: 0 })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text, E> {
        Ok(Text::NONE)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Text, E> {
        Ok(Text::NONE)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Text, E> {
        Ok(Text::NONE)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Text, E> {
        Ok(Text::NONE)
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text::NONE)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Text, A::Error> {
        let mut sum = Text::NONE;
        while let Some(inner) = seq.next_element::<Text>()? {
            sum.bytes += inner.bytes;
            sum.items += 1;
        }
        Ok(sum)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        let mut sum = Text::NONE;
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::Text => sum.bytes += map.next_value::<Text>()?.bytes,
                Key::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(sum)
    }
}

/// Whether a key's value counts.
enum Key {
    Text,
    Other,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Sort;
        impl Visitor<'_> for Sort {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, key: &str) -> Result<Key, E> {
                Ok(if NO_TEXT.contains(&key) { Key::Other } else { Key::Text })
            }
        }
        from.deserialize_str(Sort)
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    fn count(json: &str) -> (u64, u32) {
        let text: Text = serde_json::from_str(json).unwrap();
        (text.bytes, text.items)
    }

    #[test]
    fn strings_count_wherever_they_stand() {
        assert_eq!(count(r#"[{"role":"user","content":"abcd"}]"#), (4, 1));
        assert_eq!(count(r#"[{"content":[{"type":"text","text":"ab"},{"text":"c"}]}]"#), (3, 1));
        assert_eq!(count(r#""\u00e9\n""#), (3, 0));
    }

    #[test]
    fn what_is_no_text_counts_nothing() {
        assert_eq!(count(r#"{"image_url":{"url":"data:image/png;base64,AAAA"}}"#), (0, 0));
        assert_eq!(count("[1, 2.5, true, null, -3]"), (0, 5));
        assert_eq!(count("[]"), (0, 0));
    }
}
