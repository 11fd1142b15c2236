//! The owner's side of a runner.

use std::{collections::BTreeSet, fmt, sync::Arc};

use tokio::sync::{mpsc, oneshot, watch};

use super::Event;
use crate::report::{RunnerReport, View};

/// Tells a runner what is wanted, and sees what it does. Clones are equal.
///
/// Either say each time the whole set ([`want`](Self::want)), or name single workers
/// ([`start`](Self::start), [`stop`](Self::stop)); the whole set overrides what was said of single ones.
/// Once the runner has ended nothing of this has any effect.
pub struct Control<K> {
    tell: mpsc::UnboundedSender<Event<K>>,
    seen: Seen,
}

/// The half of a control that only looks.
#[derive(Clone)]
pub(crate) struct Seen(watch::Receiver<Arc<[(String, View)]>>);

impl<K> Control<K> {
    pub(super) fn new(
        tell: mpsc::UnboundedSender<Event<K>>,
        snapshot: watch::Receiver<Arc<[(String, View)]>>,
    ) -> Self {
        Control { tell, seen: Seen(snapshot) }
    }

    /// Exactly these are wanted from now on: others are stopped, missing ones started. Those that have ended
    /// well since they were first wanted are left alone.
    pub fn want(&self, keys: impl IntoIterator<Item = K>)
    where
        K: Ord,
    {
        let _ = self.tell.send(Event::Want(BTreeSet::from_iter(keys)));
    }

    /// Starts the worker, unless it runs or is going to. One that is being stopped starts when it has stopped.
    pub fn start(&self, key: K) {
        let _ = self.tell.send(Event::Start(key));
    }

    /// Stops the worker, and returns when it has stopped. If this is dropped before, it is stopped all the same.
    pub fn stop(&self, key: K) -> impl Future<Output = ()> + Send + use<K> {
        let (done, stopped) = oneshot::channel();
        let _ = self.tell.send(Event::Stop(key, done));
        async move {
            // An error means that there was nothing to stop, or that the runner has ended.
            let _ = stopped.await;
        }
    }

    /// How things are now: all workers but those that have ended well.
    pub fn report(&self) -> RunnerReport {
        self.seen.report()
    }

    /// Waits until `condition` holds and returns the report for which it did; none if the runner is gone first.
    pub async fn wait_for(&self, condition: impl Fn(&RunnerReport) -> bool) -> Option<RunnerReport> {
        let mut seen = self.seen.clone();
        loop {
            seen.0.mark_unchanged();
            let report = seen.report();
            if condition(&report) {
                return Some(report);
            }
            seen.0.changed().await.ok()?;
        }
    }

    pub(crate) fn view(&self) -> Seen {
        self.seen.clone()
    }
}

impl Seen {
    pub(crate) fn report(&self) -> RunnerReport {
        let snapshot = self.0.borrow().clone();
        let workers = snapshot.iter().map(|(name, view)| (name.clone(), view.report())).collect();
        RunnerReport { workers }
    }
}

impl<K> Clone for Control<K> {
    fn clone(&self) -> Self {
        Control { tell: self.tell.clone(), seen: self.seen.clone() }
    }
}

impl<K> fmt::Debug for Control<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("workers", &self.seen.0.borrow().len()).finish_non_exhaustive()
    }
}
