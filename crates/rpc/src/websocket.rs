//! A websocket over a byte stream, with a limit on frames that may be raised while it is open.
//!
//! Before login a peer is a stranger: what it may send in one frame is little, and is refused from the frame's
//! header alone, before any memory is set aside for it. Masks, fragments, control frames and the like are tungstenite's.

use std::{
    io::{self, Read, Write},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::tungstenite::{
    Error as WsError,
    handshake::server::create_response_with_body,
    http,
    protocol::{Role, WebSocketConfig, WebSocketContext},
};

use crate::transport::{Message, TransportError};

/// The largest message that is read; shared with whoever may raise it.
#[derive(Clone, Debug)]
pub struct Limit(Arc<AtomicUsize>);

impl Limit {
    pub fn new(bytes: usize) -> Self {
        Limit(Arc::new(AtomicUsize::new(bytes)))
    }
    /// Holds from the next frame on.
    pub fn set(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }
    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// A websocket after its handshake. It must be polled from one task at a time.
pub struct WebSocket<S> {
    context: WebSocketContext,
    io: S,
    limit: Limit,
    applied: usize,
    /// Bytes handed over since the last flush.
    unflushed: usize,
    closing: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> WebSocket<S> {
    pub fn server(io: S, limit: Limit) -> Self {
        Self::new(io, Role::Server, limit)
    }

    pub fn client(io: S, limit: Limit) -> Self {
        Self::new(io, Role::Client, limit)
    }

    fn new(io: S, role: Role, limit: Limit) -> Self {
        let applied = limit.get();
        let context = WebSocketContext::new(role, Some(config(applied)));
        WebSocket { context, io, limit, applied, unflushed: 0, closing: false }
    }
}

const WRITE_BUFFER: usize = 16 << 10;

/// Buffers are small because most of a controller's connections are idle: 8 KiB here keep a thousand of them at 23 MiB
/// where tungstenite's own 128 KiB take 140.
pub fn config(limit: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(8 << 10)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(limit))
        .max_frame_size(Some(limit))
}

/// The answer to a request that asks for a websocket; an error is what is wrong with the request.
pub fn accept<B>(request: &http::Request<B>) -> Result<http::Response<()>, String> {
    create_response_with_body(request, || ()).map_err(|err| err.to_string())
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream for WebSocket<S> {
    type Item = Result<Message, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let limit = this.limit.get();
        if limit != this.applied {
            this.applied = limit;
            this.context.set_config(|it| {
                it.max_message_size = Some(limit);
                it.max_frame_size = Some(limit);
            });
        }
        match this.context.read(&mut Polled(&mut this.io, cx)) {
            Ok(message) => Poll::Ready(Some(Ok(message))),
            Err(WsError::Io(err)) if err.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
            Err(WsError::ConnectionClosed | WsError::AlreadyClosed) => Poll::Ready(None),
            // A peer that ends its stream after the farewell has been polite enough, whatever TLS makes of it.
            Err(WsError::Io(_)) if !this.context.can_read() => Poll::Ready(None),
            Err(err) => Poll::Ready(Some(Err(err.into()))),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Sink<Message> for WebSocket<S> {
    type Error = TransportError;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        // Short messages share a write; what is more than a buffer's worth must go before another is taken.
        if self.unflushed < WRITE_BUFFER { Poll::Ready(Ok(())) } else { self.poll_flush(cx) }
    }

    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), TransportError> {
        let this = &mut *self;
        this.unflushed += message.len();
        // The bytes stay in the context's buffer until a flush, so nobody is to be woken here.
        let mut idle = Context::from_waker(std::task::Waker::noop());
        match this.context.write(&mut Polled(&mut this.io, &mut idle), message) {
            Err(WsError::Io(err)) if err.kind() == io::ErrorKind::WouldBlock => Ok(()),
            other => other.map_err(Into::into),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        let this = &mut *self;
        let done = ended(this.context.flush(&mut Polled(&mut this.io, cx)));
        if done.is_ready() {
            this.unflushed = 0;
        }
        done
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        let this = &mut *self;
        let mut io = Polled(&mut this.io, cx);
        let done = if this.closing {
            this.context.flush(&mut io)
        } else {
            this.closing = true;
            this.context.close(&mut io, None).and_then(|()| this.context.flush(&mut io))
        };
        ended(done)
    }
}

fn ended(result: Result<(), WsError>) -> Poll<Result<(), TransportError>> {
    match result {
        Ok(()) | Err(WsError::ConnectionClosed | WsError::AlreadyClosed) => Poll::Ready(Ok(())),
        Err(WsError::Io(err)) if err.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
        Err(err) => Poll::Ready(Err(err.into())),
    }
}

/// A stream within one poll, as the blocking stream that tungstenite knows: not ready reads as "would block".
struct Polled<'a, 'b, S>(&'a mut S, &'a mut Context<'b>);

impl<S: AsyncRead + Unpin> Read for Polled<'_, '_, S> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let mut buf = ReadBuf::new(buf);
        block(Pin::new(&mut *self.0).poll_read(self.1, &mut buf))?;
        Ok(buf.filled().len())
    }
}

impl<S: AsyncWrite + Unpin> Write for Polled<'_, '_, S> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        block(Pin::new(&mut *self.0).poll_write(self.1, buf))
    }
    fn flush(&mut self) -> io::Result<()> {
        block(Pin::new(&mut *self.0).poll_flush(self.1))
    }
}

fn block<T>(poll: Poll<io::Result<T>>) -> io::Result<T> {
    match poll {
        Poll::Ready(result) => result,
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}
