//! Who got how much.

use weir_core::units::Micros;

use super::load::{served, served_seconds};
use super::run::Run;
use super::spread::jain;
use super::steps::Steps;
use crate::record::{Attempt, Fate};

/// An output token costs as much as so many input tokens.
const OUTPUT: f64 = 2.0;

fn work(attempt: &Attempt) -> f64 {
    f64::from(attempt.input) + OUTPUT * f64::from(attempt.output)
}

/// By how much work an attempt differed from what its tenant was charged for it until it was settled.
fn error(attempt: &Attempt) -> f64 {
    OUTPUT * f64::from(attempt.output.abs_diff(attempt.reserved))
}

/// Attempts that succeeded, of those sent in the window, with their tenant.
fn done<'a>(run: Run<'a>) -> impl Iterator<Item = (u16, &'a Attempt)> {
    let attempts = run.record.attempts.iter();
    let done = attempts.filter(move |it| it.fate == Fate::Success && run.window.contains(it.sent));
    done.filter_map(move |attempt| Some((run.request(attempt)?.tenant, attempt)))
}

/// Work by tenant.
fn by_tenant(run: Run<'_>) -> Vec<f64> {
    let mut sums = vec![0.0; run.record.names.tenants.len()];
    for (tenant, attempt) in done(run) {
        if let Some(sum) = sums.get_mut(usize::from(tenant)) {
            *sum += work(attempt);
        }
    }
    sums
}

fn weights(run: Run<'_>) -> impl Iterator<Item = f64> + Clone + '_ {
    run.record.names.weights.iter().map(|weight| f64::from(*weight))
}

pub(super) fn share_error(run: Run<'_>) -> Option<f64> {
    let sums = by_tenant(run);
    let (all, weight): (f64, f64) = (sums.iter().sum(), weights(run).sum());
    if all <= 0.0 {
        return None;
    }
    let error = |(sum, own): (&f64, f64)| ((sum / all) / (own / weight) - 1.0).abs();
    sums.iter().zip(weights(run)).map(error).reduce(f64::max)
}

pub(super) fn tenant_jain(run: Run<'_>) -> Option<f64> {
    let sums = by_tenant(run);
    jain(&sums.iter().zip(weights(run)).map(|(sum, weight)| sum / weight).collect::<Vec<_>>())
}

pub(super) fn work_share(run: Run<'_>, tenant: u16) -> Option<f64> {
    let sums = by_tenant(run);
    let all: f64 = sums.iter().sum();
    let own = sums.get(usize::from(tenant))?;
    (all > 0.0).then(|| own / all)
}

pub(super) fn instance_jain(run: Run<'_>) -> Option<f64> {
    let mut seconds = vec![0.0; run.record.names.instances as usize];
    for attempt in run.record.attempts.iter().filter(served) {
        if let Some(sum) = seconds.get_mut(usize::from(attempt.instance)) {
            *sum += served_seconds(attempt, run.window);
        }
    }
    jain(&seconds)
}

pub(super) fn served_share(run: Run<'_>, demand: u16) -> Option<f64> {
    let (mut own, mut all) = (0.0, 0.0);
    for attempt in run.record.attempts.iter().filter(served) {
        let seconds = served_seconds(attempt, run.window);
        all += seconds;
        if run.request(attempt).is_some_and(|request| request.demand == demand) {
            own += seconds;
        }
    }
    (all > 0.0).then(|| own / all)
}

pub(super) fn burst_over_bound(run: Run<'_>, tenant: u16, quantum: f64) -> Option<f64> {
    let weight = weights(run).nth(usize::from(tenant))?;
    let share = weight / weights(run).sum::<f64>();
    let (mut beyond, mut most, mut largest) = (0.0, 0.0_f64, 0.0_f64);
    for (whose, attempt) in done(run) {
        let work = work(attempt);
        beyond -= share * work;
        if whose == tenant {
            beyond += work;
            largest = largest.max(work);
        }
        most = most.max(beyond);
    }
    let bound = quantum * weight + largest + unsettled(run, tenant)?;
    (bound > 0.0).then(|| most / bound)
}

/// The most by which a tenant's work in flight at once differs from what it was charged for it.
fn unsettled(run: Run<'_>, tenant: u16) -> Option<f64> {
    let own = done(run).filter(|(whose, _)| *whose == tenant);
    let mut edges: Vec<(Micros, f64)> = Vec::new();
    for (_, attempt) in own {
        edges.push((attempt.sent, error(attempt)));
        edges.extend(attempt.ended.map(|ended| (ended, -error(attempt))));
    }
    edges.sort_by_key(|(at, _)| *at);
    let mut sum = 0.0;
    let sums = edges.into_iter().map(|(at, change)| {
        sum += change;
        (at, sum)
    });
    Steps::new(sums.collect::<Vec<_>>()).most(run.window)
}
