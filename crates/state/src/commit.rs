//! What a hook has changed, committed as one: all of it, once, or nothing.
//!
//! The unit's memory goes with it, which says that the hook is done. An agent that has lost the answer reads its
//! memory, and sends again only if it does not say so: so no hook's changes are made twice.

use juju_core::{ModelUuid, RelationId, UnitName};

use crate::{
    Error, Model, Result, Tx,
    ports::{self, EndpointPorts},
    relation::{
        self, scope,
        settings::{self, Bag, Settings},
    },
    unit::{
        self,
        memory::{self, NewMemory},
    },
};

/// All that one hook of a unit has changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookChanges {
    /// The unit's addresses are to be written anew into its relations.
    pub update_addresses: bool,
    pub relations: Vec<RelationChanges>,
    pub open_ports: Vec<EndpointPorts>,
    pub close_ports: Vec<EndpointPorts>,
    pub memory: NewMemory,
}

/// What the hook has said in one relation; an empty value takes a setting away.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationChanges {
    pub relation: RelationId,
    pub unit: Settings,
    /// For the application, as its leader.
    pub application: Settings,
}

async fn commit(tx: &Tx, m: &ModelUuid, name: &UnitName, changes: &HookChanges) -> Result<()> {
    if unit::get(tx, m, name).await?.life.is_dead() {
        return Err(Error::Dead(format!("unit \"{name}\"")));
    }
    if changes.update_addresses {
        scope::update_addresses(tx, m, name).await?;
    }
    for change in &changes.relations {
        let id = change.relation;
        relation::get(tx, m, id).await?.endpoint(name.app())?;
        settings::update(tx, m, id, Bag::Unit(name), &change.unit).await?;
        if !change.application.is_empty() {
            settings::update_as_leader(tx, m, id, name, &change.application).await?;
        }
    }
    ports::change(tx, m, name, &changes.open_ports, &changes.close_ports).await?;
    memory::set(tx, m, name, &changes.memory).await
}

impl Model {
    pub async fn commit_hook(&self, name: &UnitName, changes: &HookChanges) -> Result<()> {
        self.transact(async |tx| commit(&tx, self.uuid(), name, changes).await).await
    }
}
