//! What was sent while an upstream was closed, and just after.

use weir_core::units::Micros;

use super::limit::answered;
use super::run::Run;
use super::window::Window;
use crate::record::What;

/// Waits that the provider told in the window: from when the host knew of them to their end.
fn told(run: Run<'_>, upstream: u16) -> Vec<Window> {
    let waits = run.attempts(upstream).filter_map(|attempt| {
        let from = attempt.ended?;
        Some(Window { from, until: from + attempt.told_wait? })
    });
    waits.collect()
}

pub(super) fn sent_while_closed(run: Run<'_>, upstream: u16) -> Option<f64> {
    let told = union(told(run, upstream));
    if told.is_empty() {
        return None;
    }
    // What is sent in the very microsecond of the answer may have been decided before it.
    let early = |at: Micros| told.iter().any(|wait| wait.from < at && at < wait.until);
    let sent = run.all_attempts(upstream).filter(|attempt| early(attempt.sent));
    Some(sent.count() as f64)
}

pub(super) fn first_second(run: Run<'_>, upstream: u16) -> Option<f64> {
    let opens = told(run, upstream).into_iter().map(|wait| wait.until).max()?;
    let second = Window { from: opens, until: opens + Micros::SECOND };
    let sent = run.all_attempts(upstream).filter(|attempt| second.contains(attempt.sent)).count();
    let allowed = (answered(run, upstream).at(run.window.from)? / 10.0).max(1.0);
    Some(sent as f64 / allowed)
}

pub(super) fn probes_per_step(run: Run<'_>, upstream: u16) -> Option<f64> {
    let closures = run.record.happened.iter().filter_map(|happening| match &happening.what {
        What::Cooldown { upstream: whose, model, until, .. }
            if *whose == upstream && model.is_empty() =>
        {
            Some(Window { from: happening.at, until: *until })
        }
        _ => None,
    });
    let mut ends = vec![run.window.from];
    ends.extend(union(closures.collect()).into_iter().map(|closure| closure.until));
    ends.push(run.window.until);
    ends.retain(|end| (run.window.from..=run.window.until).contains(end));
    let steps = ends.windows(2).map(|step| Window { from: step[0], until: step[1] });
    let sent = |step: Window| run.attempts(upstream).filter(|it| step.contains(it.sent)).count();
    steps.map(sent).max().map(|most| most as f64)
}

/// The same time as windows that do not touch, in order.
fn union(mut windows: Vec<Window>) -> Vec<Window> {
    windows.sort_unstable_by_key(|window| window.from);
    let mut apart: Vec<Window> = Vec::new();
    for window in windows {
        match apart.last_mut() {
            Some(last) if window.from <= last.until => last.until = last.until.max(window.until),
            _ => apart.push(window),
        }
    }
    apart
}
