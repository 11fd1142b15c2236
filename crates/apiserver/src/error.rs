//! What a handler fails with, and the code that each failure has on the wire.
//!
//! Codes are chosen here and nowhere else. Agents end for good on `unauthorized access`, `not found` of themselves and
//! `not provisioned`, so a fault that may pass (a store that does not answer, a full queue) carries no code at all.

use std::fmt;

use juju_wire::{Error as WireError, code};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error on its way to a client. `?` makes one of whatever the layers below fail with.
#[derive(Clone, Debug, PartialEq)]
pub struct Error(WireError);

impl Error {
    pub fn new(code: &str, message: impl fmt::Display) -> Self {
        Error(WireError::new(code, message))
    }
    /// A right that the caller lacks; says nothing of whether the thing exists.
    pub fn unauthorized() -> Self {
        Error(WireError::unauthorized())
    }
    pub fn not_found(what: impl fmt::Display) -> Self {
        Error(WireError::not_found(what))
    }
    pub fn not_valid(why: impl fmt::Display) -> Self {
        Error(WireError::not_valid(why))
    }
    pub fn bad_request(why: impl fmt::Display) -> Self {
        Error(WireError::bad_request(why))
    }
    pub fn not_supported(why: impl fmt::Display) -> Self {
        Error::new(code::NOT_SUPPORTED, why)
    }
    /// A fault that no client and no agent acts upon.
    pub fn other(why: impl fmt::Display) -> Self {
        Error(WireError::other(why))
    }
    /// A fault of the server's own. The client hears what could not be done, the log why.
    pub fn internal(what: impl fmt::Display, why: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error = chain(why), "{what}");
        Error::other(what)
    }

    pub fn code(&self) -> &str {
        &self.0.code
    }
    pub fn wire(&self) -> &WireError {
        &self.0
    }
    /// The status of an HTTP reply (Juju 3.6 `apiserver/errors`).
    pub fn status(&self) -> u16 {
        status(self.code())
    }
}

pub(crate) fn status(error_code: &str) -> u16 {
    match error_code {
        code::UNAUTHORIZED | code::LOGIN_EXPIRED | code::NO_CREDS | code::DISCHARGE_REQUIRED => 401,
        code::NOT_FOUND | code::USER_NOT_FOUND | code::MODEL_NOT_FOUND => 404,
        code::BAD_REQUEST | code::OPERATION_BLOCKED => 400,
        code::METHOD_NOT_ALLOWED => 405,
        code::FORBIDDEN => 403,
        code::NOT_YET_AVAILABLE => 409,
        code::REDIRECT => 301,
        code::NOT_LEADER => 307,
        _ => 500,
    }
}

/// An error with everything that caused it.
pub(crate) fn chain(err: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(err), |it| it.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

impl From<WireError> for Error {
    fn from(error: WireError) -> Self {
        Error(error)
    }
}

impl From<Error> for WireError {
    fn from(error: Error) -> Self {
        error.0
    }
}

/// A text that is no tag names nothing; Juju hides whether an entity exists from those who may not see it.
impl From<juju_core::TagError> for Error {
    fn from(error: juju_core::TagError) -> Self {
        Error::not_valid(error)
    }
}

impl From<juju_state::Error> for Error {
    fn from(error: juju_state::Error) -> Self {
        use juju_state::Error as E;
        let code = match &error {
            E::NotFound(_) => code::NOT_FOUND,
            E::ModelNotFound(_) => code::MODEL_NOT_FOUND,
            E::AlreadyExists(_) => code::ALREADY_EXISTS,
            E::NotValid(_) => code::NOT_VALID,
            E::NotSupported(_) => code::NOT_SUPPORTED,
            E::Unauthorized => code::UNAUTHORIZED,
            E::Dead(_) => code::DEAD,
            E::HasAssignedUnits { .. } => code::HAS_ASSIGNED_UNITS,
            E::HasContainers { .. } => code::HAS_CONTAINERS,
            E::UnitHasSubordinates => code::UNIT_HAS_SUBORDINATES,
            E::CannotEnterScope => code::CANNOT_ENTER_SCOPE,
            E::CannotEnterScopeYet => code::CANNOT_ENTER_SCOPE_YET,
            E::NotProvisioned(_) => code::NOT_PROVISIONED,
            E::NotAssigned(_) => code::UNIT_NOT_ASSIGNED,
            E::NoAddressSet(_) => code::NO_ADDRESS_SET,
            E::NotLeader { .. } => code::NOT_LEADER,
            E::LeadershipClaimDenied => code::LEADERSHIP_CLAIM_DENIED,
            E::LeaseClaimDenied => code::LEASE_CLAIM_DENIED,
            E::Blocked(_) => code::OPERATION_BLOCKED,
            E::HasHostedModels => code::HAS_HOSTED_MODELS,
            E::ModelNotEmpty(_) => code::MODEL_NOT_EMPTY,
            E::QuotaLimitExceeded(_) => code::QUOTA_LIMIT_EXCEEDED,
            E::NotYetAvailable(_) => code::NOT_YET_AVAILABLE,
            E::IncompatibleBase(_) => code::INCOMPATIBLE_BASE,
            E::ActionNotAvailable => code::ACTION_NOT_AVAILABLE,
            E::Contention(_) => code::EXCESSIVE_CONTENTION,
            E::Store(_) | E::Damaged(_) => return Error::internal(&error, &error),
            _ => "",
        };
        Error::new(code, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_status() {
        for (code, expected) in [
            ("not found", 404),
            ("unauthorized access", 401),
            ("", 500),
            ("bad request", 400),
            ("stopped", 500),
        ] {
            assert_eq!(Error::new(code, "x").status(), expected, "{code}");
        }
    }

    #[test]
    fn faults_of_the_store_carry_no_code_that_ends_an_agent() {
        let fault: Error = juju_state::Error::Damaged("unit without application".into()).into();
        assert_eq!(fault.code(), "");
        let missing: Error = juju_state::Error::NotFound("machine 3".into()).into();
        assert_eq!((missing.code(), missing.to_string().as_str()), ("not found", "machine 3 not found"));
    }
}
