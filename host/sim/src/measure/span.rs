//! How long requests took.

use super::run::{Run, Selected};
use super::spread::percentile;
use crate::record::Outcome;

pub(super) fn wait(run: Run<'_>, of: Selected, hundredths: f64) -> Option<f64> {
    let waits = run.requests(of).map(|request| {
        let end = request.first_sent.or(request.left).unwrap_or(run.record.finished);
        (end - request.arrived).as_secs_f64()
    });
    percentile(waits, hundredths)
}

pub(super) fn completion(run: Run<'_>, of: Selected, hundredths: f64) -> Option<f64> {
    let done = run.requests(of).filter(|request| request.outcome == Outcome::Done);
    let took = done.filter_map(|it| Some((it.left? - it.arrived).as_secs_f64()));
    percentile(took, hundredths)
}

pub(super) fn makespan(run: Run<'_>, of: Selected) -> Option<f64> {
    let first = run.requests(of).map(|request| request.arrived).min()?;
    let done = run.requests(of).filter(|request| request.outcome == Outcome::Done);
    let last = done.filter_map(|request| request.left).max()?;
    Some((last - first).as_secs_f64())
}

pub(super) fn done_share(run: Run<'_>, of: Selected) -> Option<f64> {
    let all = run.requests(of).count();
    let done = run.requests(of).filter(|request| request.outcome == Outcome::Done).count();
    (all > 0).then(|| done as f64 / all as f64)
}
