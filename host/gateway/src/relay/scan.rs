//! What a scanner makes of an answer that passes by.

use std::collections::VecDeque;

use bytes::Bytes;
use weir_core::Usage;
use weir_core::units::Tokens;

use super::sse::{Line, Lines};
use crate::config::Kind;
use crate::dialect::Counted;

/// Bytes of text that count as one token until the provider says better.
const BYTES_PER_TOKEN: u64 = 4;
/// The most of an event that is kept back until it is whole.
const MAX_HELD: usize = 256 << 10;
/// The most of a whole answer that is kept to read its count.
const MAX_WHOLE: usize = 4 << 20;
/// The most of an error that is kept for its classification.
pub(super) const MAX_EXCERPT: usize = 16 << 10;

/// What is known of an answer so far.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Content has come: the answer cannot be taken back.
    pub(crate) content: bool,
    /// The answer is complete by its own words.
    pub(crate) done: bool,
    /// The first error that came as an event.
    pub(crate) error: Option<String>,
    text: u64,
    counted: Counted,
    whole: Option<Usage>,
}

impl Tally {
    /// What the provider counted; absent while it is incomplete.
    pub(crate) fn usage(&self) -> Option<Usage> {
        self.whole.or_else(|| self.counted.usage())
    }

    /// Output tokens so far: the provider's word, or an estimate from the text.
    pub(crate) fn output(&self) -> Tokens {
        let said = self.counted.output.unwrap_or(0);
        Tokens(said.max(self.text.div_ceil(BYTES_PER_TOKEN)))
    }
}

/// Watches an answer go by.
#[derive(Debug)]
pub(crate) struct Scan {
    kind: Kind,
    mode: Mode,
    pub(crate) tally: Tally,
}

#[derive(Debug)]
enum Mode {
    /// Events pass untouched, each once it is whole, so that a stream that breaks off ends between two; with
    /// `swallow` all but the count that the caller did not ask for.
    Stream { lines: Lines, held: Held, swallow: bool },
    /// One JSON value; its pieces are kept, without a copy, to read the count at its end.
    Whole(Vec<Bytes>, usize),
}

/// The pieces of an event whose end has not come.
#[derive(Debug, Default)]
struct Held {
    pieces: Vec<Bytes>,
    bytes: usize,
    /// The event is the count.
    drop: bool,
}

impl Scan {
    /// For a stream of events; `swallow` takes the count-only event out.
    pub(crate) fn stream(kind: Kind, swallow: bool) -> Self {
        let mode = Mode::Stream { lines: Lines::default(), held: Held::default(), swallow };
        Self { kind, mode, tally: Tally::default() }
    }

    /// For an answer in one JSON value.
    pub(crate) fn whole(kind: Kind) -> Self {
        Self { kind, mode: Mode::Whole(Vec::new(), 0), tally: Tally::default() }
    }

    /// An answer that ends without saying so has been cut.
    pub(crate) fn needs_end_marker(&self) -> bool {
        !matches!(self.mode, Mode::Whole(..))
    }

    /// Looks at a chunk and puts what goes to the caller into `out`.
    pub(crate) fn pass(&mut self, chunk: Bytes, out: &mut VecDeque<Bytes>) {
        let (kind, tally) = (self.kind, &mut self.tally);
        match &mut self.mode {
            Mode::Stream { lines, held, swallow } => {
                let note = |line: &Line<'_>| note(kind, tally, line) && *swallow;
                held.pass(lines, note, chunk, out);
            }
            Mode::Whole(pieces, bytes) => {
                tally.content = true;
                *bytes += chunk.len();
                if *bytes <= MAX_WHOLE {
                    pieces.push(chunk.clone());
                } else {
                    pieces.clear();
                }
                out.push_back(chunk);
            }
        }
    }

    /// The provider has sent its last byte. What is left of an event is dropped when the stream was cut there;
    /// it goes out when it is the end, and as an event when it is an error.
    pub(crate) fn end(&mut self, out: &mut VecDeque<Bytes>) {
        let (kind, tally) = (self.kind, &mut self.tally);
        match &mut self.mode {
            Mode::Stream { lines, held, swallow } => {
                lines.end(|line| held.drop |= note(kind, tally, &line) && *swallow);
                if held.bytes > 0 && tally.error.is_some() {
                    held.release(out);
                    out.push_back(Bytes::from_static(b"\n\n"));
                } else if tally.done && !held.drop {
                    held.release(out);
                }
                held.clear();
            }
            Mode::Whole(pieces, bytes) => {
                tally.done = true;
                if *bytes <= MAX_WHOLE {
                    tally.whole = match pieces.as_slice() {
                        [one] => kind.count(one),
                        many => kind.count(&many.concat()),
                    };
                }
                pieces.clear();
            }
        }
    }
}

/// Reads a line into the tally; true when its event only counts.
fn note(kind: Kind, tally: &mut Tally, line: &Line<'_>) -> bool {
    let Line::Data(data) = line else { return false };
    let meaning = kind.event(data);
    tally.content |= meaning.content;
    tally.done |= meaning.done;
    tally.text += meaning.text;
    if let Some(counted) = meaning.usage {
        tally.counted.update(counted);
    }
    if meaning.error && tally.error.is_none() {
        tally.error = Some(excerpt(data));
    }
    meaning.count_only
}

/// The start of an error as text.
pub(crate) fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(MAX_EXCERPT)]).into_owned()
}

impl Held {
    /// `drops` says whether a line makes its event one that is taken out.
    fn pass(
        &mut self,
        lines: &mut Lines,
        mut drops: impl FnMut(&Line<'_>) -> bool,
        chunk: Bytes,
        out: &mut VecDeque<Bytes>,
    ) {
        // What stands before `sent` is out or taken out; the event in hand starts at `event`.
        let (mut sent, mut event) = (0, 0);
        lines.feed(&chunk, |line, range| {
            self.drop |= drops(&line);
            if line != Line::Blank {
                return;
            }
            if self.drop {
                send(out, chunk.slice(sent..event));
                self.clear();
                sent = range.end;
            } else {
                self.release(out);
            }
            event = range.end;
        });
        send(out, chunk.slice(sent..event));
        self.hold(chunk.slice(event..), out);
    }

    fn hold(&mut self, rest: Bytes, out: &mut VecDeque<Bytes>) {
        self.bytes += rest.len();
        if !rest.is_empty() {
            self.pieces.push(rest);
        }
        if self.bytes > MAX_HELD {
            self.release(out);
        }
    }

    fn release(&mut self, out: &mut VecDeque<Bytes>) {
        out.extend(self.pieces.drain(..));
        self.bytes = 0;
    }

    fn clear(&mut self) {
        self.pieces.clear();
        self.bytes = 0;
        self.drop = false;
    }
}

fn send(out: &mut VecDeque<Bytes>, bytes: Bytes) {
    if !bytes.is_empty() {
        out.push_back(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: &str =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\n";

    fn stream() -> String {
        let word = "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}],\"usage\":null}\n\n";
        format!("{word}{word}{COUNT}data: [DONE]\n\n")
    }

    fn through(scan: &mut Scan, size: usize) -> String {
        let mut out = VecDeque::new();
        for chunk in stream().as_bytes().chunks(size) {
            scan.pass(Bytes::copy_from_slice(chunk), &mut out);
        }
        scan.end(&mut out);
        text(&out)
    }

    fn text(out: &VecDeque<Bytes>) -> String {
        String::from_utf8(out.iter().flatten().copied().collect()).unwrap()
    }

    /// What goes out of a stream that ends so.
    fn ending(scan: &mut Scan, bytes: &str) -> String {
        let mut out = VecDeque::new();
        scan.pass(Bytes::copy_from_slice(bytes.as_bytes()), &mut out);
        scan.end(&mut out);
        text(&out)
    }

    #[test]
    fn bytes_pass_untouched_and_are_counted() {
        for size in 1..200 {
            let mut scan = Scan::stream(Kind::OpenAi, false);
            assert_eq!(through(&mut scan, size), stream(), "chunks of {size}");
            assert!(scan.tally.content && scan.tally.done);
            assert_eq!(scan.tally.usage().unwrap().output, Tokens(2));
            assert_eq!(scan.tally.output(), Tokens(3), "ten bytes of text");
        }
    }

    #[test]
    fn the_count_is_taken_out_wherever_chunks_split() {
        let expected = stream().replace(COUNT, "");
        for size in 1..stream().len() + 1 {
            let mut scan = Scan::stream(Kind::OpenAi, true);
            assert_eq!(through(&mut scan, size), expected, "chunks of {size}");
            assert_eq!(scan.tally.usage().unwrap().input, Tokens(9));
        }
    }

    #[test]
    fn a_stream_that_is_cut_ends_between_two_events() {
        let whole = &stream()[..stream().find("\n\n").unwrap() + 2];
        for cut in whole.len()..2 * whole.len() {
            let mut scan = Scan::stream(Kind::OpenAi, false);
            assert_eq!(ending(&mut scan, &stream()[..cut]), whole, "cut at {cut}");
            assert!(!scan.tally.done);
        }
    }

    #[test]
    fn an_end_without_a_line_end_is_one() {
        for end in ["data: [DONE]", "data: [DONE]\n"] {
            let mut scan = Scan::stream(Kind::OpenAi, true);
            assert_eq!(ending(&mut scan, end), end);
            assert!(scan.tally.done);
        }
        let mut scan = Scan::stream(Kind::OpenAi, true);
        let error = "data: {\"error\":{\"message\":\"no\"}}";
        assert_eq!(ending(&mut scan, error), format!("{error}\n\n"), "an event that is heard");
        assert!(scan.tally.error.is_some() && !scan.tally.done);
    }

    #[test]
    fn a_whole_answer_is_counted_at_its_end() {
        let body = r#"{"choices":[{}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
        let (mut scan, mut out) = (Scan::whole(Kind::OpenAi), VecDeque::new());
        for chunk in body.as_bytes().chunks(7) {
            scan.pass(Bytes::copy_from_slice(chunk), &mut out);
        }
        assert_eq!(scan.tally.usage(), None);
        scan.end(&mut out);
        assert_eq!(scan.tally.usage().unwrap().output, Tokens(4));
    }

    #[test]
    fn an_error_in_the_stream_is_kept() {
        let mut scan = Scan::stream(Kind::Anthropic, false);
        let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";
        scan.pass(Bytes::from_static(error.as_bytes()), &mut VecDeque::new());
        assert!(scan.tally.error.unwrap().contains("overloaded_error"));
        assert!(!scan.tally.content);
    }
}
