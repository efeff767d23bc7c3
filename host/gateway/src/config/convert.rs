//! Values that need no check beside others: from what a file says to what the host and the core take.

use super::{Host, Timeouts, file};

pub(super) fn timeouts(timeouts: &file::Timeouts) -> Timeouts {
    Timeouts {
        connect: timeouts.connect.duration(),
        headers: timeouts.headers.duration(),
        first_content: timeouts.first_content.duration(),
        between: timeouts.between.duration(),
        total: timeouts.total.duration(),
    }
}

pub(super) fn host(host: &file::Host) -> Host {
    Host {
        max_body: host.max_body.get(),
        max_connections: host.max_connections.get(),
        read_timeout: host.read_timeout.duration(),
        stall: host.stall.duration(),
        drain: host.drain.duration(),
    }
}
