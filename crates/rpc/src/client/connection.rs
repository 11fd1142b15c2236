//! A handle on a connection to an API server.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use juju_wire::{
    Method,
    codec::{De, Ser},
    facade::{admin, watchers},
};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use super::{
    CallError, Closed, Watcher, ping,
    session::{self, Outcome, Session},
};
use crate::{
    dial::{self, DialConfig, DialError},
    frame::Call,
    transport::{Message, Transport},
};

/// A connection; clones share it. It closes when it is told to, when it breaks, or when the last clone is dropped.
#[derive(Clone)]
pub struct Connection {
    pub(super) handle: Arc<Handle>,
}

pub(super) struct Handle {
    session: Arc<Session>,
    queue: mpsc::UnboundedSender<Message>,
    /// Facade versions that the server listed at login.
    facades: Mutex<HashMap<String, Vec<i64>>>,
    tasks: TaskTracker,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

impl Connection {
    /// Dials the addresses, a little apart but at once; the first that answers is used. Log in next.
    pub async fn connect(config: &DialConfig) -> Result<Connection, DialError> {
        let (transport, address) = dial::dial(config).await?;
        tracing::debug!(address, "connected");
        Ok(Self::over(transport))
    }

    /// A connection over anything that carries messages. Needs to be called within a runtime.
    pub fn over(transport: impl Transport) -> Connection {
        let (queue, queued) = mpsc::unbounded_channel();
        let session = Arc::new(Session::default());
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        tasks.spawn(session::run(transport, queued, session.clone(), stop.clone()));
        let facades = Mutex::default();
        let _stop_on_drop = stop.clone().drop_guard();
        Connection { handle: Arc::new(Handle { session, queue, facades, tasks, stop, _stop_on_drop }) }
    }

    /// Logs in and remembers which facades the server has.
    ///
    /// An answer with `discharge_required` set is a challenge, not yet a login.
    pub async fn login(&self, request: admin::LoginRequest) -> Result<admin::LoginResult, CallError> {
        let result = self.call::<admin::call::Login>(request).await?;
        let versions = result.facades.iter().map(|it| (it.name.clone(), it.versions.clone())).collect();
        *self.handle.facades.lock().unwrap_or_else(PoisonError::into_inner) = versions;
        Ok(result)
    }

    /// Calls a method in the best version that both ends know, and waits for the answer as long as it takes.
    pub async fn call<M: Method>(&self, params: M::Params) -> Result<M::Reply, CallError> {
        self.call_on::<M>("", params).await
    }

    /// Calls a method of one object of a facade, a watcher for one.
    pub async fn call_on<M: Method>(&self, id: &str, params: M::Params) -> Result<M::Reply, CallError> {
        let mut pending = self.start::<M>(id, &params)?;
        decode::<M>(pending.raw().await?.as_deref())
    }

    /// Like [`call`](Self::call), but gives up after `limit`.
    pub async fn call_within<M: Method>(
        &self,
        limit: Duration,
        params: M::Params,
    ) -> Result<M::Reply, CallError> {
        let late = |_| CallError::Timeout { facade: M::FACADE, method: M::NAME, limit };
        tokio::time::timeout(limit, self.call::<M>(params)).await.map_err(late)?
    }

    /// The version of a method that a call uses: the highest that the server listed and this client knows.
    ///
    /// If there is none the highest that this client knows is sent; the server's answer then says what it lacks.
    pub fn best_version<M: Method>(&self) -> i64 {
        let facades = self.handle.facades.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = facades.get(M::FACADE).map(Vec::as_slice).unwrap_or_default();
        let known = |it: &&i64| u32::try_from(**it).is_ok_and(|it| M::VERSIONS.contains(&it));
        listed.iter().filter(known).max().copied().unwrap_or(i64::from(*M::VERSIONS.end()))
    }

    /// Whether the server listed a version of the method that this client knows.
    pub fn serves<M: Method>(&self) -> bool {
        let facades = self.handle.facades.lock().unwrap_or_else(PoisonError::into_inner);
        facades.get(M::FACADE).is_some_and(|listed| {
            listed.iter().any(|it| u32::try_from(*it).is_ok_and(|it| M::VERSIONS.contains(&it)))
        })
    }

    /// Follows the watcher of this id: something changed.
    pub fn notify_watcher(&self, id: impl Into<String>) -> Watcher<()> {
        self.watcher::<watchers::notify::call::Next, _>(id, "Stop", |()| ())
    }
    /// Follows the watcher of this id: these ids changed.
    pub fn strings_watcher(&self, id: impl Into<String>) -> Watcher<Vec<String>> {
        self.watcher::<watchers::strings::call::Next, _>(id, "Stop", |it| it.changes)
    }
    /// Follows the watcher of this id: the entities of these tags changed.
    pub fn entities_watcher(&self, id: impl Into<String>) -> Watcher<Vec<String>> {
        self.watcher::<watchers::entities::call::Next, _>(id, "Stop", |it| it.changes)
    }
    /// Follows the watcher of this id: counterpart units of a relation changed or departed.
    pub fn relation_units_watcher(
        &self,
        id: impl Into<String>,
    ) -> Watcher<juju_wire::facade::uniter::RelationUnitsChange> {
        self.watcher::<watchers::relation_units::call::Next, _>(id, "Stop", |it| it.changes)
    }
    /// Follows the watcher of this id: life or suspension of relations changed.
    pub fn relation_status_watcher(
        &self,
        id: impl Into<String>,
    ) -> Watcher<Vec<watchers::RelationStatusChange>> {
        self.watcher::<watchers::relation_status::call::Next, _>(id, "Stop", |it| it.changes)
    }
    /// Follows the watcher of this id: all that changed in a model; the first answer is the whole of it.
    pub fn all_watcher(&self, id: impl Into<String>) -> Watcher<Vec<juju_wire::facade::all_watcher::Delta>> {
        self.watcher::<juju_wire::facade::all_watcher::call::Next, _>(id, "Stop", |it| it.deltas)
    }
    /// Follows a watcher of any kind, by the method that answers its events and the one that ends it.
    pub fn watcher<M: Method<Params = ()>, T: 'static>(
        &self,
        id: impl Into<String>,
        stop: &'static str,
        event: fn(M::Reply) -> T,
    ) -> Watcher<T> {
        Watcher::new::<M>(self.clone(), id.into(), stop, event)
    }

    /// Pings the server each minute and closes the connection when it does not answer within half a minute.
    ///
    /// Agents must: a server drops those that are silent for three minutes. The connection joins the task.
    pub fn keep_alive(&self) {
        let session = self.handle.session.clone();
        self.handle.tasks.spawn(ping::run(Arc::downgrade(&self.handle), session));
    }

    /// Waits until the connection has ended and says why.
    pub async fn closed(&self) -> Closed {
        self.handle.session.ended.cancelled().await;
        self.handle.session.closed().unwrap_or(Closed::Here)
    }

    pub fn is_closed(&self) -> bool {
        self.handle.session.ended.is_cancelled()
    }

    /// Says goodbye and waits until every task of the connection has ended.
    pub async fn close(&self) {
        self.handle.stop.cancel();
        self.handle.tasks.close();
        self.handle.tasks.wait().await;
    }

    /// Sends a request; its answer may be waited for, or given up, at leisure.
    pub(super) fn start<M: Method>(&self, id: &str, params: &M::Params) -> Result<Pending, CallError> {
        self.send(M::FACADE, self.best_version::<M>(), id, M::NAME, Ser(params))
    }

    /// The same for a method without parameters, by name.
    pub(super) fn ask(
        &self,
        facade: &'static str,
        version: i64,
        id: &str,
        method: &'static str,
    ) -> Result<Pending, CallError> {
        self.send(facade, version, id, method, Ser(&()))
    }

    /// Closes the connection for a reason found on this side.
    pub(super) fn end(&self, reason: Closed) {
        self.handle.session.close(reason);
        self.handle.stop.cancel();
    }

    fn send(
        &self,
        facade: &'static str,
        version: i64,
        id: &str,
        method: &'static str,
        params: impl serde::Serialize,
    ) -> Result<Pending, CallError> {
        let session = self.handle.session.clone();
        let (number, answer) = session.expect_reply().map_err(CallError::Closed)?;
        let pending = Pending { number, answer, session };
        let call = Call { request_id: number, facade, version, id, method, params };
        let text =
            serde_json::to_string(&call).map_err(|source| CallError::Encode { facade, method, source })?;
        let gone = |_| CallError::Closed(self.handle.session.closed().unwrap_or(Closed::Here));
        self.handle.queue.send(Message::text(text)).map_err(gone)?;
        Ok(pending)
    }
}

/// A request under way. To drop it is to lose interest in its answer, not to take it back.
pub(super) struct Pending {
    number: u64,
    answer: oneshot::Receiver<Outcome>,
    session: Arc<Session>,
}

impl Pending {
    /// May be cancelled and called again: the answer is kept until then.
    pub(super) async fn raw(&mut self) -> Result<Option<Box<RawValue>>, CallError> {
        let closed = |_| CallError::Closed(self.session.closed().unwrap_or(Closed::Here));
        (&mut self.answer).await.map_err(closed)?.map_err(CallError::Api)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.session.forget(self.number);
    }
}

/// A missing result reads as null, which is every type's default.
pub(super) fn decode<M: Method>(raw: Option<&RawValue>) -> Result<M::Reply, CallError> {
    let De(reply) = serde_json::from_str(raw.map_or("null", RawValue::get))
        .map_err(|source| CallError::Decode { facade: M::FACADE, method: M::NAME, source })?;
    Ok(reply)
}
