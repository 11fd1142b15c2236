//! Compaction: the floor that tells everyone how far the store forgets, and the removal of parts that no
//! revision above it names.

use bytes::Bytes;

use super::{
    DATA, FLOOR,
    frame::{self, Frame},
    parts::{DEAD, UNCLAIMED, commit_surely},
};
use crate::{Entry, Error, Guard, Result, Revision, Store, Write};

const PAGE: usize = 100;

pub(super) struct Floor {
    pub(super) revision: Revision,
    written: Revision,
}

pub(super) async fn floor<S: Store>(raw: &S) -> Result<Floor> {
    let entry = raw.get(&[FLOOR], None).await?.entries.pop();
    let revision = entry.as_ref().map_or(Ok(Revision::ZERO), |it| parse_floor(&it.value))?;
    Ok(Floor { revision, written: entry.map_or(Revision::ZERO, |it| it.modified) })
}

pub(super) fn parse_floor(value: &[u8]) -> Result<Revision> {
    let bytes = <[u8; 8]>::try_from(value).map_err(|_| Error::Damaged("the compaction floor".to_owned()))?;
    Ok(Revision(u64::from_be_bytes(bytes)))
}

/// Writes the floor before anything is forgotten, so that no follower misses the news. Answers the floor that
/// holds: `before`, or a higher one that somebody else set, and never more than the newest revision.
pub(super) async fn raise_floor<S: Store>(raw: &S, before: Revision) -> Result<Revision> {
    let before = before.min(raw.get(&[], None).await?.at);
    loop {
        let floor = floor(raw).await?;
        if floor.revision >= before {
            return Ok(floor.revision);
        }
        let value = Bytes::copy_from_slice(&before.0.to_be_bytes());
        let guards = vec![Guard::Key(FLOOR.to_owned(), floor.written)];
        match commit_surely(raw, guards, vec![Write::Put(FLOOR.to_owned(), value)]).await {
            Ok(_) => return Ok(before),
            Err(Error::Conflict { .. }) => {}
            Err(err) => return Err(err),
        }
    }
}

/// Removes the parts that nobody claimed before `floor`, and those whose value was replaced or deleted before it.
pub(super) async fn parts<S: Store>(raw: &S, floor: Revision) -> Result<()> {
    let mut after: Option<String> = None;
    loop {
        let page = raw.list("h/", after.as_deref(), PAGE, None).await?;
        for head in &page.entries {
            if head.value != DEAD {
                if head.modified > floor || is_named(raw, head, floor).await? {
                    continue;
                }
                if !condemn(raw, head).await? {
                    continue;
                }
            }
            remove(raw, head).await?;
        }
        match page.entries.into_iter().next_back() {
            Some(last) if page.more => after = Some(last.key),
            _ => return Ok(()),
        }
    }
}

fn id(head: &Entry) -> &str {
    &head.key["h/".len()..]
}

/// Whether a head claimed by `floor` is named at `floor`. If it is not, no later revision can name it, since
/// ids are used once.
async fn is_named<S: Store>(raw: &S, head: &Entry, floor: Revision) -> Result<bool> {
    if head.value == UNCLAIMED {
        return Ok(false);
    }
    let key =
        std::str::from_utf8(&head.value).map_err(|_| Error::Damaged(format!("the head {}", head.key)))?;
    let named = raw.get(&[&format!("{DATA}{key}")], Some(floor)).await?.entries.pop();
    let Some(named) = named else { return Ok(false) };
    Ok(matches!(frame::parse(key, named.value)?, Frame::Parts(name) if name.id == id(head)))
}

/// Marks the head as dead unless it was claimed meanwhile; whether it did.
async fn condemn<S: Store>(raw: &S, head: &Entry) -> Result<bool> {
    let guards = vec![Guard::Key(head.key.clone(), head.modified)];
    let writes = vec![Write::Put(head.key.clone(), Bytes::from_static(DEAD))];
    match commit_surely(raw, guards, writes).await {
        Ok(_) => Ok(true),
        Err(Error::Conflict { .. }) => Ok(false),
        Err(err) => Err(err),
    }
}

/// Removes a dead head's parts, the head last, so that what is cut short is finished the next time.
async fn remove<S: Store>(raw: &S, head: &Entry) -> Result<()> {
    let prefix = format!("p/{}/", id(head));
    loop {
        let page = raw.list(&prefix, None, PAGE, None).await?;
        if page.entries.is_empty() {
            break;
        }
        let writes = page.entries.into_iter().map(|it| Write::Delete(it.key)).collect();
        commit_surely(raw, vec![], writes).await?;
    }
    commit_surely(raw, vec![], vec![Write::Delete(head.key.clone())]).await?;
    Ok(())
}
