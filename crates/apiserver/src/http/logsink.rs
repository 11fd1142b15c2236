//! `/model/<uuid>/logsink`: agents send their logs, a record a frame.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    response::{IntoResponse as _, Response},
};
use futures_util::{FutureExt as _, StreamExt as _};
use juju_rpc::{Message, websocket::Limit};
use juju_wire::{
    codec::De,
    params::{LogMessage, LogRecord},
};
use tokio::time::{Instant, interval_at};

use super::{
    auth,
    stream::{close, greet, send},
    upgrade::{Socket, upgrade},
};
use crate::{limits::Bucket, logs::ModelLog, server::Shared};

/// One record. A hook that prints more than this loses its connection, not the server its memory.
const MAX_RECORD: usize = 1 << 20;
/// The server asks whether the agent is there, and wants an answer before the next time but half.
const PING: Duration = Duration::from_secs(60);
const PONG: Duration = Duration::from_secs(90);
/// Records that are written at once.
const BATCH: usize = 256;

pub(super) async fn serve(
    State(shared): State<Arc<Shared>>,
    caller: auth::Caller<auth::Log>,
    request: Request,
) -> Response {
    let log = caller.place.model(&shared).and_then(|it| Ok(it.doc()?)).and_then(|it| shared.logs.model(&it));
    let log = match log {
        Ok(log) => log,
        Err(err) => return err.into_response(),
    };
    let (stop, tag) = (caller.visit.stop.clone(), caller.entity.tag().to_string());
    upgrade(&caller.visit, request, Limit::new(MAX_RECORD), move |mut socket| async move {
        if greet(&mut socket, Ok(())).await {
            let bucket = Bucket::new(shared.limits.log_records);
            let receiving = receive(&mut socket, &shared, log, &tag, &bucket);
            stop.run_until_cancelled(receiving).await;
        }
        close(socket).await;
    })
}

/// Receives records until the agent closes, is silent, or sends something else.
async fn receive(socket: &mut Socket, shared: &Shared, log: Arc<ModelLog>, tag: &str, bucket: &Bucket) {
    let mut pings = interval_at(Instant::now() + PING, PING);
    let mut heard = Instant::now();
    loop {
        let message = tokio::select! {
            message = socket.next() => message,
            _ = pings.tick() => {
                if heard.elapsed() > PONG || !send(socket, Message::Ping(Default::default())).await {
                    return;
                }
                continue;
            }
        };
        heard = Instant::now();
        let mut batch = vec![];
        let mut next = message;
        let mut open = true;
        loop {
            match next {
                Some(Ok(Message::Text(text))) => match serde_json::from_str::<De<LogRecord>>(&text) {
                    Ok(De(record)) => batch.push(message_of(record, tag)),
                    Err(err) => {
                        tracing::debug!(tag, %err, "a malformed log record");
                        open = false;
                    }
                },
                Some(Ok(Message::Close(_)) | Err(_)) | None => open = false,
                Some(Ok(_)) => {}
            }
            if !open || batch.len() >= BATCH {
                break;
            }
            match socket.next().now_or_never() {
                Some(more) => next = more,
                None => break,
            }
        }
        for _ in &batch {
            bucket.take().await;
        }
        if !batch.is_empty()
            && let Err(err) = shared.logs.write(log.clone(), batch).await
        {
            tracing::warn!(%err, "cannot write the logs of agents");
        }
        if !open {
            return;
        }
    }
}

fn message_of(record: LogRecord, tag: &str) -> LogMessage {
    let LogRecord { time, module, location, level, message, entity, labels } = record;
    let tag = if entity.is_empty() { tag.to_owned() } else { entity };
    LogMessage { tag, time, severity: level, module, location, message, labels }
}
