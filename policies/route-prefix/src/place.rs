//! The order of candidates around the preferred one.

use weir_sdk::route::{Candidate, Choice};
use weir_sdk::types::CandidateId;
use weir_sdk::{Draw, Micros};

use crate::Settings;

/// Why a candidate stands where it does. The numbers are the reason codes of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Preferred: the longest known prefix was last sent there.
    Known = 1,
    /// Preferred: its cache is thought to hold the most of the prompt.
    Cached = 2,
    /// Preferred: it has the highest random weight for the prefix.
    Home = 3,
    /// Not preferred; by random weight.
    Next = 4,
    /// It has more than its share in flight.
    Loaded = 5,
    /// It does not fit now.
    Full = 6,
    /// This request has tried it, or its attempts fail.
    Failing = 7,
    /// The request brought no prefix; by load.
    NoPrefix = 8,
}

impl Place {
    /// Words for a reason code.
    #[must_use]
    pub fn words(reason: u16) -> &'static str {
        match reason {
            1 => "the longest known prefix was last sent there",
            2 => "its cache is thought to hold the most of the prompt",
            3 => "the home of the prefix by highest random weight",
            4 => "next by highest random weight",
            5 => "more than its share in flight",
            6 => "does not fit now",
            7 => "tried by this request already, or too few recent successes",
            8 => "no prefix is known; by load",
            _ => "unknown",
        }
    }

    /// Those that can take the request well, then the others from bad to worse.
    fn group(self) -> u16 {
        match self {
            Self::Known | Self::Cached | Self::Home | Self::Next | Self::NoPrefix => 0,
            worse => worse as u16,
        }
    }
}

/// How the candidates stand to each other.
pub(crate) struct Standing<'a> {
    settings: &'a Settings,
    /// In flight for each slot of the limits together, with this request among them.
    fair: f64,
}

impl<'a> Standing<'a> {
    pub(crate) fn new(settings: &'a Settings, candidates: &[Candidate]) -> Self {
        let sum = |of: fn(&Candidate) -> u32| candidates.iter().map(|one| f64::from(of(one))).sum();
        let (in_flight, slots): (f64, f64) = (sum(|one| one.in_flight), sum(|one| one.limit));
        Self { settings, fair: (in_flight + 1.0) / slots.max(1.0) }
    }

    /// The preferred one first, unless it cannot take the request; the others as they are ranked.
    pub(crate) fn order(
        &self,
        ranked: &[&Candidate],
        preferred: CandidateId,
        why: Place,
    ) -> Vec<Choice> {
        let place = |candidate: &&&Candidate| {
            if candidate.id == preferred { why } else { Place::Next }
        };
        let mut placed: Vec<(&Candidate, Place)> =
            ranked.iter().map(|one| (*one, self.judge(one, place(&one)))).collect();
        // Stable: equals stay as they are ranked.
        placed.sort_by_key(|(one, place)| (place.group(), one.id != preferred));
        placed.iter().enumerate().map(|(at, of)| self.choice(at, *of)).collect()
    }

    fn judge(&self, candidate: &Candidate, otherwise: Place) -> Place {
        if candidate.tries > 0 || candidate.success < self.settings.success {
            Place::Failing
        } else if self.too_much(candidate) {
            Place::Loaded
        } else if !candidate.fits && (otherwise == Place::Next || !self.worth_a_wait(candidate)) {
            Place::Full
        } else {
            otherwise
        }
    }

    /// One more would be above its share.
    fn too_much(&self, candidate: &Candidate) -> bool {
        let share = self.fair * f64::from(candidate.limit) * self.settings.load_factor;
        let with_this = f64::from(candidate.in_flight) + 1.0;
        with_this > share.ceil().max(f64::from(self.settings.spare))
    }

    fn worth_a_wait(&self, candidate: &Candidate) -> bool {
        Micros(candidate.wait) <= Micros::from_millis(self.settings.patience_ms)
    }

    fn choice(&self, at: usize, (candidate, place): (&Candidate, Place)) -> Choice {
        let waits = !candidate.fits && place.group() == 0;
        Choice {
            candidate: candidate.id,
            score: at as f64,
            reason: place as u16,
            patience: if waits { Micros::from_millis(self.settings.patience_ms).0 } else { 0 },
        }
    }
}

/// Candidates by the share of their limit in flight, those that fit first; equals by the draw.
pub(crate) fn by_load(candidates: &[Candidate], draw: Draw) -> Vec<Choice> {
    let load = |one: &Candidate| {
        (f64::from(one.in_flight) + 1.0) / f64::from(one.limit.max(1)) * one.base_weight
    };
    let choice = |one: &Candidate| Choice {
        candidate: one.id,
        score: load(one),
        reason: Place::NoPrefix as u16,
        patience: 0,
    };
    let mut order: Vec<(bool, Choice)> =
        candidates.iter().map(|one| (!one.fits, choice(one))).collect();
    let first = draw.below(order.len() as u64) as usize;
    order.rotate_left(first);
    order.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.score.total_cmp(&other.1.score)));
    order.into_iter().map(|(_, choice)| choice).collect()
}
