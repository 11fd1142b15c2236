//! What a hook has changed, committed as one: all of it, once, or nothing.
//!
//! The unit's memory goes with it, which says that the hook is done. An agent that has lost the answer reads its
//! memory, and sends again only if it does not say so: so no hook's changes are made twice.
//!
//! A hook that speaks in more relations than one transaction can hold leaves the rest as a document beside the unit, in
//! the same transaction. It is made good before the answer, or else, should the controller be killed, by the cleaner;
//! and before anything that the unit commits next.

use juju_core::{ModelUuid, RelationId, UnitName};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Result, Tx, V,
    cleanup::{self, Work},
    lease, model,
    ports::{self, EndpointPorts},
    relation::{
        self,
        scope::{self, Each},
        settings::{self, Bag, Settings},
    },
    unit::{
        self,
        memory::{self, NewMemory},
    },
};

/// How many relations are spoken in by one transaction.
const RELATIONS_AT_ONCE: usize = 12;
/// With how many relations a unit's addresses are written in the hook's own transaction.
const ADDRESSES_AT_ONCE: usize = 6;
/// How often a commit begins anew because another one of the unit was not finished.
const ATTEMPTS: u32 = 5;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelationChanges {
    pub relation: RelationId,
    pub unit: Settings,
    /// For the application, as its leader.
    pub application: Settings,
}

/// What of a hook's changes is committed but not made yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RestDoc {
    v: V<1>,
    relations: Vec<RelationChanges>,
}

impl Doc for RestDoc {
    const KIND: &'static str = "rest of a hook";
}

fn rest_key(m: &ModelUuid, name: &UnitName) -> Key<RestDoc> {
    model::key_in(m, format_args!("hook/{name}"))
}

/// Forgets what a unit that goes has left to be done.
pub(crate) fn forget(tx: &Tx, m: &ModelUuid, name: &UnitName) {
    rest_key(m, name).delete(tx);
}

/// Whether something is left to be done.
async fn commit(tx: &Tx, m: &ModelUuid, name: &UnitName, changes: &HookChanges) -> Result<bool> {
    if unit::get(tx, m, name).await?.life.is_dead() {
        return Err(Error::Dead(format!("unit \"{name}\"")));
    }
    let rest = rest_key(m, name);
    if rest.exists(tx).await? {
        return Err(Error::TryAgain(format!("a hook of unit \"{name}\" is being committed")));
    }
    if changes.update_addresses {
        // Where there are many relations it was done before.
        if relation::of_application(m, name.app()).names(tx).await?.len() <= ADDRESSES_AT_ONCE {
            scope::update_addresses(tx, m, name).await?;
        }
    }
    if changes.relations.iter().any(|it| !it.application.is_empty()) {
        lease::guard_leader(tx, m, name).await?;
    }
    let (now, later) = changes.relations.split_at(changes.relations.len().min(RELATIONS_AT_ONCE));
    for change in now {
        relation::get(tx, m, change.relation).await?.endpoint(name.app())?;
        speak(tx, m, name, change).await?;
    }
    ports::change(tx, m, name, &changes.open_ports, &changes.close_ports).await?;
    memory::set(tx, m, name, &changes.memory).await?;
    if later.is_empty() {
        return Ok(false);
    }
    rest.put(tx, &RestDoc { v: V, relations: later.to_vec() })?;
    cleanup::queue(tx, m, Work::FinishHook { unit: name.clone() })?;
    Ok(true)
}

async fn speak(tx: &Tx, m: &ModelUuid, name: &UnitName, change: &RelationChanges) -> Result<()> {
    settings::update(tx, m, change.relation, Bag::Unit(name), &change.unit).await?;
    if change.application.is_empty() {
        return Ok(());
    }
    settings::update(tx, m, change.relation, Bag::Application(name.app()), &change.application).await
}

/// Makes the changes that a commit has left, in as many transactions as it takes.
pub(crate) async fn finish(model: &Model, name: &UnitName) -> Result<()> {
    let m = model.uuid();
    loop {
        let step = async |tx: Tx| {
            let rest = rest_key(m, name);
            let Some(doc) = rest.get(&tx).await? else { return Ok(false) };
            let (now, later) = doc.relations.split_at(doc.relations.len().min(RELATIONS_AT_ONCE));
            for change in now {
                // What was said in a relation that is gone by now nobody hears.
                if relation::key(m, change.relation).exists(&tx).await? {
                    speak(&tx, m, name, change).await?;
                }
            }
            match later.is_empty() {
                true => rest.delete(&tx),
                false => rest.put(&tx, &RestDoc { v: V, relations: later.to_vec() })?,
            }
            Ok(!later.is_empty())
        };
        if !model.transact(step).await? {
            return Ok(());
        }
    }
}

impl Model {
    pub async fn commit_hook(&self, name: &UnitName, changes: &HookChanges) -> Result<()> {
        let m = self.uuid();
        for attempt in 1.. {
            if rest_key(m, name).read(&self.image())?.is_some() {
                finish(self, name).await?;
            }
            if changes.update_addresses {
                let relations = relation::of_application(m, name.app()).read_names(&self.image()).count();
                if relations > ADDRESSES_AT_ONCE {
                    scope::in_each(self, name, Each::UpdateAddresses).await?;
                }
            }
            match self.transact(async |tx| commit(&tx, m, name, changes).await).await {
                Ok(true) => return finish(self, name).await,
                Ok(false) => return Ok(()),
                Err(Error::TryAgain(_)) if attempt < ATTEMPTS => {}
                Err(err) => return Err(err),
            }
        }
        Ok(())
    }

    /// Writes a unit's addresses anew into the relations that it is in.
    pub async fn update_unit_addresses(&self, name: &UnitName) -> Result<()> {
        self.unit(name)?;
        scope::in_each(self, name, Each::UpdateAddresses).await
    }
}
