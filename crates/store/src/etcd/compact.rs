//! Compaction: the floor first, then etcd's own, then what only we know to be forgotten.

use etcd_client::{Compare, CompareOp, GetOptions, KvClient, Txn, TxnOp};

use super::{
    Etcd,
    client::header_revision,
    fault::{Fault, is_compacted},
    keys::{Range, floor_value},
};
use crate::{Result, Revision};

/// How many keys are removed in one transaction: each takes a nested transaction of its own.
const KEYS: usize = 60;
/// How many keys are looked at in one request.
const LOOK_AT: i64 = 1000;

impl Etcd {
    pub(super) async fn compact_before(&self, before: Revision) -> Result<()> {
        let floor = self.raise_floor(before).await?;
        if floor == Revision::ZERO {
            return Ok(());
        }
        let call = |mut kv: KvClient| async move {
            match kv.compact(floor.0 as i64, None).await {
                Err(err) if is_compacted(&err) => Ok(()),
                outcome => outcome.map(|_| ()),
            }
        };
        self.client.call(call).await.map_err(Fault::harmless)?;
        // A guard older than the floor is refused, so tombstones up to it are not needed; and who lost the answer
        // to a commit has asked for it long since.
        self.reap(self.keys.tombstones_under(""), floor).await?;
        self.reap(self.keys.names(), floor).await
    }

    /// The floor that holds then: `before`, a higher one, or the newest revision.
    async fn raise_floor(&self, before: Revision) -> Result<Revision> {
        loop {
            let floor = self.floor().await?;
            let before = before.min(floor.now);
            if floor.revision >= before {
                return Ok(floor.revision);
            }
            let key = self.keys.floor();
            let request = Txn::new()
                .when([Compare::mod_revision(key.clone(), CompareOp::Equal, floor.written)])
                .and_then([TxnOp::put(key, floor_value(before), None)]);
            let answer = self.send(&request).await.map_err(Fault::harmless)?;
            if answer.succeeded() {
                return Ok(before);
            }
            // Somebody else raised it, or our own answer was lost.
            header_revision(answer.header())?;
        }
    }

    /// Removes the keys of a range that were not written after `floor`.
    async fn reap(&self, mut range: Range, floor: Revision) -> Result<()> {
        loop {
            let options =
                GetOptions::new().with_range(range.end.clone()).with_keys_only().with_limit(LOOK_AT);
            let call = |mut kv: KvClient| {
                let (start, options) = (range.start.clone(), options.clone());
                async move { kv.get(start, Some(options)).await }
            };
            let found = self.client.call(call).await.map_err(Fault::harmless)?;
            let old: Vec<_> = found.kvs().iter().filter(|it| it.mod_revision() as u64 <= floor.0).collect();
            for some in old.chunks(KEYS) {
                let removals = some.iter().map(|kv| {
                    let unmoved = Compare::mod_revision(kv.key(), CompareOp::Equal, kv.mod_revision());
                    TxnOp::txn(Txn::new().when([unmoved]).and_then([TxnOp::delete(kv.key(), None)]))
                });
                let request = Txn::new().and_then(removals.collect::<Vec<_>>());
                self.send(&request).await.map_err(Fault::harmless)?;
            }
            let Some(last) = found.kvs().last() else { return Ok(()) };
            if !found.more() {
                return Ok(());
            }
            range = range.after(&String::from_utf8_lossy(last.key()));
        }
    }
}
