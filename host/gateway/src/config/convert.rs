//! Values that need no check beside others: from what a file says to what the host and the core take.

use std::num::{NonZeroU32, NonZeroU64};

use weir_core::config as core;

use super::{Host, Timeouts, file};

pub(super) fn plain_model(name: String) -> core::Model {
    core::Model { name, limits: core::Limits::default(), price: core::Price::default() }
}

pub(super) fn model(model: file::Model) -> core::Model {
    let price = model.price;
    core::Model {
        name: model.name.into_inner(),
        limits: limits(&model.limits),
        price: core::Price {
            input: price.input.nano(),
            cached_input: price.cached_input.unwrap_or(price.input).nano(),
            output: price.output.nano(),
        },
    }
}

pub(super) fn limits(limits: &file::Limits) -> core::Limits {
    core::Limits {
        concurrency: limits.concurrency.map(NonZeroU32::get),
        rpm: limits.rpm.map(NonZeroU64::get),
        tpm: limits.tpm.map(NonZeroU64::get),
        input_tpm: limits.input_tpm.map(NonZeroU64::get),
        output_tpm: limits.output_tpm.map(NonZeroU64::get),
    }
}

pub(super) fn timeouts(timeouts: &file::Timeouts) -> Timeouts {
    Timeouts {
        connect: timeouts.connect.get(),
        headers: timeouts.headers.get(),
        first_content: timeouts.first_content.get(),
        between: timeouts.between.get(),
        total: timeouts.total.get(),
    }
}

pub(super) fn line(line: &file::Line) -> core::Line {
    core::Line {
        max_items: line.max_items.get(),
        max_items_per_tenant: line.max_items_per_tenant.get(),
        max_bytes: line.max_bytes.get(),
        default_deadline: line.default_deadline.micros(),
        max_refusals: line.max_refusals,
        max_sessions: line.max_sessions.get(),
        max_nesting: line.max_nesting,
        passing: line.passing,
    }
}

pub(super) fn retries(retries: &file::Retries) -> core::RetryBudget {
    core::RetryBudget {
        ratio: retries.ratio.get(),
        reserve_per_second: retries.reserve_per_second.get(),
        window: retries.window.micros(),
        tenant_share: retries.tenant_share.get(),
    }
}

pub(super) fn host(host: &file::Host) -> Host {
    Host {
        max_body: host.max_body.get(),
        max_connections: host.max_connections.get(),
        read_timeout: host.read_timeout.get(),
        stall: host.stall.get(),
        drain: host.drain.get(),
    }
}
