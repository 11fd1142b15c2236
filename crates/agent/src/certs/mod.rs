//! Certificates of a controller: its own authority, the leaves it serves, and who trusts them.
//!
//! Each controller is its own authority ([`Authority`]); agents and clients are given its certificate
//! and trust nothing else. The names on a leaf are fixed ([`DNS_NAMES`]): agents always ask for
//! `juju-apiserver`, whatever address they dial, so a controller may move without new certificates.
//!
//! Keys made here are ECDSA P-256 (Juju makes RSA 3072): a handshake costs half as much, and every
//! client that can talk to Juju can talk to them. Keys that Juju made are read and used as they are.

mod authority;
mod check;
mod serve;
mod upgrade;

pub use authority::{Authority, Leaf};
pub use check::{CertProblem, check_leaf, fingerprint};
pub use serve::{ServerCerts, client_config, server_config, server_name};
pub use upgrade::{ensure_serving_cert, write_cert_files};

/// The names each leaf carries.
pub const DNS_NAMES: [&str; 4] = ["localhost", SERVER_NAME, "juju-mongodb", "anything"];

/// The name that agents and clients ask a controller for.
pub const SERVER_NAME: &str = "juju-apiserver";

/// Why there is no certificate, or none of use. No variant carries key material.
#[derive(Debug, thiserror::Error)]
pub enum CertError {
    /// The text given is not what its name says; get it from where it came from again.
    #[error("{what} is not a valid PEM {kind}")]
    Pem { what: &'static str, kind: &'static str },
    #[error("the certificate and the key of {what} do not belong together")]
    KeyMismatch { what: &'static str },
    #[error("cannot {action}")]
    Generate {
        action: &'static str,
        #[source]
        source: rcgen::Error,
    },
    #[error("cannot set up TLS")]
    Tls(#[source] rustls::Error),
}

/// The crypto of this project, named where it is used: no process-wide default is needed.
pub(crate) fn provider() -> std::sync::Arc<rustls::crypto::CryptoProvider> {
    std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}
