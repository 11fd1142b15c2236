//! A changing set of workers of one kind: one a unit, one a model.
//!
//! The owner says through the [`Control`] which are wanted; the [`Runner`] starts those that are missing and
//! stops those that are too many. A worker that ends well is forgotten, and is started again only once it has
//! left the wanted set and come back. One that fails is started again after a delay that grows, unless the
//! owner calls the error fatal: then all stop and it rises. Of a worker's [`Request`](crate::Request)s,
//! `Bounce` restarts it after the bounce delay, `Uninstall` is a good end, and `Waiting` is a failure that
//! nobody is told of, since there are no inputs whose change could end the wait.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, btree_map::Entry},
    convert::Infallible,
    fmt,
    future::Future,
    ops::ControlFlow,
    sync::Arc,
};

use futures_util::{FutureExt, future::BoxFuture};
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::{self, JoinError, JoinSet},
    time::{self, Instant},
};
use tracing::Instrument;

use crate::{
    config::Config,
    engine::log_failure,
    exit::Exit,
    life::Run,
    report::View,
    scope::{Said, Scope, Tell},
    stop::{Lineage, Stop},
};

mod child;
mod control;

use child::{Child, State};
pub use control::Control;

/// Keeps exactly the wanted workers running.
pub struct Runner<K> {
    config: Config,
    start: Start<K>,
    fatal: Fatal,
    children: BTreeMap<K, Child>,
    tasks: JoinSet<Ended<K>>,
    ids: HashMap<task::Id, (K, u64)>,
    events: mpsc::UnboundedReceiver<Event<K>>,
    tell: mpsc::UnboundedSender<Event<K>>,
    counter: u64,
    lineage: Lineage,
    /// The next deadline, and whether what is late has been aborted already.
    stopping: Option<(Instant, bool)>,
    worst: Option<(u32, anyhow::Error)>,
    snapshot: watch::Sender<Arc<[(String, View)]>>,
}

type Start<K> = Arc<dyn Fn(K, Scope) -> BoxFuture<'static, anyhow::Result<()>> + Send + Sync>;
type Fatal = Box<dyn Fn(&anyhow::Error) -> Option<u32> + Send + Sync>;

/// Which run of which worker ended, and how.
type Ended<K> = (K, u64, anyhow::Result<()>);

enum Event<K> {
    Want(BTreeSet<K>),
    Start(K),
    Stop(K, oneshot::Sender<()>),
    Said(K, u64, Said),
}

impl<K: Ord + Clone + fmt::Display + Send + Sync + 'static> Runner<K> {
    /// A runner whose workers are made by `start`. It wants none yet, and no error is fatal.
    pub fn new<W>(config: Config, start: impl Fn(K, Scope) -> W + Send + Sync + 'static) -> (Control<K>, Self)
    where
        W: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let (tell, events) = mpsc::unbounded_channel();
        let (snapshot, seen) = watch::channel(Arc::from([]));
        let control = Control::new(tell.clone(), seen);
        let runner = Runner {
            config,
            start: Arc::new(move |key, scope| start(key, scope).boxed()),
            fatal: Box::new(|_| None),
            children: BTreeMap::new(),
            tasks: JoinSet::new(),
            ids: HashMap::new(),
            events,
            tell,
            counter: 0,
            lineage: Lineage::default(),
            stopping: None,
            worst: None,
            snapshot,
        };
        (control, runner)
    }

    /// Errors for which `importance` has a number end the runner. The most important is what
    /// [`run`](Self::run) returns, the first of equals.
    pub fn fatal(
        mut self,
        importance: impl Fn(&anyhow::Error) -> Option<u32> + Send + Sync + 'static,
    ) -> Self {
        self.fatal = Box::new(importance);
        self
    }

    /// Runs until `stop` (a cancellation token, or the scope that the runner nests in), or until a worker
    /// fails with a fatal error, which it returns; in any case until all workers have ended.
    pub async fn run(mut self, stop: impl Into<Stop>) -> anyhow::Result<()> {
        let Stop { token, lineage } = stop.into();
        self.lineage = lineage;
        loop {
            self.start_due();
            if self.stopping.is_some() && self.tasks.is_empty() {
                break;
            }
            self.show();
            let wake = self.next_wake();
            tokio::select! {
                Some(event) = self.events.recv() => self.told(event),
                Some(joined) = self.tasks.join_next_with_id() => self.joined(joined),
                () = token.cancelled(), if self.stopping.is_none() => self.stop_all(),
                () = time::sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    if self.on_time().is_break() {
                        break;
                    }
                }
            }
        }
        self.worst.take().map_or(Ok(()), |(_, err)| Err(err))
    }

    // Events.

    fn told(&mut self, event: Event<K>) {
        match event {
            Event::Said(key, id, said) => {
                if let Some(child) = self.children.get_mut(&key) {
                    child.said(id, &said);
                }
            }
            Event::Stop(key, done) => self.unwant(&key, Some(done)),
            // From here on nothing new is begun.
            _ if self.stopping.is_some() => {}
            Event::Start(key) => self.want(key, false),
            Event::Want(keys) => {
                let rest: Vec<K> = self.children.keys().filter(|key| !keys.contains(key)).cloned().collect();
                for key in rest {
                    self.unwant(&key, None);
                }
                for key in keys {
                    self.want(key, true);
                }
            }
        }
    }

    fn joined(&mut self, joined: Result<(task::Id, Ended<K>), JoinError>) {
        // What was said before its end comes first. Only so much, so that nobody is held up by talk.
        for _ in 0..self.events.len() {
            if let Ok(event) = self.events.try_recv() {
                self.told(event);
            }
        }
        match joined {
            Ok((id, (key, run, result))) => {
                self.ids.remove(&id);
                self.ended(key, run, result);
            }
            // Workers and their children are guarded: the runtime is going down.
            Err(err) => {
                if let Some((key, run)) = self.ids.remove(&err.id()) {
                    self.ended(key, run, Err(err.into()));
                }
            }
        }
    }

    fn ended(&mut self, key: K, id: u64, result: anyhow::Result<()>) {
        let Some(child) = self.children.get_mut(&key) else { return };
        let Some(run) = child.run().filter(|run| run.id == id) else { return };
        let (told, ran) = (run.told.is_some(), run.ran());
        child.state = State::Finished;
        for done in child.waiters.drain(..) {
            let _ = done.send(());
        }
        if let Err(err) = &result {
            child.last_error = Some(format!("{err:#}"));
            if let Some(importance) = (self.fatal)(err) {
                tracing::info!(worker = %key, "worker ends its runner: {err:#}");
                return self.rise(importance, result);
            }
        }
        if self.stopping.is_some() || !child.wanted {
            self.children.remove(&key);
            return;
        }
        let exit = Exit::<Infallible>::of(result);
        match exit {
            // It is wanted again since it was told to stop.
            _ if told => self.start(key),
            Exit::Done | Exit::Uninstall if child.listed => {}
            Exit::Done | Exit::Uninstall => {
                self.children.remove(&key);
            }
            Exit::Bounce => {
                child.backoff.failed(&self.config, ran);
                child.schedule(&self.config, self.config.bounce_delay);
            }
            Exit::Waiting(_) => {
                child.backoff.failed(&self.config, ran);
                child.schedule(&self.config, self.config.error_delay);
            }
            Exit::Failed(err) => {
                child.backoff.failed(&self.config, ran);
                let delay = child.schedule(&self.config, self.config.error_delay);
                log_failure(&key.to_string(), &err, delay);
            }
            Exit::Fatal(never) => match never {},
        }
    }

    fn rise(&mut self, importance: u32, result: anyhow::Result<()>) {
        if let Err(err) = result
            && self.worst.as_ref().is_none_or(|(worst, _)| importance > *worst)
        {
            self.worst = Some((importance, err));
        }
        self.stop_all();
    }

    // What is wanted.

    fn want(&mut self, key: K, listed: bool) {
        let begin = match self.children.entry(key.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(Child::new(listed));
                true
            }
            Entry::Occupied(mut entry) => {
                let child = entry.get_mut();
                // One that is stopping starts again when it has stopped.
                child.wanted = true;
                child.listed = listed;
                // Naming a single worker that has finished asks for it anew; a list only repeats itself.
                !listed && matches!(child.state, State::Finished)
            }
        };
        if begin {
            self.start(key);
        }
    }

    fn unwant(&mut self, key: &K, done: Option<oneshot::Sender<()>>) {
        // If there is nothing to wait for, dropping `done` answers.
        let Some(child) = self.children.get_mut(key) else { return };
        child.wanted = false;
        match &mut child.state {
            State::Running(run) => {
                run.stop();
                child.waiters.extend(done);
            }
            State::Scheduled { .. } | State::Finished => {
                self.children.remove(key);
            }
        }
    }

    fn start(&mut self, key: K) {
        let Some(child) = self.children.get_mut(&key) else { return };
        self.counter += 1;
        let id = self.counter;
        let tell: Tell = {
            let (key, events) = (key.clone(), self.tell.clone());
            Arc::new(move |said| {
                let _ = events.send(Event::Said(key.clone(), id, said));
            })
        };
        let name = key.to_string();
        let span = tracing::error_span!("worker", worker = name);
        let (run, life) = Run::new(id, name.into(), tell, self.lineage.clone());
        child.state = State::Running(run);
        let (start, wanted) = (self.start.clone(), key.clone());
        let worker = life.run(move |scope| async move { start(wanted, Scope::new(scope)).await }.boxed());
        let (held, owner) = (self.lineage.hold(), key.clone());
        let task = async move {
            let _held = held;
            (owner, id, worker.await)
        };
        self.ids.insert(self.tasks.spawn(task.instrument(span)).id(), (key, id));
    }

    fn start_due(&mut self) {
        let now = Instant::now();
        let due = self.children.iter().filter(|(_, child)| child.due().is_some_and(|at| at <= now));
        for key in due.map(|it| it.0.clone()).collect::<Vec<_>>() {
            self.start(key);
        }
    }

    // Stopping.

    fn stop_all(&mut self) {
        if self.stopping.is_none() {
            self.stopping = Some((Instant::now() + self.config.stop_timeout, false));
            self.children.retain(|_, child| child.run().map(Run::stop).is_some());
        }
    }

    fn next_wake(&self) -> Option<Instant> {
        let children = self.children.values().filter_map(|child| match &child.state {
            State::Scheduled { at, .. } => Some(*at),
            State::Running(run) => run.warn_at(self.config.slow_stop),
            State::Finished => None,
        });
        children.chain(self.stopping.map(|it| it.0)).min()
    }

    /// Breaks if all means of stopping are exhausted.
    fn on_time(&mut self) -> ControlFlow<()> {
        let now = Instant::now();
        let slow = self.config.slow_stop;
        for (key, child) in &mut self.children {
            if let Some(run) = child.run().filter(|run| run.warn_at(slow).is_some_and(|at| at <= now)) {
                run.warned = true;
                tracing::warn!(worker = %key, "worker has been stopping for {slow:?}");
            }
        }
        let Some((deadline, aborted)) = self.stopping else { return ControlFlow::Continue(()) };
        if deadline > now {
            return ControlFlow::Continue(());
        }
        let late: Vec<String> = self.children.keys().map(K::to_string).collect();
        if aborted {
            tracing::error!(workers = ?late, "workers could not be ended: they never await");
            return ControlFlow::Break(());
        }
        tracing::error!(workers = ?late, "workers have not stopped in time and are aborted");
        for child in self.children.values_mut() {
            child.run().map(Run::abort);
        }
        self.stopping = Some((now + self.config.abort_grace, true));
        ControlFlow::Continue(())
    }

    fn show(&self) {
        let shown = self.children.iter().filter(|(_, child)| !matches!(child.state, State::Finished));
        self.snapshot.send_replace(shown.map(|(key, child)| (key.to_string(), child.view())).collect());
    }
}

impl<K> Drop for Runner<K> {
    fn drop(&mut self) {
        self.snapshot.send_replace(Arc::from([]));
    }
}

impl<K: fmt::Debug> fmt::Debug for Runner<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").field("workers", &self.children.keys()).finish_non_exhaustive()
    }
}
