//! One running instance in a store of its own, and the one place where a policy is called.
//!
//! Each call gets its deadline here, is measured here, and ends here: after any error the store is not to be
//! called again, even where wasmtime would allow it, because nobody knows what state the policy is in.

mod fault;

pub use fault::Failed;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use wasmtime::Store;
use weir_core::Slot;
use weir_core::units::Micros;
use weir_sdk::lifecycle::{Description, Named, Origin};

use crate::component::{Component, Face};
use crate::contract::base::Base;
use crate::contract::base::exports::weir::policy::lifecycle::{Guest, Origin as WireOrigin};
use crate::engine::{FUEL_PER_MILLI, Pace};
use crate::meter::{Cost, Watch};
use crate::sandbox::{self, Sandbox};

/// Names told in one call, so that a call has an end in sight of its deadline.
const NAMES: usize = 256;
/// Bytes of a saved state.
const SAVED: usize = 1 << 20;
/// Fuel of one call.
const FUEL: u64 = sandbox::CALL.as_millis() as u64 * FUEL_PER_MILLI;

/// A policy at work.
pub(crate) struct Instance {
    store: Store<Sandbox>,
    base: Base,
    face: Option<Face>,
    pace: Pace,
    /// How long the last call took, if that was timed.
    pub(crate) took: Option<Duration>,
    /// What calls have used since that was last counted.
    unpaid: Duration,
}

impl Instance {
    /// Instantiates; 20 to 40 µs. Without a slot nothing but the lifecycle can be called, and the types of all
    /// interfaces are checked.
    pub(crate) fn new(component: &Component, slot: Option<Slot>) -> Result<Self, Failed> {
        let mut store = component.engine.store();
        let pace = component.engine.pace();
        let born =
            metered(&mut store, pace, Micros::ZERO, |store| component.pre.instantiate(store));
        let born = born.0?;
        let base = component.base.load(&mut store, &born).map_err(Failed::Bind)?;
        let mut bind = |slot| component.exports.bind(slot, &mut store, &born).map_err(Failed::Bind);
        let face = match slot {
            Some(slot) => Some(bind(slot)?),
            None => {
                component.slots().into_iter().try_for_each(|slot| bind(slot).map(drop))?;
                None
            }
        };
        Ok(Self { store, base, face, pace, took: None, unpaid: Duration::ZERO })
    }

    /// Calls a function of its slot's interface.
    pub(crate) fn call<R>(
        &mut self,
        now: Micros,
        call: impl FnOnce(&Face, &mut Store<Sandbox>) -> wasmtime::Result<R>,
    ) -> Result<R, Failed> {
        let face = self.face.as_ref();
        let (answer, cost) = metered(&mut self.store, self.pace, now, |store| match face {
            Some(face) => call(face, store),
            None => wasmtime::bail!("the instance serves no slot"),
        });
        self.took = cost.took;
        self.unpaid += cost.used;
        answer
    }

    fn lifecycle<R>(
        &mut self,
        now: Micros,
        call: impl FnOnce(&Guest, &mut Store<Sandbox>) -> wasmtime::Result<R>,
    ) -> Result<R, Failed> {
        let guest = self.base.weir_policy_lifecycle();
        let (answer, cost) = metered(&mut self.store, self.pace, now, |store| call(guest, store));
        self.unpaid += cost.used;
        answer
    }

    /// Lets it go beside the path of requests: giving tens of megabytes back takes the system milliseconds.
    pub(crate) fn retire(self) {
        let thread = std::thread::Builder::new().name("weir-retire".into());
        // Where no thread can be had the instance goes here and now.
        drop(thread.spawn(move || drop(self)));
    }

    /// What its calls have used since this was last asked.
    pub(crate) fn pay(&mut self) -> Duration {
        std::mem::take(&mut self.unpaid)
    }

    pub(crate) fn describe(&mut self) -> Result<Description, Failed> {
        let said = self.lifecycle(Micros::ZERO, |guest, store| guest.call_describe(store))?;
        Ok(said.into())
    }

    /// `Err` inside: its words about the settings.
    pub(crate) fn start(
        &mut self,
        settings: &str,
        now: Micros,
    ) -> Result<Result<(), String>, Failed> {
        let read = self.lifecycle(now, |guest, store| guest.call_start(store, settings, now.0))?;
        Ok(read.map_err(sandbox::short))
    }

    /// `Err` inside: its words about the state.
    pub(crate) fn restore(
        &mut self,
        state: &[u8],
        origin: &Origin,
        now: Micros,
    ) -> Result<Result<(), String>, Failed> {
        let origin = WireOrigin::from(origin.clone());
        let taken =
            self.lifecycle(now, |guest, store| guest.call_restore(store, state, &origin, now.0))?;
        Ok(taken.map_err(sandbox::short))
    }

    pub(crate) fn save(&mut self, now: Micros) -> Result<Vec<u8>, Failed> {
        let state = self.lifecycle(now, |guest, store| guest.call_save(store, now.0))?;
        if state.len() > SAVED {
            return Err(Failed::TooMuchState { bytes: state.len(), most: SAVED });
        }
        Ok(state)
    }

    pub(crate) fn names(&mut self, entries: &[Named], now: Micros) -> Result<(), Failed> {
        entries.chunks(NAMES).try_for_each(|slice| {
            let slice: Vec<_> = slice.iter().cloned().map(Into::into).collect();
            self.lifecycle(now, |guest, store| guest.call_names(store, &slice))
        })
    }

    pub(crate) fn forget(&mut self, ids: &[(u16, u64)], now: Micros) -> Result<(), Failed> {
        let mut slices = ids.chunks(NAMES);
        slices.try_for_each(|ids| self.lifecycle(now, |guest, store| guest.call_forget(store, ids)))
    }

    /// The last that it said.
    pub(crate) fn words(&self) -> String {
        self.store.data().ring.words(0)
    }
}

/// Gives a call its deadline, measures it, and puts what went wrong into words.
fn metered<R>(
    store: &mut Store<Sandbox>,
    pace: Pace,
    now: Micros,
    call: impl FnOnce(&mut Store<Sandbox>) -> wasmtime::Result<R>,
) -> (Result<R, Failed>, Cost) {
    let mark = store.data().ring.mark();
    store.data_mut().now = now;
    let (fuel, watch) = match pace {
        Pace::Live => {
            store.data_mut().deadline = sandbox::Deadline::default();
            store.set_epoch_deadline(sandbox::FIRST);
            (Ok(()), store.data_mut().lot.draw().then(Watch::start))
        }
        Pace::Fuel => (store.set_fuel(FUEL), None),
    };
    let answer = catch_unwind(AssertUnwindSafe(|| fuel.and_then(|()| call(store))));
    let cost = match pace {
        Pace::Live => {
            let took = watch.map(|watch| watch.read());
            Cost { took, used: store.data().deadline.used(took) }
        }
        Pace::Fuel => Cost::fuel(FUEL - store.get_fuel().unwrap_or(0)),
    };
    let answer = match answer {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(Failed::call(error, store.data(), mark)),
        Err(panic) => Err(Failed::host(&*panic)),
    };
    (answer, cost)
}
