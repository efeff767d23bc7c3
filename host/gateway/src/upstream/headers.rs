//! Which headers go where.
//!
//! Hop-by-hop headers (RFC 9110, section 7.6.1) end here in both directions. The caller's credential never goes
//! on, nor does what is meant for this gateway. An answer must come readable, so no coding of it is accepted.

use http::header::{self, InvalidHeaderValue};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::config::{Kind, Secret};

const HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Headers of a request that are this gateway's own business.
const OURS: [HeaderName; 7] = [
    header::AUTHORIZATION,
    API_KEY,
    header::HOST,
    header::CONTENT_LENGTH,
    header::ACCEPT_ENCODING,
    header::EXPECT,
    header::COOKIE,
];

/// Headers of a response that are of no use, or no business, to a policy.
const NOT_FOR_POLICIES: [HeaderName; 3] =
    [header::SET_COOKIE, header::WWW_AUTHENTICATE, HeaderName::from_static("openai-organization")];

/// Headers and bytes of a value that the core is given at most.
const MAX_HEADERS: usize = 64;
const MAX_VALUE: usize = 1_024;

/// The header that carries an upstream's key.
pub(super) fn credential(
    kind: Kind,
    key: &Secret,
) -> Result<(HeaderName, HeaderValue), InvalidHeaderValue> {
    let (name, text) = match kind {
        Kind::OpenAi => (header::AUTHORIZATION, format!("Bearer {}", key.expose())),
        Kind::Anthropic => (API_KEY, key.expose().to_owned()),
    };
    let mut value = HeaderValue::try_from(text)?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// What goes to a provider of what a caller sent.
pub(super) fn for_upstream(
    caller: &HeaderMap,
    credential: Option<&(HeaderName, HeaderValue)>,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(caller.len() + 2);
    for (name, value) in caller {
        if !stops(caller, name) && !OURS.contains(name) && !name.as_str().starts_with("x-weir-") {
            headers.append(name.clone(), value.clone());
        }
    }
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if let Some((name, value)) = credential {
        headers.insert(name.clone(), value.clone());
    }
    headers
}

/// What goes to a caller of what a provider answered. Cookies do not: callers share the connection's account.
pub(crate) fn for_caller(provider: &HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(provider.len() + 8);
    for (name, value) in provider {
        let ours = name.as_str().starts_with("x-weir-") || name == header::SET_COOKIE;
        if !stops(provider, name) && !ours {
            headers.append(name.clone(), value.clone());
        }
    }
    headers
}

/// What a policy is shown of what a provider answered.
pub(crate) fn for_core(provider: &HeaderMap) -> Vec<(String, String)> {
    let shown = provider.iter().filter(|(name, _)| !NOT_FOR_POLICIES.contains(name));
    let text = shown.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    text.filter(|(_, value)| value.len() <= MAX_VALUE)
        .take(MAX_HEADERS)
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The header ends at this hop: it is one of those that do, or `connection` names it.
fn stops(headers: &HeaderMap, name: &HeaderName) -> bool {
    HOP_BY_HOP.contains(name)
        || headers.get_all(header::CONNECTION).iter().filter_map(|list| list.to_str().ok()).any(
            |list| list.split(',').any(|named| named.trim().eq_ignore_ascii_case(name.as_str())),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_callers_key_is_replaced_by_the_upstreams() {
        let caller = headers(&[
            ("authorization", "Bearer tenant"),
            ("x-api-key", "tenant"),
            ("x-weir-session", "s"),
            ("connection", "keep-alive, x-hop"),
            ("x-hop", "1"),
            ("accept-encoding", "gzip, br"),
            ("anthropic-version", "2023-06-01"),
            ("anthropic-beta", "a-beta"),
            ("openai-organization", "org"),
            ("content-type", "application/json"),
        ]);
        let key = (API_KEY, HeaderValue::from_static("upstream"));
        let sent = for_upstream(&caller, Some(&key));
        let expected = headers(&[
            ("anthropic-version", "2023-06-01"),
            ("anthropic-beta", "a-beta"),
            ("openai-organization", "org"),
            ("content-type", "application/json"),
            ("accept-encoding", "identity"),
            ("x-api-key", "upstream"),
        ]);
        assert_eq!(sent, expected);
    }

    #[test]
    fn a_policy_sees_limits_and_no_cookies() {
        let provider =
            headers(&[("set-cookie", "secret"), ("retry-after", "3"), ("x-request-id", "r")]);
        let shown = for_core(&provider);
        assert_eq!(shown[0], ("retry-after".to_owned(), "3".to_owned()));
        assert!(shown.iter().all(|(name, _)| name != "set-cookie"));
    }
}
