//! The slots of one account, leased to hosts.

use std::collections::VecDeque;

use weir_core::fallback;
use weir_core::units::Micros;
use weir_sdk::limit;

use crate::scenario::Instances;

/// How far back attempts can reach that the learner is told of.
const MEMORY: Micros = Micros::from_secs(1_200);

/// What was learned of an account, and who holds how much of it.
pub(super) struct Pool {
    pub(super) cell: u32,
    term: Micros,
    refresh: Micros,
    /// The learner's last answer.
    answer: limit::Answer,
    /// The host's view that came last, for what all have in common.
    last: limit::Cell,
    hosts: Vec<Share>,
    /// What was learned and in flight at a time, by time.
    past: VecDeque<(Micros, u32, u32)>,
}

/// A host's part.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    /// What it may have in flight.
    slots: u32,
    /// Until then; it lapses of itself.
    until: Micros,
    in_flight: u32,
    waiting: u32,
}

impl Pool {
    pub(super) fn new(plan: &Instances, cell: limit::Cell, start: u32) -> Self {
        let answer = limit::Answer { limit: start, ..limit::Answer::default() };
        Self {
            cell: cell.id,
            term: plan.term,
            refresh: plan.refresh,
            answer,
            last: cell,
            hosts: vec![Share::default(); plan.count as usize],
            past: VecDeque::new(),
        }
    }

    /// What was learned.
    pub(super) fn capacity(&self) -> u32 {
        self.answer.limit.max(1)
    }

    /// The account as the learner is told of it: all hosts together whose leases hold.
    pub(super) fn whole(&self, now: Micros) -> limit::Cell {
        let waiting = self.living(now).map(|(_, host)| host.waiting);
        limit::Cell {
            limit: self.capacity(),
            effective: self.capacity(),
            in_flight: self.total(now),
            slot_blocked: waiting.fold(0, u32::saturating_add),
            ..self.last
        }
    }

    fn total(&self, now: Micros) -> u32 {
        self.living(now).map(|(_, host)| host.in_flight).fold(0, u32::saturating_add)
    }

    /// What a host has in flight.
    pub(super) fn in_flight(&mut self, now: Micros, instance: usize, count: u32) {
        if let Some(host) = self.hosts.get_mut(instance) {
            host.in_flight = count;
        }
        self.note(now);
    }

    fn note(&mut self, now: Micros) {
        self.past.push_back((now, self.capacity(), self.total(now)));
        while self.past.front().is_some_and(|(at, ..)| at.plus(MEMORY) < now) {
            self.past.pop_front();
        }
    }

    /// What a host tells of itself; with that it lives for another term.
    pub(super) fn report(&mut self, now: Micros, instance: usize, cell: &limit::Cell) {
        if let Some(host) = self.hosts.get_mut(instance) {
            host.waiting = cell.slot_blocked;
            host.until = now.plus(self.term);
        }
        self.last = *cell;
    }

    /// An attempt with the account's numbers in the place of its host's.
    pub(super) fn seen(&self, now: Micros, attempt: limit::Attempt) -> limit::Attempt {
        let after = self.past.partition_point(|(at, ..)| at.0 <= attempt.sent);
        let then = after.checked_sub(1).and_then(|place| self.past.get(place));
        let (limit, in_flight) =
            then.map_or((self.capacity(), self.total(now)), |then| (then.1, then.2));
        limit::Attempt { limit, in_flight: in_flight.max(attempt.in_flight), ..attempt }
    }

    /// The learner's wake is due.
    pub(super) fn is_due(&self, now: Micros) -> bool {
        self.answer.wake != 0 && self.answer.wake <= now.0
    }

    /// Takes the learner's answer over.
    pub(super) fn learn(&mut self, now: Micros, answer: limit::Answer) {
        self.answer = answer;
        self.note(now);
    }

    /// The learner gave no answer: the limit stays, as any host's does then.
    pub(super) fn keep(&mut self, now: Micros) {
        self.learn(now, fallback::keep(&self.whole(now)));
    }

    /// Renews the lease of a host that has just reported: what it may have in flight until when.
    pub(super) fn lease(&mut self, now: Micros, instance: usize) -> limit::Answer {
        let others = self.others(now, instance).map(|host| host.slots.max(host.in_flight));
        let free = self.capacity().saturating_sub(others.fold(0, u32::saturating_add));
        let slots = self.fair(now, instance).min(free).max(1);
        if let Some(host) = self.hosts.get_mut(instance) {
            host.slots = slots;
        }
        let living = self.living(now).count().max(1) as f64;
        let part = |rate: Option<f64>| rate.map(|rate| rate / living);
        limit::Answer {
            limit: slots,
            wake: self.next_wake(now, instance),
            request_rate: part(self.answer.request_rate),
            token_rate: part(self.answer.token_rate),
            ..self.answer
        }
    }

    /// When a host asks again: at its refresh, when the learner wants to be woken, or when another's lease lapses.
    fn next_wake(&self, now: Micros, instance: usize) -> u64 {
        let lapses = self.others(now, instance).map(|host| host.until);
        let learner = Some(Micros(self.answer.wake)).filter(|wake| wake.0 != 0);
        lapses.chain(learner).fold(now.plus(self.refresh), Micros::min).0
    }

    /// Hosts whose leases hold, with their places.
    fn living(&self, now: Micros) -> impl Iterator<Item = (usize, &Share)> {
        self.hosts.iter().enumerate().filter(move |(_, host)| host.until > now)
    }

    /// Those of them that are not this one.
    fn others(&self, now: Micros, instance: usize) -> impl Iterator<Item = &Share> {
        self.living(now).filter(move |(place, _)| *place != instance).map(|(_, host)| host)
    }

    /// A host's max-min fair share: nobody is given more than it wants while another wants more, and what is left
    /// over is dealt out evenly.
    fn fair(&self, now: Micros, instance: usize) -> u32 {
        let mut wants: Vec<(u32, usize)> = self
            .living(now)
            .map(|(place, host)| (host.in_flight.saturating_add(host.waiting), place))
            .collect();
        wants.sort_unstable();
        let mut left = self.capacity();
        let mut own = 0;
        for (served, (want, place)) in wants.iter().enumerate() {
            let among = (wants.len() - served) as u32;
            // What does not divide goes to the last, who want the most.
            let given = (*want).min(left / among);
            left -= given;
            if *place == instance {
                own = given;
            }
        }
        let among = wants.len().max(1) as u32;
        let rank = wants.iter().position(|(_, place)| *place == instance).unwrap_or(0) as u32;
        own + left / among + u32::from(rank < left % among)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(capacity: u32) -> Pool {
        let plan = Instances {
            count: 3,
            term: Micros::from_secs(10),
            refresh: Micros::from_secs(2),
            coordinated: true,
            kills: Vec::new(),
        };
        Pool::new(&plan, cell(0), capacity)
    }

    fn cell(slot_blocked: u32) -> limit::Cell {
        limit::Cell {
            id: 0,
            limit: 1,
            effective: 1,
            in_flight: 0,
            slot_blocked,
            last_start: 0,
            starts_1s: 0,
            starts_60s: 0,
            closed_until: 0,
        }
    }

    /// Each host tells what waits for slots there.
    fn wants(pool: &mut Pool, now: Micros, wants: &[u32]) {
        for (instance, want) in wants.iter().enumerate() {
            pool.report(now, instance, &cell(*want));
        }
    }

    /// What each host holds after every one has told what it wants and asked, several times.
    fn dealt(pool: &mut Pool, now: Micros, wanted: &[u32]) -> Vec<u32> {
        wants(pool, now, wanted);
        let round = |pool: &mut Pool| -> Vec<u32> {
            (0..wanted.len()).map(|host| pool.lease(now, host).limit).collect()
        };
        (0..3).for_each(|_| drop(round(pool)));
        round(pool)
    }

    #[test]
    fn what_all_want_is_shared_evenly_and_never_more_than_there_is() {
        let mut pool = pool(100);
        let dealt = dealt(&mut pool, Micros::SECOND, &[500, 500, 500]);
        assert_eq!(dealt.iter().sum::<u32>(), 100);
        assert!(dealt.iter().all(|slots| (33..=34).contains(slots)), "{dealt:?}");
    }

    #[test]
    fn who_wants_little_leaves_the_rest_to_others() {
        let mut pool = pool(100);
        assert_eq!(dealt(&mut pool, Micros::SECOND, &[10, 500, 500]), [10, 45, 45]);
    }

    #[test]
    fn a_dead_hosts_slots_come_back_when_its_lease_lapses() {
        let mut pool = pool(90);
        assert_eq!(dealt(&mut pool, Micros::SECOND, &[500, 500, 500]), [30, 30, 30]);
        let before = dealt(&mut pool, Micros::from_millis(10_900), &[500, 500]);
        let wake = pool.lease(Micros::from_millis(10_900), 0).wake;
        assert_eq!(wake, 11_000_000, "it asks again as soon as that lapses");
        assert_eq!(before, [30, 30], "its lease holds for ten seconds");
        assert_eq!(dealt(&mut pool, Micros::from_millis(11_100), &[500, 500]), [45, 45]);
    }

    #[test]
    fn what_a_dead_host_had_is_not_told_to_the_learner() {
        let mut pool = pool(90);
        wants(&mut pool, Micros::SECOND, &[5, 6, 500]);
        pool.in_flight(Micros::SECOND, 2, 40);
        let living = Micros::from_millis(10_900);
        wants(&mut pool, living, &[5, 6]);
        let whole = pool.whole(living);
        assert_eq!((whole.slot_blocked, whole.in_flight), (511, 40));
        let lapsed = Micros::from_millis(11_100);
        let whole = pool.whole(lapsed);
        assert_eq!((whole.slot_blocked, whole.in_flight), (11, 0));
    }

    #[test]
    fn what_a_host_still_has_in_flight_beyond_its_lease_is_not_given_away() {
        let mut pool = pool(90);
        let now = Micros::SECOND;
        assert_eq!(dealt(&mut pool, now, &[500]), [90]);
        pool.in_flight(now, 0, 90);
        assert_eq!(dealt(&mut pool, now, &[0, 500, 500]), [30, 1, 1], "one slot is every host's");
        pool.in_flight(now, 0, 50);
        let dealt = dealt(&mut pool, now, &[0, 500, 500]);
        assert_eq!((dealt[0], dealt[1] + dealt[2]), (30, 40), "{dealt:?}");
    }

    #[test]
    fn an_answer_that_failed_leaves_the_limit_and_nothing_else() {
        let mut pool = pool(90);
        let wild = limit::Answer { request_rate: Some(f64::NAN), wake: 5, ..pool.answer };
        pool.learn(Micros::SECOND, wild);
        assert!(pool.is_due(Micros::SECOND));
        pool.keep(Micros::SECOND);
        assert_eq!((pool.capacity(), pool.answer.request_rate), (90, None));
        assert!(!pool.is_due(Micros::SECOND), "a wake that failed would be due again at once");
    }
}
