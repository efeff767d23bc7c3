//! Requests with equal prompt prefixes go to one candidate, so that its prompt cache is hit.
//!
//! A request brings chained hashes of its prompt's prefix, the longest last: two requests that share the
//! first so many hashes share that much of their prompts. The preferred candidate is, in this order:
//!
//! 1. the one where the longest known prefix was last sent, for `keep_s` seconds after its last use;
//!    providers forget a prompt after about as long;
//! 2. the one whose cache the host thinks holds the most of it;
//! 3. the home of the shortest prefix: of the candidates the one with the highest random weight (Thaler and
//!    Ravishankar, "Using name-based mappings to increase hit rates", 1998), each weighted by its base
//!    weight. All that know the same candidates by name agree on it without a word, and when one goes, only
//!    what it had moves.
//!
//! An affinity without a bound would send everybody with a common system prompt to one place. So a
//! candidate takes at most `load_factor` times its fair share of what is in flight, by limit, and never
//! less than `spare` (Mirrokni, Thorup and Zadimoghaddam, "Consistent hashing with bounded loads", 2018).
//! What is above overflows to the next by random weight, where the longer prefix is then known. A preferred
//! candidate that is full is waited for when it should have room within `patience_ms`. One that this
//! request has tried already, or whose attempts fail, comes last.
//!
//! A prefix that is known stays where it is while it is used there; requests that overflowed do not move
//! it.

use weir_sdk::codes::names;
use weir_sdk::lifecycle::Named;
use weir_sdk::route::{Candidate, Choice, Request, Route};
use weir_sdk::types::CandidateId;
use weir_sdk::{About, Draw, Micros, Policy};

mod affinity;
mod place;
mod rendezvous;
#[cfg(test)]
mod tests;

use affinity::Affinity;
pub use place::Place;
use place::Standing;
use rendezvous::Rendezvous;

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// Seconds after its last use for which a prefix is known.
        keep_s: u64 = 300, in 1..=86_400;
        /// Prefixes that are known at once; the one that was not used for longest goes first.
        prefixes: u32 = 20_000, in 1..=100_000;
        /// How many times its fair share of the requests in flight a candidate takes.
        load_factor: f64 = 1.25, in 1.0..=1_000.0;
        /// In flight up to so many is never too much.
        spare: u32 = 4, in 0..=1_000_000;
        /// Milliseconds that a full, preferred candidate is waited for at most.
        patience_ms: u64 = 500, in 0..=3_600_000;
        /// Least share of recent attempts that succeeded.
        success: f64 = 0.5, in 0.0..=1.0;
    }
}

/// The policy. What it knows of prefixes is lost with it: the host's word on caches takes its place.
pub struct Prefix {
    settings: Settings,
    affinity: Affinity,
    rendezvous: Rendezvous,
}

impl Policy for Prefix {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let keep = Micros::from_secs(settings.keep_s);
        let affinity = Affinity::new(keep, settings.prefixes as usize);
        Ok(Self { settings, affinity, rendezvous: Rendezvous::default() })
    }

    fn names(&mut self, entries: &[Named]) {
        for entry in entries.iter().filter(|entry| entry.kind == names::CANDIDATE) {
            self.rendezvous.name(entry.id as CandidateId, &entry.name);
        }
    }

    fn forget(&mut self, ids: &[(u16, u64)]) {
        for (_, id) in ids.iter().filter(|(kind, _)| *kind == names::CANDIDATE) {
            self.rendezvous.forget(*id as CandidateId);
            self.affinity.forget(*id as CandidateId);
        }
    }
}

impl Prefix {
    /// The preferred candidate, and why it is that.
    fn preferred(
        &self,
        now: Micros,
        prefix: &[u64],
        ranked: &[&Candidate],
    ) -> Option<(CandidateId, Place)> {
        let offered = |id| ranked.iter().any(|candidate| candidate.id == id);
        if let Some(known) = self.affinity.find(now, prefix).filter(|id| offered(*id)) {
            return Some((known, Place::Known));
        }
        let holds = ranked.iter().rev().filter(|candidate| candidate.cached > 0);
        if let Some(most) = holds.max_by_key(|candidate| candidate.cached) {
            return Some((most.id, Place::Cached));
        }
        ranked.first().map(|home| (home.id, Place::Home))
    }
}

impl Route for Prefix {
    fn order(
        &mut self,
        now: Micros,
        request: &Request,
        candidates: &[Candidate],
        draw: Draw,
    ) -> Vec<Choice> {
        let Some(shortest) = request.prefix.first() else {
            return place::by_load(candidates, draw);
        };
        let ranked = self.rendezvous.rank(*shortest, candidates);
        let Some((preferred, why)) = self.preferred(now, &request.prefix, &ranked) else {
            return Vec::new();
        };
        let standing = Standing::new(&self.settings, candidates);
        let order = standing.order(&ranked, preferred, why);
        if let Some(first) = order.first() {
            self.affinity.note(now, &request.prefix, first.candidate);
        }
        order
    }

    fn explain(&self, reason: u16) -> String {
        Place::words(reason).to_owned()
    }
}

weir_sdk::export!(Prefix: route);
