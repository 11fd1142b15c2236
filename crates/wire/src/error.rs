//! Error codes, exactly as Juju sends them, and the error that travels.

use std::fmt;

pub use crate::params::Error;

macro_rules! codes {
    ($($(#[$meta:meta])* $name:ident = $code:literal;)*) => {
        $( $(#[$meta])* pub const $name: &str = $code; )*
        /// Every code.
        pub const ALL: &[&str] = &[$($code),*];
    };
}

/// The codes of Juju 3.6 `rpc/params/apierror.go`. Clients and agents branch on them, so each is sent in the same
/// cases as there; an agent ends on some of them, which is why a passing fault must never carry one of those.
pub mod code {
    codes! {
        UNAUTHORIZED = "unauthorized access";
        LOGIN_EXPIRED = "login expired";
        NO_CREDS = "no credentials provided";
        ACCESS_REQUIRED = "access required";
        NOT_FOUND = "not found";
        USER_NOT_FOUND = "user not found";
        MODEL_NOT_FOUND = "model not found";
        ALREADY_EXISTS = "already exists";
        NOT_VALID = "not valid";
        BAD_REQUEST = "bad request";
        METHOD_NOT_ALLOWED = "method not allowed";
        FORBIDDEN = "forbidden";
        NOT_IMPLEMENTED = "not implemented";
        NOT_SUPPORTED = "not supported";
        OPERATION_BLOCKED = "operation is blocked";
        STOPPED = "stopped";
        TRY_AGAIN = "try again";
        NOT_YET_AVAILABLE = "not yet available; try again later";
        NOT_PROVISIONED = "not provisioned";
        UNIT_NOT_ASSIGNED = "not assigned";
        NO_ADDRESS_SET = "no address set";
        DEAD = "dead";
        HAS_ASSIGNED_UNITS = "machine has assigned units";
        HAS_CONTAINERS = "machine is hosting containers";
        MACHINE_HAS_ATTACHED_STORAGE = "machine has attached storage";
        STORAGE_ATTACHED = "storage is attached";
        UNIT_HAS_SUBORDINATES = "unit has subordinates";
        CANNOT_ENTER_SCOPE = "cannot enter scope";
        CANNOT_ENTER_SCOPE_YET = "cannot enter scope yet";
        EXCESSIVE_CONTENTION = "excessive contention";
        HAS_HOSTED_MODELS = "controller has hosted models";
        HAS_PERSISTENT_STORAGE = "controller/model has persistent storage";
        MODEL_NOT_EMPTY = "model not empty";
        UPGRADE_IN_PROGRESS = "upgrade in progress";
        MIGRATION_IN_PROGRESS = "model migration in progress";
        ACTION_NOT_AVAILABLE = "action no longer available";
        LEADERSHIP_CLAIM_DENIED = "leadership claim denied";
        LEASE_CLAIM_DENIED = "lease claim denied";
        NOT_LEADER = "not leader";
        DISCHARGE_REQUIRED = "macaroon discharge required";
        REDIRECT = "redirection required";
        INCOMPATIBLE_BASE = "incompatible base";
        CLOUD_REGION_REQUIRED = "cloud region required";
        INCOMPATIBLE_CLOUDS = "incompatible clouds";
        QUOTA_LIMIT_EXCEEDED = "quota limit exceeded";
        DEADLINE_EXCEEDED = "deadline exceeded";
    }
}

impl Error {
    pub fn new(code: &str, message: impl fmt::Display) -> Self {
        Error { code: code.to_owned(), message: message.to_string(), info: Default::default() }
    }
    /// A permission that the caller lacks; says nothing of whether the thing exists.
    pub fn unauthorized() -> Self {
        Self::new(code::UNAUTHORIZED, "permission denied")
    }
    pub fn not_found(what: impl fmt::Display) -> Self {
        Self::new(code::NOT_FOUND, format_args!("{what} not found"))
    }
    pub fn bad_request(why: impl fmt::Display) -> Self {
        Self::new(code::BAD_REQUEST, why)
    }
    pub fn not_valid(why: impl fmt::Display) -> Self {
        Self::new(code::NOT_VALID, why)
    }
    pub fn already_exists(what: impl fmt::Display) -> Self {
        Self::new(code::ALREADY_EXISTS, format_args!("{what} already exists"))
    }
    /// A fault without a code of its own, which no client and no agent acts upon.
    pub fn other(why: impl fmt::Display) -> Self {
        Self::new("", why)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
