//! The task behind a connection: sends what is queued, hands replies to who waits for them.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::{SinkExt as _, StreamExt as _};
use juju_wire::Error;
use serde_json::value::RawValue;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::Closed;
use crate::{
    frame::Envelope,
    transport::{CloseFrame, Message, Transport, TransportError},
};

/// What the server answered.
pub(super) type Outcome = Result<Option<Box<RawValue>>, Error>;

/// What callers share with the task.
#[derive(Default)]
pub(super) struct Session {
    state: Mutex<State>,
    /// Cancelled once `state.closed` is set.
    pub(super) ended: CancellationToken,
}

#[derive(Default)]
struct State {
    last_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Outcome>>,
    closed: Option<Closed>,
}

impl Session {
    /// A number for a request, and where its answer will arrive.
    pub(super) fn expect_reply(&self) -> Result<(u64, oneshot::Receiver<Outcome>), Closed> {
        let mut state = self.lock();
        if let Some(closed) = &state.closed {
            return Err(closed.clone());
        }
        state.last_id += 1;
        let id = state.last_id;
        let (answer, receiver) = oneshot::channel();
        state.waiting.insert(id, answer);
        Ok((id, receiver))
    }

    /// Nobody waits for this answer any more.
    pub(super) fn forget(&self, id: u64) {
        self.lock().waiting.remove(&id);
    }

    /// Ends the session for all callers; the first reason counts.
    pub(super) fn close(&self, reason: Closed) {
        let mut state = self.lock();
        state.closed.get_or_insert(reason);
        state.waiting.clear();
        drop(state);
        self.ended.cancel();
    }

    pub(super) fn closed(&self) -> Option<Closed> {
        self.lock().closed.clone()
    }

    fn answer(&self, text: &str) -> Result<(), Closed> {
        let malformed = |err: serde_json::Error| Closed::Malformed(err.to_string());
        let envelope = Envelope::parse(text).map_err(malformed)?;
        if envelope.is_request() {
            tracing::debug!(facade = &*envelope.facade, "ignoring a request from the server");
            return Ok(());
        }
        // The answer to a call that was given up has no one to go to.
        let waiting = self.lock().waiting.remove(&envelope.request_id);
        if let Some(waiting) = waiting {
            let _ = waiting.send(envelope.outcome().map(|it| it.map(ToOwned::to_owned)));
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long the server may take to say goodbye in turn.
const GOODBYE: Duration = Duration::from_secs(10);
/// How long the server may take to accept a request.
const STALL: Duration = Duration::from_secs(120);

/// Runs until the connection ends or `stop` is cancelled; then every caller has been told.
pub(super) async fn run(
    transport: impl Transport,
    mut queue: mpsc::UnboundedReceiver<Message>,
    session: std::sync::Arc<Session>,
    stop: CancellationToken,
) {
    let (mut sink, mut stream) = transport.split();
    let reading = async {
        loop {
            match stream.next().await {
                None => return Closed::Peer { reason: String::new() },
                Some(Err(err)) => return Closed::Broken(err),
                Some(Ok(Message::Text(text))) => {
                    if let Err(closed) = session.answer(&text) {
                        return closed;
                    }
                }
                Some(Ok(Message::Close(frame))) => {
                    let reason = frame.map(|it| it.reason.to_string()).unwrap_or_default();
                    return Closed::Peer { reason };
                }
                Some(Ok(_)) => {}
            }
        }
    };
    let writing = async {
        while let Some(first) = queue.recv().await {
            let batch = async {
                sink.feed(first).await?;
                while let Ok(next) = queue.try_recv() {
                    sink.feed(next).await?;
                }
                sink.flush().await
            };
            match timeout(STALL, batch).await {
                Ok(Ok(())) => {}
                Ok(Err(err)) => return Closed::Broken(err),
                Err(_) => return Closed::Broken(TransportError::protocol("requests are not accepted")),
            }
        }
        // The last handle is gone.
        Closed::Here
    };
    let reason = tokio::select! {
        biased;
        () = stop.cancelled() => Closed::Here,
        reason = reading => reason,
        reason = writing => reason,
    };
    let polite = matches!(reason, Closed::Here);
    session.close(reason);
    if polite {
        use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
        let goodbye = async {
            // What was queued before goes first: a watcher's `Stop`, for one.
            while let Ok(next) = queue.try_recv() {
                sink.feed(next).await?;
            }
            let frame = CloseFrame { code: CloseCode::Normal, reason: Default::default() };
            sink.send(Message::Close(Some(frame))).await?;
            while let Some(Ok(_)) = stream.next().await {}
            Ok::<(), TransportError>(())
        };
        // Whether the server heard it changes nothing here.
        let _ = timeout(GOODBYE, goodbye).await;
    }
}
