//! Compaction, in steps between commits.
//!
//! The revision to forget up to is in `meta` before the first step, so readers and guards know at once. The
//! steps then walk the rows written since the last compaction: whatever such a row superseded goes, and so does
//! a tombstone. How far they came is kept, so that a compaction cut short is finished by the next one.

use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::oneshot;

use super::schema::{self, last_row_id};
use crate::{Error, Result, Revision};

/// How many rows a step looks at.
const ROWS: i64 = 512;
/// How many transaction names a step forgets.
const NAMES: i64 = 4096;

#[derive(Default)]
pub(super) struct Compaction {
    target: Revision,
    replies: Vec<oneshot::Sender<Result<()>>>,
}

impl Compaction {
    pub(super) fn add(&mut self, before: Revision, reply: oneshot::Sender<Result<()>>) {
        self.target = self.target.max(before);
        self.replies.push(reply);
    }

    /// Whether it has come to an end, good or bad, and has told so.
    pub(super) fn step(&mut self, connection: &mut Connection) -> bool {
        let more =
            versions(connection, self.target).and_then(|more| Ok(more || names(connection, self.target)?));
        let answer = || match &more {
            Ok(_) => Ok(()),
            Err(err) => Err(Error::Unavailable(anyhow::anyhow!("cannot compact: {err}"))),
        };
        if !matches!(more, Ok(true)) {
            // Who no longer waits need not be told.
            self.replies.drain(..).for_each(|reply| drop(reply.send(answer())));
            return true;
        }
        false
    }
}

/// Removes what some rows superseded; whether there is more to do.
fn versions(connection: &mut Connection, target: Revision) -> rusqlite::Result<bool> {
    let end = last_row_id(target);
    let transaction = connection.transaction()?;
    let reaped = schema::meta(&transaction)?.reaped;
    let rows: Vec<(i64, Vec<u8>)> = transaction
        .prepare_cached("SELECT id, key FROM kv WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3")?
        .query_map(params![reaped, end, ROWS], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let Some((last, _)) = rows.last() else { return Ok(false) };
    let last = *last;
    {
        let mut newest = transaction.prepare_cached(
            "SELECT id, value IS NULL FROM kv INDEXED BY kv_key
             WHERE key = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1",
        )?;
        let mut remove = transaction.prepare_cached("DELETE FROM kv WHERE key = ?1 AND id < ?2")?;
        for (_, key) in &rows {
            let found = newest
                .query_row(params![key, end], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?)));
            // A tombstone goes with what it superseded.
            if let Some((id, tombstone)) = found.optional()? {
                remove.execute(params![key, id + i64::from(tombstone)])?;
            }
        }
    }
    transaction.prepare_cached("UPDATE meta SET reaped = ?1")?.execute([last])?;
    transaction.commit()?;
    Ok(true)
}

/// Forgets some transaction names; whether there are more.
fn names(connection: &mut Connection, target: Revision) -> rusqlite::Result<bool> {
    let target = target.0 as i64;
    let transaction = connection.transaction()?;
    transaction.prepare_cached("DELETE FROM void WHERE revision <= ?1")?.execute([target])?;
    let first: Option<i64> =
        transaction.prepare_cached("SELECT min(revision) FROM txn")?.query_row([], |row| row.get(0))?;
    let end = target.min(first.unwrap_or(target).saturating_add(NAMES));
    transaction.prepare_cached("DELETE FROM txn WHERE revision <= ?1")?.execute([end])?;
    transaction.commit()?;
    Ok(end < target)
}
