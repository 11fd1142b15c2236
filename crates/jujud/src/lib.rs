//! jujud: the machine agent, the controller and the unit agents in one binary.
//!
//! This crate is wiring. What runs where stands in [`manifolds`], one readable list an agent; what a worker does is in
//! the crate of its kind. The life of the process reads in [`machine::run`]: configuration, logging, certificates, lock,
//! gates, engine, and then what its end asks for. Only this crate and the command line read arguments, environment
//! and signals.

pub mod cmd;
mod controller_store;
pub mod introspection;
pub mod logging;
pub mod machine;
pub mod manifolds;
mod unit_context;
