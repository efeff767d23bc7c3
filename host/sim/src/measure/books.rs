//! Does everything add up?

use crate::record::{Outcome, Record};

/// How much does not.
pub(super) fn unsettled(record: &Record) -> u64 {
    let open_requests = record.requests.iter().filter(|request| request.outcome == Outcome::Open);
    let open_attempts = record.attempts.iter().filter(|attempt| attempt.ended.is_none());
    let attempts: u64 = record.requests.iter().map(|request| u64::from(request.attempts)).sum();
    open_requests.count() as u64
        + open_attempts.count() as u64
        + record.sums.arrived.abs_diff(record.requests.len() as u64)
        + record.sums.sent.abs_diff(record.attempts.len() as u64)
        + attempts.abs_diff(record.attempts.len() as u64)
        + record.sums.unsound.len() as u64
}
