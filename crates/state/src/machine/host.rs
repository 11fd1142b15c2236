//! What a machine's agent says of the host that it found itself on.

use std::sync::Arc;

use jiff::Timestamp;
use juju_core::{MachineId, ModelUuid};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Key, Model, Result, Tx, V, machine, model, watch, watch::Watcher};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostDoc {
    pub v: V<1>,
    #[serde(default)]
    pub hostname: String,
    /// When the agent last started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// The types of containers that it can hold; not known before the agent has looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containers: Option<Vec<String>>,
}

impl Doc for HostDoc {
    const KIND: &'static str = "host";
}

fn key(m: &ModelUuid, id: &MachineId) -> Key<HostDoc> {
    model::key_in(m, format_args!("host/{id}"))
}

pub fn read(image: &Image, m: &ModelUuid, id: &MachineId) -> Result<Arc<HostDoc>> {
    Ok(key(m, id).read(image)?.unwrap_or_default())
}

pub(super) fn delete(tx: &Tx, m: &ModelUuid, id: &MachineId) {
    key(m, id).delete(tx);
}

/// Whether the machine may be given containers of this type. As long as nobody has looked it may.
pub(super) async fn supports_containers(tx: &Tx, m: &ModelUuid, id: &MachineId, kind: &str) -> Result<bool> {
    let known = key(m, id).get(tx).await?.and_then(|it| it.containers.clone());
    Ok(known.is_none_or(|it| it.iter().any(|it| it == kind)))
}

impl Model {
    pub fn host(&self, id: &MachineId) -> Result<Arc<HostDoc>> {
        read(&self.image(), self.uuid(), id)
    }

    /// Takes note that the agent has started, on a host of this name if it says so.
    pub async fn record_agent_start(&self, id: &MachineId, hostname: Option<&str>) -> Result<()> {
        self.change_host(id, |doc, now| {
            doc.started = Some(now);
            if let Some(hostname) = hostname {
                doc.hostname = hostname.to_owned();
            }
        })
        .await
    }

    pub async fn set_supported_containers(&self, id: &MachineId, kinds: &[String]) -> Result<()> {
        self.change_host(id, |doc, _| doc.containers = Some(kinds.to_vec())).await
    }

    /// Reports machines whose agents have started again.
    pub fn watch_agent_starts(&self) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let prefix = model::prefix_in::<HostDoc>(self.uuid(), "host/");
        let path = prefix.path().to_owned();
        watch::names(self.view(), &path, false, move |key| prefix.name_in(key).map(str::to_owned))
    }

    async fn change_host(&self, id: &MachineId, change: impl Fn(&mut HostDoc, Timestamp)) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            machine::get(&tx, m, id).await?;
            let mut doc = key(m, id).get(&tx).await?.map(|it| HostDoc::clone(&it)).unwrap_or_default();
            change(&mut doc, tx.now);
            key(m, id).put(&tx, &doc)
        };
        self.transact(set).await
    }
}
