//! A watcher of the server, as its events.

use juju_wire::Method;
use serde_json::value::RawValue;

use super::{
    CallError, Connection,
    connection::{Pending, decode},
};

type Read<T> = dyn Fn(Option<&RawValue>) -> Result<T, CallError> + Send + Sync;

/// Events of one watcher. Ends the watcher on the server when it is dropped.
pub struct Watcher<T> {
    connection: Connection,
    id: String,
    facade: &'static str,
    version: i64,
    stop: &'static str,
    start: fn(&Connection, &str) -> Result<Pending, CallError>,
    read: Box<Read<T>>,
    first: Option<T>,
    /// The `Next` under way. It stays when the future that waits for it is dropped, so that no event is lost then.
    next: Option<Pending>,
    stopped: bool,
}

impl<T: 'static> Watcher<T> {
    pub(super) fn new<M: Method<Params = ()>>(
        connection: Connection,
        id: String,
        stop: &'static str,
        event: fn(M::Reply) -> T,
    ) -> Self {
        Watcher {
            version: connection.best_version::<M>(),
            connection,
            id,
            facade: M::FACADE,
            stop,
            start: |connection, id| connection.start::<M>(id, &()),
            read: Box::new(move |raw| decode::<M>(raw).map(event)),
            first: None,
            next: None,
            stopped: false,
        }
    }

    /// The event that the call which made the watcher has answered already becomes the first one here.
    pub fn starting_with(mut self, event: T) -> Self {
        self.first = Some(event);
        self
    }

    /// The id that the server gave it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Waits for the next event. To drop this future loses none.
    pub async fn next(&mut self) -> Result<T, CallError> {
        if let Some(first) = self.first.take() {
            return Ok(first);
        }
        let pending = match &mut self.next {
            Some(pending) => pending,
            none => none.insert((self.start)(&self.connection, &self.id)?),
        };
        let raw = pending.raw().await;
        self.next = None;
        (self.read)(raw?.as_deref())
    }

    /// Ends the watcher and waits until the server has.
    pub async fn stop(mut self) -> Result<(), CallError> {
        self.stopped = true;
        self.connection.ask(self.facade, self.version, &self.id, self.stop)?.raw().await.map(drop)
    }
}

impl<T> Drop for Watcher<T> {
    fn drop(&mut self) {
        if !self.stopped && !self.connection.is_closed() {
            // Nobody is left to hear the answer; a connection that is gone took the watcher with it.
            let _ = self.connection.ask(self.facade, self.version, &self.id, self.stop);
        }
    }
}
