//! Keeps a connection alive, and notices when it is not.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use juju_wire::facade::pinger;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::{CallError, Closed, Connection, connection::Handle, session::Session};

const EVERY: Duration = Duration::from_secs(60);
const LIMIT: Duration = Duration::from_secs(30);

/// Runs until the connection has ended; does not itself keep it open.
pub(super) async fn run(handle: Weak<Handle>, session: Arc<Session>) {
    let mut ticks = interval_at(Instant::now() + EVERY, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = session.ended.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let Some(handle) = handle.upgrade() else { return };
        let connection = Connection { handle };
        match connection.call_within::<pinger::call::Ping>(LIMIT, ()).await {
            Ok(()) => {}
            Err(CallError::Closed(_)) => return,
            Err(err) => {
                tracing::debug!(%err, "the server does not answer a ping");
                return connection.end(Closed::Silent);
            }
        }
    }
}
