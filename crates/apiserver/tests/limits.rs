//! Strangers, floods, silence and the end.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use common::{ADMIN_PASSWORD, AGENT_PASSWORD, NONCE, TestServer, login};
use futures_util::{SinkExt as _, StreamExt as _};
use juju_rpc::{CallError, Connection};
use juju_wire::{code, facade::pinger};
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};

const SOON: Duration = Duration::from_secs(20);

async fn tls(it: &TestServer) -> TlsStream<TcpStream> {
    let config = juju_agent::certs::client_config(&it.ca).unwrap();
    let tcp = TcpStream::connect(it.address).await.unwrap();
    let name = ServerName::try_from("juju-apiserver").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, tcp).await.unwrap()
}

/// A websocket without any client around it.
async fn raw(it: &TestServer) -> WebSocketStream<TlsStream<TcpStream>> {
    client_async(format!("wss://{}/api", it.address), tls(it).await).await.unwrap().0
}

async fn closing(socket: &mut WebSocketStream<TlsStream<TcpStream>>) -> String {
    let closed = async {
        loop {
            match socket.next().await {
                Some(Ok(Message::Close(frame))) => {
                    return frame.map(|it| it.reason.to_string()).unwrap_or_default();
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return String::new(),
            }
        }
    };
    timeout(SOON, closed).await.expect("the server closes")
}

#[tokio::test]
async fn malformed_and_oversized_frames_end_only_their_connection() {
    let it = TestServer::start().await;
    let admin = it.admin(None).await;

    let mut socket = raw(&it).await;
    socket.send(Message::text("nonsense")).await.unwrap();
    assert!(closing(&mut socket).await.starts_with("malformed frame"));

    let mut socket = raw(&it).await;
    socket.send(Message::binary(vec![0xff, 0xfe])).await.unwrap();
    assert!(closing(&mut socket).await.starts_with("malformed frame"));

    // Announced, never sent.
    let mut stream = tls(&it).await;
    let head = format!(
        "GET /api HTTP/1.1\r\nhost: {}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        it.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&[0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]).await.unwrap();
    let mut answer = vec![];
    let _ = timeout(SOON, stream.read_to_end(&mut answer)).await.expect("the server closes");
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("101 Switching") && answer.contains("over the limit of 65536"), "{answer}");

    // What is in a frame of the largest size is looked at.
    let mut socket = raw(&it).await;
    let request = r#"{"request-id":1,"type":"Pinger","version":1,"request":"Ping"}"#;
    let padded = format!("{request}{}", " ".repeat(65536 - request.len()));
    socket.send(Message::text(padded)).await.unwrap();
    let Some(Ok(Message::Text(reply))) = socket.next().await else { panic!("no reply") };
    assert!(reply.contains("unknown object type"), "{reply}");

    // After login a frame may be large.
    let large = "x".repeat(1 << 20);
    let err = admin.call_on::<juju_wire::facade::watchers::notify::call::Next>(&large, ()).await.unwrap_err();
    assert_eq!(err.code(), code::NOT_FOUND);
    it.stop().await;
}

#[tokio::test]
async fn old_admin_versions_and_requests_without_a_number() {
    let it = TestServer::start().await;
    let mut socket = raw(&it).await;
    socket
        .send(Message::text(r#"{"request-id":1,"type":"Admin","version":2,"request":"Login"}"#))
        .await
        .unwrap();
    let Some(Ok(Message::Text(reply))) = socket.next().await else { panic!("no reply") };
    assert_eq!(
        reply,
        r#"{"request-id":1,"error":"this version of Juju does not support login from old clients","error-code":"not supported","response":{}}"#
    );
    socket
        .send(Message::text(r#"{"request-id":2,"type":"Admin","version":3,"request":"Frob"}"#))
        .await
        .unwrap();
    let Some(Ok(Message::Text(reply))) = socket.next().await else { panic!("no reply") };
    assert!(reply.contains("no such request - method Admin(3).Frob is not implemented"), "{reply}");
    socket.send(Message::text(r#"{"RequestId":3,"Type":"Admin","Request":"Login"}"#)).await.unwrap();
    assert!(closing(&mut socket).await.contains("request-id"));
    it.stop().await;
}

#[tokio::test]
async fn strangers_may_stay_for_a_while_and_give_way() {
    let it = TestServer::with(
        |limits| {
            limits.login = Duration::from_millis(300);
            limits.handshake = Duration::from_millis(300);
            limits.head = Duration::from_millis(300);
            limits.strangers = 20;
            limits.grace = Duration::from_millis(20);
        },
        |_| {},
    )
    .await;
    let known = it.admin(None).await;
    // TCP alone, TLS alone, a websocket without a login.
    let mut tcp = TcpStream::connect(it.address).await.unwrap();
    let mut bare = tls(&it).await;
    let mut socket = raw(&it).await;
    assert_eq!(timeout(SOON, tcp.read(&mut [0; 16])).await.expect("the server closes").unwrap_or(0), 0);
    assert_eq!(timeout(SOON, bare.read(&mut [0; 16])).await.expect("the server closes").unwrap_or(0), 0);
    closing(&mut socket).await;

    // Many more than may be there: each newcomer pushes out the oldest, and one that logs in stays.
    let mut idle = vec![];
    for _ in 0..100 {
        idle.push(TcpStream::connect(it.address).await.unwrap());
    }
    let connection = it.admin(None).await;
    connection.call::<pinger::call::Ping>(()).await.unwrap();
    known.call::<pinger::call::Ping>(()).await.unwrap();
    it.stop().await;
}

#[tokio::test]
async fn a_thousand_idle_connections_do_not_hurt() {
    let it = TestServer::with(|limits| limits.grace = Duration::from_millis(200), |_| {}).await;
    let mut idle = vec![];
    for _ in 0..1500 {
        idle.push(TcpStream::connect(it.address).await.unwrap());
    }
    let connection = timeout(SOON, it.admin(None)).await.expect("there is room for those who log in");
    let start = Instant::now();
    for _ in 0..100 {
        connection.call::<pinger::call::Ping>(()).await.unwrap();
    }
    assert!(start.elapsed() < SOON);
    drop(idle);
    it.stop().await;
}

#[tokio::test]
async fn agents_that_come_back_at_once_all_get_in() {
    let it = Arc::new(TestServer::with(|limits| limits.strangers = 10, |_| {}).await);
    let mut agents = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let it = it.clone();
        agents.spawn(async move { it.machine_0(None).await });
    }
    let connections = timeout(3 * SOON, agents.join_all()).await.expect("none pushes out another");
    for connection in &connections {
        connection.call::<pinger::call::Ping>(()).await.unwrap();
    }
    drop(connections);
    Arc::into_inner(it).unwrap().stop().await;
}

#[tokio::test]
async fn a_full_house_refuses() {
    let it = TestServer::with(|limits| limits.connections = 2, |_| {}).await;
    let first = it.admin(None).await;
    let second = it.admin(None).await;
    let mut config = it.dial(None);
    config.timeouts.open = Duration::from_secs(5);
    assert!(Connection::connect(&config).await.is_err());
    second.close().await;
    let again = async {
        while Connection::connect(&config).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(SOON, again).await.expect("there is room again");
    first.call::<pinger::call::Ping>(()).await.unwrap();
    it.stop().await;
}

#[tokio::test]
async fn agents_are_let_in_at_a_limited_rate_and_users_are_not() {
    let rate = (2, Duration::from_secs(3600));
    let it = TestServer::with(|limits| limits.agent_logins = rate, |_| {}).await;
    it.machine_0(None).await;
    it.machine_0(None).await;
    let connection = it.connect(None).await;
    let err = login(&connection, "machine-0", AGENT_PASSWORD, NONCE).await.unwrap_err();
    assert_eq!((err.to_string().as_str(), err.code()), ("try again", code::TRY_AGAIN));
    login(&connection, "user-admin", ADMIN_PASSWORD, "").await.unwrap();
    it.stop().await;
}

#[tokio::test]
async fn silent_agents_are_dropped_and_silent_users_are_not() {
    let it = TestServer::with(|limits| limits.silence = Duration::from_millis(400), |_| {}).await;
    let user = it.admin(None).await;
    let pinging = it.machine_0(None).await;
    let excused = it.machine_0(None).await;
    excused.call::<pinger::call::Stop>(()).await.unwrap();
    let silent = it.machine_0(None).await;
    let pings = async {
        loop {
            pinging.call::<pinger::call::Ping>(()).await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        closed = timeout(SOON, silent.closed()) => drop(closed.expect("it is dropped")),
        () = pings => unreachable!(),
    }
    assert!(!pinging.is_closed() && !excused.is_closed() && !user.is_closed());
    user.call::<pinger::call::Ping>(()).await.unwrap();
    it.stop().await;
}

#[tokio::test]
async fn the_end_of_the_server_ends_everything_in_time() {
    let it = TestServer::start().await;
    let model = it.model("demo").await;
    let connection = it.admin(Some(model.uuid())).await;
    let stranger = it.connect(None).await;
    let _tcp = TcpStream::connect(it.address).await.unwrap();
    let keeps_alive = it.http();
    keeps_alive.get(it.url("/health")).send().await.unwrap();
    let start = Instant::now();
    it.stop().await;
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(timeout(SOON, connection.closed()).await.is_ok());
    assert!(timeout(SOON, stranger.closed()).await.is_ok());
    let err = connection.call::<pinger::call::Ping>(()).await.unwrap_err();
    assert!(matches!(err, CallError::Closed(_)), "{err:?}");
}

#[tokio::test]
async fn a_lost_store_closes_the_connections() {
    let it = TestServer::start().await;
    let connection = it.admin(None).await;
    it.state.view().close().await;
    assert!(timeout(SOON, connection.closed()).await.is_ok());
    let err = timeout(SOON, it.serving).await.expect("it ends").unwrap().unwrap_err();
    assert!(err.to_string().starts_with("the store is lost"), "{err}");
}
