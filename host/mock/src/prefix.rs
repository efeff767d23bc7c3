//! Prompts as chains of hashed messages, and the prefixes seen before.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::text;

/// Prefixes remembered; the oldest goes first.
const REMEMBERED: usize = 4096;

/// A prompt: for each message, the tokens up to its end and a hash of all up to its end.
#[derive(Debug, Default)]
pub(crate) struct Prompt(Vec<(u64, u64)>);

impl Prompt {
    /// Adds a message by the JSON text of its content.
    pub(crate) fn push(&mut self, content: &str) {
        let (tokens, chain) = self.0.last().copied().unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        (chain, content).hash(&mut hasher);
        self.0.push((tokens + text::tokens(content.len()), hasher.finish()));
    }

    pub(crate) fn tokens(&self) -> u64 {
        self.0.last().map_or(0, |(tokens, _)| *tokens)
    }
}

/// The prefixes a provider has in its cache.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Prefixes {
    /// Tokens of the longest known prefix.
    pub(crate) fn cached(&self, prompt: &Prompt) -> u64 {
        let known = |(_, chain): &&(u64, u64)| self.known.contains(chain);
        prompt.0.iter().rev().find(known).map_or(0, |(tokens, _)| *tokens)
    }

    pub(crate) fn remember(&mut self, prompt: &Prompt) {
        for (_, chain) in &prompt.0 {
            if self.known.insert(*chain) {
                self.order.push_back(*chain);
            }
        }
        while self.order.len() > REMEMBERED {
            if let Some(oldest) = self.order.pop_front() {
                self.known.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(messages: &[&str]) -> Prompt {
        let mut prompt = Prompt::default();
        messages.iter().for_each(|message| prompt.push(message));
        prompt
    }

    #[test]
    fn the_longest_known_prefix_counts() {
        let mut prefixes = Prefixes::default();
        prefixes.remember(&prompt(&["a system prompt.", "first"]));
        assert_eq!(prefixes.cached(&prompt(&["a system prompt.", "second"])), 4);
        assert_eq!(prefixes.cached(&prompt(&["a system prompt.", "first", "more"])), 6);
        assert_eq!(prefixes.cached(&prompt(&["first"])), 0);
    }

    #[test]
    fn memory_is_bounded() {
        let mut prefixes = Prefixes::default();
        for number in 0..3 * REMEMBERED {
            prefixes.remember(&prompt(&[&number.to_string()]));
        }
        assert_eq!((prefixes.known.len(), prefixes.order.len()), (REMEMBERED, REMEMBERED));
        assert_eq!(prefixes.cached(&prompt(&["0"])), 0);
    }
}
