//! The unit agent: it turns what a model wants of a unit into hooks of the unit's charm.
//!
//! A loop asks the pure function [`resolver::next`] what to do, given what the unit has done ([`state`]) and what the
//! controller wants ([`remote`]), and does it ([`operation`]). Between the steps of every operation the unit's state
//! is saved on the controller, so an agent that is killed at any moment goes on where it was. A hook is a process
//! ([`process`]); the tools that it calls (`jujuc`, [`protocol`]) are served on a socket ([`server`]) and run on
//! the hook's [`context`], one file a tool in [`tools`].
//!
//! Modules in reading order: the values, the decision, the doing, the hook, the controller.
//!
//! What this crate does not do: it reads neither arguments nor environment, knows nothing of machines, and sees the
//! controller through the API alone.

pub mod hook;
pub mod state;

pub mod remote;
pub mod resolver;

pub mod operation;
mod relations;
pub mod unit;
mod uniter;

pub mod charm;
mod context;
mod process;
mod server;
pub mod tools;
// `jujuc` has a copy of its own, which links nothing else.
#[allow(dead_code)]
pub mod protocol;

pub mod api;
pub mod clock;
pub mod leadership;
pub mod link;
pub mod log;
pub mod retry;

mod names;
