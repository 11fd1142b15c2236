//! Waiting for changes of keys and prefixes.

use std::{future::poll_fn, sync::Arc, task::Poll};

use super::{Interest, shared::Shared, watchers::Watcher};
use crate::{Result, Revision};

/// What changed, and by when: each key once, however often it changed since the last time. Those who want the
/// new values read them from an image of this revision or a later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    pub revision: Revision,
    /// In byte order.
    pub keys: Vec<Arc<str>>,
}

/// A wait for changes, again and again. Nothing is lost between two calls of [`next`](Watch::next), and what
/// happens in between is told as one.
pub struct Watch {
    shared: Arc<Shared>,
    watcher: Arc<Watcher>,
    interest: Interest,
}

impl Watch {
    /// Waits until something of interest changes, or answers at once what did since the last call. Fails when
    /// the view is closed. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Changed> {
        poll_fn(|cx| match self.watcher.poll(cx.waker()) {
            Poll::Ready((revision, keys)) => {
                Poll::Ready(Ok(Changed { revision, keys: keys.into_iter().collect() }))
            }
            Poll::Pending => match self.shared.check_open() {
                Ok(()) => Poll::Pending,
                Err(closed) => Poll::Ready(Err(closed)),
            },
        })
        .await
    }

    /// Watches for more, beginning now.
    pub fn add(&mut self, more: Interest) -> Result<()> {
        more.check()?;
        self.shared.waiting().watchers.extend(&self.watcher, &more);
        self.widen(more);
        Ok(())
    }

    /// As [`add`](Watch::add), and tells also what of it changed after `since`.
    pub fn add_since(&mut self, more: Interest, since: Revision) -> Result<()> {
        more.check()?;
        {
            // Nothing is published meanwhile, so nothing is told twice or never.
            let mut waiting = self.shared.waiting();
            let image = self.shared.image();
            let changed = image.changed(&more, since)?;
            waiting.watchers.extend(&self.watcher, &more);
            self.watcher.tell_all(image.revision(), changed);
        }
        self.widen(more);
        Ok(())
    }

    /// Watches for less. What has changed already is still told.
    pub fn remove(&mut self, less: &Interest) {
        let taken = self.interest.take(less);
        self.shared.waiting().watchers.shrink(&self.watcher, &taken);
    }

    pub(super) fn new(shared: Arc<Shared>, watcher: Arc<Watcher>, mut interest: Interest) -> Watch {
        interest.normalize();
        Watch { shared, watcher, interest }
    }

    fn widen(&mut self, more: Interest) {
        self.interest = std::mem::take(&mut self.interest).and(more);
        self.interest.normalize();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.waiting().watchers.remove(&self.watcher, &self.interest);
    }
}
