//! Peers that send anything at all, or take nothing.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod common;

use std::{sync::Arc, time::Duration};

use common::Fake;
use futures_util::{SinkExt as _, StreamExt as _};
use juju_rpc::{
    End, Message, Options,
    frame::Envelope,
    memory, serve,
    websocket::{Limit, WebSocket},
};
use proptest::prelude::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio_util::sync::CancellationToken;

proptest! {
    #[test]
    fn any_text_is_a_frame_or_an_error(text in ".*") {
        let _ = Envelope::parse(&text);
    }

    /// Frames that are nearly right.
    #[test]
    fn any_object_is_a_frame_or_an_error(
        keys in prop::collection::vec("(?i)request-id|type|version|id|request|params|error|error-info|response|x", 0..6),
        values in prop::collection::vec(prop_oneof![
            Just("null".to_owned()), Just("{}".to_owned()), Just("[1]".to_owned()), Just("\"a\\u0000\"".to_owned()),
            Just("1e400".to_owned()), any::<i64>().prop_map(|it| it.to_string()),
        ], 6),
    ) {
        let fields: Vec<_> = keys.iter().zip(&values).map(|(key, value)| format!("\"{key}\":{value}")).collect();
        if let Ok(it) = Envelope::parse(&format!("{{{}}}", fields.join(","))) {
            let _ = it.is_request();
            let _ = it.outcome();
        }
    }

    #[test]
    fn any_bytes_end_a_websocket_and_nothing_else(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let (mut ours, theirs) = duplex(64 << 10);
            let socket = WebSocket::server(theirs, Limit::new(64 << 10));
            let stop = CancellationToken::new();
            let end = tokio::spawn(serve(socket, Arc::new(Fake::default()), Options::default(), stop));
            ours.write_all(&bytes).await.unwrap();
            ours.shutdown().await.unwrap();
            // The server ends, whatever it was sent, and without a panic.
            let _ = ours.read_to_end(&mut vec![]).await;
            drop(ours);
            end.await.unwrap();
        });
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_takes_nothing_is_given_up() {
    let (ours, theirs) = duplex(1 << 10);
    let socket = WebSocket::server(theirs, Limit::new(1 << 20));
    let options = Options { stall: Duration::from_secs(5), ..Options::default() };
    let end = tokio::spawn(serve(socket, Arc::new(Fake::default()), options, CancellationToken::new()));
    let mut client = WebSocket::client(ours, Limit::new(1 << 20));
    // It asks for more than the pipe holds and reads none of it.
    let request = r#"{"request-id":1,"type":"Nothing","request":"X"}"#;
    while !end.is_finished() {
        let sent = tokio::time::timeout(Duration::from_secs(1), client.send(Message::text(request))).await;
        if matches!(sent, Ok(Err(_))) {
            break;
        }
    }
    assert!(matches!(end.await.unwrap(), End::Stalled), "it is told from a peer that left");
}

#[tokio::test(start_paused = true)]
async fn a_client_survives_a_server_of_nonsense() {
    for frame in [Message::text("}{"), Message::text("[]"), Message::text("{\"request-id\":true}")] {
        let (ours, mut theirs) = memory();
        let client = juju_rpc::Connection::over(ours);
        theirs.send(frame).await.unwrap();
        let call = client.call::<juju_wire::facade::pinger::call::Ping>(()).await;
        assert!(call.unwrap_err().is_closed());
        while theirs.next().await.is_some() {}
    }
}
