//! The values that pass between a store and those who use it.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// A moment in the life of a store. Each commit that writes makes the next one.
///
/// Revisions never leave the process that reads them: they are not stored in documents nor sent to clients, so
/// that a store can be copied into another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Revision(pub u64);

impl Revision {
    /// Before the first commit, and the revision at which a key that does not exist was "modified".
    pub const ZERO: Revision = Revision(0);

    /// The revision after this one.
    pub fn next(self) -> Revision {
        Revision(self.0 + 1)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A key that exists, its value, and the revision that wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub value: Bytes,
    pub modified: Revision,
}

/// Some keys as they were at one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub at: Revision,
    /// In the order asked for; keys that did not exist are left out.
    pub entries: Vec<Entry>,
}

/// A part of what stands under a prefix, in byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub at: Revision,
    pub entries: Vec<Entry>,
    /// There is more after the last entry. A page may end before its limit when its values are large.
    pub more: bool,
}

/// What must still hold for a commit to go through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// The key exists and was last written at this revision or, for revision zero, does not exist.
    Key(String, Revision),
    /// Nothing under the prefix was written or deleted after this revision.
    Prefix(String, Revision),
}

/// A change to one key. A commit changes a key at most once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    Put(String, Bytes),
    /// Deleting a key that does not exist changes nothing.
    Delete(String),
}

impl Write {
    pub fn key(&self) -> &str {
        match self {
            Write::Put(key, _) | Write::Delete(key) => key,
        }
    }
}

/// All that one commit changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub revision: Revision,
    /// Each changed key with its new value, or `None` where it was deleted. It may be empty: a store also uses
    /// revisions for its own housekeeping.
    pub changes: Vec<(String, Option<Bytes>)>,
    /// Set when this revision says that the store forgets what came before a revision.
    pub compacted: Option<Revision>,
}

/// Names one attempt to commit, so that its outcome can be asked for when the answer was lost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TxnId(u128);

impl TxnId {
    /// A name never used before. Names begin with the time, which keeps neighbours together on disk; nothing
    /// depends on clocks being right.
    #[expect(clippy::new_without_default, reason = "a default that differs each time would surprise")]
    pub fn new() -> TxnId {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let millis = since_epoch.map_or(0, |it| it.as_millis());
        TxnId((millis << 80) | (rand::random::<u128>() >> 48))
    }

    pub(crate) fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

impl fmt::Display for TxnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for TxnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TxnId({self})")
    }
}
