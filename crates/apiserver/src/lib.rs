//! The API server: who may come in, which facade serves what, watchers, files and logs.
//!
//! Read [`Router`] first: a table from the methods that `juju-wire` declares to handlers, which are async functions of
//! a [`Ctx`] and their parameters. [`facades`] says how to add one. [`ApiServer`] puts the table behind a TLS port,
//! together with the HTTP paths, or behind a connection in memory. A connection is a login first ([`Entity`] is who
//! came out of it) and calls after it; what it watches ([`Watchers`]) ends with it.
//!
//! Everything is served from the state's view in memory. What the state means is not decided here: a handler checks
//! who asks, converts, calls the state, converts back.

mod router;
pub use router::{Handler, Router};
mod ctx;
pub use ctx::Ctx;
mod entity;
pub use entity::{Entity, User};
mod error;
pub use error::{Error, Result};
pub mod bulk;
mod convert;
pub mod facades;
mod watchers;
pub use watchers::{Events, Watchers, from_state, from_state_with};

mod server;
pub use server::{ApiServer, Config, ServeError};
mod leases;
pub use leases::Leases;
mod limits;
pub use limits::Limits;
mod connection;
mod login;

mod auth;
mod backend;
pub use backend::host_port;

mod http;
mod logs;
pub use logs::{Logs, ModelLog, Query};
mod tools;
pub use tools::Tools;
mod objects;
pub use objects::{ObjectError, Objects, Stored, Upload};

/// What the server says it is.
pub const SERVER_VERSION: &str = "3.6.28";
