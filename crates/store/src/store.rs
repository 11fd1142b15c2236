//! The contract that every backend keeps.

use async_trait::async_trait;
use futures_util::stream::BoxStream;

use crate::{Changes, Guard, Page, Result, Revision, Snapshot, TxnId, Write};

/// A multi-version map from keys to values, with one order of commits that all see alike.
///
/// Keys are UTF-8, ordered by their bytes, and shaped like paths: they do not end in `/`, nor hold a NUL. A prefix is empty (everything) or ends in `/`, so that `unit/a/` never means `unit/ab`.
///
/// A delete leaves a tombstone that reads do not see but prefix guards do; it is removed by compaction.
/// [`limits`](crate::limits) are the same on every backend. A value over 256 KiB is kept in parts that are
/// written before the commit that names them; no caller sees that.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// The keys that exist among `keys`, all as of `at`, or of now. With no keys it asks for the revision of now.
    async fn get(&self, keys: &[&str], at: Option<Revision>) -> Result<Snapshot>;

    /// The entries under `prefix` that come after the key `after`, as of `at` or of now: at most `limit`, and
    /// fewer when they are large. Ask for the next page with the last key and the page's own revision.
    async fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        at: Option<Revision>,
    ) -> Result<Page>;

    /// Applies all of `writes` at one new revision if every guard holds, and otherwise none.
    ///
    /// A commit is done at most once: repeated under the same name it answers what it answered before. Without
    /// writes it only checks the guards and answers the revision at which they held.
    async fn commit(&self, guards: Vec<Guard>, writes: Vec<Write>, txn: TxnId) -> Result<Revision>;

    /// Every revision after `from`, whole and in order, then each new one as it comes. It ends with an error: one
    /// that left off may be taken up again from the last revision seen, unless that was compacted.
    async fn follow(&self, from: Revision) -> Result<BoxStream<'static, Result<Changes>>>;

    /// Forgets what only revisions before `before` can see, tombstones and the names of transactions among it.
    /// A prefix guard older than that can no longer be checked and is answered with `Compacted`.
    async fn compact(&self, before: Revision) -> Result<()>;

    /// The revision that this transaction committed. `None` is as final: it was not committed, and from now on it
    /// cannot be, should a copy of it still be on its way.
    async fn committed(&self, txn: TxnId) -> Result<Option<Revision>>;
}
