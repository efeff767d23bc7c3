//! A directory of policies that is watched: `<name>.wasm` replaces the policy that slots use by that name.
//!
//! What the file system reports is only a reason to look: every report, and every loss of reports, leads to one
//! look at the whole directory, where contents are compared by digest. So renames, partial writes, links that
//! move and queues that overflow need no case of their own. A file counts when its bytes are the same before and
//! after the compiler has worked on them; one that changes meanwhile will be reported again.

mod watch;

pub use watch::{WatchError, Watcher};

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use weir_core::Slot;

use crate::component::{Component, Digest, LARGEST, LoadError, Source};
use crate::engine::Engine;
use crate::prepared::Prepared;

/// Which policy a slot uses.
#[derive(Clone, Debug)]
pub struct SlotConfig {
    /// The slot.
    pub slot: Slot,
    /// The name of a built-in or of a file of the directory, without `.wasm`.
    pub r#use: String,
    /// A JSON object, or empty for defaults.
    pub settings: String,
}

/// News of the directory for the scheduler's thread; see [`Slots::deliver`](crate::Slots::deliver).
pub enum Delivery {
    /// A policy that is ready for its slot.
    Ready(Prepared),
    /// A file that is not taken.
    Rejected {
        /// The slot that it was for, when it was for one.
        slot: Option<Slot>,
        /// Which file.
        file: PathBuf,
        /// Why, and how to mend it.
        words: String,
    },
    /// A file that was there is gone.
    Removed {
        /// Which file.
        file: PathBuf,
    },
}

/// A directory of policies.
pub struct Folder {
    engine: Engine,
    directory: PathBuf,
    slots: Vec<SlotConfig>,
    /// The digest of each file as it was last looked at.
    seen: BTreeMap<PathBuf, Digest>,
}

impl Folder {
    /// Nothing is read yet.
    #[must_use]
    pub fn new(engine: Engine, directory: PathBuf, slots: Vec<SlotConfig>) -> Self {
        Self { engine, directory, slots, seen: BTreeMap::new() }
    }

    /// Looks at all files, and loads those whose bytes have changed since the last look. Takes a tenth of a
    /// second for each of these.
    ///
    /// # Errors
    ///
    /// The directory cannot be read.
    pub fn look(&mut self) -> io::Result<Vec<Delivery>> {
        let files = self.files()?;
        let mut news = Vec::new();
        let gone = self.seen.keys().filter(|file| !files.contains(file)).cloned();
        news.extend(gone.map(|file| Delivery::Removed { file }));
        self.seen.retain(|file, _| files.contains(file));
        for file in files {
            self.look_at(file, &mut news);
        }
        Ok(news)
    }

    /// What changes while a file is written: sizes and times.
    fn marks(&self) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
        let files = self.files().unwrap_or_default().into_iter();
        let marked = files.filter_map(|file| {
            let about = file.metadata().ok()?;
            Some((file, about.len(), about.modified().ok()))
        });
        marked.collect()
    }

    fn files(&self) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&self.directory)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "wasm") && path.is_file() {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    fn look_at(&mut self, file: PathBuf, news: &mut Vec<Delivery>) {
        let bytes = match read(&file) {
            Ok(bytes) => bytes,
            // Gone since the listing: the next look says so.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return news.push(rejected(None, file, &LoadError::Read(error))),
        };
        let digest = Digest::of(&bytes);
        if self.seen.get(&file) == Some(&digest) {
            return;
        }
        let loaded = self.load(&file, &bytes);
        if read(&file).is_ok_and(|now| Digest::of(&now) == digest) {
            self.seen.insert(file, digest);
            news.extend(loaded);
        }
    }

    /// One piece of news for each slot that uses the file.
    fn load(&self, file: &Path, bytes: &[u8]) -> Vec<Delivery> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let users: Vec<_> = self.slots.iter().filter(|slot| slot.r#use == name).collect();
        if users.is_empty() {
            let words = format!(
                "no slot uses `{name}`. Rename the file to the policy that it replaces, or set \
                 `use = \"{name}\"` for a slot under [policies]"
            );
            return vec![Delivery::Rejected { slot: None, file: file.into(), words }];
        }
        let component = Component::load(&self.engine, bytes, Source::File(file.into()));
        let component = match component {
            Ok(component) => component,
            Err(error) => return vec![rejected(Some(users[0].slot), file.into(), &error)],
        };
        let tried = users.into_iter().map(|user| {
            let prepared = Prepared::new(component.clone(), user.slot, user.settings.clone());
            prepared.map_or_else(
                |error| rejected(Some(user.slot), file.into(), &error),
                Delivery::Ready,
            )
        });
        tried.collect()
    }
}

fn rejected(slot: Option<Slot>, file: PathBuf, error: &LoadError) -> Delivery {
    Delivery::Rejected { slot, file, words: error.to_string() }
}

/// The bytes of a component's file. One byte more than the compiler takes shows that there are too many.
///
/// # Errors
///
/// The file cannot be read.
pub fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
