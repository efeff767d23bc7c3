//! Who may ask while nobody needs a key: programs of this machine, and not the web pages that its browsers show.
//!
//! Any page can have its reader's browser send requests to a loopback address, and they would be answered with the
//! operator's credential. What gives a page away is what the browser adds of its own: the `Origin` of the page, and,
//! when a name of the page's owner leads to this machine, that name as `Host`. Programs send a loopback name, or
//! no `Host` at all in HTTP/1.0.

use std::net::IpAddr;

use axum::extract::Request;
use http::uri::Authority;
use http::{HeaderMap, StatusCode, Uri, header};

use crate::complaint::Complaint;

/// Refuses what a foreign page may have sent.
pub(super) fn check(request: &Request) -> Result<(), Complaint> {
    let hosts = request.headers().get_all(header::HOST).iter();
    let hosts = hosts.map(|host| Authority::try_from(host.as_bytes()).ok());
    let mut named = request.uri().authority().cloned().map(Some).into_iter().chain(hosts);
    if !named.all(|host| host.is_some_and(|host| is_local(&host))) {
        return Err(foreign(
            "foreign_host",
            "it is not addressed to localhost or a loopback address",
        ));
    }
    if !origins(request.headers()).all(|origin| origin.is_some_and(|origin| is_local(&origin))) {
        return Err(foreign("foreign_origin", "a web page of another origin sent it"));
    }
    Ok(())
}

/// Where the page comes from that had this sent; `None` for one that does not say.
fn origins(headers: &HeaderMap) -> impl Iterator<Item = Option<Authority>> {
    headers.get_all(header::ORIGIN).iter().map(|origin| {
        let origin = Uri::try_from(origin.as_bytes()).ok()?;
        origin.scheme().and(origin.authority()).cloned()
    })
}

/// `localhost` with all below it (RFC 6761, section 6.3), or a loopback address.
fn is_local(authority: &Authority) -> bool {
    let host = authority.host().trim_end_matches('.').to_ascii_lowercase();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

fn foreign(code: &'static str, what: &str) -> Complaint {
    let message = format!(
        "this gateway has no tenants, so it answers programs of this machine alone, and {what}; ask \
         at 127.0.0.1, or name a [[tenant]] with a key in weir.toml"
    );
    Complaint::new(StatusCode::FORBIDDEN, code, message)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn code(uri: &str, headers: &[(&str, &str)]) -> &'static str {
        let mut request = Request::get(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        check(&request.body(Body::empty()).unwrap()).err().map_or("", |complaint| complaint.code)
    }

    #[test]
    fn programs_of_this_machine_may_ask() {
        for host in
            ["localhost", "LOCALHOST:18790", "api.localhost", "127.0.0.1:1", "127.8.0.1", "[::1]:2"]
        {
            assert_eq!(code("/", &[("host", host)]), "", "{host}");
        }
        assert_eq!(code("/", &[]), "", "HTTP/1.0");
        assert_eq!(code("http://localhost:1/", &[("host", "localhost:1")]), "");
    }

    #[test]
    fn a_name_that_leads_here_is_not_enough() {
        for host in
            ["evil.example", "evil.example:18790", "localhost.evil.example", "10.0.0.1", "", "a b"]
        {
            assert_eq!(code("/", &[("host", host)]), "foreign_host", "{host}");
        }
        assert_eq!(code("http://evil.example/", &[("host", "localhost")]), "foreign_host");
        assert_eq!(code("/", &[("host", "localhost"), ("host", "evil.example")]), "foreign_host");
    }

    #[test]
    fn pages_of_this_machine_may_ask_and_others_may_not() {
        let of = |origin| code("/", &[("host", "localhost"), ("origin", origin)]);
        for origin in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:8080"] {
            assert_eq!(of(origin), "", "{origin}");
        }
        for origin in
            ["https://evil.example", "null", "", "localhost", "http://localhost.evil.example"]
        {
            assert_eq!(of(origin), "foreign_origin", "{origin}");
        }
    }
}
