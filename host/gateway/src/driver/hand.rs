//! Handing out what the core decided: each answer to its request, each event to the ring.

use tokio::sync::oneshot;
use weir_core::ids::{AttemptId, ItemId};
use weir_core::{Admit, Input, Next, Output, Refusal, Settled};

use super::inbox::{Answer, Seat};
use super::{CANCELLED, Driver, Guard, Halt, Running};
use crate::events::What;
use crate::metrics;

impl Driver {
    pub(super) fn hand_out(&mut self) {
        // Handing out can bring further outputs.
        while !self.out.is_empty() {
            let mut out = std::mem::replace(&mut self.out, std::mem::take(&mut self.spare));
            for output in out.drain(..) {
                self.hand(output);
            }
            self.spare = out;
        }
    }

    fn hand(&mut self, output: Output) {
        match output {
            Output::Admit(admit) => self.admit(admit),
            Output::Refuse { item, refusal } => self.refuse(item, refusal),
            Output::Ended { item, attempt, verdict, next, settled } => {
                self.note(|journal| journal.ended(attempt, verdict, &next, &settled));
                self.ended(item, next, &settled);
            }
            Output::Cut { attempt, refusal } => self.cut(attempt, refusal),
            Output::Event(event) => {
                self.count.event(&event);
                self.happened.push(What::Core(event));
            }
        }
    }

    fn ended(&mut self, item: ItemId, next: Next, settled: &Settled) {
        let Some(request) = self.requests.get_mut(&item) else { return };
        let Some(running) = request.running.take() else { return };
        self.count.settled(request.owner.tenant, &running.admit, settled);
        self.follow(item, running.admit, next);
    }

    fn admit(&mut self, admit: Admit) {
        let Some(request) = self.requests.get_mut(&admit.item) else { return };
        let Some(Seat { reply, permit }) = request.seat.take() else { return };
        let (cut, stop) = oneshot::channel();
        request.running = Some(Running { admit, cut: Some(cut) });
        self.count.admitted(request.owner.tenant, &admit);
        if let Some(journal) = &mut self.journal {
            journal.admitted(admit);
        }
        // A request that is gone leaves the answer here; the guard's drop then says so.
        drop(reply.send(Answer::Admit(Guard::new(admit, permit, stop))));
    }

    fn refuse(&mut self, item: ItemId, refusal: Refusal) {
        if let Some(request) = self.requests.get(&item) {
            self.count.refused(request.owner.tenant, &refusal);
        }
        self.note(|journal| journal.left(item, metrics::reason(&refusal)));
        self.answer(item, Answer::Refuse { item, refusal });
    }

    fn follow(&mut self, item: ItemId, admit: Admit, next: Next) {
        match next {
            Next::Again { not_before } => {
                self.count.again(&admit, not_before.minus(self.clock.now()));
                self.keep_waiting(item);
            }
            Next::GiveUp(give_up) => self.answer(item, Answer::GiveUp(give_up)),
            Next::Finished => self.answer(item, Answer::Finished),
        }
    }

    /// A request that went back to the line although nobody waits for it is cancelled.
    fn keep_waiting(&mut self, item: ItemId) {
        let Some(request) = self.requests.get(&item) else { return };
        if request.seat.is_some() {
            self.count.waits(1);
        } else {
            self.note(|journal| journal.left(item, CANCELLED));
            self.apply(self.clock.now(), Input::Cancel { item });
            self.forget(item);
        }
    }

    fn answer(&mut self, item: ItemId, answer: Answer) {
        let Some(request) = self.forget(item) else { return };
        if let Some(seat) = request.seat {
            // A request that is gone needs no answer.
            drop(seat.reply.send(answer));
        }
    }

    fn cut(&mut self, attempt: AttemptId, refusal: Refusal) {
        let running = self.requests.values_mut().filter_map(|request| request.running.as_mut());
        if let Some(running) = { running }.find(|running| running.admit.attempt == attempt)
            && let Some(cut) = running.cut.take()
        {
            // An attempt that is gone has said its end already.
            let _ = cut.send(Halt::Refused(refusal));
        }
    }
}
