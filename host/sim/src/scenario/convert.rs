//! What the file and the core mean in the same way.

use weir_core::config as core;

use super::file;
use super::plan::Dist;
use super::value::{Counts, Share, Spans};

pub(super) fn limits(limits: &file::Limits) -> core::Limits {
    core::Limits {
        concurrency: limits.concurrency.as_ref().map(|slots| slots.get_ref().get()),
        rpm: limits.rpm.map(u64::from),
        tpm: limits.tpm.map(u64::from),
        input_tpm: limits.input_tpm.map(u64::from),
        output_tpm: limits.output_tpm.map(u64::from),
    }
}

/// The models with a table, then those named alone; any model when there are none.
pub(super) fn models(upstream: &file::Upstream) -> Vec<core::Model> {
    let tables = upstream.model.iter().map(|model| core::Model {
        name: model.name.get_ref().clone(),
        limits: limits(&model.limits),
        price: price(&model.price),
    });
    let named = upstream.models.iter().map(|name| plain(name.get_ref()));
    let models: Vec<_> = tables.chain(named).collect();
    if models.is_empty() { vec![plain("*")] } else { models }
}

fn plain(name: &str) -> core::Model {
    let (limits, price) = (core::Limits::default(), core::Price::default());
    core::Model { name: name.to_owned(), limits, price }
}

fn price(price: &file::Price) -> core::Price {
    let cached = price.cached_input.unwrap_or(price.input);
    core::Price { input: price.input.0, cached_input: cached.0, output: price.output.0 }
}

/// The one tenant of a file that names none.
pub(super) fn everybody() -> core::Tenant {
    let limits = core::Limits::default();
    core::Tenant { name: "everybody".to_owned(), weight: 1, limits, quota: None }
}

pub(super) fn line(line: &file::Line) -> core::Line {
    core::Line {
        max_items: line.max_items.get(),
        max_items_per_tenant: line.max_items_per_tenant.get(),
        max_bytes: line.max_bytes.get(),
        default_deadline: line.default_deadline.0,
        max_refusals: line.max_refusals,
        max_sessions: line.max_sessions.get(),
        max_nesting: line.max_nesting,
        passing: line.passing,
    }
}

pub(super) fn retries(retries: &file::Retries) -> core::RetryBudget {
    core::RetryBudget {
        ratio: retries.ratio.0,
        reserve_per_second: retries.reserve_per_second.0,
        window: retries.window.0,
        tenant_share: retries.tenant_share.0,
    }
}

/// In thousandths, rounded.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 1000 by construction"
)]
pub(super) fn thousandths(share: Share) -> u16 {
    (share.0 * 1_000.0).round() as u16
}

pub(super) const fn counts(counts: Counts) -> Dist {
    Dist { mean: counts.mean.0, sigma: counts.sigma.0 }
}

#[expect(clippy::cast_precision_loss, reason = "a span of 400 days is below 2^53 microseconds")]
pub(super) const fn spans(spans: Spans) -> Dist {
    Dist { mean: spans.mean.0.0 as f64, sigma: spans.sigma.0 }
}
