//! The accept loop: TCP, TLS, HTTP, each connection in a task of its own.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::extract::Extension;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use rustls::ServerConfig;
use tokio::{
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{ServeError, Shared};
use crate::limits::Door;

/// What a request handler may know of the connection it came over.
#[derive(Clone)]
pub(crate) struct Visit {
    pub(crate) peer: SocketAddr,
    pub(crate) door: Arc<Door>,
    /// Websockets go on here after their request is answered.
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
    /// Cancelled when what has not ended by itself must.
    pub(crate) kill: CancellationToken,
}

/// After an error that more connections can only make worse.
const BREATHE: Duration = Duration::from_millis(100);

pub(super) async fn run(
    shared: Arc<Shared>,
    listener: TcpListener,
    tls: Arc<ServerConfig>,
    app: axum::Router,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let acceptor = TlsAcceptor::from(tls);
    let (tasks, kill) = (TaskTracker::new(), CancellationToken::new());
    // Also ends connections when accepting fails.
    let stop = stop.child_token();
    let result = loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break Ok(()),
            why = shared.state.view().closed() => break Err(ServeError::StoreLost(why.to_string())),
            accepted = listener.accept() => accepted,
        };
        let (tcp, peer) = match accepted {
            Ok(it) => it,
            Err(err) if is_passing(&err) => continue,
            Err(err) if is_shortage(&err) => {
                tracing::warn!(%err, "cannot accept a connection for now");
                sleep(BREATHE).await;
                continue;
            }
            Err(err) => break Err(ServeError::Accept(err)),
        };
        let entered = tokio::select! {
            () = stop.cancelled() => break Ok(()),
            entered = shared.doors.enter() => entered,
        };
        let Some(door) = entered else {
            tracing::debug!(%peer, "too many connections");
            continue;
        };
        let visit = Visit {
            peer,
            door: Arc::new(door),
            tasks: tasks.clone(),
            stop: stop.clone(),
            kill: kill.clone(),
        };
        let (shared, acceptor, app, kill) = (shared.clone(), acceptor.clone(), app.clone(), kill.clone());
        let served = async move { connection(shared, tcp, visit, acceptor, app).await };
        tasks.spawn(async move { kill.run_until_cancelled(served).await });
    };
    drop(listener);
    stop.cancel();
    tasks.close();
    if timeout(shared.limits.drain, tasks.wait()).await.is_err() {
        tracing::warn!(late = tasks.len(), "API connections have not ended in time, cutting them off");
        kill.cancel();
        tasks.wait().await;
    }
    result
}

/// TLS and HTTP of one connection, up to its end or its upgrade.
async fn connection(
    shared: Arc<Shared>,
    tcp: TcpStream,
    visit: Visit,
    acceptor: TlsAcceptor,
    app: axum::Router,
) {
    let (peer, door, stop) = (visit.peer, visit.door.clone(), visit.stop.clone());
    // Without these a connection is slower, or its end is noticed later; no more.
    let _ = tcp.set_nodelay(true);
    let _ = keep_alive(&tcp);
    let handshake = timeout(shared.limits.handshake, acceptor.accept(tcp));
    let tls = tokio::select! {
        tls = handshake => tls,
        () = stop.cancelled() => return,
        () = door.told_to_leave() => return,
    };
    let Ok(Ok(tls)) = tls else {
        tracing::debug!(%peer, "a TLS handshake failed");
        return;
    };
    let service = TowerToHyperService::new(app.layer(Extension(visit)));
    let mut http = http1::Builder::new();
    // The timer also ends a connection that waits too long with its next request.
    http.timer(TokioTimer::new()).header_read_timeout(shared.limits.head).max_buf_size(64 << 10);
    let serving = http.serve_connection(TokioIo::new(tls), service).with_upgrades();
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        _ = &mut serving => return,
        () = door.told_to_leave() => return,
        () = stop.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    // What a client does wrong at this level concerns nobody else.
    let _ = serving.await;
}

/// A peer that vanished without a word is noticed within minutes: users' connections have no other check.
fn keep_alive(tcp: &TcpStream) -> nix::Result<()> {
    use nix::sys::socket::{setsockopt, sockopt};
    setsockopt(tcp, sockopt::KeepAlive, &true)?;
    setsockopt(tcp, sockopt::TcpKeepIdle, &15)?;
    setsockopt(tcp, sockopt::TcpKeepInterval, &15)?;
    setsockopt(tcp, sockopt::TcpKeepCount, &9)
}

/// The connection is at fault, and gone already.
fn is_passing(err: &io::Error) -> bool {
    use io::ErrorKind::*;
    matches!(err.kind(), ConnectionAborted | ConnectionReset | ConnectionRefused | Interrupted)
}

fn is_shortage(err: &io::Error) -> bool {
    use nix::errno::Errno;
    let errno = err.raw_os_error().map(Errno::from_raw);
    matches!(errno, Some(Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS | Errno::ENOMEM))
}
