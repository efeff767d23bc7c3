//! What happened, and figures from it.

use std::ops::Range;

use weir_sdk::Micros;

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Started,
    Refused,
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Micros,
    moment: Moment,
    running: u32,
    limit: u32,
}

/// The log of a run. Spans are in seconds.
#[derive(Default)]
pub(crate) struct Log(Vec<Entry>);

impl Log {
    pub(crate) fn add(&mut self, at: Micros, moment: Moment, running: u32, limit: u32) {
        self.0.push(Entry { at, moment, running, limit });
    }

    /// How often a moment came.
    pub(crate) fn count(&self, moment: Moment, span: Range<u64>) -> usize {
        self.within(span).filter(|entry| entry.moment == moment).count()
    }

    /// Refusals by attempts.
    pub(crate) fn refused(&self, span: Range<u64>) -> f64 {
        let refused = self.count(Moment::Refused, span.clone());
        refused as f64 / self.count(Moment::Started, span).max(1) as f64
    }

    /// At work at the provider, averaged over time.
    pub(crate) fn mean_running(&self, span: Range<u64>) -> f64 {
        self.mean(span, |entry| entry.running)
    }

    /// The policy's limit, averaged over time.
    pub(crate) fn mean_limit(&self, span: Range<u64>) -> f64 {
        self.mean(span, |entry| entry.limit)
    }

    /// Seconds from a second on until so many are at work.
    pub(crate) fn until_running(&self, running: f64, from: u64) -> f64 {
        let from = Micros::from_secs(from);
        self.0
            .iter()
            .find(|entry| entry.at >= from && f64::from(entry.running) >= running)
            .map_or(f64::INFINITY, |entry| (entry.at - from).as_secs_f64())
    }

    /// The most at work at once.
    pub(crate) fn top_running(&self, span: Range<u64>) -> u32 {
        self.within(span).map(|entry| entry.running).max().unwrap_or(0)
    }

    /// The greatest limit.
    pub(crate) fn top_limit(&self, span: Range<u64>) -> u32 {
        self.within(span).map(|entry| entry.limit).max().unwrap_or(0)
    }

    fn within(&self, span: Range<u64>) -> impl Iterator<Item = &Entry> {
        let span = Micros::from_secs(span.start)..Micros::from_secs(span.end);
        self.0.iter().filter(move |entry| span.contains(&entry.at))
    }

    fn mean(&self, span: Range<u64>, value: impl Fn(&Entry) -> u32) -> f64 {
        let (start, end) = (Micros::from_secs(span.start), Micros::from_secs(span.end));
        let mut sum = 0.0;
        for (place, entry) in self.0.iter().enumerate() {
            let next = self.0.get(place + 1).map_or(end, |next| next.at.min(end));
            sum += f64::from(value(entry)) * (next - entry.at.max(start)).as_secs_f64();
        }
        sum / (end - start).as_secs_f64()
    }
}
