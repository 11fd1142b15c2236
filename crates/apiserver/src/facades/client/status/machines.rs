//! Machines, each with the containers in it.

use std::collections::BTreeMap;

use juju_core::{MachineId, network::Scope, status::machine_display};
use juju_state::{
    agent::{self, Agent},
    constraints,
    machine::{self, MachineDoc},
    status::StatusOf,
};
use juju_wire::facade::client::MachineStatus;

use super::{detailed, filter::Kept, shown_life, snapshot::Snapshot};
use crate::{Result, convert};

/// What stands for an instance's id as long as there is none.
const NO_INSTANCE: &str = "pending";

pub(super) fn shown(all: &Snapshot, kept: &Kept) -> Result<BTreeMap<String, MachineStatus>> {
    let mut shown: BTreeMap<MachineId, MachineStatus> = BTreeMap::new();
    for doc in all.machines.iter().filter(|it| kept.machines.contains(&it.id)) {
        shown.insert(doc.id.clone(), one(all, doc)?);
    }
    // The innermost go into those around them first: a host's id is less than those of its containers.
    let mut tops = BTreeMap::new();
    while let Some((id, status)) = shown.pop_last() {
        match id.parent().and_then(|it| shown.get_mut(&it)) {
            Some(host) => host.containers.insert(id.to_string(), status),
            None => tops.insert(id.to_string(), status),
        };
    }
    Ok(tops)
}

fn one(all: &Snapshot, doc: &MachineDoc) -> Result<MachineStatus> {
    let (image, m, id) = (&all.image, all.handle.uuid(), &doc.id);
    let said = all.status(&StatusOf::Machine(id.clone()))?;
    let mut agent_status = detailed(&machine_display(&said, doc.life, all.presence(id)));
    agent_status.life = shown_life(doc.life);
    let binary = agent::version(image, m, &Agent::Machine(id.clone()))?;
    agent_status.version = binary.map(|it| it.number.to_string()).unwrap_or_default();

    let instance = machine::read_instance(image, m, id)?;
    let addresses = all.addresses(id)?;
    let known = addresses.all();
    let seen = known.iter().filter(|it| !matches!(it.scope, Scope::LocalMachine | Scope::LinkLocal));
    let ip_addresses: Vec<String> = seen.map(|it| it.value.clone()).collect();
    let preferred =
        addresses.public.as_ref().or(addresses.private.as_ref()).map(|it| it.address.value.clone());
    let node = all.nodes.iter().find(|it| it.machine == *id);
    let several = all.nodes.len() > 1;
    Ok(MachineStatus {
        id: id.to_string(),
        agent_status,
        instance_status: detailed(&all.status(&StatusOf::Instance(id.clone()))?),
        modification_status: detailed(&all.status(&StatusOf::Modification(id.clone()))?),
        base: convert::base_to_wire(&doc.base),
        hostname: machine::read_host(image, m, id)?.hostname.clone(),
        dns_name: preferred.or_else(|| ip_addresses.first().cloned()).unwrap_or_default(),
        ip_addresses,
        instance_id: instance.as_ref().map_or(NO_INSTANCE, |it| &it.instance_id).to_owned(),
        display_name: instance.as_ref().map(|it| it.display_name.clone()).unwrap_or_default(),
        hardware: instance.as_ref().map(|it| convert::hardware_text(&it.hardware)).unwrap_or_default(),
        constraints: constraints::read(image, m, constraints::Of::Machine(id))?.to_string(),
        jobs: doc.jobs.iter().map(|it| it.as_str().to_owned()).collect(),
        has_vote: node.is_some_and(|it| it.has_vote),
        wants_vote: node.is_some_and(|it| it.wants_vote),
        // With one store there is one that has it open; it is said only where there are others.
        primary_controller_machine: several && all.nodes.first().is_some_and(|it| it.machine == *id),
        ..MachineStatus::default()
    })
}
