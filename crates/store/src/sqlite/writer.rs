//! The writer's thread: takes what waits, does it in one SQLite transaction, answers all.

use std::sync::Arc;

use rusqlite::{Connection, ErrorCode, params};
use tokio::sync::{mpsc, oneshot};

use super::{
    apply::{self, Applied, Failure, Outcome, Position},
    compact::Compaction,
    recent::{Publisher, Recent},
    schema,
};
use crate::{Error, Guard, Result, Revision, TxnId, Write};

/// A group ends at this many requests.
const GROUP: usize = 256;
/// A group also ends once its values have so many bytes, so that those who wait for it need not wait long.
const GROUP_BYTES: usize = 4 * 1024 * 1024;

type Reply<T> = oneshot::Sender<Result<T>>;

pub(super) enum Request {
    Commit { guards: Vec<Guard>, writes: Vec<Write>, txn: TxnId, reply: Reply<Revision> },
    Committed { txn: TxnId, reply: Reply<Option<Revision>> },
    Compact { before: Revision, reply: Reply<()> },
}

pub(super) struct Writer {
    connection: Connection,
    queue: mpsc::Receiver<Request>,
    position: Position,
    publisher: Publisher,
    compaction: Option<Compaction>,
}

/// Why the thread ends before the store is closed.
struct Broken;

impl Writer {
    pub(super) fn new(connection: Connection, queue: mpsc::Receiver<Request>) -> Result<Writer> {
        let meta = schema::meta(&connection).map_err(Error::unavailable)?;
        let position = Position { head: meta.head, compacted: meta.compacted };
        let publisher = Publisher::new(meta.head);
        Ok(Writer { connection, queue, position, publisher, compaction: None })
    }

    pub(super) fn recent(&self) -> &Arc<Recent> {
        self.publisher.recent()
    }

    /// Runs until the store is dropped, or SQLite leaves it in doubt what is on the disk. In that case all that
    /// comes later fails, followers end, and whoever opens the store again finds what is there.
    pub(super) fn run(mut self) {
        loop {
            // A compaction goes on in the pauses, and takes turns with commits when there are none.
            let next = if self.compaction.is_some() {
                match self.queue.try_recv() {
                    Err(mpsc::error::TryRecvError::Disconnected) => break,
                    next => next.ok(),
                }
            } else {
                match self.queue.blocking_recv() {
                    None => break,
                    next => next,
                }
            };
            if let Some(first) = next
                && self.serve(first).is_err()
            {
                break;
            }
            self.go_on_compacting();
        }
    }

    fn serve(&mut self, first: Request) -> Result<(), Broken> {
        let mut group = vec![first];
        let mut bytes = size(&group[0]);
        while group.len() < GROUP && bytes < GROUP_BYTES {
            let Ok(next) = self.queue.try_recv() else { break };
            bytes += size(&next);
            group.push(next);
        }
        let before = self.position;
        let mut done = Group::default();
        match self.apply(group, &mut done) {
            Ok(()) => {}
            Err(err) => {
                self.undo(before);
                done.fail(&err, Doubt::None);
                return Ok(());
            }
        }
        match self.connection.execute_batch("COMMIT") {
            Ok(()) => {}
            // The end of the transaction was not written, so it does not count.
            Err(err)
                if matches!(err.sqlite_error_code(), Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy)) =>
            {
                self.undo(before);
                done.fail(&err, Doubt::None);
                return Ok(());
            }
            Err(err) => {
                tracing::error!(error = %err, "a commit failed in SQLite: whether it is on the disk is unknown");
                done.fail(&err, Doubt::Outcome);
                return Err(Broken);
            }
        }
        self.publisher.publish(std::mem::take(&mut done.changes));
        done.succeed();
        Ok(())
    }

    fn apply(&mut self, group: Vec<Request>, done: &mut Group) -> rusqlite::Result<()> {
        let mut group = group.into_iter();
        let applied = self.connection.execute_batch("BEGIN IMMEDIATE").and_then(|()| {
            for request in group.by_ref() {
                match request {
                    Request::Commit { guards, writes, txn, reply } => {
                        let position = self.position;
                        match apply::commit(&self.connection, position, &guards, writes, txn) {
                            Ok(Applied::New(changes)) => {
                                self.position.head = changes.revision;
                                done.commits.push((txn, Ok(changes.revision), reply));
                                done.changes.push(changes);
                            }
                            Ok(Applied::Nothing(at)) => done.commits.push((txn, Ok(at), reply)),
                            Err(Failure::Refused(err)) => done.commits.push((txn, Err(err), reply)),
                            Err(Failure::Sqlite(err)) => {
                                done.commits.push((txn, Ok(position.head), reply));
                                return Err(err);
                            }
                        }
                    }
                    Request::Committed { txn, reply } => {
                        let outcome = self.settle(txn);
                        let failed = outcome.as_ref().err().map(copy);
                        done.outcomes.push((outcome.unwrap_or_default(), reply));
                        failed.map_or(Ok(()), Err)?;
                    }
                    Request::Compact { before, reply } => {
                        done.compactions.push((before.min(self.position.head), reply));
                    }
                }
            }
            for (before, _) in &done.compactions {
                self.position.compacted = self.position.compacted.max(*before);
            }
            self.connection
                .prepare_cached(
                    "UPDATE meta SET head = ?1, compacted = ?2 WHERE head <> ?1 OR compacted <> ?2",
                )?
                .execute(params![self.position.head.0 as i64, self.position.compacted.0 as i64])?;
            Ok(())
        });
        if applied.is_err() {
            // Those not come to yet fail with the rest.
            group.for_each(|it| done.give_up(it));
        } else {
            for (before, reply) in std::mem::take(&mut done.compactions) {
                self.compaction.get_or_insert_default().add(before, reply);
            }
        }
        applied
    }

    /// What became of a transaction; if nothing did, nothing ever will.
    fn settle(&self, txn: TxnId) -> rusqlite::Result<Option<Revision>> {
        match apply::outcome(&self.connection, txn)? {
            Some(Outcome::Committed(revision)) => Ok(Some(revision)),
            Some(Outcome::Void) => Ok(None),
            None => {
                self.connection
                    .prepare_cached("INSERT INTO void (name, revision) VALUES (?1, ?2)")?
                    .execute(params![txn.to_bytes(), self.position.head.0 as i64])?;
                Ok(None)
            }
        }
    }

    fn undo(&mut self, before: Position) {
        self.position = before;
        // Some failures have rolled back already.
        if !self.connection.is_autocommit()
            && let Err(err) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(error = %err, "cannot roll back");
        }
    }

    fn go_on_compacting(&mut self) {
        let Some(compaction) = &mut self.compaction else { return };
        if compaction.step(&mut self.connection) {
            self.compaction = None;
        }
    }
}

/// Answers that wait for the group to be on the disk.
#[derive(Default)]
struct Group {
    commits: Vec<(TxnId, Result<Revision>, Reply<Revision>)>,
    outcomes: Vec<(Option<Revision>, Reply<Option<Revision>>)>,
    compactions: Vec<(Revision, Reply<()>)>,
    changes: Vec<crate::Changes>,
}

impl Group {
    fn give_up(&mut self, request: Request) {
        match request {
            Request::Commit { txn, reply, .. } => self.commits.push((txn, Ok(Revision::ZERO), reply)),
            Request::Committed { reply, .. } => self.outcomes.push((None, reply)),
            Request::Compact { before, reply } => self.compactions.push((before, reply)),
        }
    }

    // Who no longer waits for an answer need not get one.

    fn succeed(self) {
        self.commits.into_iter().for_each(|(_, answer, reply)| drop(reply.send(answer)));
        self.outcomes.into_iter().for_each(|(answer, reply)| drop(reply.send(Ok(answer))));
    }

    /// Those that were refused stay refused; all else fails.
    fn fail(self, err: &rusqlite::Error, doubt: Doubt) {
        let unavailable = || Error::unavailable(copy(err));
        for (txn, answer, reply) in self.commits {
            let failed = match doubt {
                Doubt::None => unavailable(),
                Doubt::Outcome => Error::Unknown { txn, source: copy(err).into() },
            };
            drop(reply.send(answer.and(Err(failed))));
        }
        self.outcomes.into_iter().for_each(|(_, reply)| drop(reply.send(Err(unavailable()))));
        self.compactions.into_iter().for_each(|(_, reply)| drop(reply.send(Err(unavailable()))));
    }
}

/// Whether a failed group may be on the disk all the same.
#[derive(Clone, Copy)]
enum Doubt {
    None,
    Outcome,
}

fn size(request: &Request) -> usize {
    match request {
        Request::Commit { writes, .. } => writes.iter().map(written).sum(),
        _ => 0,
    }
}

fn written(write: &Write) -> usize {
    match write {
        Write::Put(_, value) => value.len(),
        Write::Delete(_) => 0,
    }
}

/// The same error once more, for another who asked.
fn copy(err: &rusqlite::Error) -> rusqlite::Error {
    match err {
        rusqlite::Error::SqliteFailure(code, text) => rusqlite::Error::SqliteFailure(*code, text.clone()),
        other => rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(1), Some(other.to_string())),
    }
}
