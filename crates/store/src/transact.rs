//! Transactions as functions: run, commit if nothing that was read has moved, and otherwise run again.

use std::{sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};

use crate::{Error, Result, Revision, Store, Txn, TxnId, View};

/// How often the body is run before the transaction gives up.
const ATTEMPTS: u32 = 30;
/// How long a conflicting change may take to arrive in the view before the body is run again anyhow.
const ARRIVAL: Duration = Duration::from_secs(5);
const BACKOFF_FIRST: Duration = Duration::from_millis(1);
const BACKOFF_MOST: Duration = Duration::from_millis(100);

/// What a transaction reads and is committed to. Made from a view, as a rule; from a store where there is none,
/// as in tools that touch a few keys and end.
#[derive(Clone)]
pub enum Source {
    View(View),
    Store(Arc<dyn Store>),
}

impl From<&View> for Source {
    fn from(view: &View) -> Source {
        Source::View(view.clone())
    }
}

impl From<&Arc<dyn Store>> for Source {
    fn from(store: &Arc<dyn Store>) -> Source {
        Source::Store(Arc::clone(store))
    }
}

/// Runs `body` against one revision and commits what it wrote, provided that nothing it read has changed; runs
/// it again, on newer data, while others get in first. So a rule is written once, as code over what it reads,
/// and holds at the commit.
///
/// Answers the body's value and the revision of the commit, once the view has reached it. A body that only
/// reads answers the revision it read. The body may run many times and must do nothing but read and write; an
/// error of its own ends the transaction with nothing written. It is written as an async closure:
///
/// ```
/// # use juju_store::{Error, Memory, Txn, View, transact};
/// # tokio_test(async {
/// let view = View::open(Memory::new()).await?;
/// let name = String::from("unit/mysql/0");
/// let (before, _revision) = transact(&view, async |txn| {
///     let count: u32 = txn.get(&name).await?.unwrap_or_default();
///     txn.put(&name, &(count + 1))?;
///     Ok::<_, Error>(count)
/// })
/// .await?;
/// assert_eq!(before, 0);
/// # Ok::<_, Error>(())
/// # });
/// # fn tokio_test(test: impl Future<Output = Result<(), Error>>) {
/// #     tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test).unwrap();
/// # }
/// ```
///
/// When the answer to a commit is lost, its outcome is asked for before anything is tried again, so that the
/// writes are done once. Only if that fails too is the answer [`Error::Unknown`].
pub async fn transact<T, E, F>(
    on: impl Into<Source>,
    mut body: impl FnMut(Txn) -> F,
) -> Result<(T, Revision), E>
where
    E: From<Error>,
    F: Future<Output = Result<T, E>>,
{
    let source = on.into();
    for attempt in 0..ATTEMPTS {
        let txn = source.begin().await?;
        let value = body(txn.handle()).await?;
        let wait_for = match source.commit(txn).await {
            Ok(revision) => return Ok((value, revision)),
            Err(Error::Conflict { wait_for }) => wait_for,
            // The view is so far behind that a guard is older than what the store remembers.
            Err(Error::Compacted(revision)) => revision.next(),
            Err(err) => return Err(err.into()),
        };
        source.settle(wait_for, attempt).await?;
    }
    Err(Error::Contention { attempts: ATTEMPTS }.into())
}

impl Source {
    async fn begin(&self) -> Result<Txn> {
        match self {
            Source::View(view) => {
                view.check_open()?;
                Ok(Txn::on_view(view.image()))
            }
            Source::Store(store) => {
                let now = store.get(&[], None).await?.at;
                Ok(Txn::on_store(Arc::clone(store), now))
            }
        }
    }

    fn store(&self) -> &Arc<dyn Store> {
        match self {
            Source::View(view) => view.store(),
            Source::Store(store) => store,
        }
    }

    async fn commit(&self, txn: Txn) -> Result<Revision> {
        let read_at = txn.revision();
        let finished = txn.finish()?;
        if !finished.wrote {
            return Ok(read_at);
        }
        let name = TxnId::new();
        let revision = match self.store().commit(finished.guards, finished.writes, name).await {
            Err(Error::Unknown { txn, source }) => {
                tracing::info!(%txn, "the answer to a commit was lost, asking for its outcome");
                match self.store().committed(name).await {
                    Ok(Some(revision)) => revision,
                    Ok(None) => return Err(Error::Conflict { wait_for: Revision::ZERO }),
                    Err(_) => return Err(Error::Unknown { txn, source }),
                }
            }
            outcome => outcome?,
        };
        if let Source::View(view) = self
            && let Err(err) = view.wait(revision).await
        {
            // What is committed is committed, also when the view is lost before it sees that.
            tracing::debug!(%revision, error = %err, "the view was lost after a commit");
        }
        Ok(revision)
    }

    /// Waits until the conflicting change is to be seen, then a little longer each time.
    async fn settle(&self, wait_for: Revision, attempt: u32) -> Result<()> {
        if let Source::View(view) = self {
            match timeout(ARRIVAL, view.wait(wait_for)).await {
                Ok(arrived) => arrived?,
                Err(_) => tracing::warn!(%wait_for, "a conflicting change is slow to arrive in the view"),
            }
        }
        if attempt > 0 {
            let most = BACKOFF_MOST.min(BACKOFF_FIRST * 2u32.saturating_pow(attempt));
            sleep(most.mul_f64(rand::random())).await;
        }
        Ok(())
    }
}
