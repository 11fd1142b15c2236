//! Large values, kept in parts.
//!
//! The parts are written first, then a *head* that nobody has claimed; the commit that names them writes its own
//! key into the head and guards that it was unclaimed. So the reaper can remove parts whose commit never came
//! without a race: it first marks the head as dead, under the same guard, and one of the two loses.

use bytes::{Bytes, BytesMut};
use uuid::Uuid;

use super::frame::PartsName;
use crate::{Error, Guard, Result, Revision, Store, TxnId, Write, limits};

/// What a head holds while its parts wait for the commit that names them. No key is empty.
pub(super) const UNCLAIMED: &[u8] = b"";
/// What it holds once the reaper has condemned the parts. No key has a NUL.
pub(super) const DEAD: &[u8] = b"\0";

/// How many parts go into one transaction.
const AT_ONCE: usize = 4;
/// How often a commit without an answer is asked after and tried again.
const ATTEMPTS: u32 = 5;

pub(super) struct Stored {
    pub(super) name: PartsName,
    pub(super) head_revision: Revision,
}

pub(super) async fn store<S: Store>(raw: &S, value: Bytes) -> Result<Stored> {
    let name = PartsName { id: Uuid::new_v4().simple().to_string(), bytes: value.len() as u64 };
    let count = value.len().div_ceil(limits::INLINE_BYTES);
    let part = |n: usize| {
        let end = value.len().min((n + 1) * limits::INLINE_BYTES);
        Write::Put(name.part(n), value.slice(n * limits::INLINE_BYTES..end))
    };
    for first in (0..count).step_by(AT_ONCE) {
        let writes = (first..count.min(first + AT_ONCE)).map(part).collect();
        commit_surely(raw, vec![], writes).await?;
    }
    let head = Write::Put(name.head(), Bytes::from_static(UNCLAIMED));
    let head_revision = commit_surely(raw, vec![], vec![head]).await?;
    Ok(Stored { name, head_revision })
}

pub(super) async fn fetch<S: Store>(raw: &S, key: &str, name: &PartsName) -> Result<Bytes> {
    let size = usize::try_from(name.bytes).ok().filter(|it| *it <= limits::VALUE_BYTES);
    let size = size.ok_or_else(|| Error::Damaged(format!("{key:?} claims to have {} bytes", name.bytes)))?;
    let count = size.div_ceil(limits::INLINE_BYTES);
    let mut value = BytesMut::with_capacity(size);
    for first in (0..count).step_by(AT_ONCE) {
        let keys: Vec<String> = (first..count.min(first + AT_ONCE)).map(|n| name.part(n)).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        for part in raw.get(&keys, None).await?.entries {
            value.extend_from_slice(&part.value);
        }
    }
    if value.len() != size {
        // Parts go only when no revision that can still be read names them; so the reader is late, or they
        // were lost.
        let floor = super::reap::floor(raw).await?.revision;
        return Err(if floor > Revision::ZERO {
            Error::Compacted(floor)
        } else {
            Error::Damaged(format!("parts of {key:?} are missing"))
        });
    }
    Ok(value.freeze())
}

/// Commits, asking for the outcome when the answer was lost. For what is done the same the second time.
pub(super) async fn commit_surely<S: Store>(
    raw: &S,
    guards: Vec<Guard>,
    writes: Vec<Write>,
) -> Result<Revision> {
    let mut attempt = 1;
    loop {
        let txn = TxnId::new();
        match raw.commit(guards.clone(), writes.clone(), txn).await {
            Err(Error::Unknown { .. }) if attempt < ATTEMPTS => {
                if let Some(revision) = raw.committed(txn).await? {
                    return Ok(revision);
                }
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}
