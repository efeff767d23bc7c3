//! The lines of a schedule policy, by group.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Choice, Event, Group, Room, Schedule};
use crate::component::Part;
use crate::lifecycle::{Named, Origin};
use crate::types::GroupId;
use crate::units::Micros;

/// The lines of a schedule policy, by group.
pub struct Groups<P: Schedule> {
    lines: BTreeMap<GroupId, P::Group>,
}

impl<P: Schedule> Default for Groups<P> {
    fn default() -> Self {
        Self { lines: BTreeMap::new() }
    }
}

impl<P: Schedule> Groups<P> {
    pub(crate) fn update(&mut self, policy: &P, now: Micros, group: GroupId, events: Vec<Event>) {
        let line = self.line(policy, group);
        for event in events {
            tell(line, now, event);
        }
    }

    pub(crate) fn pick(&mut self, policy: &P, now: Micros, group: GroupId, room: &Room) -> Choice {
        self.line(policy, group).pick(now, room)
    }

    fn line(&mut self, policy: &P, group: GroupId) -> &mut P::Group {
        self.lines.entry(group).or_insert_with(|| policy.group(group))
    }
}

/// Hands one event to the method that it is for.
fn tell(line: &mut impl Group, now: Micros, event: Event) {
    match event {
        Event::Flow(flow) => line.flow(now, &flow),
        Event::Item(item) => line.item(now, item),
        Event::Started(started) => line.started(now, &started),
        Event::Returned(returned) => line.returned(now, &returned),
        Event::Left(left) => line.left(now, &left),
        Event::Charged(charged) => line.charged(now, &charged),
        Event::Gone(flow) => line.gone(now, flow),
    }
}

impl<P: Schedule> Part<P> for Groups<P> {
    fn save(&self, _policy: &P) -> Value {
        let states = self.lines.iter().map(|(id, line)| (*id, line.save()));
        let kept: Vec<_> = states.filter(|(_, state)| !state.is_null()).collect();
        serde_json::to_value(kept).unwrap_or_default()
    }

    fn restore(&mut self, policy: &mut P, state: Value, origin: &Origin) -> Result<(), String> {
        // The ids of an earlier run mean nothing in this one.
        if state.is_null() || origin.saved_at == 0 {
            return Ok(());
        }
        let saved = serde_json::from_value::<Vec<(GroupId, Value)>>(state);
        for (id, state) in saved.map_err(|error| format!("the state of the groups: {error}"))? {
            self.line(policy, id).restore(state)?;
        }
        Ok(())
    }

    fn names(&mut self, _entries: &[Named]) {}

    fn forget(&mut self, _ids: &[(u16, u64)]) {}
}
