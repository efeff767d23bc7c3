//! Finding the data of server-sent events in chunks that may split anywhere.
//!
//! Chunks are looked at, not copied: only a line that a chunk breaks off is carried over, and a line longer
//! than [`MAX_LINE`] is skipped, which costs its meaning and never its bytes. Both APIs send the data of an
//! event on one line, so a line is taken as a whole event's data.

use std::ops::Range;

/// The longest line that is looked at.
const MAX_LINE: usize = 256 << 10;

/// A scanner's place in a stream.
#[derive(Debug, Default)]
pub(super) struct Lines {
    carry: Vec<u8>,
    overlong: bool,
}

/// One line of a chunk, whole at last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// The data of an event.
    Data(&'a [u8]),
    /// The end of an event.
    Blank,
    /// A field or comment that means nothing here.
    Other,
}

impl Lines {
    /// Calls `visit` for each line that ends in this chunk, with the range of the chunk that it takes,
    /// its line end included.
    pub(super) fn feed(&mut self, chunk: &[u8], mut visit: impl FnMut(Line<'_>, Range<usize>)) {
        let mut start = 0;
        while let Some(length) = memchr::memchr(b'\n', &chunk[start..]) {
            let range = start..start + length + 1;
            let line = &chunk[start..start + length];
            if self.overlong {
                visit(Line::Other, range);
            } else if self.carry.is_empty() {
                visit(sort(line), range);
            } else {
                self.carry.extend_from_slice(line);
                visit(sort(&self.carry), range);
            }
            self.carry.clear();
            self.overlong = false;
            start += length + 1;
        }
        self.keep(&chunk[start..]);
    }

    /// The stream is over: what stands there without a line end is the last line.
    pub(super) fn end(&mut self, visit: impl FnOnce(Line<'_>)) {
        if !self.carry.is_empty() {
            visit(sort(&self.carry));
        }
        self.carry.clear();
    }

    fn keep(&mut self, rest: &[u8]) {
        if self.carry.len() + rest.len() > MAX_LINE {
            self.overlong = true;
            self.carry = Vec::new();
        } else if !self.overlong {
            self.carry.extend_from_slice(rest);
        }
    }
}

fn sort(line: &[u8]) -> Line<'_> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Line::Blank;
    }
    match line.strip_prefix(b"data:") {
        Some(data) => Line::Data(data.strip_prefix(b" ").unwrap_or(data)),
        None => Line::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] = b"event: a\ndata: one\n\n: ping\r\ndata:two\r\n\r\ndata: [DONE]\n\n";

    fn data(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            lines.feed(chunk, |line, _| {
                if let Line::Data(data) = line {
                    found.push(String::from_utf8_lossy(data).into_owned());
                }
            });
        }
        found
    }

    #[test]
    fn any_split_finds_the_same_data() {
        for size in 1..STREAM.len() {
            let chunks: Vec<&[u8]> = STREAM.chunks(size).collect();
            assert_eq!(data(&chunks), ["one", "two", "[DONE]"], "chunks of {size}");
        }
    }

    #[test]
    fn a_last_line_may_lack_its_end() {
        let (mut lines, mut last) = (Lines::default(), Vec::new());
        lines.feed(b"data: one\n\ndata: [DO", |_, _| {});
        lines.feed(b"NE]", |_, _| {});
        lines.end(|line| last.push(line == Line::Data(b"[DONE]")));
        lines.end(|_| last.push(false));
        assert_eq!(last, [true]);
    }

    #[test]
    fn ranges_cover_the_chunk() {
        let mut end = 0;
        Lines::default().feed(STREAM, |_, range| {
            assert_eq!(range.start, end);
            end = range.end;
        });
        assert_eq!(end, STREAM.len());
    }

    #[test]
    fn an_overlong_line_is_skipped_and_no_more() {
        let long = vec![b'x'; MAX_LINE];
        assert_eq!(data(&[b"data: ", &long, &long, b"\ndata: next\n"]), ["next"]);
    }
}
