//! What a connection runs over: anything that carries websocket messages both ways.

use std::{fmt, io, sync::Arc};

use futures_util::{Sink, Stream};
use tokio_tungstenite::tungstenite::{Error as WsError, error::CapacityError};
pub use tokio_tungstenite::tungstenite::{Message, Utf8Bytes, protocol::frame::CloseFrame};

/// Messages in and out. A stream that ends was closed by the peer; an error ends it too.
pub trait Transport:
    Stream<Item = Result<Message, TransportError>>
    + Sink<Message, Error = TransportError>
    + Unpin
    + Send
    + 'static
{
}
impl<T> Transport for T where
    T: Stream<Item = Result<Message, TransportError>>
        + Sink<Message, Error = TransportError>
        + Unpin
        + Send
        + 'static
{
}

/// Why a transport carries nothing more. It is handed to every waiting caller, so it is cheap to clone.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TransportError {
    #[error("the connection broke")]
    Io(#[source] Arc<io::Error>),
    #[error("a message of {size} bytes is over the limit of {limit}")]
    TooLarge { size: usize, limit: usize },
    /// The peer does not speak the protocol.
    #[error("the peer broke the websocket protocol: {0}")]
    Protocol(Arc<str>),
}

impl TransportError {
    pub fn protocol(why: impl fmt::Display) -> Self {
        TransportError::Protocol(why.to_string().into())
    }
}

impl From<io::Error> for TransportError {
    fn from(err: io::Error) -> Self {
        TransportError::Io(Arc::new(err))
    }
}

impl From<WsError> for TransportError {
    fn from(err: WsError) -> Self {
        match err {
            WsError::Io(err) => err.into(),
            WsError::Capacity(CapacityError::MessageTooLong { size, max_size }) => {
                TransportError::TooLarge { size, limit: max_size }
            }
            WsError::ConnectionClosed | WsError::AlreadyClosed => {
                io::Error::new(io::ErrorKind::ConnectionAborted, "already closed").into()
            }
            err => TransportError::protocol(err),
        }
    }
}
