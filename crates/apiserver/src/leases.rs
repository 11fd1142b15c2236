//! The controller's leases, and the clock that they are counted on.

use std::sync::Arc;

use juju_state::{
    State,
    lease::{BootTime, LeaseManager},
};
use nix::time::{ClockId, clock_gettime};

/// Clones are the same manager.
#[derive(Clone)]
pub struct Leases {
    manager: LeaseManager,
    clock: Arc<dyn Fn() -> BootTime + Send + Sync>,
}

impl Leases {
    /// Leases kept by the controller that runs on `me`, on the host's own clock.
    pub fn new(state: State, me: &str) -> Leases {
        Self::with_clock(state, me, boot_time)
    }

    /// The same on a clock of the caller's.
    pub fn with_clock(
        state: State,
        me: &str,
        clock: impl Fn() -> BootTime + Send + Sync + 'static,
    ) -> Leases {
        let manager = LeaseManager::new(state, me, clock());
        Leases { manager, clock: Arc::new(clock) }
    }

    pub fn manager(&self) -> &LeaseManager {
        &self.manager
    }

    pub fn now(&self) -> BootTime {
        (self.clock)()
    }
}

/// What the boot-time clock shows: it goes on while the host sleeps, and nobody can set it.
fn boot_time() -> BootTime {
    let now = clock_gettime(ClockId::CLOCK_BOOTTIME).expect("Linux has a boot-time clock");
    now.into()
}
