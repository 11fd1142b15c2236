//! A unit's agent as an engine: what runs beside the uniter, and in which order it all comes up.
//!
//! The connection is not an input of the workers that must outlive it. They are given a [`Link`], which is there from
//! the start and never bounces them; what cannot go on without a connection (a log sender, say) asks for
//! [`API_CALLER`] and is stopped and started with it.

use std::sync::Arc;

use juju_agent::{machine_lock::MachineLock, paths::Paths};
use juju_core::UnitName;
use juju_engine::{self as engine, Engine, Exit, Handle, Key, Manifold, Scope};
use juju_rpc::Connection;
use juju_wire::facade::logger;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    api::{entity, one, unit_tag},
    charm::CharmSource,
    clock::Clock,
    leadership::{self, Leadership},
    link::{self, Dial, Impossible, Link},
    log::LogSink,
    retry::{self, Strategy},
    uniter::{self, End, Inputs},
};

/// All that a unit's agent is told by whoever runs it.
pub struct Config {
    pub unit: UnitName,
    pub paths: Paths,
    /// The agent's version, as charms see it: `3.6.28`.
    pub version: String,
    /// The machine's lock, for this agent.
    pub lock: MachineLock,
    pub charms: Arc<dyn CharmSource>,
    pub log: LogSink,
    /// `PATH` of the process, which hooks get behind their tools.
    pub path: String,
    /// Further variables of hooks: where a machine shares its host, `HOME` and `TMPDIR`.
    pub variables: Vec<(String, String)>,
    /// The machine runs Ubuntu.
    pub ubuntu: bool,
    pub clock: Clock,
    /// Is told of the model's `logging-config`.
    pub logging: Arc<dyn Fn(&str) + Send + Sync>,
}

/// The unit's connection, whenever there is one.
pub const API_CALLER: Key<Connection> = Key::new("api-caller");
/// The way to the controller, connected or not.
pub const LINK: Key<Link> = Key::new("api-link");
pub const LEADERSHIP_TRACKER: Key<Leadership> = Key::new("leadership-tracker");
pub const HOOK_RETRY_STRATEGY: Key<watch::Receiver<Strategy>> = Key::new("hook-retry-strategy");
pub const UNITER: Key<()> = Key::new("uniter");
pub const LOGGING_CONFIG_UPDATER: Key<()> = Key::new("logging-config-updater");

/// The unit is dead, or not known to its controller: its agent is not to be started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("agent should be terminated")]
pub struct Terminate;

/// The workers of a unit. `terminate` is what the engine ends with when the unit does; others may be added to the list.
pub fn manifolds<F: Clone + Send + Sync + 'static>(
    config: Config,
    dial: Dial,
    terminate: F,
) -> Vec<Manifold<F>> {
    let config = Arc::new(config);
    let fatal = move |result: anyhow::Result<()>| {
        Exit::or_fatal(result, |err| {
            let ended = engine::find_error::<Terminate>(err).is_some()
                || engine::find_error::<Impossible>(err).is_some();
            ended.then(|| terminate.clone())
        })
    };
    let (unit, clock) = (config.unit.clone(), config.clock);
    let named = config.clone();
    let logging = config.clone();
    vec![
        Manifold::new(LINK, (), move |(), scope| api_link(dial.clone(), scope), fatal.clone()),
        Manifold::new(API_CALLER, (LINK,), |(link,), scope| api_caller(link, scope), fatal.clone()),
        Manifold::new(
            LEADERSHIP_TRACKER,
            (LINK,),
            move |(link,), scope| leadership_tracker(link, unit.clone(), clock, scope),
            fatal.clone(),
        ),
        Manifold::new(
            HOOK_RETRY_STRATEGY,
            (LINK,),
            move |(link,), scope| hook_retry_strategy(link, named.clone(), scope),
            fatal.clone(),
        ),
        Manifold::new(
            LOGGING_CONFIG_UPDATER,
            (API_CALLER,),
            move |(api,), scope| logging_config_updater(api, logging.clone(), scope),
            fatal.clone(),
        ),
        Manifold::new(
            UNITER,
            (LINK, LEADERSHIP_TRACKER, HOOK_RETRY_STRATEGY),
            move |(link, leadership, strategy), scope| {
                let reported = scope.clone();
                let report = Box::new(move |report| reported.set_report(report));
                uniter_worker(config.clone(), Inputs { link, leadership, strategy, report }, scope)
            },
            fatal,
        ),
    ]
}

/// How a unit's agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The unit is gone. The agent is not to be started again.
    Terminated,
    Stopped,
}

/// Runs a unit's agent, with these workers beside its own, until `cancel` or the unit's end. `started` is given the
/// engine's handle, for reports.
pub async fn run(
    config: Config,
    dial: Dial,
    beside: Vec<Manifold<Terminate>>,
    cancel: CancellationToken,
    started: impl FnOnce(Handle),
) -> anyhow::Result<Ended> {
    let mut workers = manifolds(config, dial, Terminate);
    workers.extend(beside);
    let engine = Engine::new(engine::Config::juju().nested(), workers)?;
    started(engine.handle());
    let outcome = engine.run(cancel).await;
    Ok(match outcome.fatal {
        Some(Terminate) => Ended::Terminated,
        None => Ended::Stopped,
    })
}

/// It ends after all that is given the link, so that the last word of each still reaches the controller.
async fn api_link(dial: Dial, scope: Scope<Link>) -> anyhow::Result<()> {
    let (link, slot) = link::new();
    scope.publish(link);
    match scope.until_cancelled(slot.keep(dial)).await {
        Some(impossible) => Err(impossible.into()),
        None => Ok(()),
    }
}

async fn api_caller(link: Link, scope: Scope<Connection>) -> anyhow::Result<()> {
    let follow = async {
        loop {
            let connection = link.connection().await?;
            scope.publish(connection.clone());
            connection.closed().await;
            scope.withdraw();
        }
    };
    scope.until_cancelled(follow).await.unwrap_or(Ok(()))
}

async fn leadership_tracker(
    link: Link,
    unit: UnitName,
    clock: Clock,
    scope: Scope<Leadership>,
) -> anyhow::Result<()> {
    let (leadership, tracker) = leadership::new(link, unit, clock);
    scope.publish(leadership);
    Ok(scope.until_cancelled(tracker.run()).await.unwrap_or(Ok(()))?)
}

async fn hook_retry_strategy(
    link: Link,
    config: Arc<Config>,
    scope: Scope<watch::Receiver<Strategy>>,
) -> anyhow::Result<()> {
    let (sender, strategy) = watch::channel(Strategy::default());
    scope.publish(strategy);
    Ok(scope.until_cancelled(retry::follow(link, &config.unit, sender)).await.unwrap_or(Ok(()))?)
}

async fn logging_config_updater(api: Connection, config: Arc<Config>, scope: Scope) -> anyhow::Result<()> {
    let tag = unit_tag(&config.unit.to_string());
    let follow = async {
        let mut result =
            one(api.call::<logger::call::WatchLoggingConfig>(entity(tag.clone())).await?.results)?;
        if let Some(error) = result.error.take() {
            return Err(error.into());
        }
        let mut watcher = api.notify_watcher(result.notify_watcher_id);
        loop {
            let result = one(api.call::<logger::call::LoggingConfig>(entity(tag.clone())).await?.results)?;
            match result.error {
                Some(error) => return Err(error.into()),
                None => (config.logging)(&result.result),
            }
            watcher.next().await?;
        }
    };
    scope.until_cancelled(follow).await.unwrap_or(Ok(()))
}

async fn uniter_worker(config: Arc<Config>, inputs: Inputs, scope: Scope) -> anyhow::Result<()> {
    scope.publish(());
    match uniter::run(config, inputs, scope.token()).await? {
        End::Terminated => Err(Terminate.into()),
        End::Stopped => Ok(()),
    }
}
