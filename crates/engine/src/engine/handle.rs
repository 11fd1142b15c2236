//! An engine seen from outside.

use std::{fmt, sync::Arc};

use tokio::sync::watch;

use super::Engine;
use crate::{
    key::Name,
    report::{Report, View},
};

/// Sees an engine from outside, before, while and after it runs.
#[derive(Clone)]
pub struct Handle(watch::Receiver<Snapshot>);

/// An engine at one moment, as its task leaves it for readers.
#[derive(Clone)]
pub(super) struct Snapshot {
    state: &'static str,
    error: Option<String>,
    nodes: Arc<[(Name, View)]>,
}

impl Handle {
    /// How things are now.
    pub fn report(&self) -> Report {
        let snapshot = self.0.borrow().clone();
        snapshot.report()
    }

    /// Waits until `condition` holds and returns the report for which it did; none if the engine is gone first.
    /// It looks again whenever the engine's or a worker's state changes, but not when something changes in
    /// what a worker reports itself.
    pub async fn wait_for(&self, condition: impl Fn(&Report) -> bool) -> Option<Report> {
        let mut snapshots = self.0.clone();
        loop {
            // Workers are asked for their reports after the lock is gone.
            let snapshot = snapshots.borrow_and_update().clone();
            let report = snapshot.report();
            if condition(&report) {
                return Some(report);
            }
            snapshots.changed().await.ok()?;
        }
    }
}

impl Snapshot {
    pub(super) fn none() -> Self {
        Snapshot { state: "stopped", error: None, nodes: Arc::new([]) }
    }

    fn report(&self) -> Report {
        let manifolds = self.nodes.iter().map(|(name, view)| ((*name).to_owned(), view.report())).collect();
        Report { state: self.state, error: self.error.clone(), manifolds }
    }
}

impl<F> Engine<F> {
    pub fn handle(&self) -> Handle {
        Handle(self.snapshot.subscribe())
    }
}

impl<F: fmt::Display + Send + 'static> Engine<F> {
    pub(super) fn show(&self, state: &'static str) {
        let nodes = self.nodes.iter().map(|(name, node)| (*name, node.view(&self.outputs))).collect();
        let error = self.worst.as_ref().map(F::to_string);
        self.snapshot.send_replace(Snapshot { state, error, nodes });
    }
}

/// An engine that is dropped, in mid-run or after it, takes its workers with it.
impl<F> Drop for Engine<F> {
    fn drop(&mut self) {
        self.snapshot.send_modify(|snapshot| {
            snapshot.state = "stopped";
            let mut nodes = snapshot.nodes.to_vec();
            for (_, view) in &mut nodes {
                (view.state, view.source, view.next_start) = ("stopped", None, None);
            }
            snapshot.nodes = nodes.into();
        });
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({})", self.0.borrow().state)
    }
}
