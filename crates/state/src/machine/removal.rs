//! Machines whose instances are gone, and whose other resources have to be released before they are removed.

use juju_core::{Life, MachineId, ModelUuid};
use serde::{Deserialize, Serialize};

use super::{get, remove};
use crate::{Doc, Error, Key, Model, Prefix, Result, Tx, V, model, watch, watch::Watcher};

/// Says that the machine's instance is gone.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RemovalDoc {
    v: V<1>,
}

impl Doc for RemovalDoc {
    const KIND: &'static str = "machine removal";
}

fn prefix(m: &ModelUuid) -> Prefix<RemovalDoc> {
    model::prefix_in(m, "removal/")
}

fn key(m: &ModelUuid, id: &MachineId) -> Key<RemovalDoc> {
    model::key_in(m, format_args!("removal/{id}"))
}

pub(super) fn delete(tx: &Tx, m: &ModelUuid, id: &MachineId) {
    key(m, id).delete(tx);
}

impl Model {
    /// Says that the instances of these dead machines are gone.
    pub async fn mark_machines_for_removal(&self, ids: &[MachineId]) -> Result<()> {
        for id in ids {
            let mark = async |tx: Tx| {
                let m = self.uuid();
                if get(&tx, m, id).await?.life != Life::Dead {
                    return Err(Error::NotSupported(format!(
                        "cannot remove machine {id}: machine is not dead"
                    )));
                }
                key(m, id).put(&tx, &RemovalDoc { v: V })
            };
            self.transact(mark).await?;
        }
        Ok(())
    }

    /// The machines that were marked and are still there.
    pub fn machine_removals(&self) -> Vec<MachineId> {
        prefix(self.uuid()).read_names(&self.image()).filter_map(|it| it.parse().ok()).collect()
    }

    /// Removes machines that were marked; others are left alone.
    pub async fn complete_machine_removals(&self, ids: &[MachineId]) -> Result<()> {
        for id in ids {
            let complete = async |tx: Tx| match key(self.uuid(), id).exists(&tx).await? {
                true => remove(&tx, self.uuid(), id).await,
                false => Ok(()),
            };
            self.transact(complete).await?;
        }
        Ok(())
    }

    /// Tells when machines are marked or removed.
    pub fn watch_machine_removals(&self) -> Result<Watcher<()>> {
        watch::notify(self.view(), juju_store::Interest::prefix(prefix(self.uuid()).path()))
    }
}
