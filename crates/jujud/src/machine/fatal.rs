//! What may end the whole agent, by importance (Juju 3.6 `cmd/jujud/agent/errors`).

use std::cmp::Ordering;

use juju_core::Version;

/// Why an agent ends. The greatest decides what happens next; of equals the first stays.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fatal {
    /// A worker needs the agent to begin again.
    #[error("agent should be restarted")]
    Restart,
    #[error("must restart: an agent upgrade is available")]
    UpgradeReady { from: Version, to: Version },
    #[error("machine needs to reboot")]
    Reboot,
    #[error("machine needs to shutdown")]
    Shutdown,
    #[error("agent should be terminated")]
    Terminate,
}

impl Fatal {
    pub fn importance(&self) -> u32 {
        match self {
            Fatal::Restart => 1,
            Fatal::UpgradeReady { .. } => 2,
            Fatal::Reboot | Fatal::Shutdown => 3,
            Fatal::Terminate => 4,
        }
    }
}

impl Ord for Fatal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.importance().cmp(&other.importance())
    }
}
impl PartialOrd for Fatal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Fatal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Fatal {}
