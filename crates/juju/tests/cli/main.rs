//! Whole command lines, run in this process: what they ask a controller for, what they print, how they end.
//!
//! The controller is a fake with TLS, HTTP and websockets of its own; it answers what a test told it to and
//! remembers what it was asked.

#![allow(unreachable_pub, clippy::unwrap_used)]

mod applications;
mod bad_input;
mod bootstrap;
mod local;
mod models;
mod store;
mod support;
