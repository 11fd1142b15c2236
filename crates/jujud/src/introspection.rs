//! What a running agent says about itself, over HTTP on a unix socket (Juju 3.6 `worker/introspection`).
//!
//! It runs beside the engine and ends after it, so that it answers while workers hang. If it cannot start, that is
//! logged and no more.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use juju_agent::{machine_lock::ReportOptions, paths::Socket, sockets::BoundSocket};
use juju_engine::Handle;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::machine::Agent;

/// The running server.
pub struct Server {
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

#[derive(Clone)]
struct Shown {
    agent: Agent,
    engine: Handle,
}

impl Server {
    /// Serves `engine` at the socket of the agent `tag`.
    pub fn start(agent: &Agent, tag: &str, engine: Handle) -> Server {
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        match BoundSocket::bind(agent.paths().socket(tag, Socket::Introspection)) {
            Ok(socket) => {
                let routes = routes(Shown { agent: agent.clone(), engine });
                let stop = stop.clone();
                tasks.spawn(async move { serve(Arc::new(socket), routes, stop).await });
            }
            Err(err) => tracing::error!("cannot start introspection: {:#}", anyhow::Error::new(err)),
        }
        Server { stop, tasks }
    }

    pub async fn stop(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}

fn routes(shown: Shown) -> Router {
    Router::new()
        .route("/depengine", get(depengine))
        .route("/depengine.json", get(depengine_json))
        .route("/machinelock", get(machine_lock))
        .fallback(absent)
        .with_state(shown)
}

async fn serve(socket: Arc<BoundSocket>, routes: Router, stop: CancellationToken) {
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = socket.accept() => match accepted {
                Ok(stream) => stream,
                Err(err) => {
                    tracing::warn!("introspection cannot accept a connection: {err}");
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let service = hyper_util::service::TowerToHyperService::new(routes.clone());
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(hyper_util::rt::TokioIo::new(stream), service);
        let stop = stop.clone();
        connections.spawn(async move {
            // Who asks may hang up in the middle.
            let _ = stop.run_until_cancelled(connection).await;
        });
    }
    while connections.join_next().await.is_some() {}
}

async fn depengine(State(shown): State<Shown>) -> String {
    format!("Dependency Engine Report\n\n{}", shown.engine.report().to_yaml())
}

async fn depengine_json(State(shown): State<Shown>) -> Response {
    axum::Json(shown.engine.report().to_json()).into_response()
}

/// Options are on where their parameter has any value.
#[derive(serde::Deserialize)]
struct LockQuery {
    #[serde(default)]
    yaml: String,
    #[serde(default)]
    history: String,
}

async fn machine_lock(State(shown): State<Shown>, Query(query): Query<LockQuery>) -> String {
    shown
        .agent
        .lock()
        .report(ReportOptions { yaml: !query.yaml.is_empty(), history: !query.history.is_empty() })
}

async fn absent() -> Response {
    (StatusCode::NOT_FOUND, "introspection of this is not supported\n").into_response()
}
