//! The provider of a model's machines on this host.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use juju_agent::conf::AgentConf;
use juju_core::network::Scope;
use juju_core::{Address, Base, ConstraintRules, ControllerUuid, MachineId, ModelUuid, Status};

use super::dirs::Dirs;
use super::hardware;
use super::machine::{self, Machine, NewMachine};
use super::supervisor::protocol::{MachineState, MachineStatus};
use super::supervisor::{Client, ClientError, SupervisorCommand, ensure_supervisor};
use crate::{Instance, InstanceId, Provider, ProviderError, StartInstance, Started};

/// How many machines are stopped at a time. The supervisor looks for the processes of all at once.
const STOPPING: usize = 32;

/// The machines of one model on this host.
#[derive(Debug, Clone)]
pub struct Local {
    shared: Arc<Shared>,
    model: ModelUuid,
}

#[derive(Debug)]
struct Shared {
    dirs: Dirs,
    controller: ControllerUuid,
    /// Starts the supervisor, if it is not there.
    command: SupervisorCommand,
    /// What agents see of the environment.
    env: BTreeMap<String, String>,
}

impl Local {
    /// `env` is what [`super::environment::passed_on`] says.
    pub fn new(
        dirs: Dirs,
        controller: ControllerUuid,
        model: ModelUuid,
        command: SupervisorCommand,
        env: BTreeMap<String, String>,
    ) -> Self {
        Self { shared: Arc::new(Shared { dirs, controller, command, env }), model }
    }

    /// The same for another model of the controller.
    pub fn for_model(&self, model: ModelUuid) -> Self {
        Self { shared: self.shared.clone(), model }
    }

    pub fn dirs(&self) -> &Dirs {
        &self.shared.dirs
    }

    /// Makes a machine with no agent yet; one of an earlier try is removed. For the first machine
    /// of a controller, whose agent is installed by bootstrap.
    pub async fn prepare(&self, machine: &MachineId, base: &Base) -> Result<Machine, ProviderError> {
        let old = self.all().await?.into_iter().find(|old| old.machine() == machine);
        if let Some(old) = old {
            self.end(&mut self.supervisor().await?, &old).await?;
        }
        let (provider, machine, base) = (self.clone(), machine.clone(), base.clone());
        blocking(move || {
            let new = NewMachine {
                controller: &provider.shared.controller,
                model: &provider.model,
                machine: &machine,
                base: &base,
            };
            Machine::create(&provider.shared.dirs, &new)
        })
        .await
    }

    /// Starts the agent of a machine that has one.
    pub async fn launch(&self, machine: &Machine) -> Result<(), ProviderError> {
        machine
            .make_runtime_dir()
            .map_err(|e| ProviderError::transient("cannot make the runtime directory", e))?;
        let spec = machine.spec(&self.shared.env);
        self.supervisor().await?.ensure(spec).await.map_err(supervisor)
    }

    /// The supervisor, started if it is not there.
    pub async fn supervisor(&self) -> Result<Client, ProviderError> {
        ensure_supervisor(&self.shared.dirs, &self.shared.command).await.map_err(supervisor)
    }

    async fn all(&self) -> Result<Vec<Machine>, ProviderError> {
        let provider = self.clone();
        blocking(move || {
            let all = machine::all(&provider.shared.dirs)
                .map_err(|e| ProviderError::transient("cannot list the machines of this host", e))?;
            Ok(all.into_iter().filter(|machine| machine.model() == &provider.model).collect())
        })
        .await
    }

    /// Ends a machine's processes and removes its files, in this order.
    async fn end(&self, client: &mut Client, machine: &Machine) -> Result<(), ProviderError> {
        match client.stop(machine.instance_id().as_str(), true).await {
            // Nothing of it runs, then.
            Ok(()) | Err(ClientError::Unknown { .. }) => {}
            Err(error) => return Err(supervisor(error)),
        }
        let machine = machine.clone();
        blocking(move || {
            machine
                .remove_files()
                .map_err(|e| ProviderError::transient("cannot remove the machine's files", e))
        })
        .await
    }

    async fn end_all(&self, machines: Vec<Machine>) -> Result<(), ProviderError> {
        if machines.is_empty() {
            return Ok(());
        }
        // Once, so that many do not start a missing one at the same time.
        drop(self.supervisor().await?);
        stream::iter(machines)
            .map(|machine| async move { self.end(&mut self.supervisor().await?, &machine).await })
            .buffer_unordered(STOPPING)
            .try_collect()
            .await
    }

    /// Instances of these machines, with what the supervisor says of them.
    async fn observe(&self, machines: Vec<Machine>) -> Result<Vec<Instance>, ProviderError> {
        if machines.is_empty() {
            return Ok(Vec::new());
        }
        let list = self.supervisor().await?.list().await.map_err(supervisor)?;
        let states: HashMap<_, _> = list.iter().map(|status| (status.key.as_str(), status)).collect();
        let instance = |machine: Machine| {
            let id = machine.instance_id();
            let (status, message) = observed(states.get(id.as_str()).copied());
            Instance { id, status, message, addresses: addresses(&machine) }
        };
        Ok(machines.into_iter().map(instance).collect())
    }

    fn check(&self, start: &StartInstance) -> Result<(), ProviderError> {
        let arch = hardware::of_this_host()?.arch;
        match &start.constraints.arch {
            Some(asked) if asked != arch.as_str() => Err(ProviderError::refused(format!(
                "cannot start a machine with arch={asked}: the local cloud has this host's architecture, {}",
                arch.as_str()
            ))),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Provider for Local {
    fn kind(&self) -> &'static str {
        "local"
    }

    fn constraint_rules(&self) -> ConstraintRules {
        let arch = hardware::of_this_host().ok().map(|host| host.arch.as_str().to_owned());
        ConstraintRules {
            // A machine here is a directory: it has what the host has.
            unsupported: &[
                "allocate-public-ip",
                "container",
                "cores",
                "cpu-power",
                "image-id",
                "instance-role",
                "instance-type",
                "mem",
                "root-disk",
                "root-disk-source",
                "spaces",
                "tags",
                "virt-type",
                "zones",
            ],
            conflicts: &[],
            vocabulary: BTreeMap::from([("arch", arch.into_iter().collect())]),
        }
    }

    async fn start_instance(&self, start: StartInstance) -> Result<Started, ProviderError> {
        self.check(&start)?;
        let hardware = hardware::of_this_host()?;
        let suffix = format!("-{}", hardware.arch.as_str());
        let Some(tools) = start.tools.iter().find(|tools| tools.version.ends_with(&suffix)).cloned() else {
            return Err(ProviderError::refused(format!("no agent binaries for {}", hardware.arch.as_str())));
        };
        let machine = self.prepare(&start.machine, &start.base).await?;
        let mut conf = AgentConf::new(start.agent, &machine.paths());
        conf.serving = start.serving;
        conf.values.extend(start.values);
        let installed = machine.clone();
        blocking(move || {
            installed.install_tools(&tools)?;
            installed.install_agent(conf)
        })
        .await?;
        self.launch(&machine).await?;
        Ok(Started { id: machine.instance_id(), hardware, addresses: addresses(&machine) })
    }

    async fn stop_instances(&self, ids: &[InstanceId]) -> Result<(), ProviderError> {
        let machines = self.all().await?;
        self.end_all(machines.into_iter().filter(|machine| ids.contains(&machine.instance_id())).collect())
            .await
    }

    async fn instances(&self, ids: &[InstanceId]) -> Result<Vec<Option<Instance>>, ProviderError> {
        let all = self.all_instances().await?;
        let mut by_id: HashMap<_, _> =
            all.into_iter().map(|instance| (instance.id.clone(), instance)).collect();
        Ok(ids.iter().map(|id| by_id.remove(id)).collect())
    }

    async fn all_instances(&self) -> Result<Vec<Instance>, ProviderError> {
        self.observe(self.all().await?).await
    }

    async fn destroy(&self) -> Result<(), ProviderError> {
        self.end_all(self.all().await?).await
    }

    async fn destroy_controller(&self) -> Result<(), ProviderError> {
        match ensure_supervisor(&self.shared.dirs, &self.shared.command).await {
            Ok(client) => client.destroy().await.map_err(supervisor),
            // There is nothing any more.
            Err(ClientError::Dirs(super::dirs::DirsError::NotOurs { .. })) => Ok(()),
            Err(error) => Err(supervisor(error)),
        }
    }
}

fn addresses(machine: &Machine) -> Vec<Address> {
    // Of itself it would say that no other machine can reach it; here all can.
    vec![Address::new(&machine.address().to_string()).with_scope(Scope::LocalCloud)]
}

fn observed(status: Option<&MachineStatus>) -> (Status, String) {
    let Some(status) = status else { return (Status::Allocating, "not started yet".to_owned()) };
    match status.state {
        MachineState::Running => (Status::Running, String::new()),
        MachineState::Restarting => (Status::Error, format!("agent is started again: {}", status.last_end)),
        MachineState::Stopping => (Status::Unknown, "stopping".to_owned()),
        MachineState::Stopped => (Status::Unknown, "stopped".to_owned()),
    }
}

fn supervisor(error: ClientError) -> ProviderError {
    ProviderError::transient("the supervisor of this host's machines failed", error)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ProviderError> + Send + 'static,
) -> Result<T, ProviderError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(ProviderError::transient("work on files was cut off", error)),
    }
}
