//! What the limit policy answered, and what was sent under it.

use weir_core::units::Micros;

use super::load::{served, served_seconds};
use super::run::Run;
use super::steps::Steps;
use super::window::Window;
use crate::record::What;

/// The limits of one upstream at one host.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    answered: u32,
    effective: u32,
}

/// The sum over all hosts of one of the limits, over time: exact where changes were recorded, else as sampled.
fn over_time(run: Run<'_>, upstream: u16, of: fn(&Limits) -> u32) -> Steps {
    let mut changes = changes(run, upstream);
    changes.sort_by_key(|(at, ..)| *at);
    let mut now: Vec<Limits> = vec![Limits::default(); run.record.names.instances.max(1) as usize];
    let sums = changes.into_iter().map(|(at, instance, limits)| {
        if let Some(slot) = now.get_mut(instance) {
            *slot = limits;
        }
        (at, now.iter().map(|limits| f64::from(of(limits))).sum())
    });
    Steps::new(sums.collect::<Vec<_>>())
}

fn changes(run: Run<'_>, upstream: u16) -> Vec<(Micros, usize, Limits)> {
    let upstreams = run.record.names.upstreams.len().max(1);
    let samples = run.record.samples.iter().flat_map(|sample| {
        let cells = sample.cells.iter().skip(usize::from(upstream)).step_by(upstreams);
        cells.enumerate().map(|(instance, cell)| {
            let limits = Limits { answered: cell.limit, effective: cell.effective };
            (sample.at, instance, limits)
        })
    });
    let told = run.record.happened.iter().filter_map(|happening| match happening.what {
        What::Limit { upstream: whose, limit, effective, .. } if whose == upstream => {
            let limits = Limits { answered: limit, effective };
            Some((happening.at, usize::from(happening.instance), limits))
        }
        _ => None,
    });
    told.chain(samples).collect()
}

/// The policy's limit over time.
pub(super) fn answered(run: Run<'_>, upstream: u16) -> Steps {
    over_time(run, upstream, |limits| limits.answered)
}

pub(super) fn mean(run: Run<'_>, upstream: u16) -> Option<f64> {
    answered(run, upstream).mean(run.window)
}

pub(super) fn growth(run: Run<'_>, upstream: u16) -> Option<f64> {
    let limits = answered(run, upstream);
    Some(limits.most(run.window)? - limits.at(run.window.from)?)
}

pub(super) fn seconds_to(run: Run<'_>, upstream: u16, limit: u32) -> Option<f64> {
    let low = answered(run, upstream).first_at_most(f64::from(limit), run.window);
    Some(run.seconds_until(low))
}

pub(super) fn sent_over(run: Run<'_>, upstream: u16) -> Option<f64> {
    let over = run.attempts(upstream).filter(|attempt| attempt.own_in_flight > attempt.limit);
    Some(over.count() as f64)
}

pub(super) fn time_over_ideal(run: Run<'_>, upstream: u16) -> Option<f64> {
    let last = run.all_attempts(upstream).filter_map(|attempt| attempt.ended).max()?;
    let window = Window { from: run.window.from, until: last };
    let served = run.all_attempts(upstream).filter(served);
    let seconds: f64 = served.map(|attempt| served_seconds(attempt, window)).sum();
    let effective = over_time(run, upstream, |limits| limits.effective);
    let room = effective.mean(window)? * window.seconds();
    (seconds > 0.0).then(|| room / seconds)
}
