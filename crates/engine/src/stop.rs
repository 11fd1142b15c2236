//! When an engine or a runner has to stop, and who waits for its tasks if it is dropped instead.

use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

use crate::scope::Scope;

/// What ends an engine or a runner: a cancellation token, or the scope of the worker that it runs in.
///
/// The second is the way to nest: besides being cancelled with the scope, every task below is joined before
/// that worker counts as stopped, even if the worker has to be aborted and drops the engine in mid-run.
#[derive(Clone, Debug)]
pub struct Stop {
    pub(crate) token: CancellationToken,
    pub(crate) lineage: Lineage,
}

impl From<CancellationToken> for Stop {
    fn from(token: CancellationToken) -> Self {
        Stop { token, lineage: Lineage::default() }
    }
}

impl<T> From<&Scope<T>> for Stop {
    fn from(scope: &Scope<T>) -> Self {
        Stop { token: scope.child_token(), lineage: scope.lineage().clone() }
    }
}

/// The workers that a task runs inside of, outermost first. Each of them waits for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lineage(Vec<TaskTracker>);

impl Lineage {
    /// The lineage of what runs inside a worker of this lineage, and the tracker that worker waits for.
    pub(crate) fn child(&self) -> (Lineage, TaskTracker) {
        let tracker = TaskTracker::new();
        let mut all = self.0.clone();
        all.push(tracker.clone());
        (Lineage(all), tracker)
    }

    /// To be held by a task for as long as it lives.
    pub(crate) fn hold(&self) -> Vec<TaskTrackerToken> {
        self.0.iter().map(TaskTracker::token).collect()
    }
}
