//! The file of a journal: bounded, by starting anew and keeping the one before.

use std::fs;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use weir_core::Config;
use weir_core::journal::{Header, Line, VERSION};

use super::queue::Batch;
use crate::clock::Clock;
use crate::config;

/// What every journal begins with.
const BEGIN: &[u8] = b"{\"header\"";

/// A file that is being written.
pub(super) struct File {
    path: PathBuf,
    max_bytes: u64,
    config: Config,
    clock: Clock,
    file: fs::File,
    written: u64,
}

impl File {
    /// Begins a file. One that is there already is kept under its name with `.1`.
    pub(super) fn create(
        settings: &config::Journal,
        config: Config,
        clock: Clock,
    ) -> io::Result<Self> {
        let (path, max_bytes) = (settings.path.clone(), settings.max_bytes);
        refuse_foreign(&path)?;
        put_aside(&path)?;
        let file = fs::File::create(&path)?;
        let mut this = Self { path, max_bytes, config, clock, file, written: 0 };
        this.head()?;
        Ok(this)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes lines. A file that is full is put aside first.
    pub(super) fn write(&mut self, batch: Batch) -> io::Result<()> {
        let lost = (batch.lost > 0).then_some(Line::Lost { lines: batch.lost });
        let mut text = Vec::new();
        for line in lost.into_iter().chain(batch.lines) {
            if self.written + text.len() as u64 >= self.max_bytes {
                self.append(&text)?;
                text.clear();
                self.begin_anew()?;
            }
            add(&mut text, &line)?;
        }
        self.append(&text)
    }

    fn begin_anew(&mut self) -> io::Result<()> {
        put_aside(&self.path)?;
        self.file = fs::File::create(&self.path)?;
        self.written = 0;
        self.head()
    }

    fn head(&mut self) -> io::Result<()> {
        let header = Header {
            version: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            wall_ms: self.clock.wall_ms(),
            at: self.clock.now(),
            config: self.config.clone(),
        };
        let mut text = Vec::new();
        add(&mut text, &Line::Header(Box::new(header)))?;
        self.append(&text)
    }

    fn append(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.write_all(text)?;
        self.written += text.len() as u64;
        Ok(())
    }
}

fn add(text: &mut Vec<u8>, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *text, line)?;
    text.push(b'\n');
    Ok(())
}

/// A file that is there and is no journal is not ours to move.
fn refuse_foreign(path: &Path) -> io::Result<()> {
    let mut begin = Vec::new();
    match fs::File::open(path) {
        Ok(file) => file.take(BEGIN.len() as u64).read_to_end(&mut begin)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if begin.is_empty() || begin == BEGIN {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file is there and is no journal"))
}

/// A file that is there gets `.1` after its name, in the place of an older one.
fn put_aside(path: &Path) -> io::Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".1");
    match fs::rename(path, aside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use weir_core::ids::ItemId;
    use weir_core::journal::Left;
    use weir_core::units::Micros;

    use super::*;

    fn file(folder: &Path, max_bytes: u64) -> File {
        let text = "[[upstream]]\nname = \"main\"\nkind = \"openai\"\n";
        let settings = config::Settings::parse(text, "weir.toml", &|_| None).unwrap();
        let journal = config::Journal { path: folder.join("journal.jsonl"), max_bytes };
        File::create(&journal, settings.core(), Clock::start()).unwrap()
    }

    fn batch(items: std::ops::Range<u64>) -> Batch {
        let line = |item| {
            Line::Left(Left { at: Micros(item), item: ItemId(item), why: "expired".to_owned() })
        };
        Batch { lost: 0, lines: items.map(line).collect() }
    }

    fn read(path: &Path) -> Vec<Line> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn items(lines: &[Line]) -> Vec<u64> {
        assert!(matches!(&lines[0], Line::Header(header) if header.version == VERSION));
        let item = |line: &Line| match line {
            Line::Left(left) => left.item.0,
            other => panic!("{other:?}"),
        };
        lines[1..].iter().map(item).collect()
    }

    #[test]
    fn a_full_file_is_put_aside_and_the_next_begins_with_a_header() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = file(folder.path(), 4_000);
        for from in (0..100).step_by(10) {
            file.write(batch(from..from + 10)).unwrap();
        }
        let (now, before) = (read(file.path()), read(&folder.path().join("journal.jsonl.1")));
        let (now, before) = (items(&now), items(&before));
        assert_eq!(now.last(), Some(&99));
        assert_eq!(before.last().map(|last| last + 1), now.first().copied(), "nothing between");
        let bytes = fs::metadata(file.path()).unwrap().len();
        assert!(bytes < 4_100, "{bytes}");
    }

    #[test]
    fn a_hole_is_told_and_an_earlier_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        file(folder.path(), u64::MAX).write(batch(5..6)).unwrap();
        let mut later = file(folder.path(), u64::MAX);
        later.write(Batch { lost: 7, ..batch(8..9) }).unwrap();
        assert_eq!(items(&read(&folder.path().join("journal.jsonl.1"))), [5]);
        assert_eq!(read(later.path())[1], Line::Lost { lines: 7 });
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let journal =
            config::Journal { path: folder.path().join("no/journal"), max_bytes: u64::MAX };
        let config = file(folder.path(), u64::MAX).config;
        assert!(File::create(&journal, config, Clock::start()).is_err());
    }
}
