//! What units watch of relations: which there are, and who is in each and has said something new.

use std::collections::{BTreeMap, BTreeSet};

use juju_core::{ApplicationName, Life, ModelUuid, RelationId, UnitName};
use juju_store::{Image, Interest};

use super::{RelationDoc, concerns, key, of_application, read, scope, settings, settings::Bag};
use crate::{
    Model, Result, unit,
    watch::{Looking, Watcher},
};

/// What changed among those whom a unit sees in a relation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RelationUnitsChange {
    /// Units that are in, with the versions of their settings.
    pub changed: BTreeMap<UnitName, u32>,
    /// The application, with the version of its settings; 0 as long as it said nothing.
    pub app_changed: BTreeMap<ApplicationName, u32>,
    pub departed: Vec<UnitName>,
}

impl RelationUnitsChange {
    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.app_changed.is_empty() && self.departed.is_empty()
    }
}

impl Model {
    /// Reports what happens to those whom a unit sees in a relation; at first all who are in.
    pub fn watch_relation_units(
        &self,
        id: RelationId,
        name: &UnitName,
    ) -> Result<(RelationUnitsChange, Watcher<RelationUnitsChange>)> {
        let (image, m) = (self.image(), self.uuid());
        let (relation, unit) = (read(&image, m, id)?, unit::read(&image, m, name)?);
        let other = relation.other_side(name.app())?.application.clone();
        let scopes = scope::counterparts(m, &relation, &unit)?;
        let bags = settings::of_units(m, id, &other);
        let bag = settings::key(m, id, Bag::Application(&other)).path().to_owned();
        let interest = Interest::prefix(scopes.path()).and_prefix(bags.path()).and_key(bag.as_str());
        let (m, own) = (m.clone(), name.clone());
        let mut members: BTreeMap<UnitName, u32> = BTreeMap::new();
        let look = move |at: &mut Looking<'_>| {
            // A bag's key ends in the unit's number alone, since its application is the prefix's.
            let of_bag = |key: &str| format!("{other}/{}", bags.name_in(key)?).parse::<UnitName>().ok();
            let of_scope = |key: &str| scopes.name_in(key)?.parse::<UnitName>().ok();
            let touched: BTreeSet<UnitName> = match at.changed {
                Some(changed) => {
                    changed.iter().filter_map(|it| of_scope(it).or_else(|| of_bag(it))).collect()
                }
                None => scopes.read_names(at.image).filter_map(|it| it.parse().ok()).collect(),
            };
            let mut change = RelationUnitsChange::default();
            for unit in touched.into_iter().filter(|it| *it != own) {
                let path = format!("{}{unit}", scopes.path());
                let inside = at.image.read::<scope::ScopeDoc>(&path)?.is_some_and(|it| !it.departing);
                if inside {
                    let version = settings::read(at.image, &m, id, Bag::Unit(&unit))?.version;
                    if members.insert(unit.clone(), version) != Some(version) {
                        change.changed.insert(unit, version);
                    }
                } else if members.remove(&unit).is_some() {
                    change.departed.push(unit);
                }
            }
            if at.changed.is_none_or(|it| it.contains(bag.as_str())) {
                let version = settings::read(at.image, &m, id, Bag::Application(&other))?.version;
                change.app_changed.insert(other.clone(), version);
            }
            Ok((!change.is_empty()).then_some(change))
        };
        Watcher::open(self.view(), interest, look)
    }

    /// Reports, by their keys, the relations that concern a unit: those that come and go, and those that die, are
    /// suspended or go on.
    pub fn watch_unit_relations(&self, name: &UnitName) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let unit = unit::read(&self.image(), self.uuid(), name)?;
        let concerned = move |relation: &RelationDoc| concerns(relation, &unit);
        self.watch_relations_of(name.app(), concerned)
    }

    /// As [`watch_unit_relations`](Model::watch_unit_relations), for all relations of an application.
    pub fn watch_application_relations(
        &self,
        name: &ApplicationName,
    ) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        self.watch_relations_of(name, |_| true)
    }

    fn watch_relations_of(
        &self,
        name: &ApplicationName,
        concerned: impl Fn(&RelationDoc) -> bool + Send + 'static,
    ) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let (m, ids) = (self.uuid().clone(), of_application(self.uuid(), name));
        let interest = Interest::prefix(ids.path());
        let mut known: BTreeMap<RelationId, (String, Life, bool)> = BTreeMap::new();
        let look = move |at: &mut Looking<'_>| {
            let now = present(at.image, &m, ids.read_names(at.image), &concerned)?;
            let mut report = Vec::new();
            for (id, state) in &now {
                if !known.contains_key(id) {
                    at.follow(Interest::key(key(&m, *id).path()));
                }
                if known.get(id) != Some(state) {
                    report.push(state.0.clone());
                }
            }
            for (id, (text, _, _)) in &known {
                if !now.contains_key(id) {
                    at.leave(Interest::key(key(&m, *id).path()));
                    report.push(text.clone());
                }
            }
            known = now;
            Ok((!report.is_empty()).then_some(report))
        };
        Watcher::open(self.view(), interest, look)
    }
}

fn present<'a>(
    image: &Image,
    m: &ModelUuid,
    ids: impl Iterator<Item = &'a str>,
    concerned: &impl Fn(&RelationDoc) -> bool,
) -> Result<BTreeMap<RelationId, (String, Life, bool)>> {
    let mut present = BTreeMap::new();
    for id in ids.filter_map(|it| it.parse().ok()) {
        if let Some(relation) = key(m, id).read(image)?
            && concerned(&relation)
        {
            present.insert(id, (relation.key.to_string(), relation.life, relation.suspended));
        }
    }
    Ok(present)
}
