//! What the file and the core mean in the same way.

use weir_core::config as core;
use weir_settings::table::{Model, plain_model};

use super::file;
use super::plan::Dist;
use super::spread::{Counts, Spans};

/// The models with a table, then those named alone; any model when there are none.
pub(super) fn models(upstream: &file::Upstream) -> Vec<core::Model> {
    let tables = upstream.model.iter().map(Model::core);
    let named = upstream.models.iter().map(|name| plain_model(name.get_ref()));
    let models: Vec<_> = tables.chain(named).collect();
    if models.is_empty() { vec![plain_model("*")] } else { models }
}

/// The one tenant of a file that names none.
pub(super) fn everybody() -> core::Tenant {
    let limits = core::Limits::default();
    core::Tenant { name: "everybody".to_owned(), weight: 1, limits, quota: None }
}

pub(super) const fn counts(counts: Counts) -> Dist {
    Dist { mean: counts.mean.get(), sigma: counts.sigma.0 }
}

#[expect(clippy::cast_precision_loss, reason = "a span of 400 days is below 2^53 microseconds")]
pub(super) const fn spans(spans: Spans) -> Dist {
    Dist { mean: spans.mean.get().0 as f64, sigma: spans.sigma.0 }
}
