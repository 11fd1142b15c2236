//! What the controller wants of a unit: one snapshot, kept up to date by [`watcher`].

mod snapshot;
mod update_status;
mod watcher;

use std::collections::BTreeMap;

pub use juju_core::Life;

use crate::{resolver::Charm, state::Hashes};
pub(crate) use {snapshot::Snapshot, watcher::Watcher};

/// All that a unit's next step may depend on, as the controller last told it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteState {
    pub life: Life,
    pub application_life: Life,
    pub resolved: Resolved,
    /// The application's charm.
    pub charm: Option<Charm>,
    /// The charm is to be used even by units in error.
    pub force_charm_upgrade: bool,
    pub hashes: Hashes,
    pub relations: BTreeMap<i64, RemoteRelation>,
    /// This unit leads its application.
    pub leader: bool,
    /// Counts changes of the leader's settings; the first event makes it 1.
    pub leader_settings: u64,
    /// Counts the ticks of the timer behind `update-status`.
    pub update_status: u64,
    /// Counts the ticks of the timer that retries failed hooks.
    pub retries: u64,
}

/// A relation as the controller has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteRelation {
    pub key: String,
    pub life: Life,
    pub suspended: bool,
    /// Units on the other side, each with the version of its data.
    pub members: BTreeMap<String, i64>,
    pub application_members: BTreeMap<String, i64>,
}

impl RemoteRelation {
    /// Whether it goes on; otherwise it has to be wound down.
    pub fn is_active(&self) -> bool {
        self.life == Life::Alive && !self.suspended
    }
}

/// What a user said to do about a failed hook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Resolved {
    #[default]
    None,
    RetryHooks,
    /// Go on as if it had succeeded.
    NoHooks,
}
