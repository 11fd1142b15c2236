//! Why something is not a charm, named by the file and the key at fault.

use std::{io, path::PathBuf};

pub type Result<T, E = CharmError> = std::result::Result<T, E>;

/// A charm or bundle that cannot be read, packed or unpacked, by what its reader may do about it.
#[derive(Debug, thiserror::Error)]
pub enum CharmError {
    /// There is nothing at this place.
    #[error("no charm was found at {path:?}", path = .0.display().to_string())]
    NotThere(PathBuf),
    /// A directory or an archive without `metadata.yaml`.
    #[error("charm or bundle at {path:?} not found", path = .0.display().to_string())]
    NoMetadata(PathBuf),
    /// A file that is no zip archive.
    #[error("invalid charm or bundle provided at {path:?}", path = .0.display().to_string())]
    NotAnArchive(PathBuf),
    /// A file of the charm that cannot be understood.
    #[error("{file}: {why}")]
    Parse { file: &'static str, why: String },
    /// What it says is against the rules; the text says which.
    #[error("{0}")]
    Invalid(String),
    /// An archive that would do harm, or is too large.
    #[error("refusing charm archive: {0}")]
    Refused(String),
    #[error("cannot {doing} {path}", path = .path.display())]
    Io {
        doing: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl CharmError {
    pub(crate) fn invalid(why: impl Into<String>) -> Self {
        CharmError::Invalid(why.into())
    }
    pub(crate) fn parse(file: &'static str, why: impl ToString) -> Self {
        CharmError::Parse { file, why: why.to_string() }
    }
    pub(crate) fn refused(why: impl Into<String>) -> Self {
        CharmError::Refused(why.into())
    }
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        CharmError::Io { doing, path: path.into(), source }
    }
}
