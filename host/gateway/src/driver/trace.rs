//! Writing the trace of a live host beside its scheduler.
//!
//! The scheduler must not wait for a disk. Lines are gathered in chunks that a thread of its own writes; when
//! that falls so far behind that its bounded channel is full, the trace ends there and says so in the log.
//! A trace with a hole could not be replayed.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use weir_core::trace::{Call, Given, Lines, Recorder, Standbys};
use weir_core::{Core, Output, Policies};

/// Bytes of a chunk, and chunks on their way.
const CHUNK: usize = 64 << 10;
const UNDER_WAY: usize = 256;

/// A trace that is being written.
pub(crate) struct Trace {
    lines: Lines<Chunks>,
    standbys: RefCell<Standbys>,
    writer: JoinHandle<()>,
}

impl Trace {
    /// Creates the file, and the thread that writes it.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path)?;
        let (sender, receiver) = sync_channel(UNDER_WAY);
        let thread = std::thread::Builder::new().name("weir-trace".into());
        let writer = thread.spawn(move || write(file, &receiver))?;
        let chunks = Chunks { sender, chunk: Vec::with_capacity(CHUNK) };
        Ok(Self { lines: Lines::new(chunks), standbys: RefCell::default(), writer })
    }

    pub(super) fn begin(&mut self, core: &Core, policies: &mut dyn Policies) {
        Recorder::new(policies, &mut self.lines, &self.standbys).begin(core.config());
    }

    pub(super) fn perform(
        &mut self,
        core: &mut Core,
        policies: &mut dyn Policies,
        call: Call,
        out: &mut Vec<Output>,
    ) -> Given {
        Recorder::new(policies, &mut self.lines, &self.standbys).perform(core, call, out)
    }

    /// Writes what is left, and waits until it is on its way to the disk.
    pub(super) fn finish(self) {
        if let Err(error) = self.lines.finish() {
            tracing::error!(%error, "the trace is cut off");
        }
        if self.writer.join().is_err() {
            tracing::error!("the trace's writer broke down");
        }
    }
}

/// Gathers lines into chunks.
struct Chunks {
    sender: SyncSender<Vec<u8>>,
    chunk: Vec<u8>,
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK));
        self.sender.try_send(chunk).map_err(|error| {
            io::Error::other(match error {
                TrySendError::Full(_) => "the disk is too slow for it",
                TrySendError::Disconnected(_) => "it could not be written",
            })
        })
    }
}

fn write(mut file: File, chunks: &Receiver<Vec<u8>>) {
    for chunk in chunks {
        if let Err(error) = file.write_all(&chunk) {
            tracing::error!(%error, "the trace cannot be written");
            return;
        }
    }
}
