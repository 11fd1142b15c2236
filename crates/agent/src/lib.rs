//! What every agent and every installer of one shares.
//!
//! An agent is a process with a tag, a data directory and an `agent.conf`. This crate holds what is
//! true of all of them, on a controller, on a machine, in a unit: where its files are, how its
//! configuration is read and changed, how work on one machine is serialized, what its certificates
//! look like and how its service is written down. Read [`conf::AgentConf`] first; nearly everything
//! else takes its answers from there.
//!
//! What it does not do: it starts no workers, speaks to no controller, reads neither arguments nor
//! environment, and runs no other program. `systemctl` and the like are called by those who own the
//! process.

pub mod conf;
pub mod paths;

pub mod bootstrap;
pub mod certs;
pub mod data_dir_lock;
pub mod machine_lock;
pub mod sockets;

pub mod log_file;
pub mod passwords;
pub mod service;
pub mod tools;

pub mod files;
mod secret;
mod yaml;

pub use secret::Secret;
