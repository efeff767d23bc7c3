//! Journals of live hosts: what would another policy have done with what came then?
//!
//! A journal has arrivals and settlements, one JSON object a line ([`weir_core::journal`]). It is read into requests,
//! each with what became of it, and becomes a [`Plan`](crate::Plan) whose demands come at their recorded times with their
//! recorded sizes. What cannot be read is skipped and counted: the last line of a host that died may be cut.
//!
//! What a journal cannot tell is how long an answer would have taken that never came. Such a request gets the mean
//! of those of its lane that were answered. Trees are not replayed: a child comes when it came,
//! whether or not its parent runs by then.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use weir_core::ids::ItemId;
use weir_core::journal::{Arrived, Ended, Header, Line, VERSION};
use weir_core::units::Micros;

mod plan;
#[cfg(test)]
mod tests;

/// What came later than that after the first is a damaged time.
const LONGEST_SPAN: Micros = Micros::from_secs(366 * 86_400);
/// A longer line is none of a journal's.
const LONGEST: u64 = 4 << 20;

/// A journal, read.
#[derive(Clone, Debug)]
pub struct Journal {
    /// What the host was configured with.
    pub header: Header,
    /// By arrival.
    pub requests: Vec<Seen>,
    /// Lines that could not be read.
    pub skipped: u64,
    /// Lines that the host had not written, because its disk was too slow.
    pub lost: u64,
}

/// A request and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// As it came.
    pub arrived: Arrived,
    /// Its last attempt that ended in success.
    pub answer: Option<Ended>,
    /// When its caller went away.
    pub cancelled: Option<Micros>,
}

/// Why a journal cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read.
    #[error("cannot read the journal {}", path.display())]
    Open {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It broke off.
    #[error("the journal cannot be read any further")]
    Read(#[from] io::Error),
    /// It does not begin as a journal does.
    #[error(
        "the first line is no header of a journal: {0}; `weir serve --journal FILE` writes journals"
    )]
    Header(String),
    /// Another version of the format.
    #[error("the journal is of version {found}, and this program reads version {VERSION}")]
    Version {
        /// Which.
        found: u32,
    },
    /// There is nothing to replay.
    #[error("the journal has no request; {skipped} of its lines cannot be read")]
    Empty {
        /// Lines that could not be read.
        skipped: u64,
    },
    /// The scenario does not know a name of the journal.
    #[error("the journal has a {what} `{name}` that the scenario lacks; it has: {known}")]
    Unknown {
        /// `tenant` or `lane`.
        what: &'static str,
        /// Its name.
        name: String,
        /// Those of the scenario.
        known: String,
    },
}

impl Journal {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no journal.
    pub fn load(path: &Path) -> Result<Self, JournalError> {
        let open = |source| JournalError::Open { path: path.to_owned(), source };
        Self::read(BufReader::new(File::open(path).map_err(open)?))
    }

    /// Reads a journal.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no journal.
    pub fn read(mut from: impl BufRead) -> Result<Self, JournalError> {
        let first = next(&mut from)?.unwrap_or_default();
        let header = match serde_json::from_slice(&first) {
            Ok(Line::Header(header)) => *header,
            Ok(_) => return Err(JournalError::Header("it is another line of one".to_owned())),
            Err(error) => return Err(JournalError::Header(error.to_string())),
        };
        if header.version != VERSION {
            return Err(JournalError::Version { found: header.version });
        }
        let mut reader = Reader::default();
        while let Some(line) = next(&mut from)? {
            reader.line(&line);
        }
        let Reader { requests, skipped, lost, .. } = reader;
        if requests.is_empty() {
            return Err(JournalError::Empty { skipped });
        }
        Ok(Self { header, requests, skipped, lost })
    }
}

/// The next line, without the end of it; one that is too long comes in pieces, none of which can be read.
fn next(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = from.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}

#[derive(Default)]
struct Reader {
    requests: Vec<Seen>,
    places: BTreeMap<ItemId, usize>,
    skipped: u64,
    lost: u64,
}

impl Reader {
    fn line(&mut self, line: &[u8]) {
        match serde_json::from_slice(line) {
            Ok(Line::Arrived(arrived)) => self.arrived(*arrived),
            Ok(Line::Ended(ended)) => self.ended(ended),
            Ok(Line::Left(left)) if left.why == "cancelled" => {
                self.seen(left.item, |seen| seen.cancelled = Some(left.at));
            }
            // A file that was begun anew may stand behind the one before.
            Ok(Line::Left(_) | Line::Header(_)) => {}
            Ok(Line::Lost { lines }) => self.lost = self.lost.saturating_add(lines),
            Err(_) => self.skipped += 1,
        }
    }

    fn arrived(&mut self, arrived: Arrived) {
        let first = self.requests.first().map_or(arrived.at, |first| first.arrived.at);
        if arrived.at.minus(first) > LONGEST_SPAN {
            self.skipped += 1;
            return;
        }
        self.places.insert(arrived.item, self.requests.len());
        self.requests.push(Seen { arrived, answer: None, cancelled: None });
    }

    fn ended(&mut self, ended: Ended) {
        self.seen(ended.item, |seen| match ended.verdict.as_str() {
            "success" => seen.answer = Some(ended),
            "cancelled" => seen.cancelled = Some(ended.at),
            _ => {}
        });
    }

    /// Of a request whose arrival is not here nothing is of use.
    fn seen(&mut self, item: ItemId, tell: impl FnOnce(&mut Seen)) {
        let seen = self.places.get(&item).and_then(|place| self.requests.get_mut(*place));
        if let Some(seen) = seen {
            tell(seen);
        }
    }
}
