//! Statuses: what each thing is said to be doing, since when.
//!
//! A status is a document of its own, so that who watches the thing does not hear of it. Each one that is set also
//! goes to the history, once the transaction is committed.

use std::sync::Arc;

use juju_core::{
    ApplicationName, MachineId, ModelUuid, RelationId, Status, StatusInfo, StatusKind, UnitName,
};
use juju_store::Image;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Doc, Error, Key, Model, Result, Tx, V,
    history::{Entry, Range},
    model,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatusDoc {
    pub v: V<1>,
    pub info: StatusInfo,
}

impl Doc for StatusDoc {
    const KIND: &'static str = "status";
}

/// What a status is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StatusOf {
    /// The agent of a machine.
    Machine(MachineId),
    /// What the provider says of the machine's instance.
    Instance(MachineId),
    /// Changes of the instance, such as profiles.
    Modification(MachineId),
    /// The agent of a unit.
    Agent(UnitName),
    /// What a unit's charm says of its workload.
    Workload(UnitName),
    /// What a charm's leader says of the application, or `unset`.
    Application(ApplicationName),
    Relation(RelationId),
    Model,
}

impl StatusOf {
    /// Under this it stands in the store and in the history.
    pub fn name(&self) -> String {
        match self {
            StatusOf::Machine(id) => format!("machine/{id}"),
            StatusOf::Instance(id) => format!("instance/{id}"),
            StatusOf::Modification(id) => format!("modification/{id}"),
            StatusOf::Agent(name) => format!("agent/{name}"),
            StatusOf::Workload(name) => format!("unit/{name}"),
            StatusOf::Application(name) => format!("app/{name}"),
            StatusOf::Relation(id) => format!("relation/{id}"),
            StatusOf::Model => "model".to_owned(),
        }
    }

    fn key(&self, m: &ModelUuid) -> Key<StatusDoc> {
        model::key_in(m, format_args!("status/{}", self.name()))
    }

    fn kind(&self) -> StatusKind {
        match self {
            StatusOf::Machine(_) => StatusKind::MachineAgent,
            StatusOf::Instance(_) => StatusKind::Instance,
            StatusOf::Modification(_) => StatusKind::Modification,
            StatusOf::Agent(_) => StatusKind::UnitAgent,
            StatusOf::Workload(_) => StatusKind::Workload,
            StatusOf::Application(_) => StatusKind::Application,
            StatusOf::Relation(_) => StatusKind::Relation,
            StatusOf::Model => StatusKind::Model,
        }
    }
}

/// A status as somebody sets it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewStatus {
    pub status: Status,
    pub message: String,
    pub data: Map<String, Value>,
}

impl NewStatus {
    pub fn new(status: Status, message: impl Into<String>) -> NewStatus {
        NewStatus { status, message: message.into(), data: Map::new() }
    }
}

/// How a relation's status may go on.
fn check_relation(from: Status, to: Status) -> Result<()> {
    let allowed = match (from, to) {
        _ if from == to => true,
        (Status::Broken, _) => false,
        (_, Status::Joined) => from == Status::Joining,
        (_, Status::Suspending) => from != Status::Suspended,
        _ => true,
    };
    if allowed {
        return Ok(());
    }
    let (from, to) = (from.as_str(), to.as_str());
    Err(Error::not_valid(format!("cannot set status {to:?} when relation has status {from:?}")))
}

fn not_found(of: &StatusOf) -> Error {
    Error::NotFound(format!("status of {}", of.name()))
}

pub(crate) fn find(image: &Image, m: &ModelUuid, of: &StatusOf) -> Result<Option<Arc<StatusDoc>>> {
    of.key(m).read(image)
}

pub fn read(image: &Image, m: &ModelUuid, of: &StatusOf) -> Result<Arc<StatusDoc>> {
    of.key(m).read(image)?.ok_or_else(|| not_found(of))
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid, of: &StatusOf) -> Result<Arc<StatusDoc>> {
    of.key(m).get(tx).await?.ok_or_else(|| not_found(of))
}

/// Gives a new thing its first status.
pub(crate) fn create(tx: &Tx, m: &ModelUuid, of: StatusOf) -> Result<()> {
    let (status, message) = of.kind().initial();
    write(tx, m, &of, NewStatus::new(status, message))
}

/// Sets the status of a thing that is there; `placed` says whether a machine has an instance, a unit a machine. One
/// that says the same as before only tells the history the time.
pub(crate) async fn set(tx: &Tx, m: &ModelUuid, of: &StatusOf, new: &NewStatus, placed: bool) -> Result<()> {
    of.kind().check(new.status, &new.message, placed).map_err(|err| Error::not_valid(err.to_string()))?;
    let old = get(tx, m, of).await?;
    if matches!(of, StatusOf::Relation(_)) {
        check_relation(old.info.status, new.status)?;
    }
    if (old.info.status, &old.info.message, &old.info.data) == (new.status, &new.message, &new.data) {
        record(tx, m, of, new);
        return Ok(());
    }
    write(tx, m, of, new.clone())
}

/// Sets the status without asking whether it may be set: what the controller itself finds.
pub(crate) fn write(tx: &Tx, m: &ModelUuid, of: &StatusOf, new: NewStatus) -> Result<()> {
    record(tx, m, of, &new);
    let NewStatus { status, message, data } = new;
    let info = StatusInfo { status, message, data, since: Some(tx.now) };
    of.key(m).put(tx, &StatusDoc { v: V, info })
}

fn record(tx: &Tx, m: &ModelUuid, of: &StatusOf, new: &NewStatus) {
    let NewStatus { status, message, data } = new.clone();
    let info = StatusInfo { status, message, data, since: Some(tx.now) };
    tx.record(m, Entry { of: of.name(), info });
}

pub(crate) fn delete(tx: &Tx, m: &ModelUuid, of: &StatusOf) {
    of.key(m).delete(tx);
}

impl Model {
    pub fn status(&self, of: &StatusOf) -> Result<Arc<StatusDoc>> {
        read(&self.image(), self.uuid(), of)
    }

    /// Sets a status for which there is no rule beside its value; see the things' own files for the others.
    pub(crate) async fn set_status_of(&self, of: &StatusOf, new: &NewStatus) -> Result<()> {
        self.transact(async |tx| set(&tx, self.uuid(), of, new, true).await).await
    }

    pub async fn set_model_status(&self, new: &NewStatus) -> Result<()> {
        self.set_status_of(&StatusOf::Model, new).await
    }

    /// What the statuses of these were, newest first.
    pub async fn status_history(&self, of: &[StatusOf], range: Range, exclude: &[String]) -> Vec<Entry> {
        let exclude = exclude.to_vec();
        let of = of.iter().map(StatusOf::name).collect();
        self.state().history().query(self.uuid().as_str(), of, range, exclude).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_go_on_in_order() {
        use Status::*;
        for (from, to, allowed) in [
            (Joining, Joined, true),
            (Joined, Joined, true),
            (Suspended, Joining, true),
            (Suspended, Joined, false),
            (Joined, Suspending, true),
            (Suspended, Suspending, false),
            (Suspending, Suspended, true),
            (Joined, Broken, true),
            (Broken, Joined, false),
            (Joined, Error, true),
        ] {
            assert_eq!(check_relation(from, to).is_ok(), allowed, "{from} {to}");
        }
    }
}
