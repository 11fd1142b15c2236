//! Keys of the `values` map of `agent.conf`.

/// The service that runs this agent.
pub const AGENT_SERVICE_NAME: &str = "AGENT_SERVICE_NAME";
pub const PROVIDER_TYPE: &str = "PROVIDER_TYPE";
/// `lxd` or `kvm` in a container that an agent started; there, and empty, otherwise.
pub const CONTAINER_TYPE: &str = "CONTAINER_TYPE";
pub const NAMESPACE: &str = "NAMESPACE";
/// Takes precedence over the logging configuration of the controller.
pub const LOGGING_OVERRIDE: &str = "LOGGING_OVERRIDE";
pub const LOGSINK_DBLOGGER_BUFFER_SIZE: &str = "LOGSINK_DBLOGGER_BUFFER_SIZE";
pub const LOGSINK_DBLOGGER_FLUSH_INTERVAL: &str = "LOGSINK_DBLOGGER_FLUSH_INTERVAL";
pub const LOGSINK_RATELIMIT_BURST: &str = "LOGSINK_RATELIMIT_BURST";
pub const LOGSINK_RATELIMIT_REFILL: &str = "LOGSINK_RATELIMIT_REFILL";
pub const CHARM_REVISION_UPDATE_INTERVAL: &str = "CHARM_REVISION_UPDATE_INTERVAL";
/// Units that a machine's agent runs, sorted and joined by commas.
pub const DEPLOYED_UNITS: &str = "deployed-units";
/// Those of them that a person stopped.
pub const STOPPED_UNITS: &str = "stopped-units";

/// Ours: the directory that the machine's fixed places are below.
pub const ROOT_DIR: &str = "ROOT_DIR";
/// Ours: where the machine's sockets are, with a name short enough for them.
pub const RUNTIME_DIR: &str = "RUNTIME_DIR";
/// Ours: the socket of the supervisor that a machine of the local provider is run by.
pub const SUPERVISOR_SOCKET: &str = "SUPERVISOR_SOCKET";
/// Ours: the name that the supervisor knows the machine by.
pub const INSTANCE_ID: &str = "INSTANCE_ID";
/// Ours: the loopback address that a machine of the local provider calls its own.
pub const LOCAL_ADDRESS: &str = "LOCAL_ADDRESS";
