//! Figures out of a run's record, and the levels that they must meet.
//!
//! A scenario says in `[[pass]]` what a run must reach:
//!
//! ```toml
//! [[pass]]
//! measure = "in-flight-share"
//! at_least = 0.97
//! ```
//!
//! Every figure is taken from a **window**: `from` and `until`, times from the start of the run. Without `from` it
//! begins when the warm-up ends, without `until` it ends with the scenario's duration, after which nothing arrives.
//! An attempt belongs to the window in which it was *sent*, a request to the one in which it *arrived*.
//!
//! A figure compares with another case of the same file, run with the same seed, when the level names a
//! `baseline`: its value is then the ratio of the two.
//!
//! What is never reached has the value infinity. A figure of nothing, such as a share of no attempts, has no value
//! and meets no level. Nor has one that is taken from what happened, such as a mean limit, in a window of which the
//! record does not hold all that happened.

mod books;
mod closure;
mod fair;
mod level;
mod limit;
mod load;
mod run;
mod span;
mod spread;
mod steps;
mod summary;
#[cfg(test)]
mod tests;
mod window;

use serde::Deserialize;

pub use self::level::{Bound, Level, LevelError};
use self::run::Run;
pub use self::summary::{Demand, Summary, Upstream};
use self::window::Window;
use crate::record::Record;

/// A figure of a run. Where an upstream is not named, the first is meant.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "measure", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Measure {
    /// Mean number of attempts that the provider served, parked parents and refused attempts aside, as a share of
    /// the mean of what it takes at once.
    InFlightShare {
        /// Which upstream.
        upstream: Option<String>,
    },
    /// Of the attempts sent, the share that was refused for load.
    ThrottledShare {
        /// Which upstream.
        upstream: Option<String>,
    },
    /// Refusals for load a minute, of all hosts together.
    ThrottlesPerMinute {
        /// Which upstream.
        upstream: Option<String>,
    },
    /// Seconds from the window's start until so much of what the provider takes at once was in flight.
    SecondsToFill {
        /// Which upstream.
        upstream: Option<String>,
        /// How much of what it takes at once.
        share: f64,
    },
    /// Requests that arrived.
    Requests {
        /// Which demand; absent: all.
        demand: Option<String>,
    },
    /// Of the requests that arrived, the share whose callers went away before they were answered.
    CancelledShare {
        /// Which demand; absent: all.
        demand: Option<String>,
    },
    /// Attempts sent for each request that arrived, attempts of the reserve aside.
    AttemptsPerRequest {
        /// Attempts a second that are not counted.
        #[serde(default)]
        reserve_per_second: f64,
    },
    /// Seconds from the window's start until the successes of the last five seconds reached so much of the rate at
    /// which requests had arrived from the warm-up to then.
    SecondsToRecover {
        /// How much of that rate.
        share: f64,
    },
    /// Of the time that attempts of all demands were served, this demand's share.
    ServedShare {
        /// Which demand.
        demand: String,
    },
    /// Of the requests that arrived, the share that was answered.
    DoneShare {
        /// Which demand; absent: all.
        demand: Option<String>,
    },

    /// Mean over time of what the limit policy answered, of all hosts together.
    MeanLimit {
        /// Which upstream.
        upstream: Option<String>,
    },
    /// By how much the policy's limit rose above what it was at the window's start.
    LimitGrowth {
        /// Which upstream.
        upstream: Option<String>,
    },
    /// Seconds from the window's start until the policy's limit was so low.
    SecondsToLimit {
        /// Which upstream.
        upstream: Option<String>,
        /// How low.
        limit: u32,
    },
    /// Attempts that were sent above their host's effective limit.
    SentOverLimit {
        /// Which upstream.
        upstream: Option<String>,
    },
    /// How many times as long the run took as it would have with every slot of the effective limit in use, from the
    /// window's start to the end of the last attempt.
    TimeOverIdeal {
        /// Which upstream.
        upstream: Option<String>,
    },

    /// Attempts sent while a wait ran that the provider had told, the longest of them if several ran.
    SentWhileClosed {
        /// Which upstream.
        upstream: Option<String>,
    },
    /// Attempts sent in the first second after the last wait that was told in the window, over what is allowed
    /// there: a tenth of the policy's limit at the window's start, or one.
    FirstSecond {
        /// Which upstream.
        upstream: Option<String>,
    },
    /// The greatest number of attempts sent in one back-off step: from the end of one closure to the end of the
    /// next.
    ProbesPerStep {
        /// Which upstream.
        upstream: Option<String>,
    },

    /// The greatest distance of a tenant's share of the work served from its share by weight, relative to the
    /// latter. Work is input tokens plus twice the output tokens, as the provider counted them.
    ShareError {},
    /// Jain's index of the work served to each tenant divided by its weight.
    TenantJain {},
    /// Jain's index of the mean number of attempts of each host that the provider served.
    InstanceJain {},
    /// Of the work served, a tenant's share. Work as above.
    WorkShare {
        /// Whose.
        tenant: String,
    },
    /// The most work that a tenant was given from the window's start to any time after beyond its share by weight
    /// of what all were given, over what is allowed: its quantum, its largest request, and the most by which what
    /// it had in flight differed from what it was charged for that until it was settled. The charge is the input,
    /// which is told, and the output that was reserved.
    BurstOverBound {
        /// Whose.
        tenant: String,
        /// Work that the schedule gives a flow of weight 1 in a round.
        quantum: f64,
    },

    /// A percentile, by nearest rank, of the seconds from arriving to being sent first. Who was never sent waited
    /// until it left.
    Wait {
        /// 0 to 100; 100 is the longest.
        percentile: f64,
        /// Which demand; absent: all.
        demand: Option<String>,
    },
    /// A percentile, by nearest rank, of the seconds from arriving to being answered, of those that were.
    Completion {
        /// 0 to 100; 100 is the longest.
        percentile: f64,
        /// Which demand; absent: all.
        demand: Option<String>,
    },
    /// Seconds from the first arrival to the last answer.
    Makespan {
        /// Which demand; absent: all.
        demand: Option<String>,
    },

    /// Attempts in flight when the run ended.
    InFlightAtEnd {},
    /// Everything that does not add up: rows without an end; attempts that ended and that their host never settled, or
    /// settled otherwise than the provider counted; what a core's own books say of attempts, slots and quotas and
    /// the rows do not; and what a core itself found unsound.
    Unsettled {},
}

impl Measure {
    /// Its value in a window of a run; `None` of nothing, infinity for what was never reached.
    fn value(&self, record: &Record, window: Window) -> Option<f64> {
        if self.is_cut(record, window) {
            return None;
        }
        let run = Run { record, window };
        match self {
            Self::InFlightShare { upstream } => load::in_flight_share(run, run.upstream(upstream)),
            Self::ThrottledShare { upstream } => load::throttled_share(run, run.upstream(upstream)),
            Self::ThrottlesPerMinute { upstream } => {
                load::throttles_per_minute(run, run.upstream(upstream))
            }
            Self::SecondsToFill { upstream, share } => {
                load::seconds_to_fill(run, run.upstream(upstream), *share)
            }
            Self::Requests { demand } => Some(span::requests(run, run.selected(demand))),
            Self::CancelledShare { demand } => span::cancelled_share(run, run.selected(demand)),
            Self::AttemptsPerRequest { reserve_per_second } => {
                load::attempts_per_request(run, *reserve_per_second)
            }
            Self::SecondsToRecover { share } => load::seconds_to_recover(run, *share),
            Self::ServedShare { demand } => fair::served_share(run, run.demand(demand)?),
            Self::DoneShare { demand } => span::done_share(run, run.selected(demand)),
            Self::MeanLimit { upstream } => limit::mean(run, run.upstream(upstream)),
            Self::LimitGrowth { upstream } => limit::growth(run, run.upstream(upstream)),
            Self::SecondsToLimit { upstream, limit } => {
                limit::seconds_to(run, run.upstream(upstream), *limit)
            }
            Self::SentOverLimit { upstream } => limit::sent_over(run, run.upstream(upstream)),
            Self::TimeOverIdeal { upstream } => limit::time_over_ideal(run, run.upstream(upstream)),
            Self::SentWhileClosed { upstream } => {
                closure::sent_while_closed(run, run.upstream(upstream))
            }
            Self::FirstSecond { upstream } => closure::first_second(run, run.upstream(upstream)),
            Self::ProbesPerStep { upstream } => {
                closure::probes_per_step(run, run.upstream(upstream))
            }
            Self::ShareError {} => fair::share_error(run),
            Self::TenantJain {} => fair::tenant_jain(run),
            Self::InstanceJain {} => fair::instance_jain(run),
            Self::WorkShare { tenant } => fair::work_share(run, run.tenant(tenant)?),
            Self::BurstOverBound { tenant, quantum } => {
                fair::burst_over_bound(run, run.tenant(tenant)?, *quantum)
            }
            Self::Wait { percentile, demand } => span::wait(run, run.selected(demand), *percentile),
            Self::Completion { percentile, demand } => {
                span::completion(run, run.selected(demand), *percentile)
            }
            Self::Makespan { demand } => span::makespan(run, run.selected(demand)),
            Self::InFlightAtEnd {} => Some(record.sums.in_flight as f64),
            Self::Unsettled {} => Some(books::unsettled(record) as f64),
        }
    }

    /// It is taken from what happened, of which the record does not hold all that it needs.
    fn is_cut(&self, record: &Record, window: Window) -> bool {
        let until = match self {
            Self::MeanLimit { .. }
            | Self::LimitGrowth { .. }
            | Self::SecondsToLimit { .. }
            | Self::ProbesPerStep { .. } => window.until,
            // From the limit that the window begins with.
            Self::FirstSecond { .. } => window.from,
            // To the last attempt's end.
            Self::TimeOverIdeal { .. } => record.finished,
            _ => return false,
        };
        record.cut.is_some_and(|cut| cut < until)
    }

    /// The upstream that it names.
    fn upstream(&self) -> Option<&str> {
        match self {
            Self::InFlightShare { upstream }
            | Self::ThrottledShare { upstream }
            | Self::ThrottlesPerMinute { upstream }
            | Self::SecondsToFill { upstream, .. }
            | Self::MeanLimit { upstream }
            | Self::LimitGrowth { upstream }
            | Self::SecondsToLimit { upstream, .. }
            | Self::SentOverLimit { upstream }
            | Self::TimeOverIdeal { upstream }
            | Self::SentWhileClosed { upstream }
            | Self::FirstSecond { upstream }
            | Self::ProbesPerStep { upstream } => upstream.as_deref(),
            _ => None,
        }
    }

    /// The demand that it names.
    fn demand(&self) -> Option<&str> {
        match self {
            Self::ServedShare { demand } => Some(demand),
            Self::DoneShare { demand }
            | Self::Requests { demand }
            | Self::CancelledShare { demand }
            | Self::Wait { demand, .. }
            | Self::Completion { demand, .. }
            | Self::Makespan { demand } => demand.as_deref(),
            _ => None,
        }
    }

    /// The tenant that it names.
    fn tenant(&self) -> Option<&str> {
        match self {
            Self::WorkShare { tenant } | Self::BurstOverBound { tenant, .. } => Some(tenant),
            _ => None,
        }
    }

    /// The percentile that it takes.
    const fn percentile(&self) -> Option<f64> {
        match self {
            Self::Wait { percentile, .. } | Self::Completion { percentile, .. } => {
                Some(*percentile)
            }
            _ => None,
        }
    }
}
