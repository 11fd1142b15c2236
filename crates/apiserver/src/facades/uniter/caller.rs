//! What the calling unit may ask about.

use std::sync::Arc;

use juju_core::{ApplicationName, MachineId, Tag, UnitName};
use juju_state::relation::RelationDoc;

use crate::{Ctx, Entity, Error, Result};

/// The unit that calls.
pub(super) fn unit(ctx: &Ctx) -> Result<&UnitName> {
    match ctx.entity() {
        Entity::Unit(name) => Ok(name),
        _ => Err(Error::unauthorized()),
    }
}

/// The calling unit, by its tag.
pub(super) fn own_unit(ctx: &Ctx, tag: &str) -> Result<UnitName> {
    let own = unit(ctx)?;
    match tag.parse() {
        Ok(Tag::Unit(name)) if name == *own => Ok(name),
        _ => Err(Error::unauthorized()),
    }
}

/// The application of the calling unit, by its tag.
pub(super) fn own_application(ctx: &Ctx, tag: &str) -> Result<ApplicationName> {
    let own = unit(ctx)?.app();
    match tag.parse() {
        Ok(Tag::Application(name)) if name == *own => Ok(name),
        _ => Err(Error::unauthorized()),
    }
}

/// The machine that the calling unit is on, by its tag.
pub(super) fn own_machine(ctx: &Ctx, tag: &str) -> Result<MachineId> {
    let own = ctx.model().unit_machine(unit(ctx)?)?;
    match tag.parse() {
        Ok(Tag::Machine(id)) if id == own => Ok(id),
        _ => Err(Error::unauthorized()),
    }
}

/// A relation of the calling unit's application, by its tag.
pub(super) fn own_relation(ctx: &Ctx, tag: &str) -> Result<Arc<RelationDoc>> {
    let own = unit(ctx)?.app();
    let Ok(Tag::Relation(key)) = tag.parse() else { return Err(Error::unauthorized()) };
    // One that was removed is as unknown as somebody else's.
    let relation = ctx.model().relation_by_key(&key).map_err(|err| match err {
        err if err.is_not_found() => Error::unauthorized(),
        err => err.into(),
    })?;
    relation.endpoint(own).map_err(|_| Error::unauthorized())?;
    Ok(relation)
}
