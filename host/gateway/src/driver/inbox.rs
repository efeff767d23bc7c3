//! How requests speak to the scheduler's thread.
//!
//! The channel is bounded, and what must not be lost never waits for room: a request takes two permits before
//! it arrives. One goes with it and comes back inside its [`Guard`], to say how its attempt ended; the other
//! stays, to say that the caller went away while it waited. Sending with a permit cannot wait or fail.

use tokio::sync::mpsc::{self, OwnedPermit};
use tokio::sync::oneshot;
use weir_core::ids::{AttemptId, ItemId, TenantId};
use weir_core::units::{Micros, Tokens};
use weir_core::{Admit, Arrival, End, Facts, GiveUp, Outcome, Refusal};

use super::command::Command;
use super::guard::Guard;

/// What the scheduler is told.
pub(crate) enum Message {
    /// A request wants an answer.
    Arrive {
        /// Its name until the scheduler has given it an item.
        ticket: Ticket,
        /// What the core needs to know; the scheduler fills in the item.
        arrival: Box<Arrival>,
        /// Where its answer goes, and with what its guard will speak.
        seat: Seat,
    },
    /// The provider took an attempt up.
    Accepted { attempt: AttemptId, facts: Box<Facts>, network: Option<Micros> },
    /// A stream passed its reservation.
    Grow { attempt: AttemptId, output: Tokens },
    /// An attempt ended. With a seat, the request waits for what follows.
    Ended { ended: Box<(Admit, End)>, seat: Option<Seat> },
    /// The caller went away while its request waited.
    Cancel { ticket: Ticket },
    /// Something that an operator wants.
    Command(Command),
    /// The thread is to end.
    Stop,
}

/// A request's own name for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ticket(pub(crate) u64);

/// A request's place in the scheduler.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(super) reply: oneshot::Sender<Answer>,
    pub(super) permit: OwnedPermit<Message>,
}

/// What a waiting request is told in the end.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "an answer is moved once, into the request's own channel"
)]
pub(crate) enum Answer {
    /// Its turn has come.
    Admit(Guard),
    /// It leaves unserved.
    Refuse { item: ItemId, refusal: Refusal },
    /// It is not tried again: pass on what the provider said.
    GiveUp(GiveUp),
    /// Nothing follows.
    Finished,
}

/// The scheduler's door.
#[derive(Clone, Debug)]
pub(crate) struct Inbox {
    sender: mpsc::Sender<Message>,
}

/// The scheduler has no room for another request, or is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the scheduler takes no more requests")]
pub(crate) struct NoRoom;

impl Inbox {
    /// A channel for so many requests in hand at once.
    pub(crate) fn new(requests: usize) -> (Self, mpsc::Receiver<Message>) {
        // Two permits a request, one more between two attempts, and the passing `Accepted` or `Grow`.
        let (sender, receiver) = mpsc::channel(requests.saturating_mul(4).saturating_add(64));
        (Self { sender }, receiver)
    }

    /// Somebody listens.
    pub(crate) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }

    fn permit(&self) -> Result<OwnedPermit<Message>, NoRoom> {
        self.sender.clone().try_reserve_owned().map_err(|_| NoRoom)
    }

    /// Puts a request in line.
    pub(crate) fn arrive(&self, ticket: Ticket, arrival: Box<Arrival>) -> Result<Waiter, NoRoom> {
        let leave = self.permit()?;
        let (seat, reply) = self.seat()?;
        let arrive = self.permit()?;
        arrive.send(Message::Arrive { ticket, arrival, seat });
        Ok(Waiter { inbox: self.clone(), ticket, leave: Some(leave), reply: Some(reply) })
    }

    fn seat(&self) -> Result<(Seat, oneshot::Receiver<Answer>), NoRoom> {
        let permit = self.permit()?;
        let (reply, receiver) = oneshot::channel();
        Ok((Seat { reply, permit }, receiver))
    }

    /// Says something that may wait a moment for room.
    pub(crate) async fn say(&self, message: Message) -> Result<(), NoRoom> {
        self.sender.send(message).await.map_err(|_| NoRoom)
    }

    /// Says something from a thread that may wait.
    pub(crate) fn say_blocking(&self, message: Message) -> Result<(), NoRoom> {
        self.sender.blocking_send(message).map_err(|_| NoRoom)
    }

    /// Says something that is worth nothing later.
    pub(crate) fn mention(&self, message: Message) {
        // Full: the next one says more. Gone: nobody wants to know.
        let _ = self.sender.try_send(message);
    }
}

/// A request that waits for its turn. Dropped before its turn, it leaves the line.
#[derive(Debug)]
pub(crate) struct Waiter {
    inbox: Inbox,
    ticket: Ticket,
    leave: Option<OwnedPermit<Message>>,
    reply: Option<oneshot::Receiver<Answer>>,
}

impl Waiter {
    /// Waits for what comes of the request; `None` when the scheduler is gone.
    pub(crate) async fn answer(&mut self) -> Option<Answer> {
        let answer = self.reply.as_mut()?.await.ok();
        self.reply = None;
        answer
    }

    /// Ends an attempt that failed unseen, and waits again for what follows.
    pub(crate) fn again(&mut self, guard: Guard, outcome: Outcome) -> Result<(), NoRoom> {
        let (seat, reply) = self.inbox.seat()?;
        guard.end(outcome, Some(seat));
        self.reply = Some(reply);
        Ok(())
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if self.reply.is_some()
            && let Some(leave) = self.leave.take()
        {
            leave.send(Message::Cancel { ticket: self.ticket });
        }
    }
}

/// What the scheduler remembers of whose request it is, for counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) ticket: Ticket,
    pub(super) tenant: TenantId,
}

#[cfg(test)]
mod tests {
    use super::Inbox;

    #[test]
    fn a_door_is_open_while_somebody_listens() {
        let (inbox, receiver) = Inbox::new(1);
        assert!(inbox.is_open());
        drop(receiver);
        assert!(!inbox.is_open());
    }
}
