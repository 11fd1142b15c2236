//! When a failed hook is tried again: the model's strategy, and the growing wait (Juju 3.6 `juju/utils/backoff`).

use std::time::Duration;

use juju_core::UnitName;
use juju_wire::facade::retry_strategy as wire;
use rand::{Rng, RngExt as _};
use tokio::sync::watch;

use crate::{
    api::{self, entity, one},
    link::{ApiError, Link},
};

/// The numbers, which the controller has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strategy {
    pub retry: bool,
    pub min: Duration,
    pub max: Duration,
    pub factor: f64,
    pub jitter: bool,
}

impl Default for Strategy {
    /// What Juju's controllers say.
    fn default() -> Self {
        Strategy {
            retry: true,
            min: Duration::from_secs(5),
            max: Duration::from_secs(300),
            factor: 2.0,
            jitter: true,
        }
    }
}

impl From<wire::RetryStrategy> for Strategy {
    fn from(it: wire::RetryStrategy) -> Self {
        let nanos = |it: i64| Duration::from_nanos(it.max(0).unsigned_abs());
        Strategy {
            retry: it.should_retry,
            min: nanos(it.min_retry_time),
            max: nanos(it.max_retry_time),
            factor: it.retry_time_factor.max(1) as f64,
            jitter: it.jitter_retry_time,
        }
    }
}

/// Follows the model's strategy; each change is sent to `strategy`.
pub async fn follow(link: Link, unit: &UnitName, strategy: watch::Sender<Strategy>) -> Result<(), ApiError> {
    let tag = api::unit_tag(&unit.to_string());
    loop {
        let connection = link.connection().await?;
        let watched = async {
            let reply = connection.call::<wire::call::WatchRetryStrategy>(entity(tag.clone())).await?;
            let mut result = one(reply.results)?;
            if let Some(error) = result.error.take() {
                return Err(error.into());
            }
            let mut watcher = connection.notify_watcher(result.notify_watcher_id);
            loop {
                let reply = connection.call::<wire::call::RetryStrategy>(entity(tag.clone())).await?;
                let result = one(reply.results)?;
                if let Some(error) = result.error {
                    return Err(juju_rpc::CallError::Api(error));
                }
                strategy.send_replace(result.result.map(Strategy::from).unwrap_or_default());
                watcher.next().await?;
            }
        };
        let Err::<std::convert::Infallible, _>(err) = watched.await;
        if !err.is_closed() {
            tracing::warn!("cannot follow the retry strategy: {err}");
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
    }
}

/// How long to wait before each attempt in a row.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    last: Option<Duration>,
}

impl Backoff {
    /// The first wait is exact, each next is the last times the factor, three per cent more or less.
    pub(crate) fn next(&mut self, strategy: &Strategy, rng: &mut impl Rng) -> Duration {
        let wait = match self.last {
            None => strategy.min,
            Some(last) => {
                let grown = last.mul_f64(strategy.factor);
                if strategy.jitter { grown.mul_f64(rng.random_range(0.97..=1.03)) } else { grown }
            }
        };
        let wait = wait.min(strategy.max);
        self.last = Some(wait);
        wait
    }

    pub(crate) fn reset(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_from_five_seconds_to_five_minutes() {
        let (mut backoff, strategy, mut rng) = (Backoff::default(), Strategy::default(), rand::rng());
        let mut last = backoff.next(&strategy, &mut rng);
        assert_eq!(last, Duration::from_secs(5));
        for _ in 0..10 {
            let next = backoff.next(&strategy, &mut rng);
            let ratio = next.as_secs_f64() / last.as_secs_f64();
            assert!((1.93..=2.07).contains(&ratio) || next == strategy.max, "{last:?} {next:?}");
            last = next;
        }
        assert_eq!(last, Duration::from_secs(300));
        backoff.reset();
        assert_eq!(backoff.next(&strategy, &mut rng), Duration::from_secs(5));
    }

    #[test]
    fn without_jitter_waits_are_exact() {
        let strategy = Strategy { jitter: false, ..Strategy::default() };
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..8).map(|_| backoff.next(&strategy, &mut rand::rng()).as_secs()).collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 300, 300]);
    }
}
