//! Machines that are processes of this host.
//!
//! Each machine is a `jujud machine` with a root directory of its own ([`machine`]), run by the
//! controller's [`supervisor`]. It needs no privileges and isolates nothing: charms there have the
//! rights of the user, and of the controller.
//!
//! All of a controller is below one directory ([`dirs`]); whoever has that directory can find its
//! machines, start its supervisor and destroy it.

pub mod dirs;
pub mod environment;
pub mod machine;
pub mod supervisor;
pub mod systemd_user;

mod address;
mod binaries;
mod hardware;
mod provider;

pub use address::free_api_port;
pub use binaries::{install_binaries, supervisor_command};
pub use provider::Local;
