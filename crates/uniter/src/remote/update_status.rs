//! How often a unit that has nothing to do says so.

use std::time::Duration;

use rand::RngExt as _;
use tokio::time::{Instant, sleep_until};

/// Juju's default of `update-status-hook-interval`, and its bounds.
const INTERVAL: Duration = Duration::from_secs(300);
const INTERVALS: std::ops::RangeInclusive<Duration> = Duration::from_secs(60)..=Duration::from_secs(3600);

/// Ticks at the model's interval, more or less.
pub(super) struct Timer {
    interval: Duration,
    due: Instant,
}

impl Timer {
    pub(super) fn new() -> Self {
        Timer { interval: INTERVAL, due: Instant::now() + jittered(INTERVAL) }
    }

    /// Takes the model's `update-status-hook-interval`; another one starts the wait anew.
    pub(super) fn set(&mut self, text: Option<&str>) {
        let interval = interval(text);
        if interval != self.interval {
            *self = Timer { interval, due: Instant::now() + jittered(interval) };
        }
    }

    /// Waits for the next tick. May be dropped and called again.
    pub(super) async fn tick(&mut self) {
        sleep_until(self.due).await;
        self.due = Instant::now() + jittered(self.interval);
    }
}

/// The interval that a model asks for, within what it may.
fn interval(text: Option<&str>) -> Duration {
    text.and_then(go_duration).map_or(INTERVAL, |it| it.clamp(*INTERVALS.start(), *INTERVALS.end()))
}

/// Four fifths to six fifths, so that units do not tick together.
fn jittered(interval: Duration) -> Duration {
    interval.mul_f64(rand::rng().random_range(0.8..=1.2))
}

/// A duration as Go writes it: `1h30m`, `90s`, `5m0s`.
fn go_duration(text: &str) -> Option<Duration> {
    let (mut rest, mut total) = (text.trim(), Duration::ZERO);
    while !rest.is_empty() {
        let digits = rest.find(|it: char| !it.is_ascii_digit() && it != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.find(|it: char| it.is_ascii_digit()).unwrap_or(rest.len());
        let seconds = match &rest[..letters] {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 0.001,
            _ => return None,
        };
        total += Duration::try_from_secs_f64(number * seconds).ok()?;
        rest = &rest[letters..];
    }
    (!total.is_zero()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_bounded_and_spread() {
        for (text, want) in
            [(None, 300), (Some("10m"), 600), (Some("1s"), 60), (Some("24h"), 3600), (Some("soon"), 300)]
        {
            assert_eq!(interval(text).as_secs(), want, "{text:?}");
        }
        for _ in 0..1000 {
            let wait = jittered(INTERVAL);
            assert!((240..=360).contains(&wait.as_secs()), "{wait:?}");
        }
    }

    #[test]
    fn durations_of_go() {
        for (text, want) in [
            ("5m", Some(300_000)),
            ("5m0s", Some(300_000)),
            ("1h30m", Some(5_400_000)),
            ("90s", Some(90_000)),
            ("1.5m", Some(90_000)),
            ("250ms", Some(250)),
            ("", None),
            ("5", None),
            ("m", None),
            ("5d", None),
        ] {
            assert_eq!(go_duration(text).map(|it| it.as_millis()), want, "{text}");
        }
    }
}
