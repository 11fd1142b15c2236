//! From an HTTP request to a websocket.

use axum::{body::Body, extract::Request, http::StatusCode, response::Response};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use juju_rpc::websocket::{self, Limit, WebSocket};

use super::reply;
use crate::server::Visit;

pub(super) type Socket = WebSocket<TokioIo<Upgraded>>;

/// Accepts the upgrade and goes on with the socket in a task that the server joins.
pub(super) fn upgrade<W>(
    visit: &Visit,
    mut request: Request,
    limit: Limit,
    run: impl FnOnce(Socket) -> W + Send + 'static,
) -> Response
where
    W: Future<Output = ()> + Send + 'static,
{
    let accepted = match websocket::accept(&request) {
        Ok(accepted) => accepted,
        Err(why) => return reply::text(StatusCode::BAD_REQUEST, why),
    };
    let Some(upgrading) = request.extensions_mut().remove::<OnUpgrade>() else {
        return reply::text(StatusCode::BAD_REQUEST, "this connection cannot be upgraded");
    };
    let kill = visit.kill.clone();
    let serving = async move {
        // It fails if the peer goes away before it has its answer.
        if let Ok(upgraded) = upgrading.await {
            run(WebSocket::server(TokioIo::new(upgraded), limit)).await;
        }
    };
    visit.tasks.spawn(async move { kill.run_until_cancelled(serving).await });
    accepted.map(|()| Body::empty())
}
