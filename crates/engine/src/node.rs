//! A manifold in a running engine, and where its worker is between two events.
//!
//! ```text
//!            inputs there                        future polled
//!   Idle ───────────────────▶ Running (starting) ─────────────▶ Running (started)
//!    ▲  ▲                            │ ended                        │ told to stop
//!    │  └──────────── Done, Waiting ─┤◀─────────────────────────────▼
//!    │ inputs missing                │ ended   Running (stopping)
//!    └────────────── Scheduled ◀─────┘ Failed, Bounce, or told to stop
//! ```

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::time::Instant;

use crate::{
    backoff::Backoff,
    config::Config,
    inputs::{Kind, Outputs},
    key::Name,
    life::Run,
    manifold::Manifold,
    report::View,
};

pub(crate) struct Node<F> {
    pub(crate) manifold: Manifold<F>,
    inputs: Arc<[Name]>,
    pub(crate) state: State,
    pub(crate) backoff: Backoff,
    pub(crate) last_error: Option<String>,
    start_count: u64,
    started: Option<Timestamp>,
}

pub(crate) enum State {
    Idle(Rest),
    /// It starts at that time, if its inputs are there.
    Scheduled {
        at: Instant,
        wall: Timestamp,
    },
    Running(Run),
}

/// Why nothing is going to happen by itself.
pub(crate) enum Rest {
    /// It ended well, or has not been tried, or the engine stops.
    Content,
    /// It said so itself.
    Waiting(String),
    Missing,
}

impl<F: Send + 'static> Node<F> {
    pub(crate) fn new(manifold: Manifold<F>) -> Self {
        let inputs = manifold.needs.iter().map(|need| need.name).collect();
        let state = State::Idle(Rest::Content);
        Node {
            manifold,
            inputs,
            state,
            backoff: Backoff::default(),
            last_error: None,
            start_count: 0,
            started: None,
        }
    }

    pub(crate) fn run(&mut self) -> Option<&mut Run> {
        if let State::Running(run) = &mut self.state { Some(run) } else { None }
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(self.state, State::Running(_))
    }

    /// Starts it after `base`, or after more if it has failed lately; never later than it would have.
    pub(crate) fn schedule(&mut self, config: &Config, base: Duration) -> Duration {
        let delay = self.backoff.delay(config, base);
        let at = Instant::now() + delay;
        match self.state {
            State::Scheduled { at: sooner, .. } if sooner <= at => {}
            _ => {
                self.state = State::Scheduled {
                    at,
                    wall: Timestamp::now().saturating_add(delay).unwrap_or(Timestamp::MAX),
                }
            }
        }
        delay
    }

    pub(crate) fn due(&self) -> Option<Instant> {
        if let State::Scheduled { at, .. } = self.state { Some(at) } else { None }
    }

    pub(crate) fn mark_started(&mut self) {
        self.start_count += 1;
        self.started = Some(Timestamp::now());
        if let State::Running(run) = &mut self.state {
            run.started = Some(Instant::now());
        }
    }

    pub(crate) fn view(&self, outputs: &Outputs) -> View {
        let mut view = View {
            error: self.last_error.clone(),
            inputs: Some(self.inputs.clone()),
            start_count: self.start_count,
            started: self.started,
            state: "stopped",
            ..View::default()
        };
        match &self.state {
            State::Idle(Rest::Content) => {}
            State::Idle(Rest::Waiting(reason)) => view.error = Some(reason.clone()),
            State::Idle(Rest::Missing) => {
                let mut missing = self.manifold.missing(outputs).peekable();
                view.error = missing.peek().map(|need| need.why_missing());
                view.waiting_for = missing.map(|need| need.name).collect();
            }
            State::Scheduled { wall, .. } => view.next_start = Some(*wall),
            State::Running(run) => {
                view.source = Some(run.report.clone());
                view.state = run.word();
                if run.started.is_none() {
                    let fortress = |need: &&crate::inputs::Need| need.kind == Kind::Fortress;
                    view.waiting_for =
                        self.manifold.needs.iter().filter(fortress).map(|it| it.name).collect();
                }
            }
        }
        view
    }
}
