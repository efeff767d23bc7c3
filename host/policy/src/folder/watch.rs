//! Looks at a directory whenever something has happened there.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use super::{Delivery, Folder};

/// How long a directory must be quiet before it is looked at.
const QUIET: Duration = Duration::from_millis(150);
/// After so many times that long it is looked at all the same.
const ROUNDS: usize = 20;

/// Why a directory is not watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The system does not report on it.
    #[error(
        "cannot watch {directory:?}; create the directory, or leave `dir` out under [policies]: {source}"
    )]
    Watch {
        /// Which directory.
        directory: PathBuf,
        /// What the system says.
        source: notify::Error,
    },
    /// No thread.
    #[error("no thread for the loader of policies")]
    Thread(#[from] io::Error),
}

/// Keeps a directory watched until it is dropped.
pub struct Watcher {
    _debouncer: Debouncer<RecommendedWatcher, RecommendedCache>,
}

impl Folder {
    /// Watches the directory from now on. Looking, compiling and trying happen on a thread of their own, which
    /// calls `sink` for each piece of news and may block there. It looks once at once, so that nothing is missed
    /// between a first [`look`](Self::look) and this call.
    ///
    /// # Errors
    ///
    /// The directory cannot be watched, or there is no thread to be had.
    pub fn watch(self, sink: impl FnMut(Delivery) + Send + 'static) -> Result<Watcher, WatchError> {
        // One place: a look that is due covers all that happens before it begins.
        let (due, looks) = sync_channel(1);
        let directory = self.directory.clone();
        let failed = |source| WatchError::Watch { directory: directory.clone(), source };
        let _ = due.try_send(());
        let heard = move |heard: DebounceEventResult| {
            if heard.map_or(true, |events| events.iter().any(|event| matters(event))) {
                let _ = due.try_send(());
            }
        };
        let mut debouncer = new_debouncer(QUIET, None, heard).map_err(failed)?;
        debouncer.watch(&directory, RecursiveMode::NonRecursive).map_err(failed)?;
        let work = move || look_when_due(self, &looks, sink);
        thread::Builder::new().name("weir-policies".into()).spawn(work)?;
        Ok(Watcher { _debouncer: debouncer })
    }
}

/// Reading a file is reported as well, and must not lead to the next look.
fn matters(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => event.need_rescan(),
        _ => true,
    }
}

fn look_when_due(mut folder: Folder, due: &Receiver<()>, mut sink: impl FnMut(Delivery)) {
    while due.recv().is_ok() {
        settle(&folder, due);
        match folder.look() {
            Ok(news) => news.into_iter().for_each(&mut sink),
            Err(error) => {
                let (file, words) = (folder.directory.clone(), format!("cannot be read: {error}"));
                sink(Delivery::Rejected { slot: None, file, words });
            }
        }
    }
}

/// Waits until the files have stayed as they are for a while, though not for ever: a look that is due for an
/// earlier report may come while a file is half written.
fn settle(folder: &Folder, due: &Receiver<()>) {
    let mut before = folder.marks();
    for _ in 0..ROUNDS {
        let reported = due.recv_timeout(QUIET).is_ok();
        let now = folder.marks();
        if !reported && now == before {
            return;
        }
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use notify::event::Flag;

    use super::*;

    #[test]
    fn reading_is_no_reason_to_look_and_a_loss_of_reports_is() {
        let read = Event::new(EventKind::Access(AccessKind::Open(AccessMode::Any)));
        let closed = Event::new(EventKind::Access(AccessKind::Close(AccessMode::Read)));
        assert!(!matters(&read) && !matters(&closed));
        let written = Event::new(EventKind::Access(AccessKind::Close(AccessMode::Write)));
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(matters(&written) && matters(&lost) && matters(&read.set_flag(Flag::Rescan)));
    }
}
