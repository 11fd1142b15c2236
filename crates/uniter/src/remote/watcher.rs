//! Keeps the snapshot of what the controller wants.
//!
//! One task follows all of the API's watchers and turns each event into "look again": what is read then replaces what was
//! there. When the connection breaks, the snapshot stays as it is; on the next connection all watchers are started anew
//! and everything is read once more. A snapshot is shown only once every watcher has had its first event.

use std::{collections::BTreeMap, convert::Infallible, time::Duration};

use futures_util::{
    StreamExt as _,
    stream::{self, BoxStream, SelectAll},
};
use juju_rpc::{CallError, Connection};
use juju_wire::{
    facade::uniter::{RelationUnit, RelationUnits, RelationUnitsChange, RelationUnitsWatchResult, call},
    params::{Entities, Entity, NotifyWatchResult, StringsWatchResult, StringsWatchResults},
};
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    Life, RemoteRelation, Resolved, Snapshot,
    snapshot::{self, Slot, Writer},
    update_status::Timer,
};
use crate::{
    api::{Api, entity, one, relation_tag},
    leadership::{Changes, Leadership},
    link::ApiError,
    resolver::Charm,
};

/// Between attempts to start watchers that the controller refuses.
const PAUSE: Duration = Duration::from_secs(3);

/// Follows the controller.
pub(crate) struct Watcher {
    api: Api,
    leadership: Changes,
    snapshot: Writer,
    update_status: Timer,
}

enum Event {
    Unit,
    Application,
    Config(String),
    Trust(String),
    Addresses(String),
    Relations(Vec<String>),
    Members(i64, RelationUnitsChange),
    LeaderSettings,
    ModelConfig,
}

/// Why watchers have to be started anew.
enum End {
    Closed,
    Failed(ApiError),
}

impl From<CallError> for End {
    fn from(err: CallError) -> Self {
        match err {
            CallError::Closed(_) => End::Closed,
            CallError::Api(error) => End::Failed(error.into()),
            other => End::Failed(ApiError::Unreadable(other)),
        }
    }
}

impl From<ApiError> for End {
    fn from(err: ApiError) -> Self {
        End::Failed(err)
    }
}

impl From<juju_wire::Error> for End {
    fn from(err: juju_wire::Error) -> Self {
        End::Failed(err.into())
    }
}

type Events = SelectAll<BoxStream<'static, Result<Event, CallError>>>;

impl Watcher {
    pub(crate) fn new(api: Api, leadership: &Leadership) -> (Watcher, Snapshot) {
        let (writer, snapshot) = snapshot::new();
        let watcher =
            Watcher { api, leadership: leadership.watch(), snapshot: writer, update_status: Timer::new() };
        (watcher, snapshot)
    }

    /// Follows until the unit is not let in any more.
    pub(crate) async fn run(mut self) -> ApiError {
        loop {
            let connection = match self.api.link().connection().await {
                Ok(connection) => connection,
                Err(err) => return err,
            };
            let Err(end) = self.session(&connection).await;
            match end {
                End::Closed => {}
                End::Failed(err @ (ApiError::Impossible(_) | ApiError::Stopping)) => return err,
                // What is watched is gone, and with it the unit: to be removed is to be dead.
                End::Failed(err) if err.is_gone() && self.is_gone().await => {
                    self.edit(|slot| {
                        slot.state.life = Life::Dead;
                        slot.ready = true;
                    });
                    sleep(PAUSE).await;
                }
                End::Failed(err) => {
                    tracing::warn!("cannot watch the unit: {err}");
                    sleep(PAUSE).await;
                }
            }
        }
    }

    /// Starts every watcher of one connection and follows them until the first fails.
    async fn session(&mut self, connection: &Connection) -> Result<Infallible, End> {
        let (unit, application) = (self.api.unit_tag(), self.api.application_tag());
        let both = [&unit, &application].map(|tag| Entity { tag: tag.clone() }).to_vec();
        let (entities, config, trust, addresses, relations, leader, model) = tokio::try_join!(
            connection.call::<call::Watch>(Entities { entities: both }),
            connection.call::<call::WatchConfigSettingsHash>(entity(unit.clone())),
            connection.call::<call::WatchTrustConfigSettingsHash>(entity(unit.clone())),
            connection.call::<call::WatchUnitAddressesHash>(entity(unit.clone())),
            connection.call::<call::WatchUnitRelations>(entity(unit.clone())),
            connection.call::<call::WatchLeadershipSettings>(entity(application)),
            connection.call::<call::WatchForModelConfigChanges>(()),
        )?;
        let mut events = Events::new();
        let notify = |result: NotifyWatchResult, event: fn() -> Event| match result.error {
            Some(error) => Err(End::from(error)),
            None => Ok(follow(connection.notify_watcher(result.notify_watcher_id), move |()| event())),
        };
        let [unit, application] = <[NotifyWatchResult; 2]>::try_from(entities.results)
            .map_err(|_| juju_wire::Error::other("expected 2 results of Uniter.Watch"))?;
        events.push(notify(unit, || Event::Unit)?);
        events.push(notify(application, || Event::Application)?);
        events.push(notify(one(leader.results)?, || Event::LeaderSettings)?);
        events.push(notify(model, || Event::ModelConfig)?);
        for (results, event) in [
            (config, (|it| Event::Config(last(it))) as fn(Vec<String>) -> Event),
            (trust, |it| Event::Trust(last(it))),
            (addresses, |it| Event::Addresses(last(it))),
        ] {
            let result = strings(results)?;
            self.take_hash(event(result.changes));
            events.push(follow(connection.strings_watcher(result.watcher_id), event));
        }
        let relations = strings(relations)?;
        events.push(follow(connection.strings_watcher(relations.watcher_id), Event::Relations));

        let mut members = Members { watched: BTreeMap::new(), connection };
        // What has gone since the last connection is not among the first event's.
        let listed = relations.changes;
        self.edit(|slot| slot.state.relations.retain(|_, it| listed.contains(&it.key)));
        self.look_at_unit().await?;
        self.look_at_application().await?;
        self.look_at_model().await?;
        self.look_at_relations(listed, &mut members, &mut events).await?;
        self.count_leader_settings();
        let leader = self.leadership.current().await;
        self.edit(|slot| {
            slot.state.leader = leader;
            slot.ready = true;
        });

        loop {
            tokio::select! {
                Some(event) = events.next() => match event? {
                    Event::Unit => self.look_at_unit().await?,
                    Event::Application => self.look_at_application().await?,
                    Event::ModelConfig => self.look_at_model().await?,
                    Event::LeaderSettings => self.count_leader_settings(),
                    Event::Relations(keys) => self.look_at_relations(keys, &mut members, &mut events).await?,
                    Event::Members(id, change) => self.take_members(id, change),
                    hash => self.take_hash(hash),
                },
                leader = self.leadership.next() => self.edit(|slot| slot.state.leader = leader),
                () = self.update_status.tick() => self.edit(|slot| slot.state.update_status += 1),
            }
        }
    }

    async fn look_at_unit(&self) -> Result<(), End> {
        let unit = self.api.refresh().await?;
        let life = parse_life(&unit.life)?;
        let resolved = match unit.resolved.as_str() {
            "retry-hooks" => Resolved::RetryHooks,
            "no-hooks" => Resolved::NoHooks,
            _ => Resolved::None,
        };
        self.edit(|slot| (slot.state.life, slot.state.resolved) = (life, resolved));
        Ok(())
    }

    async fn look_at_application(&self) -> Result<(), End> {
        let (life, charm, modified) = tokio::try_join!(
            self.api.life(self.api.application_tag()),
            self.api.charm_url(),
            self.api.charm_modified_version(),
        )?;
        let (life, (url, force)) = (parse_life(&life)?, charm);
        self.edit(|slot| {
            slot.state.application_life = life;
            slot.state.charm = Some(Charm { url, modified });
            slot.state.force_charm_upgrade = force;
        });
        Ok(())
    }

    async fn look_at_model(&mut self) -> Result<(), End> {
        let config = self.api.model_config().await?;
        self.update_status.set(config.get("update-status-hook-interval").and_then(|it| it.as_str()));
        Ok(())
    }

    async fn look_at_relations(
        &self,
        keys: Vec<String>,
        members: &mut Members<'_>,
        events: &mut Events,
    ) -> Result<(), End> {
        if keys.is_empty() {
            return Ok(());
        }
        let unit = self.api.unit_tag();
        let ask = |key: &String| RelationUnit { relation: relation_tag(key), unit: unit.clone() };
        let relation_units = keys.iter().map(ask).collect();
        let reply = members.connection.call::<call::Relation>(RelationUnits { relation_units }).await?;
        if reply.results.len() != keys.len() {
            return Err(
                juju_wire::Error::other("Uniter.Relation answered for another number of relations").into()
            );
        }
        for (key, result) in keys.into_iter().zip(reply.results) {
            match result.error {
                Some(error) => match ApiError::from(error) {
                    err if err.is_gone() => {
                        members.watched.retain(|_, it| it.key != key);
                        self.edit(|slot| slot.state.relations.retain(|_, it| it.key != key));
                    }
                    err => return Err(err.into()),
                },
                None => {
                    let (id, life, suspended) = (result.id, parse_life(&result.life)?, result.bool);
                    self.edit(|slot| {
                        let it = slot.state.relations.entry(id).or_default();
                        (it.key, it.life, it.suspended) = (key.clone(), life, suspended);
                        if !it.is_active() {
                            it.members.clear();
                            it.application_members.clear();
                        }
                    });
                    if life != Life::Alive || suspended {
                        members.watched.remove(&id);
                    } else if !members.watched.contains_key(&id) {
                        self.watch_members(id, key, members, events).await?;
                    }
                }
            }
        }
        Ok(())
    }

    async fn watch_members(
        &self,
        id: i64,
        key: String,
        members: &mut Members<'_>,
        events: &mut Events,
    ) -> Result<(), End> {
        let one_unit = RelationUnit { relation: relation_tag(&key), unit: self.api.unit_tag() };
        let params = RelationUnits { relation_units: vec![one_unit] };
        let reply = members.connection.call::<call::WatchRelationUnits>(params).await?;
        let RelationUnitsWatchResult { changes, error, watcher_id } = one(reply.results)?;
        if let Some(error) = error {
            // It is ending, which its own event will say.
            let err = ApiError::from(error);
            return if err.is_gone() { Ok(()) } else { Err(err.into()) };
        }
        self.edit(|slot| {
            let it = slot.state.relations.entry(id).or_default();
            it.members.clear();
            it.application_members.clear();
            apply(it, &changes);
        });
        let stop = CancellationToken::new();
        let ended = stop.clone().cancelled_owned();
        let watcher = members.connection.relation_units_watcher(watcher_id);
        let stream = follow(watcher, move |change| Event::Members(id, change));
        // A relation that ends takes its watcher along, and nothing else.
        let quiet = stream.filter(|it| {
            let keep = !matches!(it, Err(CallError::Api(_)));
            async move { keep }
        });
        events.push(quiet.take_until(ended).boxed());
        members.watched.insert(id, Watched { key, _stop: stop.drop_guard() });
        Ok(())
    }

    fn take_members(&self, id: i64, change: RelationUnitsChange) {
        self.edit(|slot| {
            if let Some(it) = slot.state.relations.get_mut(&id).filter(|it| it.is_active()) {
                apply(it, &change);
            }
        });
    }

    fn take_hash(&self, event: Event) {
        self.edit(|slot| match event {
            Event::Config(hash) => slot.state.hashes.config = hash,
            Event::Trust(hash) => slot.state.hashes.trust = hash,
            Event::Addresses(hash) => slot.state.hashes.addresses = hash,
            _ => {}
        });
    }

    fn count_leader_settings(&self) {
        self.edit(|slot| slot.state.leader_settings += 1);
    }

    async fn is_gone(&self) -> bool {
        self.api.refresh().await.is_err_and(|err| err.is_gone())
    }

    fn edit(&self, change: impl FnOnce(&mut Slot)) {
        self.snapshot.edit(change);
    }
}

/// The relations whose members are watched on one connection.
struct Members<'a> {
    watched: BTreeMap<i64, Watched>,
    connection: &'a Connection,
}

struct Watched {
    key: String,
    _stop: DropGuard,
}

fn apply(relation: &mut RemoteRelation, change: &RelationUnitsChange) {
    for (unit, it) in &change.changed {
        relation.members.insert(unit.clone(), it.version);
    }
    for (application, version) in &change.app_changed {
        relation.application_members.insert(application.clone(), *version);
    }
    for unit in &change.departed {
        relation.members.remove(unit);
    }
}

fn follow<T: Send + 'static>(
    watcher: juju_rpc::Watcher<T>,
    event: impl Fn(T) -> Event + Send + Sync + Clone + 'static,
) -> BoxStream<'static, Result<Event, CallError>> {
    stream::unfold(Some(watcher), move |watcher| {
        let event = event.clone();
        async move {
            let mut watcher = watcher?;
            match watcher.next().await {
                Ok(change) => Some((Ok(event(change)), Some(watcher))),
                Err(err) => Some((Err(err), None)),
            }
        }
    })
    .boxed()
}

fn strings(results: StringsWatchResults) -> Result<StringsWatchResult, End> {
    let mut result = one(results.results)?;
    match result.error.take() {
        Some(error) => Err(error.into()),
        None => Ok(result),
    }
}

/// Events of hashes are lists of one.
fn last(changes: Vec<String>) -> String {
    changes.into_iter().next_back().unwrap_or_default()
}

fn parse_life(text: &str) -> Result<Life, End> {
    text.parse().map_err(|err| juju_wire::Error::other(err).into())
}
