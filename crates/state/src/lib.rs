//! Documents, transactions, queries and watches of controllers and models.
//!
//! Read [`State`] first, and [`Model`]: the handles through which all is done. What a controller knows is a set of
//! documents in one [`juju_store`]; this crate alone names their keys and knows their shapes. It speaks the domain's
//! types and knows nothing of the wire, of providers or of agents: those who serve the API and those who make reality
//! follow stand above it.
//!
//! # How a kind of document is made
//!
//! One file a kind, named for it, in this order; [`cloud`] is a small example and [`machine`] a full one.
//!
//! 1. The document: a struct whose first field is `v: V<1>`, with `impl Doc`. One document a concern: what is written
//!    by others, or at other times, or watched apart (statuses, passwords, settings) is a document of its own, so that
//!    a watcher stays quiet when what it watches did not change.
//! 2. Its rules as plain functions of values, tested by tables.
//! 3. Where it stands: a function that builds its typed [`Key`] (private, or of the crate), under its model's prefix
//!    (`m/<uuid>/`) or the controller's (`c/`). Ids stand in keys as they are written; a prefix ends in `/`.
//! 4. `read(image, …)`: queries, on an image that stands still.
//! 5. `get(tx, …)`, `add(tx, …)`, …: parts of transactions, `async fn` of a [`Tx`], from which bigger ones are put
//!    together. Whatever a part reads guards the commit: what it decides holds when it is written. Nothing is read that
//!    the decision does not need, above all no prefix that others write all the time.
//! 6. `impl Model` (or `State`): one method a transaction, `self.transact(async |tx| …)`; one method a query; one a watch, built from [`watch`].
//!
//! A transaction has at most some 120 reads and writes. What needs more queues the rest as a [`cleanup`], which may be
//! run again from its start at any time.

mod doc;
pub use doc::{Doc, Key, Prefix, V};
mod error;
pub use error::{Error, Result};
mod state;
pub use state::{Clock, Model, State, Tx};
pub mod watch;
pub use watch::Watcher;

// Of the controller.
pub mod access;
pub mod api_addresses;
pub mod cloud;
pub mod controller;
pub mod controller_config;
pub mod credential;
pub mod model;
pub mod node;
pub mod user;

// Of every model.
pub mod address;
pub mod agent;
pub mod annotation;
pub mod application;
pub mod bindings;
pub mod block;
pub mod charm;
pub mod constraints;
pub mod lease;
pub mod machine;
pub mod model_config;
pub mod network;
pub mod ports;
pub mod relation;
mod sequence;
pub mod status;
pub mod unit;

// What spans several.
pub mod all_watch;
mod bootstrap;
pub use bootstrap::{Bootstrap, BootstrapMachine};
pub mod cleanup;
pub mod commit;
pub mod destroy;
mod erase;

// What is not in the store.
pub mod history;
pub use history::History;
pub mod presence;
pub use presence::Presence;

pub mod attributes;
mod password;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
