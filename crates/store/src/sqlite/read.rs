//! Reading: a few connections of their own, each read one SQLite snapshot.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use tokio::sync::Semaphore;

use super::{
    apply::range_end,
    schema::{self, Meta, last_row_id, revision_of},
};
use crate::{Changes, Entry, Error, Page, Result, Revision, limits::PAGE_BYTES};

/// How many reads run at once.
const CONNECTIONS: usize = 4;
/// How many revisions a follower reads at once.
const REVISIONS: usize = 1000;

pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    turns: Arc<Semaphore>,
}

/// The file as it was when the read began.
pub(super) struct Snapshot<'a> {
    transaction: Transaction<'a>,
    meta: Meta,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Readers {
        Readers { path, idle: Mutex::default(), turns: Arc::new(Semaphore::new(CONNECTIONS)) }
    }

    /// Runs the read on a thread where it may block.
    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Snapshot<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(Error::unavailable)?;
        let readers = Arc::clone(self);
        let task = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let mut connection = readers.take()?;
            let outcome = with_snapshot(&mut connection, read);
            readers.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            outcome
        });
        task.await.map_err(Error::unavailable)?
    }

    fn take(&self) -> Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(connection) => Ok(connection),
            None => {
                let connection = schema::connect(&self.path).map_err(Error::unavailable)?;
                connection.pragma_update(None, "query_only", true).map_err(Error::unavailable)?;
                Ok(connection)
            }
        }
    }
}

fn with_snapshot<T>(connection: &mut Connection, read: impl FnOnce(&Snapshot<'_>) -> Result<T>) -> Result<T> {
    let transaction = connection.transaction().map_err(Error::unavailable)?;
    let meta = schema::meta(&transaction).map_err(Error::unavailable)?;
    read(&Snapshot { transaction, meta })
}

impl Snapshot<'_> {
    pub(super) fn get(&self, keys: &[String], at: Option<Revision>) -> Result<crate::Snapshot> {
        let at = self.readable(at)?;
        let entries = self.entries(keys, at).map_err(Error::unavailable)?;
        Ok(crate::Snapshot { at, entries })
    }

    fn entries(&self, keys: &[String], at: Revision) -> rusqlite::Result<Vec<Entry>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT id, value FROM kv INDEXED BY kv_key WHERE key = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1",
        )?;
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            let found = statement.query_row(params![key.as_bytes(), last_row_id(at)], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, Option<Vec<u8>>>(1)?))
            });
            if let Some((id, Some(value))) = found.optional()? {
                entries.push(Entry { key: key.clone(), value: value.into(), modified: revision_of(id) });
            }
        }
        Ok(entries)
    }

    pub(super) fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        at: Option<Revision>,
    ) -> Result<Page> {
        let at = self.readable(at)?;
        self.page(prefix, after, limit, at).map_err(Error::unavailable)
    }

    /// Walks the index, where each key's versions follow each other, oldest first; reads the value of the last
    /// one that counts.
    fn page(&self, prefix: &str, after: Option<&str>, limit: usize, at: Revision) -> rusqlite::Result<Page> {
        let mut page = Page { at, entries: Vec::new(), more: false };
        let mut size = 0;
        let mut value_of = self.transaction.prepare_cached("SELECT value FROM kv WHERE id = ?1")?;
        // Whether there is no room for another entry.
        let mut add = |page: &mut Page, key: Vec<u8>, id: i64| -> rusqlite::Result<bool> {
            let value: Option<Vec<u8>> = value_of.query_row([id], |row| row.get(0))?;
            let Some(value) = value else { return Ok(false) };
            if page.entries.len() >= limit || size >= PAGE_BYTES {
                page.more = true;
                return Ok(true);
            }
            size += value.len();
            let key = String::from_utf8_lossy(&key).into_owned();
            page.entries.push(Entry { key, value: value.into(), modified: revision_of(id) });
            Ok(false)
        };

        // The smallest key after `after` is `after` with a NUL.
        let past = after.map(|it| format!("{it}\0")).filter(|it| it.as_str() > prefix);
        let start = past.as_deref().unwrap_or(prefix);
        let mut statement = self.transaction.prepare_cached(
            "SELECT key, id FROM kv INDEXED BY kv_key WHERE key >= ?1 AND key < ?2 AND id <= ?3 ORDER BY key, id",
        )?;
        let mut rows = statement.query(params![start.as_bytes(), range_end(prefix), last_row_id(at)])?;
        let mut newest: Option<(Vec<u8>, i64)> = None;
        while let Some(row) = rows.next()? {
            let (key, id) = (row.get_ref(0)?.as_blob()?, row.get(1)?);
            match &mut newest {
                Some((current, newest)) if current == key => *newest = id,
                _ => {
                    if let Some((done, id)) = newest.replace((key.to_vec(), id))
                        && add(&mut page, done, id)?
                    {
                        return Ok(page);
                    }
                }
            }
        }
        if let Some((done, id)) = newest {
            add(&mut page, done, id)?;
        }
        Ok(page)
    }

    /// Whole revisions after `seen`, some at a time. The last one is the newest of all if nothing follows it.
    pub(super) fn after(&self, seen: Revision) -> Result<Vec<Changes>> {
        if seen < self.meta.compacted {
            return Err(Error::Compacted(seen));
        }
        let mut revisions = self.revisions(seen).map_err(Error::unavailable)?;
        let last = revisions.last().map_or(seen, |it| it.revision);
        // Revisions that only deleted what was not there have no rows.
        if revisions.is_empty() && last < self.meta.head {
            revisions.push(Changes { revision: self.meta.head, ..Changes::default() });
        }
        Ok(revisions)
    }

    fn revisions(&self, seen: Revision) -> rusqlite::Result<Vec<Changes>> {
        let mut statement =
            self.transaction.prepare_cached("SELECT id, key, value FROM kv WHERE id > ?1 ORDER BY id")?;
        let mut rows = statement.query([last_row_id(seen)])?;
        let mut revisions: Vec<Changes> = Vec::new();
        let mut size = 0;
        while let Some(row) = rows.next()? {
            let revision = revision_of(row.get(0)?);
            let key = String::from_utf8_lossy(row.get_ref(1)?.as_blob()?).into_owned();
            let value = row.get::<_, Option<Vec<u8>>>(2)?.map(Bytes::from);
            if revisions.last().is_none_or(|it| it.revision != revision) {
                if size >= PAGE_BYTES || revisions.len() >= REVISIONS {
                    break;
                }
                revisions.push(Changes { revision, ..Changes::default() });
            }
            size += value.as_ref().map_or(0, Bytes::len);
            if let Some(last) = revisions.last_mut() {
                last.changes.push((key, value));
            }
        }
        Ok(revisions)
    }

    fn readable(&self, at: Option<Revision>) -> Result<Revision> {
        match at.unwrap_or(self.meta.head) {
            at if at < self.meta.compacted => Err(Error::Compacted(at)),
            at if at > self.meta.head => Err(Error::Invalid(format!("revision {at} is still to come"))),
            at => Ok(at),
        }
    }
}
