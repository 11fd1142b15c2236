//! What a unit's hooks have seen of one relation (`relation-state`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{InvalidState, from_yaml, to_yaml};
use crate::hook::{RelationEvent, RelationHook};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct RelationState {
    pub id: i64,
    /// Units that have joined, each with the version of its data that was last seen.
    pub members: BTreeMap<String, i64>,
    /// Applications likewise. The other side is here from `relation-created` on, so this also says whether that ran.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub application_members: BTreeMap<String, i64>,
    /// The unit that has just joined and whose `-changed` must come next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_pending: Option<String>,
}

impl RelationState {
    pub fn new(id: i64) -> Self {
        RelationState { id, ..Self::default() }
    }

    /// Whether `relation-created` has been committed.
    pub fn created(&self) -> bool {
        !self.application_members.is_empty() || !self.members.is_empty()
    }

    /// Whether the hook may run in this state. It cannot unless something went badly wrong.
    pub fn validate(&self, hook: &RelationHook) -> Result<(), String> {
        let refuse =
            |why: &str| Err(format!("inappropriate {} for relation {}: {why}", hook.event.kind(), self.id));
        if hook.relation != self.id {
            return refuse("it is of another relation");
        }
        if let Some(pending) = &self.changed_pending {
            let changed =
                matches!(&hook.event, RelationEvent::Changed { unit: Some(unit), .. } if unit == pending);
            if !changed {
                return refuse("-changed of the unit that joined must come first");
            }
        }
        let member = |unit: &str| self.members.contains_key(unit);
        match &hook.event {
            RelationEvent::Joined { unit, .. } if member(unit) => refuse("unit already joined"),
            RelationEvent::Changed { unit: Some(unit), .. } | RelationEvent::Departed { unit, .. }
                if !member(unit) =>
            {
                refuse("unit has not joined")
            }
            RelationEvent::Broken if !self.members.is_empty() => refuse("units still in relation"),
            _ => Ok(()),
        }
    }

    /// The state once the hook has run. After `-broken` there is none, which is the caller's to see to.
    pub fn after(&self, hook: &RelationHook) -> Self {
        let mut next = self.clone();
        match &hook.event {
            RelationEvent::Created => {
                next.application_members.insert(hook.application.clone(), 0);
            }
            RelationEvent::Joined { unit, version } => {
                next.members.insert(unit.clone(), *version);
                next.changed_pending = Some(unit.clone());
            }
            RelationEvent::Changed { unit: Some(unit), version } => {
                next.members.insert(unit.clone(), *version);
                next.changed_pending = None;
            }
            RelationEvent::Changed { unit: None, version } => {
                next.application_members.insert(hook.application.clone(), *version);
            }
            RelationEvent::Departed { unit, .. } => {
                next.members.remove(unit);
                next.changed_pending = None;
            }
            RelationEvent::Broken => {}
        }
        next
    }

    pub fn parse(text: &str) -> Result<Self, InvalidState> {
        from_yaml(text)
    }

    pub fn to_yaml(&self) -> Result<String, InvalidState> {
        to_yaml(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(event: RelationEvent) -> RelationHook {
        RelationHook { relation: 4, application: "mysql".into(), event }
    }
    fn joined(unit: &str) -> RelationHook {
        hook(RelationEvent::Joined { unit: unit.into(), version: 1 })
    }
    fn changed(unit: Option<&str>, version: i64) -> RelationHook {
        hook(RelationEvent::Changed { unit: unit.map(str::to_owned), version })
    }
    fn departed(unit: &str) -> RelationHook {
        hook(RelationEvent::Departed { unit: unit.into(), version: 0, departing: None })
    }

    #[test]
    fn a_relation_from_created_to_broken() {
        let mut state = RelationState::new(4);
        assert!(!state.created());
        for (hook, members, applications, pending) in [
            (hook(RelationEvent::Created), &[][..], 0, None),
            (joined("mysql/0"), &[("mysql/0", 1)], 0, Some("mysql/0")),
            (changed(Some("mysql/0"), 3), &[("mysql/0", 3)], 0, None),
            (changed(None, 2), &[("mysql/0", 3)], 2, None),
            (departed("mysql/0"), &[], 2, None),
            (hook(RelationEvent::Broken), &[], 2, None),
        ] {
            state.validate(&hook).unwrap();
            state = state.after(&hook);
            assert!(state.created());
            assert_eq!(state.members, members.iter().map(|(unit, it)| (unit.to_string(), *it)).collect());
            assert_eq!(state.application_members["mysql"], applications);
            assert_eq!(state.changed_pending.as_deref(), pending);
            assert_eq!(RelationState::parse(&state.to_yaml().unwrap()).unwrap(), state);
        }
    }

    #[test]
    fn hooks_out_of_order_are_refused() {
        let empty = RelationState::new(4);
        let one = empty.after(&joined("mysql/0"));
        let settled = one.after(&changed(Some("mysql/0"), 1));
        for (state, hook) in [
            (&empty, changed(Some("mysql/0"), 1)),
            (&empty, departed("mysql/0")),
            (&settled, joined("mysql/0")),
            (&settled, hook(RelationEvent::Broken)),
            (&one, joined("mysql/1")),
            (&one, departed("mysql/0")),
            (&settled, RelationHook { relation: 5, ..departed("mysql/0") }),
        ] {
            assert!(state.validate(&hook).is_err(), "{state:?} {hook:?}");
        }
    }

    #[test]
    fn states_of_jujus_agents_are_understood() {
        let text = "id: 4\nmembers: {mysql/0: 3, mysql/1: 1}\napplication-members: {mysql: 2}\nchanged-pending: mysql/1\n";
        let state = RelationState::parse(text).unwrap();
        assert_eq!(state.members.len(), 2);
        assert_eq!(state.changed_pending.as_deref(), Some("mysql/1"));
        assert_eq!(RelationState::parse("id: 1\n").unwrap(), RelationState::new(1));
    }
}
