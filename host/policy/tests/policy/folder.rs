//! A directory that is watched.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use weir_core::units::Micros;
use weir_core::{Policies, Slot};
use weir_policy::{Delivery, Digest, Event, Folder, Pace, SlotConfig, Slots};

use crate::support::{Host, engine, questions, rebuilt};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn folder(directory: &Path) -> Folder {
    let slot = |slot| SlotConfig { slot, r#use: "limit-ours".into(), settings: String::new() };
    Folder::new(engine(Pace::Live), directory.into(), vec![slot(Slot::Limit)])
}

fn watched(directory: &Path) -> (weir_policy::Watcher, Receiver<Delivery>) {
    let (news, heard) = channel();
    let watcher = folder(directory).watch(move |delivery| drop(news.send(delivery))).unwrap();
    (watcher, heard)
}

/// The digest that the next news is about, or the words of a refusal, or `gone`.
fn next(heard: &Receiver<Delivery>) -> String {
    match heard.recv_timeout(PATIENCE).unwrap() {
        Delivery::Ready(prepared) => prepared.component().digest.to_string(),
        Delivery::Rejected { words, .. } => words,
        Delivery::Removed { .. } => "gone".into(),
    }
}

#[test]
fn writes_renames_and_bad_files_are_heard() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("limit-ours.wasm");
    let (_watcher, heard) = watched(directory.path());

    fs::write(&file, weir_guests::HOSTILE).unwrap();
    assert_eq!(next(&heard), Digest::of(weir_guests::HOSTILE).as_str());

    let beside = directory.path().join(".limit-ours.tmp");
    fs::write(&beside, weir_guests::TWIN).unwrap();
    fs::rename(&beside, &file).unwrap();
    assert_eq!(next(&heard), Digest::of(weir_guests::TWIN).as_str());

    fs::write(&file, &weir_guests::HOSTILE[..5_000]).unwrap();
    let words = next(&heard);
    assert!(words.contains("was cut off"), "{words}");

    fs::write(&file, "not wasm at all").unwrap();
    let words = next(&heard);
    assert!(words.contains("is not WebAssembly"), "{words}");

    let bytes = rebuilt(weir_guests::HOSTILE);
    fs::write(&file, &bytes).unwrap();
    assert_eq!(next(&heard), Digest::of(&bytes).as_str());

    fs::remove_file(&file).unwrap();
    assert_eq!(next(&heard), "gone");
}

#[test]
fn what_is_there_already_is_found() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("limit-ours.wasm"), weir_guests::HOSTILE).unwrap();
    fs::write(directory.path().join("nobody.wasm"), weir_guests::HOSTILE).unwrap();
    fs::write(directory.path().join("README"), "not looked at").unwrap();
    let mut folder = folder(directory.path());
    let news = folder.look().unwrap();
    assert!(matches!(&news[0], Delivery::Ready(new) if new.slot() == Slot::Limit));
    assert!(
        matches!(&news[1], Delivery::Rejected { words, .. } if words.contains("no slot uses `nobody`"))
    );
    assert_eq!(news.len(), 2);
    assert!(folder.look().unwrap().is_empty(), "nothing has changed");
}

#[test]
fn a_bad_file_leaves_the_running_policy_and_is_listed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("limit-ours.wasm");
    let mut folder = folder(directory.path());
    let mut host = Host::new(Pace::Live);
    host.install(Slot::Limit, "");
    let mut look = |slots: &mut Slots| {
        folder.look().unwrap().into_iter().for_each(|news| slots.deliver(host.now, news));
    };

    fs::write(&file, "no").unwrap();
    look(&mut host.slots);
    assert!(host.slots.rejected()[&file].contains("is not WebAssembly"));
    questions::ask(&mut host.slots, Slot::Limit).unwrap();

    fs::write(&file, weir_guests::TWIN).unwrap();
    look(&mut host.slots);
    host.slots.level(host.now, Slot::Limit).unwrap();
    assert!(host.slots.rejected().is_empty());

    fs::write(&file, "no").unwrap();
    look(&mut host.slots);
    fs::write(&file, weir_guests::TWIN).unwrap();
    look(&mut host.slots);
    assert!(host.slots.rejected().is_empty(), "what runs already came back");
    assert_eq!(host.slots.standby(Slot::Limit), None);

    fs::remove_file(&file).unwrap();
    look(&mut host.slots);
    let events = host.slots.events();
    assert!(
        matches!(events.back(), Some(Event::PolicyKept { slot: Slot::Limit, .. })),
        "{events:?}"
    );
    questions::ask(&mut host.slots, Slot::Limit).unwrap();
}

#[test]
fn what_runs_already_is_not_swapped_for_itself() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("limit-ours.wasm"), weir_guests::HOSTILE).unwrap();
    let mut slots = Slots::default();
    for look in 0..3 {
        let news = folder(directory.path()).look().unwrap();
        news.into_iter().for_each(|news| slots.deliver(Micros::ZERO, news));
        // Once while it waits to be fed, and once when it answers.
        assert_eq!(slots.standby(Slot::Limit).is_some(), look < 2, "look {look}");
        if look == 1 {
            slots.level(Micros::ZERO, Slot::Limit).unwrap();
        }
    }
    assert!(slots.events().is_empty());
}

#[test]
fn a_directory_that_is_not_there_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("policies");
    let error = folder(&missing).watch(drop).err().unwrap();
    assert!(error.to_string().contains("create the directory"), "{error}");
}
