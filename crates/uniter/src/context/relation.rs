//! A relation as a hook sees it.

use std::collections::BTreeMap;

use super::Settings;
use crate::hook::{RelationEvent, RelationHook};

/// What is known of a relation before any hook asks.
#[derive(Debug, Clone)]
pub(crate) struct RelationFacts {
    pub(crate) id: i64,
    pub(crate) key: String,
    pub(crate) endpoint: String,
    pub(crate) remote_application: String,
    /// Units that have joined, as the last committed hook left them.
    pub(crate) members: Vec<String>,
    /// It is being wound down and nobody is left, so its own hooks do not list it any more.
    pub(crate) broken: bool,
}

pub(crate) struct Relation {
    pub(crate) id: i64,
    pub(crate) key: String,
    pub(crate) endpoint: String,
    pub(crate) remote_application: String,
    pub(crate) broken: bool,
    /// Members, with their data as far as they are known.
    members: BTreeMap<String, Option<Settings>>,
    /// Data of applications and of units that are no members, as this hook has read them.
    others: BTreeMap<String, Settings>,
    pub(crate) own: Option<Written>,
    pub(crate) own_application: Option<Written>,
}

impl Relation {
    pub(super) fn new(facts: RelationFacts, cache: &Cache) -> Self {
        Relation {
            id: facts.id,
            key: facts.key,
            endpoint: facts.endpoint,
            remote_application: facts.remote_application,
            broken: facts.broken,
            members: cache.members.clone(),
            others: BTreeMap::new(),
            own: None,
            own_application: None,
        }
    }

    pub(crate) fn member_names(&self) -> Vec<&str> {
        self.members.keys().map(String::as_str).collect()
    }

    pub(super) fn known(&self, name: &str) -> Option<&Settings> {
        match self.members.get(name) {
            Some(member) => member.as_ref(),
            None => self.others.get(name),
        }
    }

    pub(super) fn learn(&mut self, name: &str, settings: &Settings) {
        match self.members.get_mut(name) {
            Some(member) => *member = Some(settings.clone()),
            None => {
                self.others.insert(name.to_owned(), settings.clone());
            }
        }
    }
}

/// Members' data between hooks: a member's are read anew only when a hook is about that member, so that a charm sees
/// what the hooks have told it of, and nothing that is yet to come.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    members: BTreeMap<String, Option<Settings>>,
}

impl Cache {
    pub(super) fn prepare(&mut self, facts: &RelationFacts, hook: Option<&RelationHook>) {
        self.members.retain(|unit, _| facts.members.contains(unit));
        for unit in &facts.members {
            self.members.entry(unit.clone()).or_default();
        }
        match hook.map(|it| &it.event) {
            Some(RelationEvent::Departed { unit, .. }) => {
                self.members.remove(unit);
            }
            Some(RelationEvent::Joined { unit, .. } | RelationEvent::Changed { unit: Some(unit), .. }) => {
                self.members.insert(unit.clone(), None);
            }
            _ => {}
        }
    }

    pub(super) fn learn(&mut self, name: &str, settings: &Settings) {
        if let Some(member) = self.members.get_mut(name) {
            *member = Some(settings.clone());
        }
    }
}

/// Data of one's own, as they were and as they are to be.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    before: Settings,
    now: Settings,
}

impl From<Settings> for Written {
    fn from(settings: Settings) -> Self {
        Written { now: settings.clone(), before: settings }
    }
}

impl Written {
    pub(super) fn current(&self) -> &Settings {
        &self.now
    }

    /// An empty value removes its key.
    pub(super) fn merge(&mut self, settings: Settings) {
        for (key, value) in settings {
            match value.is_empty() {
                true => self.now.remove(&key),
                false => self.now.insert(key, value),
            };
        }
    }

    /// What differs; removed keys are empty, as they travel.
    ///
    /// Juju sends all of the data. The controller merges what it is sent, so to send the rest could only overwrite what
    /// it has changed since, addresses for one.
    pub(super) fn changes(&self) -> Settings {
        let set = self.now.iter().filter(|(key, value)| self.before.get(*key) != Some(value));
        let removed = self.before.keys().filter(|it| !self.now.contains_key(*it));
        let set = set.map(|(key, value)| (key.clone(), value.clone()));
        set.chain(removed.map(|it| (it.clone(), String::new()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> Settings {
        pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }

    #[test]
    fn only_differences_are_sent() {
        for (merges, now, changes) in [
            (&[][..], &[("a", "1"), ("b", "2")][..], &[][..]),
            (&[("a", "1")], &[("a", "1"), ("b", "2")], &[]),
            (&[("a", "3"), ("c", "4")], &[("a", "3"), ("b", "2"), ("c", "4")], &[("a", "3"), ("c", "4")]),
            (&[("a", ""), ("x", "")], &[("b", "2")], &[("a", "")]),
        ] {
            let mut written = Written::from(map(&[("a", "1"), ("b", "2")]));
            written.merge(map(merges));
            assert_eq!(*written.current(), map(now));
            assert_eq!(written.changes(), map(changes));
        }
    }

    #[test]
    fn members_data_are_read_anew_only_in_their_own_hooks() {
        let facts = RelationFacts {
            id: 4,
            key: "shop:db db:db".into(),
            endpoint: "db".into(),
            remote_application: "db".into(),
            members: vec!["db/0".into(), "db/1".into()],
            broken: false,
        };
        let hook = |event| RelationHook { relation: 4, application: "db".into(), event };
        let mut cache = Cache::default();
        cache.prepare(&facts, None);
        cache.learn("db/0", &map(&[("k", "0")]));
        cache.learn("db/1", &map(&[("k", "1")]));
        cache.learn("db/9", &map(&[("k", "9")]));

        cache.prepare(&facts, Some(&hook(RelationEvent::Changed { unit: Some("db/1".into()), version: 2 })));
        let relation = Relation::new(facts.clone(), &cache);
        assert_eq!(relation.known("db/0"), Some(&map(&[("k", "0")])));
        assert_eq!(relation.known("db/1"), None);

        let joined = hook(RelationEvent::Joined { unit: "db/2".into(), version: 0 });
        cache.prepare(&facts, Some(&joined));
        assert_eq!(Relation::new(facts.clone(), &cache).member_names(), ["db/0", "db/1", "db/2"]);

        let departed = hook(RelationEvent::Departed { unit: "db/0".into(), version: 0, departing: None });
        cache.prepare(&facts, Some(&departed));
        let mut relation = Relation::new(facts, &cache);
        assert_eq!(relation.member_names(), ["db/1"]);
        // What a departed unit has left can still be read, in each hook anew.
        assert_eq!(relation.known("db/0"), None);
        relation.learn("db/0", &map(&[("k", "0")]));
        assert_eq!(relation.known("db/0"), Some(&map(&[("k", "0")])));
    }
}
