//! Workers that live beside the state: per model and per controller.
//!
//! Each is one async function of its inputs and a [`juju_engine::Scope`]. They work on the state directly, where Juju has a
//! facade that only controllers call: cleaning up, assigning units, taking models down.

pub mod cleaner;
pub mod flags;
pub mod machine_undertaker;
pub mod store_compaction;
pub mod undertaker;
pub mod unit_assigner;
