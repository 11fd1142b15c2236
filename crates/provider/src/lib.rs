//! Where machines come from.
//!
//! A [`Provider`] starts and stops the instances of one model; read it first. There is one
//! implementation a kind of cloud, and nothing outside one knows how its cloud is spoken to:
//!
//! * [`local`]: machines are processes of this host, each with a directory for its root.
//!
//! A provider decides nothing. Which machine gets an instance, what is done when that fails and what
//! is written about it is the provisioner's business.

pub mod local;
mod provider;

pub use provider::{Hardware, Instance, InstanceId, Provider, ProviderError, StartInstance, Started};
