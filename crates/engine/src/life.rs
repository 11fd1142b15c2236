//! One run of one worker, from its start to the end of the last task that it spawned.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use tokio::{
    sync::{mpsc, watch},
    task::{JoinError, JoinSet},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    exit::{Aborted, Panicked},
    fortress::Fortress,
    report::Source,
    scope::{Inner, Said, Task, Tell},
    stop::Lineage,
};

/// What a run is given by whoever starts it.
pub(crate) struct Life {
    pub(crate) name: Arc<str>,
    pub(crate) cancel: CancellationToken,
    pub(crate) abort: CancellationToken,
    pub(crate) tell: Tell,
    pub(crate) report: watch::Sender<Option<Source>>,
    pub(crate) lineage: Lineage,
    /// Where the run is a visit. It starts once it is inside all of them.
    pub(crate) fortresses: Vec<Fortress>,
}

/// What whoever started a run keeps of it.
pub(crate) struct Run {
    /// Tells this run from earlier ones of the same worker.
    pub(crate) id: u64,
    cancel: CancellationToken,
    abort: CancellationToken,
    /// When it was polled first, which a fortress may put off.
    pub(crate) started: Option<Instant>,
    /// When it was told to stop.
    pub(crate) told: Option<Instant>,
    /// When it began to end by itself.
    pub(crate) leaving: Option<Instant>,
    pub(crate) warned: bool,
    pub(crate) report: watch::Receiver<Option<Source>>,
}

impl Run {
    /// The two halves of a new run. `tell` is called from the run.
    pub(crate) fn new(id: u64, name: Arc<str>, tell: Tell, lineage: Lineage) -> (Run, Life) {
        let (cancel, abort) = (CancellationToken::new(), CancellationToken::new());
        let (report, reported) = watch::channel(None);
        let life = Life {
            name,
            cancel: cancel.clone(),
            abort: abort.clone(),
            tell,
            report,
            lineage,
            fortresses: Vec::new(),
        };
        (
            Run {
                id,
                cancel,
                abort,
                started: None,
                told: None,
                leaving: None,
                warned: false,
                report: reported,
            },
            life,
        )
    }

    /// Tells it to stop; false if that has been done.
    pub(crate) fn stop(&mut self) -> bool {
        let first = self.told.is_none();
        if first {
            self.told = Some(Instant::now());
            self.cancel.cancel();
        }
        first
    }

    /// Ends it wherever it awaits, joining all the same.
    pub(crate) fn abort(&mut self) {
        self.stop();
        self.abort.cancel();
    }

    /// Its state in Juju's words.
    pub(crate) fn word(&self) -> &'static str {
        match (self.told.or(self.leaving), self.started) {
            (Some(_), _) => "stopping",
            (None, Some(_)) => "started",
            (None, None) => "starting",
        }
    }

    pub(crate) fn ran(&self) -> Duration {
        self.started.map(|it| it.elapsed()).unwrap_or_default()
    }

    /// When it becomes worth a warning that it still has not stopped.
    pub(crate) fn warn_at(&self, slow: Duration) -> Option<Instant> {
        self.leaving.or(self.told).filter(|_| !self.warned).map(|it| it + slow)
    }
}

impl Life {
    /// Runs what `start` makes of a scope. When this returns, the worker, its children and whatever nested
    /// engines they ran have ended. The result is the first error among the worker's and its children's.
    pub(crate) async fn run(
        self,
        start: impl FnOnce(Inner) -> BoxFuture<'static, anyhow::Result<()>> + Send + 'static,
    ) -> anyhow::Result<()> {
        let Life { name, cancel, abort, tell, report, lineage, fortresses } = self;
        // Held to the end: a fortress is not locked down while a child of its visitor runs.
        let mut visits = Vec::new();
        for fortress in &fortresses {
            let guest = fortress.guest();
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Ok(()),
                visit = guest.enter() => visits.push(visit),
            }
        }

        let (children, spawned) = mpsc::unbounded_channel();
        let (lineage, nested) = lineage.child();
        tell(Said::Started);
        let scope = Inner {
            name,
            cancel: cancel.clone(),
            tell: tell.clone(),
            children,
            report,
            lineage: lineage.clone(),
        };
        // The call itself may panic too, before there is a future.
        let body = AssertUnwindSafe(async move { start(scope).await }).catch_unwind().boxed();
        let mut household = Household {
            cancel,
            tell,
            leaving: false,
            lineage,
            spawned,
            children: JoinSet::new(),
            first_error: None,
        };
        let aborted = tokio::select! {
            biased;
            () = abort.cancelled() => true,
            () = household.keep(body) => false,
        };
        if aborted {
            household.evict().await;
        }
        nested.close();
        nested.wait().await;
        drop(visits);
        match household.first_error {
            _ if aborted => Err(Aborted.into()),
            Some(err) => Err(err),
            None => Ok(()),
        }
    }
}

/// A worker's children.
struct Household {
    cancel: CancellationToken,
    tell: Tell,
    leaving: bool,
    lineage: Lineage,
    spawned: mpsc::UnboundedReceiver<Task>,
    children: JoinSet<anyhow::Result<()>>,
    first_error: Option<anyhow::Error>,
}

impl Household {
    /// Polls the worker and takes in its children until all have ended.
    async fn keep(&mut self, body: BoxFuture<'static, std::thread::Result<anyhow::Result<()>>>) {
        let mut body = Some(body);
        let mut open = true;
        while body.is_some() || open || !self.children.is_empty() {
            tokio::select! {
                biased;
                spawned = self.spawned.recv(), if open => match spawned {
                    Some(task) => self.adopt(task),
                    None => open = false,
                },
                Some(joined) = self.children.join_next() => self.joined(joined),
                result = async { body.as_mut().expect("checked by the guard").await }, if body.is_some() => {
                    // Whatever it held goes first; then nobody may spawn, and those who live are told.
                    body = None;
                    self.spawned.close();
                    let result = result.unwrap_or_else(|payload| Err(Panicked::new(&*payload).into()));
                    self.note(result);
                    self.leave();
                }
            }
        }
    }

    /// Drops every task wherever it is.
    async fn evict(&mut self) {
        self.spawned.close();
        while self.spawned.try_recv().is_ok() {}
        self.children.shutdown().await;
    }

    fn adopt(&mut self, task: Task) {
        let held = self.lineage.hold();
        let task = async move {
            let _held = held;
            task.await
        };
        self.children.spawn(task.in_current_span());
    }

    fn joined(&mut self, joined: Result<anyhow::Result<()>, JoinError>) {
        let result = joined.unwrap_or_else(|err| match err.try_into_panic() {
            Ok(payload) => Err(Panicked::new(&*payload).into()),
            Err(err) => Err(err.into()),
        });
        if result.is_err() {
            self.leave();
        }
        self.note(result);
    }

    /// It is the beginning of the end: nobody should rely on what this worker has published.
    fn leave(&mut self) {
        if !std::mem::replace(&mut self.leaving, true) {
            (self.tell)(Said::Leaving);
            self.cancel.cancel();
        }
    }

    fn note(&mut self, result: anyhow::Result<()>) {
        match result {
            Ok(()) => {}
            Err(err) if self.first_error.is_none() => self.first_error = Some(err),
            Err(err) => tracing::debug!("a later error of a worker that has failed already: {err:#}"),
        }
    }
}
