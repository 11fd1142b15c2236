//! The instance that a machine runs on, once its provider has started one.

use std::sync::Arc;

use juju_core::{Address, Life, MachineId, ModelUuid};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V, address, machine, model,
    status::{self, NewStatus, StatusOf},
    watch::{self, Watcher},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstanceDoc {
    pub v: V<1>,
    pub instance_id: String,
    #[serde(default)]
    pub display_name: String,
    /// What the machine's agent has to know besides its password, so that an instance that was given up cannot stand
    /// in for the one that counts.
    pub nonce: String,
    #[serde(default)]
    pub hardware: Hardware,
    /// It is not to be stopped when the machine goes.
    #[serde(default)]
    pub keep: bool,
    #[serde(default)]
    pub charm_profiles: Vec<String>,
}

impl Doc for InstanceDoc {
    const KIND: &'static str = "instance";
}

impl InstanceDoc {
    /// One that was there before Juju, which it neither starts nor stops.
    pub fn is_manual(&self) -> bool {
        self.nonce.starts_with("manual:")
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hardware {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// Megabytes, as is `root_disk`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mem: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_disk: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_disk_source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_power: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub availability_zone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virt_type: Option<String>,
}

/// What a provider reports of an instance that it has started.
#[derive(Clone, Debug, Default)]
pub struct NewInstance {
    pub instance_id: String,
    pub display_name: String,
    pub nonce: String,
    pub hardware: Hardware,
    pub charm_profiles: Vec<String>,
    /// Those that the provider knows.
    pub addresses: Vec<Address>,
}

fn key(m: &ModelUuid, id: &MachineId) -> Key<InstanceDoc> {
    model::key_in(m, format_args!("inst/{id}"))
}

pub fn read(image: &Image, m: &ModelUuid, id: &MachineId) -> Result<Option<Arc<InstanceDoc>>> {
    key(m, id).read(image)
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid, id: &MachineId) -> Result<Option<Arc<InstanceDoc>>> {
    key(m, id).get(tx).await
}

pub(super) fn delete(tx: &Tx, m: &ModelUuid, id: &MachineId) {
    key(m, id).delete(tx);
}

pub(super) fn create(tx: &Tx, m: &ModelUuid, id: &MachineId, new: &NewInstance) -> Result<()> {
    if new.instance_id.is_empty() || new.nonce.is_empty() {
        return Err(Error::not_valid("instance id and nonce cannot be empty"));
    }
    let doc = InstanceDoc {
        v: V,
        instance_id: new.instance_id.clone(),
        display_name: new.display_name.clone(),
        nonce: new.nonce.clone(),
        hardware: new.hardware.clone(),
        keep: false,
        charm_profiles: new.charm_profiles.clone(),
    };
    key(m, id).put(tx, &doc)?;
    address::create(tx, m, id, &new.addresses)
}

/// Gives the machine its instance. It has one for good: said again it is accepted, another one is not.
async fn set(tx: &Tx, m: &ModelUuid, id: &MachineId, new: &NewInstance) -> Result<()> {
    let machine = machine::get(tx, m, id).await?;
    if machine.life == Life::Dead {
        return Err(Error::Dead(format!("machine {id}")));
    }
    match get(tx, m, id).await? {
        None => create(tx, m, id, new),
        Some(old) if old.instance_id == new.instance_id && old.nonce == new.nonce => Ok(()),
        Some(_) => {
            Err(Error::NotSupported(format!("cannot set instance data for machine \"{id}\": already set")))
        }
    }
}

impl Model {
    pub fn instance(&self, id: &MachineId) -> Result<Arc<InstanceDoc>> {
        let image = self.image();
        machine::read(&image, self.uuid(), id)?;
        read(&image, self.uuid(), id)?.ok_or_else(|| Error::NotProvisioned(format!("machine {id}")))
    }

    /// All instances, by machine.
    pub fn instances(&self) -> Result<Vec<(MachineId, Arc<InstanceDoc>)>> {
        let (image, prefix) = (self.image(), prefix(self.uuid()));
        let all = prefix.read(&image).map(|it| {
            let (id, doc) = it?;
            let id = id.parse().map_err(|_| Error::Damaged(format!("an instance stands at {id:?}")))?;
            Ok((id, doc))
        });
        all.collect()
    }

    pub async fn set_instance(&self, id: &MachineId, new: &NewInstance) -> Result<()> {
        self.transact(async |tx| set(&tx, self.uuid(), id, new).await).await
    }

    pub async fn set_instance_status(&self, id: &MachineId, new: &NewStatus) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            machine::get(&tx, m, id).await?;
            status::set(&tx, m, &StatusOf::Instance(id.clone()), new, true).await
        };
        self.transact(set).await
    }

    pub async fn set_keep_instance(&self, id: &MachineId, keep: bool) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            let doc = get(&tx, m, id).await?.ok_or_else(|| Error::NotProvisioned(format!("machine {id}")))?;
            key(m, id).put(&tx, &InstanceDoc { keep, ..InstanceDoc::clone(&doc) })
        };
        self.transact(set).await
    }

    /// Tells when the machine's instance changes.
    pub fn watch_instance(&self, id: &MachineId) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key(self.uuid(), id).path()))
    }
}

fn prefix(m: &ModelUuid) -> Prefix<InstanceDoc> {
    model::prefix_in(m, "inst/")
}
