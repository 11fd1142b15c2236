//! One worker of a runner, between two events.

use std::time::Duration;

use jiff::Timestamp;
use tokio::{sync::oneshot, time::Instant};

use crate::{backoff::Backoff, config::Config, life::Run, report::View, scope::Said};

pub(super) struct Child {
    pub(super) state: State,
    /// Whether it is to run on, or again.
    pub(super) wanted: bool,
    /// Whether it is wanted as one of a whole set. Then it is kept when it has finished, so that the same set,
    /// said again, does not start it again.
    pub(super) listed: bool,
    pub(super) backoff: Backoff,
    pub(super) last_error: Option<String>,
    /// Who waits for its end.
    pub(super) waiters: Vec<oneshot::Sender<()>>,
    start_count: u64,
    started: Option<Timestamp>,
}

pub(super) enum State {
    Running(Run),
    /// It failed, and starts again at that time.
    Scheduled {
        at: Instant,
        wall: Timestamp,
    },
    /// It ended well; or it is about to be started, or forgotten.
    Finished,
}

impl Child {
    pub(super) fn new(listed: bool) -> Self {
        Child {
            state: State::Finished,
            wanted: true,
            listed,
            backoff: Backoff::default(),
            last_error: None,
            waiters: Vec::new(),
            start_count: 0,
            started: None,
        }
    }

    pub(super) fn run(&mut self) -> Option<&mut Run> {
        if let State::Running(run) = &mut self.state { Some(run) } else { None }
    }

    pub(super) fn due(&self) -> Option<Instant> {
        if let State::Scheduled { at, .. } = self.state { Some(at) } else { None }
    }

    pub(super) fn schedule(&mut self, config: &Config, base: Duration) -> Duration {
        let delay = self.backoff.delay(config, base);
        let wall = Timestamp::now().saturating_add(delay).unwrap_or(Timestamp::MAX);
        self.state = State::Scheduled { at: Instant::now() + delay, wall };
        delay
    }

    pub(super) fn said(&mut self, id: u64, said: &Said) {
        let State::Running(run) = &mut self.state else { return };
        match said {
            _ if run.id != id => {}
            Said::Started => {
                run.started = Some(Instant::now());
                self.started = Some(Timestamp::now());
                self.start_count += 1;
            }
            Said::Leaving => run.leaving = Some(Instant::now()),
            // Nobody depends on a runner's worker.
            Said::Published(_) | Said::Withdrawn => {}
        }
    }

    pub(super) fn view(&self) -> View {
        let mut view = View {
            error: self.last_error.clone(),
            start_count: self.start_count,
            started: self.started,
            state: "stopped",
            ..View::default()
        };
        match &self.state {
            State::Finished => {}
            State::Scheduled { wall, .. } => view.next_start = Some(*wall),
            State::Running(run) => {
                view.source = Some(run.report.clone());
                view.state = run.word();
            }
        }
        view
    }
}
