//! Who leads the application: a lease, claimed for a minute and renewed each half.
//!
//! A lease counts from when its claim was sent, so the holder never believes in it for longer than the controller does.
//! Whether the unit leads is the controller's last word ([`Leadership::watch`]); that it goes on to do so for half a
//! minute is known only for half of the lease ([`Leadership::is_leader`]). Between the two, and while the controller
//! cannot be reached, the question has to wait.

use std::time::Duration;

use juju_core::UnitName;
use juju_wire::{
    code,
    facade::leadership_service::{ApplicationTag, ClaimLeadershipBulkParams, ClaimLeadershipParams, call},
};
use tokio::{sync::watch, time::sleep};

use crate::{
    api::{self, Outcome as _, one},
    clock::Clock,
    link::{ApiError, Link},
};

/// How long a claim holds, and for how long a leader can be sure of it.
const LEASE: Duration = Duration::from_secs(60);
const GUARANTEE: Duration = Duration::from_secs(30);
/// From a claim that failed for no reason of leadership to the next.
const PAUSE: Duration = Duration::from_secs(3);

/// A handle; clones see the same leadership.
#[derive(Clone)]
pub struct Leadership {
    now: watch::Receiver<Standing>,
    clock: Clock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// The first claim has yet to be answered.
    Unknown,
    Follower,
    /// Until then, by the clock, if not renewed.
    Leader {
        until: Duration,
    },
}

/// Claims, and claims again.
pub struct Tracker {
    link: Link,
    unit: UnitName,
    clock: Clock,
    now: watch::Sender<Standing>,
}

pub fn new(link: Link, unit: UnitName, clock: Clock) -> (Leadership, Tracker) {
    let (sender, now) = watch::channel(Standing::Unknown);
    (Leadership { now, clock }, Tracker { link, unit, clock, now: sender })
}

impl Leadership {
    /// Whether the unit leads its application, and will do so for half a minute from now.
    pub async fn is_leader(&self) -> Result<bool, ApiError> {
        let mut now = self.now.clone();
        loop {
            match *now.borrow_and_update() {
                Standing::Follower => return Ok(false),
                Standing::Leader { until } if self.clock.now() + GUARANTEE <= until => return Ok(true),
                // Renewal is due, so an answer is on its way.
                Standing::Leader { .. } | Standing::Unknown => {}
            }
            now.changed().await.map_err(|_| ApiError::Stopping)?;
        }
    }

    /// Waits for the first word, then tells of each change.
    pub(crate) fn watch(&self) -> Changes {
        Changes { now: self.now.clone(), last: None }
    }
}

/// Changes of leadership, as the controller tells of them.
pub(crate) struct Changes {
    now: watch::Receiver<Standing>,
    last: Option<bool>,
}

impl Changes {
    /// Whether the unit leads, by the controller's last word; waits for the first.
    pub(crate) async fn current(&mut self) -> bool {
        self.last = None;
        self.next().await
    }

    /// Whether the unit leads, once that differs from what was said before.
    pub(crate) async fn next(&mut self) -> bool {
        loop {
            let leader = match *self.now.borrow_and_update() {
                Standing::Unknown => None,
                Standing::Follower => Some(false),
                Standing::Leader { .. } => Some(true),
            };
            if let Some(leader) = leader.filter(|it| self.last != Some(*it)) {
                self.last = Some(leader);
                return leader;
            }
            if self.now.changed().await.is_err() {
                // The tracker has ended, and with it the agent.
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Tracker {
    /// Ends only when the unit is not let in any more.
    pub async fn run(self) -> Result<(), ApiError> {
        loop {
            let sent = self.clock.now();
            match self.claim().await {
                Ok(()) => {
                    self.now.send_replace(Standing::Leader { until: sent + LEASE });
                    self.sleep_until(sent + LEASE - GUARANTEE).await;
                }
                Err(err) if err.code() == code::LEADERSHIP_CLAIM_DENIED => {
                    self.now.send_replace(Standing::Follower);
                    if let Err(err) = self.released().await {
                        self.pause("wait for leadership", err).await?;
                    }
                }
                Err(err) => self.pause("claim leadership", err).await?,
            }
        }
    }

    async fn claim(&self) -> Result<(), ApiError> {
        let param = ClaimLeadershipParams {
            application_tag: api::application_tag(self.unit.app().as_str()),
            unit_tag: api::unit_tag(&self.unit.to_string()),
            duration: LEASE.as_secs_f64(),
        };
        let params = ClaimLeadershipBulkParams { params: vec![param] };
        // Not sent twice: each attempt is counted from its own sending.
        match self.link.once::<call::ClaimLeadership>(params).await? {
            Some(reply) => Ok(one(reply.results)?.ok()?),
            None => Err(juju_wire::Error::other("connection broke").into()),
        }
    }

    async fn released(&self) -> Result<(), ApiError> {
        let name = self.unit.app().to_string();
        Ok(self.link.call::<call::BlockUntilLeadershipReleased>(ApplicationTag { name }).await?.ok()?)
    }

    async fn pause(&self, what: &str, err: ApiError) -> Result<(), ApiError> {
        if matches!(err, ApiError::Impossible(_) | ApiError::Stopping) {
            return Err(err);
        }
        tracing::info!("cannot {what}: {err}");
        // A claim that was lost on the way is worth another at once; the link waits for the connection.
        if err.code().is_empty() {
            sleep(PAUSE / 10).await;
        } else {
            sleep(PAUSE).await;
        }
        Ok(())
    }

    async fn sleep_until(&self, then: Duration) {
        sleep(then.saturating_sub(self.clock.now())).await;
    }
}
