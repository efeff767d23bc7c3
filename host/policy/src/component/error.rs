//! Why a component is not taken, in words that help whoever wrote it.

use weir_core::Slot;

use crate::instance::Failed;

/// Why a component is not taken. The text is whole: causes are in it.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The bytes could not be read.
    #[error("cannot be read: {0}")]
    Read(std::io::Error),
    /// More bytes than are compiled.
    #[error(
        "is {bytes} bytes; at most {most} are compiled. Build it with the `release` profile and `strip = true`"
    )]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The largest allowed.
        most: usize,
    },
    /// Something else than WebAssembly.
    #[error(
        "is not WebAssembly ({bytes} bytes that do not begin with `\\0asm`). A policy is a component: build it \
         with `cargo build --release --target wasm32-wasip2`"
    )]
    NotWasm {
        /// Its size.
        bytes: usize,
    },
    /// A core module.
    #[error(
        "is a core module, not a component. Build it for `wasm32-wasip2` instead of `wasm32-wasip1` or \
         `wasm32-unknown-unknown`"
    )]
    CoreModule,
    /// It begins like a component and goes on as none: cut off, or damaged.
    #[error(
        "is a damaged component, or one that was cut off; write it whole, then rename it into place: {0:#}"
    )]
    Broken(wasmtime::Error),
    /// It imports what no policy gets.
    #[error(
        "imports {}. A policy has no authority: no files, network, sleep or threads; time and chance come in \
         the call. Take the code out that needs them, or a dependency that does", .imports.join(", ")
    )]
    Authority {
        /// The interfaces that are not there.
        imports: Vec<String>,
    },
    /// It imports a function that is left out of an interface, or in another shape.
    #[error(
        "imports a function that no policy gets, such as a way to sleep or to wait: {0:#}. Time comes in the \
         call: ask to be woken instead of waiting"
    )]
    Import(wasmtime::Error),
    /// It has no lifecycle.
    #[error(
        "does not export `weir:policy/lifecycle@0.1.0`, so it is no policy, or one for another version of \
         the contract. Export it with weir-sdk's macro"
    )]
    NoLifecycle,
    /// It answers none of the questions.
    #[error(
        "exports no interface of `weir:policy@0.1.0` beside `lifecycle`. Export at least one of {}",
        Slot::ALL.map(Slot::name).join(", ")
    )]
    NoInterface,
    /// An interface of the contract's name and another shape.
    #[error(
        "exports an interface of `weir:policy@0.1.0` in another shape than this host knows; build it against \
         the weir-sdk of this host: {0:#}"
    )]
    Shape(wasmtime::Error),
    /// It has no name.
    #[error(
        "has an empty name; `describe` must give one, as state passes only between policies of one name"
    )]
    NoName,
    /// It does not answer the question of its slot.
    #[error("does not export `{slot}`; it exports {}", names(.exports))]
    WrongSlot {
        /// The slot that it was to take.
        slot: Slot,
        /// What it answers.
        exports: Vec<Slot>,
    },
    /// Its first instance failed.
    #[error("failed while it was tried: {0}")]
    Canary(Failed),
    /// It refuses its settings.
    #[error("does not start with these settings: {0}")]
    Settings(String),
}

impl LoadError {
    /// The first instance was not born: binding its exports failed, or it did.
    pub(crate) fn from_birth(failed: Failed) -> Self {
        match failed {
            Failed::Bind(error) => Self::Shape(error),
            other => Self::Canary(other),
        }
    }
}

fn names(slots: &[Slot]) -> String {
    slots.iter().map(|slot| slot.name()).collect::<Vec<_>>().join(", ")
}
