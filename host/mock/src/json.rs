//! JSON bytes.

use bytes::Bytes;
use serde::Serialize;

/// The bytes of a value of this crate's wire types.
#[expect(clippy::expect_used, reason = "structs of strings and numbers always serialise")]
pub(crate) fn bytes(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).expect("a wire type serialises").into()
}

/// Appends a value to a buffer.
#[expect(clippy::expect_used, reason = "structs of strings and numbers always serialise")]
pub(crate) fn append(buffer: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(buffer, value).expect("a wire type serialises");
}
