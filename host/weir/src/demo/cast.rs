//! Who takes part: two tenants, two providers, thirty agents.

use super::corpus::{self, Review};
use super::wire::Wire;

/// Somebody whose agents they are.
#[derive(Debug)]
pub(super) struct Tenant {
    pub(super) name: &'static str,
    /// The key that its agents send.
    pub(super) key: &'static str,
    /// The variable that the gateway finds the key in.
    pub(super) variable: &'static str,
    /// Its share of the gateway.
    pub(super) weight: u32,
}

/// A provider.
#[derive(Debug)]
pub(super) struct Upstream {
    pub(super) name: &'static str,
    /// Its name and model, for people.
    pub(super) title: &'static str,
    pub(super) model: &'static str,
    pub(super) wire: Wire,
    /// How many requests it serves at once. It does not say so, and the gateway does not know.
    pub(super) hidden: u32,
}

/// The limit that the gateway starts with at each upstream.
pub(super) const START_LIMIT: u32 = 8;

pub(super) const TENANTS: [Tenant; 2] = [
    Tenant { name: "acme", key: "demo-key-of-acme", variable: "WEIR_DEMO_ACME", weight: 2 },
    Tenant { name: "globex", key: "demo-key-of-globex", variable: "WEIR_DEMO_GLOBEX", weight: 1 },
];

pub(super) const UPSTREAMS: [Upstream; 2] = [
    Upstream {
        name: "openai-mock",
        title: "openai-mock (gpt-demo)",
        model: "gpt-demo",
        wire: Wire::OpenAi,
        hidden: 6,
    },
    Upstream {
        name: "anthropic-mock",
        title: "anthropic-mock (claude-demo)",
        model: "claude-demo",
        wire: Wire::Anthropic,
        hidden: 3,
    },
];

/// An agent's place in the cast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// From 0.
    pub(super) number: usize,
    pub(super) tenant: &'static Tenant,
    /// Its place in [`UPSTREAMS`].
    pub(super) upstream: usize,
    pub(super) review: Review,
}

/// The agents. Work is spread as capacity is, two thirds to the first upstream, and evenly over tenants.
pub(super) fn members() -> impl Iterator<Item = Member> {
    corpus::reviews().enumerate().map(|(number, review)| Member {
        number,
        tenant: &TENANTS[number / 3 % TENANTS.len()],
        upstream: usize::from(number % 3 == 2),
        review,
    })
}

impl Member {
    pub(super) fn upstream(&self) -> &'static Upstream {
        &UPSTREAMS[self.upstream]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_spread_as_capacity_is_and_evenly_over_tenants() {
        let count = |tenant: &str, upstream: usize| {
            let matches = |m: &Member| m.tenant.name == tenant && m.upstream == upstream;
            members().filter(matches).count()
        };
        assert_eq!([count("acme", 0), count("acme", 1)], [10, 5]);
        assert_eq!([count("globex", 0), count("globex", 1)], [10, 5]);
    }
}
