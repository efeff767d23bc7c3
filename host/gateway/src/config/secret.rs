//! Credentials: how they are found, and a type that does not show them.

use std::fmt;

use sha2::{Digest, Sha256};

/// A credential. It prints as nothing; whoever needs the text asks for it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself, for the one header that carries it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Takes a credential as it stands in a variable or a file: surrounding white space is dropped.
    ///
    /// # Errors
    ///
    /// It is empty, or holds a character that no HTTP header may carry.
    pub(super) fn new(text: &str) -> Result<Self, BadSecret> {
        let text = text.trim();
        if text.is_empty() {
            return Err(BadSecret::Empty);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadSecret::Unprintable);
        }
        Ok(Self(text.to_owned()))
    }

    /// Its SHA-256, by which callers are known.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Why a text is no credential. It never holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadSecret {
    #[error("it is empty")]
    Empty,
    #[error(
        "it holds white space or a character that is not ASCII, which no HTTP header may carry"
    )]
    Unprintable,
}

/// The SHA-256 of a tenant's key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash of a key as a caller sends it.
    #[must_use]
    pub fn of(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }

    /// Reads 64 hexadecimal digits.
    pub(super) fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = hex(pair[0])? << 4 | hex(pair[1])?;
        }
        Some(Self(hash))
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash")
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
