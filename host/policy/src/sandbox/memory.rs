//! How much memory an instance may have: all its linear memories together, and its tables.

use wasmtime::{Error, ResourceLimiter};

/// Bytes of linear memory.
const BYTES: usize = 32 << 20;
/// Entries of one table. A component from Rust has some hundreds.
const ENTRIES: usize = 64 << 10;
/// Memories, tables and core instances. A component from Rust has one memory and a handful of the others.
const PARTS: usize = 64;

#[derive(Default)]
pub(crate) struct Memory {
    held: usize,
    /// What was refused, in bytes.
    refused: Option<usize>,
}

impl Memory {
    /// Words, when the instance was stopped for what it asked.
    pub(crate) fn words(&self) -> Option<String> {
        self.refused.map(|bytes| {
            format!(
                "wanted {} MiB of memory, may have {} MiB",
                bytes.div_ceil(1 << 20),
                BYTES >> 20
            )
        })
    }
}

impl ResourceLimiter for Memory {
    /// An error instead of `Ok(false)` stops the instance here: told that it has no memory, Rust would abort
    /// without a word.
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let wanted = (self.held - current.min(self.held)).saturating_add(desired);
        if wanted > BYTES {
            self.refused = Some(wanted);
            return Err(Error::msg("memory cap"));
        }
        self.held = wanted;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= ENTRIES)
    }

    fn instances(&self) -> usize {
        PARTS
    }

    fn memories(&self) -> usize {
        PARTS
    }

    fn tables(&self) -> usize {
        PARTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_count_together() {
        let mut memory = Memory::default();
        assert!(memory.memory_growing(0, 20 << 20, None).is_ok());
        assert!(memory.memory_growing(0, 12 << 20, None).is_ok());
        assert!(memory.words().is_none());
        assert!(memory.memory_growing(12 << 20, (12 << 20) + 65_536, None).is_err());
        assert_eq!(memory.words().unwrap(), "wanted 33 MiB of memory, may have 32 MiB");
    }
}
