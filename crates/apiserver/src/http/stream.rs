//! What the JSON streams have in common: a result first, then a message a frame.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use juju_rpc::{Message, transport::CloseFrame};
use juju_wire::params::ErrorResult;
use tokio::time::timeout;

use super::upgrade::Socket;
use crate::Error;

/// How long a peer may take to accept a message or a farewell.
pub(super) const STALL: Duration = Duration::from_secs(60);
const GOODBYE: Duration = Duration::from_secs(1);

/// Says whether the stream is open. Clients compare the text, newline and all.
pub(super) async fn greet(socket: &mut Socket, outcome: Result<(), &Error>) -> bool {
    let text = match outcome {
        Ok(()) => "{}\n".to_owned(),
        Err(error) => {
            let result = ErrorResult { error: Some(error.wire().clone()) };
            let text = serde_json::to_string(&result).expect("an error is plain JSON");
            format!("{text}\n")
        }
    };
    send(socket, Message::text(text)).await && outcome.is_ok()
}

/// Whether the peer took it.
pub(super) async fn send(socket: &mut Socket, message: Message) -> bool {
    matches!(timeout(STALL, socket.send(message)).await, Ok(Ok(())))
}

/// Closes in order, and gives the peer a moment to do so too.
pub(super) async fn close(mut socket: Socket) {
    let frame = CloseFrame { code: 1000.into(), reason: Default::default() };
    let farewell = async {
        socket.send(Message::Close(Some(frame))).await?;
        while let Some(Ok(_)) = socket.next().await {}
        Ok::<(), juju_rpc::TransportError>(())
    };
    let _ = timeout(GOODBYE, farewell).await;
}
