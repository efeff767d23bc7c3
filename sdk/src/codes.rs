//! The numbers of the contract's open sets, by name.
//!
//! A set that grows travels as a `u16`, because one added enum case would break every compiled component.
//! In each set 0 is the neutral case, and a reader treats a number that it does not know as neutral.
//! Numbers are never reused or renamed; new ones are added at the end.
//!
//! ```
//! use weir_sdk::codes::{kind, reason};
//!
//! assert_eq!(kind::name(kind::CONCURRENCY), "concurrency");
//! assert_eq!(kind::by_name("burst"), Some(kind::BURST));
//! assert_eq!(reason::name(60_000), "unknown");
//! assert!(kind::is_throttle(kind::OVERLOADED));
//! ```

/// Declares a set: a module with a constant for each case, `ALL`, `name` and `by_name`.
macro_rules! set {
    ($(#[$about:meta])* $set:ident { $($(#[$doc:meta])* $code:literal $NAME:ident $word:literal,)+ }) => {
        $(#[$about])*
        pub mod $set {
            $($(#[$doc])* pub const $NAME: u16 = $code;)+

            /// Every case with its name, by number.
            pub const ALL: &[(u16, &str)] = &[$(($code, $word)),+];

            /// The name of a case, in snake case; `unknown` for a number outside the set.
            #[must_use]
            pub fn name(code: u16) -> &'static str {
                match code {
                    $($code => $word,)+
                    _ => "unknown",
                }
            }

            /// The case of that name.
            #[must_use]
            pub fn by_name(name: &str) -> Option<u16> {
                ALL.iter().find(|(_, word)| *word == name).map(|(code, _)| *code)
            }
        }
    };
}

pub mod kind;

set! {
    /// What a provider limits: the scope of the cell that a refusal freezes.
    scope {
        /// The provider did not say.
        0 UNKNOWN "unknown",
        /// The whole service.
        1 UPSTREAM "upstream",
        /// The account or organisation at the provider.
        2 ACCOUNT "account",
        /// One key or token.
        3 CREDENTIAL "credential",
        /// One class of endpoints.
        4 ENDPOINT "endpoint",
        /// Models that share a limit.
        5 MODEL_GROUP "model_group",
        /// One model, or one deployment of it.
        6 MODEL "model",
        /// One tool of an MCP server.
        7 TOOL "tool",
        /// An organisation of this gateway.
        8 ORGANISATION "organisation",
        /// A tenant of this gateway.
        9 TENANT "tenant",
        /// A user of a tenant.
        10 USER "user",
        /// A session.
        11 SESSION "session",
        /// A task.
        12 TASK "task",
        /// A run.
        13 RUN "run",
        /// This request alone; nothing else is affected.
        14 REQUEST "request",
        /// A project or workspace inside the account.
        15 PROJECT "project",
    }
}

set! {
    /// How far an attempt had come when it ended.
    stage {
        /// Not said.
        0 NONE "none",
        /// Connecting to the provider.
        1 CONNECT "connect",
        /// Waiting for the headers of the response.
        2 HEADERS "headers",
        /// Waiting for the first content.
        3 FIRST_CONTENT "first_content",
        /// Between two pieces of content.
        4 BETWEEN "between",
        /// Complete.
        5 TOTAL "total",
    }
}

set! {
    /// Whose deadline ended an attempt.
    deadline {
        /// None did.
        0 NONE "none",
        /// The caller's, or the caller went away.
        1 CLIENT "client",
        /// A time-out of this gateway.
        2 HOST "host",
        /// The provider's own.
        3 PROVIDER "provider",
    }
}

set! {
    /// Who is to blame for the end of an attempt.
    blame {
        /// Nobody.
        0 NOBODY "nobody",
        /// The caller: a bad request, or a cancel.
        1 CLIENT "client",
        /// This gateway.
        2 HOST "host",
        /// The way to the provider.
        3 NETWORK "network",
        /// The provider.
        4 PROVIDER "provider",
    }
}

set! {
    /// What kept a picked item from being admitted.
    blocked {
        /// Not said.
        0 NONE "none",
        /// No slot was free.
        1 SLOTS "slots",
        /// The request window was empty.
        2 REQUESTS "requests",
        /// Not enough input tokens.
        3 INPUT "input",
        /// Not enough output tokens.
        4 OUTPUT "output",
        /// A budget was spent.
        5 BUDGET "budget",
        /// A cell was closed.
        6 CLOSED "closed",
        /// It could not have met its deadline.
        7 DEADLINE "deadline",
    }
}

set! {
    /// Why an item left the line without a pick.
    left {
        /// Not said.
        0 NONE "none",
        /// The caller gave up.
        1 CANCELLED "cancelled",
        /// Its deadline passed.
        2 EXPIRED "expired",
        /// It was dropped under pressure.
        3 SHED "shed",
        /// The host started it itself.
        4 TAKEN "taken",
    }
}

set! {
    /// Where a flow stands in the tree of flows.
    level {
        /// Not said.
        0 NONE "none",
        /// An organisation.
        1 ORGANISATION "organisation",
        /// A tenant.
        2 TENANT "tenant",
        /// A user.
        3 USER "user",
        /// A session.
        4 SESSION "session",
    }
}

set! {
    /// What an id that gets a name stands for.
    names {
        /// Not said.
        0 NONE "none",
        /// A flow.
        1 FLOW "flow",
        /// A cell.
        2 CELL "cell",
        /// A lane.
        3 LANE "lane",
        /// A candidate.
        4 CANDIDATE "candidate",
        /// A task.
        5 TASK "task",
    }
}

set! {
    /// Why `priority` is asked.
    why {
        /// The request has arrived.
        0 ARRIVAL "arrival",
        /// A budget above it passed its soft limit.
        1 SOFT_LIMIT "soft_limit",
        /// Its deadline changed.
        2 DEADLINE "deadline",
    }
}

set! {
    /// How much of an answer the client has had.
    sent {
        /// Nothing.
        0 NOTHING "nothing",
        /// Headers, and no content.
        1 HEADERS "headers",
        /// Content.
        2 CONTENT "content",
    }
}

set! {
    /// What to do after a failed attempt.
    retry {
        /// Tell the client that it failed.
        0 GIVE_UP "give_up",
        /// Try the same candidates again.
        1 AGAIN "again",
        /// Try a candidate that has not been tried.
        2 ELSEWHERE "elsewhere",
    }
}

set! {
    /// Why a limit changed, or why a retry was decided as it was.
    reason {
        /// Nothing changed.
        0 NONE "none",
        /// The provider refused for too many at once.
        1 RATE_LIMITED "rate_limited",
        /// Successes raised the limit.
        2 RECOVERED "recovered",
        /// Latency moved it.
        3 LATENCY "latency",
        /// It was idle for so long that what had been learned was dropped.
        4 IDLE_RESET "idle_reset",
        /// A new policy took over.
        5 SWAPPED "swapped",
        /// The verdict says that trying again cannot help.
        6 NOT_RETRYABLE "not_retryable",
        /// The attempts allowed are used up.
        7 ATTEMPTS_SPENT "attempts_spent",
        /// The time allowed is used up.
        8 TIME_SPENT "time_spent",
        /// The retry budget is used up.
        9 BUDGET_SPENT "budget_spent",
        /// The answer would come after the deadline.
        10 PAST_DEADLINE "past_deadline",
        /// The client has content already.
        11 CONTENT_SENT "content_sent",
        /// Doing it twice could do harm.
        12 NOT_IDEMPOTENT "not_idempotent",
        /// A wait of the policy's own choice.
        13 BACKOFF "backoff",
        /// The provider said how long to wait.
        14 PROVIDER_HINT "provider_hint",
        /// Another candidate opens sooner.
        15 OPENS_SOONER "opens_sooner",
    }
}

set! {
    /// How a child task stands.
    child {
        /// Not said.
        0 NONE "none",
        /// It has not started.
        1 WAITING "waiting",
        /// It runs.
        2 RUNNING "running",
        /// It finished.
        3 DONE "done",
        /// It failed.
        4 FAILED "failed",
        /// It was cancelled.
        5 CANCELLED "cancelled",
    }
}

set! {
    /// Why fewer children than wanted are started.
    refusal {
        /// As many as wanted are started.
        0 NONE "none",
        /// The task has as many children alive as it may.
        1 WIDTH "width",
        /// The tree is as deep as it may be.
        2 DEPTH "depth",
        /// The tree has had as many tasks as it may.
        3 TOTAL "total",
        /// Not enough tokens are left for another child.
        4 BUDGET "budget",
        /// A child could not end before the deadline.
        5 DEADLINE "deadline",
        /// The line is too long for more to be of use.
        6 BUSY "busy",
        /// Another answer is not worth what it costs.
        7 WORTH "worth",
    }
}
