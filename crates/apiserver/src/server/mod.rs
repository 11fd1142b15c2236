//! The API server: one TLS port for calls, streams and files.

mod accept;

use std::{
    io,
    sync::{Arc, atomic::AtomicU64},
};

use juju_core::ModelUuid;
use juju_rpc::Connection;
use juju_state::State;
use rustls::ServerConfig;
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Leases, Limits, Logs, Objects, Router, Tools,
    connection::{self, Place},
    http,
    limits::{Bucket, Doors},
};

pub(crate) use accept::Visit;

/// What a server serves, and how.
pub struct Config {
    pub state: State,
    pub router: Router,
    /// With the controller's certificate; its chain holds the CA, which clients look for.
    pub tls: Arc<ServerConfig>,
    pub objects: Objects,
    pub tools: Tools,
    pub logs: Logs,
    pub leases: Leases,
    pub limits: Limits,
}

/// A server. Clones share it.
#[derive(Clone)]
pub struct ApiServer {
    shared: Arc<Shared>,
    tls: Arc<ServerConfig>,
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) state: State,
    pub(crate) router: Router,
    pub(crate) objects: Objects,
    pub(crate) tools: Tools,
    pub(crate) logs: Logs,
    pub(crate) leases: Leases,
    pub(crate) limits: Limits,
    pub(crate) doors: Arc<Doors>,
    pub(crate) agent_logins: Bucket,
    /// Users' passwords are hashed slowly; more at once than there are processors would only stall all else.
    pub(crate) hashing: Semaphore,
    /// Work that nobody waits for, and the serving ends of connections in memory.
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
    pub(crate) local_connections: AtomicU64,
}

/// Why a server ended that was not told to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// What is served is not current any more; clients find another controller.
    #[error("the store is lost: {0}")]
    StoreLost(String),
    #[error("cannot accept connections")]
    Accept(#[source] io::Error),
}

impl ApiServer {
    pub fn new(config: Config) -> ApiServer {
        let Config { state, router, tls, objects, tools, logs, leases, limits } = config;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Shared {
            state,
            router,
            objects,
            tools,
            logs,
            leases,
            doors: Doors::new(&limits),
            agent_logins: Bucket::new(limits.agent_logins),
            limits,
            hashing: Semaphore::new(processors),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            local_connections: AtomicU64::new(0),
        };
        ApiServer { shared: Arc::new(shared), tls }
    }

    /// What the agents of the models log.
    pub fn logs(&self) -> &Logs {
        &self.shared.logs
    }

    /// Serves what connects to the listener until `stop` is cancelled, then lets connections end. All of their tasks
    /// have ended when this returns.
    pub async fn serve(&self, listener: TcpListener, stop: CancellationToken) -> Result<(), ServeError> {
        let app = http::routes(self.shared.clone());
        accept::run(self.shared.clone(), listener, self.tls.clone(), app, stop).await
    }

    /// A connection within this process, to the controller or to a model of it. It has to log in like any other.
    pub fn connect(&self, model: Option<ModelUuid>) -> Connection {
        let (ours, theirs) = juju_rpc::memory();
        let place = model.map_or(Place::Controller, Place::Model);
        let stop = self.shared.stop.clone();
        self.shared.tasks.spawn(connection::run_local(self.shared.clone(), place, theirs, stop));
        Connection::over(ours)
    }

    /// Ends the connections within this process and what still runs in the background.
    pub async fn close(&self) {
        self.shared.stop.cancel();
        self.shared.tasks.close();
        if tokio::time::timeout(self.shared.limits.drain, self.shared.tasks.wait()).await.is_err() {
            tracing::warn!(late = self.shared.tasks.len(), "tasks of the API server have not ended");
        }
    }
}
