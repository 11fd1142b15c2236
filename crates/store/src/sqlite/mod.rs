//! The store in one SQLite file: for one controller, with nothing to install.
//!
//! One thread writes. It takes the commits that are waiting, checks and applies each in one SQLite transaction,
//! and makes them durable with one `fdatasync`; so a commit alone costs one sync, and many at once share it.
//! Reads go to connections of their own, and those who follow are served from what was committed last, as a
//! rule without reading anything.
//!
//! Every version of a key is a row whose number holds its revision, so that one table is the history and, read
//! backwards by key, the present; see [`schema`].

use std::{
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
};

use anyhow::Context;
use async_trait::async_trait;
use futures_util::stream::BoxStream;
use tokio::sync::{mpsc, oneshot};

use crate::{Changes, Error, Guard, Page, Result, Revision, Snapshot, Store, TxnId, Write, layer::Layer};

mod apply;
mod compact;
mod follow;
mod lock;
mod read;
mod recent;
mod schema;
#[cfg(test)]
mod tests;
mod writer;
use lock::Lock;
use read::Readers;
use recent::Recent;
use writer::{Request, Writer};

/// How many requests may wait for the writer before callers wait to hand theirs in.
const QUEUE: usize = 1024;

/// An open store. Dropping the last reference ends its writer, after what was handed in is done.
pub struct Sqlite {
    requests: Option<mpsc::Sender<Request>>,
    writer: Option<JoinHandle<()>>,
    readers: Arc<Readers>,
    recent: Arc<Recent>,
    /// Held as long as the writer may write.
    _lock: Lock,
}

impl Sqlite {
    /// Opens the store in the directory, which is its own, and makes both if they do not exist. `Locked` when
    /// another process, or this one, has it open.
    pub async fn open(directory: impl AsRef<Path>) -> Result<Arc<dyn Store>> {
        let directory = directory.as_ref().to_owned();
        let opened = tokio::task::spawn_blocking(move || Sqlite::open_blocking(&directory)).await;
        let raw = opened.map_err(Error::unavailable)??;
        Ok(Arc::new(Layer::over(raw)))
    }

    fn open_blocking(directory: &Path) -> Result<Sqlite> {
        let lock = Lock::take(directory)?;
        let path = directory.join("store.db");
        let name = || format!("cannot open the store {}", path.display());
        let connection = schema::open(&path)?;
        let readers = Arc::new(Readers::new(path.clone()));
        let (requests, queue) = mpsc::channel(QUEUE);
        let writer = Writer::new(connection, queue)?;
        let recent = Arc::clone(writer.recent());
        let thread = thread::Builder::new().name("store-writer".to_owned()).spawn(move || writer.run());
        let thread = thread.with_context(name).map_err(Error::Unavailable)?;
        Ok(Sqlite { requests: Some(requests), writer: Some(thread), readers, recent, _lock: lock })
    }

    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<Result<T>>) -> Request) -> Result<T> {
        let gone = || Error::Unavailable(anyhow::anyhow!("the store's writer has stopped"));
        let (reply, answer) = oneshot::channel();
        let requests = self.requests.as_ref().ok_or_else(gone)?;
        requests.send(request(reply)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(writer) = self.writer.take() {
            // It ends after the group it is at. A panic has been reported by the thread itself.
            let _ = writer.join();
        }
    }
}

#[async_trait]
impl Store for Sqlite {
    async fn get(&self, keys: &[&str], at: Option<Revision>) -> Result<Snapshot> {
        if keys.is_empty() && at.is_none() {
            return Ok(Snapshot { at: self.recent.head(), entries: Vec::new() });
        }
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        self.readers.run(move |snapshot| snapshot.get(&keys, at)).await
    }

    async fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        at: Option<Revision>,
    ) -> Result<Page> {
        let (prefix, after) = (prefix.to_owned(), after.map(str::to_owned));
        self.readers.run(move |snapshot| snapshot.list(&prefix, after.as_deref(), limit, at)).await
    }

    async fn commit(&self, guards: Vec<Guard>, writes: Vec<Write>, txn: TxnId) -> Result<Revision> {
        self.ask(|reply| Request::Commit { guards, writes, txn, reply }).await
    }

    async fn follow(&self, from: Revision) -> Result<BoxStream<'static, Result<Changes>>> {
        follow::follow(Arc::clone(&self.readers), Arc::clone(&self.recent), from).await
    }

    async fn compact(&self, before: Revision) -> Result<()> {
        self.ask(|reply| Request::Compact { before, reply }).await
    }

    async fn committed(&self, txn: TxnId) -> Result<Option<Revision>> {
        self.ask(|reply| Request::Committed { txn, reply }).await
    }
}
