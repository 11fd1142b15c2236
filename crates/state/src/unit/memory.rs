//! What a unit's agent has the controller remember for it: where it is in its work, and the charm's own state.
//!
//! Each part is text that the controller does not read. A part that is not named in a write stays as it is.

use std::{collections::BTreeMap, sync::Arc};

use juju_core::{ModelUuid, UnitName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Error, Key, Model, Result, Tx, V, controller_config, model, unit};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryDoc {
    pub v: V<1>,
    /// What the charm keeps with `state-set`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub charm: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uniter: String,
    /// By relation id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<i64, String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub storage: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub secrets: String,
}

impl Doc for MemoryDoc {
    const KIND: &'static str = "unit state";
}

/// What to remember anew; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewMemory {
    pub charm: Option<BTreeMap<String, String>>,
    pub uniter: Option<String>,
    pub relations: Option<BTreeMap<i64, String>>,
    pub storage: Option<String>,
    pub secrets: Option<String>,
}

impl NewMemory {
    pub fn is_empty(&self) -> bool {
        *self == NewMemory::default()
    }
}

/// The most that one value of a charm's state may have.
const VALUE_BYTES: usize = 64 * 1024;

fn key(m: &ModelUuid, name: &UnitName) -> Key<MemoryDoc> {
    model::key_in(m, format_args!("ustate/{name}"))
}

pub fn read(image: &Image, m: &ModelUuid, name: &UnitName) -> Result<Arc<MemoryDoc>> {
    Ok(key(m, name).read(image)?.unwrap_or_default())
}

pub(super) fn delete(tx: &Tx, m: &ModelUuid, name: &UnitName) {
    key(m, name).delete(tx);
}

/// Remembers, within the controller's limits. What is equal to what is there is not written.
pub(crate) async fn set(tx: &Tx, m: &ModelUuid, name: &UnitName, new: &NewMemory) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let unit = unit::get(tx, m, name).await?;
    if unit.life.is_dead() {
        return Err(Error::Dead(format!("unit \"{name}\"")));
    }
    let key = key(m, name);
    let mut doc = key.get(tx).await?.map(|it| MemoryDoc::clone(&it)).unwrap_or_default();
    let config = controller_config::get(tx).await?;
    if let Some(charm) = &new.charm {
        check_charm(charm, config.number("max-charm-state-size"))?;
        doc.charm = charm.clone();
    }
    doc.uniter = new.uniter.clone().unwrap_or(doc.uniter);
    doc.relations = new.relations.clone().unwrap_or(doc.relations);
    doc.storage = new.storage.clone().unwrap_or(doc.storage);
    doc.secrets = new.secrets.clone().unwrap_or(doc.secrets);
    let agents = [&doc.uniter, &doc.storage, &doc.secrets].into_iter().chain(doc.relations.values());
    let size: usize = agents.map(String::len).sum();
    check_size("agent state", size, config.number("max-agent-state-size"))?;
    key.put(tx, &doc)
}

fn check_charm(charm: &BTreeMap<String, String>, most: u64) -> Result<()> {
    if let Some((name, value)) = charm.iter().find(|(_, it)| it.len() > VALUE_BYTES) {
        let size = value.len();
        return Err(Error::QuotaLimitExceeded(format!(
            "persisting charm state: value of {name:?} has {size} bytes, at most {VALUE_BYTES} are allowed"
        )));
    }
    check_size("charm state", charm.iter().map(|(name, value)| name.len() + value.len()).sum(), most)
}

/// A limit of 0 is none.
fn check_size(what: &str, size: usize, most: u64) -> Result<()> {
    if most == 0 || size as u64 <= most {
        return Ok(());
    }
    Err(Error::QuotaLimitExceeded(format!(
        "persisting {what}: max allowed size is {most}; attempted to write {size} bytes"
    )))
}

impl Model {
    pub fn unit_memory(&self, name: &UnitName) -> Result<Arc<MemoryDoc>> {
        let image = self.image();
        unit::read(&image, self.uuid(), name)?;
        read(&image, self.uuid(), name)
    }

    pub async fn set_unit_memory(&self, name: &UnitName, new: &NewMemory) -> Result<()> {
        self.transact(async |tx| set(&tx, self.uuid(), name, new).await).await
    }
}
