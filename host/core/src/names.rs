//! Callers' names for sessions and tasks as numbers that are never reused.
//!
//! A name is kept while a request uses it and, as long as there is room, while it is idle. The one that
//! has been idle longest goes first.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::TenantId;
use crate::units::Micros;

/// A name that a caller gave, with the tenant whose it is.
type Name = (TenantId, String);

/// Names of one kind.
#[derive(Debug)]
pub(crate) struct Names {
    next: u64,
    max_idle: usize,
    by_name: BTreeMap<Name, u64>,
    by_id: BTreeMap<u64, Known>,
    idle: BTreeSet<(Micros, u64)>,
}

#[derive(Debug)]
struct Known {
    name: Name,
    users: u32,
    idle_since: Micros,
}

impl Names {
    /// Ids count from `first`.
    pub(crate) fn new(first: u64, max_idle: usize) -> Self {
        Self {
            next: first,
            max_idle,
            by_name: BTreeMap::new(),
            by_id: BTreeMap::new(),
            idle: BTreeSet::new(),
        }
    }

    pub(crate) fn set_max_idle(&mut self, max_idle: usize) {
        self.max_idle = max_idle;
    }

    /// An id of this kind that no name has.
    pub(crate) fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Tenants got other places. Names of tenants that are gone stay until they are idle.
    pub(crate) fn remap(&mut self, tenant: impl Fn(TenantId) -> TenantId) {
        self.by_name.clear();
        for (id, known) in &mut self.by_id {
            known.name.0 = tenant(known.name.0);
            self.by_name.insert(known.name.clone(), *id);
        }
    }

    /// A name's id, and whether it is new.
    pub(crate) fn enter(&mut self, tenant: TenantId, name: &str) -> (u64, bool) {
        let name = (tenant, name.to_owned());
        if let Some(id) = self.by_name.get(&name) {
            if let Some(known) = self.by_id.get_mut(id) {
                if known.users == 0 {
                    self.idle.remove(&(known.idle_since, *id));
                }
                known.users = known.users.saturating_add(1);
            }
            return (*id, false);
        }
        let id = self.next;
        self.next += 1;
        self.by_name.insert(name.clone(), id);
        self.by_id.insert(id, Known { name, users: 1, idle_since: Micros::ZERO });
        (id, true)
    }

    /// A user of the name is gone. The answer is an id that is retired for it, if one is.
    pub(crate) fn leave(&mut self, now: Micros, id: u64) -> Option<u64> {
        let known = self.by_id.get_mut(&id)?;
        known.users = known.users.saturating_sub(1);
        if known.users > 0 {
            return None;
        }
        known.idle_since = now;
        self.idle.insert((now, id));
        if self.idle.len() <= self.max_idle {
            return None;
        }
        let (_, oldest) = self.idle.pop_first()?;
        let gone = self.by_id.remove(&oldest)?;
        self.by_name.remove(&gone.name);
        Some(oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_idle_name_goes_and_its_id_never_comes_back() {
        let mut names = Names::new(10, 1);
        let tenant = TenantId(0);
        assert_eq!(names.enter(tenant, "a"), (10, true));
        assert_eq!(names.enter(tenant, "a"), (10, false));
        assert_eq!(names.enter(tenant, "b"), (11, true));
        assert_eq!(names.leave(Micros(1), 10), None);
        assert_eq!(names.leave(Micros(2), 10), None);
        assert_eq!(names.leave(Micros(3), 11), Some(10));
        assert_eq!(names.enter(tenant, "a"), (12, true));
        assert_eq!(names.enter(tenant, "b"), (11, false));
    }
}
