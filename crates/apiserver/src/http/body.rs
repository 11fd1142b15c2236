//! Uploads.

use std::{io, time::Duration};

use axum::body::{Body, Bytes};
use futures_util::{Stream, StreamExt as _, stream};
use tokio::time::timeout;

use crate::{Error, ObjectError, Result, Upload, server::Shared};

/// How long a sender may make no progress.
const STALL: Duration = Duration::from_secs(60);

/// Receives a body into a file that is not kept yet.
pub(super) async fn receive(shared: &Shared, body: Body, limit: u64) -> Result<Upload> {
    let chunks = Box::pin(moving(body.into_data_stream()));
    shared.objects.receive(chunks, limit).await.map_err(failed)
}

pub(super) fn failed(err: ObjectError) -> Error {
    match &err {
        ObjectError::TooLarge { .. } | ObjectError::Cut(_) => Error::bad_request(err),
        _ => Error::internal(&err, &err),
    }
}

/// The chunks, up to one that does not come.
fn moving<E: std::error::Error + Send + Sync + 'static>(
    chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
) -> impl Stream<Item = io::Result<Bytes>> {
    stream::unfold(Some(chunks), async |chunks| {
        let mut chunks = chunks?;
        match timeout(STALL, chunks.next()).await {
            Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(chunks))),
            Ok(Some(Err(err))) => Some((Err(io::Error::other(err)), None)),
            Ok(None) => None,
            Err(_) => Some((Err(io::ErrorKind::TimedOut.into()), None)),
        }
    })
}
