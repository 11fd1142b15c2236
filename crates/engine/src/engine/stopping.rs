//! How an engine stops: dependents before inputs, by asking, and by force where that takes too long.

use std::{fmt, ops::ControlFlow};

use tokio::time::Instant;

use super::Engine;
use crate::{
    key::Name,
    life::Run,
    node::{Node, Rest, State},
};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Phase {
    Running,
    /// At each deadline something sterner is done.
    Stopping {
        deadline: Instant,
        step: Step,
    },
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Step {
    Ask,
    AbortLate,
    AbortAll,
}

impl<F: Ord + fmt::Display + Send + 'static> Engine<F> {
    pub(super) fn stop_all(&mut self) {
        if self.phase == Phase::Running {
            let deadline = Instant::now() + self.config.stop_timeout;
            self.phase = Phase::Stopping { deadline, step: Step::Ask };
            for node in self.nodes.values_mut() {
                if let State::Scheduled { .. } = node.state {
                    node.state = State::Idle(Rest::Content);
                }
            }
            self.stop_ready();
        }
    }

    /// Tells those workers to stop on which no running worker depends.
    pub(super) fn stop_ready(&mut self) {
        let running = |name: &Name| self.nodes.get(name).is_some_and(Node::is_running);
        let held = |name: &Name| self.dependents.get(name).is_some_and(|all| all.iter().any(running));
        let ready: Vec<Name> =
            self.nodes.keys().filter(|name| running(name) && !held(name)).copied().collect();
        for name in ready {
            if let Some(run) = self.nodes.get_mut(name).and_then(Node::run) {
                run.stop();
            }
        }
    }

    pub(super) fn next_wake(&self) -> Option<Instant> {
        let times = self.nodes.values().filter_map(|node| match &node.state {
            State::Scheduled { at, .. } => Some(*at),
            State::Running(run) => run.warn_at(self.config.slow_stop),
            State::Idle(_) => None,
        });
        let deadline = match self.phase {
            Phase::Running => None,
            Phase::Stopping { deadline, .. } => Some(deadline),
        };
        times.chain(deadline).min()
    }

    /// Breaks if all means of stopping are exhausted.
    pub(super) fn on_time(&mut self) -> ControlFlow<()> {
        let now = Instant::now();
        let slow = self.config.slow_stop;
        for (name, node) in &mut self.nodes {
            if let Some(run) = node.run().filter(|run| run.warn_at(slow).is_some_and(|at| at <= now)) {
                run.warned = true;
                tracing::warn!(worker = name, "worker has been stopping for {slow:?}");
            }
        }
        let Phase::Stopping { deadline, step } = self.phase else { return ControlFlow::Continue(()) };
        if deadline > now {
            return ControlFlow::Continue(());
        }
        let next = match step {
            Step::Ask => {
                self.late = self.abort(|run| run.told.is_some());
                tracing::error!(workers = ?self.late, "workers have not stopped in time and are aborted");
                Step::AbortLate
            }
            Step::AbortLate => {
                self.abort(|_| true);
                Step::AbortAll
            }
            Step::AbortAll => return ControlFlow::Break(()),
        };
        self.phase = Phase::Stopping { deadline: now + self.config.abort_grace, step: next };
        ControlFlow::Continue(())
    }

    fn abort(&mut self, which: impl Fn(&Run) -> bool) -> Vec<Name> {
        let mut aborted = Vec::new();
        for (name, node) in &mut self.nodes {
            if let Some(run) = node.run().filter(|run| which(run)) {
                run.abort();
                aborted.push(*name);
            }
        }
        aborted
    }
}
