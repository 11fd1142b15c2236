//! A whole API server in this process: real TLS on 127.0.0.1, the state on a store in memory.
#![allow(dead_code, unreachable_pub, clippy::disallowed_methods, clippy::unwrap_used)]

use std::{net::SocketAddr, sync::Arc, time::SystemTime};

use juju_agent::{
    certs::{Authority, ServerCerts, server_config},
    log_file::Rotation,
};
use juju_apiserver::{ApiServer, Config, Leases, Limits, Logs, Objects, Router, ServeError, Tools, facades};
use juju_core::{Constraints, ModelUuid};
use juju_rpc::{CallError, Connection, DialConfig};
use juju_state::{
    Bootstrap, BootstrapMachine, Clock, History, Model, State, V,
    agent::Agent,
    attributes::Values,
    cloud::{CloudDoc, Region},
    controller::ServingDoc,
    machine::{NewInstance, NewMachine},
    model::NewModel,
};
use juju_store::{Memory, View};
use juju_wire::facade::admin::{LoginRequest, LoginResult};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

pub const ADMIN_PASSWORD: &str = "secret";
pub const AGENT_PASSWORD: &str = "abcdefghijklmnopqrstuvwx";
pub const NONCE: &str = "user-admin:bootstrap";

pub struct TestServer {
    pub state: State,
    pub server: ApiServer,
    pub address: SocketAddr,
    pub ca: String,
    pub dir: tempfile::TempDir,
    pub stop: CancellationToken,
    pub serving: JoinHandle<Result<(), ServeError>>,
}

/// Reads an id, which the test knows to be one.
pub fn id<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no id"))
}

impl TestServer {
    pub async fn start() -> TestServer {
        Self::with(|_| {}, |_| {}).await
    }

    /// A server with other limits and further handlers.
    pub async fn with(limit: impl FnOnce(&mut Limits), serve: impl FnOnce(&mut Router)) -> TestServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let now = SystemTime::now();
        let authority = Authority::generate(now).unwrap();
        let leaf = authority.issue("controller", &[address.ip()], now).unwrap();
        let ca = authority.cert_pem().to_owned();
        let tls = Arc::new(server_config(Arc::new(ServerCerts::new(&leaf).unwrap())).unwrap());

        let dir = tempfile::tempdir().unwrap();
        let view = View::open(Memory::new()).await.unwrap();
        let history = History::open(dir.path().join("history"), 1 << 20).unwrap();
        let state = State::new(view, Clock::system(), history);
        state.initialise(&bootstrap(&ca, address)).await.unwrap();

        let mut limits = Limits::default();
        limit(&mut limits);
        let mut router = Router::new();
        facades::register_all(&mut router);
        serve(&mut router);
        let config = Config {
            state: state.clone(),
            router,
            tls,
            objects: Objects::open(&dir.path().join("objects")).unwrap(),
            tools: Tools::open(&dir.path().join("tools")).unwrap(),
            logs: Logs::open(&dir.path().join("log"), Rotation::of_model(10, 2)).unwrap(),
            leases: Leases::new(state.clone(), "0"),
            limits,
        };
        let (server, stop) = (ApiServer::new(config), CancellationToken::new());
        let serving = tokio::spawn({
            let (server, stop) = (server.clone(), stop.clone());
            async move { server.serve(listener, stop).await }
        });
        TestServer { state, server, address, ca, dir, stop, serving }
    }

    pub fn dial(&self, model: Option<&ModelUuid>) -> DialConfig {
        let addresses = vec![self.address.to_string()];
        match model {
            Some(uuid) => DialConfig::model(addresses, &self.ca, uuid.as_str()),
            None => DialConfig::controller(addresses, &self.ca),
        }
    }

    /// A connection on which nobody has logged in.
    pub async fn connect(&self, model: Option<&ModelUuid>) -> Connection {
        Connection::connect(&self.dial(model)).await.unwrap()
    }

    /// A connection as the administrator.
    pub async fn admin(&self, model: Option<&ModelUuid>) -> Connection {
        let connection = self.connect(model).await;
        login(&connection, "user-admin", ADMIN_PASSWORD, "").await.unwrap();
        connection
    }

    /// A connection as the agent of the controller's machine.
    pub async fn machine_0(&self, model: Option<&ModelUuid>) -> Connection {
        let connection = self.connect(model).await;
        login(&connection, "machine-0", AGENT_PASSWORD, NONCE).await.unwrap();
        connection
    }

    pub fn controller_model(&self) -> Model {
        self.state.controller_model().unwrap()
    }

    pub async fn model(&self, name: &str) -> Model {
        self.state.add_model(&new_model(name)).await.unwrap()
    }

    pub fn http(&self) -> reqwest::Client {
        let ca = reqwest::Certificate::from_pem(self.ca.as_bytes()).unwrap();
        reqwest::Client::builder().tls_certs_only([ca]).no_proxy().build().unwrap()
    }

    pub fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.address)
    }

    /// Stops the server and shows that everything ended.
    pub async fn stop(self) {
        self.stop.cancel();
        self.serving.await.unwrap().unwrap();
        self.server.close().await;
    }
}

pub async fn login(
    connection: &Connection,
    tag: &str,
    password: &str,
    nonce: &str,
) -> Result<LoginResult, CallError> {
    let request = LoginRequest {
        auth_tag: tag.into(),
        credentials: password.into(),
        nonce: nonce.into(),
        client_version: "3.6.28".into(),
        ..LoginRequest::default()
    };
    connection.login(request).await
}

/// Adds a machine with an instance and a password, as if it had been provisioned.
pub async fn provisioned(model: &Model, nonce: &str) -> juju_core::MachineId {
    let machine = model.add_machine(&NewMachine::new(id("ubuntu@24.04"))).await.unwrap();
    let instance =
        NewInstance { instance_id: format!("i-{machine}"), nonce: nonce.into(), ..NewInstance::default() };
    model.set_instance(&machine, &instance).await.unwrap();
    model.set_agent_password(&Agent::Machine(machine.clone()), AGENT_PASSWORD).await.unwrap();
    machine
}

pub fn new_model(name: &str) -> NewModel {
    NewModel {
        uuid: id(&uuid()),
        name: id(name),
        owner: id("admin"),
        creator: id("admin"),
        cloud: id("local"),
        region: String::new(),
        credential: None,
        config: Values::new(),
        constraints: Constraints::default(),
    }
}

fn uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

fn bootstrap(ca: &str, address: SocketAddr) -> Bootstrap {
    let cloud = CloudDoc {
        v: V,
        name: id("local"),
        kind: "local".into(),
        auth_types: vec!["empty".into()],
        endpoint: String::new(),
        identity_endpoint: String::new(),
        storage_endpoint: String::new(),
        regions: vec![Region { name: "localhost".into(), ..Region::default() }],
        ca_certificates: vec![],
        skip_tls_verify: false,
        config: Values::new(),
        region_config: Default::default(),
    };
    let serving = ServingDoc {
        v: V,
        api_port: address.port(),
        cert: "cert".into(),
        key: "key".into(),
        ca_key: "ca key".into(),
        shared_secret: String::new(),
        system_identity: String::new(),
    };
    Bootstrap {
        uuid: id(&uuid()),
        name: id("test"),
        ca_cert: ca.into(),
        serving,
        config: Values::new(),
        admin: id("admin"),
        admin_password: ADMIN_PASSWORD.into(),
        cloud,
        credential: None,
        model: new_model("controller"),
        machine: BootstrapMachine {
            base: id("ubuntu@24.04"),
            constraints: Constraints::default(),
            instance: NewInstance {
                instance_id: "i-0".into(),
                nonce: NONCE.into(),
                ..NewInstance::default()
            },
            agent_password: AGENT_PASSWORD.into(),
        },
        api_addresses: vec![id(&address.to_string())],
    }
}
