//! What a call may end in, by what the caller can do about it.

use std::time::Duration;

use juju_wire::{Error, code};

use crate::transport::TransportError;

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The server's answer; what to do depends on its code.
    #[error("{0}")]
    Api(Error),
    /// The connection is gone, and with it every watcher: connect again.
    #[error("{0}")]
    Closed(Closed),
    /// A parameter that JSON cannot hold.
    #[error("cannot write the parameters of {facade}.{method}")]
    Encode {
        facade: &'static str,
        method: &'static str,
        #[source]
        source: serde_json::Error,
    },
    /// The server answered in words that this client does not know.
    #[error("cannot read the reply of {facade}.{method}")]
    Decode {
        facade: &'static str,
        method: &'static str,
        #[source]
        source: serde_json::Error,
    },
    /// No answer in time. The server may have done what was asked.
    #[error("no answer from {facade}.{method} within {limit:?}")]
    Timeout { facade: &'static str, method: &'static str, limit: Duration },
}

impl CallError {
    /// The code of an API error, "" for all else.
    pub fn code(&self) -> &str {
        match self {
            CallError::Api(error) => &error.code,
            _ => "",
        }
    }

    pub fn is_not_found(&self) -> bool {
        self.code() == code::NOT_FOUND
    }

    pub fn is_unauthorized(&self) -> bool {
        self.code() == code::UNAUTHORIZED
    }

    /// Whether a new connection is needed to go on.
    pub fn is_closed(&self) -> bool {
        matches!(self, CallError::Closed(_))
    }
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        CallError::Api(error)
    }
}

/// Why a connection ended.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Closed {
    #[error("the connection was closed by this side")]
    Here,
    #[error("the server closed the connection{}{reason}", if .reason.is_empty() { "" } else { ": " })]
    Peer { reason: String },
    #[error("{0}")]
    Broken(TransportError),
    /// A ping was not answered.
    #[error("api connection broken unexpectedly")]
    Silent,
    #[error("the server sent a malformed frame: {0}")]
    Malformed(String),
}
