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
    /// Requests of a tenant or to a lane that the header has not.
    pub stray: u64,
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
    /// It was configured with nothing that could serve a request, or nobody who could send one.
    #[error(
        "the journal's header has no upstream, no tenant or no lane, so nothing can be replayed"
    )]
    Nobody,
    /// A second run of a host stands behind the first.
    #[error(
        "line {line} of the journal begins another run of a host; put that line and those after it into a file of \
         their own, and replay each alone"
    )]
    Restarted {
        /// From 1.
        line: u64,
    },
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
        let config = &header.config;
        if config.upstreams.is_empty() || config.tenants.is_empty() || config.lanes.is_empty() {
            return Err(JournalError::Nobody);
        }
        let mut reader = Reader::new(&header);
        while let Some(line) = next(&mut from)? {
            reader.line(&line)?;
        }
        let Reader { requests, skipped, lost, stray, .. } = reader;
        if requests.is_empty() {
            return Err(JournalError::Empty { skipped });
        }
        Ok(Self { header, requests, skipped, lost, stray })
    }
}

/// The next line, without the end of it; one that is too long comes in pieces, none of which can be read.
fn next(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = from.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}

struct Reader<'a> {
    header: &'a Header,
    /// Lines read, the header's among them.
    lines: u64,
    requests: Vec<Seen>,
    places: BTreeMap<ItemId, usize>,
    skipped: u64,
    lost: u64,
    stray: u64,
}

impl<'a> Reader<'a> {
    fn new(header: &'a Header) -> Self {
        let (requests, places) = (Vec::new(), BTreeMap::new());
        Self { header, lines: 1, requests, places, skipped: 0, lost: 0, stray: 0 }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), JournalError> {
        self.lines += 1;
        match serde_json::from_slice(line) {
            Ok(Line::Arrived(arrived)) => self.arrived(*arrived),
            Ok(Line::Ended(ended)) => self.ended(ended),
            Ok(Line::Left(left)) if left.why == "cancelled" => {
                self.seen(left.item, |seen| seen.cancelled = Some(left.at));
            }
            Ok(Line::Left(_)) => {}
            Ok(Line::Header(header)) => return self.begun_anew(&header),
            Ok(Line::Lost { lines }) => self.lost = self.lost.saturating_add(lines),
            Err(_) => self.skipped += 1,
        }
        Ok(())
    }

    /// A file that was begun anew by the same run may stand behind the one before: its clock goes on.
    fn begun_anew(&self, header: &Header) -> Result<(), JournalError> {
        let last = self.requests.last().map_or(self.header.at, |seen| seen.arrived.at);
        if header.config == self.header.config && header.at >= last {
            return Ok(());
        }
        Err(JournalError::Restarted { line: self.lines })
    }

    fn arrived(&mut self, arrived: Arrived) {
        let first = self.requests.first().map_or(arrived.at, |first| first.arrived.at);
        if arrived.at.minus(first) > LONGEST_SPAN {
            self.skipped += 1;
            return;
        }
        let config = &self.header.config;
        let (tenant, lane) = (arrived.tenant.0 as usize, arrived.lane.0 as usize);
        if tenant >= config.tenants.len() || lane >= config.lanes.len() {
            self.stray += 1;
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
