//! What the tests share: an unreliable store, and waiting with a deadline.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]
#![allow(clippy::print_stdout, reason = "tests say what they do")]

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use juju_store::{Changes, Error, Guard, Page, Result, Revision, Snapshot, Store, TxnId, Write};

pub mod etcd;

pub fn put(key: &str, value: impl Into<Bytes>) -> Write {
    Write::Put(key.to_owned(), value.into())
}

pub fn delete(key: &str) -> Write {
    Write::Delete(key.to_owned())
}

pub async fn commit(store: &dyn Store, writes: Vec<Write>) -> Revision {
    store.commit(vec![], writes, TxnId::new()).await.expect("an unguarded commit")
}

/// Fails the test when the future takes so long that it must hang.
pub async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(60), future).await {
        Ok(value) => value,
        Err(_) => panic!("{what}: it did not happen"),
    }
}

/// What becomes of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is done and answered.
    Answered,
    /// It is done, but the answer is lost.
    AnswerLost,
    /// It gets lost on the way.
    RequestLost,
    /// It is held up on the way, and arrives once its outcome has been asked for.
    Late,
}

type Held = (Vec<Guard>, Vec<Write>, TxnId);

/// A store behind a network that loses and delays commits, as the function says.
pub struct Unreliable<F> {
    inner: Arc<dyn Store>,
    fate: F,
    held: std::sync::Mutex<Vec<Held>>,
}

impl<F: Fn() -> Fate + Send + Sync + 'static> Unreliable<F> {
    pub fn over(inner: Arc<dyn Store>, fate: F) -> Arc<dyn Store> {
        Arc::new(Unreliable { inner, fate, held: Default::default() })
    }
}

#[async_trait]
impl<F: Fn() -> Fate + Send + Sync + 'static> Store for Unreliable<F> {
    async fn get(&self, keys: &[&str], at: Option<Revision>) -> Result<Snapshot> {
        self.inner.get(keys, at).await
    }

    async fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        at: Option<Revision>,
    ) -> Result<Page> {
        self.inner.list(prefix, after, limit, at).await
    }

    async fn commit(&self, guards: Vec<Guard>, writes: Vec<Write>, txn: TxnId) -> Result<Revision> {
        let lost = || Error::Unknown { txn, source: anyhow::anyhow!("the network") };
        match (self.fate)() {
            Fate::Answered => self.inner.commit(guards, writes, txn).await,
            // A refusal is an answer, too.
            Fate::AnswerLost => self.inner.commit(guards, writes, txn).await.and(Err(lost())),
            Fate::RequestLost => Err(lost()),
            Fate::Late => {
                self.held.lock().expect("held").push((guards, writes, txn));
                Err(lost())
            }
        }
    }

    async fn follow(&self, from: Revision) -> Result<BoxStream<'static, Result<Changes>>> {
        self.inner.follow(from).await
    }

    async fn compact(&self, before: Revision) -> Result<()> {
        self.inner.compact(before).await
    }

    async fn committed(&self, txn: TxnId) -> Result<Option<Revision>> {
        let outcome = self.inner.committed(txn).await;
        let late: Vec<Held> = self.held.lock().expect("held").drain(..).collect();
        for (guards, writes, txn) in late {
            // Whatever it answers, nobody hears it.
            drop(self.inner.commit(guards, writes, txn).await);
        }
        outcome
    }
}
