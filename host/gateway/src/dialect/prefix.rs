//! Hashes of a prompt's prefix, by which a route finds the cache that holds it.
//!
//! A provider reads a prompt in the order tools, system, messages, whatever their order in the body, and can
//! take from its cache what starts like an earlier one. An agent's next request is its last one with some messages
//! more. So the prompt is cut after tools and system and after each message, and at each cut stands a hash of
//! all before it. Of these cuts the contract takes eight: the first two, which tell agents and
//! conversations apart, and the last six, among which the whole of the last request is.
//!
//! The hash is FNV-1a over the values of the JSON, so that it does not depend on its spacing, and is the same on
//! every host. What clients move from turn to turn without changing the prompt (`cache_control`) is left
//! out. Nothing of the body is copied.

use std::collections::VecDeque;
use std::fmt;
use std::hash::Hasher;

use fnv::FnvHasher;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Hashes that a request brings at most, and of them those of its end.
const MOST: usize = 8;
const LAST: usize = 6;

/// The hashes of a body's prompt, the longest last; none when it is no request.
pub(crate) fn of(body: &[u8]) -> Vec<u64> {
    serde_json::from_slice::<Prompt>(body).map_or_else(|_| Vec::new(), |prompt| prompt.hashes())
}

#[derive(Deserialize)]
struct Prompt {
    #[serde(default)]
    model: Digest,
    #[serde(default)]
    tools: Digest,
    #[serde(default)]
    system: Digest,
    #[serde(default)]
    messages: Messages,
}

impl Prompt {
    fn hashes(self) -> Vec<u64> {
        let (model, tools, system) = (self.model.0, self.tools.0, self.system.0);
        let parts = [model, tools, system].map(|part| part.unwrap_or_default());
        let head = parts.into_iter().fold(0, chain);
        let mut cuts = Vec::with_capacity(MOST);
        // A model alone is no prompt.
        cuts.extend((tools.is_some() || system.is_some()).then_some(head));
        let first = self.messages.first.filter(|first| !self.messages.last.contains(first));
        let messages = first.into_iter().chain(self.messages.last);
        cuts.extend(messages.map(|messages| chain(head, messages)));
        cuts
    }
}

/// The hash of what comes before and what comes next.
fn chain(before: u64, next: u64) -> u64 {
    let mut hasher = FnvHasher::with_key(before);
    hasher.write(&next.to_le_bytes());
    hasher.finish()
}

/// The hash of a JSON value; absent when there is none, or `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Digest(Option<u64>);

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut hasher = FnvHasher::default();
        let there = Feed(&mut hasher).deserialize(from)?;
        Ok(Self(there.then(|| hasher.finish())))
    }
}

/// Chained hashes of messages: after the first, and after each of the last.
#[derive(Debug, Default)]
struct Messages {
    first: Option<u64>,
    last: VecDeque<u64>,
}

impl<'de> Deserialize<'de> for Messages {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(Chain)
    }
}

struct Chain;

impl<'de> Visitor<'de> for Chain {
    type Value = Messages;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Messages, A::Error> {
        let mut messages = Messages::default();
        let mut so_far = 0;
        while let Some(Digest(message)) = seq.next_element()? {
            so_far = chain(so_far, message.unwrap_or_default());
            messages.first.get_or_insert(so_far);
            if messages.last.len() == LAST {
                messages.last.pop_front();
            }
            messages.last.push_back(so_far);
        }
        Ok(messages)
    }
}

/// Feeds a value to a hasher, each with a letter that tells its kind. Says whether there was any.
struct Feed<'a>(&'a mut FnvHasher);

impl<'de> DeserializeSeed<'de> for Feed<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<bool, D::Error> {
        from.deserialize_any(self)
    }
}

impl Feed<'_> {
    fn write(self, kind: u8, bytes: &[u8]) -> bool {
        self.0.write_u8(kind);
        self.0.write(&(bytes.len() as u64).to_le_bytes());
        self.0.write(bytes);
        true
    }
}

impl<'de> Visitor<'de> for Feed<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        Ok(self.write(b's', text.as_bytes()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<bool, E> {
        Ok(self.write(b'b', &[u8::from(value)]))
    }

    fn visit_i64<E>(self, number: i64) -> Result<bool, E> {
        Ok(self.write(b'i', &number.to_le_bytes()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<bool, E> {
        Ok(self.write(b'u', &number.to_le_bytes()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<bool, E> {
        Ok(self.write(b'f', &number.to_le_bytes()))
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        self.write(b'n', &[]);
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<bool, A::Error> {
        self.0.write_u8(b'[');
        while seq.next_element_seed(Feed(self.0))?.is_some() {}
        self.0.write_u8(b']');
        Ok(true)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        self.0.write_u8(b'{');
        while let Some(moves) = map.next_key_seed(Key(self.0))? {
            if moves {
                map.next_value::<IgnoredAny>()?;
            } else {
                map.next_value_seed(Feed(self.0))?;
            }
        }
        self.0.write_u8(b'}');
        Ok(true)
    }
}

/// A key; says whether its value moves from turn to turn.
struct Key<'a>(&'a mut FnvHasher);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<bool, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        let moves = key == "cache_control";
        Ok(moves || !Feed(self.0).write(b'k', key.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn hashes(body: &Value) -> Vec<u64> {
        of(body.to_string().as_bytes())
    }

    /// A conversation of so many messages.
    fn talk(count: usize) -> Value {
        let message = |at| json!({ "role": "user", "content": format!("message {at}") });
        json!({ "model": "m", "system": "be brief", "messages": (0..count).map(message).collect::<Vec<_>>() })
    }

    #[test]
    fn each_turn_brings_the_whole_of_the_last_one() {
        let mut before = hashes(&talk(1));
        assert_eq!(before.len(), 2);
        for count in (3..40).step_by(2) {
            let now = hashes(&talk(count));
            assert!(now.len() <= MOST, "{count}");
            assert_eq!(now[..2], before[..2], "the agent and the conversation, {count}");
            assert!(now.contains(before.last().unwrap()), "{count}");
            assert!(!before.contains(now.last().unwrap()), "{count}");
            before = now;
        }
    }

    #[test]
    fn every_cut_has_one_hash() {
        for count in 0..12 {
            let hashes = hashes(&talk(count));
            assert_eq!(hashes.len(), 1 + count.min(7), "{count}");
            let mut once = hashes.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), hashes.len(), "{count}");
        }
    }

    #[test]
    fn what_differs_early_differs_in_every_later_hash() {
        let (one, mut other) = (hashes(&talk(5)), talk(5));
        other["messages"][1]["content"] = "another".into();
        let other = hashes(&other);
        assert_eq!(one[..2], other[..2]);
        assert!(one[2..].iter().all(|hash| !other.contains(hash)));
        for (key, value) in
            [("system", json!("be long")), ("model", json!("n")), ("tools", json!([1]))]
        {
            let mut third = talk(5);
            third[key] = value;
            assert!(hashes(&third).iter().all(|hash| !one.contains(hash)), "{key}");
        }
    }

    #[test]
    fn spacing_the_order_of_parts_and_marks_for_the_cache_do_not_count() {
        let plain = br#"{"model":"m","system":"s","messages":[{"role":"user","content":"hi"}]}"#;
        let other = br#"{ "messages": [ {"role":"user", "cache_control":{"type":"ephemeral"},
            "content":"h\u0069"} ], "system": "s", "temperature": 1, "model": "m" }"#;
        assert_eq!(of(plain), of(other));
    }

    #[test]
    fn values_of_different_shape_differ() {
        let shapes = [
            json!("ab"),
            json!(["ab"]),
            json!(["a", "b"]),
            json!({ "a": "b" }),
            json!(1),
            json!(-1),
            json!(1.5),
        ];
        let shapes: Vec<_> =
            shapes.iter().map(|value| hashes(&json!({ "system": value }))).collect();
        for (at, one) in shapes.iter().enumerate() {
            assert_eq!(one.len(), 1);
            assert!(shapes[at + 1..].iter().all(|other| other != one), "{at}");
        }
    }

    #[test]
    fn what_is_no_prompt_has_no_hash() {
        assert_eq!(of(br#"{"model":"m"}"#), [0_u64; 0]);
        assert_eq!(of(br#"{"model":"m","system":null,"messages":[]}"#), [0_u64; 0]);
        assert_eq!(of(br#"{"model":"m","messages":"hi"}"#), [0_u64; 0]);
        assert_eq!(of(b"nonsense"), [0_u64; 0]);
    }

    #[test]
    fn the_hash_is_the_same_on_every_host() {
        let body = br#"{"model":"m","system":"s","messages":[{"role":"user","content":"hi"}]}"#;
        assert_eq!(of(body), [9_704_102_592_268_986_271, 3_635_814_430_160_313_844]);
    }
}
