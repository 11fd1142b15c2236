//! The `juju` command line.
pub mod error;
pub mod output;
pub mod printer;
pub mod status;
pub mod store;
