//! A record as bytes, and what names them.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::Record;

impl Record {
    /// Writes it as one line of JSON.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        serde_json::to_writer(out, self).map_err(io::Error::from)
    }

    /// The SHA-256 of its bytes, in hexadecimal: two runs that have the same were the same.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Hash(Sha256::new());
        // Hashing cannot fail, and every map in a record has keys that are text.
        let _: io::Result<()> = self.write(&mut hash);
        hash.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

struct Hash(Sha256);

impl Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
