//! A token bucket.
#[derive(Debug)]
pub(crate) struct Bucket {}
