//! What a unit's agent watches.

use juju_core::Tag;
use juju_state::{Watcher, relation::RelationUnitsChange as Change};
use juju_wire::{
    facade::{
        uniter::{
            RelationUnit, RelationUnits, RelationUnitsChange, RelationUnitsWatchResult,
            RelationUnitsWatchResults, UnitSettings,
        },
        watchers::{RelationUnitsChanges, StringsChanges},
    },
    params::*,
};

use super::caller;
use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, FromResults as _, each, tags},
    from_state,
};

/// The unit, or its application.
pub(super) async fn entity(ctx: Ctx, args: Entities) -> Result<NotifyWatchResults> {
    let one = async |tag: String| {
        let own = caller::unit(&ctx)?;
        let watcher = match tag.parse() {
            Ok(Tag::Unit(name)) if name == *own => {
                ctx.model().unit(&name)?;
                ctx.model().watch_unit(&name)?
            }
            Ok(Tag::Application(name)) if name == *own.app() => {
                ctx.model().application(&name)?;
                ctx.model().watch_application(&name)?
            }
            _ => return Err(Error::unauthorized()),
        };
        ctx.watchers().add(from_state(watcher, |()| ()))
    };
    Ok(NotifyWatchResults::from_results(each(tags(args), one).await))
}

pub(super) async fn config_hash(ctx: Ctx, args: Entities) -> Result<StringsWatchResults> {
    let one =
        async |tag: String| strings(&ctx, ctx.model().watch_unit_config(&caller::own_unit(&ctx, &tag)?)?);
    Ok(StringsWatchResults::from_results(each(tags(args), one).await))
}

pub(super) async fn trust_hash(ctx: Ctx, args: Entities) -> Result<StringsWatchResults> {
    let one = async |tag: String| {
        let unit = caller::own_unit(&ctx, &tag)?;
        strings(&ctx, ctx.model().watch_trust(unit.app())?)
    };
    Ok(StringsWatchResults::from_results(each(tags(args), one).await))
}

pub(super) async fn addresses_hash(ctx: Ctx, args: Entities) -> Result<StringsWatchResults> {
    let one =
        async |tag: String| strings(&ctx, ctx.model().watch_unit_addresses(&caller::own_unit(&ctx, &tag)?)?);
    Ok(StringsWatchResults::from_results(each(tags(args), one).await))
}

pub(super) async fn relations(ctx: Ctx, args: Entities) -> Result<StringsWatchResults> {
    let one =
        async |tag: String| strings(&ctx, ctx.model().watch_unit_relations(&caller::own_unit(&ctx, &tag)?)?);
    Ok(StringsWatchResults::from_results(each(tags(args), one).await))
}

fn strings(
    ctx: &Ctx,
    (first, watcher): (Vec<String>, Watcher<Vec<String>>),
) -> Result<(String, Vec<String>)> {
    let id = ctx.watchers().add(from_state(watcher, |changes| StringsChanges { changes }))?;
    Ok((id, first))
}

pub(super) async fn leader_settings(ctx: Ctx, args: Entities) -> Result<NotifyWatchResults> {
    let one = async |tag: String| {
        let application = caller::own_application(&ctx, &tag)?;
        let watcher = ctx.model().watch_leader_settings(&application)?;
        ctx.watchers().add(from_state(watcher, |()| ()))
    };
    Ok(NotifyWatchResults::from_results(each(tags(args), one).await))
}

impl FromOutcome<(String, RelationUnitsChange)> for RelationUnitsWatchResult {
    fn value((watcher_id, changes): (String, RelationUnitsChange)) -> Self {
        RelationUnitsWatchResult { watcher_id, changes, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        RelationUnitsWatchResult { error: Some(error), ..Default::default() }
    }
}

pub(super) async fn relation_units(ctx: Ctx, args: RelationUnits) -> Result<RelationUnitsWatchResults> {
    let one = async |it: RelationUnit| {
        let unit = caller::own_unit(&ctx, &it.unit)?;
        let relation = caller::own_relation(&ctx, &it.relation)?;
        let (first, watcher) = ctx.model().watch_relation_units(relation.id, &unit)?;
        let events = from_state(watcher, |change| RelationUnitsChanges { changes: shown(change) });
        Ok((ctx.watchers().add(events)?, shown(first)))
    };
    Ok(RelationUnitsWatchResults { results: each(args.relation_units, one).await })
}

fn shown(change: Change) -> RelationUnitsChange {
    let settings = |version: u32| UnitSettings { version: version.into() };
    RelationUnitsChange {
        changed: change
            .changed
            .into_iter()
            .map(|(unit, version)| (unit.to_string(), settings(version)))
            .collect(),
        app_changed: change
            .app_changed
            .into_iter()
            .map(|(name, version)| (name.to_string(), version.into()))
            .collect(),
        departed: change.departed.iter().map(ToString::to_string).collect(),
    }
}
