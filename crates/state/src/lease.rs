//! Leases: who leads an application, which controller is responsible for a model.
//!
//! A lease is a document that says who holds it and which controller keeps it; renewing it touches no document. The
//! keeper counts renewals in memory, and only while its own session with the store lives, which is why nobody else
//! may believe that it is gone. It alone expires the lease, a full duration after the last renewal. When a keeper's
//! session has ended, the others wait a full duration from when they saw that, and then may end the lease for it. At a
//! start every lease counts as just renewed. So no two holders overlap, whatever the clocks say: each counts
//! durations on its own, the holder from before it asked, the keeper from after.
//!
//! Time is given to every call, as what the boot-time clock shows.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use juju_core::{ApplicationName, ModelUuid, UnitName};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::{Doc, Error, Key, Prefix, Result, State, Tx, V, model, watch};

/// What the boot-time clock shows.
pub type BootTime = Duration;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    pub v: V<1>,
    pub holder: String,
    /// The controller that counts its renewals.
    pub keeper: String,
    pub seconds: u32,
    /// While there are any, the lease does not expire.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub pins: BTreeSet<String>,
}

impl Doc for Lease {
    const KIND: &'static str = "lease";
}

impl Lease {
    fn duration(&self) -> Duration {
        Duration::from_secs(self.seconds.into())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Namespace {
    /// Named by the application, held by a unit.
    ApplicationLeadership,
    /// Named by the model or the controller, held by a controller's agent.
    SingularController,
}

impl Namespace {
    fn as_str(self) -> &'static str {
        match self {
            Namespace::ApplicationLeadership => "application-leadership",
            Namespace::SingularController => "singular-controller",
        }
    }

    /// The durations that may be asked for, in seconds.
    fn durations(self) -> std::ops::RangeInclusive<u64> {
        match self {
            Namespace::ApplicationLeadership => 5..=300,
            Namespace::SingularController => 1..=60,
        }
    }

    fn denied(self) -> Error {
        match self {
            Namespace::ApplicationLeadership => Error::LeadershipClaimDenied,
            Namespace::SingularController => Error::LeaseClaimDenied,
        }
    }
}

/// Which lease.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaseId {
    pub model: ModelUuid,
    pub namespace: Namespace,
    pub name: String,
}

impl LeaseId {
    pub fn leadership(model: &ModelUuid, application: &ApplicationName) -> LeaseId {
        let name = application.to_string();
        LeaseId { model: model.clone(), namespace: Namespace::ApplicationLeadership, name }
    }

    pub fn singular(model: &ModelUuid, name: impl Into<String>) -> LeaseId {
        LeaseId { model: model.clone(), namespace: Namespace::SingularController, name: name.into() }
    }

    pub(crate) fn key(&self) -> Key<Lease> {
        let LeaseId { model, namespace, name } = self;
        model::key_in(model, format_args!("lease/{}/{name}", namespace.as_str()))
    }
}

fn under(model: &ModelUuid, namespace: Namespace) -> Prefix<Lease> {
    model::prefix_in(model, format_args!("lease/{}/", namespace.as_str()))
}

/// The unit that leads the application, if one does.
pub fn leader(image: &Image, model: &ModelUuid, application: &ApplicationName) -> Result<Option<UnitName>> {
    let lease = LeaseId::leadership(model, application).key().read(image)?;
    lease.map(|it| unit(&it.holder)).transpose()
}

/// The leaders of all applications of a model that have one.
pub fn leaders(image: &Image, model: &ModelUuid) -> Result<HashMap<String, UnitName>> {
    let prefix = under(model, Namespace::ApplicationLeadership);
    let leases = prefix.read(image).map(|it| {
        let (name, lease) = it?;
        Ok((name.to_owned(), unit(&lease.holder)?))
    });
    leases.collect()
}

fn unit(holder: &str) -> Result<UnitName> {
    holder.parse().map_err(|_| Error::Damaged(format!("a leadership lease is held by {holder:?}")))
}

/// Lets the transaction go through only if, at its commit, the unit leads its application.
pub(crate) async fn guard_leader(tx: &Tx, m: &ModelUuid, name: &UnitName) -> Result<()> {
    let application = name.app();
    let lease = LeaseId::leadership(m, application).key().get(tx).await?;
    if lease.is_some_and(|it| it.holder == name.to_string()) {
        return Ok(());
    }
    Err(Error::NotLeader { unit: name.to_string(), application: application.to_string() })
}

/// Ends what leadership the unit has: it is gone, and nobody has to wait for its lease to expire.
pub(crate) async fn drop_leadership(tx: &Tx, m: &ModelUuid, name: &UnitName) -> Result<()> {
    let key = LeaseId::leadership(m, name.app()).key();
    if key.get(tx).await?.is_some_and(|it| it.holder == name.to_string()) {
        key.delete(tx);
    }
    Ok(())
}

/// The leases of one controller: those that it keeps, and those whose keepers it saw end. Clones share it.
#[derive(Clone)]
pub struct LeaseManager(Arc<Inner>);

struct Inner {
    state: State,
    /// This controller's name as a keeper.
    me: String,
    started: BootTime,
    counting: Mutex<Counting>,
    idle: Notify,
}

#[derive(Default)]
struct Counting {
    /// When each lease that is kept here was last renewed.
    renewed: HashMap<LeaseId, BootTime>,
    /// Those for which a write is under way. A renewal in memory waits for it, an expiry passes over it.
    busy: HashSet<LeaseId>,
    /// When each other keeper was seen to have ended.
    ended: HashMap<String, BootTime>,
    /// Until when this controller's own session is known to live; always, where none is set.
    session_until: Option<BootTime>,
}

impl LeaseManager {
    pub fn new(state: State, me: impl Into<String>, now: BootTime) -> LeaseManager {
        let counting = Mutex::default();
        LeaseManager(Arc::new(Inner { state, me: me.into(), started: now, counting, idle: Notify::new() }))
    }

    /// The store has confirmed this controller's session until then. A store that only this process has open needs
    /// no such word.
    pub fn session_lives_until(&self, until: BootTime) {
        self.counting().session_until = Some(until);
    }

    /// These are the controllers whose sessions live.
    pub fn saw_sessions(&self, live: &BTreeSet<String>, now: BootTime) -> Result<()> {
        let keepers: BTreeSet<String> = self.all()?.into_iter().map(|(_, it)| it.keeper.clone()).collect();
        let mut counting = self.counting();
        counting.ended.retain(|it, _| !live.contains(it));
        for keeper in keepers {
            if keeper != self.0.me && !live.contains(&keeper) {
                counting.ended.entry(keeper).or_insert(now);
            }
        }
        Ok(())
    }

    /// Takes the lease, or extends it to a full duration from now. It is denied while another holds it, whatever
    /// the time.
    pub async fn claim(&self, id: &LeaseId, holder: &str, duration: Duration, now: BootTime) -> Result<()> {
        let seconds = whole_seconds(duration);
        if !id.namespace.durations().contains(&seconds) {
            return Err(Error::not_valid(format!("cannot claim lease for {seconds}s")));
        }
        let seconds = seconds as u32;
        let _busy = loop {
            let idle = self.0.idle.notified();
            // In a block of its own: the lock is not held while waiting.
            let begun = {
                let mut counting = self.counting();
                if counting.session_until.is_some_and(|it| it <= now) {
                    return Err(Error::TryAgain("the controller has lost its session with the store".into()));
                }
                if counting.busy.contains(id) {
                    None
                } else {
                    let lease = id.key().read(&self.0.state.image())?;
                    match lease {
                        Some(lease) if lease.holder != holder => return Err(id.namespace.denied()),
                        Some(lease) if lease.keeper == self.0.me && lease.seconds == seconds => {
                            counting.renewed.insert(id.clone(), now);
                            return Ok(());
                        }
                        _ => Some(self.busy(&mut counting, id)),
                    }
                }
            };
            match begun {
                Some(busy) => break busy,
                None => idle.await,
            }
        };
        self.write_claim(id, holder, seconds).await?;
        self.counting().renewed.insert(id.clone(), now);
        Ok(())
    }

    /// Gives the lease up. One that is not there is given up already.
    pub async fn revoke(&self, id: &LeaseId, holder: &str) -> Result<()> {
        let (key, holder) = (id.key(), holder.to_owned());
        let revoke = async |tx: Tx| match key.get(&tx).await? {
            None => Ok(()),
            Some(lease) if lease.holder == holder => {
                key.delete(&tx);
                Ok(())
            }
            Some(_) => Err(Error::LeaseNotHeld),
        };
        self.0.state.transact(revoke).await
    }

    /// Keeps the lease from expiring for as long as `entity` pins it. A lease that is not there cannot be pinned.
    pub async fn pin(&self, id: &LeaseId, entity: &str) -> Result<()> {
        self.change_pins(id, entity, |pins, entity| pins.insert(entity)).await
    }

    pub async fn unpin(&self, id: &LeaseId, entity: &str) -> Result<()> {
        self.change_pins(id, entity, |pins, entity| pins.remove(&entity)).await
    }

    /// Waits until nobody holds the lease.
    pub async fn released(&self, id: &LeaseId) -> Result<()> {
        let key = id.key();
        let mut watcher = watch::notify(self.0.state.view(), Interest::key(key.path()))?;
        while key.read(&self.0.state.image())?.is_some() {
            watcher.next().await?;
        }
        Ok(())
    }

    /// Ends the leases that have expired. Whoever is told to do this does it about every second.
    pub async fn expire(&self, now: BootTime) -> Result<Vec<LeaseId>> {
        let mut expired = Vec::new();
        for (id, _) in self.all()? {
            let Some(_busy) = self.begin_expiry(&id, now)? else { continue };
            let key = id.key();
            let seen = key.read(&self.0.state.image())?;
            let end = async |tx: Tx| {
                let ends = key.get(&tx).await? == seen;
                if ends {
                    key.delete(&tx);
                }
                Ok(ends)
            };
            if self.0.state.transact(end).await? {
                self.counting().renewed.remove(&id);
                tracing::debug!(lease = %id.name, model = %id.model, "a lease expired");
                expired.push(id);
            }
        }
        Ok(expired)
    }

    /// All leases, by model.
    fn all(&self) -> Result<Vec<(LeaseId, Arc<Lease>)>> {
        let image = self.0.state.image();
        let mut all = Vec::new();
        for model in model::uuids(&image) {
            for namespace in [Namespace::ApplicationLeadership, Namespace::SingularController] {
                for lease in under(&model, namespace).read(&image) {
                    let (name, lease) = lease?;
                    all.push((LeaseId { model: model.clone(), namespace, name: name.to_owned() }, lease));
                }
            }
        }
        Ok(all)
    }

    async fn write_claim(&self, id: &LeaseId, holder: &str, seconds: u32) -> Result<()> {
        let (key, id, holder, me) = (id.key(), id.clone(), holder.to_owned(), self.0.me.clone());
        let claim = async |tx: Tx| {
            let pins = match key.get(&tx).await? {
                Some(lease) if lease.holder != holder => return Err(id.namespace.denied()),
                Some(lease) => lease.pins.clone(),
                None => {
                    // Nothing is claimed in a model that is being removed.
                    model::get(&tx, &id.model).await?;
                    BTreeSet::new()
                }
            };
            key.put(&tx, &Lease { v: V, holder: holder.clone(), keeper: me.clone(), seconds, pins })
        };
        self.0.state.transact(claim).await
    }

    async fn change_pins(
        &self,
        id: &LeaseId,
        entity: &str,
        change: fn(&mut BTreeSet<String>, String) -> bool,
    ) -> Result<()> {
        let (key, entity, what) = (id.key(), entity.to_owned(), format!("lease {:?}", id.name));
        let pin = async |tx: Tx| {
            let Some(lease) = key.get(&tx).await? else { return Err(Error::NotFound(what.clone())) };
            let mut lease = Lease::clone(&lease);
            if change(&mut lease.pins, entity.clone()) {
                key.put(&tx, &lease)?;
            }
            Ok(())
        };
        self.0.state.transact(pin).await
    }

    /// Marks the lease busy if it is to end now.
    fn begin_expiry(&self, id: &LeaseId, now: BootTime) -> Result<Option<Busy>> {
        let mut counting = self.counting();
        // What is read under the lock is not older than the last claim that is done.
        let Some(lease) = id.key().read(&self.0.state.image())? else { return Ok(None) };
        let since = if lease.keeper == self.0.me {
            if counting.session_until.is_some_and(|it| it <= now) {
                return Ok(None);
            }
            Some(counting.renewed.get(id).copied().unwrap_or(self.0.started))
        } else {
            counting.ended.get(&lease.keeper).copied()
        };
        let due = since.is_some_and(|it| now >= it + lease.duration());
        if !due || !lease.pins.is_empty() || counting.busy.contains(id) {
            return Ok(None);
        }
        Ok(Some(self.busy(&mut counting, id)))
    }

    fn busy(&self, counting: &mut Counting, id: &LeaseId) -> Busy {
        counting.busy.insert(id.clone());
        Busy { manager: self.clone(), id: id.clone() }
    }

    fn counting(&self) -> MutexGuard<'_, Counting> {
        self.0.counting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A write to a lease is under way.
struct Busy {
    manager: LeaseManager,
    id: LeaseId,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.manager.counting().busy.remove(&self.id);
        self.manager.0.idle.notify_waiters();
    }
}

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
