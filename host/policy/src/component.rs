//! A file that has become a policy: compiled, checked for what it asks and what it offers, and tried once.

mod error;
mod exports;

pub use error::LoadError;
pub(crate) use exports::{Exports, Face};

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use wasmtime::component::InstancePre;
use weir_core::Slot;

use crate::Engine;
use crate::contract::base::BaseIndices;
use crate::instance::Instance;
use crate::sandbox::{self, Sandbox};

/// The largest file that is compiled, in bytes. Compiling takes time that grows with it.
pub const LARGEST: usize = 16 << 20;

/// The SHA-256 of a component's bytes, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let hash = Sha256::digest(bytes);
        Self(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Its 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a component came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// It is part of the command.
    BuiltIn,
    /// A file.
    File(PathBuf),
}

/// A compiled and checked component. It can be sent to other threads, and started any number of times.
pub struct Component {
    pub(crate) engine: Engine,
    pub(crate) pre: InstancePre<Sandbox>,
    pub(crate) base: BaseIndices,
    pub(crate) exports: Exports,
    /// What it says of itself.
    pub name: String,
    /// The version it says it has.
    pub version: String,
    /// One sentence about it.
    pub summary: String,
    /// JSON Schema of its settings; empty when it has none.
    pub settings_schema: String,
    /// Of its bytes.
    pub digest: Digest,
    /// Where it came from.
    pub source: Source,
}

impl Component {
    /// Compiles and checks. Takes a tenth of a second and more: not for the scheduler's thread. A first
    /// instance says what it is, under the same deadline and caps as in service.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and how to mend it.
    pub fn load(engine: &Engine, bytes: &[u8], source: Source) -> Result<Arc<Self>, LoadError> {
        let compiled = compile(engine, bytes)?;
        let pre = link(engine, &compiled)?;
        let base = BaseIndices::new(&pre).map_err(|_| LoadError::NoLifecycle)?;
        let exports = Exports::of(&pre)?;
        let mut component = Self {
            engine: engine.clone(),
            pre,
            base,
            exports,
            name: String::new(),
            version: String::new(),
            summary: String::new(),
            settings_schema: String::new(),
            digest: Digest::of(bytes),
            source,
        };
        component.describe()?;
        Ok(Arc::new(component))
    }

    /// The slots that it can take.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot> {
        self.exports.slots()
    }

    /// The interfaces that it imports: all of them such that a host gives.
    #[must_use]
    pub fn imports(&self) -> Vec<String> {
        imports(&self.engine, self.pre.component())
    }

    fn describe(&mut self) -> Result<(), LoadError> {
        let mut first = Instance::new(self, None).map_err(LoadError::from_birth)?;
        let said = first.describe().map_err(LoadError::Canary)?;
        (self.name, self.version) = (sandbox::short(said.name), sandbox::short(said.version));
        (self.summary, self.settings_schema) = (sandbox::short(said.summary), said.settings_schema);
        if self.name.is_empty() { Err(LoadError::NoName) } else { Ok(()) }
    }
}

/// Bytes first, then the compiler: an error here is about the file, not about a policy.
fn compile(engine: &Engine, bytes: &[u8]) -> Result<wasmtime::component::Component, LoadError> {
    if bytes.len() > LARGEST {
        return Err(LoadError::TooLarge { bytes: bytes.len(), most: LARGEST });
    }
    // The first eight bytes: the magic number, then version and layer (1 and 0 for a core module; 13 and 1
    // for a component).
    match bytes.first_chunk::<8>() {
        Some([0, b'a', b's', b'm', _, _, 1, 0]) => {}
        Some([0, b'a', b's', b'm', ..]) => return Err(LoadError::CoreModule),
        _ => return Err(LoadError::NotWasm { bytes: bytes.len() }),
    }
    wasmtime::component::Component::from_binary(engine.wasm(), bytes).map_err(LoadError::Broken)
}

fn imports(engine: &Engine, component: &wasmtime::component::Component) -> Vec<String> {
    let kind = component.component_type();
    kind.imports(engine.wasm()).map(|(name, _)| name.to_owned()).collect()
}

fn link(
    engine: &Engine,
    component: &wasmtime::component::Component,
) -> Result<InstancePre<Sandbox>, LoadError> {
    let plain = |name: &str| name.split('@').next().unwrap_or_default().to_owned();
    let known = |name: &String| sandbox::interfaces().any(|known| known == plain(name));
    let mut foreign = imports(engine, component);
    foreign.retain(|name| !known(name));
    if !foreign.is_empty() {
        return Err(LoadError::Authority { imports: foreign });
    }
    engine.linker().instantiate_pre(component).map_err(LoadError::Import)
}
