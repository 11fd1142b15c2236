//! What can go wrong, by what the caller may do about it.
//!
//! The texts are those that Juju's clients print; the API server gives each variant its code.

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such thing. `0` names it: `machine 3`, `application "db"`.
    #[error("{0} not found")]
    NotFound(String),
    /// Likewise; the text says all.
    #[error("{0}")]
    NoSuch(String),
    /// There is no such model; a client forgets it then.
    #[error("model {0:?} not found")]
    ModelNotFound(String),
    #[error("{0} already exists")]
    AlreadyExists(String),
    /// What is asked for is so already; the text says what.
    #[error("{0}")]
    AlreadySo(String),
    /// The request makes no sense, now or ever; the text says why.
    #[error("{0}")]
    NotValid(String),
    /// It makes sense, but what is asked for cannot be done here.
    #[error("{0}")]
    NotSupported(String),
    /// Wrong name or password, or no such right. It never says which.
    #[error("permission denied")]
    Unauthorized,
    /// The thing is there but not alive, so that nothing new may depend on it.
    #[error("{0} is not found or not alive")]
    NotAlive(String),
    #[error("{0} is dead")]
    Dead(String),
    #[error("machine {machine} has unit {unit:?} assigned")]
    HasAssignedUnits { machine: String, unit: String },
    #[error("machine {machine} is hosting containers {containers:?}")]
    HasContainers { machine: String, containers: String },
    #[error("{0} is required by the model")]
    IsController(String),
    #[error("unit has subordinates")]
    UnitHasSubordinates,
    /// The unit or the relation is going: it will never enter.
    #[error("cannot enter scope: unit or relation is not alive")]
    CannotEnterScope,
    /// An old subordinate has to go first: try again when the unit changes.
    #[error("cannot enter scope yet: non-alive subordinate unit has not been removed")]
    CannotEnterScopeYet,
    /// The machine has no instance yet, or another one than the caller's.
    #[error("{0} not provisioned")]
    NotProvisioned(String),
    #[error("unit {0:?} is not assigned to a machine")]
    NotAssigned(String),
    #[error("no {0} address(es)")]
    NoAddressSet(&'static str),
    /// Only the leader of the application may do this.
    #[error("{unit:?} is not leader of {application:?}")]
    NotLeader { unit: String, application: String },
    #[error("leadership claim denied")]
    LeadershipClaimDenied,
    #[error("lease claim denied")]
    LeaseClaimDenied,
    /// Only the holder may do this.
    #[error("lease not held")]
    LeaseNotHeld,
    /// A block is set on the model.
    #[error("{0}")]
    Blocked(String),
    #[error("controller has hosted models")]
    HasHostedModels,
    #[error("model not empty, found {0}")]
    ModelNotEmpty(String),
    #[error("{0}")]
    QuotaLimitExceeded(String),
    /// It may go through later, as it is; the text says what is missing.
    #[error("{0}")]
    TryAgain(String),
    /// The bytes are on their way.
    #[error("{0} not yet available; try again later")]
    NotYetAvailable(String),
    /// The relation may not be made: the text says with what it collides.
    #[error("{0}")]
    IncompatibleBase(String),
    #[error("action no longer available")]
    ActionNotAvailable,
    /// Others changed the same things again and again.
    #[error("excessive contention")]
    Contention(#[source] juju_store::Error),
    /// The store failed; nothing was written, unless it says that it cannot tell.
    #[error("cannot use the store")]
    Store(#[source] juju_store::Error),
    /// What is stored contradicts itself; the text says where.
    #[error("{0}")]
    Damaged(String),
}

impl Error {
    pub fn not_valid(why: impl Into<String>) -> Error {
        Error::NotValid(why.into())
    }

    pub fn is_not_found(&self) -> bool {
        matches!(self, Error::NotFound(_) | Error::NoSuch(_) | Error::ModelNotFound(_))
    }
}

impl From<juju_store::Error> for Error {
    fn from(source: juju_store::Error) -> Error {
        match source {
            juju_store::Error::Contention { .. } => Error::Contention(source),
            other => Error::Store(other),
        }
    }
}
