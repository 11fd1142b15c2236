//! The end of an application: its relations and units go first, and the last of them takes it along.

use juju_core::{ApplicationName, Life, ModelUuid};

use super::{ApplicationDoc, config, get, key, put};
use crate::{
    Error, Model, Result, Tx, bindings, charm,
    cleanup::{self, How, Work},
    constraints,
    lease::LeaseId,
    relation,
    status::{self, StatusOf},
    unit,
};

use super::leader_settings;

/// How many relations are ended in the transaction that tells an application to go. The others are left to the
/// cleanup of its units.
const RELATIONS_AT_ONCE: usize = 2;

/// Tells an application to go. One without units and relations goes at once.
pub(crate) async fn destroy(tx: &Tx, m: &ModelUuid, name: &ApplicationName, how: How) -> Result<()> {
    let application = get(tx, m, name).await?;
    if application.life == Life::Alive {
        put(tx, m, &ApplicationDoc { life: Life::Dying, ..ApplicationDoc::clone(&application) })?;
    } else if !how.force {
        return Ok(());
    }
    cleanup::queue(tx, m, Work::Units { application: name.clone(), how })?;
    if how.force {
        cleanup::queue_after(tx, m, how, Work::Application { application: name.clone() })?;
    }
    if relation::of_application(m, name).names(tx).await?.len() <= RELATIONS_AT_ONCE {
        relation::destroy_all_of(tx, m, name, how).await?;
    }
    remove_if_left(tx, m, name).await
}

/// Removes a dying application that has no units and no relations left. One that is not dying stays.
pub(crate) async fn remove_if_left(tx: &Tx, m: &ModelUuid, name: &ApplicationName) -> Result<()> {
    let Some(application) = key(m, name).get(tx).await? else { return Ok(()) };
    if application.life == Life::Alive
        || !relation::of_application(m, name).is_empty(tx).await?
        || !unit::of_application(m, name).is_empty(tx).await?
    {
        return Ok(());
    }
    key(m, name).delete(tx);
    status::delete(tx, m, &StatusOf::Application(name.clone()));
    constraints::delete(tx, m, constraints::Of::Application(name));
    bindings::delete(tx, m, name);
    config::forget(tx, m, name);
    leader_settings::delete(tx, m, name);
    LeaseId::leadership(m, name).key().delete(tx);
    charm::give(tx, m, &application.charm_url, name)
}

/// Ends the relations and units of a dying application, each in a transaction of its own.
pub(crate) async fn clean_units(model: &Model, name: ApplicationName, how: How) -> Result<()> {
    let m = model.uuid();
    for relation in relation::read_of(&model.image(), m, &name)? {
        let end = async |tx: Tx| match relation::destroy(&tx, m, relation.id, how, true).await {
            Err(err) if err.is_not_found() => Ok(()),
            other => other,
        };
        model.transact(end).await?;
    }
    for unit in unit::read_of(&model.image(), m, &name)? {
        if unit.life != Life::Alive && !how.force {
            continue;
        }
        let end = async |tx: Tx| match unit::destroy(&tx, m, &unit.name, how).await {
            Err(err) if err.is_not_found() => Ok(()),
            other => other,
        };
        model.transact(end).await?;
    }
    Ok(())
}

/// Removes a dying application that its last unit may have left.
pub(crate) async fn clean_left(model: &Model, name: ApplicationName) -> Result<()> {
    model.transact(async |tx| remove_if_left(&tx, model.uuid(), &name).await).await
}

/// Removes what is left of a dying application. While units or relations are left, the work stays queued.
pub(crate) async fn clean(model: &Model, name: ApplicationName) -> Result<()> {
    let m = model.uuid();
    let finish = async |tx: Tx| {
        remove_if_left(&tx, m, &name).await?;
        match key(m, &name).get(&tx).await? {
            Some(it) if it.life != Life::Alive => {
                Err(Error::TryAgain(format!("application \"{name}\" still has units or relations")))
            }
            _ => Ok(()),
        }
    };
    model.transact(finish).await
}

impl Model {
    pub async fn destroy_application(&self, name: &ApplicationName, how: How) -> Result<()> {
        self.transact(async |tx| destroy(&tx, self.uuid(), name, how).await).await
    }

    /// Fails unless the application can be destroyed, for those who only ask.
    pub fn check_destroy_application(&self, name: &ApplicationName) -> Result<()> {
        let application = self.application(name)?;
        if self.doc()?.is_controller && application.name == "controller" {
            return Err(Error::NotSupported("removing the controller application".into()));
        }
        Ok(())
    }
}
