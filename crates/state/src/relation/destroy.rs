//! The end of a relation: it dies, its units leave, and the last one takes it along.

use juju_core::{Life, ModelUuid, RelationId};

use super::{RelationDoc, by_key, get, key, list_of, of_application_key, put, scope, settings};
use crate::{
    Error, Model, Result, Tx, application,
    cleanup::{self, How, Work},
    erase,
    status::{self, StatusOf},
    unit,
};

/// Ends the relation: at once if nobody is in it. Peers are related as long as their application is there.
pub(crate) async fn destroy(
    tx: &Tx,
    m: &ModelUuid,
    id: RelationId,
    how: How,
    with_application: bool,
) -> Result<()> {
    let relation = get(tx, m, id).await?;
    if relation.is_peer() && !with_application {
        return Err(Error::not_valid(format!(
            "cannot destroy relation \"{}\": is a peer relation",
            relation.key
        )));
    }
    if how.force {
        cleanup::queue_after(tx, m, how, Work::ForceDestroyRelation { relation: id })?;
    }
    if relation.life != Life::Alive {
        return Ok(());
    }
    put(tx, m, &RelationDoc { life: Life::Dying, ..RelationDoc::clone(&relation) })?;
    remove_if_left(tx, m, id).await
}

/// Removes a dying relation if nobody is in it.
pub(super) async fn remove_if_left(tx: &Tx, m: &ModelUuid, id: RelationId) -> Result<()> {
    if scope::everyone(m, id).is_empty(tx).await? { remove(tx, m, id).await } else { Ok(()) }
}

async fn remove(tx: &Tx, m: &ModelUuid, id: RelationId) -> Result<()> {
    let relation = get(tx, m, id).await?;
    key(m, id).delete(tx);
    by_key(m, &relation.key).delete(tx);
    status::delete(tx, m, &StatusOf::Relation(id));
    cleanup::queue(tx, m, Work::Settings { relation: id })?;
    for endpoint in &relation.endpoints {
        of_application_key(m, &endpoint.application, id).delete(tx);
    }
    for endpoint in &relation.endpoints {
        application::remove_if_left(tx, m, &endpoint.application).await?;
    }
    Ok(())
}

/// Removes a dying relation that its last unit may have left.
pub(crate) async fn clean_left(model: &Model, id: RelationId) -> Result<()> {
    let finish = async |tx: Tx| match key(model.uuid(), id).get(&tx).await? {
        Some(relation) if relation.life != Life::Alive => remove_if_left(&tx, model.uuid(), id).await,
        _ => Ok(()),
    };
    model.transact(finish).await
}

/// Takes all units out of a relation, and it with them.
pub(crate) async fn force_destroy(model: &Model, id: RelationId) -> Result<()> {
    let m = model.uuid();
    let members: Vec<_> =
        scope::everyone(m, id).read_names(&model.image()).filter_map(scope::unit_of).collect();
    for name in members {
        let leave = async |tx: Tx| {
            let Some(relation) = key(m, id).get(&tx).await? else { return Ok(()) };
            match unit::find(&tx, m, &name).await? {
                Some(unit) => scope::leave(&tx, m, &relation, &unit).await,
                None => Ok(()),
            }
        };
        model.transact(leave).await?;
    }
    let finish = async |tx: Tx| {
        let Some(relation) = key(m, id).get(&tx).await? else { return Ok(()) };
        if relation.life == Life::Alive {
            return Ok(());
        }
        // What a unit that is no longer there has left behind.
        let left = scope::everyone(m, id);
        for name in left.names(&tx).await? {
            tx.txn.delete(format!("{}{name}", left.path()));
        }
        remove(&tx, m, id).await
    };
    model.transact(finish).await
}

/// Deletes what was said in a relation that is gone.
pub(crate) async fn clean_settings(model: &Model, id: RelationId) -> Result<()> {
    erase::under(model.state(), settings::of_relation(model.uuid(), id).path()).await
}

impl Model {
    pub async fn destroy_relation(&self, id: RelationId, how: How) -> Result<()> {
        self.transact(async |tx| destroy(&tx, self.uuid(), id, how, false).await).await
    }
}

/// Ends all relations of an application that goes, its own ones too.
pub(crate) async fn destroy_all_of(
    tx: &Tx,
    m: &ModelUuid,
    name: &juju_core::ApplicationName,
    how: How,
) -> Result<()> {
    for relation in list_of(tx, m, name).await? {
        destroy(tx, m, relation.id, how, true).await?;
    }
    Ok(())
}
