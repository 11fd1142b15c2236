//! `/model/<uuid>/log`: what the agents of a model log, from the past and as it comes.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{RawQuery, Request, State},
    response::{IntoResponse as _, Response},
};
use futures_util::StreamExt as _;
use juju_rpc::{Message, websocket::Limit};
use juju_wire::{codec::Ser, params::LogMessage};

use super::{
    auth,
    stream::{close, greet, send},
    upgrade::{Socket, upgrade},
};
use crate::{
    Error, Result,
    logs::{ModelLog, Query},
    server::Shared,
};

/// Juju's `max-debug-log-duration`.
const MAX_DURATION: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) async fn serve(
    State(shared): State<Arc<Shared>>,
    caller: auth::Caller<auth::ReadLogs>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let log = caller.place.model(&shared).and_then(|it| Ok(it.doc()?)).and_then(|it| shared.logs.model(&it));
    let log = match log {
        Ok(log) => log,
        Err(err) => return err.into_response(),
    };
    let query = Query::parse(query.as_deref().unwrap_or_default());
    let stop = caller.visit.stop.clone();
    upgrade(
        &caller.visit,
        request,
        Limit::new(juju_rpc::MAX_FRAME_BEFORE_LOGIN),
        move |mut socket| async move {
            if greet(&mut socket, query.as_ref().map(|_| ())).await
                && let Ok(query) = query
            {
                let sending = tokio::time::timeout(MAX_DURATION, follow(&mut socket, log, query));
                if let Some(Ok(Err(err))) = stop.run_until_cancelled(sending).await {
                    tracing::warn!(%err, "cannot read the logs of agents");
                }
            }
            close(socket).await;
        },
    )
}

/// Sends until there is no more to come or the peer leaves.
async fn follow(socket: &mut Socket, log: Arc<ModelLog>, query: Query) -> Result<()> {
    let tail = query.tail;
    let mut messages = log.read(query);
    loop {
        let message = tokio::select! {
            message = messages.next() => message,
            // A peer has nothing to say but goodbye.
            heard = socket.next() => match heard {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(()),
                Some(Ok(_)) => continue,
            },
        };
        match message {
            Some(Ok(message)) => {
                if !send(socket, Message::text(text(&message)?)).await {
                    return Ok(());
                }
            }
            Some(Err(err)) => return Err(Error::internal("cannot read the log", &err)),
            None => {
                debug_assert!(!tail, "a tail has no end");
                return Ok(());
            }
        }
    }
}

fn text(message: &LogMessage) -> Result<String> {
    serde_json::to_string(&Ser(message)).map_err(|err| Error::internal("cannot write a log message", &err))
}
