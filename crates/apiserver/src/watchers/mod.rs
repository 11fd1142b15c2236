//! The watchers of one connection.
//!
//! A call that starts one adds a source of events here and answers the id; the client then asks for the next event by
//! that id, on the facade of that kind. Nothing runs meanwhile: a watcher is a note of what it last reported, and it
//! is the request for the next event that waits for the state to change and looks. So an idle watcher costs memory
//! and no task, and a client that does not ask is not told the same thing twice.

mod source;

use std::{
    any::Any,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use juju_wire::code;
use tokio::sync::Mutex as AsyncMutex;
use tokio_util::sync::CancellationToken;

pub use source::{Events, from_state, from_state_with};

use crate::{Error, Result};

/// The watchers of a connection, by their ids. All end with it.
pub struct Watchers {
    inner: Mutex<Inner>,
    /// Cancelled when the connection ends.
    closing: CancellationToken,
}

#[derive(Default)]
struct Inner {
    last_id: u64,
    slots: HashMap<String, Slot>,
}

#[derive(Clone)]
struct Slot {
    /// A [`Watching`] of the reply of this kind's `Next`; kinds are told apart by that type.
    watching: Arc<dyn Any + Send + Sync>,
    stop: CancellationToken,
}

struct Watching<E> {
    /// Whoever asks next waits until the one before has an answer.
    events: AsyncMutex<Box<dyn Events<E>>>,
}

/// How many watchers one connection may have: a controller's own workers have some thousands, others some hundreds.
const MAX: usize = 100_000;

impl Default for Watchers {
    fn default() -> Self {
        Watchers { inner: Mutex::default(), closing: CancellationToken::new() }
    }
}

impl Watchers {
    /// Adds a watcher and answers its id. `E` is the reply of the `Next` that will ask for its events.
    ///
    /// The first event is not among them: the call that adds the watcher answers it.
    pub fn add<E: Send + 'static>(&self, events: impl Events<E> + 'static) -> Result<String> {
        let events: AsyncMutex<Box<dyn Events<E>>> = AsyncMutex::new(Box::new(events));
        let slot = Slot { watching: Arc::new(Watching { events }), stop: self.closing.child_token() };
        let mut inner = self.lock();
        if inner.slots.len() >= MAX {
            return Err(Error::new(code::QUOTA_LIMIT_EXCEEDED, "too many watchers on this connection"));
        }
        inner.last_id += 1;
        let id = inner.last_id.to_string();
        inner.slots.insert(id.clone(), slot);
        Ok(id)
    }

    /// The next event of the watcher; waits as long as there is none.
    pub async fn next<E: Send + 'static>(&self, id: &str) -> Result<E> {
        let slot = self.lock().slots.get(id).cloned().ok_or_else(unknown)?;
        let watching = slot.watching.downcast::<Watching<E>>().map_err(|_| unknown())?;
        let event = async { watching.events.lock().await.next().await };
        let event = slot.stop.run_until_cancelled(event).await.ok_or_else(stopped)?;
        if event.is_err() {
            // What failed once is told once and then over.
            slot.stop.cancel();
        }
        event
    }

    /// Ends the watcher; whoever waits for its next event is told so.
    pub fn stop<E: Send + 'static>(&self, id: &str) -> Result<()> {
        let mut inner = self.lock();
        let slot = inner.slots.get(id).ok_or_else(unknown)?;
        if !slot.watching.is::<Watching<E>>() {
            return Err(unknown());
        }
        slot.stop.cancel();
        inner.slots.remove(id);
        Ok(())
    }

    /// Ends all of them, and those that are still to be added.
    pub(crate) fn close(&self) {
        self.closing.cancel();
        self.lock().slots.clear();
    }

    pub fn len(&self) -> usize {
        self.lock().slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown() -> Error {
    Error::new(code::NOT_FOUND, "unknown watcher id")
}

fn stopped() -> Error {
    Error::new(code::STOPPED, "watcher has been stopped")
}

#[cfg(test)]
mod tests;
