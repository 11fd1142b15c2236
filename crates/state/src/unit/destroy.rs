//! The end of a unit: it is told to go, leaves its relations, its agent says that it is dead, and then it is removed.

use juju_core::{Life, ModelUuid, Status, UnitName};

use super::{UnitDoc, assign, find, forget_constraints, get, key, machine_of, memory, put, workload_version};
use crate::{
    Error, Model, Result, Tx,
    agent::{self, Agent},
    application, charm,
    cleanup::{self, How, Work},
    commit, lease, machine, ports,
    relation::{
        self,
        scope::{self, Each},
    },
    status::{self, StatusOf},
};

/// How many relations a unit leaves in the transaction that removes it. Where there are more, each is left in one of
/// its own.
const RELATIONS_AT_ONCE: usize = 3;

/// Tells a unit to go. One whose agent has not begun has nothing to do any more and is removed at once.
pub(crate) async fn destroy(tx: &Tx, m: &ModelUuid, name: &UnitName, how: How) -> Result<()> {
    let unit = get(tx, m, name).await?;
    if how.force {
        cleanup::queue_after(tx, m, how, Work::ForceDestroyUnit { unit: name.clone(), how })?;
    }
    if unit.life != Life::Alive {
        return Ok(());
    }
    if unit.subordinates.is_empty() && !has_begun(tx, m, &unit).await? {
        if relation::of_application(m, name.app()).names(tx).await?.len() > RELATIONS_AT_ONCE {
            put(tx, m, &UnitDoc { life: Life::Dead, ..UnitDoc::clone(&unit) })?;
            return cleanup::queue(tx, m, Work::ForceRemoveUnit { unit: name.clone() });
        }
        scope::leave_all(tx, m, &unit).await?;
        return remove_now(tx, m, &unit).await;
    }
    put(tx, m, &UnitDoc { life: Life::Dying, ..UnitDoc::clone(&unit) })?;
    cleanup::queue(tx, m, Work::DyingUnit { unit: name.clone(), how })
}

async fn has_begun(tx: &Tx, m: &ModelUuid, unit: &UnitDoc) -> Result<bool> {
    if machine_of(tx, m, unit).await?.is_none() {
        return Ok(false);
    }
    let agent = status::get(tx, m, &StatusOf::Agent(unit.name.clone())).await?;
    Ok(agent.info.status != Status::Allocating)
}

/// Says that the unit has done all that it had to: its agent does.
async fn ensure_dead(tx: &Tx, m: &ModelUuid, name: &UnitName) -> Result<()> {
    let unit = get(tx, m, name).await?;
    if unit.life == Life::Dead {
        return Ok(());
    }
    if !unit.subordinates.is_empty() {
        return Err(Error::UnitHasSubordinates);
    }
    put(tx, m, &UnitDoc { life: Life::Dead, ..UnitDoc::clone(&unit) })
}

/// Removes the unit, which has left its relations, and all that is known of it. The last unit of a dying application
/// takes that along, the last unit on a machine the machine.
async fn remove_now(tx: &Tx, m: &ModelUuid, unit: &UnitDoc) -> Result<()> {
    let name = &unit.name;
    let machine = machine_of(tx, m, unit).await?;
    lease::drop_leadership(tx, m, name).await?;
    if let Some(principal) = &unit.principal
        && let Some(principal) = find(tx, m, principal).await?
    {
        let mut principal = UnitDoc::clone(&principal);
        principal.subordinates.remove(name);
        put(tx, m, &principal)?;
    }
    key(m, name).delete(tx);
    if let Some(machine) = &machine {
        ports::forget_unit(tx, m, machine, name);
        if unit.principal.is_none() {
            machine::release(tx, m, machine, name).await?;
        }
    }
    if let Some(url) = &unit.charm_url {
        charm::give_for_unit(tx, m, url, name).await?;
    }
    assign::unstage(tx, m, name);
    memory::delete(tx, m, name);
    commit::forget(tx, m, name);
    workload_version::delete(tx, m, name);
    forget_constraints(tx, m, name);
    agent::forget(tx, m, &Agent::Unit(name.clone()));
    status::delete(tx, m, &StatusOf::Agent(name.clone()));
    status::delete(tx, m, &StatusOf::Workload(name.clone()));
    if tx.is_crowded() {
        return cleanup::queue(tx, m, Work::LeftApplication { application: name.app().clone() });
    }
    application::remove_if_left(tx, m, name.app()).await
}

/// Lets others see a dying unit gone from its relations.
pub(crate) async fn clean_dying(model: &Model, name: UnitName, how: How) -> Result<()> {
    tracing::debug!(unit = %name, ?how, "a unit is dying");
    scope::in_each(model, &name, Each::Depart).await
}

/// Takes down a unit that did not go by itself in time, its subordinates first.
pub(crate) async fn force_destroy(model: &Model, name: UnitName, how: How) -> Result<()> {
    let m = model.uuid();
    let Some(unit) = key(m, &name).read(&model.image())? else { return Ok(()) };
    for subordinate in unit.subordinates.clone() {
        Box::pin(force_destroy(model, subordinate, how)).await?;
    }
    if !kill(model, &name).await? {
        return Ok(());
    }
    scope::in_each(model, &name, Each::Leave).await?;
    let finish =
        async |tx: Tx| cleanup::queue_after(&tx, m, how, Work::ForceRemoveUnit { unit: name.clone() });
    model.transact(finish).await
}

/// Sets the unit dead, whatever it says; answers whether it is there. From then on it enters no relation.
async fn kill(model: &Model, name: &UnitName) -> Result<bool> {
    let m = model.uuid();
    let kill = async |tx: Tx| {
        let Some(unit) = find(&tx, m, name).await? else { return Ok(false) };
        if unit.life != Life::Dead {
            put(&tx, m, &UnitDoc { life: Life::Dead, ..UnitDoc::clone(&unit) })?;
        }
        Ok(true)
    };
    model.transact(kill).await
}

/// Removes a unit that was forced to die and that nobody has removed.
pub(crate) async fn force_remove(model: &Model, name: UnitName) -> Result<()> {
    let Some(unit) = key(model.uuid(), &name).read(&model.image())? else { return Ok(()) };
    for subordinate in unit.subordinates.clone() {
        Box::pin(force_remove(model, subordinate)).await?;
    }
    if kill(model, &name).await? { remove(model, &name).await } else { Ok(()) }
}

/// Removes a dead unit: who deployed it does, once its agent is stopped. What relations it still is in it leaves first,
/// each in a transaction of its own; being dead it cannot enter another.
async fn remove(model: &Model, name: &UnitName) -> Result<()> {
    let m = model.uuid();
    match key(m, name).read(&model.image())? {
        None => return Ok(()),
        Some(unit) if unit.life != Life::Dead => {
            return Err(Error::NotSupported(format!("cannot remove unit \"{name}\": unit is not dead")));
        }
        Some(_) => scope::in_each(model, name, Each::Leave).await?,
    }
    let finish = async |tx: Tx| match find(&tx, m, name).await? {
        Some(unit) => remove_now(&tx, m, &unit).await,
        None => Ok(()),
    };
    model.transact(finish).await
}

/// Takes a unit away with its subordinates, without waiting for anyone: its machine is being taken down.
pub(crate) async fn obliterate(model: &Model, name: UnitName) -> Result<()> {
    force_remove(model, name).await
}

impl Model {
    pub async fn destroy_unit(&self, name: &UnitName, how: How) -> Result<()> {
        self.transact(async |tx| destroy(&tx, self.uuid(), name, how).await).await
    }

    /// Tells all subordinates of a unit to go.
    pub async fn destroy_subordinates(&self, name: &UnitName) -> Result<()> {
        let destroy_all = async |tx: Tx| {
            for subordinate in &get(&tx, self.uuid(), name).await?.subordinates {
                destroy(&tx, self.uuid(), subordinate, How::GENTLY).await?;
            }
            Ok(())
        };
        self.transact(destroy_all).await
    }

    pub async fn ensure_unit_dead(&self, name: &UnitName) -> Result<()> {
        self.transact(async |tx| ensure_dead(&tx, self.uuid(), name).await).await
    }

    /// Removes a dead unit; one that is gone is removed already.
    pub async fn remove_unit(&self, name: &UnitName) -> Result<()> {
        remove(self, name).await
    }
}
