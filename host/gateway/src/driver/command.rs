//! What an operator, or a folder of policies, tells the scheduler.

use tokio::sync::oneshot;
use weir_core::Slot;
use weir_core::View;
use weir_policy::{Delivery, Prepared, Row};

/// One command, with the way back for its answer.
pub(crate) enum Command {
    /// Whoever waits is turned away, and what runs is halted.
    TurnAway,
    /// News of the folder.
    Deliver(Delivery),
    /// How each slot stands.
    List(oneshot::Sender<Vec<Row>>),
    /// A policy takes its slot.
    Swap(Prepared, oneshot::Sender<Result<(), String>>),
    /// The policy before comes back.
    Rollback(Slot, oneshot::Sender<Result<(), String>>),
    /// An upstream's closure is lifted.
    Reopen(String, oneshot::Sender<()>),
    /// Figures that are read, not counted, are brought up to date.
    Measure(oneshot::Sender<View>),
}
