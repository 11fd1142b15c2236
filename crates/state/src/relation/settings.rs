//! What units and applications have said in a relation. Each bag counts its own versions, which is what watchers tell.

use std::{collections::BTreeMap, sync::Arc};

use juju_core::{ApplicationName, ModelUuid, RelationId, UnitName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Key, Model, Prefix, Result, Tx, V, model};

/// A bag's settings.
pub type Settings = BTreeMap<String, String>;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SettingsDoc {
    pub v: V<1>,
    /// Counts the writes that changed something; 0 is never written.
    pub version: u32,
    pub settings: Settings,
}

impl Doc for SettingsDoc {
    const KIND: &'static str = "relation settings";
}

/// Whose bag.
#[derive(Clone, Copy, Debug)]
pub enum Bag<'a> {
    Unit(&'a UnitName),
    Application(&'a ApplicationName),
}

pub(crate) fn key(m: &ModelUuid, id: RelationId, bag: Bag<'_>) -> Key<SettingsDoc> {
    match bag {
        Bag::Unit(name) => model::key_in(m, format_args!("rset/{id}/{name}")),
        Bag::Application(name) => model::key_in(m, format_args!("rset/{id}/{name}")),
    }
}

/// All bags of a relation.
pub(crate) fn of_relation(m: &ModelUuid, id: RelationId) -> Prefix<SettingsDoc> {
    model::prefix_in(m, format_args!("rset/{id}/"))
}

/// The bags of an application's units.
pub(crate) fn of_units(m: &ModelUuid, id: RelationId, name: &ApplicationName) -> Prefix<SettingsDoc> {
    model::prefix_in(m, format_args!("rset/{id}/{name}/"))
}

/// What is in a bag; one that was never written is empty.
pub fn read(image: &Image, m: &ModelUuid, id: RelationId, bag: Bag<'_>) -> Result<Arc<SettingsDoc>> {
    Ok(key(m, id, bag).read(image)?.unwrap_or_default())
}

/// Changes some settings; an empty value takes one away. A write that changes nothing is none.
pub(crate) async fn update(
    tx: &Tx,
    m: &ModelUuid,
    id: RelationId,
    bag: Bag<'_>,
    changes: &Settings,
) -> Result<()> {
    let key = key(m, id, bag);
    let old = key.get(tx).await?.unwrap_or_default();
    let mut settings = old.settings.clone();
    for (name, value) in changes {
        match value.is_empty() {
            true => settings.remove(name),
            false => settings.insert(name.clone(), value.clone()),
        };
    }
    if settings == old.settings {
        return Ok(());
    }
    key.put(tx, &SettingsDoc { v: V, version: old.version + 1, settings })
}

/// Fills a unit's bag anew, whatever was in it.
pub(super) async fn replace(
    tx: &Tx,
    m: &ModelUuid,
    id: RelationId,
    name: &UnitName,
    settings: Settings,
) -> Result<()> {
    let key = key(m, id, Bag::Unit(name));
    let version = key.get(tx).await?.map_or(0, |it| it.version) + 1;
    key.put(tx, &SettingsDoc { v: V, version, settings })
}

impl Model {
    /// What is in a bag of a relation; see [`read`].
    pub fn relation_settings(&self, id: RelationId, bag: Bag<'_>) -> Result<Arc<SettingsDoc>> {
        let image = self.image();
        super::read(&image, self.uuid(), id)?;
        read(&image, self.uuid(), id, bag)
    }

    /// Changes what a unit has said.
    pub async fn update_relation_settings(
        &self,
        id: RelationId,
        name: &UnitName,
        changes: &Settings,
    ) -> Result<()> {
        let update = async |tx: Tx| {
            super::get(&tx, self.uuid(), id).await?.endpoint(name.app())?;
            update(&tx, self.uuid(), id, Bag::Unit(name), changes).await
        };
        self.transact(update).await
    }
}
