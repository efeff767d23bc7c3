//! What happens to policies, in the log as well: whoever dropped a bad file looks there first.

use weir_policy::Event;

/// Logs an event.
pub(super) fn log(event: &Event) {
    match event {
        Event::PolicySwapped { slot, from, to, restored, .. } => tracing::info!(
            %slot,
            from = %format_args!("{} {}", from.name, from.version),
            to = %format_args!("{} {}", to.name, to.version),
            restored,
            "policy swapped"
        ),
        Event::PolicyRejected { slot, file, words } => {
            let (slot, file) = (slot.map(tracing::field::display), file.as_ref());
            tracing::warn!(slot, file = ?file, words, "policy rejected; what ran before runs on");
        }
        Event::PolicyFault { slot, name, fault, words, .. } => {
            tracing::warn!(%slot, name, ?fault, words, "policy fault; the host answered itself");
        }
        Event::PolicyQuarantined { slot, name, to, words, .. } => {
            let to = to.as_ref().map_or("the host itself", |to| to.name.as_str());
            tracing::warn!(%slot, name, to, words, "policy quarantined");
        }
        Event::PolicyKept { slot, name, file } => {
            tracing::info!(%slot, name, ?file, "the file of a policy is gone; the policy runs on");
        }
    }
}
