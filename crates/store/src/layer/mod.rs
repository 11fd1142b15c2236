//! What is the same on every backend, written once over their bare maps: the limits, values in parts, the
//! notice of compaction, and the removal of parts that nothing names any more.
//!
//! It divides the bare map's keys:
//!
//! | key | holds |
//! |---|---|
//! | `d/<key>` | a value, framed: itself, or the name of its parts |
//! | `p/<id>/<n>` | one part of a large value |
//! | `h/<id>` | who names these parts: the parts' *head*, see [`parts`] |
//! | `m/floor` | the revision before which all is forgotten; its writing tells every follower |

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream::BoxStream};

use crate::{
    Changes, Entry, Error, Guard, Page, Result, Revision, Snapshot, Store, TxnId, Write,
    limits::{self, check_key, check_prefix},
};

mod frame;
use frame::Frame;
mod parts;
mod reap;
#[cfg(test)]
mod tests;

const DATA: &str = "d/";
const FLOOR: &str = "m/floor";

/// A store over a backend that keeps bare keys and values of at most [`limits::INLINE_BYTES`].
pub(crate) struct Layer<S> {
    raw: Arc<S>,
}

impl<S: Store> Layer<S> {
    pub(crate) fn over(raw: S) -> Layer<S> {
        Layer { raw: Arc::new(raw) }
    }

    async fn open_entries(&self, entries: &mut [Entry]) -> Result<()> {
        for entry in entries {
            entry.key.drain(..DATA.len());
            entry.value = open(&*self.raw, &entry.key, std::mem::take(&mut entry.value)).await?;
        }
        Ok(())
    }
}

/// The value in a frame, fetched if it is in parts.
async fn open<S: Store>(raw: &S, key: &str, framed: Bytes) -> Result<Bytes> {
    match frame::parse(key, framed)? {
        Frame::Inline(value) => Ok(value),
        Frame::Parts(name) => parts::fetch(raw, key, &name).await,
    }
}

#[async_trait]
impl<S: Store> Store for Layer<S> {
    async fn get(&self, keys: &[&str], at: Option<Revision>) -> Result<Snapshot> {
        keys.iter().try_for_each(|key| check_key(key))?;
        let raw_keys: Vec<String> = keys.iter().map(|key| format!("{DATA}{key}")).collect();
        let raw_keys: Vec<&str> = raw_keys.iter().map(String::as_str).collect();
        let mut snapshot = self.raw.get(&raw_keys, at).await?;
        self.open_entries(&mut snapshot.entries).await?;
        Ok(snapshot)
    }

    async fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        at: Option<Revision>,
    ) -> Result<Page> {
        check_prefix(prefix)?;
        let after = after.map(|it| format!("{DATA}{it}"));
        let mut page = self.raw.list(&format!("{DATA}{prefix}"), after.as_deref(), limit.max(1), at).await?;
        self.open_entries(&mut page.entries).await?;
        Ok(page)
    }

    async fn commit(&self, guards: Vec<Guard>, writes: Vec<Write>, txn: TxnId) -> Result<Revision> {
        check(&guards, &writes)?;
        let mut raw_guards = Vec::with_capacity(guards.len());
        let mut raw_writes = Vec::with_capacity(writes.len());
        for guard in guards {
            raw_guards.push(match guard {
                Guard::Key(key, at) => Guard::Key(format!("{DATA}{key}"), at),
                Guard::Prefix(prefix, at) => Guard::Prefix(format!("{DATA}{prefix}"), at),
            });
        }
        for write in writes {
            let (key, value) = match write {
                Write::Put(key, value) => (key, value),
                Write::Delete(key) => {
                    raw_writes.push(Write::Delete(format!("{DATA}{key}")));
                    continue;
                }
            };
            let framed = if value.len() <= limits::INLINE_BYTES {
                frame::inline(&value)
            } else {
                let parts = parts::store(&*self.raw, value).await?;
                raw_guards.push(Guard::Key(parts.name.head(), parts.head_revision));
                raw_writes.push(Write::Put(parts.name.head(), Bytes::from(key.clone())));
                frame::parts(&parts.name)
            };
            raw_writes.push(Write::Put(format!("{DATA}{key}"), framed));
        }
        self.raw.commit(raw_guards, raw_writes, txn).await
    }

    async fn follow(&self, from: Revision) -> Result<BoxStream<'static, Result<Changes>>> {
        let raw = Arc::clone(&self.raw);
        let opened = self.raw.follow(from).await?.and_then(move |changes| {
            let raw = Arc::clone(&raw);
            async move { open_changes(&*raw, changes).await }
        });
        Ok(opened.boxed())
    }

    async fn compact(&self, before: Revision) -> Result<()> {
        let before = reap::raise_floor(&*self.raw, before).await?;
        self.raw.compact(before).await?;
        match reap::parts(&*self.raw, before).await {
            // Somebody else compacts further, and goes over the same parts.
            Err(Error::Compacted(_)) => Ok(()),
            outcome => outcome,
        }
    }

    async fn committed(&self, txn: TxnId) -> Result<Option<Revision>> {
        self.raw.committed(txn).await
    }
}

fn check(guards: &[Guard], writes: &[Write]) -> Result<()> {
    for guard in guards {
        match guard {
            Guard::Key(key, _) => check_key(key)?,
            Guard::Prefix(prefix, _) => check_prefix(prefix)?,
        }
    }
    let mut keys = std::collections::HashSet::new();
    for write in writes {
        check_key(write.key())?;
        if !keys.insert(write.key()) {
            let key = write.key();
            return Err(Error::Invalid(format!("{key:?} is written twice in one transaction")));
        }
    }
    limits::check(guards, writes)
}

async fn open_changes<S: Store>(raw: &S, raw_changes: Changes) -> Result<Changes> {
    let mut changes = Changes { revision: raw_changes.revision, ..Changes::default() };
    for (mut key, value) in raw_changes.changes {
        if key == FLOOR {
            changes.compacted = value.as_deref().map(reap::parse_floor).transpose()?;
        } else if key.starts_with(DATA) {
            key.drain(..DATA.len());
            let value = match value {
                Some(framed) => Some(open(raw, &key, framed).await?),
                None => None,
            };
            changes.changes.push((key, value));
        }
    }
    Ok(changes)
}
