//! Configurations and shorthands for the tests of the ledger.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot be set up fails")]

use weir_core::claim::{Claim, Held, NotUntil, Short};
use weir_core::config::{Config, Limits, Model, Price, Quota, Tenant, Upstream};
use weir_core::ids::{CandidateId, TenantId};
use weir_core::ledger::Ledger;
use weir_core::units::{Micros, NanoDollars, Tokens};
use weir_sdk::limit::Answer;
use weir_sdk::types::{Demand, Verdict};

pub(crate) const MAIN: CandidateId = CandidateId(0);
pub(crate) const LARGE: CandidateId = CandidateId(1);
pub(crate) const ACME: TenantId = TenantId(0);
pub(crate) const OTHER: TenantId = TenantId(1);

pub(crate) fn at(secs: u64) -> Micros {
    Micros::from_secs(secs)
}

/// One account with two models, another with one; `acme` is bounded in every way, `other` in none.
pub(crate) fn config() -> Config {
    let account = Limits { concurrency: Some(8), rpm: Some(600), ..Limits::default() };
    let windows = Limits { input_tpm: Some(60_000), output_tpm: Some(6_000), ..Limits::default() };
    let capped = Limits { concurrency: Some(4), tpm: Some(90_000), ..Limits::default() };
    let quota = Quota {
        tokens: Some(Tokens(100_000)),
        cost: Some(NanoDollars(1_000_000_000)),
        period: Micros::from_secs(3_600),
        soft: 800,
    };
    Config {
        seed: 1,
        line: Default::default(),
        upstreams: vec![
            upstream("main", account, vec![model("small", windows), model("large", windows)]),
            upstream("spare", Limits::default(), vec![model("small", Limits::default())]),
        ],
        tenants: vec![
            Tenant { name: "acme".into(), weight: 1, limits: capped, quota: Some(quota) },
            Tenant { name: "other".into(), weight: 1, limits: Limits::default(), quota: None },
        ],
        lanes: Vec::new(),
        retries: Default::default(),
        ramp: Default::default(),
    }
}

pub(crate) fn upstream(name: &str, limits: Limits, models: Vec<Model>) -> Upstream {
    Upstream { name: name.into(), kind: "openai".into(), limits, base_weight: 1.0, models }
}

pub(crate) fn model(name: &str, limits: Limits) -> Model {
    let price = Price {
        input: NanoDollars(1_000_000_000),
        cached_input: NanoDollars(100_000_000),
        output: NanoDollars(4_000_000_000),
    };
    Model { name: name.into(), limits, price }
}

pub(crate) fn demand(input: u64, output: u64) -> Demand {
    Demand { slots: 1, requests: 1, input, output, cost: 0 }
}

pub(crate) fn claim(
    ledger: &Ledger,
    who: (CandidateId, TenantId),
    input: u64,
    output: u64,
) -> Claim {
    ledger.claim(who.0, who.1, &demand(input, output), 0).expect("configured")
}

pub(crate) fn commit(
    ledger: &mut Ledger,
    now: Micros,
    who: (CandidateId, TenantId),
    input: u64,
    output: u64,
) -> Result<Held, Short> {
    let claim = claim(ledger, who, input, output);
    ledger.commit(now, claim)
}

pub(crate) fn not_until<T: std::fmt::Debug>(result: Result<T, Short>) -> NotUntil {
    match result {
        Err(Short::NotUntil(found)) => found,
        other => panic!("expected a shortage, found {other:?}"),
    }
}

pub(crate) fn answer(limit: u32) -> Answer {
    Answer {
        limit,
        caps: (0, 0, 0, 0),
        request_rate: None,
        token_rate: None,
        closed_until: 0,
        reopen_with: 0,
        wake: 0,
        reason: 0,
        mark: 0,
    }
}

pub(crate) fn verdict(kind: u16, scope: u16, wait: Option<Micros>) -> Verdict {
    let wait = wait.map(|wait| wait.0);
    Verdict { kind, scope, retryable: true, wait, shrink: false, needs_person: false }
}
