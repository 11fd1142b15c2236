//! One commit inside the writer's SQLite transaction: check everything, then write.

use rusqlite::{Connection, OptionalExtension, params};

use super::schema::{PLACES, last_row_id, revision_of, row_id};
use crate::{Changes, Error, Guard, Revision, TxnId, Write, limits::prefix_end};

/// How one commit in a group can fail.
pub(super) enum Failure {
    /// The commit is refused, before anything was written: the rest of the group goes on.
    Refused(Error),
    /// SQLite failed: the group cannot go on.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(err: rusqlite::Error) -> Failure {
        Failure::Sqlite(err)
    }
}

/// What a commit did.
pub(super) enum Applied {
    /// It made this revision.
    New(Changes),
    /// It made no revision: it had no writes, or was done before. It holds at this one.
    Nothing(Revision),
}

/// A group's place in history while it is applied.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub(super) head: Revision,
    pub(super) compacted: Revision,
}

pub(super) fn commit(
    connection: &Connection,
    position: Position,
    guards: &[Guard],
    writes: Vec<Write>,
    txn: TxnId,
) -> Result<Applied, Failure> {
    match outcome(connection, txn)? {
        Some(Outcome::Committed(revision)) => return Ok(Applied::Nothing(revision)),
        Some(Outcome::Void) => return Err(Failure::Refused(Error::Conflict { wait_for: position.head })),
        None => {}
    }
    let mut wait_for = None;
    for guard in guards {
        wait_for = wait_for.max(broken(connection, position, guard)?);
    }
    if let Some(wait_for) = wait_for {
        return Err(Failure::Refused(Error::Conflict { wait_for }));
    }
    if writes.is_empty() {
        return Ok(Applied::Nothing(position.head));
    }
    if writes.len() > PLACES {
        let count = writes.len();
        return Err(Failure::Refused(Error::TooLarge(format!("a transaction with {count} writes"))));
    }
    let revision = position.head.next();
    let changes = write(connection, revision, writes)?;
    connection
        .prepare_cached("INSERT INTO txn (revision, name) VALUES (?1, ?2)")?
        .execute(params![revision.0 as i64, txn.to_bytes()])?;
    Ok(Applied::New(Changes { revision, changes, compacted: None }))
}

fn write(
    connection: &Connection,
    revision: Revision,
    writes: Vec<Write>,
) -> rusqlite::Result<Vec<(String, Option<bytes::Bytes>)>> {
    let mut insert = connection.prepare_cached("INSERT INTO kv (id, key, value) VALUES (?1, ?2, ?3)")?;
    let mut changes = Vec::with_capacity(writes.len());
    for (place, write) in writes.into_iter().enumerate() {
        let id = row_id(revision, place);
        match write {
            Write::Put(key, value) => {
                insert.execute(params![id, key.as_bytes(), &value[..]])?;
                changes.push((key, Some(value)));
            }
            Write::Delete(key) => {
                if newest(connection, &key)?.is_some_and(|it| it.live) {
                    insert.execute(params![id, key.as_bytes(), None::<&[u8]>])?;
                    changes.push((key, None));
                }
            }
        }
    }
    Ok(changes)
}

pub(super) enum Outcome {
    Committed(Revision),
    Void,
}

/// What became of the transaction of this name, if anything did.
pub(super) fn outcome(connection: &Connection, txn: TxnId) -> rusqlite::Result<Option<Outcome>> {
    let mut statement = connection.prepare_cached(
        "SELECT revision FROM txn WHERE name = ?1 UNION ALL SELECT NULL FROM void WHERE name = ?1",
    )?;
    let revision: Option<Option<i64>> = statement.query_row([txn.to_bytes()], |row| row.get(0)).optional()?;
    Ok(revision.map(|it| it.map_or(Outcome::Void, |it| Outcome::Committed(Revision(it as u64)))))
}

struct Newest {
    revision: Revision,
    live: bool,
}

fn newest(connection: &Connection, key: &str) -> rusqlite::Result<Option<Newest>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, value IS NOT NULL FROM kv INDEXED BY kv_key WHERE key = ?1 ORDER BY id DESC LIMIT 1",
    )?;
    let newest = statement.query_row([key.as_bytes()], |row| {
        Ok(Newest { revision: revision_of(row.get(0)?), live: row.get(1)? })
    });
    newest.optional()
}

/// The revision that breaks the guard, if one does.
fn broken(connection: &Connection, position: Position, guard: &Guard) -> Result<Option<Revision>, Failure> {
    match guard {
        Guard::Key(key, expected) => {
            let newest = newest(connection, key)?;
            let live = newest.as_ref().is_some_and(|it| it.live);
            let modified = newest.map_or(Revision::ZERO, |it| it.revision);
            let holds = if *expected == Revision::ZERO { !live } else { live && modified == *expected };
            // A key that is gone without a tombstone went before the compaction.
            Ok((!holds).then(|| modified.max(position.compacted)))
        }
        Guard::Prefix(_, after) if *after < position.compacted => {
            Err(Failure::Refused(Error::Compacted(*after)))
        }
        Guard::Prefix(prefix, after) => {
            let newest = newest_under(connection, prefix, *after, position.head)?;
            Ok(newest.filter(|it| it > after))
        }
    }
}

/// The newest change under a prefix, if it came after `after`. As a rule that was moments ago, and going through
/// all that happened since is cheaper than going through all that is there.
fn newest_under(
    connection: &Connection,
    prefix: &str,
    after: Revision,
    head: Revision,
) -> rusqlite::Result<Option<Revision>> {
    const FEW_REVISIONS: u64 = 500;
    let end = range_end(prefix);
    let id: Option<i64> = if head.0.saturating_sub(after.0) <= FEW_REVISIONS {
        let mut statement = connection.prepare_cached(
            "SELECT id FROM kv NOT INDEXED WHERE id > ?1 AND key >= ?2 AND key < ?3 ORDER BY id DESC LIMIT 1",
        )?;
        let after = last_row_id(after);
        statement.query_row(params![after, prefix.as_bytes(), end], |row| row.get(0)).optional()?
    } else {
        let mut statement = connection
            .prepare_cached("SELECT max(id) FROM kv INDEXED BY kv_key WHERE key >= ?1 AND key < ?2")?;
        statement.query_row(params![prefix.as_bytes(), end], |row| row.get(0))?
    };
    Ok(id.map(revision_of))
}

/// Where the keys under a prefix end, as SQLite compares them. No UTF-8 text begins with the byte 255.
pub(super) fn range_end(prefix: &str) -> Vec<u8> {
    prefix_end(prefix).map_or(vec![0xff], String::into_bytes)
}
