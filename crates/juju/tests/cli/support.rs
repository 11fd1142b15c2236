//! A command line, and a controller to talk to.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::SystemTime,
};

use axum::body::{Body, to_bytes};
use hyper::{Method, Request, Response, StatusCode, body::Incoming, service::service_fn, upgrade};
use hyper_util::rt::TokioIo;
use juju::{
    Clock, Context,
    cli::Env,
    printer::{Printer, Settings},
    store::Store,
};
use juju_agent::certs::{self, Authority};
use juju_rpc::{Service, websocket};
use juju_wire::{Error, facade};
use serde_json::{Value, json, value::RawValue};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

pub const CONTROLLER: &str = "0c2b7f0e-54a9-4c2f-8f5a-99aa88bb77cc";
pub const MODEL: &str = "5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f";
const PASSWORD: &str = "hunter2";

/// What a command line ended with.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// A user with a client store of their own.
pub struct Cli {
    pub dir: tempfile::TempDir,
    pub vars: BTreeMap<String, String>,
    pub out_is_terminal: bool,
}

impl Cli {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), vars: BTreeMap::new(), out_is_terminal: false }
    }

    /// One who has bootstrapped this controller and is in its model `demo`.
    pub fn of(controller: &FakeController) -> Self {
        let cli = Self::new();
        let indented: String = controller.ca.lines().map(|it| format!("      {it}\n")).collect();
        cli.write("controllers.yaml", &format!(
            "controllers:\n  lab:\n    uuid: {CONTROLLER}\n    api-endpoints: ['{}']\n    ca-cert: |\n{indented}    cloud: local\n    \
             region: default\n    type: local\ncurrent-controller: lab\n",
            controller.address
        ));
        cli.write("accounts.yaml", &format!(
            "controllers:\n  lab:\n    user: admin\n    password: {PASSWORD}\n    last-known-access: superuser\n"
        ));
        cli.write("models.yaml", &format!(
            "controllers:\n  lab:\n    models:\n      admin/demo: {{uuid: {MODEL}, type: iaas, branch: ''}}\n    \
             current-model: admin/demo\n"
        ));
        cli
    }

    pub fn store(&self) -> Store {
        Store::at(self.dir.path().join("data"))
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.dir.path().join("data").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn run(&self, line: &str) -> Ran {
        self.answer(line, "")
    }

    /// Runs with this on standard input.
    pub fn answer(&self, line: &str, input: &str) -> Ran {
        self.args(shell_words::split(line).unwrap(), input)
    }

    pub fn args(&self, args: Vec<String>, input: &str) -> Ran {
        let (out, err) = (Sink::default(), Sink::default());
        let env = Env::read(
            |name| match name {
                "JUJU_DATA" => Some(self.dir.path().join("data").into()),
                "HOME" => Some(self.dir.path().into()),
                name => self.vars.get(name).map(Into::into),
            },
            None,
        );
        let settings =
            Settings { out_is_terminal: self.out_is_terminal, no_color: true, ..Settings::default() };
        let mut ctx = Context {
            store: Store::at(&env.juju_data),
            printer: Printer::new(Box::new(out.clone()), Box::new(err.clone()), settings),
            input: Box::new(io::Cursor::new(input.as_bytes().to_vec())),
            clock: Clock {
                now: || "2026-03-02T10:20:30Z".parse().unwrap(),
                zone: || jiff::tz::TimeZone::UTC,
            },
            invocation: String::new(),
            env,
        };
        let code = juju::main(args.into_iter().map(Into::into), &mut ctx);
        Ran { code, out: out.text(), err: err.text() }
    }
}

impl Ran {
    /// That the command ended well and printed this to standard output.
    #[track_caller]
    pub fn ok(self, out: &str) {
        assert_eq!((self.code, self.out.as_str()), (0, out), "{}", self.err);
    }

    /// That the command failed with this code and message.
    #[track_caller]
    pub fn fails(self, code: u8, message: &str) {
        assert_eq!((self.code, self.err.trim_end()), (code, format!("ERROR {message}").as_str()));
    }
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A controller that says what it is told to.
pub struct FakeController {
    pub address: SocketAddr,
    pub ca: String,
    shared: Arc<Shared>,
    stop: CancellationToken,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    replies: Mutex<BTreeMap<String, Vec<Result<Value, Error>>>>,
    calls: Mutex<Vec<(String, Value)>>,
    uploads: Mutex<Vec<Upload>>,
    logs: Mutex<Vec<Value>>,
    port: Mutex<u16>,
}

/// A charm that was sent.
#[derive(Clone, Debug)]
pub struct Upload {
    pub method: String,
    pub path: String,
    pub curl: String,
    pub authorization: String,
    pub body: Vec<u8>,
}

impl FakeController {
    pub fn start() -> Self {
        let authority = Authority::generate(SystemTime::now()).unwrap();
        let leaf = authority.issue("test", &[IpAddr::V4(Ipv4Addr::LOCALHOST)], SystemTime::now()).unwrap();
        let tls = certs::server_config(Arc::new(certs::ServerCerts::new(&leaf).unwrap())).unwrap();
        let shared = Arc::new(Shared::default());
        let stop = CancellationToken::new();
        let (tell, told) = mpsc::channel();
        let thread = thread::spawn({
            let (shared, stop) = (shared.clone(), stop.clone());
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
                    tell.send(listener.local_addr().unwrap()).unwrap();
                    serve(listener, TlsAcceptor::from(Arc::new(tls)), shared, stop).await;
                });
            }
        });
        let address: SocketAddr = told.recv().unwrap();
        *shared.port.lock().unwrap() = address.port();
        Self { address, ca: authority.cert_pem().to_owned(), shared, stop, thread: Some(thread) }
    }

    /// From now on `Facade.Method` answers this. Of several answers each is given once, the last for ever.
    pub fn reply(&self, method: &str, reply: Value) -> &Self {
        self.shared.replies.lock().unwrap().entry(method.to_owned()).or_default().push(Ok(reply));
        self
    }

    pub fn refuse(&self, method: &str, code: &str, message: &str) -> &Self {
        let error = Error::new(code, message);
        self.shared.replies.lock().unwrap().entry(method.to_owned()).or_default().push(Err(error));
        self
    }

    /// Has this message in its log.
    pub fn log(&self, message: Value) -> &Self {
        self.shared.logs.lock().unwrap().push(message);
        self
    }

    /// What was asked of it since the last look, logins left out.
    pub fn calls(&self) -> Vec<(String, Value)> {
        let calls = std::mem::take(&mut *self.shared.calls.lock().unwrap());
        calls.into_iter().filter(|it| it.0 != "Admin.Login").collect()
    }

    /// The parameters of the only call of a method since the last look.
    #[track_caller]
    pub fn call(&self, method: &str) -> Value {
        let calls: Vec<_> = self.calls().into_iter().filter(|it| it.0 == method).collect();
        assert_eq!(calls.len(), 1, "{calls:?}");
        calls[0].1.clone()
    }

    pub fn uploads(&self) -> Vec<Upload> {
        std::mem::take(&mut self.shared.uploads.lock().unwrap())
    }
}

impl Drop for FakeController {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, shared: Arc<Shared>, stop: CancellationToken) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let tcp = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted.unwrap().0,
        };
        let (acceptor, shared, stop) = (acceptor.clone(), shared.clone(), stop.clone());
        connections.spawn(async move {
            let Ok(tls) = acceptor.accept(tcp).await else { return };
            let service = service_fn(move |request| answer(request, shared.clone(), stop.clone()));
            let http = hyper::server::conn::http1::Builder::new();
            let _ = http.serve_connection(TokioIo::new(tls), service).with_upgrades().await;
        });
    }
}

async fn answer(
    mut request: Request<Incoming>,
    shared: Arc<Shared>,
    stop: CancellationToken,
) -> Result<Response<Body>, Infallible> {
    let path = request.uri().path().to_owned();
    if path.contains("/charms") {
        return Ok(take_charm(request, &shared).await);
    }
    let Ok(accepted) = websocket::accept(&request) else {
        let mut response = Response::new(Body::from("not a websocket"));
        *response.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(response);
    };
    let query = request.uri().query().unwrap_or_default().to_owned();
    let upgrading = request.extensions_mut().remove::<upgrade::OnUpgrade>().unwrap();
    #[allow(clippy::disallowed_methods)]
    tokio::spawn(async move {
        let Ok(upgraded) = upgrading.await else { return };
        let socket = websocket::WebSocket::server(TokioIo::new(upgraded), websocket::Limit::new(1 << 20));
        if path.ends_with("/log") {
            shared.calls.lock().unwrap().push(("log".to_owned(), json!(query)));
            send_logs(socket, &shared).await;
            return;
        }
        let model =
            path.strip_prefix("/model/").and_then(|it| it.split('/').next()).unwrap_or_default().to_owned();
        let service = Arc::new(Connection { shared, model });
        juju_rpc::serve(socket, service, juju_rpc::Options::default(), stop).await;
    });
    Ok(accepted.map(|()| Body::empty()))
}

async fn take_charm(request: Request<Incoming>, shared: &Shared) -> Response<Body> {
    let header = |name: &str| {
        request.headers().get(name).and_then(|it| it.to_str().ok()).unwrap_or_default().to_owned()
    };
    let (method, curl, authorization) =
        (request.method().clone(), header("Juju-Curl"), header("Authorization"));
    let path = request.uri().to_string();
    let body = to_bytes(Body::new(request.into_body()), 1 << 30).await.unwrap().to_vec();
    let upload = Upload { method: method.to_string(), path, curl: curl.clone(), authorization, body };
    shared.uploads.lock().unwrap().push(upload);
    let reply = shared.next("charms");
    let (status, body) = match reply {
        _ if method != Method::PUT => (StatusCode::METHOD_NOT_ALLOWED, json!({"error": "no"})),
        Some(Err(e)) => (StatusCode::BAD_REQUEST, json!({"error": e.message})),
        Some(Ok(reply)) => (StatusCode::OK, reply),
        None => (StatusCode::OK, json!({"charm-url": curl})),
    };
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response
}

async fn send_logs<T: juju_rpc::Transport>(mut socket: T, shared: &Shared) {
    use futures_util::SinkExt as _;
    let mut lines = vec!["{}\n".to_owned()];
    lines.extend(shared.logs.lock().unwrap().iter().map(ToString::to_string));
    for line in lines {
        if socket.send(juju_rpc::Message::text(line)).await.is_err() {
            return;
        }
    }
    let _ = socket.send(juju_rpc::Message::Close(None)).await;
}

impl Shared {
    fn next(&self, method: &str) -> Option<Result<Value, Error>> {
        let mut replies = self.replies.lock().unwrap();
        let replies = replies.get_mut(method)?;
        if replies.len() > 1 { Some(replies.remove(0)) } else { replies.first().cloned() }
    }
}

struct Connection {
    shared: Arc<Shared>,
    model: String,
}

impl Connection {
    fn login(&self, params: &Value) -> Result<Value, Error> {
        if params["credentials"] != PASSWORD {
            return Err(Error::new("unauthorized access", "invalid entity name or password"));
        }
        let facades: Vec<_> = facade::ALL
            .iter()
            .map(|it| json!({"name": it.name, "versions": it.versions.clone().collect::<Vec<_>>()}))
            .collect();
        let port = *self.shared.port.lock().unwrap();
        Ok(json!({
            "servers": [[{"value": "127.0.0.1", "type": "ipv4", "scope": "local-machine", "port": port}]],
            "controller-tag": format!("controller-{CONTROLLER}"),
            "model-tag": if self.model.is_empty() { String::new() } else { format!("model-{}", self.model) },
            "user-info": {"identity": params["auth-tag"], "controller-access": "superuser", "display-name": "",
                          "model-access": "admin"},
            "facades": facades,
            "server-version": "3.6.28",
        }))
    }
}

impl Service for Connection {
    async fn call(self: Arc<Self>, request: juju_rpc::Request) -> Result<Box<RawValue>, Error> {
        let method = format!("{}.{}", request.facade, request.method);
        let params = request.params.map_or(json!({}), |it| serde_json::from_str(it.get()).unwrap());
        self.shared.calls.lock().unwrap().push((method.clone(), params.clone()));
        let reply = match self.shared.next(&method) {
            Some(reply) => reply?,
            None if method == "Admin.Login" => self.login(&params)?,
            None => return Err(Error::new("not implemented", format!("{method} is not implemented"))),
        };
        Ok(RawValue::from_string(reply.to_string()).unwrap())
    }
}

/// A charm in a directory of its own.
pub fn charm(dir: &Path, name: &str, more: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let dir = dir.join(name);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("metadata.yaml"), format!("name: {name}\nsummary: s\ndescription: d\n{more}"))
        .unwrap();
    std::fs::write(
        dir.join("manifest.yaml"),
        "bases:\n- {name: ubuntu, channel: '22.04', architectures: [amd64]}\n",
    )
    .unwrap();
    std::fs::write(dir.join("dispatch"), "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(dir.join("dispatch"), std::fs::Permissions::from_mode(0o755)).unwrap();
    dir
}
