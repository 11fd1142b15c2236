//! Why no connection came about, by what one can do about it.

use std::{io, sync::Arc, time::Duration};

/// Nothing of this means that the credentials are wrong: those are only seen at login.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DialError {
    #[error("there is no address to connect to")]
    NoAddresses,
    /// Not the server's fault: the certificate given here is not one.
    #[error("the controller's CA certificate cannot be read: {0}")]
    BadCa(String),
    #[error("{0:?} is not an address of the form host:port")]
    BadAddress(String),
    #[error("cannot find the address of {host}")]
    Resolve {
        host: String,
        #[source]
        source: Arc<io::Error>,
    },
    /// Nothing listens there: the controller is down, or it is the wrong port.
    #[error("connection to {address} refused")]
    Refused { address: String },
    #[error("cannot reach {address}")]
    Unreachable {
        address: String,
        #[source]
        source: Arc<io::Error>,
    },
    /// What answers is not the controller whose CA this is.
    #[error("{address} does not present a certificate of this controller")]
    Untrusted {
        address: String,
        #[source]
        source: Arc<io::Error>,
    },
    #[error("cannot set up TLS with {address}")]
    Tls {
        address: String,
        #[source]
        source: Arc<io::Error>,
    },
    /// The server answered, but not with a websocket.
    #[error("{address} answered {status}{}{body}", if .body.is_empty() { "" } else { ": " })]
    Http { address: String, status: u16, body: String },
    #[error("{address} does not speak websocket: {why}")]
    Handshake { address: String, why: String },
    #[error("no answer from {address} within {limit:?}")]
    Timeout { address: String, limit: Duration },
    /// All addresses together took too long.
    #[error("no connection within {0:?}")]
    OpenTimeout(Duration),
}

impl DialError {
    /// How much an error tells, to choose one of many: the further an attempt came, the more.
    pub(super) fn weight(&self) -> u8 {
        match self {
            DialError::NoAddresses | DialError::OpenTimeout(_) => 0,
            DialError::BadAddress(_) | DialError::Resolve { .. } => 1,
            DialError::Unreachable { .. } => 2,
            DialError::Timeout { .. } => 3,
            DialError::Refused { .. } => 4,
            DialError::Handshake { .. } | DialError::Tls { .. } => 5,
            DialError::Http { .. } => 6,
            DialError::Untrusted { .. } | DialError::BadCa(_) => 7,
        }
    }
}
