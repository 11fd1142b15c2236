//! Keeps the snapshot of what the controller wants.
//!
//! One task follows all of the API's watchers and turns each event into "look again": what is read then replaces what was
//! there. When the connection breaks, the snapshot stays as it is; on the next connection all watchers are started anew
//! and everything is read once more. A snapshot is shown only once every watcher has had its first event.

use std::{collections::BTreeMap, convert::Infallible, sync::Arc, time::Duration};

use futures_util::{
    StreamExt as _,
    stream::{self, BoxStream, SelectAll},
};
use juju_rpc::{CallError, Connection};
use juju_wire::{
    facade::uniter::{RelationUnit, RelationUnits, RelationUnitsChange, RelationUnitsWatchResult, call},
    params::{Entities, Entity, NotifyWatchResult, StringsWatchResult, StringsWatchResults},
};
use rand::RngExt as _;
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Life, RemoteRelation, RemoteState, Resolved};
use crate::{
    api::{Api, entity, one, relation_tag},
    leadership::{Changes, Leadership},
    link::ApiError,
    resolver::Charm,
};

/// Between attempts to start watchers that the controller refuses.
const PAUSE: Duration = Duration::from_secs(3);
/// Juju's default of `update-status-hook-interval`, and its bounds.
const INTERVAL: Duration = Duration::from_secs(300);
const INTERVALS: std::ops::RangeInclusive<Duration> = Duration::from_secs(60)..=Duration::from_secs(3600);

/// The snapshot, as the resolver's loop sees it.
pub(crate) struct Snapshot {
    slot: Arc<watch::Sender<Slot>>,
    seen: watch::Receiver<Slot>,
}

#[derive(Default)]
struct Slot {
    /// Every watcher has had its first event.
    ready: bool,
    state: RemoteState,
}

impl Snapshot {
    /// The latest snapshot, once there is one.
    pub(crate) async fn latest(&mut self) -> RemoteState {
        loop {
            {
                let slot = self.seen.borrow_and_update();
                if slot.ready {
                    return slot.state.clone();
                }
            }
            self.changed().await;
        }
    }

    /// Waits until it differs from the last that was taken.
    pub(crate) async fn changed(&mut self) {
        if self.seen.changed().await.is_err() {
            // The sender is held beside the receiver, so this does not happen.
            std::future::pending::<()>().await;
        }
    }

    /// A user's word has been heeded; it must not be heeded twice while the controller's news of that are on their way.
    pub(crate) fn clear_resolved(&self) {
        self.slot.send_modify(|slot| slot.state.resolved = Resolved::None);
    }
}

/// Follows the controller.
pub(crate) struct Watcher {
    api: Api,
    leadership: Changes,
    slot: Arc<watch::Sender<Slot>>,
    interval: Duration,
    update_status_due: Instant,
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
        let (sender, seen) = watch::channel(Slot::default());
        let slot = Arc::new(sender);
        let watcher = Watcher {
            api,
            leadership: leadership.watch(),
            slot: slot.clone(),
            interval: INTERVAL,
            update_status_due: Instant::now() + jittered(INTERVAL),
        };
        (watcher, Snapshot { slot, seen })
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
                () = sleep_until(self.update_status_due) => {
                    self.update_status_due = Instant::now() + jittered(self.interval);
                    self.edit(|slot| slot.state.update_status += 1);
                }
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
        let interval = interval(config.get("update-status-hook-interval").and_then(|it| it.as_str()));
        if interval != self.interval {
            self.interval = interval;
            self.update_status_due = Instant::now() + jittered(interval);
        }
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

    /// Changes the snapshot and tells of it, unless it is the same as before.
    fn edit(&self, change: impl FnOnce(&mut Slot)) {
        self.slot.send_if_modified(|slot| {
            let before = (slot.ready, slot.state.clone());
            change(slot);
            (slot.ready, &slot.state) != (before.0, &before.1)
        });
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

/// The interval that a model asks for, within what it may.
fn interval(text: Option<&str>) -> Duration {
    text.and_then(go_duration).map_or(INTERVAL, |it| it.clamp(*INTERVALS.start(), *INTERVALS.end()))
}

/// Four fifths to six fifths, so that units do not tick together.
fn jittered(interval: Duration) -> Duration {
    interval.mul_f64(rand::rng().random_range(0.8..=1.2))
}

/// A duration as Go writes it: `1h30m`, `90s`, `5m0s`.
fn go_duration(text: &str) -> Option<Duration> {
    let (mut rest, mut total) = (text.trim(), Duration::ZERO);
    while !rest.is_empty() {
        let digits = rest.find(|it: char| !it.is_ascii_digit() && it != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.find(|it: char| it.is_ascii_digit()).unwrap_or(rest.len());
        let seconds = match &rest[..letters] {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 0.001,
            _ => return None,
        };
        total += Duration::try_from_secs_f64(number * seconds).ok()?;
        rest = &rest[letters..];
    }
    (!total.is_zero()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_bounded_and_spread() {
        for (text, want) in
            [(None, 300), (Some("10m"), 600), (Some("1s"), 60), (Some("24h"), 3600), (Some("soon"), 300)]
        {
            assert_eq!(interval(text).as_secs(), want, "{text:?}");
        }
        for _ in 0..1000 {
            let wait = jittered(INTERVAL);
            assert!((240..=360).contains(&wait.as_secs()), "{wait:?}");
        }
    }

    #[test]
    fn durations_of_go() {
        for (text, want) in [
            ("5m", Some(300_000)),
            ("5m0s", Some(300_000)),
            ("1h30m", Some(5_400_000)),
            ("90s", Some(90_000)),
            ("1.5m", Some(90_000)),
            ("250ms", Some(250)),
            ("", None),
            ("5", None),
            ("m", None),
            ("5d", None),
        ] {
            assert_eq!(go_duration(text).map(|it| it.as_millis()), want, "{text}");
        }
    }
}
