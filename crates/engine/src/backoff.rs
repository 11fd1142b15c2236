//! How long to wait before a worker is started again.

use std::time::Duration;

use crate::config::Config;

/// Counts the failures of one worker since it was last healthy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// It did what it should.
    pub(crate) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// It could not work, through no fault of its own.
    pub(crate) fn waited(&mut self) {
        self.failures = 1;
    }

    /// It failed after having run for `ran`.
    pub(crate) fn failed(&mut self, config: &Config, ran: Duration) {
        self.failures = if ran < config.healthy_after { self.failures.saturating_add(1) } else { 1 };
    }

    pub(crate) fn delay(&self, config: &Config, base: Duration) -> Duration {
        self.delay_with(config, base, rand::random_range(-1.0..1.0))
    }

    fn delay_with(&self, config: &Config, base: Duration, roll: f64) -> Duration {
        if base.is_zero() {
            return base;
        }
        let grown = base.as_secs_f64() * config.factor.powf(f64::from(self.failures.saturating_sub(1)));
        let capped = grown.min(config.max_delay.max(base).as_secs_f64());
        let millis = (capped * (1.0 + config.jitter * roll) * 1000.0).round().max(0.0);
        // From here on it is at most twice `max_delay`: no overflow.
        Duration::from_millis(millis as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(failures: u32, base: Duration, roll: f64) -> Duration {
        Backoff { failures }.delay_with(&Config::juju(), base, roll)
    }

    #[test]
    fn delays_grow_to_a_limit_and_jitter() {
        let error = Config::juju().error_delay;
        for (failures, roll, millis) in [
            (0, 0.0, 3_000),
            (1, 0.0, 3_000),
            (2, 0.0, 3_600),
            (3, 0.0, 4_320),
            (1, -1.0, 2_700),
            (1, 0.999, 3_300),
            (21, 0.0, 115_013),
            (22, 0.0, 120_000),
            (u32::MAX, 1.0, 132_000),
        ] {
            assert_eq!(after(failures, error, roll), Duration::from_millis(millis), "{failures} {roll}");
        }
        assert_eq!(after(1, Config::juju().bounce_delay, 0.0), Duration::from_millis(10));
        assert_eq!(after(9, Duration::ZERO, 1.0), Duration::ZERO);
        let long = Duration::from_secs(600);
        assert_eq!(after(9, long, 0.0), long, "a limit below the first delay does not shorten it");
    }

    #[test]
    fn a_minute_of_health_forgives() {
        let config = Config::juju();
        let mut backoff = Backoff::default();
        backoff.failed(&config, Duration::ZERO);
        backoff.failed(&config, Duration::from_millis(59_999));
        assert_eq!(backoff.failures, 2);
        backoff.failed(&config, Duration::from_secs(60));
        assert_eq!(backoff.failures, 1);
        backoff.succeeded();
        assert_eq!(backoff.failures, 0);
        backoff.waited();
        assert_eq!(backoff.failures, 1);
    }
}
