//! Real websockets: limits on frames, and dialling over TLS.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod common;

use std::{sync::Arc, time::Duration};

use common::Fake;
use futures_util::{SinkExt as _, StreamExt as _};
use juju_rpc::{
    Connection, DialConfig, DialError, End, Message, Options, TransportError, serve,
    websocket::{Limit, WebSocket},
};
use juju_wire::facade::pinger;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{PrivateKeyDer, pem::PemObject as _};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_frame_over_the_limit_is_refused_from_its_header() {
    // A header that announces 64 MiB, of which nothing is sent.
    let (mut ours, theirs) = duplex(1 << 10);
    let socket = WebSocket::server(theirs, Limit::new(64 << 10));
    let end =
        tokio::spawn(serve(socket, Arc::new(Fake::default()), Options::default(), CancellationToken::new()));
    ours.write_all(&[0x81, 0xff, 0, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4]).await.unwrap();
    let mut answer = vec![];
    ours.read_to_end(&mut answer).await.unwrap();
    let end = end.await.unwrap();
    assert!(matches!(end, End::Broken(TransportError::TooLarge { limit: 65536, .. })), "{end:?}");
    assert!(String::from_utf8_lossy(&answer).contains("over the limit of 65536"), "{answer:?}");
}

#[tokio::test]
async fn a_raised_limit_holds_from_the_next_frame_on() {
    let (ours, theirs) = duplex(1 << 10);
    let limit = Limit::new(1 << 10);
    let mut server = WebSocket::server(theirs, limit.clone());
    let mut client = WebSocket::client(ours, Limit::new(1 << 20));
    let big = "x".repeat(100 << 10);
    limit.set(1 << 20);
    let (sent, got) = tokio::join!(client.send(Message::text(big.clone())), server.next());
    sent.unwrap();
    assert_eq!(got.unwrap().unwrap(), Message::text(big.clone()));
    limit.set(10);
    let (_, got) = tokio::join!(client.send(Message::text(big)), async {
        let got = server.next().await;
        drop(server);
        got
    });
    assert!(matches!(got, Some(Err(TransportError::TooLarge { .. }))), "{got:?}");
}

#[tokio::test]
async fn many_small_and_large_messages_pass_both_ways() {
    let (ours, theirs) = duplex(4 << 10);
    let server = WebSocket::server(theirs, Limit::new(8 << 20));
    let client = WebSocket::client(ours, Limit::new(8 << 20));
    let (mut sink, mut stream) = client.split();
    let echo = tokio::spawn(async move {
        let (mut sink, mut stream) = server.split();
        let (queue, mut queued) = tokio::sync::mpsc::unbounded_channel();
        let reading = async move {
            while let Some(Ok(message)) = stream.next().await {
                queue.send(message).unwrap();
            }
        };
        let writing = async {
            while let Some(message) = queued.recv().await {
                if message.is_close() {
                    break;
                }
                sink.send(message).await.unwrap();
            }
            let _ = sink.close().await;
        };
        tokio::join!(reading, writing);
    });
    let sizes: Vec<usize> = (0..2000).map(|it| if it % 100 == 0 { 200_000 } else { it }).collect();
    let sending = async {
        for size in &sizes {
            sink.feed(Message::text("y".repeat(*size))).await.unwrap();
        }
        sink.flush().await.unwrap();
    };
    let receiving = async {
        for size in &sizes {
            let Some(Ok(Message::Text(text))) = stream.next().await else { panic!("ended early") };
            assert_eq!(text.len(), *size);
        }
    };
    tokio::join!(sending, receiving);
    sink.send(Message::Close(None)).await.unwrap();
    while stream.next().await.is_some() {}
    tokio::time::timeout(Duration::from_secs(10), echo).await.unwrap().unwrap();
}

/// A CA and a TLS acceptor with a leaf of it for these names.
fn authority(names: &[&str]) -> (String, TlsAcceptor) {
    let ca_key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = params.self_signed(&ca_key).unwrap();
    let issuer = Issuer::new(params, ca_key);
    let key = KeyPair::generate().unwrap();
    let names = names.iter().map(|it| it.to_string()).collect::<Vec<_>>();
    let leaf = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone(), ca.der().clone()],
            PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap(),
        )
        .unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    (ca.pem(), TlsAcceptor::from(Arc::new(config)))
}

/// Accepts forever; answers the upgrade, or with the status given.
async fn server(tls: TlsAcceptor, status: Option<u16>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let tls = tls.clone();
            tokio::spawn(async move {
                let Ok(mut tls) = tls.accept(tcp).await else { return };
                if let Some(status) = status {
                    let _ = tls.read(&mut [0; 4096]).await;
                    let body = "invalid model UUID \"x\"\n";
                    let head =
                        format!("HTTP/1.1 {status} No\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                    let _ = tls.write_all(head.as_bytes()).await;
                    return;
                }
                let socket = tokio_tungstenite::accept_async(tls).await.unwrap();
                let transport = futures_util::SinkExt::sink_map_err(
                    futures_util::TryStreamExt::map_err(socket, TransportError::from),
                    TransportError::from,
                );
                let stop = CancellationToken::new();
                serve(transport, Arc::new(Fake::default()), Options::default(), stop).await;
            });
        }
    });
    address
}

/// An address on which nothing listens.
async fn deaf() -> String {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string()
}

#[tokio::test]
async fn dialling_finds_the_address_that_answers() {
    let (ca, tls) = authority(&["localhost", "juju-apiserver"]);
    let good = server(tls, None).await;
    // Accepts TCP and says nothing: would be waited for if addresses were tried one after the other.
    let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mute_address = mute.local_addr().unwrap().to_string();
    let addresses = vec![deaf().await, mute_address, good, "nonsense".to_owned()];
    let config = DialConfig::controller(addresses, ca);
    let start = std::time::Instant::now();
    let connection = Connection::connect(&config).await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(5));
    connection.call::<pinger::call::Ping>(()).await.unwrap();
    connection.close().await;
}

#[tokio::test]
async fn dial_errors_say_what_is_wrong() {
    let (ca, tls) = authority(&["juju-apiserver"]);
    let (other_ca, _) = authority(&["juju-apiserver"]);
    let (odd_ca, odd_name) = authority(&["localhost"]);
    let good = server(tls.clone(), None).await;
    let dial = async |addresses: &[&str], ca: &str| {
        let addresses = addresses.iter().map(|it| it.to_string()).collect();
        let mut config = DialConfig::controller(addresses, ca);
        config.timeouts.dial = Duration::from_millis(300);
        Connection::connect(&config).await.err().unwrap()
    };

    assert!(matches!(dial(&[], &ca).await, DialError::NoAddresses));
    assert!(matches!(dial(&[&good], "").await, DialError::BadCa(_)));
    assert!(matches!(
        dial(&[&good], "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----").await,
        DialError::BadCa(_)
    ));
    let err = dial(&[&good], &other_ca).await;
    assert!(matches!(err, DialError::Untrusted { .. }), "{err:?}");
    assert_eq!(err.to_string(), format!("{good} does not present a certificate of this controller"));
    let odd = server(odd_name, None).await;
    assert!(matches!(dial(&[&odd], &odd_ca).await, DialError::Untrusted { .. }));
    let deaf = deaf().await;
    assert_eq!(dial(&[&deaf], &ca).await.to_string(), format!("connection to {deaf} refused"));
    assert!(matches!(dial(&["nonsense"], &ca).await, DialError::BadAddress(_)));
    assert!(matches!(dial(&["127.0.0.1:99999"], &ca).await, DialError::BadAddress(_)));

    let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mute = mute.local_addr().unwrap().to_string();
    let held = TcpListener::bind(&mute).await;
    drop(held);
    let err = dial(&[&mute], &ca).await;
    assert!(matches!(err, DialError::Refused { .. } | DialError::Timeout { .. }), "{err:?}");

    let refusing = server(tls, Some(400)).await;
    let err = dial(&[&refusing, &deaf], &ca).await;
    assert!(matches!(err, DialError::Http { status: 400, .. }), "{err:?}");
    assert!(err.to_string().ends_with("answered 400: invalid model UUID \"x\""), "{err}");
}

#[tokio::test]
async fn a_mute_address_times_out() {
    let (ca, _) = authority(&["juju-apiserver"]);
    let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = DialConfig::controller(vec![mute.local_addr().unwrap().to_string()], ca);
    config.timeouts.dial = Duration::from_millis(100);
    let err = Connection::connect(&config).await.err().unwrap();
    assert!(matches!(err, DialError::Timeout { .. }), "{err:?}");
    config.timeouts.dial = Duration::from_secs(60);
    config.timeouts.open = Duration::from_millis(100);
    let err = Connection::connect(&config).await.err().unwrap();
    assert!(matches!(err, DialError::OpenTimeout(_)), "{err:?}");
}
