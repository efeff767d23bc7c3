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
    share(run, of, Outcome::Done)
}

pub(super) fn requests(run: Run<'_>, of: Selected) -> f64 {
    run.requests(of).count() as f64
}

pub(super) fn cancelled_share(run: Run<'_>, of: Selected) -> Option<f64> {
    share(run, of, Outcome::Cancelled)
}

/// Of the requests that arrived, the share that left so.
fn share(run: Run<'_>, of: Selected, outcome: Outcome) -> Option<f64> {
    let all = requests(run, of);
    let so = run.requests(of).filter(|request| request.outcome == outcome).count();
    (all > 0.0).then(|| so as f64 / all)
}
