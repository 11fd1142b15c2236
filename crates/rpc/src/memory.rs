//! Two ends in one process: messages go from one to the other as they are.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{Sink, Stream};
use tokio::sync::mpsc;
use tokio_util::sync::PollSender;

use crate::transport::{Message, TransportError};

/// Messages that may wait in each direction before the sender does.
const QUEUE: usize = 64;

/// One of two connected ends.
pub struct Memory {
    out: PollSender<Message>,
    inbox: mpsc::Receiver<Message>,
}

/// Two ends, each of which receives what the other sends.
pub fn memory() -> (Memory, Memory) {
    let (a, from_a) = mpsc::channel(QUEUE);
    let (b, from_b) = mpsc::channel(QUEUE);
    (Memory { out: PollSender::new(a), inbox: from_b }, Memory { out: PollSender::new(b), inbox: from_a })
}

impl Stream for Memory {
    type Item = Result<Message, TransportError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.inbox.poll_recv(cx).map(|it| it.map(Ok))
    }
}

impl Sink<Message> for Memory {
    type Error = TransportError;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        self.out.poll_reserve(cx).map_err(gone)
    }
    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), TransportError> {
        self.out.send_item(message).map_err(gone)
    }
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Poll::Ready(Ok(()))
    }
    fn poll_close(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        self.out.close();
        Poll::Ready(Ok(()))
    }
}

fn gone(_: tokio_util::sync::PollSendError<Message>) -> TransportError {
    io::Error::new(io::ErrorKind::BrokenPipe, "the other end is gone").into()
}
