//! Does everything add up?
//!
//! The rows say what the world sent, saw ending and was told of settlements; each core's own books say what it
//! admitted, what it still holds and what it has charged to quotas. A settlement that a core loses leaves an
//! attempt without one, a slot taken, or a quota from which too little is gone.

use crate::record::{Attempt, Book, Fate, Outcome, Record, Request};

/// How much does not.
pub(super) fn unsettled(record: &Record) -> u64 {
    let open_requests = record.requests.iter().filter(|request| is_open(request));
    let open_attempts = record.attempts.iter().filter(|attempt| attempt.ended.is_none());
    let attempts: u64 = record.requests.iter().map(|request| u64::from(request.attempts)).sum();
    let books = record.books.iter().map(|book| differences(record, book));
    open_requests.count() as u64
        + open_attempts.count() as u64
        + record.sums.arrived.abs_diff(record.requests.len() as u64)
        + record.sums.sent.abs_diff(record.attempts.len() as u64)
        + attempts.abs_diff(record.attempts.len() as u64)
        + books.sum::<u64>()
        + record.sums.unsound.len() as u64
}

fn is_open(request: &Request) -> bool {
    request.outcome == Outcome::Open
}

/// How much of a core's books its rows do not come to.
fn differences(record: &Record, book: &Book) -> u64 {
    let own = |attempt: &&Attempt| attempt.instance == book.instance;
    let attempts = || record.attempts.iter().filter(own);
    let open = attempts().filter(|attempt| attempt.ended.is_none()).count() as u64;
    let requests = record.requests.iter().filter(|request| request.instance == book.instance);
    let inside = requests.filter(|request| is_open(request)).count() as u64;
    let slots = book.slots.iter().map(|slots| u64::from(slots.taken.abs_diff(slots.used)));
    attempts().filter(|attempt| is_wrong(attempt)).count() as u64
        + book.admitted.abs_diff(attempts().count() as u64)
        + book.in_flight.abs_diff(open)
        + book.waiting.abs_diff(inside.saturating_sub(open))
        + slots.sum::<u64>()
        + unspent(record, book)
}

/// It has ended and was not settled, or for another amount than the provider counted.
fn is_wrong(attempt: &Attempt) -> bool {
    let counted = u64::from(attempt.input) + u64::from(attempt.output);
    match attempt.settled {
        Some(settled) => attempt.fate == Fate::Success && settled != counted,
        None => attempt.ended.is_some(),
    }
}

/// Tokens that quotas should have left and have not, or the other way round.
fn unspent(record: &Record, book: &Book) -> u64 {
    if book.quotas.iter().all(Option::is_none) {
        return 0;
    }
    let mut settled = vec![0_u64; book.quotas.len()];
    for attempt in record.attempts.iter().filter(|it| it.instance == book.instance) {
        let request = record.requests.get(attempt.request as usize);
        let sum = request.and_then(|request| settled.get_mut(usize::from(request.tenant)));
        if let (Some(sum), Some(tokens)) = (sum, attempt.settled) {
            *sum = sum.saturating_add(tokens);
        }
    }
    let pairs = book.quotas.iter().zip(settled);
    let of = |(quota, settled): (&Option<_>, u64)| {
        let crate::record::Quota { tokens, unspent } = (*quota)?;
        Some(tokens.saturating_sub(settled).abs_diff(unspent))
    };
    pairs.filter_map(of).sum()
}
