//! `state-cleaner`: does the work that transactions left for later (Juju 3.6 `worker/cleaner`).

use std::time::Duration;

use jiff::Timestamp;
use juju_engine::Scope;
use juju_state::Model;
use tokio::time::sleep;

/// How long it waits at most before it looks again, whatever it was told.
const PERIOD: Duration = Duration::from_secs(30);

pub async fn run(model: Model, scope: Scope) -> anyhow::Result<()> {
    let mut watcher = model.watch_cleanups()?;
    scope.publish(());
    loop {
        let next = model.run_cleanups().await?;
        scope.set_report(serde_json::json!({ "queued": model.cleanups() }));
        let wait = next.map_or(PERIOD, |due| until(due, model.state().now()));
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            changed = watcher.next() => changed?,
            () = sleep(wait) => {}
        }
    }
}

/// How long until work is due. What is due already failed, and is not tried again at once.
fn until(due: Timestamp, now: Timestamp) -> Duration {
    let left = due.duration_since(now);
    match Duration::try_from(left) {
        Ok(left) if !left.is_zero() => left.min(PERIOD),
        _ => PERIOD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_waits_for_what_is_due_next() {
        let now = Timestamp::from_second(1000).unwrap();
        for (due, expected) in [(1005, 5), (1000, 30), (990, 30), (5000, 30)] {
            assert_eq!(
                until(Timestamp::from_second(due).unwrap(), now),
                Duration::from_secs(expected),
                "{due}"
            );
        }
    }
}
