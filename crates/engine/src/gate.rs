//! A latch that opens once and stays open.

use std::sync::Arc;

use tokio::sync::watch;

/// Something that many workers wait for, and that happens once in the life of a process: the upgrade steps have
/// run, say. Clones are the same gate. [`flag::gate`](crate::flag::gate) makes a flag of it.
#[derive(Clone, Debug)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Gate(Arc::new(watch::Sender::new(false)))
    }

    pub fn unlock(&self) {
        self.0.send_replace(true);
    }

    pub fn is_unlocked(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is open.
    pub async fn unlocked(&self) {
        // It can only fail if the sender is gone, and we hold it.
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

impl Default for Gate {
    fn default() -> Self {
        Gate::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test(start_paused = true)]
    async fn it_opens_once_for_everyone() {
        let gate = Gate::new();
        let other = gate.clone();
        assert!(!gate.is_unlocked());
        assert!(gate.unlocked().now_or_never().is_none());
        let waiting = async { other.unlocked().await };
        let opening = async { gate.unlock() };
        tokio::join!(waiting, opening);
        gate.unlock();
        assert!(other.is_unlocked());
        other.unlocked().await;
    }
}
