//! Time for leases: the clock that goes on while the machine sleeps.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::time::Instant;

/// Where the time comes from.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// The time since the machine started. A machine that was suspended finds that its leases have run out.
    Boot,
    /// tokio's, which tests can stop.
    Tokio(Instant),
}

impl Clock {
    pub fn tokio() -> Self {
        Clock::Tokio(Instant::now())
    }

    /// Time since some moment of the past.
    pub fn now(self) -> Duration {
        match self {
            Clock::Boot => {
                let now = clock_gettime(ClockId::CLOCK_BOOTTIME).expect("Linux has a boot clock");
                Duration::new(now.tv_sec().unsigned_abs(), now.tv_nsec().unsigned_abs() as u32)
            }
            Clock::Tokio(start) => start.elapsed(),
        }
    }
}
