//! The API's JSON streams over websockets: agent logs in, debug logs out.
//!
//! Each begins with one result from the server: an empty object, or an error after which it closes.

use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use juju_wire::{
    Error, Wire,
    codec::{De, Ser},
    params::ErrorResult,
};

use crate::{
    dial::{self, DialConfig, DialError},
    transport::{CloseFrame, Message, TransportError},
};

/// An open stream.
pub struct JsonStream {
    incoming: Box<dyn Stream<Item = Result<Message, TransportError>> + Unpin + Send>,
    outgoing: Box<dyn Sink<Message, Error = TransportError> + Unpin + Send>,
}

#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    #[error("cannot open the stream")]
    Dial(#[source] DialError),
    /// The server refused it.
    #[error("{0}")]
    Refused(Error),
    /// The server ended it; an empty reason is the ordinary end.
    #[error("the server closed the stream{}{reason}", if .reason.is_empty() { "" } else { ": " })]
    Closed { reason: String },
    #[error("the stream broke")]
    Broken(#[source] TransportError),
    #[error("cannot read a message of the stream")]
    Decode(#[source] serde_json::Error),
    #[error("cannot write a message to the stream")]
    Encode(#[source] serde_json::Error),
}

impl JsonStream {
    /// Opens the stream at `config.path`; credentials go in its headers.
    pub async fn open(config: &DialConfig) -> Result<JsonStream, StreamError> {
        let (transport, _) = dial::dial(config).await.map_err(StreamError::Dial)?;
        let (outgoing, incoming) = transport.split();
        let mut stream = JsonStream { incoming: Box::new(incoming), outgoing: Box::new(outgoing) };
        match stream.next::<ErrorResult>().await?.error {
            None => Ok(stream),
            Some(error) => Err(StreamError::Refused(error)),
        }
    }

    /// The next message. It may be dropped and called again.
    ///
    /// To call this is also what answers the server's pings.
    pub async fn next<T: Wire>(&mut self) -> Result<T, StreamError> {
        loop {
            match self.incoming.next().await {
                None => return Err(StreamError::Closed { reason: String::new() }),
                Some(Err(err)) => return Err(StreamError::Broken(err)),
                Some(Ok(Message::Text(text))) => {
                    let De(it) = serde_json::from_str(&text).map_err(StreamError::Decode)?;
                    return Ok(it);
                }
                Some(Ok(Message::Close(frame))) => {
                    let reason = frame.map(|it| it.reason.to_string()).unwrap_or_default();
                    return Err(StreamError::Closed { reason });
                }
                Some(Ok(_)) => {}
            }
        }
    }

    pub async fn send<T: Wire>(&mut self, message: &T) -> Result<(), StreamError> {
        let text = serde_json::to_string(&Ser(message)).map_err(StreamError::Encode)?;
        self.outgoing.send(Message::text(text)).await.map_err(StreamError::Broken)
    }

    /// Says goodbye; what was sent has been handed to the system by then.
    pub async fn close(mut self) -> Result<(), StreamError> {
        use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
        let frame = CloseFrame { code: CloseCode::Normal, reason: Default::default() };
        self.outgoing.send(Message::Close(Some(frame))).await.map_err(StreamError::Broken)
    }
}

/// The headers by which HTTP requests and streams are authenticated: Basic, with the entity's tag as the name.
pub fn credentials(tag: &str, password: &str, nonce: &str) -> Vec<(String, String)> {
    use base64::Engine as _;
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{tag}:{password}"));
    let mut headers = vec![("Authorization".to_owned(), format!("Basic {pair}"))];
    if !nonce.is_empty() {
        headers.push(("X-Juju-Nonce".to_owned(), nonce.to_owned()));
    }
    headers
}
