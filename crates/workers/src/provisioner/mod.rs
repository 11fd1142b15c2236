//! `compute-provisioner`: starts an instance for each machine that needs one, and stops those of dead machines (Juju 3.6
//! `worker/provisioner`).
//!
//! What is to be done with a machine is decided by [`decide`]. Each machine is worked on by one task at a time, and at
//! most [`Config::workers`] machines at once; what changes meanwhile is looked at when the task is done.

mod api;
mod decide;
mod start;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use juju_agent::tools::Tools;
use juju_core::MachineId;
use juju_engine::Scope;
use juju_provider::{InstanceId, Provider};
use juju_rpc::Connection;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

pub use decide::{Decision, Seen, decide};

use api::Api;

/// How often machines whose start failed for a passing reason are looked at again.
const RETRY: Duration = Duration::from_secs(60);

/// What the worker is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// UUIDs, as they stand in an agent's configuration.
    pub controller: String,
    pub model: String,
    /// Whose the nonces are: the tag of the agent that provisions.
    pub agent_tag: String,
    /// The agent binaries that new machines may run.
    pub tools: Vec<Tools>,
}

pub async fn run(
    config: Config,
    api: Connection,
    provider: Arc<dyn Provider>,
    scope: Scope,
) -> anyhow::Result<()> {
    let api = Api::new(api);
    let (first, mut watcher) = api.watch_machines().await?;
    scope.publish(());
    let at_once = api.workers().await?;
    let mut task = Task {
        scope: scope.clone(),
        shared: Arc::new(Shared {
            config,
            api,
            provider,
            permits: Semaphore::new(at_once),
            stop: scope.child_token(),
        }),
        running: BTreeMap::new(),
        tasks: JoinSet::new(),
    };
    task.look_at(first);
    let mut retry = interval(RETRY);
    retry.set_missed_tick_behavior(MissedTickBehavior::Delay);
    retry.tick().await;
    let ended = loop {
        task.report();
        tokio::select! {
            () = scope.cancelled() => break Ok(()),
            changed = watcher.next() => match changed {
                Ok(machines) => task.look_at(machines),
                Err(err) => break Err(err.into()),
            },
            Some(done) = task.tasks.join_next(), if !task.tasks.is_empty() => match done {
                Ok((machine, Ok(()))) => task.done(&machine),
                // The engine starts the worker again, which looks at every machine.
                Ok((machine, Err(err))) => break Err(err.context(format!("cannot provision machine {machine}"))),
                Err(panic) => std::panic::resume_unwind(panic.into_panic()),
            },
            _ = retry.tick() => match task.shared.api.transient_errors().await {
                Ok(machines) => task.look_at(machines),
                Err(err) => break Err(err),
            },
        }
    };
    task.shared.stop.cancel();
    while task.tasks.join_next().await.is_some() {}
    ended
}

struct Task {
    scope: Scope,
    shared: Arc<Shared>,
    /// Machines that are worked on, and whether they changed meanwhile.
    running: BTreeMap<String, bool>,
    tasks: JoinSet<(String, anyhow::Result<()>)>,
}

struct Shared {
    config: Config,
    api: Api,
    provider: Arc<dyn Provider>,
    permits: Semaphore,
    stop: CancellationToken,
}

impl Task {
    fn look_at(&mut self, machines: Vec<String>) {
        for machine in machines.into_iter().collect::<BTreeSet<_>>() {
            match self.running.get_mut(&machine) {
                Some(again) => *again = true,
                None => self.begin(machine),
            }
        }
    }

    fn begin(&mut self, machine: String) {
        self.running.insert(machine.clone(), false);
        let shared = self.shared.clone();
        self.tasks.spawn(async move {
            let stop = shared.stop.clone();
            let worked = stop.run_until_cancelled(work(&shared, &machine)).await;
            (machine, worked.unwrap_or(Ok(())))
        });
    }

    fn done(&mut self, machine: &str) {
        if self.running.remove(machine) == Some(true) {
            self.begin(machine.to_owned());
        }
    }

    fn report(&self) {
        let machines: Vec<_> = self.running.keys().collect();
        self.scope.set_report(serde_json::json!({ "machines": machines }));
    }
}

/// Sees one machine as far as it can go now.
async fn work(shared: &Shared, id: &str) -> anyhow::Result<()> {
    let machine: MachineId = id.parse()?;
    let _permit = shared.permits.acquire().await?;
    let Some(seen) = shared.api.look(&machine).await? else { return Ok(()) };
    match decide(&seen) {
        Decision::Nothing => Ok(()),
        Decision::Start => start::start(shared, &machine).await,
        Decision::SetDead => shared.api.ensure_dead(&machine).await,
        Decision::Stop { keep } => {
            if let Some(instance) = seen.instance.filter(|_| !keep) {
                tracing::info!("stopping instance {instance} of machine {machine}");
                shared.provider.stop_instances(&[InstanceId::new(instance)]).await?;
            }
            shared.api.mark_for_removal(&machine).await
        }
    }
}
