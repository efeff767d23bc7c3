//! Server-sent events, as far as models' APIs and weir's own events use them.
//!
//! Lines may be cut anywhere by the transport. Comments, `retry:` and unknown fields are passed over;
//! several `data:` lines of one event are joined by a line feed (WHATWG HTML, section 9.2.6).

use thiserror::Error;

/// The longest event taken, in bytes.
const MAX_EVENT: usize = 1 << 20;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// The `event:` field; empty when there was none.
    pub(super) name: String,
    /// The `data:` field.
    pub(super) data: String,
}

/// An event is longer than this client takes.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("an event of the stream is longer than {MAX_EVENT} bytes")]
pub(super) struct TooLong;

/// Cuts bytes into events.
#[derive(Debug, Default)]
pub(super) struct Reader {
    line: Vec<u8>,
    event: Event,
}

impl Reader {
    /// Takes what arrived and returns the events that it completes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + self.event.data.len() + piece.len() > MAX_EVENT {
                return Err(TooLong);
            }
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                events.extend(self.take_line(String::from_utf8_lossy(&line).trim_end()));
            }
        }
        Ok(events)
    }

    fn take_line(&mut self, line: &str) -> Option<Event> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return (event != Event::default()).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if !self.event.data.is_empty() {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn events_survive_any_cut() {
        let text =
            ": hello\n\nevent: a\ndata: {\"x\":1}\nid: 7\n\ndata:1\r\ndata: 2\r\n\r\ndata: é\n\n";
        let whole = [event("a", "{\"x\":1}"), event("", "1\n2"), event("", "é")];
        for size in 1..text.len() {
            let mut reader = Reader::default();
            let mut events = Vec::new();
            for chunk in text.as_bytes().chunks(size) {
                events.extend(reader.push(chunk).unwrap());
            }
            assert_eq!(events, whole, "cut every {size} bytes");
        }
    }

    #[test]
    fn an_unfinished_event_is_not_told() {
        assert_eq!(Reader::default().push(b"data: half\n").unwrap(), []);
    }

    #[test]
    fn an_endless_line_is_an_error() {
        let mut reader = Reader::default();
        assert_eq!(reader.push(&[b'x'; MAX_EVENT]), Ok(vec![]));
        assert_eq!(reader.push(b"x"), Err(TooLong));
    }
}
