//! The thread that owns the core and its policies.
//!
//! Requests are tasks; the core is not. One plain thread, outside of any runtime, takes what requests say
//! out of a bounded channel in batches, applies each, decides once, and hands the outputs out: an admission
//! to its request with the [`Guard`] that owes its end, an event to the ring. It never waits for anybody but
//! the channel and the clock, so one slow request, reader or file cannot hold up the others.
//!
//! What must hold, whatever happens to a request's task:
//!
//! 1. Each admission is followed by exactly one `Ended`. An admission that its request does not take, because
//!    it is gone, is dropped here, and the drop of its guard says `Cancelled`.
//! 2. Each request that arrived is answered once: admitted, refused, given up or finished.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc::Receiver;
use tokio::sync::oneshot;
use weir_core::ids::ItemId;
use weir_core::trace::{Call, Given};
use weir_core::units::Micros;
use weir_core::{Admit, Arrival, Core, Input, Output};

use crate::clock::Clock;
use crate::events::{Ring, What};
use crate::journal::Journal;

mod command;
mod count;
mod guard;
mod hand;
mod hosted;
mod inbox;
mod parking;
mod thread;
mod told;
mod trace;

pub(crate) use command::Command;
pub(crate) use guard::{Guard, Halt};
pub(crate) use hosted::Hosted;
pub(crate) use inbox::{Answer, Inbox, Message, NoRoom, Ticket, Waiter};
pub(crate) use thread::{Make, Parts, StartFailed, Thread};
pub(crate) use trace::Trace;

use count::Count;
use inbox::{Owner, Seat};
use parking::{Parking, Woken};

/// Messages that one step takes.
const BATCH: usize = 256;
/// Why a request left whose caller went away, in the journal.
const CANCELLED: &str = "cancelled";
/// Items that a standby policy is told between two steps.
const SLICE: usize = 64;

/// The scheduler, on its thread.
pub(crate) struct Driver {
    core: Core,
    hosted: Hosted,
    trace: Option<Trace>,
    journal: Option<Journal>,
    clock: Clock,
    inbox: Receiver<Message>,
    ring: Arc<Ring>,
    count: Count,
    /// A standby policy is being fed.
    feeding: bool,
    requests: HashMap<ItemId, Request>,
    tickets: HashMap<Ticket, ItemId>,
    next_item: u64,
    out: Vec<Output>,
    spare: Vec<Output>,
    happened: Vec<What>,
}

/// What the scheduler writes of its work.
#[derive(Default)]
pub(crate) struct Records {
    pub(crate) trace: Option<Trace>,
    pub(crate) journal: Option<Journal>,
}

/// A request in hand.
struct Request {
    owner: Owner,
    /// While it waits.
    seat: Option<Seat>,
    /// While an attempt of it runs.
    running: Option<Running>,
}

/// An attempt in flight.
struct Running {
    admit: Admit,
    cut: Option<oneshot::Sender<Halt>>,
}

impl Driver {
    fn new(
        core: Core,
        hosted: Hosted,
        records: Records,
        clock: Clock,
        inbox: Receiver<Message>,
        ring: Arc<Ring>,
        count: Count,
    ) -> Self {
        Self {
            core,
            hosted,
            trace: records.trace,
            journal: records.journal,
            clock,
            inbox,
            ring,
            count,
            feeding: false,
            requests: HashMap::new(),
            tickets: HashMap::new(),
            next_item: 0,
            out: Vec::new(),
            spare: Vec::new(),
            happened: Vec::new(),
        }
    }

    /// Runs until it is told to stop or nobody can speak to it any more.
    pub(crate) fn run(mut self) {
        if let Some(trace) = &mut self.trace {
            trace.begin(&self.core, self.hosted.policies());
        }
        let parking = Parking::here();
        let mut batch = Vec::with_capacity(BATCH);
        let mut stop = self.step(&mut batch);
        while !stop {
            let wake = self.wake();
            stop = match parking.receive(&mut self.inbox, &mut batch, BATCH, &self.clock, wake) {
                Woken::Closed => true,
                Woken::Time | Woken::Messages => self.step(&mut batch),
            };
        }
        if let Some(trace) = self.trace.take() {
            trace.finish();
        }
        if let Some(journal) = self.journal.take() {
            journal.finish();
        }
    }

    /// When there is something to do even if nobody says anything.
    fn wake(&self) -> Option<Micros> {
        if self.feeding {
            return Some(Micros::ZERO);
        }
        [self.core.next_wake(), self.hosted.due()].into_iter().flatten().min()
    }

    /// Takes a batch, decides, and hands out. True when the thread is to end.
    fn step(&mut self, batch: &mut Vec<Message>) -> bool {
        let now = self.clock.now();
        self.hosted.tick(now);
        self.note(|journal| journal.at(now));
        if batch.is_empty() {
            self.apply(now, Input::Timer);
        }
        let mut stop = false;
        for message in batch.drain(..) {
            stop |= self.take(now, message);
        }
        self.call(Call::Decide { now });
        self.hand_out();
        self.feed(now);
        self.tell(now);
        self.note(Journal::flush);
        stop
    }

    /// Writes something down, where a journal is kept.
    fn note(&mut self, what: impl FnOnce(&mut Journal)) {
        if let Some(journal) = &mut self.journal {
            what(journal);
        }
    }

    /// Tells standby policies a slice of the truth.
    fn feed(&mut self, now: Micros) {
        if self.feeding || self.hosted.feeding() {
            let given = self.call(Call::Maintain { now, slice: SLICE });
            self.feeding = given == Given::More(true);
            self.hand_out();
        }
    }

    fn apply(&mut self, now: Micros, input: Input) {
        self.call(Call::Apply { now, input });
    }

    /// Every call of the core goes through here, so that a trace misses none.
    fn call(&mut self, call: Call) -> Given {
        let policies = self.hosted.policies();
        match &mut self.trace {
            Some(trace) => trace.perform(&mut self.core, policies, call, &mut self.out),
            None => call.perform(&mut self.core, policies, &mut self.out),
        }
    }

    fn take(&mut self, now: Micros, message: Message) -> bool {
        match message {
            Message::Arrive { ticket, arrival, seat } => self.arrive(now, ticket, *arrival, seat),
            Message::Accepted { attempt, facts, network } => {
                self.apply(now, Input::Accepted { attempt, facts: *facts, network });
            }
            Message::Grow { attempt, output } => self.apply(now, Input::Grow { attempt, output }),
            Message::Ended { ended, seat } => {
                let (admit, end) = *ended;
                self.count.ended(&admit, &end);
                self.note(|journal| journal.answered(admit.attempt, end.first_content));
                if let Some(request) = self.requests.get_mut(&admit.item) {
                    request.seat = seat;
                }
                self.apply(now, Input::Ended { attempt: admit.attempt, end });
            }
            Message::Cancel { ticket } => {
                if let Some(item) = self.tickets.get(&ticket).copied() {
                    self.cancel(now, item);
                }
            }
            Message::Command(command) => self.obey(now, command),
            Message::Stop => return true,
        }
        false
    }

    fn arrive(&mut self, now: Micros, ticket: Ticket, mut arrival: Arrival, seat: Seat) {
        self.next_item += 1;
        let item = ItemId(self.next_item);
        arrival.item = item;
        let owner = Owner { ticket, tenant: arrival.tenant };
        // A parent that is not in hand, or another tenant's, is no parent.
        let known = |id: &ItemId| self.requests.get(id).map(|parent| parent.owner.tenant);
        arrival.parent = arrival.parent.filter(|id| known(id) == Some(owner.tenant));
        self.tickets.insert(ticket, item);
        self.requests.insert(item, Request { owner, seat: Some(seat), running: None });
        self.count.waits(1);
        self.note(|journal| journal.arrived(&arrival));
        self.apply(now, Input::Arrive(arrival));
    }

    /// The caller of a waiting request is gone. If it has just been admitted, its guard says the rest.
    fn cancel(&mut self, now: Micros, item: ItemId) {
        let waits = self.requests.get(&item).is_some_and(|request| request.running.is_none());
        self.apply(now, Input::Cancel { item });
        if waits {
            self.count.waits(-1);
            self.note(|journal| journal.left(item, CANCELLED));
            self.forget(item);
        }
    }

    fn obey(&mut self, now: Micros, command: Command) {
        // Whoever asked may have left; then nobody wants the answer.
        match command {
            Command::TurnAway => self.turn_away(now),
            Command::Deliver(delivery) => self.hosted.deliver(now, delivery),
            Command::List(reply) => drop(reply.send(self.hosted.list())),
            Command::Swap(new, reply) => drop(reply.send(self.hosted.swap(now, new))),
            Command::Rollback(slot, reply) => drop(reply.send(self.hosted.rollback(now, slot))),
            Command::Reopen(upstream, reply) => {
                self.apply(now, Input::Reopen { upstream });
                let _ = reply.send(());
            }
            Command::Measure(reply) => {
                let view = self.core.view(now);
                self.count.measured(&view, self.hosted.meters());
                drop(reply.send(view));
            }
        }
    }

    /// Drops the seats of all that wait, which tells them that nothing comes any more, and halts what runs.
    fn turn_away(&mut self, now: Micros) {
        let running = self.requests.values_mut().filter_map(|request| request.running.as_mut());
        for cut in running.filter_map(|running| running.cut.take()) {
            // An attempt that is gone has said its end already.
            let _ = cut.send(Halt::Draining);
        }
        let waiting = self.requests.iter().filter(|(_, request)| request.running.is_none());
        let waiting: Vec<ItemId> = waiting.map(|(item, _)| *item).collect();
        for item in waiting {
            self.cancel(now, item);
        }
    }

    fn forget(&mut self, item: ItemId) -> Option<Request> {
        let request = self.requests.remove(&item)?;
        self.tickets.remove(&request.owner.ticket);
        Some(request)
    }

    fn tell(&mut self, now: Micros) {
        self.happened.extend(self.hosted.events().inspect(told::log).map(What::Policy));
        if !self.happened.is_empty() {
            self.ring.add(now, self.happened.drain(..));
        }
    }
}
