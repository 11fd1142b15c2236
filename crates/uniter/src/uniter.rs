//! The unit's life: it learns where it is, then asks the resolver what to do and does it, until the unit's end.

mod start;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use juju_wire::code;
use serde_json::json;
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{
    api::Api,
    charm::DeployError,
    leadership::Leadership,
    link::{ApiError, Link},
    operation::{Executor, OperationError, Outcome, chain},
    relations,
    remote::{Life, RemoteState, Snapshot, Watcher},
    resolver::{self, Action, Charm, Deploy, LocalState, Memory, Relation},
    retry::{Backoff, Strategy},
    state::{InvalidState, Op},
    unit::Config,
};

/// How long an agent that is stopping may take to save that its hook has to run again.
const LAST_WORDS: Duration = Duration::from_secs(10);
/// Between looks at a unit that cannot die yet.
const DYING_PAUSE: Duration = Duration::from_secs(5);

/// Why the unit agent did not go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UniterError {
    #[error("cannot learn about the unit")]
    Start(#[source] ApiError),
    #[error("cannot use the saved state of the unit")]
    State(#[from] InvalidState),
    #[error("cannot prepare the unit's files")]
    Files(#[source] anyhow::Error),
    #[error("resolver loop error")]
    Operation(#[from] OperationError),
    #[error("cannot watch the unit")]
    Watch(#[source] ApiError),
}

/// How a unit agent ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The unit is dead; there is nothing to start again.
    Terminated,
    Stopped,
}

/// What a unit agent needs beside its configuration.
pub(crate) struct Inputs {
    pub(crate) link: Link,
    pub(crate) leadership: Leadership,
    pub(crate) strategy: watch::Receiver<Strategy>,
    /// Is told where the unit is, whenever that changes.
    pub(crate) report: Report,
}

pub(crate) type Report = Box<dyn Fn(serde_json::Value) + Send + Sync>;

/// Runs until the unit's end, or until `stop` is cancelled. A hook that runs then is ended and saved as one that has to
/// run again.
pub(crate) async fn run(
    config: Arc<Config>,
    inputs: Inputs,
    stop: CancellationToken,
) -> Result<End, UniterError> {
    let deadline = async {
        stop.cancelled().await;
        sleep(LAST_WORDS).await;
    };
    tokio::select! {
        ended = live(config, inputs, stop.clone()) => ended,
        () = deadline => Ok(End::Stopped),
    }
}

async fn live(config: Arc<Config>, inputs: Inputs, stop: CancellationToken) -> Result<End, UniterError> {
    let starting = async {
        let api = Api::new(inputs.link.clone(), &config.unit);
        Uniter::start(config, api, inputs, stop.clone()).await
    };
    // Nothing is under way yet that would have to be ended with care.
    let Some(started) = stop.run_until_cancelled(starting).await else { return Ok(End::Stopped) };
    let Some(mut uniter) = started? else { return Ok(End::Terminated) };
    let ended = uniter.run().await;
    if let Err(err) = &ended
        && !stop.is_cancelled()
    {
        tracing::error!("resolver loop error: {}", chain(err));
        // If this does not reach the controller the next start will tell it more.
        let tell = uniter.executor.set_status("failed", "resolver loop error", BTreeMap::new());
        let _ = tokio::time::timeout(LAST_WORDS, tell).await;
    }
    ended
}

struct Uniter {
    executor: Executor,
    report: Report,
    strategy: watch::Receiver<Strategy>,
    backoff: Backoff,
    retry_at: Option<Instant>,
    /// Counts the ticks of the retry timer.
    retries: u64,
}

/// What ends one round of the loop.
enum Round {
    End(End),
    /// Watch anew.
    Restart,
}

impl Uniter {
    async fn run(&mut self) -> Result<End, UniterError> {
        loop {
            if let Some(end) = self.enter().await? {
                return Ok(end);
            }
            let (watcher, snapshot) =
                Watcher::new(self.executor.api.clone(), &self.executor.services.leadership);
            let round = tokio::select! {
                err = watcher.run() => return Err(UniterError::Watch(err)),
                round = self.round(snapshot) => round?,
            };
            match round {
                Round::End(end) => return Ok(end),
                Round::Restart => {}
            }
        }
    }

    /// Puts the charm in place and learns about relations, before anything is watched.
    async fn enter(&mut self) -> Result<Option<End>, UniterError> {
        let executor = &mut self.executor;
        let local = &mut executor.local;
        let rebooted = local.memory.rebooted;
        local.memory = Memory {
            rebooted,
            subordinates_told: local.memory.subordinates_told,
            end_requested: local.memory.end_requested,
            ..Memory::default()
        };
        let unwatched = Default::default();
        let (_, unseen) = Watcher::new(executor.api.clone(), &executor.services.leadership);
        if let Op::Install { charm, .. } = &local.state.op {
            let action = Action::Deploy { charm: charm.clone(), how: Deploy::Install };
            if executor.run(action, &unwatched, &unseen).await? == Outcome::Stopped {
                return Ok(Some(End::Stopped));
            }
        } else {
            self.restore_charm().await?;
        }
        let executor = &mut self.executor;
        let (wanted, _) = executor.api.charm_url().await.map_err(OperationError::from)?;
        let deployed = executor.deployer.deployed().map_err(OperationError::from)?;
        let behind = deployed.as_ref().is_some_and(|it| *it != wanted);
        if behind && executor.local.state.started && executor.local.state.failed_hook().is_some() {
            let action = Action::Deploy { charm: wanted, how: Deploy::Upgrade };
            executor.run(action, &unwatched, &unseen).await?;
        }
        let local = &mut executor.local;
        local.memory.redeployed = false;
        if let Some(url) = executor.deployer.deployed().map_err(OperationError::from)? {
            let modified = executor.api.charm_modified_version().await.map_err(OperationError::from)?;
            local.memory.charm = Some(Charm { url, modified });
            let meta = executor.deployer.meta().map_err(OperationError::from)?;
            local.relations = relations::load(&executor.api, &executor.saved.relations, &meta)
                .await
                .map_err(OperationError::from)?;
        }
        Ok(None)
    }

    /// A charm whose files have gone is laid out again, without any hook.
    async fn restore_charm(&mut self) -> Result<(), OperationError> {
        let executor = &self.executor;
        let upgrading = matches!(executor.local.state.op, Op::Upgrade { .. });
        let there = executor.deployer.deployed()?.is_some() && executor.deployer.meta().is_ok();
        if upgrading || there {
            return Ok(());
        }
        let charm = executor.api.own_charm_url().await?;
        tracing::warn!("charm {charm:?} is missing from disk, deploying it again");
        let sha256 = executor.api.charm_sha256(&charm).await?;
        executor.deployer.stage(&charm, &sha256).await?;
        match executor.deployer.deploy(&charm).await {
            Err(DeployError::Conflict { source, .. }) => Err((*source).into()),
            other => Ok(other?),
        }
    }

    /// Does what the resolver says until the watchers have to be started anew.
    async fn round(&mut self, mut snapshot: Snapshot) -> Result<Round, UniterError> {
        let stop = self.executor.stop.clone();
        let Some(mut remote) = stop.run_until_cancelled(snapshot.latest()).await else {
            return Ok(Round::End(End::Stopped));
        };
        loop {
            if stop.is_cancelled() {
                return Ok(Round::End(End::Stopped));
            }
            remote.retries = self.retries;
            let local = &mut self.executor.local;
            relations::forget_passed_over(&mut local.relations, &remote);
            if local.state.failed_hook().is_none() {
                self.backoff.reset();
                self.retry_at = None;
            }
            let next = resolver::next(&self.executor.local, &remote);
            (self.report)(describe(&self.executor.local, &remote, next.as_ref()));
            let outcome = match next {
                None => {
                    if self.executor.local.state.is_idle() {
                        self.executor
                            .set_status("idle", "", BTreeMap::new())
                            .await
                            .map_err(OperationError::from)?;
                    }
                    Outcome::Wait
                }
                Some(Action::Restart) => return Ok(Round::Restart),
                Some(Action::End) => {
                    let Some(end) = stop.run_until_cancelled(self.die(&mut snapshot)).await else {
                        return Ok(Round::End(End::Stopped));
                    };
                    return Ok(Round::End(end?));
                }
                Some(Action::AwaitRetry { hook }) => {
                    self.executor.report_failure(&hook).await.map_err(OperationError::from)?;
                    let strategy = *self.strategy.borrow();
                    if self.retry_at.is_none() && strategy.retry {
                        self.retry_at = Some(Instant::now() + self.backoff.next(&strategy, &mut rand::rng()));
                    }
                    Outcome::Wait
                }
                Some(action) => {
                    tracing::debug!(?action, "next");
                    if matches!(&action, Action::RunHook { resolved: true, .. } | Action::SkipHook { .. }) {
                        self.backoff.reset();
                    }
                    // Other things may be done while a hook waits for its next attempt.
                    if matches!(&action, Action::RunHook { .. } | Action::SkipHook { .. }) {
                        self.retry_at = None;
                    }
                    self.executor.run(action, &remote, &snapshot).await?
                }
            };
            match outcome {
                Outcome::Stopped => return Ok(Round::End(End::Stopped)),
                Outcome::Done | Outcome::HookFailed => {}
                Outcome::Wait => {
                    let retry = async {
                        match self.retry_at {
                            Some(at) => sleep_until(at).await,
                            None => std::future::pending().await,
                        }
                    };
                    tokio::select! {
                        () = stop.cancelled() => {}
                        () = snapshot.changed() => {}
                        Ok(()) = self.strategy.changed() => {}
                        () = retry => {
                            self.retries += 1;
                            self.retry_at = None;
                        }
                    }
                }
            }
            remote = snapshot.latest().await;
        }
    }

    /// The end of a unit: once nothing lives by it any more it says that it is dead.
    async fn die(&mut self, snapshot: &mut Snapshot) -> Result<End, UniterError> {
        let api = self.executor.api.clone();
        loop {
            if snapshot.latest().await.life == Life::Dead {
                return Ok(End::Terminated);
            }
            let wait = match self.try_to_die(&api).await {
                Ok(wait) => wait,
                Err(err) if err.is_gone() => return Ok(End::Terminated),
                Err(err) => return Err(OperationError::from(err).into()),
            };
            if !wait {
                return Ok(End::Terminated);
            }
            tokio::select! {
                () = snapshot.changed() => {}
                () = sleep(DYING_PAUSE) => {}
            }
        }
    }

    /// Whether it has to be tried again.
    async fn try_to_die(&self, api: &Api) -> Result<bool, ApiError> {
        if api.has_subordinates().await? {
            return Ok(true);
        }
        match api.ensure_dead().await {
            Err(err) if [code::UNIT_HAS_SUBORDINATES, code::STORAGE_ATTACHED].contains(&err.code()) => {
                Ok(true)
            }
            Err(err) => Err(err),
            Ok(()) => Ok(false),
        }
    }
}

/// Where a unit is, for people.
fn describe(local: &LocalState, remote: &RemoteState, next: Option<&Action>) -> serde_json::Value {
    let relation = |(id, it): (&i64, &Relation)| match it {
        Relation::Entered(it) => {
            let members: Vec<_> = it.state.members.keys().collect();
            Some((format!("{}:{id}", it.endpoint), json!({ "key": it.key, "members": members })))
        }
        Relation::PassedOver => None,
    };
    let relations: BTreeMap<_, _> = local.relations.iter().filter_map(relation).collect();
    json!({
        "charm": local.memory.charm.as_ref().map(|it| &it.url),
        "life": remote.life.as_str(),
        "leader": remote.leader,
        "operation": format!("{:?}", local.state.op),
        "next": next.map(|it| format!("{it:?}")),
        "relations": relations,
    })
}
