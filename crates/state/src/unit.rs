//! Units: the record of each, and how it comes to be. What its agent keeps here, where it is put and how it ends stand
//! in files beside this one.

use std::{collections::BTreeSet, sync::Arc};

use juju_core::{ApplicationName, CharmUrl, Life, MachineId, ModelUuid, UnitName};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V,
    application::{self, ApplicationDoc},
    charm, constraints, model, sequence,
    status::{self, NewStatus, StatusOf},
    watch::{self, Watcher},
};

mod add;
pub use add::MoreUnits;
pub(crate) use add::{add_more, add_several};
pub mod assign;
mod destroy;
pub(crate) use destroy::{clean_dying, destroy, force_destroy, force_remove, obliterate};
pub mod memory;
mod workload_version;
pub(crate) use workload_version::of_application as application_workload_version;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitDoc {
    pub v: V<1>,
    pub name: UnitName,
    pub life: Life,
    /// The charm that its agent runs; none before it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charm_url: Option<CharmUrl>,
    /// The machine it is assigned to. A subordinate is where its principal is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineId>,
    /// The unit that a subordinate belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<UnitName>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub subordinates: BTreeSet<UnitName>,
    #[serde(default)]
    pub resolved: Resolved,
}

impl Doc for UnitDoc {
    const KIND: &'static str = "unit";
}

/// How the operator wants a failed hook to be gone on from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resolved {
    #[default]
    #[serde(rename = "")]
    None,
    #[serde(rename = "retry-hooks")]
    RetryHooks,
    #[serde(rename = "no-hooks")]
    NoHooks,
}

impl Resolved {
    pub fn as_str(self) -> &'static str {
        match self {
            Resolved::None => "",
            Resolved::RetryHooks => "retry-hooks",
            Resolved::NoHooks => "no-hooks",
        }
    }
}

pub(crate) fn key(m: &ModelUuid, name: &UnitName) -> Key<UnitDoc> {
    model::key_in(m, format_args!("unit/{name}"))
}

/// All units of a model.
pub(crate) fn prefix(m: &ModelUuid) -> Prefix<UnitDoc> {
    model::prefix_in(m, "unit/")
}

/// The units of an application.
pub(crate) fn of_application(m: &ModelUuid, name: &ApplicationName) -> Prefix<UnitDoc> {
    model::prefix_in(m, format_args!("unit/{name}/"))
}

fn not_found(name: &UnitName) -> Error {
    Error::NotFound(format!("unit \"{name}\""))
}

pub fn read(image: &Image, m: &ModelUuid, name: &UnitName) -> Result<Arc<UnitDoc>> {
    key(m, name).read(image)?.ok_or_else(|| not_found(name))
}

/// The units of an application, by number.
pub fn read_of(image: &Image, m: &ModelUuid, name: &ApplicationName) -> Result<Vec<Arc<UnitDoc>>> {
    sorted(of_application(m, name).read(image))
}

/// All units of a model, by name.
pub fn all(image: &Image, m: &ModelUuid) -> Result<Vec<Arc<UnitDoc>>> {
    sorted(prefix(m).read(image))
}

fn sorted<'a>(docs: impl Iterator<Item = Result<(&'a str, Arc<UnitDoc>)>>) -> Result<Vec<Arc<UnitDoc>>> {
    let mut all = docs.map(|it| it.map(|(_, doc)| doc)).collect::<Result<Vec<_>>>()?;
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// The machine that a unit is on, by itself or with its principal.
pub fn read_machine_of(image: &Image, m: &ModelUuid, unit: &UnitDoc) -> Result<Option<MachineId>> {
    match &unit.principal {
        Some(principal) => Ok(key(m, principal).read(image)?.and_then(|it| it.machine.clone())),
        None => Ok(unit.machine.clone()),
    }
}

pub(crate) async fn find(tx: &Tx, m: &ModelUuid, name: &UnitName) -> Result<Option<Arc<UnitDoc>>> {
    key(m, name).get(tx).await
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid, name: &UnitName) -> Result<Arc<UnitDoc>> {
    find(tx, m, name).await?.ok_or_else(|| not_found(name))
}

pub(crate) fn put(tx: &Tx, m: &ModelUuid, doc: &UnitDoc) -> Result<()> {
    key(m, &doc.name).put(tx, doc)
}

pub(crate) async fn machine_of(tx: &Tx, m: &ModelUuid, unit: &UnitDoc) -> Result<Option<MachineId>> {
    match &unit.principal {
        Some(principal) => Ok(find(tx, m, principal).await?.and_then(|it| it.machine.clone())),
        None => Ok(unit.machine.clone()),
    }
}

/// Writes a new unit with all that it begins with.
async fn create(
    tx: &Tx,
    m: &ModelUuid,
    application: &ApplicationDoc,
    number: u32,
    principal: Option<&UnitName>,
) -> Result<UnitName> {
    let name = UnitName::new(application.name.clone(), number);
    let doc = UnitDoc {
        v: V,
        name: name.clone(),
        life: Life::Alive,
        charm_url: None,
        machine: None,
        principal: principal.cloned(),
        subordinates: BTreeSet::new(),
        resolved: Resolved::None,
    };
    put(tx, m, &doc)?;
    status::create(tx, m, StatusOf::Agent(name.clone()))?;
    status::create(tx, m, StatusOf::Workload(name.clone()))?;
    Ok(name)
}

/// Makes the subordinate that a principal needs for a relation.
pub(crate) async fn add_subordinate(
    tx: &Tx,
    m: &ModelUuid,
    application: &ApplicationDoc,
    principal: &UnitDoc,
) -> Result<UnitName> {
    let number = sequence::next(tx, m, &sequence_of(&application.name)).await?;
    let name = create(tx, m, application, number, Some(&principal.name)).await?;
    // What was read of the principal may have been written since in this transaction.
    let mut principal = UnitDoc::clone(&*get(tx, m, &principal.name).await?);
    principal.subordinates.insert(name.clone());
    put(tx, m, &principal)?;
    Ok(name)
}

/// Unit numbers go on when an application of the name is deployed again.
fn sequence_of(name: &ApplicationName) -> String {
    format!("application-{name}")
}

/// Takes note of the charm that a unit's agent is about to run.
async fn set_charm_url(tx: &Tx, m: &ModelUuid, name: &UnitName, url: &CharmUrl) -> Result<()> {
    let unit = get(tx, m, name).await?;
    if unit.life == Life::Dead {
        return Err(Error::Dead(format!("unit \"{name}\"")));
    }
    if unit.charm_url.as_ref() == Some(url) {
        return Ok(());
    }
    charm::get_usable(tx, m, url).await?;
    charm::take_for_unit(tx, m, url, name)?;
    if let Some(old) = &unit.charm_url {
        charm::give_for_unit(tx, m, old, name).await?;
    }
    put(tx, m, &UnitDoc { charm_url: Some(url.clone()), ..UnitDoc::clone(&unit) })
}

/// Says how to go on from a failed hook; only one that has failed can be.
async fn resolve(tx: &Tx, m: &ModelUuid, name: &UnitName, how: Resolved) -> Result<()> {
    let unit = get(tx, m, name).await?;
    if unit.life == Life::Dead {
        return Err(Error::Dead(format!("unit \"{name}\"")));
    }
    let agent = status::get(tx, m, &StatusOf::Agent(name.clone())).await?;
    if agent.info.status != juju_core::Status::Error {
        return Err(Error::not_valid(format!("unit \"{name}\" is not in an error state")));
    }
    if unit.resolved != Resolved::None {
        return Err(Error::AlreadySo(format!(
            "cannot set resolved mode for unit \"{name}\": already resolved"
        )));
    }
    put(tx, m, &UnitDoc { resolved: how, ..UnitDoc::clone(&unit) })
}

/// Sets the status of the unit's agent: until it has a machine it is being allocated, and then no more.
async fn set_agent_status(tx: &Tx, m: &ModelUuid, name: &UnitName, new: &NewStatus) -> Result<()> {
    let unit = get(tx, m, name).await?;
    let placed = machine_of(tx, m, &unit).await?.is_some();
    status::set(tx, m, &StatusOf::Agent(name.clone()), new, placed).await
}

pub(crate) fn forget_constraints(tx: &Tx, m: &ModelUuid, name: &UnitName) {
    constraints::delete(tx, m, constraints::Of::Unit(name));
}

impl Model {
    pub fn unit(&self, name: &UnitName) -> Result<Arc<UnitDoc>> {
        read(&self.image(), self.uuid(), name)
    }

    pub fn units(&self) -> Result<Vec<Arc<UnitDoc>>> {
        all(&self.image(), self.uuid())
    }

    /// The units of an application, by number.
    pub fn application_units(&self, name: &ApplicationName) -> Result<Vec<Arc<UnitDoc>>> {
        let image = self.image();
        application::read(&image, self.uuid(), name)?;
        read_of(&image, self.uuid(), name)
    }

    /// The machine that the unit is on.
    pub fn unit_machine(&self, name: &UnitName) -> Result<MachineId> {
        let image = self.image();
        let unit = read(&image, self.uuid(), name)?;
        read_machine_of(&image, self.uuid(), &unit)?.ok_or_else(|| Error::NotAssigned(name.to_string()))
    }

    pub async fn set_unit_charm_url(&self, name: &UnitName, url: &CharmUrl) -> Result<()> {
        self.transact(async |tx| set_charm_url(&tx, self.uuid(), name, url).await).await
    }

    /// Says how to go on from a hook that failed.
    pub async fn resolve_unit(&self, name: &UnitName, retry: bool) -> Result<()> {
        let how = if retry { Resolved::RetryHooks } else { Resolved::NoHooks };
        self.transact(async |tx| resolve(&tx, self.uuid(), name, how).await).await
    }

    pub async fn clear_resolved(&self, name: &UnitName) -> Result<()> {
        let clear = async |tx: Tx| {
            let unit = get(&tx, self.uuid(), name).await?;
            put(&tx, self.uuid(), &UnitDoc { resolved: Resolved::None, ..UnitDoc::clone(&unit) })
        };
        self.transact(clear).await
    }

    pub async fn set_agent_status(&self, name: &UnitName, new: &NewStatus) -> Result<()> {
        self.transact(async |tx| set_agent_status(&tx, self.uuid(), name, new).await).await
    }

    /// Sets what the unit's charm says of its workload.
    pub async fn set_workload_status(&self, name: &UnitName, new: &NewStatus) -> Result<()> {
        let set = async |tx: Tx| {
            get(&tx, self.uuid(), name).await?;
            status::set(&tx, self.uuid(), &StatusOf::Workload(name.clone()), new, true).await
        };
        self.transact(set).await
    }

    /// Tells when the unit changes: its life, its charm, its subordinates, and whether it is resolved.
    pub fn watch_unit(&self, name: &UnitName) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key(self.uuid(), name).path()))
    }

    /// Reports the units of an application by their lives.
    pub fn watch_application_units(
        &self,
        name: &ApplicationName,
    ) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let (m, all) = (self.uuid().clone(), prefix(self.uuid()));
        let id = move |key: &str| all.name_in(key).map(str::to_owned);
        let life = move |image: &Image, id: &str| {
            let Ok(name) = id.parse() else { return Ok(None) };
            Ok(key(&m, &name).read(image)?.map(|it| it.life))
        };
        watch::lives_under(self.view(), of_application(self.uuid(), name).path(), id, life)
    }
}
