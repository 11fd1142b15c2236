//! The facades, each method over a connection: what it stored, or the value it answers.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::disallowed_methods)]

#[path = "../common/mod.rs"]
mod common;
mod world;

mod agents;
mod all_watcher;
mod applications;
mod charms;
mod clouds;
mod controllers;
mod history;
mod machines;
mod models;
mod notes;
mod provisioning;
mod relations;
mod removal;
mod status;
mod table;
mod units;
mod users;
