//! One document as the view keeps it: its bytes and, once somebody asked, what they decode to.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::{Error, Result, Revision};

/// A document in a [`View`](crate::View), shared by all who read it and never changed: a new value is a new
/// `Doc`.
pub struct Doc {
    key: Arc<str>,
    value: Bytes,
    /// Whether it exists; else it is a tombstone, which never leaves the view.
    live: bool,
    modified: Revision,
    decoded: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl Doc {
    pub fn key(&self) -> &str {
        &self.key
    }

    pub fn value(&self) -> &Bytes {
        &self.value
    }

    /// The revision that wrote it.
    pub fn modified(&self) -> Revision {
        self.modified
    }

    /// The document decoded. It is done once and shared from then on, as long as all ask for the same type; who
    /// asks for another one gets a copy of his own.
    pub fn decode<D: DeserializeOwned + Any + Send + Sync>(&self) -> Result<Arc<D>> {
        if let Some(decoded) = self.decoded.get()
            && let Ok(decoded) = Arc::clone(decoded).downcast()
        {
            return Ok(decoded);
        }
        let decoded = Arc::new(decode(self.key(), self.value())?);
        // Losing a race only means that this reader keeps a copy of his own.
        let _ = self.decoded.set(Arc::clone(&decoded) as _);
        Ok(decoded)
    }

    pub(super) fn new(key: Arc<str>, value: Option<Bytes>, modified: Revision) -> Doc {
        let live = value.is_some();
        Doc { key, value: value.unwrap_or_default(), live, modified, decoded: OnceLock::new() }
    }

    pub(super) fn shared_key(&self) -> &Arc<str> {
        &self.key
    }

    pub(super) fn is_live(&self) -> bool {
        self.live
    }
}

impl fmt::Debug for Doc {
    /// Leaves the value out: documents hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Doc")
            .field("key", &self.key)
            .field("modified", &self.modified)
            .finish_non_exhaustive()
    }
}

pub(crate) fn decode<D: DeserializeOwned>(key: &str, value: &[u8]) -> Result<D> {
    serde_json::from_slice(value).map_err(|source| Error::Decode { key: key.to_owned(), source })
}
