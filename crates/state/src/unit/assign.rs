//! Putting units on machines: each new unit is staged, and assigned when the unit assigner comes by.

use juju_core::{Base, Constraints, ContainerType, Life, MachineId, ModelUuid, Placement, UnitName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use super::{UnitDoc, add::StoredPlacement, get, put};
use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V, application, constraints,
    machine::{self, Hardware, Job, MachineDoc, NewMachine},
    model,
    watch::{self, Watcher},
};

/// That a unit waits for a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssignmentDoc {
    pub v: V<1>,
    /// Where it was told to go. Any clean and empty machine does where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<StoredPlacement>,
}

impl Doc for AssignmentDoc {
    const KIND: &'static str = "unit assignment";
}

fn prefix(m: &ModelUuid) -> Prefix<AssignmentDoc> {
    model::prefix_in(m, "assign/")
}

fn key(m: &ModelUuid, name: &UnitName) -> Key<AssignmentDoc> {
    model::key_in(m, format_args!("assign/{name}"))
}

/// Lets a new unit wait for a machine.
pub(super) fn stage(
    tx: &Tx,
    m: &ModelUuid,
    name: &UnitName,
    placement: Option<StoredPlacement>,
) -> Result<()> {
    key(m, name).put(tx, &AssignmentDoc { v: V, placement })
}

pub(super) fn unstage(tx: &Tx, m: &ModelUuid, name: &UnitName) {
    key(m, name).delete(tx);
}

/// Assigns a staged unit. `image` is where machines are looked for; what is found is looked at again.
async fn assign(tx: &Tx, m: &ModelUuid, image: &Image, name: &UnitName) -> Result<MachineId> {
    let unit = get(tx, m, name).await?;
    if let Some(machine) = &unit.machine {
        unstage(tx, m, name);
        return Ok(machine.clone());
    }
    let staged = key(m, name).get(tx).await?;
    let staged = staged.ok_or_else(|| Error::NotFound(format!("unit assignment for \"{name}\"")))?;
    if unit.life != Life::Alive {
        return Err(Error::NotSupported(format!(
            "cannot assign unit \"{name}\" to machine: unit is not alive"
        )));
    }
    let application = application::get(tx, m, name.app()).await?;
    let cons = constraints::get(tx, m, constraints::Of::Unit(name)).await?;
    let id = match &staged.placement {
        Some(placement) => place(tx, m, placement, &application.base, &cons).await?,
        None => find_or_add(tx, m, image, &application.base, &cons).await?,
    };
    put_on(tx, m, &unit, &id).await?;
    Ok(id)
}

/// The machine that a placement means, added if it is to be.
async fn place(
    tx: &Tx,
    m: &ModelUuid,
    placement: &StoredPlacement,
    base: &Base,
    cons: &Constraints,
) -> Result<MachineId> {
    let StoredPlacement { scope, directive } = placement;
    let new = NewMachine { constraints: cons.clone(), dirty: true, ..NewMachine::new(base.clone()) };
    match Placement::from_parts(scope, directive).map_err(|err| Error::not_valid(err.to_string()))? {
        Placement::Machine(id) => {
            check_machine(&*machine::get(tx, m, &id).await?, base)?;
            Ok(id)
        }
        Placement::Container { kind, host: Some(host) } => {
            machine::add_inside(tx, m, &host, kind.as_str(), &new).await
        }
        Placement::Container { kind, host: None } => machine::add_with_host(tx, m, kind.as_str(), &new).await,
        Placement::Provider { scope, directive } if scope == m.as_str() => {
            machine::add(tx, m, &NewMachine { placement: directive, ..new }).await
        }
        Placement::Provider { scope, .. } => {
            Err(Error::not_valid(format!("placement scope: invalid model UUID {scope:?}")))
        }
    }
}

/// Whether units of this base may be put on the machine.
pub(crate) fn check_machine(machine: &MachineDoc, base: &Base) -> Result<()> {
    let id = &machine.id;
    if machine.life != Life::Alive {
        return Err(Error::NotAlive(format!("machine {id}")));
    }
    if !machine.base.is_compatible(base) {
        return Err(Error::NotSupported(format!(
            "base does not match: unit has {:?}, machine has {:?}",
            base.display(),
            machine.base.display()
        )));
    }
    if !machine.jobs.contains(&Job::HostUnits) {
        return Err(Error::NotSupported(format!("machine \"{id}\" cannot host units")));
    }
    Ok(())
}

/// A machine on which nothing ever was, or a new one.
async fn find_or_add(
    tx: &Tx,
    m: &ModelUuid,
    image: &Image,
    base: &Base,
    cons: &Constraints,
) -> Result<MachineId> {
    let new = NewMachine { constraints: cons.clone(), dirty: true, ..NewMachine::new(base.clone()) };
    let container = cons.container.as_deref().filter(|it| !it.is_empty() && *it != "none");
    if let Some(kind) = container {
        let kind: ContainerType =
            kind.parse().map_err(|_| Error::not_valid(format!("invalid container type {kind:?}")))?;
        return machine::add_with_host(tx, m, kind.as_str(), &new).await;
    }
    for id in clean_machines(image, m, base, cons)? {
        // It may have been taken since the image was made, by this transaction's rivals or by a part of it.
        let machine = machine::get(tx, m, &id).await?;
        if is_clean(&machine, base) {
            return Ok(id);
        }
    }
    machine::add(tx, m, &new).await
}

fn is_clean(machine: &MachineDoc, base: &Base) -> bool {
    machine.clean
        && machine.principals.is_empty()
        && !machine.is_controller()
        && check_machine(machine, base).is_ok()
}

/// The clean machines that meet the constraints, in order.
fn clean_machines(image: &Image, m: &ModelUuid, base: &Base, cons: &Constraints) -> Result<Vec<MachineId>> {
    let machines = machine::all(image, m)?;
    let hosts: Vec<MachineId> = machines.iter().filter_map(|it| it.id.parent()).collect();
    let mut found = Vec::new();
    for machine in machines {
        let empty = !machine.id.is_container() && !hosts.contains(&machine.id);
        if !empty || !is_clean(&machine, base) {
            continue;
        }
        let hardware = machine::read_instance(image, m, &machine.id)?.map(|it| it.hardware.clone());
        if meets(hardware.as_ref(), cons) {
            found.push(machine.id.clone());
        }
    }
    Ok(found)
}

/// Whether a machine of this hardware meets the constraints. Of one that is not there yet nothing is known, so that it
/// meets only those that ask for nothing.
fn meets(hardware: Option<&Hardware>, cons: &Constraints) -> bool {
    let asks = |it: Option<u64>| it.filter(|it| *it > 0);
    let at_least = |has: Option<u64>, wants: Option<u64>| {
        asks(wants).is_none_or(|wants| has.is_some_and(|it| it >= wants))
    };
    let equal = |has: Option<&String>, wants: Option<&String>| {
        wants.filter(|it| !it.is_empty()).is_none_or(|wants| has == Some(wants))
    };
    let unknown = Hardware::default();
    let hardware = hardware.unwrap_or(&unknown);
    at_least(hardware.mem, cons.mem)
        && at_least(hardware.cores, cons.cores)
        && at_least(hardware.cpu_power, cons.cpu_power)
        && at_least(hardware.root_disk, cons.root_disk)
        && equal(hardware.arch.as_ref(), cons.arch.as_ref())
        && equal(hardware.virt_type.as_ref(), cons.virt_type.as_ref())
        && cons.tags.iter().flatten().all(|wants| hardware.tags.iter().flatten().any(|it| it == wants))
        && cons.instance_type.as_ref().is_none_or(String::is_empty)
        && cons.zones.as_ref().is_none_or(|zones| {
            zones.is_empty() || hardware.availability_zone.as_ref().is_some_and(|it| zones.contains(it))
        })
}

/// Puts the unit on the machine, which is clean no more.
async fn put_on(tx: &Tx, m: &ModelUuid, unit: &UnitDoc, id: &MachineId) -> Result<()> {
    let mut machine = MachineDoc::clone(&*machine::get(tx, m, id).await?);
    machine.principals.insert(unit.name.clone());
    machine.clean = false;
    machine::put(tx, m, &machine)?;
    unstage(tx, m, &unit.name);
    put(tx, m, &UnitDoc { machine: Some(id.clone()), ..unit.clone() })
}

impl Model {
    /// Assigns a staged unit to a machine.
    pub async fn assign_unit(&self, name: &UnitName) -> Result<MachineId> {
        self.transact(async |tx| assign(&tx, self.uuid(), &self.image(), name).await).await
    }

    /// The units that wait for machines.
    pub fn staged_units(&self) -> Vec<UnitName> {
        prefix(self.uuid()).read_names(&self.image()).filter_map(|it| it.parse().ok()).collect()
    }

    /// Reports units that begin to wait for a machine.
    pub fn watch_staged_units(&self) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let prefix = prefix(self.uuid());
        let path = prefix.path().to_owned();
        watch::names(self.view(), &path, false, move |key| prefix.name_in(key).map(str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardware_meets_constraints() {
        let hardware = Hardware {
            arch: Some("amd64".into()),
            mem: Some(4096),
            cores: Some(2),
            availability_zone: Some("a".into()),
            tags: Some(vec!["fast".into()]),
            ..Hardware::default()
        };
        for (cons, known, unknown) in [
            ("", true, true),
            ("mem=4G", true, false),
            ("mem=8G", false, false),
            ("mem=", true, true),
            ("arch=amd64 cores=2", true, false),
            ("arch=arm64", false, false),
            ("zones=a,b", true, false),
            ("zones=b", false, false),
            ("zones=", true, true),
            ("tags=fast", true, false),
            ("tags=big", false, false),
            ("instance-type=m1", false, false),
        ] {
            let constraints: Constraints = cons.parse().unwrap();
            assert_eq!(meets(Some(&hardware), &constraints), known, "{cons}");
            assert_eq!(meets(None, &constraints), unknown, "{cons}");
        }
    }
}
