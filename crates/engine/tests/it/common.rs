//! What the tests share: a log of what happened, and an engine in the background.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use juju_engine::{
    Config, Engine, Exit, Handle, Input, Inputs, Key, Manifold, Need, Outcome, Outputs, Scope,
};
use tokio::{task::JoinHandle, time};
use tokio_util::sync::CancellationToken;

pub(crate) const A: Key<u32> = Key::new("a");
pub(crate) const B: Key<u32> = Key::new("b");
pub(crate) const C: Key<u32> = Key::new("c");

/// A fatal error: compared by its rank alone, so that equals can be told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fatal(pub(crate) u8, pub(crate) &'static str);

impl PartialEq for Fatal {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl Eq for Fatal {}
impl PartialOrd for Fatal {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Fatal {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl fmt::Display for Fatal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agent should {}", self.1)
    }
}

/// What happened, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }
    /// What was added since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
    pub(crate) fn count(&self, line: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|it| *it == line).count()
    }
    /// Says `line` when it is dropped.
    pub(crate) fn at_end(&self, line: &str) -> AtEnd {
        AtEnd(self.clone(), line.to_owned())
    }
}

pub(crate) struct AtEnd(Log, String);

impl Drop for AtEnd {
    fn drop(&mut self) {
        self.0.add(self.1.clone());
    }
}

/// Juju's numbers without jitter, so that tests can name times.
pub(crate) fn config() -> Config {
    Config { jitter: 0.0, ..Config::juju() }
}

pub(crate) struct Background {
    pub(crate) handle: Handle,
    pub(crate) cancel: CancellationToken,
    task: JoinHandle<Outcome<Fatal>>,
}

pub(crate) fn run(manifolds: Vec<Manifold<Fatal>>) -> Background {
    run_with(config(), manifolds)
}

pub(crate) fn run_with(config: Config, manifolds: Vec<Manifold<Fatal>>) -> Background {
    let engine = Engine::new(config, manifolds).expect("the graph is well formed");
    let cancel = CancellationToken::new();
    Background { handle: engine.handle(), cancel: cancel.clone(), task: tokio::spawn(engine.run(cancel)) }
}

impl Background {
    /// Stops it and waits for its end.
    pub(crate) async fn stop(self) -> Outcome<Fatal> {
        self.cancel.cancel();
        self.ended().await
    }

    /// Waits for its end, without asking for it.
    pub(crate) async fn ended(self) -> Outcome<Fatal> {
        self.task.await.expect("the engine does not panic")
    }

    pub(crate) fn state(&self, name: &str) -> &'static str {
        self.handle.report().manifolds[name].state
    }
}

/// Lets `millis` of paused time pass, and everything happen that is due until then.
pub(crate) async fn pass(millis: u64) {
    time::sleep(Duration::from_millis(millis)).await;
}

/// A worker that publishes a value, and logs its start and its end.
pub(crate) fn steady(log: &Log, key: Key<u32>, value: u32) -> Manifold<Fatal> {
    let log = log.clone();
    Manifold::new(key, (), move |(), scope| stay(log.clone(), scope, value), Exit::of)
}

/// The worker of [`steady`].
pub(crate) async fn stay(log: Log, scope: Scope<u32>, value: u32) -> anyhow::Result<()> {
    log.add(format!("{} up {value}", scope.name()));
    scope.publish(value);
    scope.cancelled().await;
    log.add(format!("{} down", scope.name()));
    Ok(())
}

/// Inputs whose number is known at run time only.
pub(crate) struct Many(Vec<Key<u32>>);

impl Many {
    pub(crate) fn required(keys: Vec<Key<u32>>) -> Self {
        Many(keys)
    }
}

impl Inputs for Many {
    type Values = Vec<u32>;
    fn needs(&self) -> Vec<Need> {
        self.0.iter().map(Input::need).collect()
    }
    fn values(&self, outputs: &Outputs) -> Option<Vec<u32>> {
        self.0.iter().map(|key| key.resolve(outputs)).collect()
    }
}
