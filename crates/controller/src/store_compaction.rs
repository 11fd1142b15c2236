//! `store-compaction`: forgets what the store need no longer remember.
//!
//! Watchers that were cut off resume from where they were, so some history stays; what is older goes, and with it the
//! tombstones of what was removed.

use std::{collections::VecDeque, time::Duration};

use juju_engine::Scope;
use juju_state::State;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// How much history stays.
pub const KEPT: Duration = Duration::from_secs(600);
const PERIOD: Duration = Duration::from_secs(60);

pub async fn run(state: State, scope: Scope) -> anyhow::Result<()> {
    scope.publish(());
    let mut seen = VecDeque::new();
    let mut tick = interval(PERIOD);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            _ = tick.tick() => {}
        }
        let now = Instant::now();
        seen.push_back((now, state.view().revision()));
        // The newest of those that are old enough.
        let mut before = None;
        while seen.front().is_some_and(|(at, _)| now.duration_since(*at) >= KEPT) {
            before = seen.pop_front();
        }
        if let Some((_, revision)) = before {
            state.view().store().compact(revision).await?;
            scope.set_report(serde_json::json!({ "compacted-before": revision.to_string() }));
        }
    }
}
