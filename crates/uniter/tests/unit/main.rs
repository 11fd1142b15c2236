//! A unit's agent against a controller in memory, with real charms, real hooks and real hook tools.

#![allow(clippy::unwrap_used)]

mod agent;
mod breaks;
mod fake;
mod http;
mod kills;
mod leads;
mod life;
mod tools;
