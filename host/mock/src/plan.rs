//! What will be answered, decided before the first byte.

use crate::ask::Ask;
use crate::clock::{Clock, Micros, SECOND};
use crate::sample::Dice;
use crate::script::ProviderScript;
use crate::text;
use crate::tool::Call;

/// The draws and consequences of one accepted request.
#[derive(Debug)]
pub(crate) struct Plan {
    /// From 1, in the order of arrival.
    pub(crate) number: u64,
    pub(crate) id: String,
    /// The name of the request in its headers.
    pub(crate) request_id: String,
    pub(crate) model: String,
    /// Seconds since the epoch.
    pub(crate) created: u64,
    pub(crate) input: u64,
    /// The part of `input` that was cached.
    pub(crate) cached: u64,
    pub(crate) output: u64,
    pub(crate) content: Content,
    pub(crate) finish: Finish,
    pub(crate) include_usage: bool,
    pub(crate) chunk_tokens: u64,
    /// From acceptance to the first token, without the load of others.
    pub(crate) first_token: Micros,
    tokens_per_second: Option<f64>,
}

/// What the gate and the provider say of a request before it is planned.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    pub(crate) request_id: String,
    /// Tokens of the prompt that are cached.
    pub(crate) cached: u64,
}

/// What the answer consists of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// Filler words.
    Text,
    /// A tool call with its arguments as JSON text.
    Tool(Call, String),
}

/// Why generation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    Stop,
    Length,
    Tool,
}

impl Plan {
    pub(crate) fn new(
        ask: &Ask,
        entry: Entry,
        script: &ProviderScript,
        dice: &mut Dice,
        clock: &Clock,
    ) -> Self {
        let Entry { number, request_id, cached } = entry;
        let latency = dice.log_normal(script.latency.mean_ms, script.latency.sigma);
        let drawn = whole(dice.log_normal(script.output.mean, script.output.sigma)).max(1);
        let call = ask.tools.as_ref().and_then(|offer| offer.call(script.tools));
        let longest = ask.max_tokens.unwrap_or(u64::MAX);
        let (content, output, finish) = match call {
            Some(call) => {
                let arguments = call.arguments.to_string();
                let output = text::tokens(arguments.len());
                (Content::Tool(call, arguments), output, Finish::Tool)
            }
            None if drawn > longest => (Content::Text, longest, Finish::Length),
            None => (Content::Text, drawn, Finish::Stop),
        };
        Self {
            number,
            id: format!("{:016x}{number:08x}", dice.number()),
            request_id,
            model: ask.model.clone(),
            created: clock.epoch_seconds(clock.now()),
            input: ask.prompt.tokens(),
            cached,
            output,
            content,
            finish,
            include_usage: ask.include_usage,
            chunk_tokens: u64::from(script.chunk_tokens),
            first_token: whole(latency * 1000.0),
            tokens_per_second: script.tokens_per_second,
        }
    }

    /// Chunks of content in a stream.
    pub(crate) fn chunks(&self) -> u64 {
        self.output.div_ceil(self.chunk_tokens)
    }

    /// Tokens generated once the first `chunks` are out.
    pub(crate) fn tokens_after(&self, chunks: u64) -> u64 {
        chunks.saturating_mul(self.chunk_tokens).min(self.output)
    }

    /// From the first token to the end of so many tokens.
    #[expect(clippy::cast_precision_loss, reason = "token counts are small")]
    pub(crate) fn generation(&self, tokens: u64) -> Micros {
        let pace = |rate: f64| whole(tokens.saturating_sub(1) as f64 / rate * SECOND as f64);
        self.tokens_per_second.map_or(0, pace)
    }

    /// The text of the whole answer.
    pub(crate) fn text(&self) -> String {
        text::words(self.number, 0..self.output)
    }

    /// The text of one chunk: words, or a piece of the call's arguments.
    pub(crate) fn piece(&self, chunk: u64) -> String {
        let span = self.tokens_after(chunk)..self.tokens_after(chunk + 1);
        match &self.content {
            Content::Text => text::words(self.number, span),
            Content::Tool(_, arguments) => {
                let at = |token: u64| floor_boundary(arguments, token * text::BYTES_A_TOKEN);
                arguments.get(at(span.start)..at(span.end)).unwrap_or_default().to_owned()
            }
        }
    }
}

/// The extra wait for the load of others.
pub(crate) fn load(script: &ProviderScript, others: u32) -> Micros {
    whole(script.latency.per_in_flight_ms * f64::from(others) * 1000.0)
}

/// The character boundary at or before a byte position.
fn floor_boundary(text: &str, at: u64) -> usize {
    let at = usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The nearest whole number; NaN and negatives are 0 and the rest saturates.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
fn whole(value: f64) -> u64 {
    libm::round(value) as u64
}

#[cfg(test)]
mod tests {
    use super::floor_boundary;

    #[test]
    fn pieces_of_any_text_make_the_text() {
        let text = r#"{"city":"Zürich 東京 🌧"}"#;
        for step in 1..9 {
            let cuts: Vec<usize> = (0..=40).map(|n| floor_boundary(text, n * step)).collect();
            let pieces: String = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
            assert_eq!(pieces, text[..cuts[40]], "step {step}");
            assert_eq!(cuts[40] == text.len(), 40 * step >= text.len() as u64);
        }
    }
}
