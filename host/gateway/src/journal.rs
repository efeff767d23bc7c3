//! The journal of a live host: what came, and what became of it.
//!
//! The scheduler must not wait for a disk, and a journal with a hole is still of use. So lines go through a
//! bounded queue to a thread that writes them; when it falls behind, the oldest make room, are
//! counted, and the file says how many are missing. A file that cannot be written any more ends the journal,
//! with a line in the log, and the service goes on. The format is [`weir_core::journal`]'s.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use metrics::Counter;
use weir_core::ids::{AttemptId, ItemId, TenantId};
use weir_core::journal::{Arrived, Ended, Left, Line};
use weir_core::units::Micros;
use weir_core::{Admit, Arrival, Config, Next, Settled};
use weir_sdk::codes::kind;

use crate::clock::Clock;
use crate::config;

mod file;
mod queue;

use file::File;
use queue::Queue;

/// The scheduler's side of a journal.
pub(crate) struct Journal {
    queue: End,
    writer: JoinHandle<()>,
    now: Micros,
    /// Lines of this step.
    lines: Vec<Line>,
    running: HashMap<AttemptId, Running>,
    marks: Marks,
}

/// An attempt in flight.
struct Running {
    admit: Admit,
    sent: Micros,
    first_content: Option<Micros>,
}

impl Journal {
    /// Creates the file, and the thread that writes it.
    pub(crate) fn create(
        settings: &config::Journal,
        core: Config,
        clock: Clock,
        lost: Counter,
    ) -> io::Result<Self> {
        let mut file = File::create(settings, core, clock)?;
        let queue = Arc::new(Queue::new(lost));
        let source = End(Arc::clone(&queue));
        let thread = std::thread::Builder::new().name("weir-journal".into());
        let writer = thread.spawn(move || write(&mut file, &source))?;
        let (lines, running) = (Vec::new(), HashMap::new());
        let marks = Marks(RandomState::new());
        Ok(Self { queue: End(queue), writer, now: Micros::ZERO, lines, running, marks })
    }

    /// A step begins.
    pub(crate) fn at(&mut self, now: Micros) {
        self.now = now;
    }

    pub(crate) fn arrived(&mut self, arrival: &Arrival) {
        let mark = |tenant, name: &str| self.marks.name(tenant, name);
        let mut arrived = Arrived::new(self.now, arrival, mark);
        arrived.prefix.iter_mut().for_each(|hash| *hash = self.marks.prefix(*hash));
        self.lines.push(Line::Arrived(Box::new(arrived)));
    }

    pub(crate) fn admitted(&mut self, admit: Admit) {
        let running = Running { admit, sent: self.now, first_content: None };
        self.running.insert(admit.attempt, running);
    }

    /// The attempt's own word on its end, before the core has judged it.
    pub(crate) fn answered(&mut self, attempt: AttemptId, first_content: Option<Micros>) {
        if let Some(running) = self.running.get_mut(&attempt) {
            running.first_content = first_content;
        }
    }

    pub(crate) fn ended(
        &mut self,
        attempt: AttemptId,
        verdict: u16,
        next: &Next,
        settled: &Settled,
    ) {
        let Some(Running { admit, sent, first_content }) = self.running.remove(&attempt) else {
            return;
        };
        self.lines.push(Line::Ended(Ended {
            at: self.now,
            item: admit.item,
            attempt,
            candidate: admit.candidate,
            number: admit.number,
            waited: admit.waited,
            verdict: kind::name(verdict).to_owned(),
            latency: self.now.minus(sent),
            first_content,
            input: settled.input,
            cached: settled.cached,
            output: settled.output,
            exact: settled.exact,
            last: !matches!(next, Next::Again { .. }),
        }));
    }

    pub(crate) fn left(&mut self, item: ItemId, why: &str) {
        self.lines.push(Line::Left(Left { at: self.now, item, why: why.to_owned() }));
    }

    /// Hands the lines of this step over.
    pub(crate) fn flush(&mut self) {
        if !self.lines.is_empty() {
            self.queue.0.push(self.lines.drain(..));
        }
    }

    /// Waits until all is written.
    pub(crate) fn finish(mut self) {
        self.flush();
        let Self { queue, writer, .. } = self;
        drop(queue);
        if writer.join().is_err() {
            tracing::error!("the journal's writer broke down");
        }
    }
}

/// One end of the queue. However it goes, by a panic too, the other end hears of it: a writer whose scheduler
/// is gone ends, and what comes after the writer's end is counted as lost.
struct End(Arc<Queue>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn write(file: &mut File, source: &End) {
    while let Some(batch) = source.0.take() {
        if let Err(error) = file.write(batch) {
            tracing::error!(
                %error, file = %file.path().display(),
                "the journal cannot be written and ends here; the service goes on"
            );
            return;
        }
    }
}

/// Numbers that tell names and prefixes apart. Their key is drawn anew for each host and written nowhere: whoever has the
/// journal cannot find a name by hashing the likely ones.
struct Marks(RandomState);

impl Marks {
    /// Of a tenant's session or task; 0 for none.
    fn name(&self, tenant: TenantId, name: &str) -> u64 {
        if name.is_empty() { 0 } else { self.0.hash_one((tenant.0, name)).max(1) }
    }

    /// Of a prefix's hash.
    fn prefix(&self, hash: u64) -> u64 {
        self.0.hash_one(hash)
    }
}
