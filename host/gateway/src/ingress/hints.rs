//! What callers may say of a request in `x-weir-*` headers.

use http::HeaderMap;
use weir_core::ids::ItemId;
use weir_core::units::Micros;

use crate::complaint::Complaint;

/// The longest name of a session or task.
const MAX_NAME: usize = 128;

/// The headers, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hints {
    pub(super) session: String,
    pub(super) task: String,
    pub(super) parent: Option<ItemId>,
    pub(super) class: Option<u8>,
    /// How long the answer may take, from now.
    pub(super) within: Option<Micros>,
}

impl Hints {
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, Complaint> {
        Ok(Self {
            session: name(headers, "x-weir-session")?,
            task: name(headers, "x-weir-task")?,
            parent: number(headers, "x-weir-parent", u64::MAX)?.map(ItemId),
            class: number(headers, "x-weir-class", 254)?.and_then(|class| u8::try_from(class).ok()),
            within: number(headers, "x-weir-deadline-ms", u64::MAX)?.map(Micros::from_millis),
        })
    }
}

fn text<'a>(headers: &'a HeaderMap, header: &str) -> Result<Option<&'a str>, Complaint> {
    let Some(value) = headers.get(header) else { return Ok(None) };
    value.to_str().map(|text| Some(text.trim())).map_err(|_| bad(header, "visible ASCII"))
}

fn name(headers: &HeaderMap, header: &str) -> Result<String, Complaint> {
    let name = text(headers, header)?.unwrap_or_default();
    if name.len() > MAX_NAME {
        return Err(bad(header, "at most 128 characters"));
    }
    Ok(name.to_owned())
}

fn number(headers: &HeaderMap, header: &str, most: u64) -> Result<Option<u64>, Complaint> {
    let Some(text) = text(headers, header)? else { return Ok(None) };
    let number = text.parse().ok().filter(|number| *number <= most);
    number.map(Some).ok_or_else(|| match most {
        u64::MAX => bad(header, "a whole number"),
        most => bad(header, &format!("a whole number from 0 to {most}")),
    })
}

fn bad(header: &str, wanted: &str) -> Complaint {
    Complaint::bad_request("invalid_header", format!("the header {header} must be {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &str) -> Result<Hints, String> {
        let headers = [(name.parse().unwrap(), value.parse().unwrap())].into_iter().collect();
        Hints::read(&headers).map_err(|complaint| complaint.message)
    }

    #[test]
    fn hints_are_read() {
        assert_eq!(Hints::read(&HeaderMap::new()), Ok(Hints::default()));
        assert_eq!(read("x-weir-session", "s1").unwrap().session, "s1");
        assert_eq!(read("x-weir-class", "0").unwrap().class, Some(0));
        let within = read("x-weir-deadline-ms", "1500").unwrap().within;
        assert_eq!(within, Some(Micros::from_millis(1_500)));
    }

    #[test]
    fn a_bad_hint_is_named() {
        assert_eq!(
            read("x-weir-class", "255").unwrap_err(),
            "the header x-weir-class must be a whole number from 0 to 254"
        );
        assert!(read("x-weir-deadline-ms", "soon").unwrap_err().contains("x-weir-deadline-ms"));
        assert!(read("x-weir-session", &"s".repeat(129)).is_err());
    }
}
