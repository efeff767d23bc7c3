//! Highest random weight: for each prefix an order of candidates that nobody has to remember.

use std::collections::BTreeMap;

use weir_sdk::Draw;
use weir_sdk::route::Candidate;
use weir_sdk::types::CandidateId;

/// What stands for each candidate in a hash: its name where it has one, because ids differ between hosts.
#[derive(Debug, Default)]
pub(crate) struct Rendezvous {
    prints: BTreeMap<CandidateId, u64>,
}

impl Rendezvous {
    pub(crate) fn name(&mut self, id: CandidateId, name: &str) {
        self.prints.insert(id, fnv(name));
    }

    pub(crate) fn forget(&mut self, id: CandidateId) {
        self.prints.remove(&id);
    }

    /// The candidates in the order of a prefix. Each draws a time from an exponential distribution whose
    /// mean is its base weight, and the earliest is first: one that is half as heavy is so twice as often.
    pub(crate) fn rank<'a>(&self, prefix: u64, candidates: &'a [Candidate]) -> Vec<&'a Candidate> {
        let mut ranked: Vec<(f64, &Candidate)> =
            candidates.iter().map(|candidate| (self.time(prefix, candidate), candidate)).collect();
        ranked.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.id.cmp(&other.1.id)));
        ranked.into_iter().map(|(_, candidate)| candidate).collect()
    }

    fn time(&self, prefix: u64, candidate: &Candidate) -> f64 {
        let print = self.prints.get(&candidate.id).copied();
        let print = print.unwrap_or_else(|| mix(u64::from(candidate.id)));
        -Draw(mix(prefix ^ print)).unit().ln() * candidate.base_weight
    }
}

/// FNV-1a over the bytes of a name.
fn fnv(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// Spreads every bit over all (the finaliser of SplitMix64).
fn mix(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use weir_sdk::testing::candidate;

    use super::*;

    fn home(rendezvous: &Rendezvous, prefix: u64, candidates: &[Candidate]) -> CandidateId {
        rendezvous.rank(prefix, candidates)[0].id
    }

    #[test]
    fn prefixes_spread_by_weight() {
        let candidates =
            [candidate(1), candidate(2), Candidate { base_weight: 0.5, ..candidate(3) }];
        let mut homes = [0; 3];
        for prefix in 0..4_000 {
            homes[home(&Rendezvous::default(), prefix, &candidates) as usize - 1] += 1;
        }
        // One quarter, one quarter, one half.
        assert!((900..1_100).contains(&homes[0]), "{homes:?}");
        assert!((900..1_100).contains(&homes[1]), "{homes:?}");
        assert!((1_850..2_150).contains(&homes[2]), "{homes:?}");
    }

    #[test]
    fn when_a_candidate_goes_only_its_own_prefixes_move() {
        let all = [candidate(1), candidate(2), candidate(3)];
        let rendezvous = Rendezvous::default();
        for prefix in 0..500 {
            let before = home(&rendezvous, prefix, &all);
            let after = home(&rendezvous, prefix, &all[..2]);
            assert!(before == 3 || before == after, "prefix {prefix}");
        }
    }

    #[test]
    fn hosts_that_number_otherwise_agree_by_name() {
        let (mut here, mut there) = (Rendezvous::default(), Rendezvous::default());
        for (id, name) in [(1, "a/m"), (2, "b/m"), (3, "c/m")] {
            here.name(id, name);
            there.name(4 - id, name);
        }
        let all = [candidate(1), candidate(2), candidate(3)];
        for prefix in 0..100 {
            assert_eq!(home(&here, prefix, &all), 4 - home(&there, prefix, &all));
        }
    }
}
