//! Which entities an agent may ask about. Anything else is answered as if the agent had no right to know of it.

use juju_core::{MachineId, Tag, UnitName};

use crate::{Ctx, Entity, Error, Result};

/// A machine that the caller may speak for: its own, a container in it, or any for a controller.
pub(crate) fn machine(ctx: &Ctx, tag: &str) -> Result<MachineId> {
    let Ok(Tag::Machine(id)) = tag.parse() else { return Err(Error::unauthorized()) };
    match ctx.entity() {
        Entity::Machine { controller: true, .. } => Ok(id),
        Entity::Machine { id: own, .. } if *own == id || id.parent().as_ref() == Some(own) => Ok(id),
        _ => Err(Error::unauthorized()),
    }
}

/// The caller's own machine.
pub(crate) fn own_machine(ctx: &Ctx, tag: &str) -> Result<MachineId> {
    match (ctx.entity(), tag.parse()) {
        (Entity::Machine { id: own, .. }, Ok(Tag::Machine(id))) if *own == id => Ok(id),
        _ => Err(Error::unauthorized()),
    }
}

/// A unit on the caller's machine.
pub(crate) fn unit_of_machine(ctx: &Ctx, tag: &str) -> Result<UnitName> {
    let Ok(Tag::Unit(unit)) = tag.parse() else { return Err(Error::unauthorized()) };
    let Entity::Machine { id, .. } = ctx.entity() else { return Err(Error::unauthorized()) };
    // One that was removed is as unknown as one that is elsewhere.
    match ctx.model().machine_units(id) {
        Ok(units) if units.contains(&unit) => Ok(unit),
        _ => Err(Error::unauthorized()),
    }
}

/// The caller itself, machine or unit.
pub(crate) fn own(ctx: &Ctx, tag: &str) -> Result<Tag> {
    let tag: Tag = tag.parse().map_err(|_| Error::unauthorized())?;
    if ctx.entity().tag() == tag { Ok(tag) } else { Err(Error::unauthorized()) }
}
