//! The source of `AllWatcher`: the whole model first, then each entity that changes, in full (Juju 3.6
//! `core/multiwatcher`, `state/multiwatcher.go`).

mod entities;

use std::collections::BTreeMap;

use futures_util::{FutureExt as _, future::BoxFuture};
use juju_state::{
    Watcher,
    all_watch::{Delta as Change, Entity, EntityId},
    block::BlockKind,
};
use juju_wire::{
    facade::all_watcher::{AllWatcherNextResults, Delta},
    params::AllWatcherId,
};

use self::entities::Writer;
use crate::{Ctx, Events, Result};

/// The creating call tells nothing: the first `Next` answers the whole model.
pub(super) async fn watch_all(ctx: Ctx, (): ()) -> Result<AllWatcherId> {
    let (everything, watcher) = ctx.model().watch_all()?;
    let writer = Writer::new(ctx.model(), ctx.state().controller()?.uuid.clone());
    let all = All { first: Some(everything), watcher, writer, blocks: BTreeMap::new() };
    Ok(AllWatcherId { watcher_id: ctx.watchers().add(all)? })
}

struct All {
    first: Option<Vec<Change>>,
    watcher: Watcher<Vec<Change>>,
    writer: Writer,
    /// The ids of blocks, by which clients know those that are gone.
    blocks: BTreeMap<BlockKind, u32>,
}

impl Events<AllWatcherNextResults> for All {
    fn next(&mut self) -> BoxFuture<'_, Result<AllWatcherNextResults>> {
        async {
            let changes = match self.first.take() {
                Some(first) => first,
                None => self.watcher.next().await?,
            };
            Ok(AllWatcherNextResults { deltas: changes.into_iter().map(|it| self.delta(it)).collect() })
        }
        .boxed()
    }
}

impl All {
    fn delta(&mut self, change: Change) -> Delta {
        match change {
            Change::Change(entity) => {
                if let Entity::Block { id, kind, .. } = &entity {
                    self.blocks.insert(*kind, *id);
                }
                let (kind, entity) = self.writer.entity(&entity);
                Delta { kind: kind.to_owned(), removed: false, entity }
            }
            Change::Remove(id) => {
                let block = match &id {
                    EntityId::Block(kind) => self.blocks.remove(kind),
                    _ => None,
                };
                let (kind, entity) = self.writer.gone(&id, block);
                Delta { kind: kind.to_owned(), removed: true, entity }
            }
        }
    }
}
