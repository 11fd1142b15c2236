//! The numbers by which workers are restarted and stopped.

use std::time::Duration;

/// How patient an engine or a runner is.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// From a failure to the next start; grows by `factor` with each further failure, up to `max_delay`.
    pub error_delay: Duration,
    /// From a stop that was asked for to the next start, so that several changes make one restart.
    pub bounce_delay: Duration,
    pub max_delay: Duration,
    pub factor: f64,
    /// Each delay is multiplied by a random number between `1 - jitter` and `1 + jitter`.
    pub jitter: f64,
    /// A worker that ran this long before it failed is not punished for its earlier failures.
    pub healthy_after: Duration,
    /// A worker that was told to stop and has not after this long is named in the log.
    pub slow_stop: Duration,
    /// How long a shutdown waits for its workers before it aborts those that are late.
    pub stop_timeout: Duration,
    /// How long after that it waits for those that had to wait for them, and again for what it aborted. Only
    /// code that never awaits can outlast it.
    pub abort_grace: Duration,
}

impl Config {
    /// The delays of Juju 3.6 (`cmd/jujud/agent/engine`), which has no time-outs; those are ours.
    pub const fn juju() -> Self {
        Config {
            error_delay: Duration::from_secs(3),
            bounce_delay: Duration::from_millis(10),
            max_delay: Duration::from_secs(120),
            factor: 1.2,
            jitter: 0.1,
            healthy_after: Duration::from_secs(60),
            slow_stop: Duration::from_secs(30),
            stop_timeout: Duration::from_secs(30),
            abort_grace: Duration::from_secs(2),
        }
    }

    /// For an engine or a runner inside a worker: it gives up on late workers well before the engine around it
    /// gives up on that worker, so that the log names the one that was really late.
    pub fn nested(&self) -> Self {
        let mut inner = self.clone();
        inner.stop_timeout = self.stop_timeout / 2;
        inner.slow_stop = self.slow_stop / 2;
        inner
    }
}

impl Default for Config {
    fn default() -> Self {
        Config::juju()
    }
}
