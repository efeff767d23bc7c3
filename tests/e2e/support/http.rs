//! One request over a connection of its own, byte for byte as a test wants it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Nothing a test asks for takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A whole response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn text(&self) -> String {
        super::text(&self.body)
    }

    /// # Panics
    ///
    /// The body is no JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Gets an address.
pub(crate) fn get(url: &str) -> Response {
    request("GET", url, &[], b"")
}

/// Posts a body as JSON, be it JSON or not.
pub(crate) fn post(url: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
    let headers: Vec<_> =
        [("content-type", "application/json")].iter().chain(headers).copied().collect();
    request("POST", url, &headers, body)
}

fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
    let rest = url.strip_prefix("http://").expect("a plain address");
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("content-length: {}\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(host).expect("a listener");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    stream.write_all(head.as_bytes()).expect("a reader");
    // A server may answer before it has read a body that it does not want.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    parse(&answer).unwrap_or_else(|| panic!("no response ({read:?}): {:?}", super::text(&answer)))
}

fn parse(answer: &[u8]) -> Option<Response> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(answer.get(..end)?).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let body = answer.get(end + 4..)?;
    let chunked =
        headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if chunked { unchunk(body)? } else { body.to_vec() };
    Some(Response { status, headers, body })
}

fn unchunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(rest.get(..end)?).ok()?, 16).ok()?;
        rest = rest.get(end + 2..)?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size + 2..)?;
    }
}
