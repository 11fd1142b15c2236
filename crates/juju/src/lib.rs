//! `juju`, the command line client of a Juju 3.6 controller.
//!
//! What is typed goes through three hands: [`cli`] finds the command in [`commands::ALL`] and parses its
//! flags; the command checks them into a request; and the request runs with a [`Context`], which holds all
//! that a command may touch: the environment as it was at the start, the client [`store`], the
//! [`printer`], standard input. [`api`] connects to controllers. How results look is in [`output`] and
//! [`status`], which are pure.
//!
//! Only [`main`]'s caller reads arguments and environment, and only the printer prints. A runtime is
//! started by commands that talk to a controller and by no other, so `juju version` ends in milliseconds.

pub mod api;
pub mod bootstrap;
pub mod cli;
pub mod commands;
pub mod deploy;
pub mod error;
pub mod follow;
pub mod output;
pub mod printer;
pub mod select;
pub mod status;
pub mod store;

mod context;
mod logging;
mod run;

pub use context::{Clock, Context, Input};
pub use run::main;
