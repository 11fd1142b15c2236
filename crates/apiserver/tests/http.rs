//! Files and streams over HTTP.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::{io::Write as _, time::Duration};

use common::{ADMIN_PASSWORD, AGENT_PASSWORD, NONCE, TestServer, id, provisioned};
use juju_rpc::stream::{JsonStream, StreamError, credentials};
use juju_state::access::{Access, Object};
use juju_wire::{
    Time,
    params::{LogMessage, LogRecord},
};
use reqwest::{StatusCode, header::CONTENT_TYPE};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

const ZIP: &str = "application/zip";
const SOON: Duration = Duration::from_secs(20);

/// A charm of this name, packed.
fn charm(name: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    };
    put("metadata.yaml", &format!("name: {name}\nsummary: s\ndescription: d\n"));
    put("manifest.yaml", "bases: [{name: ubuntu, channel: 24.04/stable, architectures: [amd64]}]\n");
    put("hooks/install", "#!/bin/sh\n");
    put("src/deep/file.txt", "hello");
    let mut packed = std::io::Cursor::new(vec![]);
    juju_charm::pack::pack(dir.path(), &mut packed).unwrap();
    packed.into_inner()
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

struct Fixture {
    it: TestServer,
    http: reqwest::Client,
    uuid: String,
}

async fn fixture() -> Fixture {
    let it = TestServer::start().await;
    let model = it.model("demo").await;
    Fixture { http: it.http(), uuid: model.uuid().to_string(), it }
}

impl Fixture {
    fn get(&self, path: &str) -> reqwest::RequestBuilder {
        self.http.get(self.it.url(path)).basic_auth("user-admin", Some(ADMIN_PASSWORD))
    }

    fn put_charm(&self, object: &str, url: &str, body: Vec<u8>) -> reqwest::RequestBuilder {
        self.put(object, url, body).basic_auth("user-admin", Some(ADMIN_PASSWORD)).header(CONTENT_TYPE, ZIP)
    }

    fn put(&self, object: &str, url: &str, body: Vec<u8>) -> reqwest::RequestBuilder {
        let path = format!("/model-{}/charms/{object}", self.uuid);
        self.http.put(self.it.url(&path)).header("Juju-Curl", url).body(body)
    }

    async fn upload(&self, url: &str, body: Vec<u8>) -> (StatusCode, Value) {
        let object = format!("web-{}", &sha256(&body)[..7]);
        let response = self.put_charm(&object, url, body).send().await.unwrap();
        let (status, curl) = (response.status(), response.headers().get("Juju-Curl").cloned());
        let body: Value = response.json().await.unwrap();
        if status.is_success() {
            assert_eq!(curl.unwrap().to_str().unwrap(), body["charm-url"]);
        }
        (status, body)
    }
}

#[tokio::test]
async fn a_charm_goes_in_gets_a_revision_and_comes_out() {
    let it = fixture().await;
    let (status, body) = it.upload("local:web-0", charm("web")).await;
    assert_eq!((status, &body["charm-url"]), (StatusCode::OK, &Value::from("local:web-0")));
    // A revision is given once.
    let (_, body) = it.upload("local:web-0", charm("web")).await;
    assert_eq!(body["charm-url"], "local:web-1");
    let (_, body) = it.upload("local:web-7", charm("web")).await;
    assert_eq!(body["charm-url"], "local:web-7");

    let model = it.it.state.model(&id(&it.uuid)).unwrap();
    let doc = model.charm(&id("local:web-1")).unwrap();
    assert_eq!(doc.charm.as_ref().unwrap().revision, 1);
    let sha = model.charm_archive(&id("local:web-1")).unwrap().to_string();
    assert!(it.it.dir.path().join("objects").join(&sha).exists());

    // By the old path, whole and in parts.
    let charms = format!("/model/{}/charms", it.uuid);
    let whole = it.get(&format!("{charms}?url=local:web-1&file=*")).send().await.unwrap();
    assert_eq!(whole.headers()["content-type"], "application/zip");
    assert_eq!(sha256(&whole.bytes().await.unwrap()), sha);
    let list: Value =
        it.get(&format!("{charms}?url=local:web-1")).send().await.unwrap().json().await.unwrap();
    let files: Vec<_> = list["files"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for file in ["metadata.yaml", "revision", "src/deep/file.txt"] {
        assert!(files.contains(&file), "{files:?}");
    }
    let revision = it.get(&format!("{charms}?url=local:web-1&file=revision")).send().await.unwrap();
    assert_eq!(revision.text().await.unwrap().trim(), "1");
    let icon = it.get(&format!("{charms}?url=local:web-1&icon=1")).send().await.unwrap();
    assert_eq!(icon.headers()["content-type"], "image/svg+xml");

    // By the new path, as agents do, too.
    let object = format!("/model-{}/charms/web-{}", it.uuid, &sha[..7]);
    let got = it.get(&object).send().await.unwrap().bytes().await.unwrap();
    assert_eq!(sha256(&got), sha);
    let head =
        it.http.head(it.it.url(&object)).basic_auth("user-admin", Some(ADMIN_PASSWORD)).send().await.unwrap();
    assert_eq!(head.headers()["content-length"], got.len().to_string().as_str());
    let missing = it.get(&format!("/model-{}/charms/web-0000000", it.uuid)).send().await.unwrap();
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    let body: Value = missing.json().await.unwrap();
    assert_eq!(body["error"], "cannot retrieve charm: charm \"web-0000000\" not found");
    assert_eq!(body["error-code"], "not found");
    it.it.stop().await;
}

#[tokio::test]
async fn old_clients_upload_with_next_to_nothing() {
    let it = fixture().await;
    let url = it.it.url(&format!("/model/{}/charms", it.uuid));
    let post = |query: &str| {
        it.http
            .post(format!("{url}?{query}"))
            .basic_auth("user-admin", Some(ADMIN_PASSWORD))
            .header(CONTENT_TYPE, ZIP)
            .body(charm("web"))
    };
    for (query, expected) in [
        ("series=", "local:web-0"),
        ("series=jammy", "local:jammy/web-0"),
        ("schema=local&revision=5&name=web&arch=amd64&series=", "local:web-5"),
        ("revision=-1", "local:web-6"),
    ] {
        let response = post(query).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{query}");
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["charm-url"], expected, "{query}");
    }
    it.it.stop().await;
}

#[tokio::test]
async fn bad_uploads_are_named_and_leave_nothing() {
    let it = fixture().await;
    let good = charm("web");
    let object = format!("web-{}", &sha256(&good)[..7]);
    let refused = async |request: reqwest::RequestBuilder| {
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let body: Value = response.json().await.unwrap();
        (status, body["error"].as_str().unwrap().to_owned())
    };
    let wrong = refused(it.put_charm("web-0000000", "local:web-0", good.clone())).await;
    let sha = &sha256(&good)[..7];
    let text =
        format!("cannot upload charm: Uploaded charm sha256 ({sha}) does not match sha in url (0000000)");
    assert_eq!(wrong, (400, text));
    let wrong = refused(it.put_charm(&object, "ch:web-0", good.clone())).await;
    assert!(wrong.1.contains("non-local charms may only be uploaded"), "{wrong:?}");
    let wrong = refused(it.put_charm(&object, "local:", good.clone())).await;
    assert_eq!(wrong.0, 400);
    let untyped = it.put(&object, "local:web-0", good.clone()).basic_auth("user-admin", Some(ADMIN_PASSWORD));
    let wrong = refused(untyped.header(CONTENT_TYPE, "text/plain")).await;
    assert!(
        wrong.1.starts_with("cannot upload charm: expected Content-Type: application/zip, got: "),
        "{wrong:?}"
    );
    for (body, text) in [(b"this is no zip".to_vec(), "not a zip file"), (vec![], "not a zip file")] {
        let object = format!("web-{}", &sha256(&body)[..7]);
        let wrong = refused(it.put_charm(&object, "local:web-0", body)).await;
        assert_eq!(wrong.0, 400);
        assert!(wrong.1.contains(text), "{wrong:?}");
    }
    let objects = std::fs::read_dir(it.it.dir.path().join("objects")).unwrap().count();
    assert_eq!(objects, 0);
    let model = it.it.state.model(&id(&it.uuid)).unwrap();
    assert!(juju_state::charm::all(&model.image(), model.uuid()).unwrap().is_empty());
    it.it.stop().await;
}

#[tokio::test]
async fn http_asks_who_you_are() {
    let it = fixture().await;
    let path = format!("/model/{}/charms?url=local:web-0", it.uuid);
    let get = |tag: &str, password: &str| it.http.get(it.it.url(&path)).basic_auth(tag, Some(password));
    let response = it.http.get(it.it.url(&path)).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(response.headers()["www-authenticate"], "Basic realm=\"juju\"");
    assert_eq!(response.text().await.unwrap(), "authentication failed: no credentials provided\n");
    let response = get("user-admin", "wrong").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(response.text().await.unwrap(), "authentication failed: invalid entity name or password\n");

    let admin = id("admin");
    it.it.state.add_user(&id("bob"), "", "password", &admin).await.unwrap();
    let response = get("user-bob", "password").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
    assert_eq!(response.text().await.unwrap(), "authorization failed: permission denied\n");
    it.it.state.grant(&Object::Model(id(&it.uuid)), &id("bob"), Access::Read, &admin).await.unwrap();
    assert_eq!(get("user-bob", "password").send().await.unwrap().status(), StatusCode::NOT_FOUND);
    // Reading is not writing.
    let body = charm("web");
    let object = format!("web-{}", &sha256(&body)[..7]);
    let put = it.put(&object, "local:web-0", body).header(CONTENT_TYPE, ZIP);
    let put = put.basic_auth("user-bob", Some("password"));
    assert_eq!(put.send().await.unwrap().status(), StatusCode::FORBIDDEN);

    // A machine shows its nonce as well.
    let model = it.it.state.model(&id(&it.uuid)).unwrap();
    provisioned(&model, "n").await;
    let response = get("machine-0", AGENT_PASSWORD).send().await.unwrap();
    assert_eq!(response.text().await.unwrap(), "authentication failed: machine 0 not provisioned\n");
    let response = get("machine-0", AGENT_PASSWORD).header("X-Juju-Nonce", "n").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::NOT_FOUND);

    for (path, status) in [
        ("/model/5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f/charms?url=local:web-0", 404),
        ("/model/x/charms?url=local:web-0", 400),
        ("/models/x/y", 404),
        ("/nothing/here", 404),
    ] {
        assert_eq!(it.get(path).send().await.unwrap().status().as_u16(), status, "{path}");
    }
    let response = it.http.delete(it.it.url("/health")).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["error"]["code"], "method not allowed");
    it.it.stop().await;
}

#[tokio::test]
async fn health() {
    let it = fixture().await;
    let response = it.http.get(it.it.url("/health")).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.text().await.unwrap(), "running\n");
    it.it.stop().await;
}

#[tokio::test]
async fn agent_binaries() {
    let it = fixture().await;
    let version = "3.6.28-ubuntu-amd64";
    let download = it.it.url(&format!("/model/{}/tools/{version}", it.uuid));
    assert_eq!(it.http.get(&download).send().await.unwrap().status(), StatusCode::NOT_FOUND);
    let upload = |query: &str| {
        it.http
            .post(it.it.url(&format!("/model/{}/tools{query}", it.uuid)))
            .basic_auth("user-admin", Some(ADMIN_PASSWORD))
            .header(CONTENT_TYPE, "application/x-tar-gz")
            .body("an archive")
    };
    let response = upload("").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["error"]["message"], "expected binaryVersion argument");
    let response = upload(&format!("?binaryVersion={version}")).send().await.unwrap();
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["tools"][0]["version"], version);
    assert_eq!(body["tools"][0]["sha256"], sha256(b"an archive"));
    assert_eq!(body["tools"][0]["size"], 10);
    // No one is asked who he is.
    for url in [download, it.it.url(&format!("/tools/{version}"))] {
        let response = it.http.get(url).send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "application/x-tar-gz");
        assert_eq!(response.text().await.unwrap(), "an archive");
    }
    // What all machines run is not a model administrator's to change.
    let admin = id("admin");
    it.it.state.add_user(&id("bob"), "", "password", &admin).await.unwrap();
    it.it.state.grant(&Object::Model(id(&it.uuid)), &id("bob"), Access::Admin, &admin).await.unwrap();
    let path = format!("/model/{}/tools?binaryVersion={version}", it.uuid);
    let upload = it.http.post(it.it.url(&path)).basic_auth("user-bob", Some("password"));
    let upload = upload.header(CONTENT_TYPE, "application/x-tar-gz").body("another");
    assert_eq!(upload.send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let bad = it.http.get(it.it.url("/tools/latest")).send().await.unwrap();
    assert_eq!(bad.status(), StatusCode::BAD_REQUEST);
    it.it.stop().await;
}

fn record(text: &str, level: &str) -> LogRecord {
    LogRecord {
        time: Time(Some("2026-03-02T10:11:12.5Z".parse().unwrap())),
        module: "juju.worker.machiner".into(),
        location: "machiner.rs:1".into(),
        level: level.into(),
        message: text.into(),
        ..LogRecord::default()
    }
}

#[tokio::test]
async fn what_agents_log_is_in_the_debug_log() {
    let it = fixture().await;
    let model = it.it.state.model(&id(&it.uuid)).unwrap();
    let machine = provisioned(&model, "n").await;
    let open = async |path: String, headers| {
        let mut config = it.it.dial(None);
        (config.path, config.headers) = (path, headers);
        JsonStream::open(&config).await
    };
    let tag = format!("machine-{machine}");
    let logsink = format!("/model/{}/logsink?version=1", it.uuid);
    let mut sink = open(logsink.clone(), credentials(&tag, AGENT_PASSWORD, "n")).await.unwrap();
    let admin = || credentials("user-admin", ADMIN_PASSWORD, "");
    let log = |query: &str| format!("/model/{}/log?{query}", it.uuid);

    let mut tail = open(log("level=INFO"), admin()).await.unwrap();
    sink.send(&record("quiet", "DEBUG")).await.unwrap();
    sink.send(&record("hello", "INFO")).await.unwrap();
    let got: LogMessage = timeout(SOON, tail.next()).await.unwrap().unwrap();
    assert_eq!(
        (got.tag.as_str(), got.message.as_str(), got.severity.as_str()),
        (tag.as_str(), "hello", "INFO")
    );
    let other = LogRecord { entity: "unit-web-0".into(), ..record("for another", "WARNING") };
    sink.send(&other).await.unwrap();
    let got: LogMessage = timeout(SOON, tail.next()).await.unwrap().unwrap();
    assert_eq!((got.tag.as_str(), got.message.as_str()), ("unit-web-0", "for another"));

    let mut past = open(log("replay=true&noTail=true"), admin()).await.unwrap();
    for expected in ["quiet", "hello", "for another"] {
        let got: LogMessage = timeout(SOON, past.next()).await.unwrap().unwrap();
        assert_eq!(got.message, expected);
    }
    let end = timeout(SOON, past.next::<LogMessage>()).await.unwrap().unwrap_err();
    assert!(matches!(end, StreamError::Closed { .. }), "{end:?}");

    // The first message says what is wrong.
    let wrong = open(log("level=LOUD"), admin()).await.err().unwrap();
    let StreamError::Refused(error) = wrong else { panic!("{wrong:?}") };
    assert!(error.message.starts_with("level value \"LOUD\""), "{error:?}");
    // Users do not log, machines do not read; a controller may.
    assert!(matches!(open(logsink, admin()).await, Err(StreamError::Dial(_))));
    assert!(matches!(open(log(""), credentials(&tag, AGENT_PASSWORD, "n")).await, Err(StreamError::Dial(_))));
    assert!(open("/log?noTail=true".into(), credentials("machine-0", AGENT_PASSWORD, NONCE)).await.is_ok());
    // A record that is none ends the stream, not the server.
    sink.send(&Value::from("nonsense")).await.unwrap();
    assert!(timeout(SOON, sink.next::<Value>()).await.unwrap().is_err());
    sink.close().await.ok();
    it.it.stop().await;
}
