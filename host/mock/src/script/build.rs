//! Scripts built in code.

use super::{
    Kind, Latency, Limits, Output, ProviderScript, RefusalScript, Script, Tools, Window, loopback,
    max_body_bytes, one,
};
use crate::fault::FaultScript;

impl Script {
    /// A script of these providers with seed 0.
    pub fn new(providers: impl IntoIterator<Item = ProviderScript>) -> Self {
        Self { seed: 0, providers: providers.into_iter().collect() }
    }

    /// Sets the seed of every draw.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

impl ProviderScript {
    /// A provider in OpenAI's format that serves any model at once, without limits.
    pub fn openai(name: impl Into<String>) -> Self {
        Self::new(name, Kind::OpenAi)
    }

    /// A provider in Anthropic's format that serves any model at once, without limits.
    pub fn anthropic(name: impl Into<String>) -> Self {
        Self::new(name, Kind::Anthropic)
    }

    fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            listen: loopback(),
            kind,
            models: vec!["*".to_owned()],
            api_key: None,
            limits: Limits::default(),
            window: Window::default(),
            latency: Latency::default(),
            output: Output::default(),
            tokens_per_second: None,
            chunk_tokens: one(),
            refusal: RefusalScript::default(),
            headers: false,
            tools: Tools::default(),
            prompt_cache: false,
            context: None,
            max_body_bytes: max_body_bytes(),
            faults: Vec::new(),
        }
    }

    /// Serves these models only.
    #[must_use]
    pub fn models<S: Into<String>>(mut self, models: impl IntoIterator<Item = S>) -> Self {
        self.models = models.into_iter().map(Into::into).collect();
        self
    }

    /// Demands this key.
    #[must_use]
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how many requests may be in flight, leaving the other limits.
    #[must_use]
    pub fn concurrency(mut self, limit: u32) -> Self {
        self.limits.concurrency = Some(limit);
        self
    }

    /// Sets the time to the first token: mean in milliseconds and sigma.
    #[must_use]
    pub fn latency(mut self, mean_ms: f64, sigma: f64) -> Self {
        self.latency = Latency { mean_ms, sigma, ..self.latency };
        self
    }

    /// Sets the length of answers: mean in tokens and sigma.
    #[must_use]
    pub fn output(mut self, mean: f64, sigma: f64) -> Self {
        self.output = Output { mean, sigma };
        self
    }

    /// Sets the pace of generation and the tokens in one chunk.
    #[must_use]
    pub fn pace(mut self, tokens_per_second: f64, chunk_tokens: u32) -> Self {
        self.tokens_per_second = Some(tokens_per_second);
        self.chunk_tokens = chunk_tokens;
        self
    }

    /// Sets how refusals look.
    #[must_use]
    pub fn refusal(mut self, refusal: RefusalScript) -> Self {
        self.refusal = refusal;
        self
    }

    /// Adds a fault after those there are.
    #[must_use]
    pub fn fault(mut self, fault: FaultScript) -> Self {
        self.faults.push(fault);
        self
    }
}
