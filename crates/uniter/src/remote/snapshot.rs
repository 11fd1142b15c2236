//! The snapshot of what the controller wants, between the watcher that keeps it and the loop that reads it.

use std::sync::Arc;

use tokio::sync::watch;

use super::{RemoteState, Resolved};

/// The snapshot, as the resolver's loop sees it.
pub(crate) struct Snapshot {
    slot: Arc<watch::Sender<Slot>>,
    seen: watch::Receiver<Slot>,
}

#[derive(Default)]
pub(super) struct Slot {
    /// Every watcher has had its first event.
    pub(super) ready: bool,
    pub(super) state: RemoteState,
}

/// The snapshot, as its watcher sees it.
pub(super) struct Writer {
    slot: Arc<watch::Sender<Slot>>,
}

/// Both sides of a snapshot that nobody has written yet.
pub(super) fn new() -> (Writer, Snapshot) {
    let (sender, seen) = watch::channel(Slot::default());
    let slot = Arc::new(sender);
    (Writer { slot: slot.clone() }, Snapshot { slot, seen })
}

impl Writer {
    /// Changes the snapshot and tells of it, unless it is the same as before.
    pub(super) fn edit(&self, change: impl FnOnce(&mut Slot)) {
        self.slot.send_if_modified(|slot| {
            let before = (slot.ready, slot.state.clone());
            change(slot);
            (slot.ready, &slot.state) != (before.0, &before.1)
        });
    }
}

impl Snapshot {
    /// The latest snapshot, once there is one.
    pub(crate) async fn latest(&mut self) -> RemoteState {
        loop {
            {
                let slot = self.seen.borrow_and_update();
                if slot.ready {
                    return slot.state.clone();
                }
            }
            self.changed().await;
        }
    }

    /// Waits until it differs from the last that was taken.
    pub(crate) async fn changed(&mut self) {
        if self.seen.changed().await.is_err() {
            // The sender is held beside the receiver, so this does not happen.
            std::future::pending::<()>().await;
        }
    }

    /// A user's word has been heeded; it must not be heeded twice while the controller's news of that are on their way.
    pub(crate) fn clear_resolved(&self) {
        self.slot.send_modify(|slot| slot.state.resolved = Resolved::None);
    }
}
