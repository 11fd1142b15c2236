//! The task that owns all workers of a graph.
//!
//! Everything reaches it as an event: a worker said something, a worker ended, a start is due, the engine has
//! to stop. No handler awaits, so an event is dealt with before the next one, and what is true between two
//! events is always true (see `check_invariants`).

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::{mpsc, watch},
    task::{self, JoinError, JoinSet},
    time::{self, Instant},
};
use tracing::Instrument;

use crate::{
    config::Config,
    exit::{Exit, is_transient},
    graph::{GraphError, check},
    inputs::Outputs,
    key::Name,
    life::Run,
    manifold::Manifold,
    node::{Node, Rest, State},
    scope::{Said, Tell},
    stop::{Lineage, Stop},
};

mod handle;
mod stopping;

pub use handle::Handle;
use handle::Snapshot;
use stopping::Phase;

/// Runs a graph of workers until it is cancelled or one of them reports a fatal error.
pub struct Engine<F> {
    config: Config,
    nodes: BTreeMap<Name, Node<F>>,
    dependents: BTreeMap<Name, Vec<Name>>,
    outputs: Outputs,
    /// The input values, by version, that each running worker was started with.
    #[cfg(debug_assertions)]
    given: BTreeMap<Name, Vec<(Name, Option<u64>)>>,
    tasks: JoinSet<Ended<F>>,
    /// For tasks that end without saying who they were.
    ids: HashMap<task::Id, (Name, u64)>,
    events: mpsc::UnboundedReceiver<Event>,
    tell: mpsc::UnboundedSender<Event>,
    /// Counts runs and published values, so that no two are ever confused.
    counter: u64,
    lineage: Lineage,
    phase: Phase,
    worst: Option<F>,
    late: Vec<Name>,
    snapshot: watch::Sender<Snapshot>,
}

/// How an engine ended.
#[derive(Debug)]
#[must_use]
pub struct Outcome<F> {
    /// The worst fatal error of any worker, the first of equals.
    pub fatal: Option<F>,
    /// The workers that had not stopped by the deadline and were aborted.
    pub late: Vec<Name>,
    /// The workers that even that did not end: they run on, in code that never awaits.
    pub stuck: Vec<Name>,
}

/// Which run of which worker ended, and how.
type Ended<F> = (Name, u64, Exit<F>);

struct Event {
    name: Name,
    run: u64,
    said: Said,
}

impl<F: Ord + fmt::Display + Send + 'static> Engine<F> {
    /// An engine that has not started anything yet.
    pub fn new(config: Config, manifolds: Vec<Manifold<F>>) -> Result<Self, GraphError> {
        let graph = check(manifolds)?;
        let mut dependents = BTreeMap::<Name, Vec<Name>>::new();
        for manifold in graph.values() {
            for need in &manifold.needs {
                let all = dependents.entry(need.name).or_default();
                if !all.contains(&manifold.name) {
                    all.push(manifold.name);
                }
            }
        }
        let nodes = graph.into_iter().map(|(name, manifold)| (name, Node::new(manifold))).collect();
        let (tell, events) = mpsc::unbounded_channel();
        let engine = Engine {
            config,
            nodes,
            dependents,
            outputs: Outputs::default(),
            #[cfg(debug_assertions)]
            given: BTreeMap::new(),
            tasks: JoinSet::new(),
            ids: HashMap::new(),
            events,
            tell,
            counter: 0,
            lineage: Lineage::default(),
            phase: Phase::Running,
            worst: None,
            late: Vec::new(),
            snapshot: watch::Sender::new(Snapshot::none()),
        };
        engine.show("stopped");
        Ok(engine)
    }

    /// Runs until `stop` (a cancellation token, or the scope that the engine nests in) or a fatal error, and
    /// until every task has ended: dependents before their inputs, and by force where the deadline is missed.
    ///
    /// If the future is dropped instead, all workers are dropped wherever they wait; the scope that the engine
    /// nests in, if it does, waits for that.
    pub async fn run(mut self, stop: impl Into<Stop>) -> Outcome<F> {
        let Stop { token, lineage } = stop.into();
        self.lineage = lineage;
        for name in self.nodes.keys().copied().collect::<Vec<_>>() {
            self.start(name);
        }
        loop {
            self.start_due();
            self.check_invariants();
            if self.phase != Phase::Running && self.tasks.is_empty() {
                break;
            }
            self.show(if self.phase == Phase::Running { "started" } else { "stopping" });
            let wake = self.next_wake();
            tokio::select! {
                Some(event) = self.events.recv() => self.said(event),
                Some(joined) = self.tasks.join_next_with_id() => self.joined(joined),
                () = token.cancelled(), if self.phase == Phase::Running => self.stop_all(),
                () = time::sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    if self.on_time().is_break() {
                        break;
                    }
                }
            }
        }
        let stuck: Vec<Name> = self.nodes.iter().filter(|(_, it)| it.is_running()).map(|it| *it.0).collect();
        if !stuck.is_empty() {
            tracing::error!(workers = ?stuck, "workers could not be ended: they never await");
        }
        Outcome { fatal: self.worst.take(), late: std::mem::take(&mut self.late), stuck }
    }

    // Events.

    fn said(&mut self, Event { name, run: id, said }: Event) {
        let Some(node) = self.nodes.get_mut(name) else { return };
        let Some(run) = node.run().filter(|run| run.id == id) else { return };
        let listen = run.told.is_none() && run.leaving.is_none() && self.phase == Phase::Running;
        match said {
            Said::Started => {
                node.mark_started();
                tracing::debug!(worker = name, "worker started");
            }
            // What is published by a worker that has to stop would be withdrawn at once.
            Said::Published(value) if listen => {
                self.counter += 1;
                self.outputs.insert(name, value, self.counter);
                self.bounce_dependents(name);
            }
            Said::Withdrawn if listen => self.withdraw(name),
            Said::Leaving => {
                run.leaving = Some(Instant::now());
                if listen {
                    self.withdraw(name);
                }
            }
            Said::Published(_) | Said::Withdrawn => {}
        }
    }

    fn joined(&mut self, joined: Result<(task::Id, Ended<F>), JoinError>) {
        // What a run said comes before its end. Only so many, so that a talkative worker holds up nobody.
        for _ in 0..self.events.len() {
            if let Ok(event) = self.events.try_recv() {
                self.said(event);
            }
        }
        match joined {
            Ok((id, (name, run, exit))) => {
                self.ids.remove(&id);
                self.ended(name, run, exit);
            }
            // Worker and children are guarded, so this is a filter that panicked, or the runtime is going down.
            Err(err) => {
                if let Some((name, run)) = self.ids.remove(&err.id()) {
                    self.ended(name, run, Exit::Failed(err.into()));
                }
            }
        }
    }

    fn ended(&mut self, name: Name, id: u64, exit: Exit<F>) {
        let Some(node) = self.nodes.get_mut(name) else { return };
        let Some(run) = node.run().filter(|run| run.id == id) else { return };
        let (told, ran) = (run.told.is_some(), run.ran());
        node.state = State::Idle(Rest::Content);
        #[cfg(debug_assertions)]
        self.given.remove(name);
        match &exit {
            Exit::Done | Exit::Uninstall => {
                node.backoff.succeeded();
                node.last_error = None;
            }
            Exit::Waiting(_) => node.backoff.waited(),
            Exit::Bounce => node.backoff.failed(&self.config, ran),
            Exit::Fatal(err) => node.last_error = Some(err.to_string()),
            Exit::Failed(err) => {
                node.backoff.failed(&self.config, ran);
                node.last_error = Some(format!("{err:#}"));
            }
        }
        match exit {
            Exit::Fatal(err) => self.fatal(name, err),
            _ if self.phase != Phase::Running => log_late_failure(name, &exit),
            _ if told => {
                log_late_failure(name, &exit);
                node.schedule(&self.config, self.config.bounce_delay);
            }
            Exit::Done => tracing::debug!(worker = name, "worker is done"),
            Exit::Bounce => {
                node.schedule(&self.config, self.config.bounce_delay);
            }
            Exit::Uninstall => {
                tracing::debug!(worker = name, "worker is never needed again");
                self.nodes.remove(name);
            }
            Exit::Waiting(reason) => {
                tracing::debug!(worker = name, "worker waits: {reason}");
                node.state = State::Idle(Rest::Waiting(reason));
            }
            Exit::Failed(err) => {
                let delay = node.schedule(&self.config, self.config.error_delay);
                log_failure(name, &err, delay);
            }
        }
        self.withdraw(name);
        if self.phase != Phase::Running {
            self.stop_ready();
        }
    }

    fn fatal(&mut self, name: Name, err: F) {
        tracing::info!(worker = name, "worker ends the engine: {err}");
        if self.worst.as_ref().is_none_or(|worst| err > *worst) {
            self.worst = Some(err);
        }
        self.stop_all();
    }

    // Starting and restarting.

    fn start(&mut self, name: Name) {
        let Some(node) = self.nodes.get_mut(name) else { return };
        if self.phase != Phase::Running || node.is_running() {
            return;
        }
        self.counter += 1;
        let (id, events) = (self.counter, self.tell.clone());
        let tell: Tell = Arc::new(move |said| {
            let _ = events.send(Event { name, run: id, said });
        });
        let (run, life) = Run::new(id, name.into(), tell, self.lineage.clone());
        node.state = match node.manifold.missing(&self.outputs).next() {
            Some(_) => State::Idle(Rest::Missing),
            None => match node.manifold.start(&self.outputs, life) {
                None => State::Idle(Rest::Missing),
                Some(worker) => {
                    #[cfg(debug_assertions)]
                    {
                        let needs = node.manifold.needs.iter();
                        let given = needs.map(|need| (need.name, self.outputs.version(need.name)));
                        self.given.insert(name, given.collect());
                    }
                    let held = self.lineage.hold();
                    let task = async move {
                        let _held = held;
                        (name, id, worker.await)
                    };
                    let span = tracing::error_span!("worker", worker = name);
                    self.ids.insert(self.tasks.spawn(task.instrument(span)).id(), (name, id));
                    State::Running(run)
                }
            },
        };
    }

    fn start_due(&mut self) {
        let now = Instant::now();
        let due = self.nodes.iter().filter(|(_, node)| node.due().is_some_and(|at| at <= now));
        for name in due.map(|it| *it.0).collect::<Vec<_>>() {
            self.start(name);
        }
    }

    /// Takes away what a worker has published, if it has, and with it whoever was given it.
    fn withdraw(&mut self, name: Name) {
        if self.outputs.remove(name) {
            self.bounce_dependents(name);
        }
    }

    fn bounce_dependents(&mut self, name: Name) {
        if self.phase == Phase::Running {
            for dependent in self.dependents.get(name).cloned().unwrap_or_default() {
                self.bounce(dependent);
            }
        }
    }

    /// An input of this worker has changed.
    fn bounce(&mut self, name: Name) {
        let Some(node) = self.nodes.get_mut(name) else { return };
        match &mut node.state {
            // Nothing runs that several changes could bounce several times, so there is no reason to wait.
            State::Idle(Rest::Missing) => self.start(name),
            State::Idle(_) | State::Scheduled { .. } => {
                node.schedule(&self.config, self.config.bounce_delay);
            }
            // Its own dependents need not wait for its end to learn that its value is no longer good.
            State::Running(run) => {
                if run.stop() {
                    self.withdraw(name);
                }
            }
        }
    }

    /// No worker runs, unless it has been told to stop, with other inputs than those that are published.
    fn check_invariants(&self) {
        #[cfg(debug_assertions)]
        if self.phase == Phase::Running {
            for (name, given) in &self.given {
                let told = match self.nodes.get(name).map(|it| &it.state) {
                    Some(State::Running(run)) => run.told.is_some(),
                    _ => unreachable!("{name} has inputs and does not run"),
                };
                for (input, version) in given {
                    let now = self.outputs.version(input);
                    debug_assert!(
                        told || now == *version,
                        "{name} runs with {input} at {version:?}, not {now:?}"
                    );
                }
            }
        }
    }
}

impl<F> fmt::Debug for Engine<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("manifolds", &self.nodes.keys()).finish_non_exhaustive()
    }
}

/// Juju's text, for those who search their logs for it.
pub(crate) fn log_failure(name: &str, err: &anyhow::Error, delay: Duration) {
    let text = format!("{name:?} manifold worker returned unexpected error: {err:#}");
    if is_transient(err) {
        tracing::info!(worker = name, restart = ?delay, "{text}");
    } else {
        tracing::error!(worker = name, restart = ?delay, "{text}");
    }
}

/// Errors of workers that were told to stop are mostly about what was taken from them.
fn log_late_failure<F>(name: Name, exit: &Exit<F>) {
    if let Exit::Failed(err) = exit {
        tracing::debug!(worker = name, "worker failed while it stopped: {err:#}");
    }
}
