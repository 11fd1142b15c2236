//! What can go wrong, by what the caller may do about it.

use std::path::PathBuf;

use crate::{Revision, TxnId};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Somebody else got in first: read again once revision `wait_for` is to be seen, and decide anew.
    #[error("a guarded key was changed at revision {wait_for}")]
    Conflict { wait_for: Revision },
    /// [`transact`](crate::transact) met conflicts until it had no attempts left.
    #[error("excessive contention: {attempts} attempts met conflicting changes")]
    Contention { attempts: u32 },
    /// The commit may or may not have happened: ask [`Store::committed`](crate::Store::committed).
    #[error("cannot tell whether transaction {txn} was committed")]
    Unknown {
        txn: TxnId,
        #[source]
        source: anyhow::Error,
    },
    /// The text names what is too large and the limit. Nothing was written.
    #[error("too large: {0}")]
    TooLarge(String),
    /// The store no longer has this revision.
    #[error("revision {0} has been compacted")]
    Compacted(Revision),
    /// The store cannot be reached, or cannot write. Nothing was written.
    #[error("the store is unavailable")]
    Unavailable(#[source] anyhow::Error),
    /// Another process has the store open.
    #[error("the store in {} is in use by another process", path.display())]
    Locked { path: PathBuf },
    /// The call makes no sense: a mistake in the program.
    #[error("invalid store request: {0}")]
    Invalid(String),
    /// What is stored is not what it should be.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    #[error("cannot decode the document {key:?}")]
    Decode {
        key: String,
        #[source]
        source: serde_json::Error,
    },
    #[error("cannot encode the document {key:?}")]
    Encode {
        key: String,
        #[source]
        source: serde_json::Error,
    },
}

impl Error {
    /// The same call may go through later, as it is.
    pub fn is_transient(&self) -> bool {
        matches!(self, Error::Conflict { .. } | Error::Contention { .. } | Error::Unavailable(_))
    }

    pub(crate) fn unavailable(cause: impl Into<anyhow::Error>) -> Error {
        Error::Unavailable(cause.into())
    }
}
