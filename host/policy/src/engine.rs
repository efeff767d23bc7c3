//! The engine that compiles and runs policies. One a process; clones share it.

mod cache;

pub use cache::{CacheError, private_cache};

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use wasmtime::component::Linker;
use wasmtime::{Cache, CacheConfig, Config, EngineWeak, Store};

use crate::sandbox::{Sandbox, TICK};

/// What counts the time of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Wall and processor time, by epochs: cheap. For a live host.
    Live,
    /// Instructions: the same on every machine and in every run. For simulation.
    Fuel,
}

/// How an engine is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// What counts the time of a call.
    pub pace: Pace,
    /// Where compiled code is kept between runs. Whoever can write there can run code in this process, so it
    /// is a directory of this user alone, such as [`private_cache`]. Absent: compiled anew in each run.
    pub cache: Option<PathBuf>,
    /// What policies get that ask for random numbers.
    pub seed: u64,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
#[error("the engine for policies does not start")]
pub struct EngineError(#[from] wasmtime::Error);

/// Compiles and runs policies. See the module's text.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    engine: wasmtime::Engine,
    linker: Linker<Sandbox>,
    pace: Pace,
    seed: u64,
}

/// Units of fuel that count as a millisecond.
pub(crate) const FUEL_PER_MILLI: u64 = 4_000_000;
/// The stack of a policy; the thread that calls it must have as much to spare.
const STACK: usize = 512 << 10;

impl Engine {
    /// An engine, and in a live host the thread that moves its epoch for as long as it lives.
    ///
    /// # Errors
    ///
    /// The machine is one that the compiler does not know, the cache directory cannot be made, or there is no
    /// thread to be had.
    pub fn new(options: &Options) -> Result<Self, EngineError> {
        let engine = wasmtime::Engine::new(&config(options)?)?;
        if options.pace == Pace::Live {
            tick(engine.weak())?;
        }
        let mut linker = Linker::new(&engine);
        Sandbox::link(&mut linker)?;
        Ok(Self(Arc::new(Inner { engine, linker, pace: options.pace, seed: options.seed })))
    }

    /// What counts the time of a call.
    #[must_use]
    pub fn pace(&self) -> Pace {
        self.0.pace
    }

    pub(crate) fn wasm(&self) -> &wasmtime::Engine {
        &self.0.engine
    }

    pub(crate) fn linker(&self) -> &Linker<Sandbox> {
        &self.0.linker
    }

    /// A store for one instance, with its caps.
    pub(crate) fn store(&self) -> Store<Sandbox> {
        let mut store = Store::new(&self.0.engine, Sandbox::new(self.0.seed));
        store.limiter(|sandbox| &mut sandbox.memory);
        store.set_hostcall_fuel(HOSTCALL);
        store.set_max_component_handles(HANDLES);
        if self.0.pace == Pace::Live {
            store.epoch_deadline_callback(|mut context| context.data_mut().deadline.passed());
        }
        store
    }
}

/// Bytes that one call may hand from the policy to the host.
const HOSTCALL: usize = 4 << 20;
/// Resources of the host that an instance may hold.
const HANDLES: usize = 1024;

fn config(options: &Options) -> wasmtime::Result<Config> {
    let mut config = Config::new();
    config
        // A call costs a third of what it costs with this on, and no policy waits.
        .concurrency_support(false)
        .epoch_interruption(options.pace == Pace::Live)
        .consume_fuel(options.pace == Pace::Fuel)
        .max_wasm_stack(STACK)
        // A policy that comes while requests run is compiled beside them, on one core.
        .parallel_compilation(false)
        // The same answers on every machine.
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true);
    if let Some(directory) = &options.cache {
        let mut cache = CacheConfig::new();
        cache.with_directory(directory);
        config.cache(Some(Cache::new(cache)?));
    }
    Ok(config)
}

#[expect(clippy::disallowed_methods, reason = "this thread is the clock of the calls")]
fn tick(engine: EngineWeak) -> wasmtime::Result<()> {
    let ticker = move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(TICK);
        }
    };
    thread::Builder::new().name("weir-epoch".into()).spawn(ticker)?;
    Ok(())
}
