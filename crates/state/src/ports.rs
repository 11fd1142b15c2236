//! The ports that units have open. They stand by machine, since two units of one machine cannot have the same.

use std::sync::Arc;

use juju_core::{MachineId, ModelUuid, PortRange, UnitName, UnitPorts, ports::find_conflict};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V, application, charm, model, unit,
    watch::{self, Watcher},
};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PortsDoc {
    pub v: V<1>,
    pub ports: UnitPorts,
}

impl Doc for PortsDoc {
    const KIND: &'static str = "ports";
}

/// A range to be opened or closed, for one endpoint or, where it is empty, for all.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointPorts {
    pub endpoint: String,
    pub range: PortRange,
}

/// A machine's id as one part of a key, so that a container's ports do not stand below its host's.
fn segment(id: &MachineId) -> String {
    id.as_str().replace('/', ".")
}

fn on_machine(m: &ModelUuid, id: &MachineId) -> Prefix<PortsDoc> {
    model::prefix_in(m, format_args!("ports/{}/", segment(id)))
}

pub(crate) fn prefix(m: &ModelUuid) -> Prefix<PortsDoc> {
    model::prefix_in(m, "ports/")
}

fn key(m: &ModelUuid, id: &MachineId, name: &UnitName) -> Key<PortsDoc> {
    model::key_in(m, format_args!("ports/{}/{name}", segment(id)))
}

/// What each unit of the machine has open.
pub fn read(image: &Image, m: &ModelUuid, id: &MachineId) -> Result<Vec<(UnitName, Arc<PortsDoc>)>> {
    let prefix = on_machine(m, id);
    prefix.read(image).map(|it| it.and_then(|(name, doc)| Ok((parse(name)?, doc)))).collect()
}

/// What one unit has open.
pub fn of_unit(image: &Image, m: &ModelUuid, id: &MachineId, name: &UnitName) -> Result<UnitPorts> {
    Ok(key(m, id, name).read(image)?.map(|it| it.ports.clone()).unwrap_or_default())
}

fn parse(name: &str) -> Result<UnitName> {
    name.parse().map_err(|_| Error::Damaged(format!("ports stand at {name:?}")))
}

/// Opens and closes ranges of a unit.
pub(crate) async fn change(
    tx: &Tx,
    m: &ModelUuid,
    name: &UnitName,
    open: &[EndpointPorts],
    close: &[EndpointPorts],
) -> Result<()> {
    if open.is_empty() && close.is_empty() {
        return Ok(());
    }
    let unit = unit::get(tx, m, name).await?;
    let Some(machine) = unit::machine_of(tx, m, &unit).await? else {
        return Err(Error::NotAssigned(name.to_string()));
    };
    let application = application::get(tx, m, name.app()).await?;
    let charm = charm::get(tx, m, unit.charm_url.as_ref().unwrap_or(&application.charm_url)).await?;
    let endpoints = charm::endpoints(&charm, name.app());
    let endpoints: Vec<&str> = endpoints.iter().map(|it| it.name.as_str()).collect();
    for wanted in open.iter().chain(close) {
        let endpoint = wanted.endpoint.as_str();
        if !endpoint.is_empty() && !endpoints.contains(&endpoint) {
            return Err(Error::NotFound(format!(
                "open port range: endpoint {endpoint:?} for application \"{}\"",
                name.app()
            )));
        }
    }
    let mut all = Vec::new();
    for (other, doc) in on_machine(m, &machine).list(tx).await? {
        all.push((parse(&other)?, doc.ports.clone()));
    }
    let own = all.iter().position(|(it, _)| it == name);
    let mut ports = own.map(|at| all.swap_remove(at).1).unwrap_or_default();
    for EndpointPorts { endpoint, range } in close {
        ports.close(endpoint, *range, &endpoints);
    }
    for EndpointPorts { endpoint, range } in open {
        let others = all.iter().map(|(name, ports)| (name, ports)).chain([(name, &ports)]);
        if let Some(conflict) = find_conflict(name, *range, others) {
            return Err(Error::not_valid(conflict.to_string()));
        }
        ports.open(endpoint, *range);
    }
    let key = key(m, &machine, name);
    if ports.is_empty() {
        key.delete(tx);
        return Ok(());
    }
    key.put(tx, &PortsDoc { v: V, ports })
}

/// Closes all of a unit that goes.
pub(crate) fn forget_unit(tx: &Tx, m: &ModelUuid, id: &MachineId, name: &UnitName) {
    key(m, id, name).delete(tx);
}

/// Closes all on a machine that goes.
pub(crate) async fn forget_machine(tx: &Tx, m: &ModelUuid, id: &MachineId) -> Result<()> {
    let prefix = on_machine(m, id);
    for name in prefix.names(tx).await? {
        tx.txn.delete(format!("{}{name}", prefix.path()));
    }
    Ok(())
}

impl Model {
    /// What each unit of the machine has open.
    pub fn ports(&self, id: &MachineId) -> Result<Vec<(UnitName, Arc<PortsDoc>)>> {
        read(&self.image(), self.uuid(), id)
    }

    pub async fn change_ports(
        &self,
        name: &UnitName,
        open: &[EndpointPorts],
        close: &[EndpointPorts],
    ) -> Result<()> {
        self.transact(async |tx| change(&tx, self.uuid(), name, open, close).await).await
    }

    /// Reports the machines on which something is opened or closed.
    pub fn watch_ports(&self) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let prefix = prefix(self.uuid());
        let path = prefix.path().to_owned();
        let machine = move |key: &str| {
            let (machine, _) = prefix.name_in(key)?.split_once('/')?;
            Some(machine.replace('.', "/"))
        };
        watch::names(self.view(), &path, true, machine)
    }
}
