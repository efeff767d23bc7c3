//! The last lines that a policy said. The oldest go first, so that it can talk as much as it likes.

use std::collections::VecDeque;

/// Bytes of one line; the rest of it is dropped.
const LINE: usize = 1024;
/// Lines kept.
const LINES: usize = 64;
/// Lines and bytes of the words that an event carries.
const WORDS: (usize, usize) = (12, 2048);

#[derive(Default)]
pub(crate) struct Ring {
    lines: VecDeque<Vec<u8>>,
    /// The last line has no end yet.
    open: bool,
    /// Lines ever begun.
    begun: u64,
}

impl Ring {
    /// A whole line, from parts.
    pub(crate) fn line(&mut self, parts: &[&[u8]]) {
        self.open = false;
        for part in parts {
            self.extend(part);
        }
        self.open = false;
    }

    /// A piece of a stream of lines.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            if !piece.is_empty() {
                self.extend(piece);
            }
            if pieces.peek().is_some() {
                self.open = false;
            }
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        if !self.open {
            let mut line = if self.lines.len() < LINES { None } else { self.lines.pop_front() };
            line.get_or_insert_default().clear();
            self.lines.extend(line);
            self.begun += 1;
            self.open = true;
        }
        if let Some(line) = self.lines.back_mut() {
            let room = LINE.saturating_sub(line.len());
            line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    /// Where the lines of a call begin, for [`words`](Self::words).
    pub(crate) const fn mark(&self) -> u64 {
        self.begun
    }

    /// The last lines since a mark, as text; empty when there are none.
    pub(crate) fn words(&self, mark: u64) -> String {
        let since = usize::try_from(self.begun - mark).unwrap_or(usize::MAX).min(WORDS.0);
        let skipped = self.lines.len().saturating_sub(since);
        let said = self.lines.iter().skip(skipped).map(|line| String::from_utf8_lossy(line));
        let said: Vec<_> = said.filter(|line| !line.starts_with("note: run with `RUST_")).collect();
        short(said.join("\n"))
    }
}

/// As much of a text as an event carries.
pub(crate) fn short(mut text: String) -> String {
    if text.len() > WORDS.1 {
        text.truncate(text.floor_char_boundary(WORDS.1));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_lines() {
        let mut ring = Ring::default();
        ring.write(b"thread 'main' panicked");
        ring.write(b" at lib.rs:1\nboom\n\nnote: run with `RUST_BACKTRACE=1`\n");
        ring.line(&[b"info: ", b"hello"]);
        assert_eq!(ring.words(0), "thread 'main' panicked at lib.rs:1\nboom\ninfo: hello");
        let mark = ring.mark();
        assert_eq!(ring.words(mark), "");
        ring.write(b"later");
        assert_eq!(ring.words(mark), "later");
    }

    #[test]
    fn a_flood_keeps_the_newest_and_stays_small() {
        let mut ring = Ring::default();
        for line in 0..10_000 {
            ring.write(format!("{line}{}\n", "x".repeat(3000)).as_bytes());
        }
        assert_eq!(ring.lines.len(), LINES);
        assert!(ring.lines.iter().all(|line| line.len() <= LINE));
        assert!(ring.lines.back().unwrap().starts_with(b"9999"));
        assert!(ring.words(0).len() <= WORDS.1);
    }
}
