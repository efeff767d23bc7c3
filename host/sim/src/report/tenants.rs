//! How tenants fared: their waits, and what each was served of the whole.

use super::load::time;
use super::plot::{Axis, COLOURS, Chart, Line, Scale, decades};
use super::seconds;
use crate::record::{Attempt, Record, Request};

/// Tenants that have a line of their own: as many as there are colours that can be told apart.
const MOST: usize = COLOURS.len();
/// Spans that shares are taken in.
const SPANS: usize = 60;
/// Points of a curve of waits.
const STEPS: usize = 200;

/// The columns of [`Cast::rows`].
pub(super) const HEAD: [&str; 8] =
    ["tenant", "weight", "requests", "share", "by weight", "wait p50", "p95", "p99"];

/// The tenants that are drawn, by place in [`Names::tenants`](crate::record::Names::tenants): those that were
/// served most, in the order of the scenario.
pub(super) struct Cast(Vec<usize>);

impl Cast {
    pub(super) fn of(record: &Record) -> Self {
        let work = work_of(record);
        let mut places: Vec<usize> = (0..record.names.tenants.len()).collect();
        places.sort_by(|a, b| work[*b].total_cmp(&work[*a]));
        places.truncate(MOST);
        places.sort_unstable();
        Self(places)
    }

    /// The wait that so much of a tenant's requests stayed below.
    pub(super) fn waits(&self, record: &Record) -> Chart {
        let all: Vec<Vec<f64>> = self.0.iter().map(|tenant| waits(record, *tenant)).collect();
        let longest = all.iter().filter_map(|waits| waits.last()).copied().fold(1.0, f64::max);
        let curve = |waits: &Vec<f64>| {
            let at = |step: usize| step as f64 / STEPS as f64;
            let point = |step| Some((at(step), decades(quantile(waits, at(step))?)));
            (0..=STEPS).filter_map(point).collect()
        };
        Chart {
            x: Axis { name: "of its requests", from: 0.0, to: 1.0, scale: Scale::Percent },
            y: Axis::decades("waited at most", longest),
            lines: self.lines(record, all.iter().map(curve)),
        }
    }

    /// What part of the work served in each span of time was a tenant's.
    pub(super) fn shares(&self, record: &Record) -> Chart {
        let span = (seconds(record.finished) / SPANS as f64).max(1e-3);
        let mut work = vec![vec![0.0; record.names.tenants.len()]; SPANS];
        for attempt in &record.attempts {
            let Some(ended) = attempt.ended else { continue };
            let place = ((seconds(ended) / span) as usize).min(SPANS - 1);
            if let Some(tenant) = tenant(record, attempt) {
                work[place][tenant] += weigh(attempt);
            }
        }
        let share = |tenant: usize| {
            let spans = work.iter().enumerate().filter_map(move |(place, work)| {
                let all: f64 = work.iter().sum();
                let middle = (place as f64 + 0.5) * span;
                (all > 0.0).then(|| (middle, work[tenant] / all))
            });
            spans.collect()
        };
        Chart {
            x: time(record),
            y: Axis { name: "of the work", from: 0.0, to: 1.0, scale: Scale::Percent },
            lines: self.lines(record, self.0.iter().map(|tenant| share(*tenant))),
        }
    }

    /// One row for each tenant.
    pub(super) fn rows(&self, record: &Record) -> Vec<Vec<String>> {
        let work = work_of(record);
        let all: f64 = work.iter().sum();
        let weights: f64 = record.names.weights.iter().map(|weight| f64::from(*weight)).sum();
        let percent = |part: f64, of: f64| match of > 0.0 {
            true => format!("{:.1} %", 100.0 * part / of),
            false => "-".to_owned(),
        };
        let row = |&tenant: &usize| {
            let waits = waits(record, tenant);
            let wait = |share| {
                quantile(&waits, share)
                    .map_or_else(|| "-".to_owned(), |wait| format!("{wait:.2} s"))
            };
            let weight = record.names.weights.get(tenant).copied().unwrap_or(1);
            let shares = [percent(work[tenant], all), percent(weight.into(), weights)];
            let [share, by_weight] = shares;
            let name = record.names.tenants[tenant].clone();
            let requests = waits.len().to_string();
            let (p50, p95, p99) = (wait(0.5), wait(0.95), wait(0.99));
            vec![name, weight.to_string(), requests, share, by_weight, p50, p95, p99]
        };
        let mut rows: Vec<Vec<String>> = self.0.iter().map(row).collect();
        let others = record.names.tenants.len() - self.0.len();
        if others > 0 {
            rows.push(vec![format!("and {others} more, who were served less")]);
        }
        rows
    }

    fn lines(&self, record: &Record, curves: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<Line> {
        let line = |((place, tenant), points): ((usize, &usize), _)| Line {
            name: record.names.tenants[*tenant].clone(),
            colour: COLOURS[place % COLOURS.len()],
            points,
            filled: false,
            width: 2,
        };
        self.0.iter().enumerate().zip(curves).map(line).collect()
    }
}

/// Seconds from arriving to being sent first, sorted. Who was never sent waited until it left.
fn waits(record: &Record, tenant: usize) -> Vec<f64> {
    let wait = |request: &Request| {
        let end = request.first_sent.or(request.left).unwrap_or(record.finished);
        seconds(end) - seconds(request.arrived)
    };
    let own = record.requests.iter().filter(|request| usize::from(request.tenant) == tenant);
    let mut waits: Vec<f64> = own.map(wait).collect();
    waits.sort_by(f64::total_cmp);
    waits
}

/// By nearest rank, of sorted values.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied()
}

/// What each tenant was served.
fn work_of(record: &Record) -> Vec<f64> {
    let mut work = vec![0.0; record.names.tenants.len()];
    for attempt in &record.attempts {
        if let Some(tenant) = tenant(record, attempt) {
            work[tenant] += weigh(attempt);
        }
    }
    work
}

/// Input tokens and twice the output tokens, as the provider counted them.
fn weigh(attempt: &Attempt) -> f64 {
    f64::from(attempt.input) + 2.0 * f64::from(attempt.output)
}

fn tenant(record: &Record, attempt: &Attempt) -> Option<usize> {
    let tenant = usize::from(record.requests.get(attempt.request as usize)?.tenant);
    (tenant < record.names.tenants.len()).then_some(tenant)
}
