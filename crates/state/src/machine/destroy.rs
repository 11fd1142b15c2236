//! The end of a machine: it is told to go, its agent or its provider says that it is dead, and then it is removed.

use std::collections::BTreeSet;

use juju_core::{Life, MachineId, ModelUuid, UnitName};

use super::{Job, MachineDoc, containers, get, host, instance, put, reboot, removal};
use crate::{
    Error, Model, Result, Tx, address, agent,
    agent::Agent,
    application,
    cleanup::{self, How, Work},
    constraints, network, ports,
    status::{self, StatusOf},
    unit,
};

/// Sets the machine dying. It must have no units that live, and no containers; with force those go first, in
/// their own time, and then whatever is left is taken down.
pub(crate) async fn destroy(tx: &Tx, m: &ModelUuid, id: &MachineId, how: How) -> Result<()> {
    let machine = get(tx, m, id).await?;
    if how.force {
        if machine.is_controller() {
            return Err(Error::IsController(format!("machine {id}")));
        }
        if !machine.force_destroyed {
            put(tx, m, &MachineDoc { force_destroyed: true, ..MachineDoc::clone(&machine) })?;
        }
        return cleanup::queue(tx, m, Work::ForceDestroyMachine { machine: id.clone(), how });
    }
    if machine.life != Life::Alive {
        return Ok(());
    }
    check_may_go(tx, m, &machine).await?;
    put(tx, m, &MachineDoc { life: Life::Dying, ..MachineDoc::clone(&machine) })?;
    cleanup::queue(tx, m, Work::DyingMachine { machine: id.clone(), how })
}

async fn check_may_go(tx: &Tx, m: &ModelUuid, machine: &MachineDoc) -> Result<()> {
    let id = &machine.id;
    if machine.is_controller() {
        return Err(Error::IsController(format!("machine {id}")));
    }
    check_no_containers(tx, m, id).await?;
    for name in &machine.principals {
        let lives = match unit::find(tx, m, name).await? {
            Some(it) => it.life == Life::Alive,
            None => false,
        };
        if lives && application::get(tx, m, name.app()).await?.life == Life::Alive {
            return Err(has_unit(id, name));
        }
    }
    Ok(())
}

async fn check_no_containers(tx: &Tx, m: &ModelUuid, id: &MachineId) -> Result<()> {
    let inside = containers(m, id).names(tx).await?;
    if inside.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = inside.iter().map(|it| format!("{id}/{it}")).collect();
    Err(Error::HasContainers { machine: id.to_string(), containers: names.join(",") })
}

fn has_unit(id: &MachineId, unit: &UnitName) -> Error {
    Error::HasAssignedUnits { machine: id.to_string(), unit: unit.to_string() }
}

/// Sets the machine dead: nothing is on it any more. Its agent does this, or the provisioner for one that never got an
/// instance.
pub(crate) async fn ensure_dead(tx: &Tx, m: &ModelUuid, id: &MachineId) -> Result<()> {
    let machine = get(tx, m, id).await?;
    if machine.life == Life::Dead {
        return Ok(());
    }
    if machine.is_controller() {
        return Err(Error::IsController(format!("machine {id}")));
    }
    if let Some(unit) = machine.principals.first() {
        return Err(has_unit(id, unit));
    }
    check_no_containers(tx, m, id).await?;
    put(tx, m, &MachineDoc { life: Life::Dead, ..MachineDoc::clone(&machine) })
}

/// Removes a dead machine and all that is known of it.
pub(crate) async fn remove(tx: &Tx, m: &ModelUuid, id: &MachineId) -> Result<()> {
    let machine = get(tx, m, id).await?;
    if machine.life != Life::Dead {
        return Err(Error::NotSupported(format!("cannot remove machine {id}: machine is not dead")));
    }
    super::key(m, id).delete(tx);
    instance::delete(tx, m, id);
    host::delete(tx, m, id);
    removal::delete(tx, m, id);
    reboot::delete(tx, m, id);
    network::delete(tx, m, id);
    address::delete(tx, m, id);
    agent::forget(tx, m, &Agent::Machine(id.clone()));
    constraints::delete(tx, m, constraints::Of::Machine(id));
    for of in
        [StatusOf::Machine(id.clone()), StatusOf::Instance(id.clone()), StatusOf::Modification(id.clone())]
    {
        status::delete(tx, m, &of);
    }
    ports::forget_machine(tx, m, id).await
}

/// Takes note that a principal unit was removed from the machine. The last one takes the machine with it, unless it
/// has other things to do.
pub(crate) async fn release(tx: &Tx, m: &ModelUuid, id: &MachineId, name: &UnitName) -> Result<()> {
    let mut machine = match get(tx, m, id).await {
        Ok(machine) => MachineDoc::clone(&machine),
        // A machine that was forced out may be gone before its units.
        Err(Error::NotFound(_)) => return Ok(()),
        Err(err) => return Err(err),
    };
    machine.principals.remove(name);
    let idle = machine.principals.is_empty() && !machine.is_controller();
    if idle && machine.life == Life::Alive && containers(m, id).is_empty(tx).await? {
        machine.life = Life::Dying;
        cleanup::queue(tx, m, Work::DyingMachine { machine: id.clone(), how: How::GENTLY })?;
    }
    put(tx, m, &machine)
}

/// Sets the machine dying with all that is on it: its model is going. What is on it goes in its own time, and only
/// then is the machine dead.
pub(crate) async fn destroy_with_containers(tx: &Tx, m: &ModelUuid, id: &MachineId) -> Result<()> {
    let mut all = vec![id.clone()];
    for inside in containers(m, id).names(tx).await? {
        all.extend(format!("{id}/{inside}").parse::<MachineId>());
    }
    for id in all {
        let machine = get(tx, m, &id).await?;
        if machine.life == Life::Alive {
            put(tx, m, &MachineDoc { life: Life::Dying, ..MachineDoc::clone(&machine) })?;
        }
    }
    Ok(())
}

/// What a dying machine has that does not go with it.
pub(crate) async fn clean_dying(_model: &Model, machine: MachineId, how: How) -> Result<()> {
    // Storage is what would be detached here.
    tracing::debug!(%machine, ?how, "a machine is dying");
    Ok(())
}

/// Takes the machine down with all its containers and units, and removes it once it has had its time.
pub(crate) async fn force_destroy(model: &Model, id: MachineId, how: How) -> Result<()> {
    let image = model.image();
    let machine = match super::read(&image, model.uuid(), &id) {
        Err(err) if err.is_not_found() => return Ok(()),
        other => other?,
    };
    let inside: BTreeSet<MachineId> = containers(model.uuid(), &id)
        .read_names(&image)
        .filter_map(|it| format!("{id}/{it}").parse().ok())
        .collect();
    // The innermost first.
    for container in inside.into_iter().rev() {
        Box::pin(force_destroy(model, container.clone(), how)).await?;
        force_remove(model, container).await?;
    }
    for unit in &machine.principals {
        unit::obliterate(model, unit.clone()).await?;
    }
    let finish = async |tx: Tx| {
        let m = model.uuid();
        let machine = match get(&tx, m, &id).await {
            Err(err) if err.is_not_found() => return Ok(()),
            other => other?,
        };
        let mut machine = MachineDoc::clone(&machine);
        machine.life = Life::Dead;
        machine.jobs.retain(|it| *it != Job::ManageModel);
        put(&tx, m, &machine)?;
        cleanup::queue_after(&tx, m, how, Work::ForceRemoveMachine { machine: id.clone() })
    };
    model.transact(finish).await
}

/// Removes a machine that was forced to die and that nobody has removed.
pub(crate) async fn force_remove(model: &Model, id: MachineId) -> Result<()> {
    let finish = async |tx: Tx| match remove(&tx, model.uuid(), &id).await {
        Err(err) if err.is_not_found() => Ok(()),
        other => other,
    };
    model.transact(finish).await
}

impl Model {
    pub async fn destroy_machine(&self, id: &MachineId, how: How) -> Result<()> {
        self.transact(async |tx| destroy(&tx, self.uuid(), id, how).await).await
    }

    pub async fn ensure_machine_dead(&self, id: &MachineId) -> Result<()> {
        self.transact(async |tx| ensure_dead(&tx, self.uuid(), id).await).await
    }

    /// Removes a dead machine whose instance is gone.
    pub async fn remove_machine(&self, id: &MachineId) -> Result<()> {
        self.transact(async |tx| remove(&tx, self.uuid(), id).await).await
    }
}
