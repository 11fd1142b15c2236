//! SIGTERM and SIGINT stop the agent in order; a second one ends it at once.
//!
//! Juju 3.6 dies of them on the spot. To stop in order costs nothing that is acknowledged, gives hooks their end and is
//! what a supervisor expects; the difference is listed. SIGABRT, which Juju uses for "terminate", is a worker's.

use anyhow::Context as _;
use nix::sys::signal::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Cancelled at the first signal.
pub(super) fn stop_token() -> anyhow::Result<CancellationToken> {
    let token = CancellationToken::new();
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut stream = signal(kind).context("cannot handle signals")?;
        let token = token.clone();
        // It lives as long as the process: there is nobody who could join it.
        #[allow(clippy::disallowed_methods)]
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                if token.is_cancelled() {
                    tracing::warn!("second signal: ending at once");
                    die();
                }
                tracing::info!("stopping on signal");
                token.cancel();
            }
        });
    }
    Ok(token)
}

/// Ends the process as if the signal had not been handled.
fn die() {
    let _ = nix::sys::signal::kill(nix::unistd::getpid(), Signal::SIGKILL);
}

/// Waits for SIGABRT; the machine agent's `termination-signal-handler`.
pub(crate) async fn terminated() -> anyhow::Result<()> {
    let abort = SignalKind::from_raw(Signal::SIGABRT as i32);
    let mut stream = signal(abort).context("cannot handle SIGABRT")?;
    stream.recv().await;
    Ok(())
}
