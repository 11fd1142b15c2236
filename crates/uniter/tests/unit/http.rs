//! Archives come over HTTPS from a controller whose certificate is the model's CA's.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::SystemTime,
};

use juju_agent::{
    Secret,
    certs::{self, Authority, ServerCerts},
};
use juju_uniter::charm::{CharmSource as _, FetchError, HttpCharms, HttpLogin};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

/// A server that gives one answer to all, and what it was asked.
async fn controller(authority: &Authority, answer: String) -> (String, Arc<Mutex<Vec<String>>>) {
    let leaf = authority.issue("controller", &["127.0.0.1".parse().unwrap()], SystemTime::now()).unwrap();
    let config = certs::server_config(Arc::new(ServerCerts::new(&leaf).unwrap())).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = Arc::new(Mutex::new(vec![]));
    let seen = asked.clone();
    #[allow(clippy::disallowed_methods)]
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // Who does not trust the certificate goes away.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut request = vec![0; 8192];
            let mut length = 0;
            while !request[..length].windows(4).any(|it| it == b"\r\n\r\n") {
                length += stream.read(&mut request[length..]).await.unwrap();
            }
            seen.lock().unwrap().push(String::from_utf8_lossy(&request[..length]).into_owned());
            stream.write_all(answer.as_bytes()).await.unwrap();
            let _ = stream.shutdown().await;
        }
    });
    (address, asked)
}

fn source(authority: &Authority, addresses: &[&str]) -> HttpCharms {
    let login = HttpLogin {
        addresses: addresses.iter().map(|it| it.to_string()).collect(),
        ca_cert: authority.cert_pem().to_owned(),
        model_uuid: "6e4f".into(),
        tag: "unit-shop-0".into(),
        password: Secret::new("pw"),
    };
    HttpCharms::new(move || login.clone())
}

fn reply(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn an_archive_is_fetched_from_the_first_address_that_answers() {
    let authority = Authority::generate(SystemTime::now()).unwrap();
    let (address, asked) = controller(&authority, reply("200 OK", "zip zip")).await;
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("x");
    fs::write(&target, "something longer that was here before").unwrap();
    // Nobody listens on port 1.
    source(&authority, &["127.0.0.1:1", &address]).fetch("ch:amd64/noble/shop-7", &target).await.unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "zip zip");
    let request = asked.lock().unwrap()[0].to_lowercase();
    assert!(
        request.starts_with("get /model/6e4f/charms?url=ch%3aamd64%2fnoble%2fshop-7&file=* http/1.1")
            || request
                .starts_with("get /model/6e4f/charms?url=ch%3aamd64%2fnoble%2fshop-7&file=%2a http/1.1"),
        "{request}"
    );
    // unit-shop-0:pw
    assert!(request.contains("authorization: basic dw5pdc1zag9wlta6chc="), "{request}");
}

#[tokio::test]
async fn what_may_come_later_is_told_from_what_will_not() {
    let authority = Authority::generate(SystemTime::now()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("x");
    for (status, body, transient) in [
        ("404 Not Found", r#"{"error":"no","error-code":"not yet available; try again later"}"#, true),
        ("503 Service Unavailable", "", true),
        ("404 Not Found", r#"{"error":"no such charm","error-code":"not found"}"#, false),
        ("401 Unauthorized", "who are you", false),
    ] {
        let (address, _) = controller(&authority, reply(status, body)).await;
        let err = source(&authority, &[&address]).fetch("local:shop-1", &target).await.unwrap_err();
        assert_eq!(err.is_transient(), transient, "{status} {body}: {err:?}");
    }
    let err = source(&authority, &[]).fetch("local:shop-1", &target).await.unwrap_err();
    assert!(matches!(err, FetchError::NotYet(_)));
}

#[tokio::test]
async fn another_authoritys_controller_is_not_believed() {
    let (authority, other) =
        (Authority::generate(SystemTime::now()).unwrap(), Authority::generate(SystemTime::now()).unwrap());
    let (address, asked) = controller(&other, reply("200 OK", "evil")).await;
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("x");
    assert!(source(&authority, &[&address]).fetch("local:shop-1", &target).await.is_err());
    assert!(!target.exists() && asked.lock().unwrap().is_empty());
}
