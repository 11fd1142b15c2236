//! The handles through which everything is done: [`State`] for the controller, [`Model`] for one of its models.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;
use juju_core::ModelUuid;
use juju_store::{Image, Txn, View, transact};

use crate::{History, Presence, Result, history, model};

/// A controller's state. Clones share it.
///
/// What is read comes from one [`View`] in memory; what is written is a transaction on the store behind it, and is to
/// be seen in the view when the call that wrote it returns.
#[derive(Clone)]
pub struct State(Arc<Inner>);

struct Inner {
    view: View,
    clock: Clock,
    history: History,
    presence: Presence,
}

/// Where the time in documents comes from.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The clock on the wall.
    pub fn system() -> Clock {
        Clock::new(Timestamp::now)
    }

    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl State {
    pub fn new(view: View, clock: Clock, history: History) -> State {
        State(Arc::new(Inner { view, clock, history, presence: Presence::default() }))
    }

    pub fn view(&self) -> &View {
        &self.0.view
    }

    /// Everything as it is now; it does not change while it is read.
    pub fn image(&self) -> Image {
        self.0.view.image()
    }

    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub fn history(&self) -> &History {
        &self.0.history
    }

    pub fn presence(&self) -> &Presence {
        &self.0.presence
    }

    /// The model with this id; fails if there is none. One that is removed meanwhile makes later calls fail.
    pub fn model(&self, uuid: &ModelUuid) -> Result<Model> {
        model::read(&self.image(), uuid)?;
        Ok(Model { state: self.clone(), uuid: uuid.clone() })
    }

    /// Runs a transaction; see [`transact`]. Statuses that it set go to the history once it is committed.
    pub(crate) async fn transact<T, F>(&self, mut body: impl FnMut(Tx) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let now = self.now();
        let effects = Arc::new(Mutex::default());
        let mut attempt = 0;
        let run = |txn: Txn| {
            attempt += 1;
            // What an attempt before this one left is not to happen.
            *lock(&effects) = Effects::default();
            body(Tx { txn, now, attempt, effects: Arc::clone(&effects) })
        };
        let (value, _) = transact(&self.0.view, run).await?;
        let history = std::mem::take(&mut lock(&effects).history);
        for (model, entries) in history {
            self.0.history.record(model.as_str(), &entries);
        }
        Ok(value)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("revision", &self.0.view.revision()).finish_non_exhaustive()
    }
}

/// One model of a controller. Clones share it.
#[derive(Clone, Debug)]
pub struct Model {
    state: State,
    uuid: ModelUuid,
}

impl Model {
    pub fn uuid(&self) -> &ModelUuid {
        &self.uuid
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn view(&self) -> &View {
        self.state.view()
    }

    pub fn image(&self) -> Image {
        self.state.image()
    }

    pub(crate) async fn transact<T, F>(&self, body: impl FnMut(Tx) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        self.state.transact(body).await
    }
}

/// How often a transaction is run before it looks for a way to meet others less.
const CROWDED: u32 = 3;

/// A transaction under way: the store's, the time at which it happens, and what follows upon its commit.
pub struct Tx {
    pub(crate) txn: Txn,
    pub(crate) now: Timestamp,
    attempt: u32,
    effects: Arc<Mutex<Effects>>,
}

#[derive(Default)]
struct Effects {
    history: BTreeMap<ModelUuid, Vec<history::Entry>>,
    queued: u32,
}

impl Tx {
    /// Whether others keep changing what it reads. What can be looked at afterwards, is then better left to that.
    pub(crate) fn is_crowded(&self) -> bool {
        self.attempt > CROWDED
    }

    /// Leaves an entry for the model's status history.
    pub(crate) fn record(&self, m: &ModelUuid, entry: history::Entry) {
        lock(&self.effects).history.entry(m.clone()).or_default().push(entry);
    }

    /// Counts the cleanups that the transaction has queued, which keeps them in order.
    pub(crate) fn next_queued(&self) -> u32 {
        let mut effects = lock(&self.effects);
        effects.queued += 1;
        effects.queued
    }
}

fn lock(effects: &Mutex<Effects>) -> MutexGuard<'_, Effects> {
    effects.lock().unwrap_or_else(PoisonError::into_inner)
}
