//! Why a worker ended, where its agent must do more than start it again after a delay.

/// A reason, not an instruction: what follows is said in the agent's manifold list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// The configuration names other API servers than those this run began with.
    #[error("API addresses changed")]
    AddressesChanged,
    /// The controller will never let this agent in: its entity is dead or gone, or its credentials are wrong.
    #[error("connection permanently impossible")]
    ConnectImpossible,
    /// The machine is dead or was removed.
    #[error("machine is dead or removed")]
    MachineGone,
    /// The API connection ended; dependents start again with the next one.
    #[error("api connection broken unexpectedly")]
    ConnectionBroken,
    /// The log stream was closed in an orderly way.
    #[error("log stream closed")]
    LogStreamClosed,
}
