//! The words of answers: one token is one word of four bytes, so that a count by bytes is exact.

use std::ops::Range;

/// Bytes of a token, in prompts and in answers.
pub(crate) const BYTES_A_TOKEN: u64 = 4;

const WORDS: &str = "the net may let one big run end but not yet for all who ask and now \
                     sun sky sea air ice oak elm fox owl bee ant cat dog hen cow pig ";

/// The words of a span of tokens. Answers of different requests start at different words.
pub(crate) fn words(start: u64, tokens: Range<u64>) -> String {
    let count = WORDS.len() as u64 / BYTES_A_TOKEN;
    let word = |token: u64| {
        let at = usize::try_from((start.wrapping_add(token)) % count).unwrap_or(0) * 4;
        WORDS.get(at..at + 4).unwrap_or_default()
    };
    tokens.map(word).collect()
}

/// Tokens in so many bytes, rounded up.
pub(crate) fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_A_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_one_token() {
        assert!(WORDS.split_inclusive(' ').all(|word| word.len() == 4), "{WORDS:?}");
        let text = words(29, 0..100);
        assert_eq!(tokens(text.len()), 100);
        assert_eq!(words(29, 0..40) + &words(29, 40..100), text);
    }
}
