//! What a type cannot say: ranges, unique names, spans that are not empty.

use super::{ProviderScript, Script};
use crate::fault::{Effect, FaultScript};

/// A value that makes no sense, with the way to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}; {mend}", path_text(path))]
pub struct Invalid {
    /// Keys and list positions from the top of the script.
    pub path: Vec<Step>,
    /// What is wrong.
    pub problem: String,
    /// What to write instead.
    pub mend: String,
}

/// One step on the way to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A table's key.
    Key(&'static str),
    /// A list's position, from 0.
    At(usize),
}

type Checked = Result<(), Invalid>;

impl Script {
    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first value that is out of range, with the way to it and what to write instead.
    pub fn check(&self) -> Result<(), Invalid> {
        let at = vec![Step::Key("provider")];
        demand(!self.providers.is_empty(), &at, "no provider", "add a [[provider]] table")?;
        for (index, provider) in self.providers.iter().enumerate() {
            let at = with(&at, Step::At(index));
            let earlier = self.providers.iter().take(index);
            let unique = earlier.clone().all(|other| other.name != provider.name);
            let mend = "give each provider its own name";
            demand(unique, &key(&at, "name"), "this name is taken", mend)?;
            provider.check(&at)?;
        }
        Ok(())
    }
}

impl ProviderScript {
    fn check(&self, at: &[Step]) -> Checked {
        let named = !self.name.is_empty();
        demand(named, &key(at, "name"), "an empty name", "write a name")?;
        let mend = "list at least one model, or \"*\" for any";
        demand(!self.models.is_empty(), &key(at, "models"), "no model", mend)?;
        self.check_limits(&key(at, "limits"))?;
        let latency = key(at, "latency");
        amount(self.latency.mean_ms, &latency, "mean_ms")?;
        sigma(self.latency.sigma, &latency)?;
        amount(self.latency.per_in_flight_ms, &latency, "per_in_flight_ms")?;
        let output = key(at, "output");
        amount(self.output.mean, &output, "mean")?;
        sigma(self.output.sigma, &output)?;
        let pace = self.tokens_per_second.unwrap_or(1.0);
        let at_pace = key(at, "tokens_per_second");
        let mend = "write a number above 0, or leave the key out for no pacing";
        demand(pace.is_finite() && pace > 0.0, &at_pace, "no pace", mend)?;
        positive(Some(self.chunk_tokens), &key(at, "chunk_tokens"))?;
        positive(self.context, &key(at, "context"))?;
        for (index, fault) in self.faults.iter().enumerate() {
            fault.check(&with(&key(at, "fault"), Step::At(index)))?;
        }
        Ok(())
    }

    fn check_limits(&self, at: &[Step]) -> Checked {
        positive(self.limits.concurrency, &key(at, "concurrency"))?;
        positive(self.limits.rpm, &key(at, "rpm"))?;
        positive(self.limits.tpm, &key(at, "tpm"))?;
        positive(self.limits.input_tpm, &key(at, "input_tpm"))?;
        positive(self.limits.output_tpm, &key(at, "output_tpm"))
    }
}

impl FaultScript {
    fn check(&self, at: &[Step]) -> Checked {
        let ends = self.until_ms.is_none_or(|until| until > self.from_ms);
        let mend = "write an until_ms above from_ms";
        demand(ends, &key(at, "until_ms"), "the fault ends before it begins", mend)?;
        let every = self.every != Some(0);
        demand(every, &key(at, "every"), "every 0th request", "write 1 or more")?;
        let chance = self.chance.is_none_or(|chance| (0.0..=1.0).contains(&chance));
        let mend = "write a number from 0.0 to 1.0";
        demand(chance, &key(at, "chance"), "not a probability", mend)?;
        if let Effect::Status(status) = self.effect {
            let known = crate::fault::STATUSES.contains(&status);
            let mend = format!("write one of {:?}", crate::fault::STATUSES);
            demand(known, &key(at, "effect"), "a status no fault can have", &mend)?;
        }
        Ok(())
    }
}

fn positive(value: Option<u32>, at: &[Step]) -> Checked {
    let mend = "write 1 or more, or leave the key out for no limit";
    demand(value != Some(0), at, "0 lets nothing through", mend)
}

fn amount(value: f64, at: &[Step], name: &'static str) -> Checked {
    let sane = (0.0..=1e9).contains(&value);
    demand(sane, &key(at, name), "out of range", "write a number from 0 to 1e9")
}

fn sigma(value: f64, at: &[Step]) -> Checked {
    let sane = (0.0..=4.0).contains(&value);
    demand(sane, &key(at, "sigma"), "out of range", "write a number from 0.0 to 4.0")
}

fn demand(holds: bool, at: &[Step], problem: &str, mend: &str) -> Checked {
    if holds {
        return Ok(());
    }
    Err(Invalid { path: at.to_vec(), problem: problem.to_owned(), mend: mend.to_owned() })
}

fn key(at: &[Step], name: &'static str) -> Vec<Step> {
    with(at, Step::Key(name))
}

fn with(at: &[Step], step: Step) -> Vec<Step> {
    at.iter().cloned().chain([step]).collect()
}

/// `provider[1].limits.rpm`.
pub(super) fn path_text(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.extend([".", key]),
            Step::At(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}
