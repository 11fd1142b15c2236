//! The serving end: every request runs in a task of its own and is answered when it is done.

use std::{
    future::Future,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{FutureExt as _, SinkExt as _, Stream, StreamExt as _};
use juju_wire::{Error, code};
use serde_json::value::RawValue;
use tokio::{sync::mpsc, task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    frame::{self, Envelope},
    transport::{CloseFrame, Message, Transport, TransportError},
};

/// What serves the requests of one connection.
pub trait Service: Send + Sync + 'static {
    fn call(
        self: Arc<Self>,
        request: Request,
    ) -> impl Future<Output = Result<Box<RawValue>, Error>> + Send + 'static;

    /// No more requests will come; those that wait for something to happen must end now.
    fn closing(&self) {}
}

/// One request, its parameters still raw.
#[derive(Debug)]
pub struct Request {
    pub id: u64,
    pub facade: String,
    pub version: i64,
    pub method: String,
    /// Which object of the facade is meant; watchers have ids.
    pub object: String,
    pub params: Option<Box<RawValue>>,
}

/// How a connection is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Requests that may run at once. A connection with more gets an error for each further one: to stop reading
    /// instead would lock out the `Stop` that ends a blocked `Next`.
    pub outstanding: usize,
    /// How long running requests may take to end once the connection does.
    pub drain: Duration,
    /// How long the peer may take to accept what is sent to it.
    pub stall: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options { outstanding: 16 << 10, drain: Duration::from_secs(60), stall: Duration::from_secs(120) }
    }
}

/// Why a connection is no longer served.
#[derive(Debug)]
pub enum End {
    /// The peer said goodbye or went away.
    Peer,
    /// `stop` was cancelled.
    Stopped,
    /// What the peer sent is no request.
    Malformed(String),
    Broken(TransportError),
    /// The peer does not take its replies.
    Stalled,
}

/// Serves one connection until it ends or `stop` is cancelled. All its tasks have ended when this returns.
pub async fn serve<S: Service>(
    transport: impl Transport,
    service: Arc<S>,
    options: Options,
    stop: CancellationToken,
) -> End {
    let (mut sink, mut stream) = transport.split();
    let (replies, queue) = mpsc::channel(QUEUE);
    let farewell = Mutex::new(None);
    let broken = CancellationToken::new();

    // Both halves run in this one task: an idle connection costs one.
    let writing = async {
        let result = write_all(&mut sink, queue, options.stall).await;
        broken.cancel();
        if result.is_ok() {
            let close = farewell.lock().unwrap_or_else(PoisonError::into_inner).take();
            let _ = timeout(GOODBYE, sink.send(Message::Close(close))).await;
        }
        result
    };
    let reading = async {
        let mut calls = JoinSet::new();
        let end = read_all(&mut stream, &service, &replies, &mut calls, &options, &stop, &broken).await;
        *farewell.lock().unwrap_or_else(PoisonError::into_inner) = close_frame(&end);
        service.closing();
        drop(replies);
        let all_done = async { while calls.join_next().await.is_some() {} };
        if timeout(options.drain, all_done).await.is_err() {
            tracing::warn!(
                late = calls.len(),
                "requests of a closed connection are still running, aborting them"
            );
            calls.shutdown().await;
        }
        // Until the farewell is out the peer's own has to be read, or its system reports a reset.
        (end, stream)
    };
    let (written, (end, mut stream)) = tokio::join!(writing, reading);
    match (end, written) {
        (End::Peer, _) => End::Peer,
        (_, Err(end)) => end,
        (end, Ok(())) => {
            let _ = timeout(GOODBYE, async { while let Some(Ok(_)) = stream.next().await {} }).await;
            end
        }
    }
}

/// Replies that may wait to be sent before the tasks that made them do.
const QUEUE: usize = 64;
/// How long a farewell may take.
const GOODBYE: Duration = Duration::from_secs(1);

async fn read_all<S: Service>(
    stream: &mut (impl Stream<Item = Result<Message, TransportError>> + Unpin),
    service: &Arc<S>,
    replies: &mpsc::Sender<Message>,
    calls: &mut JoinSet<()>,
    options: &Options,
    stop: &CancellationToken,
    broken: &CancellationToken,
) -> End {
    loop {
        let message = tokio::select! {
            biased;
            () = stop.cancelled() => return End::Stopped,
            () = broken.cancelled() => return End::Stalled,
            Some(_) = calls.join_next(), if !calls.is_empty() => continue,
            message = stream.next() => message,
        };
        let text = match &message {
            None => return End::Peer,
            Some(Err(err)) => return End::Broken(err.clone()),
            Some(Ok(Message::Text(text))) => text.as_str(),
            Some(Ok(Message::Binary(bytes))) => match std::str::from_utf8(bytes) {
                Ok(text) => text,
                Err(err) => return End::Malformed(err.to_string()),
            },
            Some(Ok(Message::Close(_))) => return End::Peer,
            Some(Ok(_)) => continue,
        };
        let request = match Envelope::parse(text) {
            Err(err) => return End::Malformed(err.to_string()),
            Ok(it) if !it.is_request() => continue,
            Ok(it) if it.request_id == 0 => {
                return End::Malformed("a request without a request-id".to_owned());
            }
            Ok(it) => Request {
                id: it.request_id,
                facade: it.facade.into_owned(),
                version: it.version,
                method: it.method.into_owned(),
                object: it.object.into_owned(),
                params: it.params.map(ToOwned::to_owned),
            },
        };
        let id = request.id;
        if calls.len() >= options.outstanding {
            let error =
                Error::new(code::QUOTA_LIMIT_EXCEEDED, "too many requests are running on this connection");
            // A peer that floods and does not read waits here, with everything it still has to say.
            tokio::select! {
                _ = replies.send(Message::text(frame::reply(id, &Err(error)))) => {}
                () = stop.cancelled() => return End::Stopped,
            }
            continue;
        }
        let (service, replies) = (service.clone(), replies.clone());
        calls.spawn(async move {
            let call = AssertUnwindSafe(async { service.call(request).await }).catch_unwind();
            let outcome = call.await.unwrap_or_else(|panic| {
                let why = panic_text(&*panic);
                tracing::error!(request = id, why, "a request handler panicked");
                Err(Error::other(format_args!("panic: {why}")))
            });
            // If this fails nobody waits for the answer any more.
            let _ = replies.send(Message::text(frame::reply(id, &outcome))).await;
        });
    }
}

/// Sends what comes until the queue ends.
pub(crate) async fn write_all(
    sink: &mut (impl futures_util::Sink<Message, Error = TransportError> + Unpin),
    mut queue: mpsc::Receiver<Message>,
    stall: Duration,
) -> Result<(), End> {
    while let Some(first) = queue.recv().await {
        let batch = async {
            sink.feed(first).await?;
            while let Ok(next) = queue.try_recv() {
                sink.feed(next).await?;
            }
            sink.flush().await
        };
        match timeout(stall, batch).await {
            Ok(Ok(())) => {}
            Ok(Err(err)) => return Err(End::Broken(err)),
            Err(_) => return Err(End::Stalled),
        }
    }
    Ok(())
}

fn close_frame(end: &End) -> Option<CloseFrame> {
    use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
    let (code, reason) = match end {
        End::Stopped => (CloseCode::Away, "closed by the server".to_owned()),
        End::Malformed(why) => (CloseCode::Invalid, format!("malformed frame: {why}")),
        End::Broken(err @ TransportError::TooLarge { .. }) => (CloseCode::Size, err.to_string()),
        End::Broken(err) => (CloseCode::Protocol, err.to_string()),
        End::Peer | End::Stalled => return None,
    };
    // A control frame has 125 bytes, two of them the code.
    let fits = reason.char_indices().map(|(at, it)| at + it.len_utf8()).take_while(|end| *end <= 123);
    let end = fits.last().unwrap_or(0);
    Some(CloseFrame { code, reason: reason[..end].into() })
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
