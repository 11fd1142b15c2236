//! The file: its tables, settings and connections.
//!
//! | table | holds |
//! |---|---|
//! | `kv` | each version of each key; no value is a tombstone. Its number is the revision and, below that, the place in the transaction ([`row_id`]) |
//! | `txn` | the name of the transaction that made a revision |
//! | `void` | names of transactions that must never commit |
//! | `meta` | one row: the newest revision, what was compacted, and how far that has been carried out |

use std::{path::Path, time::Duration};

use anyhow::Context;
use rusqlite::{Connection, OpenFlags};

use crate::{Error, Result, Revision};

/// Marks the file as ours: "juju".
const APPLICATION_ID: i64 = 0x6a75_6a75;
const VERSION: i64 = 1;

const TABLES: &str = "
    CREATE TABLE kv (id INTEGER PRIMARY KEY, key BLOB NOT NULL, value BLOB) STRICT;
    CREATE INDEX kv_key ON kv (key);
    CREATE TABLE txn (revision INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE) STRICT;
    CREATE TABLE void (name BLOB PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE meta (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        head INTEGER NOT NULL,
        compacted INTEGER NOT NULL,
        reaped INTEGER NOT NULL
    ) STRICT;
    INSERT INTO meta VALUES (1, 0, 0, 0);
";

/// How many bits of a row's number are for the place in its transaction.
const PLACE_BITS: u32 = 10;
pub(super) const PLACES: usize = 1 << PLACE_BITS;

pub(super) fn row_id(revision: Revision, place: usize) -> i64 {
    ((revision.0 as i64) << PLACE_BITS) | place as i64
}

/// The last row that a revision may have.
pub(super) fn last_row_id(revision: Revision) -> i64 {
    row_id(revision, PLACES - 1)
}

pub(super) fn revision_of(row_id: i64) -> Revision {
    Revision((row_id >> PLACE_BITS) as u64)
}

/// Opens the writer's connection, making the tables in a new file.
pub(super) fn open(path: &Path) -> Result<Connection> {
    let name = || format!("cannot open the store {}", path.display());
    let connection = connect(path).with_context(name).map_err(Error::Unavailable)?;
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let read = || Ok::<_, rusqlite::Error>((pragma("application_id")?, pragma("user_version")?));
    let (application, version) = read().with_context(name).map_err(Error::Unavailable)?;
    match (application, version) {
        (APPLICATION_ID, VERSION) => {}
        (APPLICATION_ID, newer) => {
            let path = path.display();
            return Err(Error::Damaged(format!("{path} has version {newer}, this program knows {VERSION}")));
        }
        (0, 0) => create(&connection).with_context(name).map_err(Error::Unavailable)?,
        _ => return Err(Error::Damaged(format!("{} is not a store of ours", path.display()))),
    }
    Ok(connection)
}

fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE; {TABLES}
         PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
    ))
}

/// A connection for the writer or a reader. The file exists already, with the right mode, which SQLite gives to
/// the files it makes beside it.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.set_prepared_statement_cache_capacity(32);
    connection.pragma_update(None, "journal_mode", "wal")?;
    // A commit is acknowledged when it is on the disk.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "temp_store", "memory")?;
    // 8 MiB, and a write-ahead log of about as much before it is moved into the file.
    connection.pragma_update(None, "cache_size", -8192)?;
    connection.pragma_update(None, "wal_autocheckpoint", 2000)?;
    connection.pragma_update(None, "journal_size_limit", 32 * 1024 * 1024)?;
    Ok(connection)
}

/// What the one row of `meta` says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meta {
    pub(super) head: Revision,
    pub(super) compacted: Revision,
    /// The row up to which superseded versions have been removed.
    pub(super) reaped: i64,
}

pub(super) fn meta(connection: &Connection) -> rusqlite::Result<Meta> {
    let mut statement = connection.prepare_cached("SELECT head, compacted, reaped FROM meta")?;
    statement.query_one([], |row| {
        let revision = |it: i64| Revision(it as u64);
        Ok(Meta { head: revision(row.get(0)?), compacted: revision(row.get(1)?), reaped: row.get(2)? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_sort_by_revision_then_place() {
        assert!(row_id(Revision(1), 1023) < row_id(Revision(2), 0));
        assert_eq!(revision_of(row_id(Revision(7), 3)), Revision(7));
        assert_eq!(revision_of(last_row_id(Revision(7))), Revision(7));
        assert!(row_id(Revision(1 << 52), 0) > 0);
    }
}
