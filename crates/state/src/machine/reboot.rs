//! Reboots that were asked for and have not happened yet.

use juju_core::{MachineId, ModelUuid};
use juju_store::Interest;
use serde::{Deserialize, Serialize};

use super::{get, read};
use crate::{Doc, Error, Key, Model, Result, Tx, V, model, watch, watch::Watcher};

/// That a machine is to reboot.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RebootDoc {
    v: V<1>,
}

impl Doc for RebootDoc {
    const KIND: &'static str = "reboot request";
}

/// What a machine's agent is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RebootAction {
    Nothing,
    Reboot,
    /// The machine that this one is in is about to reboot.
    Shutdown,
}

impl RebootAction {
    pub fn as_str(self) -> &'static str {
        match self {
            RebootAction::Nothing => "noop",
            RebootAction::Reboot => "reboot",
            RebootAction::Shutdown => "shutdown",
        }
    }
}

fn key(m: &ModelUuid, id: &MachineId) -> Key<RebootDoc> {
    model::key_in(m, format_args!("reboot/{id}"))
}

pub(super) fn delete(tx: &Tx, m: &ModelUuid, id: &MachineId) {
    key(m, id).delete(tx);
}

/// The machines that a machine is in, the nearest first.
fn parents(id: &MachineId) -> impl Iterator<Item = MachineId> {
    std::iter::successors(id.parent(), MachineId::parent)
}

impl Model {
    pub async fn request_reboot(&self, id: &MachineId) -> Result<()> {
        let request = async |tx: Tx| match get(&tx, self.uuid(), id).await?.life.is_dead() {
            true => Err(Error::Dead(format!("machine {id}"))),
            false => key(self.uuid(), id).put(&tx, &RebootDoc { v: V }),
        };
        self.transact(request).await
    }

    /// The machine has rebooted, or is about to.
    pub async fn clear_reboot(&self, id: &MachineId) -> Result<()> {
        let clear = async |tx: Tx| {
            get(&tx, self.uuid(), id).await?;
            delete(&tx, self.uuid(), id);
            Ok(())
        };
        self.transact(clear).await
    }

    /// What the machine's agent is to do now.
    pub fn reboot_action(&self, id: &MachineId) -> Result<RebootAction> {
        let (image, m) = (self.image(), self.uuid());
        read(&image, m, id)?;
        for parent in parents(id) {
            if key(m, &parent).read(&image)?.is_some() {
                return Ok(RebootAction::Shutdown);
            }
        }
        Ok(if key(m, id).read(&image)?.is_some() { RebootAction::Reboot } else { RebootAction::Nothing })
    }

    /// Tells when a reboot of the machine, or of one that it is in, is asked for or done.
    pub fn watch_reboot(&self, id: &MachineId) -> Result<Watcher<()>> {
        self.machine(id)?;
        let m = self.uuid();
        let all = [id.clone()].into_iter().chain(parents(id));
        let interest = all.fold(Interest::none(), |it, id| it.and_key(key(m, &id).path()));
        watch::notify(self.view(), interest)
    }
}
