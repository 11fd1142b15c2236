//! Machines, and the containers in them.
//!
//! The document here says what a machine is for and how it is to end. What is known of its instance, its host and its
//! addresses stands apart, in files beside this one, since others write and watch it.

use std::{collections::BTreeSet, sync::Arc};

use juju_core::{Base, Constraints, Life, MachineId, ModelUuid, UnitName};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V, constraints, model, sequence,
    status::{self, NewStatus, StatusOf},
    watch::{self, Watcher},
};

mod destroy;
pub(crate) use destroy::{
    clean_dying, destroy, destroy_with_containers, force_destroy, force_remove, release, remove,
};
mod distribution;
mod host;
pub use host::{HostDoc, read as read_host};
mod instance;
pub use instance::{Hardware, InstanceDoc, NewInstance, read as read_instance};
mod reboot;
pub use reboot::RebootAction;
mod removal;
mod units;
pub(crate) use units::units;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineDoc {
    pub v: V<1>,
    pub id: MachineId,
    pub base: Base,
    pub jobs: Vec<Job>,
    pub life: Life,
    /// Where the provider is to put it: `zone=a`, or a host's name.
    #[serde(default)]
    pub placement: String,
    /// The units on it that are not subordinates.
    #[serde(default)]
    pub principals: BTreeSet<UnitName>,
    /// Nothing was ever put on it, by a unit or by hand, so that it can be given to a unit that wants a new machine.
    #[serde(default)]
    pub clean: bool,
    #[serde(default)]
    pub force_destroyed: bool,
}

impl Doc for MachineDoc {
    const KIND: &'static str = "machine";
}

/// What a machine is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Job {
    #[serde(rename = "JobHostUnits")]
    HostUnits,
    /// It runs a controller.
    #[serde(rename = "JobManageModel")]
    ManageModel,
}

impl Job {
    pub fn as_str(self) -> &'static str {
        match self {
            Job::HostUnits => "JobHostUnits",
            Job::ManageModel => "JobManageModel",
        }
    }
}

impl MachineDoc {
    pub fn is_controller(&self) -> bool {
        self.jobs.contains(&Job::ManageModel)
    }
}

/// What a machine is made of.
#[derive(Clone, Debug)]
pub struct NewMachine {
    pub base: Base,
    pub constraints: Constraints,
    pub jobs: Vec<Job>,
    /// The provider's directive, if any. It then stands for the model's constraints.
    pub placement: String,
    /// It is not to be given to a unit that wants a new machine.
    pub dirty: bool,
    /// What it runs on already, for one that nobody has to start.
    pub instance: Option<NewInstance>,
}

impl NewMachine {
    pub fn new(base: Base) -> NewMachine {
        NewMachine {
            base,
            constraints: Constraints::default(),
            jobs: vec![Job::HostUnits],
            placement: String::new(),
            dirty: false,
            instance: None,
        }
    }
}

pub(crate) fn key(m: &ModelUuid, id: &MachineId) -> Key<MachineDoc> {
    model::key_in(m, format_args!("machine/{id}"))
}

pub(crate) fn prefix(m: &ModelUuid) -> Prefix<MachineDoc> {
    model::prefix_in(m, "machine/")
}

/// The containers in a machine, at any depth.
fn containers(m: &ModelUuid, id: &MachineId) -> Prefix<MachineDoc> {
    model::prefix_in(m, format_args!("machine/{id}/"))
}

pub(crate) fn not_found(id: &MachineId) -> Error {
    Error::NotFound(format!("machine {id}"))
}

pub fn read(image: &Image, m: &ModelUuid, id: &MachineId) -> Result<Arc<MachineDoc>> {
    key(m, id).read(image)?.ok_or_else(|| not_found(id))
}

/// All machines of a model, a host before its containers.
pub fn all(image: &Image, m: &ModelUuid) -> Result<Vec<Arc<MachineDoc>>> {
    let prefix = prefix(m);
    let mut all = prefix.read(image).map(|it| it.map(|(_, doc)| doc)).collect::<Result<Vec<_>>>()?;
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid, id: &MachineId) -> Result<Arc<MachineDoc>> {
    key(m, id).get(tx).await?.ok_or_else(|| not_found(id))
}

pub(crate) fn put(tx: &Tx, m: &ModelUuid, doc: &MachineDoc) -> Result<()> {
    key(m, &doc.id).put(tx, doc)
}

/// Adds a machine that is not in another.
pub(crate) async fn add(tx: &Tx, m: &ModelUuid, new: &NewMachine) -> Result<MachineId> {
    model::get_alive(tx, m).await?;
    let id = MachineId::top(sequence::next(tx, m, "machine").await?);
    create(tx, m, id.clone(), new).await?;
    Ok(id)
}

/// Adds a container of a type in a machine.
pub(crate) async fn add_inside(
    tx: &Tx,
    m: &ModelUuid,
    parent: &MachineId,
    kind: &str,
    new: &NewMachine,
) -> Result<MachineId> {
    model::get_alive(tx, m).await?;
    let host = get(tx, m, parent).await?;
    if host.life != Life::Alive {
        return Err(Error::NotSupported(format!("cannot add a new machine: machine {parent} is not alive")));
    }
    if !host::supports_containers(tx, m, parent, kind).await? {
        return Err(Error::NotSupported(format!(
            "cannot add a new machine: machine {parent} cannot host {kind} containers"
        )));
    }
    let number = sequence::next(tx, m, &format!("machine{parent}{kind}Container")).await?;
    let id = parent.container(kind, number).map_err(|err| Error::not_valid(err.to_string()))?;
    if host.clean {
        put(tx, m, &MachineDoc { clean: false, ..MachineDoc::clone(&host) })?;
    }
    create(tx, m, id.clone(), new).await?;
    Ok(id)
}

/// Adds a container of a type in a machine that is added for it.
pub(crate) async fn add_with_host(tx: &Tx, m: &ModelUuid, kind: &str, new: &NewMachine) -> Result<MachineId> {
    let host = NewMachine { instance: None, ..new.clone() };
    let host = add(tx, m, &host).await?;
    add_inside(tx, m, &host, kind, &NewMachine { placement: String::new(), ..new.clone() }).await
}

async fn create(tx: &Tx, m: &ModelUuid, id: MachineId, new: &NewMachine) -> Result<()> {
    let constraints = match new.placement.is_empty() {
        true => new.constraints.clone().or(&constraints::get(tx, m, constraints::Of::Model).await?),
        false => new.constraints.clone(),
    };
    // A machine is not in a container because of its constraints, but because of where it was added.
    let constraints = constraints.without(&["container"]);
    let doc = MachineDoc {
        v: V,
        id: id.clone(),
        base: new.base.clone(),
        jobs: new.jobs.clone(),
        life: Life::Alive,
        placement: new.placement.clone(),
        principals: BTreeSet::new(),
        clean: !new.dirty,
        force_destroyed: false,
    };
    put(tx, m, &doc)?;
    constraints::put(tx, m, constraints::Of::Machine(&id), &constraints)?;
    status::create(tx, m, StatusOf::Machine(id.clone()))?;
    status::create(tx, m, StatusOf::Instance(id.clone()))?;
    status::create(tx, m, StatusOf::Modification(id.clone()))?;
    if let Some(given) = &new.instance {
        instance::create(tx, m, &id, given)?;
    }
    Ok(())
}

/// Sets the status of the machine's agent. It is pending only until there is an instance.
async fn set_status(tx: &Tx, m: &ModelUuid, id: &MachineId, new: &NewStatus) -> Result<()> {
    get(tx, m, id).await?;
    let placed = instance::get(tx, m, id).await?.is_some();
    status::set(tx, m, &StatusOf::Machine(id.clone()), new, placed).await
}

impl Model {
    pub async fn add_machine(&self, new: &NewMachine) -> Result<MachineId> {
        self.transact(async |tx| add(&tx, self.uuid(), new).await).await
    }

    /// Adds a container, in this machine or in a new one.
    pub async fn add_container(
        &self,
        parent: Option<&MachineId>,
        kind: &str,
        new: &NewMachine,
    ) -> Result<MachineId> {
        let add = async |tx: Tx| match parent {
            Some(parent) => add_inside(&tx, self.uuid(), parent, kind, new).await,
            None => add_with_host(&tx, self.uuid(), kind, new).await,
        };
        self.transact(add).await
    }

    pub fn machine(&self, id: &MachineId) -> Result<Arc<MachineDoc>> {
        read(&self.image(), self.uuid(), id)
    }

    pub fn machines(&self) -> Result<Vec<Arc<MachineDoc>>> {
        all(&self.image(), self.uuid())
    }

    pub async fn set_machine_status(&self, id: &MachineId, new: &NewStatus) -> Result<()> {
        self.transact(async |tx| set_status(&tx, self.uuid(), id, new).await).await
    }

    /// Tells when the machine changes: its life, and what is on it.
    pub fn watch_machine(&self, id: &MachineId) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key(self.uuid(), id).path()))
    }

    /// Reports the machines that are not in others by their lives.
    pub fn watch_machines(&self) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        self.watch_machine_lives(prefix(self.uuid()), |id| !id.is_container())
    }

    /// Reports the containers in a machine by their lives: those of one type, or all.
    pub fn watch_containers(
        &self,
        parent: &MachineId,
        kind: Option<String>,
    ) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        self.machine(parent)?;
        let (under, parent) = (containers(self.uuid(), parent), parent.clone());
        let wanted = move |id: &MachineId| {
            id.parent().as_ref() == Some(&parent)
                && kind.as_deref().is_none_or(|it| id.container_type() == Some(it))
        };
        self.watch_machine_lives(under, wanted)
    }

    fn watch_machine_lives(
        &self,
        under: Prefix<MachineDoc>,
        wanted: impl Fn(&MachineId) -> bool + Send + 'static,
    ) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let m = self.uuid().clone();
        let all = prefix(&m);
        let id = move |key: &str| {
            let id: MachineId = all.name_in(key)?.parse().ok()?;
            wanted(&id).then(|| id.to_string())
        };
        let life = move |image: &Image, id: &str| {
            let Ok(id) = id.parse() else { return Ok(None) };
            Ok(key(&m, &id).read(image)?.map(|it| it.life))
        };
        watch::lives_under(self.view(), under.path(), id, life)
    }
}
