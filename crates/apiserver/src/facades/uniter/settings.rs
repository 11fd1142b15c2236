//! What units and applications say in relations, and who may read it (Juju 3.6 `apiserver/facades/agent/uniter`).
//!
//! A unit reads its own bag, those of the units it sees, and its counterpart application's. Its own application's bag is
//! for the leader.

use std::collections::BTreeMap;

use juju_core::Tag;
use juju_state::{lease, relation::settings::Bag};
use juju_wire::facade::uniter::{
    RelationUnit, RelationUnitPair, RelationUnitPairs, RelationUnits, SettingsResult, SettingsResults,
};

use super::caller;
use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, each, outcome},
};

impl FromOutcome<BTreeMap<String, String>> for SettingsResult {
    fn value(settings: BTreeMap<String, String>) -> Self {
        SettingsResult { settings, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        SettingsResult { error: Some(error), ..Default::default() }
    }
}

/// The unit's own bag or, where the application's tag stands for the unit, the application's.
pub(super) async fn read(ctx: Ctx, args: RelationUnits) -> Result<SettingsResults> {
    let one = async |it: RelationUnit| {
        let relation = caller::own_relation(&ctx, &it.relation)?;
        if let Ok(unit) = caller::own_unit(&ctx, &it.unit) {
            return Ok(ctx.model().relation_settings(relation.id, Bag::Unit(&unit))?.settings.clone());
        }
        let application = caller::own_application(&ctx, &it.unit)?;
        require_leader(&ctx)?;
        Ok(ctx.model().relation_settings(relation.id, Bag::Application(&application))?.settings.clone())
    };
    Ok(SettingsResults { results: each(args.relation_units, one).await })
}

pub(super) async fn read_local_application(ctx: Ctx, it: RelationUnit) -> Result<SettingsResult> {
    let read = || {
        let relation = caller::own_relation(&ctx, &it.relation)?;
        let unit = caller::own_unit(&ctx, &it.unit)?;
        require_leader(&ctx)?;
        Ok(ctx.model().relation_settings(relation.id, Bag::Application(unit.app()))?.settings.clone())
    };
    Ok(outcome(read()))
}

fn require_leader(ctx: &Ctx) -> Result<()> {
    let (unit, model) = (caller::unit(ctx)?, ctx.model());
    match lease::leader(&model.image(), model.uuid(), unit.app())? {
        Some(leader) if leader == *unit => Ok(()),
        _ => Err(Error::unauthorized()),
    }
}

/// The bag of a unit or an application on the other side; peers are on it too.
pub(super) async fn read_remote(ctx: Ctx, args: RelationUnitPairs) -> Result<SettingsResults> {
    let one = async |it: RelationUnitPair| {
        let unit = caller::own_unit(&ctx, &it.local_unit)?;
        let relation = caller::own_relation(&ctx, &it.relation)?;
        let other = &relation.other_side(unit.app())?.application;
        let bag = match it.remote_unit.parse() {
            Ok(Tag::Unit(name)) if name.app() == other => {
                ctx.model().relation_settings(relation.id, Bag::Unit(&name))?
            }
            Ok(Tag::Application(name)) if name == *other => {
                if relation.is_peer() {
                    require_leader(&ctx)?;
                }
                ctx.model().relation_settings(relation.id, Bag::Application(&name))?
            }
            _ => return Err(Error::unauthorized()),
        };
        Ok(bag.settings.clone())
    };
    Ok(SettingsResults { results: each(args.relation_unit_pairs, one).await })
}
