//! What every provider can do, for one model.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use juju_agent::conf::{NewAgent, ServingInfo};
use juju_agent::tools::Tools;
use juju_core::{Address, Arch, Base, ConstraintRules, Constraints, MachineId, Status};

/// The instances of one model. Everything it does may be done again after it failed, and after it
/// succeeded without anyone having heard of it.
#[async_trait]
pub trait Provider: fmt::Debug + Send + Sync {
    /// The cloud type: `local`, `lxd`.
    fn kind(&self) -> &'static str;

    /// Which constraints mean something here.
    fn constraint_rules(&self) -> ConstraintRules;

    /// Starts an instance for a machine. One that an earlier call started for the same machine is
    /// replaced, since nobody has the nonce of it.
    async fn start_instance(&self, start: StartInstance) -> Result<Started, ProviderError>;

    /// Stops and removes instances. Those that are not there are removed already.
    async fn stop_instances(&self, ids: &[InstanceId]) -> Result<(), ProviderError>;

    /// These instances, in their order; none for those that are not there.
    async fn instances(&self, ids: &[InstanceId]) -> Result<Vec<Option<Instance>>, ProviderError>;

    /// All instances of the model.
    async fn all_instances(&self) -> Result<Vec<Instance>, ProviderError>;

    /// Stops and removes all instances of the model.
    async fn destroy(&self) -> Result<(), ProviderError>;

    /// Removes all that the controller has here, whatever its model. If it runs here itself, whoever
    /// calls this is outside.
    async fn destroy_controller(&self) -> Result<(), ProviderError>;
}

/// The name of an instance at its provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(String);

impl InstanceId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A machine that needs an instance.
#[derive(Debug, Clone)]
pub struct StartInstance {
    pub machine: MachineId,
    /// Who its agent is, what it logs in with and where.
    pub agent: NewAgent,
    /// Of a controller.
    pub serving: Option<ServingInfo>,
    /// The agent binaries it is to run, where there are several to choose from by architecture.
    pub tools: Vec<Tools>,
    pub base: Base,
    /// Those that [`Provider::constraint_rules`] has a meaning for are honoured.
    pub constraints: Constraints,
    /// Further settings of its `agent.conf`.
    pub values: BTreeMap<String, String>,
}

/// An instance that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    pub id: InstanceId,
    pub hardware: Hardware,
    pub addresses: Vec<Address>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    pub id: InstanceId,
    /// One of those that an instance may have: allocating, running, error, unknown.
    pub status: Status,
    /// What the provider says about it; may be empty.
    pub message: String,
    pub addresses: Vec<Address>,
}

/// What an instance is made of, as far as the provider knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hardware {
    pub arch: Arch,
    pub cores: Option<u64>,
    pub mem_mib: Option<u64>,
    pub root_disk_mib: Option<u64>,
    pub availability_zone: Option<String>,
}

/// What went wrong, by what the caller may do.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// It may work later, without anything being changed.
    #[error("{message}")]
    Transient {
        message: String,
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// It will not work until something else is asked for.
    #[error("{message}")]
    Refused { message: String },
}

impl ProviderError {
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused { message: message.into() }
    }

    pub fn transient(
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Transient { message: message.into(), source: Some(source.into()) }
    }
}
