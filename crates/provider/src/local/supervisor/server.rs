//! The supervisor's socket.

use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use juju_agent::sockets::{self, BoundSocket, SocketError};
use tokio::net::UnixStream;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::codec::{Framed, LinesCodec};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::actor::Reply;
use super::protocol::{MAX_LINE, Request, Response};
use super::{Config, SupervisorError};
use crate::local::dirs;

/// More than ever ask at once; further ones wait.
const MAX_CONNECTIONS: usize = 512;

pub(super) struct Server {
    config: Config,
    socket: BoundSocket,
    requests: mpsc::Sender<(Request, Reply)>,
}

impl Server {
    pub(super) fn bind(
        config: &Config,
        requests: mpsc::Sender<(Request, Reply)>,
    ) -> Result<Self, SupervisorError> {
        Ok(Self { config: config.clone(), socket: bind(config)?, requests })
    }

    /// Serves until told to end, and until what is being answered has been.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        let tasks = TaskTracker::new();
        let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut check = tokio::time::interval(self.config.timing.socket);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = check.tick() => self.check_socket(),
                accepted = self.socket.accept() => match accepted {
                    Ok(stream) => {
                        let Ok(permit) = room.clone().acquire_owned().await else { break };
                        let (requests, stop) = (self.requests.clone(), stop.clone());
                        tasks.spawn(async move {
                            let _permit = permit;
                            if let Err(error) = sockets::require_own_user(&stream) {
                                tracing::warn!(%error, "connection refused");
                                return;
                            }
                            connection(stream, requests, stop).await;
                        });
                    }
                    Err(error) => {
                        // Out of descriptors, mostly; others will end and give theirs back.
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                    }
                },
            }
        }
        tasks.close();
        let patience = std::time::Duration::from_secs(2);
        if tokio::time::timeout(patience, tasks.wait()).await.is_err() {
            tracing::warn!(connections = tasks.len(), "connections do not end");
        }
    }

    /// A session's end may take the runtime directory away, and with it the way to reach us.
    fn check_socket(&mut self) {
        // What is being destroyed must stay so; its mark goes before its socket.
        if self.socket.in_place() || !dirs::is_ours(&self.config.dir) {
            return;
        }
        match bind(&self.config) {
            Ok(socket) => {
                tracing::info!(path = %socket.path().display(), "socket made again");
                self.socket = socket;
            }
            Err(error) => tracing::error!(%error, "cannot make the socket again"),
        }
    }
}

fn bind(config: &Config) -> Result<BoundSocket, SupervisorError> {
    dirs::make_private(&config.runtime_dir).map_err(SocketError::from)?;
    Ok(BoundSocket::bind(&config.socket)?)
}

async fn connection(stream: UnixStream, requests: mpsc::Sender<(Request, Reply)>, stop: CancellationToken) {
    let mut lines = Framed::new(stream, LinesCodec::new_with_max_length(MAX_LINE));
    let mut lifeline = false;
    loop {
        let line = tokio::select! {
            line = lines.next() => line,
            () = stop.cancelled() => break,
        };
        let Some(Ok(line)) = line else { break };
        let answer = match serde_json::from_str(&line) {
            Ok(request @ (Request::Lifeline | Request::Release)) => {
                lifeline = request == Request::Lifeline;
                Response::Done
            }
            Ok(request) => ask(&requests, request).await,
            Err(error) => Response::Failed { message: format!("not a request: {error}") },
        };
        let Ok(text) = serde_json::to_string(&answer) else { break };
        if lines.send(text).await.is_err() {
            break;
        }
    }
    if lifeline && !stop.is_cancelled() {
        tracing::info!("lifeline broken");
        ask(&requests, Request::Destroy).await;
    }
}

async fn ask(requests: &mpsc::Sender<(Request, Reply)>, request: Request) -> Response {
    let ending = || Response::Failed { message: "the supervisor is ending".into() };
    let (reply, answer) = oneshot::channel();
    if requests.send((request, reply)).await.is_err() {
        return ending();
    }
    answer.await.unwrap_or_else(|_| ending())
}
