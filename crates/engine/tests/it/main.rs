//! The engine and the runner from outside. Time is paused: all that is waited for is in memory.
#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "these tests own the runtime that they spawn on")]

mod common;
mod flags;
mod fortress;
mod logs;
mod nesting;
mod properties;
mod reports;
mod restarts;
mod runner;
mod scopes;
mod stopping;
