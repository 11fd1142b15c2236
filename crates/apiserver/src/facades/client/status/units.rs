//! Units, each with its subordinates.

use std::collections::BTreeMap;

use juju_state::{
    agent::{self, Agent},
    application::ApplicationDoc,
};
use juju_wire::facade::client::UnitStatus;

use super::{
    detailed,
    filter::Kept,
    shown_life,
    snapshot::{Snapshot, Unit},
};
use crate::Result;

/// The units of an application, by name.
pub(super) fn shown(
    all: &Snapshot,
    doc: &ApplicationDoc,
    kept: &Kept,
) -> Result<BTreeMap<String, UnitStatus>> {
    let units = all.units_of(&doc.name).filter(|it| kept.units.contains(&it.doc.name));
    units.map(|it| Ok((it.doc.name.to_string(), one(all, it, kept)?))).collect()
}

fn one(all: &Snapshot, unit: &Unit, kept: &Kept) -> Result<UnitStatus> {
    let (image, m, name) = (&all.image, all.handle.uuid(), &unit.doc.name);
    let shown = unit.shown(all.presence(name));
    let mut agent_status = detailed(&shown.agent);
    agent_status.life = shown_life(unit.doc.life);
    let binary = agent::version(image, m, &Agent::Unit(name.clone()))?;
    agent_status.version = binary.map(|it| it.number.to_string()).unwrap_or_default();
    let public_address = match &unit.machine {
        Some(id) => all.addresses(id)?.public.as_ref().map(|it| it.address.value.clone()),
        None => None,
    };
    let application = all.applications.get(name.app());
    let charm = unit.doc.charm_url.as_ref().filter(|it| application.is_none_or(|app| app.charm_url != **it));
    let mut subordinates = BTreeMap::new();
    for subordinate in unit.doc.subordinates.iter().filter(|it| kept.units.contains(*it)) {
        if let Some(it) = all.units.get(subordinate) {
            subordinates.insert(subordinate.to_string(), one(all, it, kept)?);
        }
    }
    let machine = if unit.doc.principal.is_none() { unit.machine.as_ref() } else { None };
    Ok(UnitStatus {
        agent_status,
        workload_status: detailed(&shown.workload),
        // One that went meanwhile has none any more.
        workload_version: all.handle.workload_version(name).unwrap_or_default(),
        machine: machine.map(ToString::to_string).unwrap_or_default(),
        opened_ports: unit.ports.iter().map(ToString::to_string).collect(),
        public_address: public_address.unwrap_or_default(),
        charm: charm.map(ToString::to_string).unwrap_or_default(),
        subordinates,
        leader: all.leaders.get(name.app().as_str()) == Some(name),
        ..UnitStatus::default()
    })
}
