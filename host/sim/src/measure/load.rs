//! What was sent, what the provider served and what it refused.

use weir_core::units::Micros;

use super::run::Run;
use super::steps::Steps;
use super::window::Window;
use crate::record::{Attempt, Fate};

/// The span over which a rate of successes is taken.
const RATE: Micros = Micros::from_secs(5);

/// The provider worked on it: neither refused nor failed.
pub(super) fn served(attempt: &&Attempt) -> bool {
    !attempt.fate.is_throttle() && !attempt.fate.is_failure()
}

/// Seconds of a window in which the provider served an attempt. A parent's parked time is spread evenly over
/// its own span.
pub(super) fn served_seconds(attempt: &Attempt, window: Window) -> f64 {
    let ended = attempt.ended.unwrap_or(Micros::MAX);
    let whole = (ended - attempt.sent).as_secs_f64();
    let from = attempt.sent.max(window.from);
    let until = ended.min(window.until);
    if from >= until || whole <= 0.0 {
        return 0.0;
    }
    let working = 1.0 - attempt.parked.as_secs_f64() / whole;
    (until - from).as_secs_f64() * working.max(0.0)
}

/// What the provider took at once, over time; infinity where nothing bounds it.
pub(super) fn hidden(run: Run<'_>, upstream: u16) -> Steps {
    let number = |hidden| if hidden == u32::MAX { f64::INFINITY } else { f64::from(hidden) };
    let samples = run.record.samples.iter().filter_map(|sample| {
        let cell = sample.cells.get(usize::from(upstream))?;
        Some((sample.at, number(cell.hidden)))
    });
    let sent = run.all_attempts(upstream).map(|attempt| (attempt.sent, number(attempt.hidden)));
    let mut changes: Vec<_> = samples.chain(sent).collect();
    changes.sort_by_key(|(at, _)| *at);
    Steps::new(changes)
}

/// Attempts that the provider served at once, over time. A parked parent counts.
fn in_flight(run: Run<'_>, upstream: u16) -> Steps {
    let served = run.all_attempts(upstream).filter(served);
    Steps::count(served.map(|attempt| (attempt.sent, attempt.ended)))
}

pub(super) fn in_flight_share(run: Run<'_>, upstream: u16) -> Option<f64> {
    let served = run.all_attempts(upstream).filter(served);
    let seconds: f64 = served.map(|attempt| served_seconds(attempt, run.window)).sum();
    let room = hidden(run, upstream).mean(run.window)? * run.window.seconds();
    (room > 0.0).then(|| seconds / room)
}

pub(super) fn throttled_share(run: Run<'_>, upstream: u16) -> Option<f64> {
    let sent = run.attempts(upstream).count();
    (sent > 0).then(|| throttles(run, upstream) / sent as f64)
}

pub(super) fn throttles_per_minute(run: Run<'_>, upstream: u16) -> Option<f64> {
    let minutes = run.window.seconds() / 60.0;
    (minutes > 0.0).then(|| throttles(run, upstream) / minutes)
}

fn throttles(run: Run<'_>, upstream: u16) -> f64 {
    run.attempts(upstream).filter(|attempt| attempt.fate.is_throttle()).count() as f64
}

pub(super) fn seconds_to_fill(run: Run<'_>, upstream: u16, share: f64) -> Option<f64> {
    let room = hidden(run, upstream).at(run.window.from)?;
    let filled = in_flight(run, upstream).first_at_least(share * room, run.window);
    Some(run.seconds_until(filled))
}

pub(super) fn attempts_per_request(run: Run<'_>, reserve_per_second: f64) -> Option<f64> {
    let within = |at: Micros| run.window.contains(at);
    let sent = run.record.attempts.iter().filter(|attempt| within(attempt.sent)).count();
    let arrived = run.record.requests.iter().filter(|request| within(request.arrived)).count();
    let reserve = reserve_per_second * run.window.seconds();
    (arrived > 0).then(|| (sent as f64 - reserve).max(0.0) / arrived as f64)
}

pub(super) fn seconds_to_recover(run: Run<'_>, share: f64) -> Option<f64> {
    let before = Window { from: run.record.warm_up, until: run.window.from };
    let requests = run.record.requests.iter();
    let arrived = requests.filter(|request| before.contains(request.arrived)).count();
    let wanted = share * arrived as f64 / before.seconds() * RATE.as_secs_f64();
    let mut done = successes(run);
    done.sort_unstable();
    let wanted = wanted.ceil() as usize;
    let first = wanted.checked_sub(1)?;
    // The last of so many successes in a row that lie within the span.
    let last = done.iter().zip(done.get(first..)?).find(|(from, last)| **last - **from <= RATE);
    Some(run.seconds_until(last.map(|(_, last)| *last)))
}

/// When attempts succeeded, in the window.
fn successes(run: Run<'_>) -> Vec<Micros> {
    let done = run.record.attempts.iter().filter(|attempt| attempt.fate == Fate::Success);
    done.filter_map(|attempt| attempt.ended).filter(|at| run.window.contains(*at)).collect()
}
