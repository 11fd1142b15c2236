//! What one run of a worker may do to the world around it.

use std::{fmt, future::Future, marker::PhantomData, sync::Arc};

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    inputs::Value,
    report::{IntoReport, Source},
    stop::Lineage,
};

/// Given to a worker for one run of it; `T` is what it publishes.
///
/// Clones are the same scope. Once the run has ended, nothing that is done with them has any effect.
pub struct Scope<T = ()> {
    inner: Arc<Inner>,
    _type: PhantomData<fn(T)>,
}

impl<T: Send + Sync + 'static> Scope<T> {
    /// Offers `value` to dependents, which start, or restart, with it. It is withdrawn when the worker stops.
    pub fn publish(&self, value: T) {
        (self.inner.tell)(Said::Published(Arc::new(value)));
    }

    /// Takes back what was published: workers that require it stop.
    pub fn withdraw(&self) {
        (self.inner.tell)(Said::Withdrawn);
    }
}

impl<T> Scope<T> {
    /// The worker's name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Waits until the worker has to stop.
    pub async fn cancelled(&self) {
        self.inner.cancel.cancelled().await;
    }

    pub fn is_cancelled(&self) -> bool {
        self.inner.cancel.is_cancelled()
    }

    /// The token that is cancelled when the worker has to stop. Cancelling it ends the worker's children.
    pub fn token(&self) -> CancellationToken {
        self.inner.cancel.clone()
    }

    /// A token that is cancelled with the scope, and can be cancelled alone.
    pub fn child_token(&self) -> CancellationToken {
        self.inner.cancel.child_token()
    }

    /// What `task` returns, or `None` if the worker has to stop before; the task is dropped then.
    pub async fn until_cancelled<O>(&self, task: impl Future<Output = O>) -> Option<O> {
        self.inner.cancel.run_until_cancelled(task).await
    }

    /// Runs `task` beside the worker, which has not stopped until the task has. Its error or panic ends the
    /// worker, with that error; its `Ok` means nothing.
    ///
    /// The task must end by itself soon after the scope is cancelled (it may tidy up first): hold a
    /// [`token`](Self::token). For a task that may be dropped wherever it waits, there is
    /// [`spawn_until_cancelled`](Self::spawn_until_cancelled).
    pub fn spawn(&self, task: impl Future<Output = anyhow::Result<()>> + Send + 'static) {
        // It fails if the worker has ended: the task is dropped unstarted, which is all that is left for it.
        let _ = self.inner.children.send(Box::pin(task.in_current_span()));
    }

    /// Like [`spawn`](Self::spawn), but the task is dropped when the scope is cancelled.
    pub fn spawn_until_cancelled(&self, task: impl Future<Output = anyhow::Result<()>> + Send + 'static) {
        let token = self.token();
        self.spawn(async move { token.run_until_cancelled_owned(task).await.unwrap_or(Ok(())) });
    }

    /// What the worker says about itself in the engine's report: a JSON value, a closure that makes one
    /// whenever somebody asks, or the handle of an engine or a runner inside this worker.
    pub fn set_report(&self, report: impl IntoReport) {
        self.inner.report.send_replace(Some(report.into_report()));
    }

    pub(crate) fn lineage(&self) -> &Lineage {
        &self.inner.lineage
    }
}

/// A scope without its type: what the code that runs a worker makes.
pub(crate) struct Inner {
    pub(crate) name: Arc<str>,
    pub(crate) cancel: CancellationToken,
    pub(crate) tell: Tell,
    pub(crate) children: mpsc::UnboundedSender<Task>,
    pub(crate) report: watch::Sender<Option<Source>>,
    pub(crate) lineage: Lineage,
}

pub(crate) type Task = BoxFuture<'static, anyhow::Result<()>>;

/// How a scope reaches whoever runs the worker.
pub(crate) type Tell = Arc<dyn Fn(Said) + Send + Sync>;

pub(crate) enum Said {
    /// Its future is about to be polled for the first time.
    Started,
    Published(Value),
    Withdrawn,
    /// It ends by itself: it, or a child of it, has failed or is done, and the others are being joined.
    Leaving,
}

impl<T> Scope<T> {
    pub(crate) fn new(inner: Inner) -> Self {
        Scope { inner: Arc::new(inner), _type: PhantomData }
    }
}

impl<T> Clone for Scope<T> {
    fn clone(&self) -> Self {
        Scope { inner: self.inner.clone(), _type: PhantomData }
    }
}

impl<T> fmt::Debug for Scope<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("name", &self.inner.name)
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}
