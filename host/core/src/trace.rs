//! A trace: every call of the core and every policy's answer, for exact replay.
//!
//! The core is a pure function of its configuration, the calls made to it and the answers that it got. A
//! [`Recorder`] stands between the core and its policies and writes all three down, one JSON object a line;
//! [`replay`] makes the same calls with the recorded answers and compares what comes out. A policy's fault is
//! an answer too. Prompt text never enters a trace: inputs hold none, and of a provider's body only the
//! excerpt of an error.

mod answer;
mod recorder;
mod replay;

use serde::{Deserialize, Serialize};
use weir_sdk::fanout;

use crate::config::Config;
use crate::core::Core;
use crate::input::Input;
use crate::output::Output;
use crate::policies::Policies;
use crate::units::Micros;

pub use answer::{Answer, Bits};
pub use recorder::{Lines, Recorder, Sink, Standbys};
pub use replay::{Divergence, Replay, Replayed, replay};

/// One line of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// What the core was made from. The first line, and only that.
    Config(Box<Config>),
    /// A call of the core. Its answers follow.
    Call(Box<Call>),
    /// What a policy answered.
    Answer(Answer),
    /// The call returned, with so many outputs and their digest.
    Returned {
        /// How many.
        outputs: usize,
        /// FNV-1a over their JSON, in order.
        digest: u64,
    },
}

/// A call of the core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "a call is moved once, from its caller to the core")]
pub enum Call {
    /// [`Core::apply`].
    Apply {
        /// When.
        now: Micros,
        /// What happened.
        input: Input,
    },
    /// [`Core::decide`].
    Decide {
        /// When.
        now: Micros,
    },
    /// [`Core::maintain`].
    Maintain {
        /// When.
        now: Micros,
        /// Items at most.
        slice: usize,
    },
    /// [`Core::fanout`].
    Fanout {
        /// When.
        now: Micros,
        /// The task and its tree.
        tree: fanout::Tree,
        /// Children wanted.
        wanted: u32,
        /// Children there are.
        children: Vec<fanout::Child>,
    },
}

/// What a call gave besides outputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Nothing.
    Nothing,
    /// Whether [`Core::maintain`] has more to tell.
    More(bool),
    /// The plan of [`Core::fanout`].
    Plan(fanout::Plan),
}

impl Call {
    /// Makes the call.
    pub fn perform(
        self,
        core: &mut Core,
        policies: &mut dyn Policies,
        out: &mut Vec<Output>,
    ) -> Given {
        match self {
            Self::Apply { now, input } => core.apply(now, input, policies, out),
            Self::Decide { now } => core.decide(now, policies, out),
            Self::Maintain { now, slice } => {
                return Given::More(core.maintain(now, policies, out, slice));
            }
            Self::Fanout { now, tree, wanted, children } => {
                return Given::Plan(core.fanout(now, tree, wanted, &children, policies));
            }
        }
        Given::Nothing
    }
}

/// FNV-1a (Fowler, Noll, Vo) over the JSON of outputs. Not meant against forgery.
#[must_use]
pub fn digest(outputs: &[Output]) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for output in outputs {
        // Writing into the hash cannot fail, and outputs have only string keys.
        let _: Result<(), serde_json::Error> = serde_json::to_writer(&mut hash, output);
    }
    hash.0
}

struct Fnv(u64);

impl std::io::Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
