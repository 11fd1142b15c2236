//! Which units are in a relation: each enters, and leaves, by itself.

use std::sync::Arc;

use juju_charm::{RelationScope, Role};
use juju_core::{Life, ModelUuid, RelationId, UnitName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use super::{RelationDoc, destroy, get, settings};
use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V, address, application,
    cleanup::{self, Work},
    model, model_config, unit,
    unit::UnitDoc,
};

/// That a unit is in the relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScopeDoc {
    pub v: V<1>,
    /// It is about to leave: others see it gone already.
    #[serde(default)]
    pub departing: bool,
}

impl Doc for ScopeDoc {
    const KIND: &'static str = "relation scope";
}

/// Where the members of a relation with one role stand: all of them, or those of one principal's machine.
fn members(m: &ModelUuid, relation: &RelationDoc, unit: &UnitDoc, role: Role) -> Prefix<ScopeDoc> {
    let (id, role) = (relation.id, role.as_str());
    match relation.scope() {
        RelationScope::Global => model::prefix_in(m, format_args!("scope/{id}/g/{role}/")),
        RelationScope::Container => {
            let principal = unit.principal.as_ref().unwrap_or(&unit.name);
            model::prefix_in(m, format_args!("scope/{id}/c/{principal}/{role}/"))
        }
    }
}

/// Those whom a unit sees in the relation.
pub(crate) fn counterparts(
    m: &ModelUuid,
    relation: &RelationDoc,
    unit: &UnitDoc,
) -> Result<Prefix<ScopeDoc>> {
    let role = relation.endpoint(unit.name.app())?.role.counterpart();
    Ok(members(m, relation, unit, role))
}

fn key(m: &ModelUuid, relation: &RelationDoc, unit: &UnitDoc) -> Result<Key<ScopeDoc>> {
    let role = relation.endpoint(unit.name.app())?.role;
    Ok(Key::new(format!("{}{}", members(m, relation, unit, role).path(), unit.name)))
}

/// All who are in the relation.
pub(crate) fn everyone(m: &ModelUuid, id: RelationId) -> Prefix<ScopeDoc> {
    model::prefix_in(m, format_args!("scope/{id}/"))
}

/// The unit that a key under [`everyone`] is about.
pub(crate) fn unit_of(name: &str) -> Option<UnitName> {
    let parts: Vec<&str> = name.rsplitn(3, '/').collect();
    let [number, application, _] = parts[..] else { return None };
    format!("{application}/{number}").parse().ok()
}

/// Whether the unit is in the relation, and how.
pub fn read(
    image: &Image,
    m: &ModelUuid,
    relation: &RelationDoc,
    unit: &UnitDoc,
) -> Result<Option<Arc<ScopeDoc>>> {
    key(m, relation, unit)?.read(image)
}

/// Lets a unit into the relation, with what is known of its addresses in its bag. A principal brings its subordinate
/// along where the relation asks for one.
pub(crate) async fn enter(tx: &Tx, m: &ModelUuid, id: RelationId, name: &UnitName) -> Result<()> {
    let (relation, unit) = (get(tx, m, id).await?, unit::get(tx, m, name).await?);
    relation.endpoint(name.app())?;
    if !super::concerns(&relation, &unit) {
        return Ok(());
    }
    let key = key(m, &relation, &unit)?;
    if key.exists(tx).await? {
        return Ok(());
    }
    if unit.life != Life::Alive || relation.life != Life::Alive {
        return Err(Error::CannotEnterScope);
    }
    key.put(tx, &ScopeDoc { v: V, departing: false })?;
    let known = addresses(tx, m, &unit).await?;
    settings::replace(tx, m, id, name, known).await?;
    if relation.scope() == RelationScope::Container && unit.principal.is_none() && !relation.is_peer() {
        ensure_subordinate(tx, m, &relation, &unit).await?;
    }
    Ok(())
}

/// What others are told of the unit's addresses.
async fn addresses(tx: &Tx, m: &ModelUuid, unit: &UnitDoc) -> Result<settings::Settings> {
    let mut known = settings::Settings::new();
    let Some(machine) = unit::machine_of(tx, m, unit).await? else { return Ok(known) };
    let Some(private) = address::get(tx, m, &machine).await?.private else { return Ok(known) };
    let value = private.address.value;
    let configured = model_config::get(tx, m).await?.text("egress-subnets").to_owned();
    let egress = if configured.is_empty() { host_network(&value) } else { configured };
    known.insert("private-address".into(), value.clone());
    known.insert("ingress-address".into(), value);
    known.insert("egress-subnets".into(), egress);
    known.retain(|_, it| !it.is_empty());
    Ok(known)
}

/// The network that holds the address alone.
pub(crate) fn host_network(address: &str) -> String {
    match address.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(_)) => format!("{address}/32"),
        Ok(std::net::IpAddr::V6(_)) => format!("{address}/128"),
        Err(_) => String::new(),
    }
}

async fn ensure_subordinate(
    tx: &Tx,
    m: &ModelUuid,
    relation: &RelationDoc,
    principal: &UnitDoc,
) -> Result<()> {
    let other = &relation.other_side(principal.name.app())?.application;
    let application = application::get(tx, m, other).await?;
    if !application.subordinate {
        return Ok(());
    }
    if let Some(name) = principal.subordinates.iter().find(|it| it.app() == other) {
        let lives = unit::find(tx, m, name).await?.is_some_and(|it| it.life == Life::Alive);
        return if lives { Ok(()) } else { Err(Error::CannotEnterScopeYet) };
    }
    if application.life != Life::Alive {
        return Err(Error::CannotEnterScope);
    }
    unit::add_subordinate(tx, m, &application, principal).await?;
    Ok(())
}

/// Writes the unit's addresses anew into its bags, in all relations that it is in.
pub(crate) async fn update_addresses(tx: &Tx, m: &ModelUuid, name: &UnitName) -> Result<()> {
    for relation in super::list_of(tx, m, name.app()).await? {
        update_addresses_in(tx, m, &relation, name).await?;
    }
    Ok(())
}

async fn update_addresses_in(tx: &Tx, m: &ModelUuid, relation: &RelationDoc, name: &UnitName) -> Result<()> {
    let unit = unit::get(tx, m, name).await?;
    if !key(m, relation, &unit)?.exists(tx).await? {
        return Ok(());
    }
    let known = addresses(tx, m, &unit).await?;
    settings::update(tx, m, relation.id, settings::Bag::Unit(name), &known).await
}

/// What may be done with all relations that a unit is in, each in a transaction of its own.
#[derive(Clone, Copy)]
pub(crate) enum Each {
    /// Writes the unit's addresses anew into its bag.
    UpdateAddresses,
    /// Lets others see the unit gone before it has left.
    Depart,
    Leave,
}

/// Does it. A relation, or a unit, that goes meanwhile is passed over.
pub(crate) async fn in_each(model: &Model, name: &UnitName, act: Each) -> Result<()> {
    let (image, m) = (model.image(), model.uuid());
    let Some(unit) = unit::key(m, name).read(&image)? else { return Ok(()) };
    for relation in super::read_of(&image, m, name.app())? {
        if read(&image, m, &relation, &unit)?.is_none() {
            continue;
        }
        let one = async |tx: Tx| {
            let Some(relation) = super::key(m, relation.id).get(&tx).await? else { return Ok(()) };
            let Some(unit) = unit::find(&tx, m, name).await? else { return Ok(()) };
            match act {
                Each::UpdateAddresses => update_addresses_in(&tx, m, &relation, name).await,
                Each::Depart => depart(&tx, m, &relation, &unit).await,
                Each::Leave => leave(&tx, m, &relation, &unit).await,
            }
        };
        model.transact(one).await?;
    }
    Ok(())
}

async fn depart(tx: &Tx, m: &ModelUuid, relation: &RelationDoc, unit: &UnitDoc) -> Result<()> {
    let key = key(m, relation, unit)?;
    if key.get(tx).await?.is_some_and(|it| !it.departing) {
        key.put(tx, &ScopeDoc { v: V, departing: true })?;
    }
    Ok(())
}

/// Takes a unit out of the relation. The last one to leave a dying relation takes it along.
pub(crate) async fn leave(tx: &Tx, m: &ModelUuid, relation: &RelationDoc, unit: &UnitDoc) -> Result<()> {
    let key = key(m, relation, unit)?;
    if !key.exists(tx).await? {
        return Ok(());
    }
    key.delete(tx);
    if relation.life == Life::Alive {
        return Ok(());
    }
    if tx.is_crowded() {
        return cleanup::queue(tx, m, Work::LeftRelation { relation: relation.id });
    }
    destroy::remove_if_left(tx, m, relation.id).await
}

/// Takes a unit that goes out of all its few relations.
pub(crate) async fn leave_all(tx: &Tx, m: &ModelUuid, unit: &UnitDoc) -> Result<()> {
    for relation in super::list_of(tx, m, unit.name.app()).await? {
        leave(tx, m, &relation, unit).await?;
    }
    Ok(())
}

impl Model {
    pub async fn enter_scope(&self, id: RelationId, name: &UnitName) -> Result<()> {
        self.transact(async |tx| enter(&tx, self.uuid(), id, name).await).await
    }

    /// Takes a unit out of a relation. A relation that is gone was left already.
    pub async fn leave_scope(&self, id: RelationId, name: &UnitName) -> Result<()> {
        let leave = async |tx: Tx| {
            let relation = get(&tx, self.uuid(), id).await?;
            let unit = unit::get(&tx, self.uuid(), name).await?;
            leave(&tx, self.uuid(), &relation, &unit).await
        };
        self.transact(leave).await
    }

    /// The relations that concern a unit, each with whether it is in.
    pub fn unit_relations(&self, name: &UnitName) -> Result<Vec<(Arc<RelationDoc>, bool)>> {
        let (image, m) = (self.image(), self.uuid());
        let unit = unit::read(&image, m, name)?;
        let mut relations = super::read_of(&image, m, name.app())?;
        relations.retain(|it| super::concerns(it, &unit));
        let with = relations.into_iter().map(|it| {
            let inside = read(&image, m, &it, &unit)?.is_some();
            Ok((it, inside))
        });
        with.collect()
    }

    /// The units that a unit sees in a relation.
    pub fn relation_members(&self, id: RelationId, name: &UnitName) -> Result<Vec<UnitName>> {
        let (image, m) = (self.image(), self.uuid());
        let (relation, unit) = (super::read(&image, m, id)?, unit::read(&image, m, name)?);
        let prefix = counterparts(m, &relation, &unit)?;
        let mut members = Vec::new();
        for entry in prefix.read(&image) {
            let (other, scope) = entry?;
            if !scope.departing && other != name.to_string() {
                members.extend(other.parse::<UnitName>());
            }
        }
        members.sort();
        Ok(members)
    }
}
