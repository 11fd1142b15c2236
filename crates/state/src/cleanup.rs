//! Deferred work: what a transaction leaves to be done after it.
//!
//! A transaction that begins something long queues a document; the cleaner does what is due, in the order in which it
//! was queued, and then removes the document. Each kind of work is a function that may be run again from the start: a
//! run that fails, or is killed, leaves the document for the next one.

use std::time::Duration;

use jiff::Timestamp;
use juju_core::{ApplicationName, CharmUrl, MachineId, ModelUuid, RelationId, UnitName};
use juju_store::Interest;
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V, application, charm, commit, destroy, machine, model,
    relation, unit,
    watch::{self, Watcher},
};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CleanupDoc {
    pub v: V<1>,
    pub work: Work,
}

impl Doc for CleanupDoc {
    const KIND: &'static str = "cleanup";
}

/// How something is to be destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct How {
    /// Errors on the way become warnings, and what does not go by itself is removed.
    pub force: bool,
    /// How long each step may take by itself before it is forced.
    pub max_wait_seconds: u64,
    #[serde(default)]
    pub destroy_storage: bool,
}

impl How {
    /// Everything in its own time.
    pub const GENTLY: How = How { force: false, max_wait_seconds: 60, destroy_storage: false };

    /// With force, `max_wait` (a minute where nothing is said) after each step.
    pub fn forced(max_wait: Option<Duration>) -> How {
        let max_wait_seconds = max_wait.map_or(60, |it| it.as_secs());
        How { force: true, max_wait_seconds, destroy_storage: false }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Work {
    /// The settings of a relation that was removed.
    Settings {
        relation: RelationId,
    },
    ForceDestroyRelation {
        relation: RelationId,
    },
    /// The units of a dying application.
    Units {
        application: ApplicationName,
        how: How,
    },
    /// The rest of a dying application without units and relations.
    Application {
        application: ApplicationName,
    },
    /// A charm that may have lost its last reference.
    Charm {
        url: CharmUrl,
    },
    /// An application's settings for a charm that it may no longer use.
    CharmConfig {
        application: ApplicationName,
        url: CharmUrl,
    },
    DyingUnit {
        unit: UnitName,
        how: How,
    },
    ForceDestroyUnit {
        unit: UnitName,
        how: How,
    },
    ForceRemoveUnit {
        unit: UnitName,
    },
    DyingMachine {
        machine: MachineId,
        how: How,
    },
    /// Takes a machine down with all that is on it.
    ForceDestroyMachine {
        machine: MachineId,
        how: How,
    },
    ForceRemoveMachine {
        machine: MachineId,
    },
    /// All applications of a dying model.
    Applications {
        how: How,
    },
    /// All machines of a dying model, but the controller's.
    Machines {
        how: How,
    },
    /// All hosted models of a dying controller.
    Models {
        how: How,
    },
    /// The units of a deploy that were too many for one transaction.
    AddUnits(unit::MoreUnits),
    /// A dying relation, or application, that many left at once.
    LeftRelation {
        relation: RelationId,
    },
    LeftApplication {
        application: ApplicationName,
    },
    /// What a hook has said in more relations than one transaction can hold.
    FinishHook {
        unit: UnitName,
    },
}

fn prefix(m: &ModelUuid) -> Prefix<CleanupDoc> {
    model::prefix_in(m, "cleanup/")
}

/// Queues work, due now.
pub(crate) fn queue(tx: &Tx, m: &ModelUuid, work: Work) -> Result<()> {
    queue_at(tx, m, tx.now, work)
}

/// Queues work that is due once its destroyer has waited long enough.
pub(crate) fn queue_after(tx: &Tx, m: &ModelUuid, how: How, work: Work) -> Result<()> {
    let wait = jiff::SignedDuration::from_secs(how.max_wait_seconds.min(u32::MAX.into()) as i64);
    let due = tx.now.saturating_add(wait).unwrap_or(tx.now);
    queue_at(tx, m, due, work)
}

fn queue_at(tx: &Tx, m: &ModelUuid, due: Timestamp, work: Work) -> Result<()> {
    // In order of due time, then of the transactions, then within each. The last part keeps apart what two
    // transactions queue in one moment.
    let (due, now, random) = (due.as_millisecond(), tx.now.as_millisecond(), rand::random::<u32>());
    let name = format!("cleanup/{due:015}-{now:015}-{:03}-{random:08x}", tx.next_queued());
    model::key_in(m, name).put(tx, &CleanupDoc { v: V, work })
}

/// When the work of this name is due.
fn due(name: &str) -> Option<Timestamp> {
    let millis = name.split('-').next()?.parse().ok()?;
    Timestamp::from_millisecond(millis).ok()
}

impl Model {
    /// Does all work that is due, also what that queues in turn, and answers when the next is. What fails stays, and
    /// does not keep the rest from being done.
    pub async fn run_cleanups(&self) -> Result<Option<Timestamp>> {
        let mut failed = std::collections::BTreeSet::new();
        loop {
            let (image, prefix, now) = (self.image(), prefix(self.uuid()), self.state().now());
            let is_due = |name: &str| due(name).is_none_or(|it| it <= now);
            let names = || prefix.read_names(&image).filter(|it| !failed.contains(*it));
            let Some(name) = names().find(|it| is_due(it)).map(str::to_owned) else {
                return Ok(names().filter_map(due).min());
            };
            let key = model::key_in::<CleanupDoc>(self.uuid(), format_args!("cleanup/{name}"));
            let Some(doc) = key.read(&image)? else { continue };
            match self.clean_up(&key, &doc.work).await {
                Ok(()) => {
                    let done = async |tx: Tx| {
                        key.delete(&tx);
                        Ok(())
                    };
                    self.transact(done).await?;
                }
                Err(Error::TryAgain(reason)) => {
                    tracing::debug!(model = %self.uuid(), work = ?doc.work, reason, "a cleanup has to wait");
                    failed.insert(name);
                }
                Err(err) => {
                    let error = format!("{:#}", anyhow::Error::from(err));
                    tracing::warn!(model = %self.uuid(), work = ?doc.work, error, "a cleanup failed");
                    failed.insert(name);
                }
            }
        }
    }

    /// How much is queued.
    pub fn cleanups(&self) -> usize {
        prefix(self.uuid()).read_names(&self.image()).count()
    }

    /// Tells when something is queued or done.
    pub fn watch_cleanups(&self) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::prefix(prefix(self.uuid()).path()))
    }

    async fn clean_up(&self, queued: &Key<CleanupDoc>, work: &Work) -> Result<()> {
        tracing::debug!(model = %self.uuid(), ?work, "cleaning up");
        match work.clone() {
            Work::Settings { relation } => relation::clean_settings(self, relation).await,
            Work::ForceDestroyRelation { relation } => relation::force_destroy(self, relation).await,
            Work::Units { application, how } => application::clean_units(self, application, how).await,
            Work::Application { application } => application::clean(self, application).await,
            Work::Charm { url } => charm::clean(self, url).await,
            Work::CharmConfig { application, url } => application::clean_config(self, application, url).await,
            Work::DyingUnit { unit, how } => unit::clean_dying(self, unit, how).await,
            Work::ForceDestroyUnit { unit, how } => unit::force_destroy(self, unit, how).await,
            Work::ForceRemoveUnit { unit } => unit::force_remove(self, unit).await,
            Work::DyingMachine { machine, how } => machine::clean_dying(self, machine, how).await,
            Work::ForceDestroyMachine { machine, how } => machine::force_destroy(self, machine, how).await,
            Work::ForceRemoveMachine { machine } => machine::force_remove(self, machine).await,
            Work::Applications { how } => destroy::clean_applications(self, how).await,
            Work::Machines { how } => destroy::clean_machines(self, how).await,
            Work::Models { how } => destroy::clean_models(self, how).await,
            Work::LeftRelation { relation } => relation::clean_left(self, relation).await,
            Work::LeftApplication { application } => application::clean_left(self, application).await,
            Work::FinishHook { unit } => commit::finish(self, &unit).await,
            Work::AddUnits(more) => unit::add_more(self, more, queued).await,
        }
    }
}
