//! Workers that see only the API: those of a machine agent, and those that Juju runs for a model as well.
//!
//! Each is one async function of its inputs and a [`juju_engine::Scope`]. It does not know its engine: it returns an
//! error at the first surprise, and where more than a restart is due the error holds an [`Ended`], which the agent's
//! manifold list gives its meaning. None of them sees the state of a controller, on a controller either.

pub mod api_address_updater;
pub mod api_caller;
pub mod api_config_watcher;
pub mod deployer;
mod ended;
pub mod log_buffer;
pub mod log_sender;
pub mod logging_config_updater;
pub mod machiner;
pub mod migration_flag;
pub mod network;
pub mod provisioner;
mod results;

pub use ended::Ended;
